/* Prediction of whole clouds: every point, any order, any threads, any format, and what is refused.
 * labels: quick threads */
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/random.h"
#include "errors.h"
#include "gelatto_tool.h"
#include "io_cloud.h"
#include "model/model.h"
#include "settings.h"
#include "synth/synth_rooms.h"
#include "task/predict.h"

#include <math.h>
#include <unistd.h>

static struct glt_model *make_model(const char *settings, int classes)
{
    return settings_glt_model("points=256 levels=128,64,16,8 width=8 stem=8 k=8 "
                              "decoder=16,16,12,12,8,8,8,8 head_hidden=8 cls_hidden=16",
                              settings, classes);
}

/* A room whose coordinates are whole numbers of 1/1024, so that LAS holds them exactly. */
static struct glt_cloud *make_room(int64_t points)
{
    struct glt_cloud *c = NULL;
    struct synth_rooms o = synth_rooms_default();
    static const char *const axes[] = {"x", "y", "z"};
    o.points = points;
    o.seed = 7;
    assert_int_equal(synth_rooms_cloud(&c, &o, 1, 0), 0);
    for (int k = 0; k < 3; k++) {
        float *x = cloud_attribute(c, axes[k])->data;
        for (int64_t i = 0; i < c->n; i++)
            x[i] = roundf(x[i] * 1024) / 1024;
    }
    return c;
}

static int32_t *labels_of(const struct glt_cloud *c)
{
    int32_t *labels = memory_alloc((size_t)c->n, sizeof *labels);
    assert_non_null(labels);
    assert_int_equal(cloud_attribute_as_i32(labels, c, "label"), 0);
    return labels;
}

static struct glt_cloud *predicted(const struct glt_cloud *c, const struct glt_model *m,
                                   const char *words)
{
    struct glt_cloud *copy = NULL;
    int64_t *rows = memory_alloc((size_t)c->n, sizeof *rows);
    for (int64_t i = 0; i < c->n; i++)
        rows[i] = i;
    assert_int_equal(cloud_select(&copy, c, rows, c->n), 0);
    memory_free(rows);
    int code = glt_cloud_predict(copy, m, words, NULL, NULL);
    if (code < 0)
        fail_msg("%s", glt_error_message());
    return copy;
}

static void every_point_gets_a_label(void **state)
{
    (void)state;
    struct glt_model *m = make_model("", 5);
    struct glt_cloud *room = make_room(4000), *c = NULL;
    ((float *)cloud_attribute(room, "y")->data)[17] = NAN;
    struct glt_prediction p = {.size = sizeof p};
    c = predicted(room, m, "probabilities second margin votes");
    assert_int_equal(c->n, room->n);
    int32_t *labels = labels_of(c);
    const float *confidence = cloud_attribute(c, "confidence")->data;
    const float *margin = cloud_attribute(c, "margin")->data;
    const uint8_t *second = cloud_attribute(c, "second")->data;
    const int32_t *votes = cloud_attribute(c, "votes")->data;
    const float *all[5];
    for (int k = 0; k < 5; k++) {
        char name[32];
        snprintf(name, sizeof name, "probability_class_%d", k);
        all[k] = cloud_attribute(c, name)->data;
    }
    for (int64_t i = 0; i < c->n; i++) {
        if (i == 17) {
            assert_int_equal(labels[i], -1);
            assert_int_equal(votes[i], 0);
            continue;
        }
        float sum = 0;
        for (int k = 0; k < 5; k++) {
            sum += all[k][i];
            assert_true(all[k][i] <= confidence[i]);
        }
        assert_true(fabsf(sum - 1) < 1e-4f);
        assert_true(labels[i] < 5 && second[i] < 5 && labels[i] != second[i]);
        assert_true(all[labels[i]][i] == confidence[i]);
        assert_true(fabsf(confidence[i] - all[second[i]][i] - margin[i]) < 1e-5f);
        assert_true(votes[i] >= 1);
    }
    /* the file's own labels stay, by name as far as the model knows them */
    assert_non_null(cloud_attribute(c, "truth"));
    assert_int_equal(((uint16_t *)cloud_attribute(c, "instance")->data)[5],
                     ((uint16_t *)cloud_attribute(room, "instance")->data)[5]);
    assert_int_equal(glt_cloud_predict(c, m, "overlap=2", &p, NULL), 0);
    assert_int_equal(p.points, c->n - 1);
    assert_true(p.samples >= 3);
    assert_int_equal(glt_cloud_predict(c, m, "overlap=2 protocol=paper", &p, NULL), 0);
    assert_true(p.samples >= 3 * ((c->n - 1) / 256));
    int named = 0;
    for (int32_t i = 0; i < c->n_comments; i++)
        named += !strcmp(c->comments[i], "gelatto protocol paper");
    assert_int_equal(named, 1);
    assert_int_equal(glt_cloud_predict(c, m, "protocol=own", &p, NULL), GLT_EARGUMENT);
    memory_free(labels);
    glt_cloud_free(c);
    glt_cloud_free(room);
    glt_model_free(m);
}

