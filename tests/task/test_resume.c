/* A run that was stopped and resumed gives the bits of one that was not: at every place, with any
 * number of threads, with dropout, augmentation, random neighbours and loader threads on.
 * labels: quick nightly threads */
#include "data_folder.h"
#include "errors.h"
#include "run_files.h"

#include "config/config_yaml.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "task/checkpoint.h"
#include "task/run.h"
#include "task/schedule.h"
#include "tier.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

enum { STEPS = 12 };

/* Two of four training rooms, three samples each: 6 steps an epoch. */
static const char DATA[] = "synth:rooms rooms=1 points=900 seed=3";

static struct glt_config *settings(const char *more)
{
    return settings_config(
        "points=256 block_min=64 levels=64,32,16,8 k=6 radius=0.3 stem=8 width=8,8,16,16 "
        "decoder=16,16,16,8,8,8,8,8 head_hidden=8 epochs=2 lr=1e-3 schedule=cosine warmup=0.5 "
        "class_weights=sqrt subset=2 batch=1",
        more);
}

static int train(const char *name, const char *resume, int64_t steps, const char *more,
                 glt_train_fn *fn, void *user)
{
    char runs[DATA_PATH], folder[2 * DATA_PATH];
    struct glt_config *c = settings(more);
    snprintf(runs, sizeof runs, "%s/runs", data_folder());
    snprintf(folder, sizeof folder, "%s/%s", runs, resume ? resume : "");
    struct glt_train_options o = {.size = sizeof o,
                                  .runs = runs,
                                  .name = name,
                                  .steps = steps,
                                  .save = 1000,
                                  .resume = resume ? folder : NULL};
    int code = glt_train(c, resume ? NULL : DATA, &o, fn, user);
    glt_config_free(c);
    return code;
}

/* Everything a checkpoint holds but the time it took, and where it was asked to stop. */
static void assert_same_state(const char *a, const char *b, int64_t steps)
{
    const char *runs[] = {a, b};
    struct model *m[2];
    struct trainer *t[2];
    struct checkpoint *c = memory_alloc(2, sizeof *c);
    for (int i = 0; i < 2; i++) {
        char path[DATA_PATH], found[CHECKPOINT_PATH];
        snprintf(path, sizeof path, "%s/runs/%s/checkpoints", data_folder(), runs[i]);
        data_check(checkpoint_find(found, &m[i], &c[i], path));
        data_check(trainer_create(&t[i], m[i], 1, 64));
        data_check(checkpoint_moments(t[i], &c[i], found));
        assert_int_equal(c[i].steps, steps);
    }
    size_t bytes = (size_t)m[0]->size * sizeof(real);
    assert_int_equal(m[0]->size, m[1]->size);
    assert_memory_equal(m[0]->block, m[1]->block, bytes);
    assert_memory_equal(t[0]->m, t[1]->m, bytes);
    assert_memory_equal(t[0]->v, t[1]->v, bytes);
    assert_memory_equal(c[0].losses, c[1].losses, sizeof c[0].losses);
    assert_memory_equal(&c[0].metric, &c[1].metric, sizeof c[0].metric); /* may be NaN */
    assert_int_equal(c[0].scored, c[1].scored);
    assert_int_equal(c[0].validate, c[1].validate);
    assert_true(c[0].best == c[1].best);
    assert_int_equal(c[0].best_epoch, c[1].best_epoch);
    assert_int_equal(c[0].epoch, c[1].epoch);
    assert_int_equal(c[0].batch, c[1].batch);
    assert_string_equal(c[0].fingerprint, c[1].fingerprint);
    for (int i = 0; i < 2; i++) {
        trainer_free(t[i]);
        model_free(m[i]);
    }
    memory_free(c);
    assert_same_file(a, b, "last.safetensors");
    assert_same_file(a, b, "best.safetensors");
}

/* The run that no other is allowed to differ from. */
static int train_whole(void **state)
{
    (void)state;
    glt_threads_set(2);
    data_check(train("whole", NULL, 0, "", NULL, NULL));
    return 0;
}

