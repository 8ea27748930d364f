/* Teaching: a run on reviewed points with old data beside them, its comparison, what predictions
 * leave alone, and the tiles to look at next.
 * labels: quick threads */
#include "data_folder.h"
#include "errors.h"

#include "core/file.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "task/replay.h"

#include <math.h>

enum { N = 3000 };
static const char OLD[] = "synth:rooms rooms=1 points=900 seed=3";
static const char NET[] = "points=256 block_min=64 levels=64,32,16,8 k=6 radius=0.3 stem=8 "
                          "width=8,8,16,16 decoder=16,16,16,8,8,8,8,8 head_hidden=8 block=2";
static const char *const NAMES[] = {"ceiling",  "floor", "wall",   "beam",  "column",
                                    "window",   "door",  "table",  "chair", "sofa",
                                    "bookcase", "board", "clutter"};

static struct glt_cloud *make_scan(double limit)
{
    struct glt_cloud *c;
    struct column *seen;
    data_room(&c, N, 8, 8, 5);
    data_check(cloud_add_attribute(&seen, c, "reviewed", GLT_U8));
    for (int i = 0; i < 13; i++)
        data_check(glt_cloud_set_class(c, i, NAMES[i]));
    for (int64_t i = 0; i < N; i++)
        ((uint8_t *)seen->data)[i] = (double)((float *)cloud_attribute(c, "x")->data)[i] < limit;
    return c;
}

static void write_set(const char *more)
{
    char path[DATA_PATH], yaml[1024];
    struct glt_cloud *c = make_scan(4);
    data_check(format_write(c, data_file(path, "set/scan.ply"), NULL));
    cloud_free(c);
    snprintf(yaml, sizeof yaml, "train: \"*.ply\"\ntruth: reviewed\nnames: [");
    for (int i = 0; i < 13; i++)
        snprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml), "%s%s", i ? ", " : "", NAMES[i]);
    snprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml), "]\n%s", more);
    data_text("set/set.yaml", yaml);
}

static int train(const char *data, const char *name, const char *init, const char *resume,
                 const char *pairs, int64_t steps, glt_train_fn *fn)
{
    char runs[DATA_PATH];
    struct glt_config *c = settings_config(init || resume ? "" : NET, pairs);
    snprintf(runs, sizeof runs, "%s/runs", data_folder());
    struct glt_train_options o = {.size = sizeof o,
                                  .runs = runs,
                                  .name = name,
                                  .init = init,
                                  .resume = resume,
                                  .steps = steps,
                                  .validate = 100};
    int code = glt_train(c, resume ? NULL : data, &o, fn, NULL);
    glt_config_free(c);
    return code;
}

static const char *run_file(char path[DATA_PATH], const char *run, const char *name)
{
    snprintf(path, DATA_PATH, "%s/runs/%s/%s", data_folder(), run, name);
    return path;
}

/* The old model, made once. */
static int make_base(void **state)
{
    (void)state;
    data_check(train(OLD, "base", NULL, NULL, "epochs=4 lr=0.01", 40, NULL));
    write_set("");
    return 0;
}

static int teach(const char *name, const char *pairs, glt_train_fn *fn)
{
    char init[DATA_PATH], set[DATA_PATH];
    snprintf(init, sizeof init, "%s/runs/base1", data_folder());
    return train(data_file(set, "set/set.yaml"), name, init, NULL, pairs, 0, fn);
}

/* Both scores are means over the same classes, those that are there. */
static void assert_means(const struct json *classes, double before, double after)
{
    double sums[2] = {0};
    size_t n = json_size(classes);
    for (size_t i = 0; i < n; i++) {
        const struct json *one = json_at(classes, i);
        assert_true(json_is_number(json_get(one, "before")));
        assert_true(json_is_number(json_get(one, "after")));
        sums[0] += json_number_value(json_get(one, "before"));
        sums[1] += json_number_value(json_get(one, "after"));
    }
    assert_true(n > 0);
    assert_true(fabs(sums[0] / (double)n - before) < 1e-12);
    assert_true(fabs(sums[1] / (double)n - after) < 1e-12);
}

