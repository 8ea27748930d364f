/* Ablations: every row of a grid (grid.h) trained with every seed, and a table of mean and spread
 * beside the paper's numbers.
 *
 * Seeds are the outer loop, so that a whole table stands after the first one. The spread is the
 * standard deviation of the sample. The table tells scores only: it is the same to the byte however
 * often the work was interrupted. */
#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/string.h"
#include "datasets/dataset.h"
#include "task/ablate_draw.h"
#include "task/defaults.h"
#include "task/grid.h"
#include "task/score.h"
#include "task/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct ablation {
    struct grid grid;
    struct glt_series_options options;
    const struct config *given;
    const char *data;
    glt_train_fn *fn;
    void *user;
    char folder[SERIES_PATH];
    char fingerprint[DIGEST_SIZE]; /* of the data, as the first row sees it */
    int64_t seeds;                 /* of the row that has most */
    double *values;                /* (rows, seeds, GRID_METRICS); NaN: not run yet */
    bool val;                      /* the split that scored, for want of a test split perhaps */
};

static double *value_at(const struct ablation *a, int row, int64_t seed)
{
    return a->values + (row * a->seeds + seed) * GRID_METRICS;
}

static int64_t seeds_of(const struct ablation *a, int row)
{
    return a->options.seeds ? a->options.seeds : a->grid.rows[row].seeds;
}

/* --- before the first run --- */

/* What to do about data that is not there, or is something else. */
static int check_data(struct ablation *a)
{
    struct config c;
    struct dataset *d = NULL;
    TRY(grid_config(&c, &a->grid, &a->grid.rows[0], a->given));
    int code = dataset_open(&d, a->data, &c);
    if (code < 0 && code != GLT_EARGUMENT && *a->grid.data) {
        char reason[512];
        snprintf(reason, sizeof reason, "%s", glt_error_message());
        return error_set(code, "%s; the grid %s is meant for %s%s%s", reason, a->grid.name,
                         a->grid.data, *a->grid.fetch ? ": " : "", a->grid.fetch);
    }
    TRY(code);
    int32_t task = d->task;
    code = dataset_fingerprint(a->fingerprint, d);
    dataset_close(d);
    if (code < 0 || task == a->grid.task)
        return code;
    return error_set(GLT_EDATA, "%s is for task = %s, the grid %s for %s", a->data, task_name(task),
                     a->grid.name, task_name(a->grid.task));
}

static int prepare(struct ablation *a, const char *grid)
{
    TRY(grid_open(&a->grid, grid));
    const struct grid *g = &a->grid;
    if (g->init && !a->options.init)
        return error_set(GLT_EARGUMENT,
                         "every run of the grid %s begins with a trained model: give --init MODEL",
                         g->name);
    struct config c;
    for (int i = 0; i < g->n; i++) { /* no row fails after hours that could have failed at once */
        TRY(grid_config(&c, g, &g->rows[i], a->given));
        TRY(config_check(&c));
    }
    TRY(check_data(a));
    for (int i = 0; i < g->n; i++)
        a->seeds = seeds_of(a, i) > a->seeds ? seeds_of(a, i) : a->seeds;
    if (!a->options.steps)
        a->options.steps = g->steps;
    size_t n = (size_t)g->n * (size_t)a->seeds * GRID_METRICS;
    a->values = memory_alloc(n, sizeof *a->values);
    if (!a->values)
        return GLT_ENOMEM;
    for (size_t i = 0; i < n; i++)
        a->values[i] = NAN;
    return series_folder(a->folder, &a->options, g->name);
}

/* --- the table --- */

static void spread(double *mean, double *deviation, int64_t *n, const struct ablation *a, int row,
                   int metric)
{
    double sum = 0, squares = 0;
    *n = 0;
    for (int64_t s = 0; s < a->seeds; s++) {
        double x = value_at(a, row, s)[metric];
        if (isnan(x))
            continue;
        sum += x;
        ++*n;
    }
    *mean = *n ? sum / (double)*n : NAN;
    for (int64_t s = 0; s < a->seeds; s++) {
        double x = value_at(a, row, s)[metric] - *mean;
        squares += isnan(x) ? 0 : x * x;
    }
    *deviation = *n > 1 ? sqrt(squares / (double)(*n - 1)) : NAN;
}

static bool has_paper(const struct grid *g, int metric)
{
    for (int i = 0; i < g->n; i++)
        if (!isnan(g->rows[i].paper[metric]))
            return true;
    return false;
}