/* Numbers without names are classes if the model has as many, else nothing: none is taken for
 * another one. */
static void numbers_without_names_are_classes_if_as_many(void **state)
{
    (void)state;
    static const int32_t numbers[] = {0, 1, 2, 3, 4, 5, 255, 256, 257, 300, -1, -256, -252, 65536};
    enum { N = sizeof numbers / sizeof *numbers };
    struct glt_model *m = make_model("inputs=xyz", 5);
    struct glt_cloud *bare = made_cloud(20 * N, GLT_F32, 0, 3), *c = NULL;
    struct column *x = NULL;
    assert_int_equal(cloud_add_attribute(&x, bare, "label", GLT_I32), 0);
    for (int64_t i = 0; i < bare->n; i++)
        ((int32_t *)x->data)[i] = numbers[i % N];
    c = predicted(bare, m, "");
    const uint8_t *truth = cloud_attribute(c, "truth")->data;
    for (int64_t i = 0; i < c->n; i++) {
        int32_t was = numbers[i % N];
        assert_int_equal(truth[i], was >= 0 && was < 5 ? was : 255);
    }
    glt_cloud_free(c);
    glt_cloud_free(bare);
    glt_model_free(m);
}

/* Names are the same in any case of letters. */
static void names_are_the_same_in_any_case_of_letters(void **state)
{
    (void)state;
    struct glt_model *m = make_model("inputs=xyz", 3);
    struct glt_cloud *bare = made_cloud(60, GLT_F32, 0, 3), *c = NULL;
    struct column *x = NULL;
    assert_int_equal(cloud_add_comment(bare, "class 7 CLASS_2"), 0);
    assert_int_equal(cloud_add_comment(bare, "class 1 nothing of ours"), 0);
    assert_int_equal(cloud_add_attribute(&x, bare, "label", GLT_I32), 0);
    for (int64_t i = 0; i < bare->n; i++)
        ((int32_t *)x->data)[i] = i % 2 ? 7 : 1;
    c = predicted(bare, m, "");
    const uint8_t *truth = cloud_attribute(c, "truth")->data;
    for (int64_t i = 0; i < c->n; i++)
        assert_int_equal(truth[i], i % 2 ? 2 : 255);
    glt_cloud_free(c);
    glt_cloud_free(bare);
    glt_model_free(m);
}

static void assert_same_labels(const struct glt_cloud *a, const struct glt_cloud *b)
{
    int32_t *x = labels_of(a), *y = labels_of(b);
    assert_int_equal(a->n, b->n);
    assert_memory_equal(x, y, (size_t)a->n * sizeof *x);
    assert_memory_equal(cloud_attribute(a, "confidence")->data,
                        cloud_attribute(b, "confidence")->data, (size_t)a->n * sizeof(float));
    memory_free(x);
    memory_free(y);
}

static void labels_are_the_same_for_any_threads(void **state)
{
    (void)state;
    struct glt_model *m = make_model("", 5);
    struct glt_cloud *room = make_room(6000), *one, *more;
    static const char *const words[] = {"", "overlap=1"};
    for (int i = 0; i < 2; i++) {
        glt_threads_set(1);
        one = predicted(room, m, words[i]);
        glt_threads_set(3);
        more = predicted(room, m, words[i]);
        glt_threads_set(0);
        assert_same_labels(one, more);
        glt_cloud_free(one);
        glt_cloud_free(more);
    }
    glt_cloud_free(room);
    glt_model_free(m);
}

