/* Folds and ablations: a series that was stopped or killed in the middle and resumed gives the very
 * bytes of one that was not; what is finished is not run again; another question in the same folder
 * is refused; every shipped grid is sound.
 * labels: quick */
#include "data_folder.h"
#include "errors.h"

#include "core/file.h"
#include "core/file_folder.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "core/string.h"
#include "task/grid.h"
#include "task/series.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>

static const char DATA[] = "synth:rooms rooms=1 points=700 seed=3";
static const char GRID[] = "title: Toy\n"
                           "task: segment\n"
                           "seeds: 2\n"
                           "steps: 3\n"
                           "set: {aux: 0.1, k: 5}\n"
                           "rows:\n"
                           "  - {name: both heads, paper: {miou: 69.2}}\n"
                           "  - {name: pool, set: {heads: pool, k: 4}}\n";

static struct glt_config *settings(const char *more)
{
    return settings_config(
        "points=256 block_min=64 levels=64,32,16,8 radius=0.3 stem=8 "
        "width=8,8,8,8 decoder=8 head_hidden=8 epochs=1 lr=1e-3 subset=2 batch=1",
        more);
}

static char runs[DATA_PATH], grid[DATA_PATH];

/* Counts steps; stops, or dies, at one of them. */
struct watch {
    int64_t steps, stop, die;
};

static int on_step(void *user, const struct glt_train_status *s)
{
    struct watch *w = user;
    (void)s;
    w->steps++;
    if (w->steps == w->die)
        raise(SIGKILL);
    return w->steps == w->stop;
}

static int ablate(char **report, const char *name, const char *more, struct watch *w)
{
    struct glt_config *c = settings(more);
    struct glt_series_options o = {.size = sizeof o, .runs = runs, .name = name, .save = 1};
    int code = glt_ablate(report, c, DATA, grid, &o, on_step, w);
    glt_config_free(c);
    return code;
}

static int kfold_of(char **report, const char *data, const char *name, struct watch *w)
{
    struct glt_config *c = settings("");
    struct glt_series_options o = {
        .size = sizeof o, .runs = runs, .name = name, .steps = 2, .save = 1};
    int code = glt_kfold(report, c, data, &o, on_step, w);
    glt_config_free(c);
    return code;
}

/* Hours of training would come before the score. */
static void what_cannot_be_scored_is_refused_at_once(void **state)
{
    (void)state;
    char *report = NULL;
    struct watch w = {.steps = 0};
    struct glt_config *c = settings("validation=off");
    struct glt_series_options o = {.size = sizeof o, .runs = runs, .name = "empty", .split = "val"};
    assert_int_equal(glt_ablate(&report, c, DATA, grid, &o, on_step, &w), GLT_EDATA);
    assert_error("SPLIT val");
    assert_int_equal(glt_kfold(&report, c, DATA, &o, on_step, &w), GLT_EARGUMENT);
    assert_error("ARGUMENT split");
    assert_int_equal(w.steps, 0);
    assert_null(report);
    glt_config_free(c);
}

static int kfold(char **report, const char *name, struct watch *w)
{
    return kfold_of(report, DATA, name, w);
}

static char *whole; /* the table of the unbroken ablation */

static int setup(void **state)
{
    (void)state;
    struct watch w = {0};
    data_text("toy.yaml", GRID);
    data_file(grid, "toy.yaml");
    data_file(runs, "runs");
    glt_threads_set(1); /* a child of fork has no team of threads */
    data_check(ablate(&whole, "whole", "", &w));
    assert_int_equal(w.steps, 4 * 3);
    return 0;
}

static void a_finished_series_is_not_run_again(void **state)
{
    (void)state;
    struct watch again = {0};
    char *report = NULL, path[DATA_PATH], *text;
    size_t len;
    assert_non_null(strstr(whole, "| toy | runs | mIoU | paper | mAcc | OA |\n"));
    assert_non_null(strstr(whole, "| both heads | 2 | "));
    assert_non_null(strstr(whole, " | 69.2 | "));
    assert_non_null(strstr(whole, "±"));
    data_file(path, "runs/whole/table.md");
    data_check(file_read_all(&text, &len, path, 1 << 20));
    assert_string_equal(text, whole);
    memory_free(text);
    /* finished runs are found, not run */
    data_check(ablate(&report, "whole", "", &again));
    assert_int_equal(again.steps, 0);
    assert_string_equal(report, whole);
    glt_free(report);
    data_file(path, "runs/whole/pool-seed1/checkpoints");
    char **names;
    data_check(file_list(&names, &len, path));
    assert_int_equal(len, 0);
    file_free_names(names, len);
}

