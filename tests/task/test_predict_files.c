/* Labelling many files: shards, records, halos. Whoever labels which file in which order, the
 * outputs have the bytes of one run; a cut scene has the labels of the whole.
 * labels: quick threads */
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "errors.h"
#include "gelatto.h"
#include "io_cloud.h"
#include "made_locale.h"
#include "own_folder.h"
#include "settings.h"
#include "synth/synth_rooms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 3, FILES = SIDE * SIDE };

static struct glt_model *make_model(const char *settings)
{
    return settings_glt_model("points=256 levels=64,32,16,8 width=8 stem=8 k=6 decoder=8 "
                              "head_hidden=8 cls_hidden=16 inputs=xyz,rgb",
                              settings, 4);
}

/* A room of about 6 x 5 m, far from the origin. */
static struct glt_cloud *make_room(int64_t points)
{
    struct glt_cloud *c = NULL;
    struct synth_rooms o = synth_rooms_default();
    static const char *const axes[] = {"x", "y", "z"};
    static const double far[] = {456789, 5432100, 321};
    o.points = points;
    o.seed = 7;
    assert_int_equal(synth_rooms_cloud(&c, &o, 1, 0), 0);
    for (int k = 0; k < 3; k++) {
        const float *x = cloud_attribute(c, axes[k])->data;
        double *values = memory_alloc((size_t)c->n, sizeof *values);
        for (int64_t i = 0; i < c->n; i++)
            values[i] = round((double)x[i] * 1000) / 1000 + far[k];
        assert_int_equal(glt_cloud_set(c, axes[k], GLT_F64, values, 0), 0);
        memory_free(values);
    }
    return c;
}

struct files {
    char in[FILES][256], out[FILES][256];
    const char *inputs[FILES], *outputs[FILES];
    char folder[256];
    int32_t part[4096]; /* of each point of the room */
    int64_t row[4096];  /* in that part */
};

static void name_files(struct files *f, const char *folder, const char *extension)
{
    snprintf(f->folder, sizeof f->folder, "%s/%s", own_folder(), folder);
    for (int i = 0; i < FILES; i++) {
        snprintf(f->in[i], sizeof f->in[i], "%.200s/in-%s/t%d.%s", own_folder(), extension, i,
                 extension);
        snprintf(f->out[i], sizeof f->out[i], "%.200s/%d/t%d.%s", f->folder, i % 2, i, extension);
        f->inputs[i] = f->in[i];
        f->outputs[i] = f->out[i];
    }
}

/* Cuts the room into SIDE x SIDE files. */
static void cut(struct files *f, const struct glt_cloud *room)
{
    struct bounds b;
    int64_t *rows = memory_alloc((size_t)room->n, sizeof *rows);
    char folder[256];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(f->in[0], '/') - f->in[0]), f->in[0]);
    assert_int_equal(file_make_folder(folder), 0);
    assert_int_equal(cloud_bounds(&b, room), 0);
    for (int part = 0; part < FILES; part++) {
        struct glt_cloud *c;
        int64_t n = 0;
        for (int64_t i = 0; i < room->n; i++) {
            int at[2];
            for (int k = 0; k < 2; k++) {
                double x = column_value(cloud_attribute(room, k ? "y" : "x"), i);
                at[k] = (int)fmin(SIDE - 1, floor(SIDE * (x - b.min[k]) / (b.max[k] - b.min[k])));
            }
            if (at[1] * SIDE + at[0] != part)
                continue;
            f->part[i] = part;
            f->row[i] = n;
            rows[n++] = i;
        }
        assert_true(n > 0);
        assert_int_equal(cloud_select(&c, room, rows, n), 0);
        assert_int_equal(glt_cloud_write(c, f->in[part], NULL), 0);
        cloud_free(c);
    }
    memory_free(rows);
}

struct heard {
    int files, finished, failed;
    int64_t points;
};

static int hear(void *user, const struct glt_labelled *x)
{
    struct heard *h = user;
    h->files++;
    h->finished += x->finished;
    h->failed += x->code < 0;
    assert_int_equal(x->number, h->files);
    int64_t sum = 0;
    for (int i = 0; x->code == 0 && i <= x->classes; i++)
        sum += x->counts[i];
    assert_int_equal(sum, x->code ? 0 : x->prediction.points);
    h->points += sum;
    return 0;
}