static void a_whole_run_ends_after_its_steps(void **state)
{
    (void)state;
    assert_same_state("whole1", "whole1", STEPS);
}

static int stop_at(void *user, const struct glt_train_status *s)
{
    return s->step == *(int64_t *)user;
}

static void a_run_stopped_at_five_places_ends_the_same(void **state)
{
    (void)state;
    static const int64_t places[] = {1, 4, 6, 7, 11};
    for (int i = 0; i < 10; i++) {
        int64_t place = places[i / 2];
        char name[64], run[80];
        snprintf(name, sizeof name, "stop%d-", i);
        snprintf(run, sizeof run, "%s1", name);
        glt_threads_set(i % 2 ? 3 : 1);
        assert_int_equal(train(name, NULL, 0, "", stop_at, &place), GLT_EINTERRUPTED);
        assert_error("STOPPED train");
        glt_threads_set(i % 2 ? 1 : 3);
        data_check(train(NULL, run, 0, "", NULL, NULL));
        assert_same_state("whole1", run, STEPS);
    }
}

/* Steps of four mini-batches, of which an epoch has six: the last step of an epoch has two. */
static void a_run_with_steps_of_several_mini_batches_resumes(void **state)
{
    (void)state;
    int64_t places[] = {1, 2};
    size_t len;
    glt_threads_set(2);
    data_check(train("group", NULL, 0, "accumulate=4", NULL, NULL));
    for (int i = 0; i < 2; i++) {
        char name[32], run[40];
        snprintf(name, sizeof name, "group-stop%d-", i);
        snprintf(run, sizeof run, "%s1", name);
        glt_threads_set(1 + 2 * i);
        assert_int_equal(train(name, NULL, 0, "accumulate=4", stop_at, &places[i]),
                         GLT_EINTERRUPTED);
        data_check(train(NULL, run, 0, "", NULL, NULL));
        assert_same_state("group1", run, 4);
        assert_same_file("group1", run, "best.safetensors");
    }
    char *steps = read_run(&len, "group1", "metrics.jsonl");
    assert_null(strstr(steps, "\"step\":5"));
    memory_free(steps);
    assert_int_equal(train(NULL, "group1", 0, "accumulate=2", NULL, NULL), GLT_EARGUMENT);
    assert_error("RESUME accumulate");
}

/* A run that was to end after some steps still does when it is resumed; resumed from there, it
 * continues to the end of its epochs. */
static void a_resumed_run_keeps_its_end(void **state)
{
    (void)state;
    int64_t place = 2;
    glt_threads_set(2);
    assert_int_equal(train("end", NULL, 5, "", stop_at, &place), GLT_EINTERRUPTED);
    data_check(train(NULL, "end1", 0, "", NULL, NULL));
    assert_same_state("end1", "end1", 5);
    data_check(train(NULL, "end1", 0, "", NULL, NULL));
    assert_same_state("end1", "end1", STEPS);
    assert_same_file("whole1", "end1", "last.safetensors");
}

struct later {
    struct glt_context *context;
    long milliseconds;
};

static void *cancel_later(void *user)
{
    const struct later *x = user;
    nanosleep(&(struct timespec){.tv_nsec = x->milliseconds * 1000000}, NULL);
    glt_context_cancel(x->context);
    return NULL;
}

/* Wherever it is when another thread cancels it, within a step as a rule: that step is taken again.
 */
static void a_cancelled_run_resumes_to_the_same(void **state)
{
    (void)state;
    static const char LONG[] = "accumulate=2 epochs=50";
    data_check(train("steps", NULL, 40, LONG, NULL, NULL));
    for (int i = 0, resumed = 0; resumed < 4; i++) {
        char name[64], run[80], path[DATA_PATH];
        struct later x = {.milliseconds = 2 + 7 * i};
        pthread_t thread;
        bool any = false;
        snprintf(name, sizeof name, "cancel%d-", i);
        snprintf(run, sizeof run, "%s1", name);
        data_check(glt_context_create(&x.context, NULL));
        glt_context_use(x.context);
        assert_int_equal(pthread_create(&thread, NULL, cancel_later, &x), 0);
        int code = train(name, NULL, 0, LONG, NULL, NULL);
        pthread_join(thread, NULL);
        glt_context_use(NULL);
        glt_context_free(x.context);
        assert_int_equal(code, GLT_EINTERRUPTED);
        snprintf(path, sizeof path, "%s/runs/%s/checkpoints", data_folder(), run);
        if (checkpoint_any(&any, path) < 0 || !any)
            continue; /* it had not begun */
        print_message("cancelled after %ld ms\n", x.milliseconds);
        data_check(train(NULL, run, 40, LONG, NULL, NULL));
        assert_same_state("steps1", run, 40);
        resumed++;
    }
}