static void a_shuffled_cloud_gets_the_same_labels(void **state)
{
    (void)state;
    struct glt_model *m = make_model("", 5);
    struct glt_cloud *room = make_room(3000), *shuffled = NULL;
    int32_t *order = memory_alloc((size_t)room->n, sizeof *order);
    int64_t *rows = memory_alloc((size_t)room->n, sizeof *rows);
    struct random r = random_start(random_stream(1, 0, 0, RANDOM_TEST), 0);
    for (int32_t i = 0; i < room->n; i++)
        order[i] = i;
    random_shuffle(&r, order, (int32_t)room->n);
    for (int64_t i = 0; i < room->n; i++)
        rows[i] = order[i];
    assert_int_equal(cloud_select(&shuffled, room, rows, room->n), 0);
    struct glt_cloud *a = predicted(room, m, ""), *b = predicted(shuffled, m, "");
    int32_t *x = labels_of(a), *y = labels_of(b);
    int64_t differ = 0;
    for (int64_t i = 0; i < room->n; i++)
        differ += x[rows[i]] != y[i];
    assert_int_equal(differ, 0);
    memory_free(x);
    memory_free(y);
    memory_free(order);
    memory_free(rows);
    glt_cloud_free(a);
    glt_cloud_free(b);
    glt_cloud_free(shuffled);
    glt_cloud_free(room);
    glt_model_free(m);
}

static void labels_are_the_same_in_any_format(void **state)
{
    (void)state;
    static const char *const files[] = {"a.ply", "a.pcd", "a.las", "a.npy", "a.npz", "a.txt"};
    struct glt_model *m = make_model("", 5);
    struct glt_cloud *room = make_room(2000);
    cloud_remove_attribute(room, "label");
    struct glt_cloud *wanted = predicted(room, m, "");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct glt_cloud *read = NULL;
        assert_int_equal(glt_cloud_write(room, scratch(files[i]), NULL), 0);
        assert_int_equal(glt_cloud_read(&read, scratch(files[i]), NULL), 0);
        assert_int_equal(glt_cloud_predict(read, m, NULL, NULL, NULL), 0);
        assert_same_labels(wanted, read);
        glt_cloud_free(read);
    }
    glt_cloud_free(wanted);
    glt_cloud_free(room);
    glt_model_free(m);
}

/* The announced memory includes the network, so that it is enough. */
static void a_memory_limit_refuses_before_the_work_or_is_enough(void **state)
{
    (void)state;
    struct glt_model *m = make_model("width=96 stem=96 points=2000", 5);
    struct glt_cloud *room = make_room(2000);
    char enough[64];
    assert_int_equal(glt_cloud_predict(room, m, "max_memory=1", NULL, NULL), GLT_ELIMIT);
    int code = GLT_ELIMIT;
    for (long long bytes = 1 << 20; code == GLT_ELIMIT && bytes < 1LL << 40; bytes *= 2) {
        snprintf(enough, sizeof enough, "max_memory=%lld", bytes);
        code = glt_cloud_predict(room, m, enough, NULL, NULL);
    }
    assert_int_equal(code, 0);
    glt_cloud_free(room);
    glt_model_free(m);
}

static void wrong_clouds_and_arguments_are_refused(void **state)
{
    (void)state;
    struct glt_model *m = make_model("", 5), *plain = make_model("inputs=xyz", 5);
    struct glt_cloud *room = make_room(2000);
    assert_int_equal(glt_cloud_predict(room, m, "max_memory=1000000", NULL, NULL), GLT_ELIMIT);
    assert_error("MEMORY");
    assert_int_equal(glt_cloud_predict(room, m, "category=chair", NULL, NULL), GLT_EARGUMENT);
    assert_int_equal(glt_cloud_predict(room, m, "overlap=99", NULL, NULL), GLT_EARGUMENT);
    assert_int_equal(glt_cloud_predict(room, m, "max_memory=2000000000", NULL, NULL), 0);
    cloud_remove_attribute(room, "green");
    assert_int_equal(glt_cloud_predict(room, m, NULL, NULL, NULL), GLT_EMODEL);
    assert_error("INPUTS rgb");
    /* with a model installed that needs no colours, the message names it */
    char folder[256];
    snprintf(folder, sizeof folder, "%s", scratch("models"));
    assert_int_equal(file_make_folder(folder), 0);
    assert_int_equal(glt_model_save(plain, scratch("models/grey.safetensors"), NULL), 0);
    setenv("GELATTO_MODELS", folder, 1);
    assert_int_equal(glt_cloud_predict(room, m, NULL, NULL, NULL), GLT_EMODEL);
    assert_error("INPUTS rgb");
    glt_model_free(plain);
    plain = NULL;
    assert_int_equal(glt_model_load(&plain, "grey"), 0);
    assert_int_equal(glt_cloud_predict(room, plain, NULL, NULL, NULL), 0);
    glt_model_free(plain);
    plain = NULL;
    assert_int_equal(glt_model_load(&plain, "gray"), GLT_EIO);
    assert_error("NOT_FOUND model");
    assert_error_file("gray");
    unsetenv("GELATTO_MODELS");
    assert_int_equal(file_remove(scratch("models/grey.safetensors")), 0);
    assert_int_equal(rmdir(folder), 0);
    glt_cloud_free(room);
    glt_model_free(m);
}