static void a_run_ends_with_a_comparison(void **state)
{
    (void)state;
    char path[DATA_PATH], init[DATA_PATH];
    struct json *all;
    data_check(teach("taught", "epochs=2", NULL));
    assert_true(file_exists(run_file(path, "taught1", "start.safetensors")));
    data_check(json_parse_file(&all, run_file(path, "taught1", "comparison.json"), JSON_OBJECT));
    static const char *const keys[] = {"held_back", "old"};
    for (int i = 0; i < 2; i++) {
        const struct json *one = json_get(all, keys[i]);
        double before = json_number_value(json_get(one, "before"));
        double after = json_number_value(json_get(one, "after"));
        assert_true(before >= 0 && before <= 1 && after >= 0 && after <= 1);
        assert_means(json_get(one, "iou"), before, after);
        assert_true(json_number_value(json_get(one, "points")) > 100);
    }
    assert_string_equal(json_string_value(json_get(json_get(all, "old"), "data")), OLD);
    json_free(all);
    /* the next round finds the old data on the card of this one */
    snprintf(init, sizeof init, "%s/runs/taught1", data_folder());
    data_check(train(data_file(path, "set/set.yaml"), "again", init, NULL, "epochs=1", 2, NULL));
    assert_true(file_exists(run_file(path, "again1", "comparison.json")));
}

/* New classes, of which the old model has random weights: it predicts them where there are none. */
static void a_comparison_counts_no_class_that_is_not_there(void **state)
{
    (void)state;
    char set[DATA_PATH], init[DATA_PATH], path[DATA_PATH];
    struct json *all;
    data_text("new/set.yaml",
              "path: ../set\ntrain: \"*.ply\"\ntruth: reviewed\n"
              "names: [wall, floor, a, b, c, d, e, f, g, h, i, j, k]\nignore: rest\n");
    snprintf(init, sizeof init, "%s/runs/base1", data_folder());
    data_check(train(data_file(set, "new/set.yaml"), "new", init, NULL, "epochs=1", 2, NULL));
    data_check(json_parse_file(&all, run_file(path, "new1", "comparison.json"), JSON_OBJECT));
    const struct json *old = json_get(all, "old");
    assert_int_equal(json_size(json_get(old, "iou")), 2);
    assert_means(json_get(old, "iou"), json_number_value(json_get(old, "before")),
                 json_number_value(json_get(old, "after")));
    json_free(all);
}

/* A learning rate that ruins the model: what is kept is nearer to the old one. */
static void a_model_that_forgets_is_blended_with_the_old_one(void **state)
{
    (void)state;
    char path[DATA_PATH];
    struct json *all;
    struct glt_model *m[3];
    static const char *const names[] = {"start", "last", "best"};
    data_check(teach("ruined", "epochs=1 lr=0.3 schedule=constant", NULL));
    data_check(json_parse_file(&all, run_file(path, "ruined1", "comparison.json"), JSON_OBJECT));
    double share = json_number_value(json_get(all, "blend"));
    json_free(all);
    assert_true(share < 1);
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.safetensors", names[i]);
        data_check(glt_model_load(&m[i], run_file(path, "ruined1", name)));
    }
    const real *a = ((struct model *)m[0])->block, *b = ((struct model *)m[1])->block;
    const real *c = ((struct model *)m[2])->block;
    for (int64_t i = 0; i < ((struct model *)m[0])->size; i++)
        assert_true(c[i] == a[i] + (real)share * (b[i] - a[i]));
    assert_non_null(strstr(((struct model *)m[2])->card, "\"blend\""));
    for (int i = 0; i < 3; i++)
        glt_model_free(m[i]);
}

/* A run that is resumed after its end, as one that was killed just before it. */
static void a_blend_is_not_blended_again(void **state)
{
    (void)state;
    static const char *const files[] = {"best.safetensors", "comparison.json"};
    char path[DATA_PATH], *first[2], *again;
    size_t len[2], now;
    data_check(teach("twice", "epochs=1 lr=0.3 schedule=constant", NULL));
    for (int i = 0; i < 2; i++)
        data_check(file_read_all(&first[i], &len[i], run_file(path, "twice1", files[i]), 1 << 26));
    data_check(train(NULL, NULL, NULL, run_file(path, "twice1", ""), "", 0, NULL));
    for (int i = 0; i < 2; i++) {
        data_check(file_read_all(&again, &now, run_file(path, "twice1", files[i]), 1 << 26));
        assert_int_equal(now, len[i]);
        assert_memory_equal(again, first[i], now);
        memory_free(again);
        memory_free(first[i]);
    }
}