/* Nightly only: every step of 50, each with 1, 2, 3 and 8 threads before and others behind it. */
static void a_run_stopped_anywhere_ends_the_same(void **state)
{
    (void)state;
    enum { LONG = 50 };
    static const int threads[] = {1, 2, 3, 8};
    static const char more[] = "epochs=9";
    glt_threads_set(2);
    data_check(train("long", NULL, LONG, more, NULL, NULL));
    for (int i = 0; i < 4 * (LONG - 1); i++) {
        int64_t place = 1 + i / 4;
        char name[64], run[80], path[DATA_PATH];
        snprintf(name, sizeof name, "every%d-", i);
        snprintf(run, sizeof run, "%s1", name);
        glt_threads_set(threads[i % 4]);
        assert_int_equal(train(name, NULL, LONG, more, stop_at, &place), GLT_EINTERRUPTED);
        glt_threads_set(threads[(i + 1 + i / 4 % 3) % 4]);
        data_check(train(NULL, run, LONG, more, NULL, NULL));
        assert_same_state("long1", run, LONG);
        snprintf(path, sizeof path, "%s/runs/%s", data_folder(), run);
        own_folder_remove(path);
    }
    print_message("%d runs stopped and gone on with, all alike\n", 4 * (LONG - 1));
}

static void records_of_a_resumed_run_are_whole(void **state)
{
    (void)state;
    int64_t place = 4;
    size_t len;
    assert_int_equal(train("records", NULL, 0, "", stop_at, &place), GLT_EINTERRUPTED);
    data_check(train(NULL, "records1", 0, "", NULL, NULL));
    char *csv = read_run(&len, "records1", "results.csv");
    int lines = 0;
    for (char *p = csv; (p = strchr(p, '\n')); p++)
        lines++;
    assert_int_equal(lines, 3); /* the head and two epochs */
    memory_free(csv);
    char *steps = read_run(&len, "records1", "metrics.jsonl");
    lines = 0;
    for (char *p = steps; (p = strstr(p, "\"main\"")); p++)
        lines++;
    assert_int_equal(lines, STEPS);
    memory_free(steps);
    char path[DATA_PATH];
    struct config c;
    config_default(&c);
    snprintf(path, sizeof path, "%s/runs/whole1/config.yaml", data_folder());
    data_check(config_read(&c, path));
    assert_int_equal(c.network.stem, 8);
    assert_int_equal(c.training.schedule, SCHEDULE_COSINE);
}

static void other_options_are_refused(void **state)
{
    (void)state;
    int64_t place = 2;
    assert_int_equal(train("other", NULL, 0, "", stop_at, &place), GLT_EINTERRUPTED);
    assert_int_equal(train(NULL, "other1", 0, "lr=1e-2", NULL, NULL), GLT_EARGUMENT);
    assert_error("RESUME lr");
    assert_int_equal(train(NULL, "other1", 0, "stem=4", NULL, NULL), GLT_EARGUMENT);
    assert_error("INIT stem");
    assert_int_equal(train(NULL, "nowhere", 0, "", NULL, NULL), GLT_EIO);
    /* other data */
    char runs[DATA_PATH];
    snprintf(runs, sizeof runs, "%s/runs/other1", data_folder());
    struct glt_config *c = settings("");
    struct glt_train_options o = {.size = sizeof o, .resume = runs};
    assert_int_equal(glt_train(c, "synth:rooms rooms=1 points=901 seed=3", &o, NULL, NULL),
                     GLT_EDATA);
    assert_error("RESUME data");
    glt_config_free(c);
    /* a second trainer */
    struct run r;
    data_check(run_open(&r, runs));
    assert_int_equal(train(NULL, "other1", 0, "", NULL, NULL), GLT_EEXISTS);
    assert_error("LOCKED");
    run_close(&r);
    /* forced: another learning rate from here on */
    c = settings("lr=1e-2");
    o.force = 1;
    o.steps = 3;
    data_check(glt_train(c, NULL, &o, NULL, NULL));
    glt_config_free(c);
}