/* A curve over epochs and one over minutes for each row, by name. */
static void every_row_has_two_curves(void **state)
{
    (void)state;
    char path[DATA_PATH], *text;
    size_t len;
    int curves = 0;
    data_file(path, "runs/whole/curves.svg");
    data_check(file_read_all(&text, &len, path, 1 << 20));
    for (const char *at = text; (at = strstr(at, "<polyline")); at++)
        curves++;
    assert_int_equal(curves, 2 * 2);
    assert_non_null(strstr(text, ">both heads</text>"));
    assert_non_null(strstr(text, ">minutes</text>"));
    memory_free(text);
}

/* Mean and deviation of the JSON are those of its values. */
static void mean_and_deviation_are_those_of_the_values(void **state)
{
    (void)state;
    char path[DATA_PATH], *text;
    size_t len;
    struct json *all = NULL;
    data_file(path, "runs/whole/table.json");
    data_check(file_read_all(&text, &len, path, 1 << 20));
    data_check(json_parse(&all, "table", text, len));
    memory_free(text);
    struct json *miou = json_get(json_at(json_get(all, "rows"), 0), "miou");
    struct json *values = json_get(miou, "values");
    assert_int_equal(json_size(values), 2);
    double a = json_number_value(json_at(values, 0));
    double b = json_number_value(json_at(values, 1));
    double mean = json_number_value(json_get(miou, "mean"));
    double deviation = json_number_value(json_get(miou, "deviation"));
    assert_true(a > 0 && b > 0 && a != b); /* seeds change something */
    assert_true(fabs(mean - (a + b) / 2) < 1e-12);
    assert_true(fabs(deviation - fabs(a - b) / sqrt(2)) < 1e-12);
    assert_true(fabs(json_number_value(json_get(miou, "paper")) - 0.692) < 1e-12);
    json_free(all);
}

static void a_stopped_series_ends_the_same(void **state)
{
    (void)state;
    char *report = NULL;
    for (int64_t stop = 1; stop <= 11; stop += 5) {
        char name[32];
        struct watch w = {.stop = stop}, rest = {0};
        snprintf(name, sizeof name, "stop%d", (int)stop);
        assert_int_equal(ablate(&report, name, "", &w), GLT_EINTERRUPTED);
        assert_error("STOPPED series");
        data_check(ablate(&report, name, "", &rest));
        assert_int_equal(w.steps + rest.steps, 12);
        assert_string_equal(report, whole);
        glt_free(report);
    }
}