static int stop_at_three(void *user, const struct glt_train_status *s)
{
    (void)user;
    return s->step == 3;
}

static void a_stopped_run_resumes_with_its_old_data(void **state)
{
    (void)state;
    static const char *const files[] = {"last.safetensors", "comparison.json"};
    char a[DATA_PATH], b[DATA_PATH], *x, *y;
    size_t la, lb;
    data_check(teach("whole", "epochs=1 seed=4", NULL));
    assert_int_equal(teach("broken", "epochs=1 seed=4", stop_at_three), GLT_EINTERRUPTED);
    assert_int_equal(train(NULL, NULL, NULL, run_file(a, "broken1", ""), "", 0, NULL), 0);
    for (int i = 0; i < 2; i++) {
        data_check(file_read_all(&x, &la, run_file(a, "whole1", files[i]), 1 << 26));
        data_check(file_read_all(&y, &lb, run_file(b, "broken1", files[i]), 1 << 26));
        assert_int_equal(la, lb);
        assert_memory_equal(x, y, la);
        memory_free(x);
        memory_free(y);
    }
}

/* Models in the folder of a run that are not its own, as somebody may have put them there. */
static void models_of_other_networks_are_not_compared(void **state)
{
    (void)state;
    static const struct {
        const char *file, *pairs;
    } swaps[] = {{"start.safetensors", "inputs=xyz"},
                 {"best.safetensors", "inputs=xyz"},
                 {"start.safetensors", "inputs=xyz,rgb,normals"},
                 {"start.safetensors", "head_hidden=5"}};
    for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++) {
        char path[DATA_PATH], name[32];
        struct glt_model *m;
        struct glt_config *c = settings_config(NET, swaps[i].pairs);
        snprintf(name, sizeof name, "swap%zu-", i);
        data_check(teach(name, "epochs=1", NULL));
        strcat(name, "1");
        data_check(glt_model_create(&m, c, 13));
        data_check(glt_model_save(m, run_file(path, name, swaps[i].file), NULL));
        glt_model_free(m);
        glt_config_free(c);
        assert_int_equal(train(NULL, NULL, NULL, run_file(path, name, ""), "", 0, NULL),
                         GLT_EMODEL);
        assert_error("INIT");
    }
}

static void a_run_does_not_resume_with_other_old_data(void **state)
{
    (void)state;
    char run[DATA_PATH];
    assert_int_equal(teach("other", "epochs=1 seed=4", stop_at_three), GLT_EINTERRUPTED);
    write_set("replay: {share: 0.7}\n");
    int code = train(NULL, NULL, NULL, run_file(run, "other1", ""), "", 0, NULL);
    write_set("");
    assert_int_equal(code, GLT_EDATA);
    assert_error("RESUME replay");
}

/* Points without a class are counted after the last class of the reviewed data, not of the old. */
static void class_weights_count_old_data_of_more_classes(void **state)
{
    (void)state;
    char path[DATA_PATH], init[DATA_PATH];
    struct config c;
    struct replay r = {0};
    data_config(&c, "inputs=xyz");
    data_text("floor/set.yaml", "path: ../set\ntrain: \"*.ply\"\ntruth: reviewed\n"
                                "names: [floor, wall]\nignore: rest\n");
    struct dataset *d = data_open(data_file(path, "floor/set.yaml"), "inputs=xyz validation=off");
    data_check(replay_open(&r, OLD, d, &c, 0));
    int64_t counts[4] = {0, 0, 0, -7};
    data_check(dataset_histogram(counts, r.data, SPLIT_TRAIN));
    assert_true(counts[0] > 0 && counts[1] > 0 && counts[2] > 0);
    assert_int_equal(counts[3], -7);
    replay_close(&r);
    dataset_close(d);
    snprintf(init, sizeof init, "%s/runs/base1", data_folder());
    data_check(train(data_file(path, "floor/set.yaml"), "weighed", init, NULL,
                     "epochs=1 class_weights=sqrt", 2, NULL));
}