static void shapes_are_predicted_whole(void **state)
{
    (void)state;
    struct glt_model *parts = make_model("task=parts", 6), *whole = make_model("task=classify", 4);
    struct glt_cloud *c = make_room(300);
    struct glt_prediction p = {.size = sizeof p};
    float probabilities[4], sum = 0;
    assert_int_equal(glt_cloud_predict(c, whole, NULL, &p, probabilities), 0);
    for (int k = 0; k < 4; k++) {
        sum += probabilities[k];
        assert_true(probabilities[k] <= p.confidence);
    }
    assert_true(fabsf(sum - 1) < 1e-5f && probabilities[p.label] == p.confidence);
    assert_null(cloud_attribute(c, "confidence"));

    assert_int_equal(glt_model_add_category(parts, "chair", 0, 2), 0);
    assert_int_equal(glt_model_add_category(parts, "lamp", 2, 4), 0);
    assert_int_equal(glt_cloud_predict(c, parts, "category=sofa", &p, NULL), GLT_EARGUMENT);
    assert_error("CATEGORY sofa");
    assert_int_equal(glt_cloud_predict(c, parts, "category=lamp", &p, NULL), 0);
    assert_int_equal(p.label, 1);
    int32_t *labels = labels_of(c);
    for (int64_t i = 0; i < c->n; i++)
        assert_true(labels[i] >= 2 && labels[i] < 6);
    assert_int_equal(glt_cloud_predict(c, parts, NULL, &p, NULL), 0);
    assert_true(p.label == 0 || p.label == 1);
    memory_free(labels);
    glt_cloud_free(c);
    glt_model_free(parts);
    glt_model_free(whole);
}

/* With cubes that hold one place each the network sees what it saw before; with larger ones every
 * point has the label of a point nearby. */
static void labels_of_a_thinned_cloud_are_carried_to_all_points(void **state)
{
    (void)state;
    struct glt_model *m = make_model("", 5);
    struct glt_cloud *room = make_room(4000);
    struct glt_prediction p = {.size = sizeof p}, all = {.size = sizeof all};
    struct glt_cloud *plain = predicted(room, m, ""), *fine = predicted(room, m, "spacing=1e-5");
    assert_same_labels(plain, fine);
    struct glt_cloud *coarse = predicted(room, m, "spacing=0.25");
    int32_t *labels = labels_of(coarse);
    const float *confidence = cloud_attribute(coarse, "confidence")->data;
    for (int64_t i = 0; i < coarse->n; i++)
        assert_true(labels[i] >= 0 && labels[i] < 5 && confidence[i] > 0);
    const char *words = "protocol=paper spacing=0.25 probabilities votes second margin";
    assert_int_equal(glt_cloud_predict(room, m, "protocol=paper", &all, NULL), 0);
    assert_int_equal(glt_cloud_predict(room, m, words, &p, NULL), 0);
    assert_int_equal(p.points, all.points);
    assert_true(p.samples < all.samples);
    memory_free(labels);
    glt_cloud_free(plain);
    glt_cloud_free(fine);
    glt_cloud_free(coarse);
    glt_cloud_free(room);
    glt_model_free(m);
}

