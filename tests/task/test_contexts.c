/* Contexts of callers: four threads predict at once, each in a context of its own. One is cancelled
 * and ends alone; the others get the bits that a prediction by itself gets.
 * labels: quick threads */
#include "core/context.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "errors.h"
#include "io_cloud.h"
#include "model/model.h"
#include "settings.h"
#include "synth/synth_rooms.h"

#include <pthread.h>
#include <stdatomic.h>

enum { CALLERS = 4, POINTS = 3000 };

struct caller {
    const struct glt_model *model;
    struct glt_cloud *cloud;
    struct glt_context *context;
    pthread_barrier_t *start;
    bool cancel; /* at the first report of progress */
    int code;
    _Atomic int reports, logged;
};

static struct glt_cloud *make_room(void)
{
    struct glt_cloud *c = NULL;
    struct synth_rooms o = synth_rooms_default();
    o.points = POINTS;
    o.seed = 7;
    assert_int_equal(synth_rooms_cloud(&c, &o, 1, 0), 0);
    return c;
}

static struct glt_model *make_model(void)
{
    return settings_glt_model("points=256 levels=128,64,16,8 width=8 stem=8 k=8 "
                              "decoder=16,16,12,12,8,8,8,8 head_hidden=8",
                              "inputs=xyz,rgb", 13);
}

static int on_progress(void *user, const char *activity, int64_t done, int64_t total)
{
    struct caller *x = user;
    (void)activity, (void)done, (void)total;
    atomic_fetch_add(&x->reports, 1);
    if (x->cancel)
        glt_context_cancel(x->context);
    return 0;
}

static void on_log(void *user, enum glt_log_level level, const char *message)
{
    struct caller *x = user;
    (void)level, (void)message;
    atomic_fetch_add(&x->logged, 1);
}

static void create(struct caller *x, int threads)
{
    struct glt_context_options o = {.size = sizeof o,
                                    .threads = threads,
                                    .log = on_log,
                                    .log_user = x,
                                    .progress = on_progress,
                                    .progress_user = x};
    assert_int_equal(glt_context_create(&x->context, &o), 0);
}

static void *predict(void *user)
{
    struct caller *x = user;
    pthread_barrier_wait(x->start);
    glt_context_use(x->context);
    x->code = glt_cloud_predict(x->cloud, x->model, "overlap=1 votes", NULL, NULL);
    glt_context_use(NULL);
    return NULL;
}

static void one_of_four_predictions_is_cancelled_alone(void **state)
{
    (void)state;
    struct glt_model *m = make_model();
    struct glt_cloud *alone = make_room();
    struct caller callers[CALLERS] = {0};
    pthread_t threads[CALLERS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, CALLERS);
    assert_int_equal(glt_cloud_predict(alone, m, "overlap=1 votes", NULL, NULL), 0);
    for (int i = 0; i < CALLERS; i++) {
        struct caller *x = &callers[i];
        x->model = m;
        x->cloud = make_room();
        x->start = &start;
        x->cancel = i == 2;
        create(x, i % 2 + 1);
        assert_int_equal(pthread_create(&threads[i], NULL, predict, x), 0);
    }
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < CALLERS; i++) {
        struct caller *x = &callers[i];
        assert_int_equal(x->code, x->cancel ? GLT_EINTERRUPTED : 0);
        assert_true(atomic_load(&x->reports) > 0);
        if (x->cancel)
            assert_non_null(cloud_attribute(x->cloud, "label")); /* that it came with */
        else
            assert_same_cloud(alone, x->cloud);
        glt_cloud_free(x->cloud);
        glt_context_free(x->context);
    }
    pthread_barrier_destroy(&start);
    glt_cloud_free(alone);
    glt_model_free(m);
}

static void a_cancelled_context_stays_cancelled(void **state)
{
    (void)state;
    struct caller x = {.cloud = make_room(), .model = make_model()};
    create(&x, 1);
    glt_context_cancel(x.context);
    assert_null(glt_context_use(x.context));
    assert_int_equal(glt_cloud_predict(x.cloud, x.model, NULL, NULL, NULL), GLT_EINTERRUPTED);
    assert_error("STOPPED label points");
    assert_ptr_equal(glt_context_use(NULL), x.context);
    assert_int_equal(glt_cloud_predict(x.cloud, x.model, NULL, NULL, NULL), 0);
    glt_context_free(x.context);
    glt_cloud_free(x.cloud);
    glt_model_free((struct glt_model *)(uintptr_t)x.model);
}