static int label(struct heard *h, const struct glt_model *m, const struct files *f,
                 struct glt_files_options o)
{
    o.size = sizeof o;
    *h = (struct heard){0};
    return glt_predict_files(m, f->inputs, f->outputs, FILES, &o, hear, h);
}

static void assert_same_bytes(const char *a, const char *b)
{
    char *x, *y;
    size_t n, m;
    assert_int_equal(file_read_all(&x, &n, a, 1 << 24), 0);
    assert_int_equal(file_read_all(&y, &m, b, 1 << 24), 0);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    memory_free(x);
    memory_free(y);
}

static void shards_in_any_order_give_the_bytes_of_one_run(void **state)
{
    (void)state;
    struct files one, many;
    struct heard h;
    struct glt_model *m = make_model("");
    struct glt_cloud *room = make_room(2000);
    name_files(&one, "one", "las");
    name_files(&many, "many", "las");
    cut(&one, room);
    assert_int_equal(label(&h, m, &one, (struct glt_files_options){.predict = "halo=1"}), 0);
    assert_int_equal(h.files, FILES);
    assert_int_equal(h.points, room->n);
    static const int order[] = {4, 2, 1, 4, 3}; /* one of them twice */
    int files = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        struct glt_files_options o = {
            .predict = "halo=1", .folder = many.folder, .shard = order[i], .shards = 4};
        assert_int_equal(label(&h, m, &many, o), 0);
        files += i == 3 ? 0 : h.files;
        assert_int_equal(h.finished, 0);
    }
    assert_int_equal(files, FILES);
    for (int i = 0; i < FILES; i++)
        assert_same_bytes(one.out[i], many.out[i]);
    cloud_free(room);
    glt_model_free(m);
}

/* Overwrites a byte in the middle. */
static void damage(const char *path)
{
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long at = ftell(f) / 2;
    fseek(f, at, SEEK_SET);
    int byte = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(byte ^ 1, f);
    fclose(f);
}

static void finished_files_are_passed_over_until_something_changes(void **state)
{
    (void)state;
    struct files f;
    struct heard h;
    struct glt_model *m = make_model(""), *other = make_model("seed=9");
    struct glt_cloud *room = make_room(2000);
    char path[1024];
    name_files(&f, "finished", "ply");
    cut(&f, room);
    struct glt_files_options o = {.folder = f.folder, .skip_finished = 1};
    assert_int_equal(label(&h, m, &f, o), 0);
    assert_int_equal(h.finished, 0);
    assert_int_equal(label(&h, m, &f, o), 0);
    assert_int_equal(h.finished, FILES);
    assert_int_equal(h.points, room->n); /* by the records */
    damage(f.out[3]);
    snprintf(path, sizeof path, "%s/.gelatto/files/1/t5.ply.json", f.folder);
    assert_int_equal(file_put(path, "{\"output\":", 10), 0);
    assert_int_equal(file_remove(f.out[0]), 0);
    damage(f.in[1]); /* a coordinate or colour of a point */
    assert_int_equal(label(&h, m, &f, o), 0);
    assert_int_equal(h.finished, FILES - 4);
    assert_int_equal(label(&h, other, &f, o), 0);
    assert_int_equal(h.finished, 0);
    o.predict = "margin";
    assert_int_equal(label(&h, other, &f, o), 0);
    assert_int_equal(h.finished, 0);
    assert_int_equal(label(&h, other, &f, o), 0);
    assert_int_equal(h.finished, FILES);
    /* a model that came from a file and was changed is another one */
    struct glt_model *loaded;
    char file[512];
    snprintf(file, sizeof file, "%s/m.safetensors", own_folder());
    assert_int_equal(glt_model_save(other, file, NULL), 0);
    assert_int_equal(glt_model_load(&loaded, file), 0);
    assert_int_equal(label(&h, loaded, &f, o), 0);
    assert_int_equal(label(&h, loaded, &f, o), 0);
    assert_int_equal(h.finished, FILES);
    assert_int_equal(glt_model_set_class(loaded, 0, "another", NULL), 0);
    assert_int_equal(label(&h, loaded, &f, o), 0);
    assert_int_equal(h.finished, 0);
    glt_model_free(loaded);
    cloud_free(room);
    glt_model_free(m);
    glt_model_free(other);
}