static void add_head(struct string *t, const struct grid *g)
{
    const char *key, *title;
    char rule[256] = "|---|--:";
    string_add(t, "# %s\n\n", g->title);
    if (*g->about)
        string_add(t, "%s\n\n", g->about);
    string_add(t, "| %s | runs", g->name);
    for (int i = 0; grid_metric(&key, &title, g->task, i); i++) {
        bool paper = has_paper(g, i);
        string_add(t, " | %s%s", title, paper ? " | paper" : "");
        strcat(rule, paper ? "|--:|--:" : "|--:");
    }
    string_add(t, " |\n%s|\n", rule);
}

static void add_row(struct string *t, const struct ablation *a, int row)
{
    const struct grid *g = &a->grid;
    const char *key, *title;
    double mean, deviation;
    int64_t n;
    spread(&mean, &deviation, &n, a, row, 0);
    string_add(t, "| %s | %lld", g->rows[row].name, (long long)n);
    for (int i = 0; grid_metric(&key, &title, g->task, i); i++) {
        spread(&mean, &deviation, &n, a, row, i);
        if (isnan(mean))
            string_add(t, " | -");
        else
            string_add(t, " | %.2f", 100 * mean);
        if (!isnan(deviation))
            string_add(t, " ± %.2f", 100 * deviation);
        double paper = g->rows[row].paper[i];
        if (has_paper(g, i) && isnan(paper))
            string_add(t, " | -");
        else if (!isnan(paper))
            string_add(t, " | %.1f", paper);
    }
    string_add(t, " |\n");
}

static void make_table(struct string *t, const struct ablation *a)
{
    bool papers = false;
    for (int i = 0; i < GRID_METRICS; i++)
        papers |= has_paper(&a->grid, i);
    add_head(t, &a->grid);
    for (int i = 0; i < a->grid.n; i++)
        add_row(t, a, i);
    string_add(t,
               "\nIn per cent, mean ± standard deviation over the seeds, of the best model of each "
               "run on the %s split",
               a->val ? "val" : "test");
    if (a->options.steps)
        string_add(t, "; %lld steps a run", (long long)a->options.steps);
    string_add(t, ". Trained and scored on %s%s%s.\n", a->data,
               papers && *a->grid.data ? "; the paper's numbers are those on " : "",
               papers ? a->grid.data : "");
}

static json_t *metric_json(const struct ablation *a, int row, int metric)
{
    double mean, deviation;
    int64_t n;
    json_t *values = json_array();
    for (int64_t s = 0; s < a->seeds; s++)
        json_array_append_new(values, json_finite(value_at(a, row, s)[metric]));
    spread(&mean, &deviation, &n, a, row, metric);
    return json_pack("{s:o, s:o, s:o, s:o}", "values", values, "mean", json_finite(mean),
                     "deviation", json_finite(deviation), "paper",
                     json_finite(a->grid.rows[row].paper[metric] / 100));
}

static json_t *table_json(const struct ablation *a)
{
    const char *key, *title;
    json_t *rows = json_array();
    for (int i = 0; i < a->grid.n; i++) {
        json_t *row = json_pack("{s:s}", "name", a->grid.rows[i].name);
        for (int m = 0; row && grid_metric(&key, &title, a->grid.task, m); m++)
            json_object_set_new(row, key, metric_json(a, i, m));
        json_array_append_new(rows, row);
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:o}", "gelatto", glt_version(),
                     "commit", glt_commit(), "command",
                     a->options.command ? a->options.command : "", "grid", a->grid.name, "title",
                     a->grid.title, "data", a->data, "seeds", (json_int_t)a->seeds, "steps",
                     (json_int_t)a->options.steps, "rows", rows);
}

/* --- what goes into the folder --- */

/* Settings and folder of a run. */
static int settle_run(struct config *c, char folder[SERIES_PATH], const struct ablation *a, int row,
                      int64_t seed)
{
    char name[GRID_NAME + 64], number[32];
    TRY(grid_config(c, &a->grid, &a->grid.rows[row], a->given));
    snprintf(number, sizeof number, "%lld", (long long)(c->seed + seed));
    TRY(config_set(c, "seed", number));
    snprintf(name, sizeof name, "%s-seed%s", a->grid.rows[row].folder, number);
    return file_join(folder, SERIES_PATH, a->folder, name);
}