static void old_data_that_cannot_be_made_anew_must_be_named(void **state)
{
    (void)state;
    char path[DATA_PATH];
    struct model m = {.card = (char *)"{\"data\": \"scannet\"}"};
    struct dataset *d = data_open(data_file(path, "set/set.yaml"), "inputs=xyz");
    assert_int_equal(replay_choose(path, sizeof path, d, &m), GLT_EDATA);
    assert_error("MISSING replay");
    m.card = (char *)"{\"data\": \"mine.yaml\", \"replay\": \"synth:rooms seed=9\"}";
    data_check(replay_choose(path, sizeof path, d, &m));
    assert_string_equal(path, "synth:rooms seed=9");
    data_check(replay_choose(path, sizeof path, d, NULL));
    assert_string_equal(path, "");
    d->replay = memory_string("none");
    data_check(replay_choose(path, sizeof path, d, &m));
    assert_string_equal(path, "");
    dataset_close(d);
}

/* Half the samples are old ones, spread over their clouds; few reviewed points come more often. */
static void shares_are_those_asked_for(void **state)
{
    (void)state;
    char path[DATA_PATH];
    static const double shares[] = {0.25, 0.5, 0.8};
    struct config c;
    data_config(&c, "points=256");
    struct dataset *d = data_open(data_file(path, "set/set.yaml"), "inputs=xyz validation=off");
    struct item_source reviewed, mixed;
    data_check(dataset_items(&reviewed, d, SPLIT_TRAIN));
    for (int i = 0; i < 3; i++) {
        struct replay r = {0};
        data_check(replay_open(&r, OLD, d, &c, 0));
        data_check(replay_mix(&mixed, &r, &reviewed, shares[i], 256));
        double samples[2] = {0};
        for (int32_t k = 0; k < mixed.count; k++)
            samples[k >= reviewed.count] +=
                floor(mixed.weight(mixed.user, k) * (double)mixed.points(mixed.user, k) / 256);
        assert_true(samples[0] >= REPLAY_SAMPLES - 1);
        assert_true(fabs(samples[1] / (samples[0] + samples[1]) - shares[i]) < 0.03);
        replay_close(&r);
    }
    dataset_close(d);
}

static void old_classes_are_matched_by_name(void **state)
{
    (void)state;
    char path[DATA_PATH];
    struct config c;
    struct replay r = {0};
    data_config(&c, "inputs=xyz");
    data_text("few/set.yaml", "path: ../set\ntrain: \"*.ply\"\ntruth: reviewed\n"
                              "names: [plant, wall, floor]\nignore: rest\n");
    struct dataset *d = data_open(data_file(path, "few/set.yaml"), "inputs=xyz validation=off");
    data_check(replay_open(&r, OLD, d, &c, 0));
    assert_int_equal(dataset_class_count(r.data), 3);
    int64_t seen[3] = {0};
    const struct item *x;
    data_check(dataset_take(&x, r.data, SPLIT_TRAIN, 0));
    for (int32_t i = 0; i < x->n; i++)
        if (x->labels[i] >= 0)
            seen[x->labels[i]]++;
    dataset_give(r.data, SPLIT_TRAIN, 0);
    assert_int_equal(seen[0], 0);
    assert_true(seen[1] > 0 && seen[2] > 0);
    replay_close(&r);
    dataset_close(d);
    data_text("none/set.yaml", "path: ../set\ntrain: \"*.ply\"\ntruth: reviewed\n"
                               "names: [plant]\nignore: rest\n");
    d = data_open(data_file(path, "none/set.yaml"), "inputs=xyz validation=off");
    assert_int_equal(replay_open(&r, OLD, d, &c, 0), GLT_EDATA);
    assert_error("CLASSES replay");
    dataset_close(d);
}

static void nothing_reviewed_is_nothing_to_learn_from(void **state)
{
    (void)state;
    char path[DATA_PATH], init[DATA_PATH];
    struct glt_cloud *c = make_scan(-1);
    data_check(format_write(c, data_file(path, "empty/scan.ply"), NULL));
    cloud_free(c);
    data_text("empty/set.yaml", "train: \"*.ply\"\ntruth: reviewed\nnames: [floor, wall]\n"
                                "ignore: rest\nreplay: none\n");
    snprintf(init, sizeof init, "%s/runs/base1", data_folder());
    assert_int_equal(
        train(data_file(path, "empty/set.yaml"), "empty", init, NULL, "epochs=1", 0, NULL),
        GLT_EDATA);
    assert_error("LABELS reviewed");
}

/* --- predictions --- */

static struct glt_model *load_base(void)
{
    char path[DATA_PATH];
    struct glt_model *m;
    snprintf(path, sizeof path, "%s/runs/base1", data_folder());
    data_check(glt_model_load(&m, path));
    return m;
}