/* A neighbour that changes changes the labels at the seam. */
static void with_a_halo_neighbours_count_too(void **state)
{
    (void)state;
    struct files f;
    struct heard h;
    struct glt_model *m = make_model("");
    struct glt_cloud *room = make_room(2000);
    name_files(&f, "neighbours", "ply");
    cut(&f, room);
    struct glt_files_options o = {
        .folder = f.folder, .skip_finished = 1, .predict = "halo=0.5 protocol=paper"};
    assert_int_equal(label(&h, m, &f, o), 0);
    assert_int_equal(label(&h, m, &f, o), 0);
    assert_int_equal(h.finished, FILES);
    damage(f.in[0]);
    assert_int_equal(label(&h, m, &f, o), 0);
    assert_in_range(h.finished, 1, FILES - 2); /* the far corner does not see it */
    cloud_free(room);
    glt_model_free(m);
}

/* --- halos --- */

static void count_warnings(void *user, enum glt_log_level level, const char *text)
{
    (void)text;
    *(int *)user += level == GLT_LOG_WARNING;
}

static void check_cut(const char *extension, const char *settings, const char *words)
{
    struct files f;
    struct heard h;
    struct glt_model *m = make_model(settings);
    struct glt_cloud *room = make_room(3000), *whole, *part[FILES];
    char path[256];
    name_files(&f, "halo", extension);
    cut(&f, room);
    assert_int_equal(label(&h, m, &f, (struct glt_files_options){.predict = words}), 0);
    /* through a file, as the parts: formats round */
    snprintf(path, sizeof path, "%.200s/whole.%s", own_folder(), extension);
    assert_int_equal(glt_cloud_write(room, path, NULL), 0);
    assert_int_equal(glt_cloud_read(&whole, path, NULL), 0);
    assert_int_equal(glt_cloud_predict(whole, m, words, NULL, NULL), 0);
    assert_int_equal(glt_cloud_write(whole, path, NULL), 0);
    cloud_free(whole);
    assert_int_equal(glt_cloud_read(&whole, path, NULL), 0);
    assert_non_null(cloud_attribute(whole, "confidence"));
    for (int i = 0; i < FILES; i++)
        assert_int_equal(glt_cloud_read(&part[i], f.out[i], NULL), 0);
    for (int32_t k = 0; k < whole->n_columns; k++) /* label, confidence, all others */
        for (int64_t i = 0; i < room->n; i++) {
            const struct column *x = &whole->columns[k];
            const struct column *y = cloud_attribute(part[f.part[i]], x->name);
            assert_non_null(y);
            if (column_value(x, i) != column_value(y, f.row[i]))
                fail_msg("%s %s: point %lld has another %s", settings, words, (long long)i,
                         x->name);
        }
    for (int i = 0; i < FILES; i++)
        cloud_free(part[i]);
    cloud_free(room);
    cloud_free(whole);
    glt_model_free(m);
}

static void a_cut_scene_gets_the_labels_of_the_whole(void **state)
{
    (void)state;
    check_cut("las", "block=1.3", "halo=1 overlap=2");
    check_cut("laz", "block=0.7 floor=tile", "halo=1 protocol=paper");
    check_cut("ply", "block=0.3 floor=around", "halo=1"); /* tiles are joined */
    check_cut("ply", "", "halo=1 spacing=0.3");
    check_cut("ply", "block=0.3",
              "halo=0.1 spacing=1 protocol=paper");               /* as far as points are carried */
    check_cut("ply", "inputs=xyz,rgb?,return_number?", "halo=1"); /* no file has one of them */
}

