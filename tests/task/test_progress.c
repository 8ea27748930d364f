/* A progress callback that asks to stop is not called again by the same call of the library,
 * whatever the number of threads; the next call asks it anew. labels: quick threads */
#include "data_folder.h"

#include "core/file.h"
#include "core/file_folder.h"

#include <time.h>

static int stop_at, calls, later;

/* The last call takes a while, so that other threads wait for their turn: they must not get it. */
static int count(void *user, const char *activity, int64_t done, int64_t total)
{
    (void)user, (void)activity, (void)done, (void)total;
    later += calls >= stop_at;
    if (++calls < stop_at)
        return 0;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    return 1;
}

static struct glt_config *settings(void)
{
    return settings_config(
        "points=256 block_min=64 levels=64,32,16,8 k=6 radius=0.3 stem=8 width=8 "
        "decoder=8 head_hidden=8 epochs=1 subset=2 batch=1",
        "");
}

static const char DATA[] = "synth:rooms rooms=1 points=900 seed=3";

static char runs[DATA_PATH], model_path[2 * DATA_PATH];

static int train(void)
{
    struct glt_config *c = settings();
    struct glt_train_options o = {.size = sizeof o, .runs = runs, .name = "stopped"};
    int code = glt_train(c, DATA, &o, NULL, NULL);
    glt_config_free(c);
    return code;
}

static int eval(void)
{
    char *report = NULL;
    struct glt_eval_options o = {.size = sizeof o, .seeds = 3};
    int code = glt_evaluate(&report, model_path, DATA, NULL, &o);
    glt_free(report);
    return code;
}

static int predict(void)
{
    struct glt_model *m = NULL;
    struct glt_cloud *c = NULL;
    char path[DATA_PATH];
    data_check(glt_model_load(&m, model_path));
    data_check(glt_cloud_read(&c, data_file(path, "room.ply"), NULL));
    int code = glt_cloud_predict(c, m, "overlap=1", NULL, NULL);
    glt_cloud_free(c);
    glt_model_free(m);
    return code;
}

static int synth(void)
{
    char path[DATA_PATH];
    return glt_synth_rooms(data_file(path, "made"), "rooms=1 points=500 replace");
}

static int render(void)
{
    struct glt_cloud *c = NULL;
    char path[DATA_PATH];
    data_check(glt_cloud_read(&c, data_file(path, "room.ply"), NULL));
    int code =
        glt_cloud_render(c, NULL, data_file(path, "turn.png"), "turntable=4 width=64 height=64");
    glt_cloud_free(c);
    return code;
}

/* Four folds; the callback of the training run asks too. */
static int kfold(void)
{
    struct glt_config *c = settings();
    char *report = NULL, path[DATA_PATH];
    own_folder_remove(data_file(path, "runs/kfold"));
    struct glt_series_options o = {.size = sizeof o, .runs = runs, .steps = 2};
    int code = glt_kfold(&report, c, DATA, &o, NULL, NULL);
    glt_free(report);
    glt_config_free(c);
    return code;
}

static int count_step(void *user, const struct glt_train_status *s)
{
    (void)s;
    return count(user, "", 0, 0);
}

static int train_steps(void)
{
    struct glt_config *c = settings();
    struct glt_train_options o = {.size = sizeof o, .runs = runs, .name = "steps"};
    int code = glt_train(c, DATA, &o, count_step, NULL);
    glt_config_free(c);
    return code;
}

static int make_model(void **state)
{
    (void)state;
    struct glt_config *c = settings();
    snprintf(runs, sizeof runs, "%s/runs", data_folder());
    snprintf(model_path, sizeof model_path, "%s/whole1/last.safetensors", runs);
    struct glt_train_options o = {.size = sizeof o, .runs = runs, .name = "whole", .steps = 1};
    data_check(glt_train(c, DATA, &o, NULL, NULL));
    glt_config_free(c);
    data_write_room("room.ply", 3000, 8, 8, 1); /* more tiles than threads */
    return 0;
}

static void a_callback_that_asked_to_stop_is_left_alone(void **state)
{
    (void)state;
    int (*const works[])(void) = {train, eval, predict, synth, render, kfold, train_steps};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            glt_threads_set(threads);
            int stopped = 0;
            for (stop_at = 1; stop_at < 5; stop_at++) {
                calls = later = 0;
                glt_progress_set(count, NULL);
                int code = works[i]();
                glt_progress_set(NULL, NULL);
                if (calls < stop_at) { /* it was done before */
                    data_check(code);
                    break;
                }
                assert_int_equal(code, GLT_EINTERRUPTED);
                if (later)
                    fail_msg("work %zu, %d threads: asked to stop in call %d, called %d times more",
                             i, threads, stop_at, later);
                stopped++;
            }
            assert_true(stopped > 0);
        }
}

static int cancel(void *user, const char *activity, int64_t done, int64_t total)
{
    (void)activity, (void)done, (void)total;
    glt_context_cancel(*(struct glt_context **)user);
    return 0;
}

static void a_run_that_is_cancelled_while_it_reads_takes_no_step(void **state)
{
    (void)state;
    struct glt_context *context = NULL;
    struct glt_context_options o = {
        .size = sizeof o, .progress = cancel, .progress_user = &context};
    assert_int_equal(glt_context_create(&context, &o), 0);
    glt_context_use(context);
    calls = 0;
    stop_at = 100;
    assert_int_equal(train_steps(), GLT_EINTERRUPTED);
    assert_int_equal(calls, 0);
    glt_context_use(NULL);
    glt_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callback_that_asked_to_stop_is_left_alone),
        cmocka_unit_test(a_run_that_is_cancelled_while_it_reads_takes_no_step),
    };
    return cmocka_run_group_tests(tests, make_model, NULL);
}