static void a_prediction_keeps_reviewed_labels(void **state)
{
    (void)state;
    struct glt_model *m = load_base();
    struct glt_cloud *c = make_scan(4);
    uint8_t before[N], after[N], seen[N];
    float confidence[N];
    data_check(glt_cloud_get(c, "label", GLT_U8, before, 0));
    for (int round = 0; round < 2; round++) { /* a predicted cloud, too */
        data_check(glt_cloud_predict(c, m, NULL, NULL, NULL));
        data_check(glt_cloud_get(c, "label", GLT_U8, after, 0));
        data_check(glt_cloud_get(c, "reviewed", GLT_U8, seen, 0));
        data_check(glt_cloud_get(c, "confidence", GLT_F32, confidence, 0));
        int changed = 0;
        for (int i = 0; i < N; i++) {
            if (seen[i]) {
                assert_int_equal(after[i], before[i]);
                assert_true(confidence[i] == 1);
            }
            changed += !seen[i] && after[i] != before[i];
        }
        assert_true(changed > 0);
    }
    glt_cloud_free(c);
    glt_model_free(m);
}

static void a_reviewed_class_that_the_model_does_not_know_is_not_lost(void **state)
{
    (void)state;
    struct glt_model *m = load_base();
    struct glt_cloud *c = make_scan(4);
    data_check(glt_cloud_set_class(c, 7, "plant"));
    assert_int_equal(glt_cloud_predict(c, m, NULL, NULL, NULL), GLT_EMODEL);
    assert_error("CLASSES reviewed");
    glt_cloud_free(c);
    glt_model_free(m);
}

/* --- next --- */

static void reviewed_tiles_are_not_proposed_again(void **state)
{
    (void)state;
    struct glt_model *m = load_base();
    struct glt_cloud *c = make_scan(4.05);
    struct glt_tile tiles[20] = {{.size = sizeof *tiles}};
    int n = 20;
    data_check(glt_next(tiles, &n, m, (const struct glt_cloud *const *)&c, 1, NULL));
    assert_int_equal(n, 8); /* half of 4 x 4 tiles of 2 m */
    for (int i = 0; i < n; i++) {
        assert_true(tiles[i].low[0] > 3.9);
        assert_true(tiles[i].points > 50);
        assert_true(tiles[i].score > 0 && tiles[i].doubt > 0 && tiles[i].doubt <= 1);
        assert_true(tiles[i].votes >= 0 && tiles[i].votes <= 1);
        assert_true(tiles[i].auxiliary >= 0 && tiles[i].auxiliary <= 1);
        for (int k = 0; k < i; k++)
            assert_true(tiles[k].low[0] != tiles[i].low[0] || tiles[k].low[1] != tiles[i].low[1]);
    }
    glt_cloud_free(c);
    glt_model_free(m);
}

/* Every second of two equal scenes adds nothing: the first tiles are all different. */
static void equal_tiles_are_not_proposed_together(void **state)
{
    (void)state;
    struct glt_model *m = load_base();
    struct glt_cloud *c = make_scan(-1);
    const struct glt_cloud *both[] = {c, c};
    struct glt_tile tiles[16] = {{.size = sizeof *tiles}};
    int n = 16;
    data_check(glt_next(tiles, &n, m, both, 2, NULL));
    assert_int_equal(n, 16);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            assert_true(tiles[k].low[0] != tiles[i].low[0] || tiles[k].low[1] != tiles[i].low[1]);
    glt_cloud_free(c);
    glt_model_free(m);
}