/* A forced run takes the epochs that are left, whatever the steps of the earlier ones. */
static void a_forced_run_takes_the_epochs_that_are_left(void **state)
{
    (void)state;
    static const char *const changes[] = {"batch=2", "subset=1"};
    for (int i = 0; i < 2; i++) {
        char name[32], run[DATA_PATH], found[CHECKPOINT_PATH];
        struct model *m;
        struct checkpoint *c = memory_alloc(1, sizeof *c);
        int64_t place = STEPS / 2 + 1; /* the first of the second epoch */
        snprintf(name, sizeof name, "left%d-", i);
        assert_int_equal(train(name, NULL, 0, "", stop_at, &place), GLT_EINTERRUPTED);
        snprintf(run, sizeof run, "%s/runs/%s1", data_folder(), name);
        struct glt_config *s = settings(changes[i]);
        struct glt_train_options o = {.size = sizeof o, .resume = run, .force = 1};
        data_check(glt_train(s, NULL, &o, NULL, NULL));
        glt_config_free(s);
        strcat(run, "/checkpoints");
        data_check(checkpoint_find(found, &m, c, run));
        assert_int_equal(c->epoch, 2);
        assert_int_equal(c->batch, 0);
        assert_int_equal(c->steps, STEPS / 2 + (i == 0 ? STEPS / 4 : STEPS));
        model_free(m);
        memory_free(c);
    }
}

/* The bounds of what a checkpoint stores. */
static void impossible_ends_are_refused(void **state)
{
    (void)state;
    const int64_t wrong[] = {-1, INT64_MAX};
    for (int i = 0; i < 6; i++) {
        struct glt_config *c = settings("");
        struct glt_train_options o = {.size = sizeof o, .name = "impossible"};
        *(i < 2 ? &o.steps : i < 4 ? &o.save : &o.validate) = wrong[i % 2];
        assert_int_equal(glt_train(c, DATA, &o, NULL, NULL), GLT_EARGUMENT);
        assert_error(i < 2 ? "ARGUMENT steps" : i < 4 ? "ARGUMENT save" : "ARGUMENT validate");
        glt_config_free(c);
    }
}

static char warned[1024];

static void listen(void *user, enum glt_log_level level, const char *message)
{
    (void)user, (void)message;
    if (level == GLT_LOG_WARNING)
        snprintf(warned + strlen(warned), sizeof warned - strlen(warned), "%s ", glt_log_name());
}

static void assert_option(const struct config *c, const char *key, const char *wanted)
{
    char text[256];
    data_check(config_get(c, key, text, sizeof text));
    assert_string_equal(text, wanted);
}

/* The network and the samples of the model, of what was given nothing is lost but a preset. */
/* A run that starts from a model holds out what that model held out. */
static void an_initial_model_decides_what_is_held_out(void **state)
{
    (void)state;
    char path[DATA_PATH], text[16];
    struct glt_model *m;
    data_check(train("seeded", NULL, 1, "seed=3 validation=on", NULL, NULL));
    snprintf(path, sizeof path, "%s/runs/seeded1/last.safetensors", data_folder());
    for (int given = 0; given < 2; given++) {
        char runs[DATA_PATH];
        struct glt_config *c = settings(given ? "seed=4" : "");
        snprintf(runs, sizeof runs, "%s/runs", data_folder());
        struct glt_train_options o = {.size = sizeof o,
                                      .runs = runs,
                                      .name = given ? "leaks" : "keeps",
                                      .init = path,
                                      .steps = 1};
        *warned = 0;
        glt_log_set(listen, NULL);
        data_check(glt_train(c, DATA, &o, NULL, NULL));
        glt_log_set(NULL, NULL);
        glt_config_free(c);
        assert_int_equal(strstr(warned, "seed ") != NULL, given);
        char best[2 * DATA_PATH];
        snprintf(best, sizeof best, "%s/%s1/last.safetensors", runs, o.name);
        data_check(glt_model_load(&m, best));
        data_check(glt_model_option(m, "seed", text, sizeof text));
        assert_string_equal(text, given ? "4" : "3");
        glt_model_free(m);
    }
    *warned = 0;
}

