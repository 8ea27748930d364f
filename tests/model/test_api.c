/* The public face of models: arrays in, labels out; training on arrays; files; threads.
 * labels: quick threads */
#include "core/memory.h"
#include "core/random.h"
#include "errors.h"
#include "faults.h"
#include "own_file.h"
#include "settings.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { POINTS = 300, CLASSES = 4 };

static float xyz[POINTS * 3], rgb[POINTS * 3];
static int32_t truth[POINTS];

/* The points: four quarters of a square, each of its own height and colour. */
static int set_up(void **state)
{
    struct random r = random_start(random_stream(3, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < POINTS; i++) {
        float x = (float)random_uniform(&r), y = (float)random_uniform(&r);
        truth[i] = (x > 0.5f) + 2 * (y > 0.5f);
        float at[3] = {x, y, 0.2f * (float)truth[i]};
        for (int k = 0; k < 3; k++) {
            xyz[3 * i + k] = at[k];
            rgb[3 * i + k] = k == truth[i] ? 1 : 0.2f;
        }
    }
    return path_make(state);
}

static struct glt_points points_of(int channels)
{
    return (struct glt_points){.size = sizeof(struct glt_points),
                               .n = POINTS,
                               .xyz = xyz,
                               .type = GLT_F32,
                               .channels = channels,
                               .features = channels ? rgb : NULL,
                               .labels = truth};
}

static struct glt_model *new_model(const char *settings)
{
    return settings_glt_model(
        "levels=128,64,32,16 width=16,16,32,32 stem=8 k=8 radius=0.2 "
        "decoder=32,32,32,32,16,16,16,16 head_hidden=16 cls_hidden=16 lr=0.01",
        settings, CLASSES);
}

static void names_and_categories_come_back_from_a_file(void **state)
{
    (void)state;
    struct glt_model *m = new_model(""), *copy = NULL;
    const char *name;
    unsigned char colour[3];
    int first, count;
    char text[64];
    assert_int_equal(glt_model_classes(m), CLASSES);
    assert_int_equal(glt_model_channels(m), 3);
    assert_true(glt_model_parameters(m) > 10000);
    assert_int_equal(glt_model_set_class(m, 2, "chair", (const unsigned char *)"\1\2\3"), 0);
    assert_int_equal(glt_model_set_class(m, 4, "chair", NULL), GLT_EARGUMENT);
    assert_int_equal(glt_model_set_class(m, 2, "ch\tair", NULL), GLT_EARGUMENT);
    assert_int_equal(glt_model_class(m, 2, &name, NULL), 0);
    assert_int_equal(glt_model_set_class(m, 2, name, NULL), 0); /* its own */
    assert_int_equal(glt_model_set_class(m, 2, NULL, (const unsigned char *)"\1\2\3"), 0);
    assert_int_equal(glt_model_add_category(m, "x", INT_MAX, INT_MAX), GLT_EARGUMENT);
    assert_int_equal(glt_model_create(&copy, NULL, 3), GLT_EARGUMENT);
    assert_int_equal(glt_model_load(&copy, NULL), GLT_EARGUMENT);
    assert_int_equal(glt_model_add_category(m, "Chair", 0, 3), 0);
    assert_int_equal(glt_model_add_category(m, "Lamp", 3, 1), 0);
    assert_int_equal(glt_model_add_category(m, "Sofa", 3, 2), GLT_EARGUMENT);
    assert_int_equal(glt_model_add_category(m, "", 3, 1), GLT_EARGUMENT);
    assert_int_equal(glt_model_save(m, path, "double"), GLT_EARGUMENT);
    assert_int_equal(glt_model_save(m, path, NULL), 0);
    assert_int_equal(glt_model_load(&copy, path), 0);
    assert_int_equal(glt_model_class(copy, 2, &name, colour), 0);
    assert_string_equal(name, "chair");
    assert_memory_equal(colour, "\1\2\3", 3);
    assert_int_equal(glt_model_class(copy, -1, &name, colour), GLT_EARGUMENT);
    assert_int_equal(glt_model_category(copy, 1, &name, &first, &count), 0);
    assert_string_equal(name, "Lamp");
    assert_true(first == 3 && count == 1);
    assert_int_equal(glt_model_category(copy, 2, &name, &first, &count), GLT_EARGUMENT);
    assert_int_equal(glt_model_option(copy, "width", text, sizeof text), 0);
    assert_string_equal(text, "16,16,32,32");
    glt_model_free(copy);
    glt_model_free(m);
}

/* What a model refuses when it is loaded, it refuses when it is made. */
static void a_model_that_is_saved_can_be_loaded(void **state)
{
    (void)state;
    struct glt_model *again,
        *m = settings_glt_model("levels=32,16,8,4 width=8 stem=8 decoder=8", "task=parts", 2);
    void *bytes;
    size_t len;
    assert_int_equal(glt_model_add_category(m, "a", 0, 1), 0);
    assert_int_equal(glt_model_add_category(m, "b", 1, 1), 0);
    assert_int_equal(glt_model_add_category(m, "c", 0, 2), GLT_EARGUMENT);
    assert_error("CATEGORY");
    assert_int_equal(glt_model_note(m, "use", ""), 0); /* there is no card to remove it from */
    assert_int_equal(glt_model_save_buffer(&bytes, &len, m, NULL), 0);
    assert_int_equal(glt_model_load_buffer(&again, bytes, len), 0);
    glt_model_free(again);
    glt_free(bytes);
    glt_model_free(m);
}

/* The path comes whole or not at all, of a file and of an installed model. */
static void assert_path(const char *name, const char *wanted)
{
    char text[128];
    for (size_t size = 0; size <= strlen(wanted); size++) {
        strcpy(text, "as it was");
        assert_int_equal(glt_model_path(text, size, name), GLT_EARGUMENT);
        assert_string_equal(text, "as it was");
    }
    assert_int_equal(glt_model_path(text, strlen(wanted) + 1, name), 0);
    assert_string_equal(text, wanted);
}

static void a_model_is_found_by_path_or_by_name(void **state)
{
    (void)state;
    char file[300];
    struct glt_model *m = new_model("");
    snprintf(file, sizeof file, "%s/mine.v2.safetensors", own_folder());
    assert_int_equal(glt_model_save(m, file, NULL), 0);
    glt_model_free(m);
    assert_path(file, file);
    assert_int_equal(setenv("GELATTO_MODELS", own_folder(), 1), 0);
    assert_path("mine.v2", file);
    assert_int_equal(unsetenv("GELATTO_MODELS"), 0);
}

/* Coordinates of any origin: float, double, and double far out give the same labels. */
static void an_origin_far_away_changes_nothing(void **state)
{
    (void)state;
    struct glt_model *m = new_model("");
    static double far_out[POINTS * 3];
    static float p[POINTS * CLASSES], q[POINTS * CLASSES];
    int32_t labels[POINTS];
    for (int i = 0; i < POINTS * 3; i++)
        xyz[i] = (float)(round(xyz[i] * 1024) / 1024); /* so that adding the origin is exact */
    for (int i = 0; i < POINTS * 3; i++)
        far_out[i] = xyz[i] + (i % 3 == 2 ? 512 : 4194304.5);
    struct glt_points a = points_of(3), b = points_of(3);
    b.xyz = far_out;
    b.type = GLT_F64;
    assert_int_equal(glt_model_predict(m, &a, labels, p), 0);
    assert_int_equal(glt_model_predict(m, &b, NULL, q), 0);
    assert_memory_equal(p, q, sizeof p);
    for (int i = 0; i < POINTS; i++) {
        double sum = 0;
        for (int c = 0; c < CLASSES; c++) {
            sum += p[i * CLASSES + c];
            assert_true(p[i * CLASSES + c] <= p[i * CLASSES + labels[i]]);
        }
        assert_float_equal(sum, 1, 1e-5);
    }
    a.placed = 1; /* now as they are: not from the middle */
    assert_int_equal(glt_model_predict(m, &a, NULL, q), 0);
    assert_memory_not_equal(p, q, sizeof p);
    glt_model_free(m);
}

static void shapes_of_any_size_get_the_same_class(void **state)
{
    (void)state;
    static float grown[POINTS * 3];
    float p[CLASSES], q[CLASSES];
    int32_t label = -1;
    for (int i = 0; i < POINTS * 3; i++)
        grown[i] = 4 * xyz[i];
    struct glt_model *m = new_model("task=classify inputs=xyz");
    struct glt_points a = points_of(0), b = points_of(0);
    b.xyz = grown;
    assert_int_equal(glt_model_predict(m, &a, &label, p), 0);
    assert_int_equal(glt_model_predict(m, &b, NULL, q), 0);
    assert_in_range(label, 0, CLASSES - 1);
    for (int c = 0; c < CLASSES; c++)
        assert_float_equal(p[c], q[c], 1e-4);
    glt_model_free(m);
    m = new_model("task=classify inputs=xyz normalise=none");
    assert_int_equal(glt_model_predict(m, &a, NULL, p), 0);
    assert_int_equal(glt_model_predict(m, &b, NULL, q), 0);
    assert_memory_not_equal(p, q, sizeof p);
    glt_model_free(m);
}

static void categories_have_their_parts(void **state)
{
    (void)state;
    struct glt_model *m = new_model("task=parts");
    static float p[POINTS * CLASSES];
    int32_t labels[POINTS];
    assert_int_equal(glt_model_add_category(m, "mug", 1, 2), 0);
    struct glt_points a = points_of(3);
    a.category = "mug";
    assert_int_equal(glt_model_predict(m, &a, labels, p), 0);
    for (int i = 0; i < POINTS; i++) {
        assert_in_range(labels[i], 1, 2);
        assert_true(p[i * CLASSES] == 0 && p[i * CLASSES + 3] == 0);
        assert_float_equal(p[i * CLASSES + 1] + p[i * CLASSES + 2], 1, 1e-6);
    }
    a.category = "jug";
    assert_int_equal(glt_model_predict(m, &a, labels, p), GLT_EARGUMENT);
    assert_error("CATEGORY jug");
    a.category = "MUG";
    assert_int_equal(glt_model_predict(m, &a, labels, NULL), 0);
    assert_in_range(labels[0], 1, 2);
    assert_int_equal(glt_model_add_category(m, "mug", 0, 1), GLT_EARGUMENT);
    assert_int_equal(glt_model_add_category(m, "Mug", 0, 1), GLT_EARGUMENT);
    assert_error("DUPLICATE");
    assert_int_equal(glt_model_category(m, 1, NULL, NULL, NULL), GLT_EARGUMENT);
    assert_int_equal(glt_model_add_category(m, "jug", 0, 1), 0);
    glt_model_free(m);
}

/* A category means the same to every function: the labels to learn from are its parts, and a
 * network that labels none has no use for it. */
static void a_category_means_the_same_to_every_function(void **state)
{
    (void)state;
    static const char *const tasks[] = {"task=parts", "task=segment", "task=classify"};
    int32_t labels[POINTS], predicted[POINTS];
    for (int k = 0; k < 3; k++) {
        struct glt_model *m = new_model(tasks[k]);
        struct glt_trainer *t = NULL;
        struct glt_cloud *c = NULL;
        struct glt_points a = points_of(3);
        int wanted = k ? GLT_EARGUMENT : 0;
        assert_int_equal(glt_model_add_category(m, "mug", 2, 2), 0);
        assert_int_equal(glt_trainer_create(&t, m, 1, POINTS), 0);
        assert_int_equal(glt_cloud_create(&c, POINTS), 0);
        for (int i = 0; i < POINTS; i++)
            labels[i] = i % 3 ? 2 + i % 2 : -1;
        labels[0] = 2;
        a.labels = labels;
        a.category = "Mug";
        assert_int_equal(glt_model_predict(m, &a, predicted, NULL), wanted);
        char trace[300]; /* there is a model at `path`, which a trace does not replace */
        snprintf(trace, sizeof trace, "%s/trace.safetensors", own_folder());
        assert_int_equal(glt_model_explain(m, &a, trace), wanted);
        assert_int_equal(glt_trainer_step(t, &a, 1, 0, NULL), wanted);
        if (k) {
            assert_error("CATEGORY Mug");
            assert_int_equal(glt_cloud_predict(c, m, "category=Mug", NULL, NULL), wanted);
        }
        labels[0] = 1;
        assert_int_equal(glt_trainer_step(t, &a, 1, 0, NULL), GLT_EARGUMENT);
        if (!k)
            assert_error("LABELS point 0");
        a.category = NULL;
        assert_int_equal(glt_trainer_step(t, &a, 1, 0, NULL), 0);
        glt_cloud_free(c);
        glt_trainer_free(t);
        glt_model_free(m);
    }
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    struct glt_model *m = new_model("");
    struct glt_trainer *t = NULL;
    struct glt_predictor *e = NULL;
    int32_t labels[POINTS], bad[POINTS];
    labels[0] = -7;
    struct glt_points a = points_of(3), b = points_of(0), c = points_of(3), d = points_of(3);
    assert_int_equal(glt_model_predict(m, &b, labels, NULL), GLT_EMODEL);
    assert_error("INPUTS inputs");
    a.channels = 4;
    assert_int_equal(glt_model_predict(m, &a, labels, NULL), GLT_EMODEL);
    a = points_of(3);
    a.type = GLT_I32;
    assert_int_equal(glt_model_predict(m, &a, labels, NULL), GLT_EARGUMENT);
    a.type = GLT_F32;
    a.n = 0;
    assert_int_equal(glt_model_predict(m, &a, labels, NULL), GLT_EARGUMENT);
    float old = xyz[31];
    xyz[31] = NAN;
    assert_int_equal(glt_model_predict(m, &c, labels, NULL), GLT_EARGUMENT);
    assert_error("COORDINATES point 10");
    xyz[31] = old;
    old = rgb[3];
    rgb[3] = INFINITY;
    assert_int_equal(glt_model_predict(m, &c, labels, NULL), GLT_EARGUMENT);
    assert_int_equal(glt_trainer_create(&t, m, 1, POINTS), 0);
    assert_int_equal(glt_trainer_step(t, &c, 1, 0, NULL), GLT_EARGUMENT);
    rgb[3] = 255;
    assert_int_equal(glt_model_predict(m, &c, labels, NULL), GLT_EARGUMENT);
    assert_error("VALUE features point 1");
    assert_error("VALUE features point 1");
    assert_int_equal(glt_trainer_step(t, &c, 1, 0, NULL), GLT_EARGUMENT);
    rgb[3] = old;
    assert_int_equal(labels[0], -7); /* untouched so far */
    memcpy(bad, truth, sizeof bad);
    bad[7] = CLASSES;
    d.labels = bad;
    assert_int_equal(glt_trainer_step(t, &d, 1, 0, NULL), GLT_EARGUMENT);
    assert_error("LABELS point 7");
    d.labels = NULL;
    assert_int_equal(glt_trainer_step(t, &d, 1, 0, NULL), GLT_EARGUMENT);
    assert_int_equal(glt_trainer_step(t, &c, 2, 0, NULL), GLT_EARGUMENT);
    assert_int_equal(glt_trainer_step(t, &c, 1, NAN, NULL), GLT_EARGUMENT);
    assert_int_equal(glt_trainer_step(t, &c, 1, -1, NULL), GLT_EARGUMENT);
    assert_int_equal(glt_trainer_step(t, &c, 1, INFINITY, NULL), GLT_EARGUMENT);
    glt_trainer_free(t);
    assert_int_equal(glt_trainer_create(&t, m, 1, POINTS - 1), 0);
    assert_int_equal(glt_trainer_step(t, &c, 1, 0, NULL), GLT_ELIMIT);
    glt_trainer_free(t);
    t = NULL;
    assert_int_equal(glt_trainer_create(&t, m, 0, 1), GLT_EARGUMENT);
    assert_int_equal(glt_predictor_create(&e, m, 0), GLT_EARGUMENT);
    assert_null(t);
    glt_model_free(m);
}

static double accuracy(const struct glt_model *m)
{
    int32_t labels[POINTS];
    int right = 0;
    struct glt_points p = points_of(3);
    assert_int_equal(glt_model_predict(m, &p, labels, NULL), 0);
    for (int i = 0; i < POINTS; i++)
        right += labels[i] == truth[i];
    return (double)right / POINTS;
}

static void training_on_arrays_learns(void **state)
{
    (void)state;
    struct glt_model *m = new_model("bn_momentum=0.5");
    struct glt_trainer *t = NULL;
    double losses[6], start = 0;
    struct glt_points clouds[2] = {points_of(3), points_of(3)};
    clouds[1].n = POINTS / 2; /* clouds may differ in size */
    assert_int_equal(glt_trainer_create(&t, m, 2, POINTS), 0);
    int64_t requests = 0;
    for (int step = 0; step < 30; step++) {
        assert_int_equal(glt_trainer_step(t, clouds, 2, 0, losses), 0);
        if (step == 0) {
            start = losses[0];
            requests = memory_stats().requests;
        }
        double sum = losses[1];
        for (int i = 2; i < 6; i++)
            sum += 0.4 * losses[i];
        assert_float_equal(sum, losses[0], 1e-9 * sum);
    }
    assert_int_equal(memory_stats().requests, requests); /* nothing taken after the first step */
    assert_true(losses[0] < 0.6 * start);
    assert_true(accuracy(m) > 0.9);
    glt_trainer_free(t);
    glt_model_free(m);
}

struct job {
    const struct glt_model *model;
    struct glt_predictor *lent;
    float p[POINTS * CLASSES];
    int code;
};

static void *predict(void *user)
{
    struct job *j = user;
    struct glt_points p = points_of(3);
    for (int i = 0; i < 3 && j->code == 0; i++)
        j->code = j->lent ? glt_predictor_run(j->lent, &p, NULL, j->p)
                          : glt_model_predict(j->model, &p, NULL, j->p);
    return NULL;
}

static void several_threads_may_use_one_model(void **state)
{
    (void)state;
    enum { JOBS = 4 };
    struct glt_model *m = new_model("");
    static struct job jobs[JOBS];
    pthread_t threads[JOBS];
    for (int i = 0; i < JOBS; i++) {
        jobs[i].model = m;
        if (i % 2)
            assert_int_equal(glt_predictor_create(&jobs[i].lent, m, POINTS), 0);
    }
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, predict, &jobs[i]), 0);
    for (int i = 0; i < JOBS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].code, 0);
        assert_memory_equal(jobs[i].p, jobs[0].p, sizeof jobs[0].p);
        glt_predictor_free(jobs[i].lent);
    }
    glt_model_free(m);
}