/* SIGKILL in another process, in the middle of the third run and once more in what is left. */
static void a_killed_series_ends_the_same(void **state)
{
    (void)state;
    char *report = NULL;
    for (int i = 0; i < 2; i++) {
        fflush(stdout);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct watch w = {.die = i ? 3 : 8};
            ablate(&report, "killed", "", &w);
            _exit(3); /* it must not come so far */
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    struct watch w = {0};
    data_check(ablate(&report, "killed", "", &w));
    assert_true(w.steps > 0 && w.steps <= 3);
    assert_string_equal(report, whole);
    glt_free(report);
}

/* Two processes at once: each run is trained by one of them, both have the whole table. */
static void two_processes_share_a_series(void **state)
{
    (void)state;
    char *report = NULL;
    struct watch w = {0};
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    int code = ablate(&report, "shared", "", &w);
    bool same = code == 0 && !strcmp(report, whole);
    if (child == 0)
        _exit(same ? (int)w.steps : 100);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(same && WIFEXITED(status));
    assert_int_equal(w.steps + WEXITSTATUS(status), 4 * 3);
    glt_free(report);
}

/* A row may have seeds of its own; those of the command line are for all. */
static void a_row_may_have_seeds_of_its_own(void **state)
{
    (void)state;
    char path[DATA_PATH], text[sizeof GRID + 16], *report = NULL;
    const char *row = strstr(GRID, "name: pool,");
    snprintf(text, sizeof text, "%.*sseeds: 1, %s", (int)(row - GRID), GRID, row);
    data_text("rows.yaml", text);
    struct glt_config *c = settings("");
    struct glt_series_options o = {.size = sizeof o, .runs = runs};
    struct watch w = {0};
    data_check(glt_ablate(&report, c, DATA, data_file(path, "rows.yaml"), &o, on_step, &w));
    assert_int_equal(w.steps, 3 * 3);
    assert_non_null(strstr(report, "| both heads | 2 | "));
    assert_non_null(strstr(report, "| pool | 1 | "));
    glt_free(report);
    o.seeds = 2;
    data_check(glt_ablate(&report, c, DATA, path, &o, on_step, &w));
    assert_int_equal(w.steps, 4 * 3);
    glt_free(report);
    glt_config_free(c);
}

static void another_question_in_the_same_folder_is_refused(void **state)
{
    (void)state;
    struct watch w = {0};
    char *report = NULL;
    assert_int_equal(ablate(&report, "whole", "lr=1e-2", &w), GLT_EEXISTS);
    assert_error("RESUME lr");
    assert_int_equal(ablate(&report, "other", "heads=latent", &w), GLT_EARGUMENT);
    assert_error("OPTION heads");
    struct glt_config *c;
    struct glt_series_options o = {.size = sizeof o, .runs = runs};
    data_check(glt_config_create(&c));
    assert_int_equal(glt_ablate(&report, c, "/nowhere", "heads", &o, NULL, NULL), GLT_EIO);
    assert_error("NOT_FOUND");
    assert_int_equal(glt_ablate(&report, c, DATA, "levels", &o, NULL, NULL), GLT_EDATA);
    assert_error("TASK");
    assert_int_equal(glt_ablate(&report, c, DATA, "aux-single", &o, NULL, NULL), GLT_EARGUMENT);
    assert_error("INIT init");
    assert_int_equal(glt_ablate(&report, c, DATA, "hats", &o, NULL, NULL), GLT_EIO);
    assert_error("NOT_FOUND hats");
    glt_config_free(c);
    assert_int_equal(w.steps, 0);
    assert_null(report);
}

/* asked.json keeps it: the runs of a series start from the same model, whatever its path becomes.
 */
static void the_model_to_start_from_is_known_by_its_content(void **state)
{
    (void)state;
    char path[DATA_PATH];
    struct glt_series_options o = {.size = sizeof o, .init = data_file(path, "init.safetensors")};
    char first[DIGEST_SIZE], second[DIGEST_SIZE];
    data_text("init.safetensors", "one");
    data_check(series_init(first, &o));
    data_text("init.safetensors", "two");
    data_check(series_init(second, &o));
    assert_string_not_equal(first, second);
    o.init = NULL;
    data_check(series_init(second, &o));
    assert_string_equal(second, "");
}

/* --- folds --- */

static int64_t count_of(const char *fold, int64_t *right)
{
    char name[64], path[DATA_PATH], *text;
    size_t len;
    int64_t all = 0;
    struct json *record = NULL;
    snprintf(name, sizeof name, "runs/folds/%s/score.json", fold);
    data_file(path, name);
    data_check(file_read_all(&text, &len, path, 1 << 20));
    data_check(json_parse(&record, "score", text, len));
    memory_free(text);
    struct json *rows = json_get(record, "confusion");
    for (size_t i = 0; i < json_size(rows); i++)
        for (size_t k = 0; k < json_size(rows); k++) {
            int64_t n = json_integer_value(json_at(json_at(rows, i), k));
            all += n;
            *right += i == k ? n : 0;
        }
    json_free(record);
    return all;
}

static void folds_are_pooled_and_averaged(void **state)
{
    (void)state;
    char *report = NULL, *again = NULL, line[64], fold[16];
    struct watch w = {0}, first = {.stop = 5}, rest = {0};
    data_check(kfold(&report, "folds", &w));
    assert_int_equal(w.steps, 6 * 2);
    int64_t all = 0, right = 0;
    for (int i = 1; i <= 6; i++) {
        snprintf(line, sizeof line, "Area %d (1 cloud)", i);
        assert_non_null(strstr(report, line));
        snprintf(fold, sizeof fold, "area%d", i);
        all += count_of(fold, &right);
    }
    assert_int_equal(all, 6 * 700);
    const char *pooled = strstr(report, "\npooled");
    double miou, macc, oa;
    assert_non_null(pooled);
    assert_int_equal(sscanf(pooled, " pooled %lf %lf %lf", &miou, &macc, &oa), 3);
    assert_true(fabs(oa - 100.0 * (double)right / (double)all) < 0.006);
    assert_non_null(strstr(report, "\naveraged"));
    assert_non_null(strstr(report, "\nclutter"));
    /* interrupted in the third fold */
    assert_int_equal(kfold(&again, "folds2", &first), GLT_EINTERRUPTED);
    data_check(kfold(&again, "folds2", &rest));
    assert_int_equal(first.steps + rest.steps, 12);
    assert_string_equal(report, again);
    glt_free(report);
    glt_free(again);
    static const char *const files[] = {"card.json", "card.md", "confusion.csv", "confusion.svg"};
    for (size_t i = 0; i < 4; i++) {
        char name[64], path[DATA_PATH];
        snprintf(name, sizeof name, "runs/folds/%s", files[i]);
        assert_true(file_exists(data_file(path, name)));
    }
    /* the square of what a file says is not taken before it is looked at */
    struct string many = {0};
    string_add(&many, "{\"confusion\":[0");
    for (int i = 0; i < 8000; i++)
        string_add(&many, ",0");
    string_add(&many, "]}");
    data_text("runs/folds/area3/score.json", many.bytes);
    string_free(&many);
    memory_peak_reset();
    int64_t before = memory_stats().bytes;
    assert_int_equal(kfold(&again, "folds", &rest), GLT_ELIMIT);
    assert_true(memory_stats().peak - before < 64 << 20);
}

/* The same path, but other clouds under it: what was scored before is not mixed with the new. */
static void other_data_in_the_same_folder_is_refused(void **state)
{
    (void)state;
    char *report = NULL, path[DATA_PATH];
    struct watch w = {0};
    for (int area = 1; area <= 2; area++) {
        char name[32];
        for (int room = 0; room < 2; room++) {
            snprintf(name, sizeof name, "areas/Area_%d/r%d.ply", area, room);
            data_write_room(name, 300, 2, 2, (uint32_t)(area + room));
        }
    }
    data_check(kfold_of(&report, data_file(path, "areas"), "areas", &w));
    glt_free(report);
    report = NULL;
    data_write_room("areas/Area_1/r0.ply", 300, 2, 2, 9);
    assert_int_equal(kfold_of(&report, path, "areas", &w), GLT_EEXISTS);
    assert_error("RESUME fingerprint");
    assert_null(report);
}

/* --- grids --- */

/* Adds what the grids of a folder of the sources have. */
static void check_grids(int *grids, int *rows, const char *under)
{
    const char *source = getenv("GELATTO_SOURCE");
    char folder[DATA_PATH], **names;
    size_t n;
    struct config none;
    config_default(&none);
    snprintf(folder, sizeof folder, "%s/%s", source ? source : ".", under);
    data_check(file_list(&names, &n, folder));
    for (size_t i = 0; i < n; i++) {
        char path[2 * DATA_PATH];
        struct grid g;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        data_check(grid_open(&g, path));
        assert_true(*g.data && *g.about && (*g.fetch || strcmp(under, "grids") != 0));
        for (int r = 0; r < g.n; r++) {
            struct config c;
            data_check(grid_config(&c, &g, &g.rows[r], &none));
            data_check(config_check(&c));
            assert_int_equal(c.task, g.task);
        }
        *rows += g.n;
        ++*grids;
        grid_close(&g);
    }
    file_free_names(names, n);
}

static void every_grid_is_sound(void **state)
{
    (void)state;
    int grids = 0, rows = 0;
    check_grids(&grids, &rows, "grids");
    assert_int_equal(grids, 7);
    assert_int_equal(rows, 6 + 24 + 6 + 4 + 4 + 2 + 5);
    check_grids(&grids, &rows, "results/grids");
    assert_true(grids > 7);
}

static void wrong_grids_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"rows: [{name: a}]\n", "MISSING title line 1"},
        {"title: x\n", "MISSING rows line 1"},
        {"title: x\nrows: []\n", "MISSING rows line 2"},
        {"title: x\nseed: 3\nrows: [{name: a}]\n", "UNKNOWN_OPTION seed line 2"},
        {"title: x\nrows:\n  - {name: a, sett: {k: 8}}\n", "UNKNOWN_OPTION sett line 3"},
        {"title: x\nrows:\n  - {name: a, set: {kk: 8}}\n", "UNKNOWN_OPTION kk line 3"},
        {"title: x\nrows:\n  - {name: a, set: {k: many}}\n", "OPTION k line 3"},
        {"title: x\nrows:\n  - {name: a}\n  - {name: a}\n", "DUPLICATE a line 4"},
        {"title: x\nrows:\n  - {name: a, paper: {speed: 8}}\n", "UNKNOWN_OPTION speed line 3"},
        {"title: x\nrows:\n  - {name: a, set: {features_per_head: 7}}\n",
         "OPTION features_per_head line 3"},
        {"title: x\ntask: sing\nrows: [{name: a}]\n", "VALUE task line 2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[DATA_PATH];
        struct grid g;
        data_text("bad.yaml", bad[i].text);
        assert_true(grid_open(&g, data_file(path, "bad.yaml")) < 0);
        assert_error(bad[i].message);
    }
}

static int teardown(void **state)
{
    (void)state;
    glt_free(whole);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_scored_is_refused_at_once),
        cmocka_unit_test(every_grid_is_sound),
        cmocka_unit_test(wrong_grids_are_refused),
        cmocka_unit_test(a_finished_series_is_not_run_again),
        cmocka_unit_test(every_row_has_two_curves),
        cmocka_unit_test(mean_and_deviation_are_those_of_the_values),
        cmocka_unit_test(a_stopped_series_ends_the_same),
        cmocka_unit_test(a_killed_series_ends_the_same),
        cmocka_unit_test(two_processes_share_a_series),
        cmocka_unit_test(a_row_may_have_seeds_of_its_own),
        cmocka_unit_test(another_question_in_the_same_folder_is_refused),
        cmocka_unit_test(the_model_to_start_from_is_known_by_its_content),
        cmocka_unit_test(folds_are_pooled_and_averaged),
        cmocka_unit_test(other_data_in_the_same_folder_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