static void a_run_may_begin_with_the_weights_of_a_model(void **state)
{
    (void)state;
    char model[2 * DATA_PATH], runs[DATA_PATH], path[DATA_PATH];
    snprintf(runs, sizeof runs, "%s/runs", data_folder());
    snprintf(model, sizeof model, "%s/whole1/best.safetensors", runs);
    struct glt_config *c;
    struct config found;
    data_check(glt_config_create(&c));
    data_check(glt_config_set(c, "preset", "shapes"));
    data_check(glt_config_set(c, "block", "3"));
    struct glt_train_options o = {
        .size = sizeof o, .runs = runs, .name = "fine", .init = model, .steps = 1};
    glt_log_set(listen, NULL);
    data_check(glt_train(c, DATA, &o, NULL, NULL));
    glt_log_set(NULL, NULL);
    assert_string_equal(warned, "preset ");
    warned[0] = 0;
    config_default(&found);
    data_file(path, "runs/fine1/config.yaml");
    data_check(config_read(&found, path));
    assert_option(&found, "preset", "paper"); /* that a dataset of scenes gets */
    assert_option(&found, "points", "256");
    assert_option(&found, "block_min", "64");
    assert_option(&found, "block", "3");
    assert_option(&found, "stem", "8");
    assert_option(&found, "dropout", "0.5");
    /* the same folder, named, is resumed in spite of the preset that was not used */
    char folder[2 * DATA_PATH];
    snprintf(folder, sizeof folder, "%s/fine1", runs);
    struct glt_train_options again = {
        .size = sizeof again, .folder = folder, .init = model, .steps = 2};
    data_check(glt_train(c, DATA, &again, NULL, NULL));
    data_check(glt_config_set(c, "stem", "12"));
    assert_int_equal(glt_train(c, DATA, &o, NULL, NULL), GLT_EMODEL);
    assert_error("SHAPE stem.weight");
    glt_config_free(c);
}

/* The model knows what it has learned from: a cloud like those is taken in silence, the same in
 * millimetres is not. */
static void the_model_knows_what_it_has_learned_from(void **state)
{
    (void)state;
    static const char *const axes[] = {"x", "y", "z"};
    char path[DATA_PATH], rooms[DATA_PATH];
    struct glt_model *m;
    struct glt_cloud *c;
    data_file(path, "runs/whole1/last.safetensors");
    data_check(glt_model_load(&m, path));
    data_file(rooms, "rooms");
    data_check(glt_synth_rooms(rooms, "rooms=1 points=900 seed=7"));
    data_file(path, "rooms/Area_5/office_1.ply");
    data_check(glt_cloud_read(&c, path, NULL));
    glt_log_set(listen, NULL);
    data_check(glt_cloud_predict(c, m, NULL, NULL, NULL));
    assert_string_equal(warned, "");
    for (int k = 0; k < 3; k++) {
        float v[900];
        data_check(glt_cloud_get(c, axes[k], GLT_F32, v, 0));
        for (int i = 0; i < 900; i++)
            v[i] *= 1000;
        data_check(glt_cloud_set(c, axes[k], GLT_F32, v, 0));
    }
    data_check(glt_cloud_predict(c, m, NULL, NULL, NULL));
    glt_log_set(NULL, NULL);
    assert_string_equal(warned, "millimetres "); /* the density in metres is the model's */
    glt_cloud_free(c);
    glt_model_free(m);
}

