/* Training and evaluation shared by ranks, here threads of one process: the bits of one rank, for
 * any number of ranks and threads; what ranks must have in common; ranks that fail.
 * labels: full nightly */
#include "data_folder.h"
#include "fake_ranks.h"
#include "run_files.h"

#include "core/file.h"
#include "core/memory.h"
#include "task/checkpoint.h"
#include "task/spread.h"
#include "tier.h"

#include <signal.h>
#include <sys/resource.h>

static const char ROOMS[] = "synth:rooms rooms=1 points=900 seed=3";
static const char SMALL[] =
    "points=256 block_min=64 levels=64,32,16,8 k=6 radius=0.3 stem=8 width=8,8,16,16 "
    "decoder=16,16,16,8,8,8,8,8 head_hidden=8 cls_hidden=8 lr=1e-3 schedule=cosine batch=1 "
    "accumulate=8 ";

/* A training run as all ranks start it. */
struct job {
    const char *settings, *data, *name;
    const char *resume; /* a run */
    int64_t steps, save;
    const char *other; /* settings of the last rank beside those */
    const char *other_data;
    int count;
    int64_t die;  /* the last rank, in this step; 0: none does */
    int64_t full; /* rank 0 cannot write from this step on; 0: it can */
    int64_t stop; /* the last rank is asked to, after this step; 0: never */
};

struct watch {
    const struct job *job;
    int rank;
};

/* The last step that each rank has finished, and that in which it died: for messages. */
static int64_t seen[FAKE_RANKS_MAX], died[FAKE_RANKS_MAX];