static void tiles_do_not_depend_on_threads(void **state)
{
    (void)state;
    struct glt_model *m = load_base();
    struct glt_cloud *c = make_scan(1);
    struct glt_tile a[16] = {{.size = sizeof *a}}, b[16] = {{.size = sizeof *b}};
    int n = 16, k = 16;
    glt_threads_set(1);
    data_check(glt_next(a, &n, m, (const struct glt_cloud *const *)&c, 1, "passes=3"));
    glt_threads_set(3);
    data_check(glt_next(b, &k, m, (const struct glt_cloud *const *)&c, 1, "passes=3"));
    glt_threads_set(0);
    assert_int_equal(n, k);
    assert_memory_equal(a, b, (size_t)n * sizeof *a);
    glt_cloud_free(c);
    glt_model_free(m);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    struct glt_model *m = load_base(), *shapes;
    struct glt_cloud *c = make_scan(1), *bare;
    const struct glt_cloud *list = c;
    struct glt_tile tiles[2] = {{.size = sizeof *tiles}};
    int n = 0;
    assert_int_equal(glt_next(tiles, &n, m, &list, 1, NULL), GLT_EARGUMENT);
    assert_error("ARGUMENT n");
    n = 2;
    assert_int_equal(glt_next(tiles, &n, m, &list, 0, NULL), GLT_EARGUMENT);
    assert_error("ARGUMENT n_clouds");
    assert_int_equal(glt_next(tiles, &n, m, &list, 1, "passes=9"), GLT_EARGUMENT);
    assert_int_equal(n, 2);
    shapes = settings_glt_model("task=classify preset=tiny-cls", "", 3);
    assert_int_equal(glt_next(tiles, &n, shapes, &list, 1, NULL), GLT_EMODEL);
    assert_error("TASK");
    data_check(glt_cloud_select(&bare, c, (int64_t[]){0, 1, 2}, 3));
    data_check(glt_cloud_remove(bare, "red"));
    list = bare;
    assert_int_equal(glt_next(tiles, &n, m, &list, 1, NULL), GLT_EMODEL);
    tiles[0].size = 8;
    assert_int_equal(glt_next(tiles, &n, m, &list, 1, NULL), GLT_EARGUMENT);
    assert_error("ARGUMENT size");
    glt_cloud_free(bare);
    glt_cloud_free(c);
    glt_model_free(m);
    glt_model_free(shapes);
}

static void a_page_lists_the_tiles(void **state)
{
    (void)state;
    char path[DATA_PATH], *text;
    size_t len;
    struct glt_cloud *c = make_scan(1);
    const struct glt_cloud *list = c;
    struct glt_tile tiles[2] = {{.size = sizeof *tiles, .high = {2, 2, 2}, .points = 123456789},
                                {.low = {2, 0, 0}, .high = {4, 2, 2}}};
    struct glt_view_options o = {.size = sizeof o, .tiles = tiles, .n_tiles = 2};
    data_check(glt_view(&list, 1, data_file(path, "next.html"), &o));
    data_check(file_read_all(&text, &len, path, 1 << 26));
    assert_non_null(strstr(text, "\"points\":123456789"));
    memory_free(text);
    tiles[1].cloud = 1;
    assert_int_equal(glt_view(&list, 1, path, &o), GLT_EARGUMENT);
    assert_error("ARGUMENT tiles");
    tiles[1].cloud = 0;
    tiles[1].score = NAN;
    assert_int_equal(glt_view(&list, 1, path, &o), GLT_EARGUMENT);
    o.n_tiles = -1;
    assert_int_equal(glt_view(&list, 1, path, &o), GLT_EARGUMENT);
    assert_error("ARGUMENT n_tiles");
    glt_cloud_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_ends_with_a_comparison),
        cmocka_unit_test(a_comparison_counts_no_class_that_is_not_there),
        cmocka_unit_test(a_model_that_forgets_is_blended_with_the_old_one),
        cmocka_unit_test(a_blend_is_not_blended_again),
        cmocka_unit_test(a_stopped_run_resumes_with_its_old_data),
        cmocka_unit_test(models_of_other_networks_are_not_compared),
        cmocka_unit_test(a_run_does_not_resume_with_other_old_data),
        cmocka_unit_test(class_weights_count_old_data_of_more_classes),
        cmocka_unit_test(old_data_that_cannot_be_made_anew_must_be_named),
        cmocka_unit_test(shares_are_those_asked_for),
        cmocka_unit_test(old_classes_are_matched_by_name),
        cmocka_unit_test(nothing_reviewed_is_nothing_to_learn_from),
        cmocka_unit_test(a_prediction_keeps_reviewed_labels),
        cmocka_unit_test(a_reviewed_class_that_the_model_does_not_know_is_not_lost),
        cmocka_unit_test(reviewed_tiles_are_not_proposed_again),
        cmocka_unit_test(equal_tiles_are_not_proposed_together),
        cmocka_unit_test(tiles_do_not_depend_on_threads),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_page_lists_the_tiles),
    };
    return cmocka_run_group_tests(tests, make_base, NULL);
}