/* Values so large that a norm overflows: the run stops, names the cloud and keeps the batch. */
static void a_run_that_is_not_finite_stops_and_names_the_cloud(void **state)
{
    (void)state;
    enum { POINTS = 64 };
    char text[64 * POINTS + 512], runs[DATA_PATH], yaml[DATA_PATH], dump[DATA_PATH];
    int len = snprintf(text, sizeof text,
                       "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float "
                       "y\nproperty float z\nproperty float intensity\nproperty uchar "
                       "label\nend_header\n",
                       POINTS);
    for (int i = 0; i < POINTS; i++)
        len += snprintf(text + len, sizeof text - (size_t)len, "%d.5 %d.25 0 %s %d\n", i % 8 - 4,
                        i / 8 - 4, i % 2 ? "3e38" : "-3e38", i % 2);
    data_text("bad/culprit.ply", text);
    data_text("bad/set.yaml", "train: [culprit.ply]\nnames: [one, two]\ntask: segment\n");
    snprintf(runs, sizeof runs, "%s/runs", data_folder());
    data_file(yaml, "bad/set.yaml");
    struct glt_config *c = settings("inputs=xyz,intensity validation=off block_min=1 subset=1");
    struct glt_train_options o = {.size = sizeof o, .runs = runs, .name = "bad"};
    int code = glt_train(c, yaml, &o, NULL, NULL);
    if (code != GLT_ENUMERIC)
        fail_msg("code %d: %s", code, glt_error_message());
    assert_error("VALUE statistic");
    data_file(dump, "runs/bad1/dump-step-00000001.safetensors");
    assert_true(file_exists(dump));
    glt_config_free(c);
}

static void the_schedule_gives_the_rates_it_should(void **state)
{
    (void)state;
    struct config c;
    config_default(&c);
    c.training.lr = 1;
    c.training.epochs = 10;
    assert_true(schedule_rate(&c, 0, 0, 4) == 1 && schedule_rate(&c, 9, 3, 4) == 1);
    c.training.warmup = 2;
    assert_true(fabs(schedule_rate(&c, 0, 0, 4) - 1.0 / 8) < 1e-12);
    assert_true(fabs(schedule_rate(&c, 1, 3, 4) - 1) < 1e-12);
    c.training.schedule = SCHEDULE_COSINE;
    assert_true(fabs(schedule_rate(&c, 6, 0, 4) - 0.5) < 1e-12);
    assert_true(schedule_rate(&c, 9, 3, 4) < 0.01);
    c.training.warmup = 0;
    c.training.schedule = SCHEDULE_ONECYCLE;
    assert_true(fabs(schedule_rate(&c, 0, 0, 4) - 0.04) < 1e-12);
    assert_true(fabs(schedule_rate(&c, 3, 0, 4) - 1) < 1e-12);
    assert_true(schedule_rate(&c, 9, 3, 4) < 0.01);
}

int main(void)
{
    if (tier() < TIER_NIGHTLY)
        cmocka_set_skip_filter("a_run_stopped_anywhere_ends_the_same");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schedule_gives_the_rates_it_should),
        cmocka_unit_test(a_whole_run_ends_after_its_steps),
        cmocka_unit_test(a_run_stopped_at_five_places_ends_the_same),
        cmocka_unit_test(a_run_with_steps_of_several_mini_batches_resumes),
        cmocka_unit_test(a_resumed_run_keeps_its_end),
        cmocka_unit_test(a_cancelled_run_resumes_to_the_same),
        cmocka_unit_test(a_run_stopped_anywhere_ends_the_same),
        cmocka_unit_test(records_of_a_resumed_run_are_whole),
        cmocka_unit_test(other_options_are_refused),
        cmocka_unit_test(a_forced_run_takes_the_epochs_that_are_left),
        cmocka_unit_test(an_initial_model_decides_what_is_held_out),
        cmocka_unit_test(impossible_ends_are_refused),
        cmocka_unit_test(a_run_may_begin_with_the_weights_of_a_model),
        cmocka_unit_test(the_model_knows_what_it_has_learned_from),
        cmocka_unit_test(a_run_that_is_not_finite_stops_and_names_the_cloud),
    };
    return cmocka_run_group_tests(tests, train_whole, NULL);
}