static void a_spacing_applies_only_to_scenes(void **state)
{
    (void)state;
    struct glt_model *m = make_model("", 5), *parts = make_model("task=parts", 6);
    struct glt_cloud *room = make_room(300);
    assert_int_equal(glt_cloud_predict(room, parts, "spacing=0.1", NULL, NULL), GLT_EARGUMENT);
    assert_error("OPTION spacing");
    static const char *const wrong[] = {"spacing=-1", "spacing=1e-12", "spacing=nan", "spacing=x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(glt_cloud_predict(room, m, wrong[i], NULL, NULL), GLT_EARGUMENT);
    glt_cloud_free(room);
    glt_model_free(m);
    glt_model_free(parts);
}

static int stop(void *user, const char *activity, int64_t done, int64_t total)
{
    (void)activity;
    assert_true(done <= total);
    return ++*(int *)user == 3;
}

static void a_prediction_can_be_interrupted(void **state)
{
    (void)state;
    struct glt_model *m = make_model("", 5);
    struct glt_cloud *room = make_room(3000);
    int calls = 0;
    int32_t columns = room->n_columns;
    glt_progress_set(stop, &calls);
    assert_int_equal(glt_cloud_predict(room, m, NULL, NULL, NULL), GLT_EINTERRUPTED);
    glt_progress_set(NULL, NULL);
    assert_int_equal(room->n_columns, columns);
    glt_cloud_free(room);
    glt_model_free(m);
}

/* Every seventh allocation fails once: an engine makes many alike. */
static void allocations_may_fail(void **state)
{
    (void)state;
    struct glt_model *m = make_model("", 3);
    struct glt_cloud *room = make_room(60);
    int code = GLT_ENOMEM;
    glt_threads_set(1);
    for (int64_t nth = 1; code < 0; nth += 7) {
        struct glt_cloud *copy = NULL;
        int64_t rows[60], alive = memory_stats().bytes;
        for (int64_t i = 0; i < 60; i++)
            rows[i] = i;
        assert_int_equal(cloud_select(&copy, room, rows, 60), 0);
        memory_fail(nth, false);
        code = glt_cloud_predict(copy, m, nth % 2 ? "probabilities" : "spacing=0.1", NULL, NULL);
        memory_fail(0, false);
        glt_cloud_free(copy);
        assert_true(code == 0 || code == GLT_ENOMEM);
        assert_int_equal(memory_stats().bytes, alive);
    }
    glt_threads_set(0);
    glt_cloud_free(room);
    glt_model_free(m);
}

static int collect(void *user, const char *path, const char *under)
{
    (void)path;
    strcat(strcat(user, under), " ");
    return 0;
}

static void files_are_found_by_path_folder_and_pattern(void **state)
{
    (void)state;
    char folder[256], word[300], found[512] = "";
    struct glt_cloud *room = make_room(50);
    snprintf(folder, sizeof folder, "%s", scratch("clouds"));
    snprintf(word, sizeof word, "%s/deep", folder);
    assert_int_equal(file_make_folder(word), 0);
    assert_int_equal(glt_cloud_write(room, scratch("clouds/b.ply"), NULL), 0);
    assert_int_equal(glt_cloud_write(room, scratch("clouds/deep/a.las"), NULL), 0);
    assert_int_equal(file_append(scratch("clouds/readme.md"), "x", 1), 0);
    assert_int_equal(glt_cloud_files(folder, collect, found), 0);
    assert_string_equal(found, "b.ply deep/a.las ");
    found[0] = 0;
    snprintf(word, sizeof word, "%s/*.ply", folder);
    assert_int_equal(glt_cloud_files(word, collect, found), 0);
    assert_string_equal(found, "b.ply ");
    snprintf(word, sizeof word, "%s/*.pcd", folder);
    assert_int_equal(glt_cloud_files(word, collect, found), GLT_EDATA);
    snprintf(word, sizeof word, "%s/c.ply", folder);
    assert_int_equal(glt_cloud_files(word, collect, found), GLT_EIO);
    snprintf(word, sizeof word, "%s/./b.ply", folder);
    assert_true(glt_same_file(word, scratch("clouds/b.ply")));
    assert_false(glt_same_file(word, scratch("clouds/deep/a.las")));
    glt_cloud_free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_gets_a_label),
        cmocka_unit_test(numbers_without_names_are_classes_if_as_many),
        cmocka_unit_test(labels_are_the_same_for_any_threads),
        cmocka_unit_test(a_shuffled_cloud_gets_the_same_labels),
        cmocka_unit_test(labels_are_the_same_in_any_format),
        cmocka_unit_test(a_memory_limit_refuses_before_the_work_or_is_enough),
        cmocka_unit_test(wrong_clouds_and_arguments_are_refused),
        cmocka_unit_test(shapes_are_predicted_whole),
        cmocka_unit_test(labels_of_a_thinned_cloud_are_carried_to_all_points),
        cmocka_unit_test(a_spacing_applies_only_to_scenes),
        cmocka_unit_test(a_prediction_can_be_interrupted),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(files_are_found_by_path_folder_and_pattern),
        cmocka_unit_test(names_are_the_same_in_any_case_of_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