static const int64_t BUDGET = (int64_t)1 << 32;

struct visitor {
    struct glt_context *other; /* that the callback works in for a moment */
    bool cancel;               /* the context of the work */
    _Atomic int visits, strays;
};

/* The work has limits of its own: max_memory of the call. They apply after the visit as before. */
static int visit(void *user, const char *activity, int64_t done, int64_t total)
{
    struct visitor *v = user;
    (void)activity, (void)done, (void)total;
    for (int i = 0; i < 2; i++) {
        struct glt_context *work = glt_context_use(v->other);
        atomic_fetch_add(&v->strays, atomic_load(&context_current()->memory_budget) != 0);
        if (v->cancel)
            glt_context_cancel(work);
        glt_context_use(work);
        atomic_fetch_add(&v->strays, atomic_load(&context_current()->memory_budget) != BUDGET);
    }
    atomic_fetch_add(&v->visits, 1);
    return 0;
}

static int predict_with_visits(struct visitor *v, struct glt_context *c)
{
    char words[64];
    struct glt_cloud *room = make_room();
    struct glt_model *m = make_model();
    snprintf(words, sizeof words, "max_memory=%lld", (long long)BUDGET);
    glt_context_use(c);
    int code = glt_cloud_predict(room, m, words, NULL, NULL);
    assert_ptr_equal(glt_context_use(NULL), c);
    assert_true(atomic_load(&v->visits) > 0);
    assert_int_equal(atomic_load(&v->strays), 0);
    glt_cloud_free(room);
    glt_model_free(m);
    return code;
}

static void a_callback_goes_back_to_the_context_of_the_work(void **state)
{
    (void)state;
    struct visitor v = {0};
    struct glt_context *c = NULL;
    struct glt_context_options o = {
        .size = sizeof o, .threads = 2, .progress = visit, .progress_user = &v};
    assert_int_equal(glt_context_create(&v.other, NULL), 0);
    assert_int_equal(glt_context_create(&c, &o), 0);
    assert_int_equal(predict_with_visits(&v, c), 0);
    v.cancel = true;
    assert_int_equal(predict_with_visits(&v, c), GLT_EINTERRUPTED);
    assert_error("STOPPED label points");
    glt_context_free(c);
    glt_progress_set(visit, &v); /* the default context cannot be cancelled */
    assert_int_equal(predict_with_visits(&v, NULL), 0);
    glt_progress_set(NULL, NULL);
    glt_context_free(v.other);
}

static void what_a_context_does_not_say_the_defaults_say(void **state)
{
    (void)state;
    struct glt_context *c = NULL;
    struct glt_context_options o = {.size = sizeof o, .memory_limit = 1 << 20};
    assert_int_equal(glt_threads_set(3), 0);
    assert_int_equal(glt_context_create(&c, &o), 0);
    glt_context_use(c);
    assert_int_equal(parallel_threads(), 3);
    assert_null(memory_alloc(2 << 20, 1));
    assert_error("MEMORY");
    glt_context_use(NULL);
    void *block = memory_alloc(2 << 20, 1);
    assert_non_null(block);
    memory_free(block);
    glt_context_free(c);
    assert_int_equal(glt_threads_set(0), 0);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    struct glt_context *c = NULL;
    struct glt_context_options o = {.threads = 1};
    assert_int_equal(glt_context_create(&c, &o), GLT_EARGUMENT);
    assert_error("ARGUMENT size");
    o = (struct glt_context_options){.size = sizeof o, .threads = -1};
    assert_int_equal(glt_context_create(&c, &o), GLT_EARGUMENT);
    assert_error("OPTION threads");
    o = (struct glt_context_options){.size = sizeof o, .memory_limit = -1};
    assert_int_equal(glt_context_create(&c, &o), GLT_EARGUMENT);
    assert_null(c);
    assert_int_equal(glt_context_create(&c, NULL), 0);
    glt_context_free(c);
    glt_context_free(NULL);
    glt_context_cancel(NULL);
    assert_int_equal(memory_stats().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_four_predictions_is_cancelled_alone),
        cmocka_unit_test(a_cancelled_context_stays_cancelled),
        cmocka_unit_test(a_callback_goes_back_to_the_context_of_the_work),
        cmocka_unit_test(what_a_context_does_not_say_the_defaults_say),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