static int predict_once(void *m)
{
    struct glt_points p = points_of(3);
    int32_t labels[POINTS];
    return glt_model_predict(m, &p, labels, NULL);
}

static int train_once(void *m)
{
    struct glt_points p = points_of(3);
    struct glt_trainer *t = NULL;
    int code = glt_trainer_create(&t, m, 1, POINTS);
    if (code == 0)
        code = glt_trainer_step(t, &p, 1, 1e-9, NULL);
    glt_trainer_free(t);
    return code;
}

/* Each in turn would be thousands of plans: one in 16, and the first and last few. */
static void fail_some(faults_fn *fn, void *user)
{
    int64_t before = memory_stats().requests, alive = memory_stats().bytes;
    assert_int_equal(fn(user), 0);
    int64_t all = memory_stats().requests - before;
    for (int64_t nth = 1; nth <= all; nth += nth < 8 || nth > all - 24 ? 1 : all / 16) {
        memory_fail(nth, false);
        int code = fn(user);
        memory_fail(0, false);
        faults_check(code, GLT_ENOMEM, alive, "allocation", nth);
        assert_int_equal(code, GLT_ENOMEM);
    }
}

static void every_allocation_of_the_interface_may_fail(void **state)
{
    (void)state;
    struct glt_model *m = new_model("");
    glt_threads_set(1);
    fail_some(predict_once, m);
    fail_some(train_once, m);
    glt_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_categories_come_back_from_a_file),
        cmocka_unit_test(an_origin_far_away_changes_nothing),
        cmocka_unit_test(shapes_of_any_size_get_the_same_class),
        cmocka_unit_test(categories_have_their_parts),
        cmocka_unit_test(a_model_that_is_saved_can_be_loaded),
        cmocka_unit_test(a_model_is_found_by_path_or_by_name),
        cmocka_unit_test(a_category_means_the_same_to_every_function),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(training_on_arrays_learns),
        cmocka_unit_test(several_threads_may_use_one_model),
        cmocka_unit_test(every_allocation_of_the_interface_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