static int watch_step(void *user, const struct glt_train_status *s)
{
    const struct watch *w = user;
    const struct job *j = w->job;
    bool last = w->rank == j->count - 1;
    seen[w->rank] = s->step;
    if (last && j->die && s->step == j->die) {
        fake_ranks_die();
        died[w->rank] = s->step;
    }
    if (w->rank == 0 && j->full && s->step == j->full) {
        struct rlimit small = {512, RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    return last && j->stop && s->step == j->stop;
}

static int train_rank(int rank, void *user)
{
    const struct job *j = user;
    char runs[DATA_PATH], folder[2 * DATA_PATH], words[1024];
    bool last = rank == j->count - 1;
    snprintf(runs, sizeof runs, "%s/runs", data_folder());
    snprintf(folder, sizeof folder, "%s/%s", runs, j->resume ? j->resume : "");
    snprintf(words, sizeof words, "%s %s", j->settings, last && j->other ? j->other : "");
    struct glt_config *c = settings_config(SMALL, words);
    struct watch w = {j, rank};
    struct glt_train_options o = {.size = sizeof o,
                                  .runs = runs,
                                  .name = j->name,
                                  .steps = j->steps,
                                  .save = j->save ? j->save : 1000,
                                  .resume = j->resume ? folder : NULL};
    const char *data = last && j->other_data ? j->other_data : j->data;
    int code = glt_train(c, j->resume ? NULL : data, &o, watch_step, &w);
    glt_config_free(c);
    return code;
}

static struct fake_result results[FAKE_RANKS_MAX];

static void train(struct job j, int count, int threads)
{
    j.count = count;
    memset(seen, 0, sizeof seen);
    memset(died, 0, sizeof died);
    fake_ranks_run(results, count, threads, train_rank, &j);
}

static void assert_all(int count, int code)
{
    bool all = true;
    for (int i = 0; i < count; i++)
        all = all && results[i].code == code;
    for (int i = 0; i < count && !all; i++)
        print_error("rank %d: code %d, step %lld, died in %lld, %lld messages: %s\n", i,
                    results[i].code, (long long)seen[i], (long long)died[i],
                    (long long)results[i].messages, results[i].message);
    if (!all)
        fail_msg("the code of some rank is not %d", code);
}

static void train_well(struct job j, int count, int threads)
{
    train(j, count, threads);
    assert_all(count, 0);
}

/* Models, and what was validated. */
static void assert_same_run(const char *a, const char *b)
{
    assert_same_file(a, b, "last.safetensors");
    assert_same_file(a, b, "best.safetensors");
    assert_same_file(a, b, "confusion.csv");
}

/* --- the same bits --- */

static const char *shapes(const char *set)
{
    static char path[2 * DATA_PATH];
    char folder[DATA_PATH];
    snprintf(folder, sizeof folder, "%s/shapes", data_folder());
    if (!file_is_folder(folder))
        data_check(glt_synth_shapes(folder, "shapes=3 points=256 seed=5"));
    snprintf(path, sizeof path, "%s/%s", folder, set);
    return path;
}

/* One rank, then others with as many steps. */
static void check_ranks(const char *settings, const char *data, const char *name, int64_t steps,
                        int max)
{
    char one[64], run[96];
    struct job j = {.settings = settings, .data = data, .steps = steps};
    snprintf(one, sizeof one, "%s-one", name);
    j.name = one;
    train_well(j, 1, 1);
    snprintf(one, sizeof one, "%s-one1", name);
    for (int count = 2; count <= max; count *= 2)
        for (int threads = 1; threads <= 2; threads++) {
            snprintf(run, sizeof run, "%s-%d-%d-", name, count, threads);
            j.name = run;
            train_well(j, count, threads);
            strcat(run, "1");
            assert_same_run(one, run);
        }
}

static void any_number_of_ranks_gives_the_bits_of_one(void **state)
{
    (void)state;
    int64_t steps = tier_pick(3, 3, 50);
    int max = tier_pick(2, 2, 8);
    check_ranks("maps=bn", ROOMS, "bn", steps, tier_pick(4, 4, 8));
    check_ranks("maps=linear", ROOMS, "linear", steps, max);
    check_ranks("maps=bn task=parts inputs=xyz", shapes("shapes.yaml"), "parts", steps, max);
    check_ranks("maps=linear task=classify inputs=xyz", shapes("classes.yaml"), "classes", steps,
                max);
    if (tier_pick(0, 0, 1))
        check_ranks("maps=bn task=classify inputs=xyz", shapes("classes.yaml"), "classes-bn", steps,
                    max);
}

/* Six mini-batches: trees whose subtrees no rank has alone; the last step of an epoch has fewer. */
static void ranks_need_not_be_a_power_of_two(void **state)
{
    (void)state;
    struct job j = {.settings = "accumulate=6 maps=bn", .data = ROOMS, .name = "six-", .steps = 5};
    static const int counts[] = {1, 2, 3, 6};
    for (int i = 0; i < 4; i++)
        train_well(j, counts[i], 1);
    assert_same_run("six-1", "six-2");
    assert_same_run("six-1", "six-3");
    assert_same_run("six-1", "six-4");
}

static void a_run_resumes_with_another_number_of_ranks(void **state)
{
    (void)state;
    struct job j = {.settings = "maps=bn", .data = ROOMS, .name = "whole", .steps = 5};
    train_well(j, 1, 2);
    j.name = "moved";
    j.stop = 2;
    train(j, 4, 1);
    assert_all(4, GLT_EINTERRUPTED);
    assert_string_equal(results[0].topic, "STOPPED train");
    j.resume = "moved1"; /* it stands after step 3, in which the others heard of it */
    j.stop = 0;
    j.steps = 4;
    train_well(j, 2, 1);
    j.steps = 5;
    train_well(j, 1, 1);
    assert_same_run("whole1", "moved1");
}

/* --- evaluation and series --- */

struct evaluation {
    const char *model, *data;
    struct glt_eval_options options;
    bool other; /* the last rank scores another model */
    char *report[FAKE_RANKS_MAX];
};

static int evaluate_rank(int rank, void *user)
{
    struct evaluation *e = user;
    char model[DATA_PATH];
    snprintf(model, sizeof model, "%s/runs/%s/%s.safetensors", data_folder(), e->model,
             e->other && rank ? "best" : "last");
    return glt_evaluate(&e->report[rank], model, e->data, NULL, &e->options);
}

static void check_evaluation(const char *run, const char *data, double keep)
{
    struct evaluation one = {
        .model = run,
        .data = data,
        .options = {.size = sizeof one.options, .json = 1, .keep = keep, .seeds = 2}};
    struct evaluation many = one;
    fake_ranks_run(results, 1, 2, evaluate_rank, &one);
    assert_all(1, 0);
    for (int count = 2; count <= 3; count++) { /* there may be more ranks than clouds */
        fake_ranks_run(results, count, 1, evaluate_rank, &many);
        assert_all(count, 0);
        for (int i = 0; i < count; i++) {
            assert_string_equal(many.report[i], one.report[0]);
            glt_free(many.report[i]);
        }
    }
    glt_free(one.report[0]);
}

static void an_evaluation_shared_by_ranks_is_that_of_one(void **state)
{
    (void)state;
    struct job j = {.settings = "", .data = ROOMS, .name = "seg", .steps = 2};
    train_well(j, 1, 2);
    check_evaluation("seg1", ROOMS, 0);
    check_evaluation("seg1", ROOMS, 0.5);
    j = (struct job){.settings = "task=parts inputs=xyz",
                     .data = shapes("shapes.yaml"),
                     .name = "shapes",
                     .steps = 2};
    train_well(j, 2, 1);
    check_evaluation("shapes1", shapes("shapes.yaml"), 0);
    struct evaluation differ = {
        .model = "seg1", .data = ROOMS, .options = {.size = sizeof differ.options}, .other = true};
    j = (struct job){.settings = "", .data = ROOMS, .name = "seg", .resume = "seg1", .steps = 4};
    train_well(j, 1, 1); /* its best model is an earlier one, or has another record */
    fake_ranks_run(results, 2, 1, evaluate_rank, &differ);
    assert_all(2, GLT_EARGUMENT);
    assert_string_equal(results[1].topic, "RANKS model");
}

struct series {
    const char *name, *grid; /* no grid: folds */
    char *report[FAKE_RANKS_MAX];
};

static int series_rank(int rank, void *user)
{
    struct series *s = user;
    char runs[DATA_PATH];
    snprintf(runs, sizeof runs, "%s/runs", data_folder());
    struct glt_config *c = settings_config(SMALL, "accumulate=1");
    struct glt_series_options o = {.size = sizeof o, .runs = runs, .name = s->name, .steps = 1};
    int code = s->grid ? glt_ablate(&s->report[rank], c, ROOMS, s->grid, &o, NULL, NULL)
                       : glt_kfold(&s->report[rank], c, ROOMS, &o, NULL, NULL);
    glt_config_free(c);
    return code;
}

static void check_series(const char *name, const char *grid)
{
    char names[2][64];
    snprintf(names[0], sizeof names[0], "%s-one", name);
    snprintf(names[1], sizeof names[1], "%s-two", name);
    struct series one = {.name = names[0], .grid = grid}, two = {.name = names[1], .grid = grid};
    fake_ranks_run(results, 1, 1, series_rank, &one);
    assert_all(1, 0);
    fake_ranks_run(results, 2, 1, series_rank, &two);
    assert_all(2, 0);
    assert_string_equal(two.report[0], one.report[0]);
    assert_string_equal(two.report[1], "");
    glt_free(one.report[0]);
    glt_free(two.report[0]);
    glt_free(two.report[1]);
}

/* Whole runs are dealt to ranks; one of them prints the table. */
static void runs_of_a_series_are_shared_by_ranks(void **state)
{
    (void)state;
    char grid[DATA_PATH];
    data_text("grid.yaml", "title: Toy\ntask: segment\nseeds: 1\nset: {aux: 0.1}\nrows:\n"
                           "  - {name: both}\n  - {name: pool, set: {heads: pool}}\n");
    check_series("folds", NULL);
    check_series("rows", data_file(grid, "grid.yaml"));
}

/* --- refusals --- */

static void assert_topics(int count, int owner, const char *topic)
{
    char other[160];
    snprintf(other, sizeof other, "%s rank %d", topic, owner);
    for (int i = 0; i < count; i++)
        assert_string_equal(results[i].topic, i == owner ? topic : other);
}

static void ranks_that_do_not_divide_a_step_are_refused(void **state)
{
    (void)state;
    struct job j = {.settings = "accumulate=4", .data = ROOMS, .name = "three", .steps = 1};
    char path[DATA_PATH];
    train(j, 3, 1);
    assert_all(3, GLT_EARGUMENT);
    assert_topics(3, 0, "RANKS accumulate");
    assert_non_null(strstr(results[0].message, "1, 2, 4"));
    snprintf(path, sizeof path, "%s/runs/three1", data_folder());
    assert_false(file_exists(path)); /* what is refused leaves no folder */
}

static void other_options_or_data_on_a_rank_are_refused_by_name(void **state)
{
    (void)state;
    char path[DATA_PATH];
    struct job j = {.settings = "", .data = ROOMS, .name = "other", .steps = 1, .other = "lr=1e-2"};
    train(j, 2, 1);
    assert_all(2, GLT_EARGUMENT);
    assert_topics(2, 1, "RANKS lr");
    j.other = "threads=1"; /* decides nothing */
    j.other_data = "synth:rooms rooms=1 points=901 seed=3";
    train(j, 2, 1);
    assert_all(2, GLT_EDATA);
    assert_topics(2, 1, "RANKS data");
    j.other_data = "nowhere";
    train(j, 2, 1);
    assert_all(2, results[1].code);
    assert_true(results[1].code < 0);
    snprintf(path, sizeof path, "%s/runs/other1", data_folder());
    assert_false(file_exists(path));
}

/* Lines that ranks compare, as another build would write them. */
static int compare_rank(int rank, void *user)
{
    const char *name = user;
    struct string facts = {0};
    spread_add(&facts, "same", "1");
    spread_add(&facts, name, rank ? "one" : "another");
    spread_add(&facts, "later", rank ? "1" : "2");
    return spread_same(ranks_current(), &facts);
}

static void other_versions_on_a_rank_are_refused_by_name(void **state)
{
    (void)state;
    static char names[][8] = {"version", "kernels", "data", "steps", "weights"};
    static const int codes[] = {GLT_EUNSUPPORTED, GLT_EUNSUPPORTED, GLT_EDATA, GLT_EARGUMENT,
                                GLT_ENUMERIC};
    for (int i = 0; i < 5; i++) {
        char topic[64];
        fake_ranks_run(results, 3, 1, compare_rank, names[i]);
        assert_all(3, codes[i]);
        snprintf(topic, sizeof topic, "RANKS %s", names[i]);
        assert_string_equal(results[1].topic, topic);
        assert_true(!strncmp(results[0].topic, topic, strlen(topic)));
    }
}

/* --- failures --- */

static void a_rank_that_dies_stops_the_others(void **state)
{
    (void)state;
    struct job j = {.settings = "", .data = ROOMS, .name = "dies", .steps = 6, .save = 2, .die = 3};
    train(j, 4, 1);
    assert_all(4, GLT_EIO); /* the dead one learns of it too */
    for (int i = 0; i < 3; i++)
        assert_string_equal(results[i].topic, "RANKS lost");
    j.die = 0;
    j.resume = "dies1";
    train_well(j, 4, 1);
    j.resume = NULL;
    j.name = "lives";
    train_well(j, 2, 1);
    assert_same_run("lives1", "dies1");
}

/* Every rank drops the error of its exchange, but does not get away with it. */
static int settle_rank(int rank, void *user)
{
    struct ranks *r = ranks_current();
    int64_t x = 1;
    (void)user;
    ranks_begin(r);
    if (rank == 2)
        fake_ranks_die();
    (void)ranks_sum(r, &x, 1);
    return ranks_settle(r, 0);
}

static void no_rank_succeeds_once_one_is_lost(void **state)
{
    (void)state;
    fake_ranks_run(results, 3, 1, settle_rank, NULL);
    assert_all(3, GLT_EIO);
    for (int i = 0; i < 3; i++)
        assert_string_equal(results[i].topic, "RANKS lost");
}

static void a_full_disk_of_rank_0_stops_all(void **state)
{
    (void)state;
    struct rlimit before;
    struct job j = {
        .settings = "", .data = ROOMS, .name = "full", .steps = 6, .save = 2, .full = 3};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    train(j, 2, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_all(2, GLT_EIO);
    assert_true(!strncmp(results[0].topic, "CHECKPOINT", 10));
    assert_true(!strncmp(results[1].topic, "CHECKPOINT", 10));
    assert_non_null(strstr(results[1].message, "rank 0: "));
    j.full = 0;
    j.resume = "full1";
    train_well(j, 2, 1);
    j.resume = NULL;
    j.name = "room";
    train_well(j, 1, 1);
    assert_same_run("room1", "full1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_ranks_gives_the_bits_of_one),
        cmocka_unit_test(ranks_need_not_be_a_power_of_two),
        cmocka_unit_test(a_run_resumes_with_another_number_of_ranks),
        cmocka_unit_test(an_evaluation_shared_by_ranks_is_that_of_one),
        cmocka_unit_test(runs_of_a_series_are_shared_by_ranks),
        cmocka_unit_test(ranks_that_do_not_divide_a_step_are_refused),
        cmocka_unit_test(other_options_or_data_on_a_rank_are_refused_by_name),
        cmocka_unit_test(other_versions_on_a_rank_are_refused_by_name),
        cmocka_unit_test(a_rank_that_dies_stops_the_others),
        cmocka_unit_test(no_rank_succeeds_once_one_is_lost),
        cmocka_unit_test(a_full_disk_of_rank_0_stops_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