/* Of the runs that have their score, as the table. */
static int draw_curves(const struct ablation *a)
{
    char path[SERIES_PATH];
    int n = a->grid.n, code = file_join(path, sizeof path, a->folder, "curves.svg");
    struct ablate_row *rows = memory_alloc((size_t)n, sizeof *rows);
    struct run *runs = memory_alloc((size_t)(n * a->seeds), sizeof *runs);
    if (!rows || !runs)
        code = GLT_ENOMEM;
    for (int i = 0; i < n && code == 0; i++) {
        rows[i] = (struct ablate_row){a->grid.rows[i].name, runs + i * a->seeds, 0};
        for (int64_t s = 0; s < a->seeds && code == 0; s++) {
            struct config c;
            if (!isnan(value_at(a, i, s)[0]))
                code = settle_run(&c, rows[i].runs[rows[i].n++].folder, a, i, s);
        }
    }
    if (code == 0)
        code = ablate_draw(path, score_metric_name(a->grid.task), rows, n);
    memory_free(rows);
    memory_free(runs);
    return code;
}

static void take_score(struct ablation *a, int row, int64_t seed, struct series_score *score)
{
    const char *key, *title;
    const char *split = json_string_value(json_object_get(score->record, "split"));
    for (int i = 0; grid_metric(&key, &title, a->grid.task, i); i++)
        value_at(a, row, seed)[i] = series_value(score, key);
    a->val |= split && !strcmp(split, "val");
    series_free(score);
}

/* What other processes have finished meanwhile. */
static int look_around(struct ablation *a)
{
    for (int row = 0; row < a->grid.n; row++)
        for (int64_t seed = 0; seed < seeds_of(a, row); seed++) {
            char folder[SERIES_PATH];
            struct config c;
            struct series_score score;
            if (!isnan(value_at(a, row, seed)[0]))
                continue;
            TRY(settle_run(&c, folder, a, row, seed));
            struct series_job job = {.folder = folder,
                                     .data = a->data,
                                     .fingerprint = a->fingerprint,
                                     .config = &c,
                                     .options = &a->options};
            int found = series_look(&score, &job);
            if (found < 0)
                return found;
            if (found)
                take_score(a, row, seed, &score);
        }
    return 0;
}

/* Table and curves as they stand into the folder, and where wanted to the caller. */
static int tell(char **report, struct ablation *a)
{
    struct string table = {0};
    char *json = NULL;
    size_t len;
    TRY(look_around(a));
    make_table(&table, a);
    json_t *all = table_json(a);
    int code = all ? json_print(&json, &len, all)
                   : error_set(GLT_ENOMEM, "the table: out of memory, or a path is not UTF-8");
    json_decref(all);
    if (code == 0)
        code = table.code;
    if (code == 0)
        code = file_put_text(a->folder, "table.md", table.bytes);
    if (code == 0)
        code = file_put_text(a->folder, "table.json", json);
    if (code == 0)
        code = draw_curves(a);
    if (code == 0 && report && !a->options.json)
        code = string_take(report, &table);
    if (code == 0 && report && a->options.json)
        *report = json;
    else
        memory_free(json);
    string_free(&table);
    return code;
}

/* --- the runs --- */

static int run_one(struct ablation *a, int row, int64_t seed, bool wait)
{
    char folder[SERIES_PATH];
    struct config c;
    struct series_score score;
    TRY(settle_run(&c, folder, a, row, seed));
    log_message(GLT_LOG_INFO, "%s, seed %lld, in %s", a->grid.rows[row].name, (long long)c.seed,
                folder);
    struct series_job job = {folder,      a->data, a->fingerprint, &c,
                             &a->options, a->fn,   a->user,        wait};
    int code = series_run(&score, &job);
    if (code != 0)
        return code;
    take_score(a, row, seed, &score);
    return tell(NULL, a);
}

static int run_all(struct ablation *a, bool wait)
{
    for (int64_t seed = 0; seed < a->seeds; seed++)
        for (int row = 0; row < a->grid.n; row++)
            if (seed < seeds_of(a, row) && isnan(value_at(a, row, seed)[0]))
                TRY(run_one(a, row, seed, wait));
    return 0;
}

int glt_ablate(char **report, const struct glt_config *config, const char *data, const char *grid,
               const struct glt_series_options *how, glt_train_fn *fn, void *user)
{
    GIVEN(report, config, data, grid);
    struct ablation *a = memory_alloc(1, sizeof *a);
    if (!a)
        return GLT_ENOMEM;
    if (how)
        a->options = *how;
    a->given = (const struct config *)config;
    a->data = data;
    a->fn = fn;
    a->user = user;
    int code = prepare(a, grid);
    if (code == 0)
        code = run_all(a, false);
    if (code == 0)
        code = run_all(a, true); /* what other processes had in the first round */
    if (code == 0)
        code = tell(report, a);
    memory_free(a->values);
    grid_close(&a->grid);
    memory_free(a);
    return code;
}