/* Optional attributes of the model: some files have them, others do not. */
static void a_neighbour_without_an_optional_attribute_is_seen(void **state)
{
    (void)state;
    struct files f;
    struct heard h;
    struct glt_model *m = make_model("inputs=xyz,rgb?,return_number?");
    struct glt_cloud *room = make_room(2000), *c;
    static const char *const some[] = {"red", "green", "blue", "return_number"};
    uint8_t *returns = memory_alloc((size_t)room->n, 1);
    for (int64_t i = 0; i < room->n; i++)
        returns[i] = (uint8_t)(1 + i % 3);
    assert_int_equal(glt_cloud_set(room, "return_number", GLT_U8, returns, 0), 0);
    name_files(&f, "optional", "ply");
    cut(&f, room);
    for (int i = 0; i < FILES; i += 2) {
        assert_int_equal(glt_cloud_read(&c, f.in[i], NULL), 0);
        for (int k = 0; k < 4; k++)
            cloud_remove_attribute(c, some[k]);
        assert_int_equal(glt_cloud_write(c, f.in[i], NULL), 0);
        cloud_free(c);
    }
    int warnings = 0;
    glt_log_set(count_warnings, &warnings);
    assert_int_equal(label(&h, m, &f, (struct glt_files_options){.predict = "halo=1"}), 0);
    glt_log_set(NULL, NULL);
    assert_int_equal(h.points, room->n);
    assert_int_equal(warnings, 0);
    memory_free(returns);
    cloud_free(room);
    glt_model_free(m);
}

/* Neighbours are read with all of the options, however many there are, in any locale. */
static void neighbours_are_read_with_all_options(void **state)
{
    (void)state;
    struct files f;
    struct heard h;
    struct glt_model *m = make_model("block=1.3");
    struct glt_cloud *room = make_room(2000);
    struct glt_files_options o = {.predict = "halo=1"};
    name_files(&f, "options", "las");
    cut(&f, room);
    comma_locale_enter();
    assert_int_equal(label(&h, m, &f, o), 0);
    made_locale_leave();
    for (int blanks = 0; blanks < 8; blanks += 4) { /* wherever a text is cut off, a word is */
        char read[1024];
        snprintf(read, sizeof read, "%*s", blanks, "");
        for (int i = 0; i < 60; i++)
            strcat(read, "format=las ");
        o.read = read;
        assert_int_equal(label(&h, m, &f, o), 0);
    }
    cloud_free(room);
    glt_model_free(m);
}

static void boxes_that_took_reading_are_kept(void **state)
{
    (void)state;
    struct files f;
    struct heard h;
    struct glt_model *m = make_model("");
    struct glt_cloud *room = make_room(1000);
    char path[1024];
    for (int k = 0; k < 2; k++) {
        name_files(&f, k ? "box-las" : "box-ply", k ? "las" : "ply");
        cut(&f, room);
        struct glt_files_options o = {.folder = f.folder, .skip_finished = 1, .predict = "halo=1"};
        assert_int_equal(label(&h, m, &f, o), 0);
        snprintf(path, sizeof path, "%s/.gelatto/boxes/1/t3.%s.json", f.folder, k ? "las" : "ply");
        assert_int_equal(file_exists(path), k == 0); /* headers of LAS have them */
        if (k == 0)
            assert_int_equal(file_put(path, "{\"box\": [1, 2]}", 15), 0);
        assert_int_equal(label(&h, m, &f, o), 0);
        assert_int_equal(h.finished, FILES);
    }
    cloud_free(room);
    glt_model_free(m);
}

/* --- what goes wrong --- */

static void a_file_that_fails_keeps_no_other_from_its_labels(void **state)
{
    (void)state;
    struct files f;
    struct heard h;
    struct glt_model *m = make_model("");
    struct glt_cloud *room = make_room(1000);
    name_files(&f, "broken", "ply");
    cut(&f, room);
    assert_int_equal(file_put(f.in[4], "ply\nformat ascii 1.0\n", 21), 0);
    struct glt_files_options o = {.folder = f.folder, .skip_finished = 1, .predict = "halo=1"};
    assert_int_equal(label(&h, m, &f, o), GLT_EFORMAT);
    assert_error_file("t4.ply");
    assert_int_equal(h.files, FILES);
    assert_int_equal(h.failed, 1);
    assert_int_equal(label(&h, m, &f, o), GLT_EFORMAT);
    assert_int_equal(h.finished, FILES - 1);
    cloud_free(room);
    glt_model_free(m);
}

static void a_file_that_cannot_be_read_keeps_no_other_from_its_labels(void **state)
{
    (void)state;
    struct files f;
    struct heard h;
    struct glt_model *m = make_model("");
    struct glt_cloud *room = make_room(1000);
    name_files(&f, "unread", "ply");
    cut(&f, room);
    assert_int_equal(file_remove(f.in[4]), 0);
    assert_int_equal(label(&h, m, &f, (struct glt_files_options){.predict = "halo=1"}), GLT_EIO);
    assert_error_file("t4.ply");
    assert_int_equal(h.files, FILES);
    assert_int_equal(h.failed, 1);
    cloud_free(room);
    glt_model_free(m);
}

static void a_survey_with_an_empty_tile_can_be_finished(void **state)
{
    (void)state;
    struct files f;
    struct heard h;
    struct glt_model *m = make_model("");
    struct glt_cloud *room = make_room(1000), *c;
    static const char *const extensions[] = {"ply", "las"};
    for (int k = 0; k < 2; k++) {
        name_files(&f, k ? "empty-las" : "empty-ply", extensions[k]);
        cut(&f, room);
        assert_int_equal(cloud_select(&c, room, NULL, 0), 0);
        assert_int_equal(glt_cloud_write(c, f.in[4], NULL), 0);
        cloud_free(c);
        struct glt_files_options o = {
            .folder = f.folder, .skip_finished = 1, .predict = "halo=1 second"};
        assert_int_equal(label(&h, m, &f, o), 0);
        assert_int_equal(label(&h, m, &f, o), 0);
        assert_int_equal(h.finished, FILES);
        assert_int_equal(glt_cloud_read(&c, f.out[4], NULL), 0);
        assert_int_equal(c->n, 0);
        assert_non_null(cloud_attribute(c, "confidence"));
        cloud_free(c);
    }
    cloud_free(room);
    glt_model_free(m);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    struct files f;
    struct heard h;
    struct glt_model *m = make_model(""), *shapes = make_model("task=classify");
    name_files(&f, "refused", "ply");
    static const int shards[][2] = {{0, 3}, {4, 3}, {-1, 3}, {1, 0}, {1, -2}, {1, 1 << 20}};
    for (size_t i = 0; i < sizeof shards / sizeof *shards; i++) {
        struct glt_files_options o = {.shard = shards[i][0], .shards = shards[i][1]};
        assert_int_equal(label(&h, m, &f, o), GLT_EARGUMENT);
        assert_error("ARGUMENT shard");
    }
    assert_int_equal(label(&h, m, &f, (struct glt_files_options){.skip_finished = 1}),
                     GLT_EARGUMENT);
    assert_error("ARGUMENT folder");
    assert_int_equal(label(&h, m, &f, (struct glt_files_options){.folder = "elsewhere"}),
                     GLT_EARGUMENT);
    assert_error("ARGUMENT outputs");
    assert_int_equal(label(&h, shapes, &f, (struct glt_files_options){.predict = "halo=1"}),
                     GLT_EARGUMENT);
    assert_error("OPTION halo");
    assert_int_equal(h.files, 0);
    glt_model_free(m);
    glt_model_free(shapes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_in_any_order_give_the_bytes_of_one_run),
        cmocka_unit_test(finished_files_are_passed_over_until_something_changes),
        cmocka_unit_test(with_a_halo_neighbours_count_too),
        cmocka_unit_test(a_cut_scene_gets_the_labels_of_the_whole),
        cmocka_unit_test(a_neighbour_without_an_optional_attribute_is_seen),
        cmocka_unit_test(neighbours_are_read_with_all_options),
        cmocka_unit_test(boxes_that_took_reading_are_kept),
        cmocka_unit_test(a_file_that_fails_keeps_no_other_from_its_labels),
        cmocka_unit_test(a_file_that_cannot_be_read_keeps_no_other_from_its_labels),
        cmocka_unit_test(a_survey_with_an_empty_tile_can_be_finished),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
