/* Ablations: every row of a grid (grid.h) trained with every seed, and a table of mean and spread
 * beside the paper's numbers.
 *
 * Seeds are the outer loop, so that the table is complete after the first one. The spread is the
 * sample standard deviation. The table does not depend on how often the work was interrupted.
 * Beside the scores it has the entropy and the saturation of the attention weights at a run's last
 * validation. */
#include "config/config.h"
#include "config/options.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/log.h"
#include "core/markdown.h"
#include "core/memory.h"
#include "core/string.h"
#include "datasets/dataset.h"
#include "datasets/dataset_fingerprint.h"
#include "datasets/dataset_open.h"
#include "draw/svg.h"
#include "task/defaults.h"
#include "task/grid.h"
#include "task/run.h"
#include "task/run_curves.h"
#include "task/score.h"
#include "task/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The columns after the scores. */
enum { ENTROPY = GRID_METRICS, SATURATION, COLUMNS };

struct ablation {
    struct call call;
    struct grid grid;
    struct glt_series_options options;
    struct series_ranks ranks;
    const struct config *given;
    const char *data;
    glt_train_fn *fn;
    void *user;
    char folder[SERIES_PATH];
    char init[DIGEST_SIZE];        /* of the model that runs start from; "": none */
    char fingerprint[DIGEST_SIZE]; /* of the data, as the first row sees it */
    int64_t seeds;                 /* of the row that has most */
    double *values;                /* (rows, seeds, COLUMNS); NaN: not run yet, or none */
    bool val;                      /* the split that scored, for want of a test split perhaps */
};

static double *value_at(const struct ablation *a, int row, int64_t seed)
{
    return a->values + (row * a->seeds + seed) * COLUMNS;
}

static int64_t seeds_of(const struct ablation *a, int row)
{
    return a->options.seeds ? a->options.seeds : a->grid.rows[row].seeds;
}

/* --- before the first run --- */

/* Whether there is something to score, before hours of training. */
static int check_split(const struct ablation *a, const struct dataset *d)
{
    enum split split;
    TRY(score_split(&split, d, a->options.split));
    return dataset_count(d, split)
               ? 0
               : error_topic(error_in(GLT_EDATA, d->path, "the %s split is empty: %s",
                                      dataset_split_name(split), dataset_advice(d)),
                             GLT_TOPIC_SPLIT, dataset_split_name(split));
}

/* Advice for data that is missing or has another layout. */
static int check_data(struct ablation *a)
{
    struct config c;
    struct dataset *d = NULL;
    TRY(grid_config(&c, &a->grid, &a->grid.rows[0], a->given));
    int code = dataset_open(&d, a->data, &c.data, c.seed);
    if (code < 0 && code != GLT_EARGUMENT && *a->grid.data)
        return error_suffix(code, "; the grid %s is meant for %s%s%s", a->grid.name, a->grid.data,
                            *a->grid.fetch ? ": " : "", a->grid.fetch);
    TRY(code);
    int32_t task = d->task;
    code = check_split(a, d);
    if (code == 0)
        code = dataset_fingerprint(a->fingerprint, d);
    dataset_close(d);
    if (code < 0 || task == a->grid.task)
        return code;
    return error_topic(error_file(error_set(GLT_EDATA, "%s is for task = %s, the grid %s for %s",
                                            a->data, dataset_task_name(task), a->grid.name,
                                            dataset_task_name(a->grid.task)),
                                  a->data),
                       GLT_TOPIC_TASK, NULL);
}

static int prepare(struct ablation *a, const char *grid)
{
    TRY(grid_open(&a->grid, grid));
    TRY(series_init(a->init, &a->options));
    const struct grid *g = &a->grid;
    if (g->init && !a->options.init)
        return error_topic(
            error_set(GLT_EARGUMENT,
                      "every run of the grid %s starts from a trained model: give one", g->name),
            GLT_TOPIC_INIT, "init");
    struct config c;
    for (int i = 0; i < g->n; i++) { /* so that a bad row fails now and not after hours */
        TRY(grid_config(&c, g, &g->rows[i], a->given));
        TRY(config_check(&c));
    }
    TRY(check_data(a));
    for (int i = 0; i < g->n; i++)
        a->seeds = seeds_of(a, i) > a->seeds ? seeds_of(a, i) : a->seeds;
    if (!a->options.steps)
        a->options.steps = g->steps;
    size_t n = (size_t)g->n * (size_t)a->seeds * COLUMNS;
    a->values = call_alloc(&a->call, n, sizeof *a->values);
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

/* Whether any run has attention. */
static bool has_attention(const struct ablation *a)
{
    for (int row = 0; row < a->grid.n; row++)
        for (int64_t s = 0; s < a->seeds; s++)
            if (!isnan(value_at(a, row, s)[ENTROPY]))
                return true;
    return false;
}

static void add_head(struct string *t, const struct ablation *a)
{
    const struct grid *g = &a->grid;
    const char *key, *title;
    bool attention = has_attention(a);
    string_add(t, "# %s\n\n", g->title);
    if (*g->about)
        string_add(t, "%s\n\n", g->about);
    string_add(t, "| %s | runs", g->name);
    for (int i = 0; grid_metric(&key, &title, g->task, i); i++)
        string_add(t, " | %s%s", title, has_paper(g, i) ? " | paper" : "");
    string_add(t, "%s |\n|---|--:", attention ? " | entropy | saturation" : "");
    for (int i = 0; grid_metric(&key, &title, g->task, i); i++)
        string_add(t, has_paper(g, i) ? "|--:|--:" : "|--:");
    string_add(t, "%s|\n", attention ? "|--:|--:" : "");
}

/* As shares, not per cent: entropy 1 is a mean, saturation 1 an arg-max everywhere. */
static void add_attention(struct string *t, const struct ablation *a, int row)
{
    double mean, deviation;
    int64_t n;
    for (int k = ENTROPY; k < COLUMNS; k++) {
        spread(&mean, &deviation, &n, a, row, k);
        if (isnan(mean))
            string_add(t, " | -");
        else
            string_add(t, " | %.3f", mean);
    }
}

static void add_row(struct string *t, const struct ablation *a, int row)
{
    const struct grid *g = &a->grid;
    const char *key, *title;
    double mean, deviation;
    int64_t n;
    spread(&mean, &deviation, &n, a, row, 0);
    string_add(t, "| ");
    markdown_text(t, g->rows[row].name);
    string_add(t, " | %lld", (long long)n);
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
    if (has_attention(a))
        add_attention(t, a, row);
    string_add(t, " |\n");
}

static void make_table(struct string *t, const struct ablation *a)
{
    bool papers = false;
    for (int i = 0; i < GRID_METRICS; i++)
        papers |= has_paper(&a->grid, i);
    add_head(t, a);
    for (int i = 0; i < a->grid.n; i++)
        add_row(t, a, i);
    string_add(t,
               "\nIn per cent, mean ± standard deviation over the seeds, of the best model of each "
               "run on the %s split",
               a->val ? "val" : "test");
    if (a->options.steps)
        string_add(t, "; %lld steps a run", (long long)a->options.steps);
    string_add(t, ". Trained and scored on ");
    markdown_text(t, a->data);
    string_add(t, "%s%s.%s\n", papers && *a->grid.data ? "; the paper's numbers are those on " : "",
               papers ? a->grid.data : "",
               has_attention(a)
                   ? " Entropy of the attention weights: their mean over levels, blocks "
                     "and heads, 1 is a mean of the neighbours. Saturation: the largest "
                     "share of scores that give one neighbour more than 0.99. Both at "
                     "the last validation."
                   : "");
}

static struct json *metric_json(const struct ablation *a, int row, int metric)
{
    double mean, deviation;
    int64_t n;
    struct json *values = json_array();
    for (int64_t s = 0; s < a->seeds; s++)
        json_append(values, json_finite(value_at(a, row, s)[metric]));
    spread(&mean, &deviation, &n, a, row, metric);
    double paper = metric < GRID_METRICS ? a->grid.rows[row].paper[metric] / 100 : NAN;
    return json_pack("{s:o, s:o, s:o, s:o}", "values", values, "mean", json_finite(mean),
                     "deviation", json_finite(deviation), "paper", json_finite(paper));
}

static struct json *table_json(const struct ablation *a)
{
    const char *key, *title;
    struct json *rows = json_array();
    for (int i = 0; i < a->grid.n; i++) {
        struct json *row = json_pack("{s:s}", "name", a->grid.rows[i].name);
        for (int m = 0; row && grid_metric(&key, &title, a->grid.task, m); m++)
            json_set(row, key, metric_json(a, i, m));
        if (row && has_attention(a)) {
            json_set(row, "entropy", metric_json(a, i, ENTROPY));
            json_set(row, "saturation", metric_json(a, i, SATURATION));
        }
        json_append(rows, row);
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:o}", "gelatto", glt_version(),
                     "commit", glt_commit(), "command",
                     a->options.command ? a->options.command : "", "grid", a->grid.name, "title",
                     a->grid.title, "data", a->data, "seeds", (int64_t)a->seeds, "steps",
                     (int64_t)a->options.steps, "rows", rows);
}

/* --- files in the folder --- */

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

/* Adds b to a, epoch by epoch, up to the shorter. */
static void add_table(struct run_table *a, const struct run_table *b)
{
    a->n = a->n < b->n ? a->n : b->n;
    for (int k = 0; k < RUN_COLUMNS; k++)
        for (int i = 0; i < a->n; i++)
            a->column[k][i] += b->column[k][i];
}

/* The learning curves of a row: means over its runs that have their score, as in the table. */
static int mean_of_runs(struct run_table *mean, const struct ablation *a, int row)
{
    int64_t n = 0;
    for (int64_t seed = 0; seed < a->seeds; seed++) {
        struct config c;
        struct run run = {.lock = NULL};
        struct run_table one = {.n = 0};
        if (isnan(value_at(a, row, seed)[0]))
            continue;
        TRY(settle_run(&c, run.folder, a, row, seed));
        TRY(run_read_epochs(n++ ? &one : mean, &run));
        if (n > 1)
            add_table(mean, &one);
        run_table_free(&one);
    }
    for (int k = 0; k < RUN_COLUMNS; k++)
        for (int i = 0; i < mean->n; i++)
            mean->column[k][i] /= k == RUN_SECONDS ? 60.0 * (double)n : (double)n;
    return 0;
}

static int print_curves(struct file *f, const struct ablation *a, const struct run_table *means,
                        int n)
{
    const char *metric = score_metric_name(a->grid.task);
    struct svg_chart charts[] = {{.title = metric, .over = "epoch"},
                                 {.title = metric, .over = "minutes"}};
    for (int i = 0; i < n; i++) {
        double *const *x = means[i].column;
        const char *name = a->grid.rows[i].name;
        if (means[i].n == 0)
            continue;
        charts[0].curves[charts[0].count++] =
            (struct svg_curve){name, x[RUN_EPOCH], x[RUN_METRIC], means[i].n};
        charts[1].curves[charts[1].count++] =
            (struct svg_curve){name, x[RUN_SECONDS], x[RUN_METRIC], means[i].n};
    }
    return svg_charts(f, charts, 2);
}

/* Draws the score of each row over epochs and over time. */
static int draw_curves(const struct ablation *a)
{
    struct run_table means[SVG_CURVES] = {{.n = 0}};
    int n = a->grid.n < SVG_CURVES ? a->grid.n : SVG_CURVES; /* more would be indistinguishable */
    char path[SERIES_PATH];
    struct file *f;
    int code = file_join(path, sizeof path, a->folder, "curves.svg");
    for (int i = 0; i < n && code == 0; i++)
        code = mean_of_runs(&means[i], a, i);
    if (code == 0)
        code = file_create(&f, path);
    if (code == 0)
        code = file_finish(f, print_curves(f, a, means, n));
    for (int i = 0; i < n; i++)
        run_table_free(&means[i]);
    return code;
}

static int take_score(struct ablation *a, int row, int64_t seed, const char *folder,
                      struct series_score *score)
{
    const char *key, *title;
    struct run run = {.lock = NULL};
    struct run_attention attention;
    const char *split = json_string_value(json_get(score->record, "split"));
    for (int i = 0; grid_metric(&key, &title, a->grid.task, i); i++)
        value_at(a, row, seed)[i] = series_value(score, key);
    a->val |= split && !strcmp(split, "val");
    series_free(score);
    snprintf(run.folder, sizeof run.folder, "%s", folder);
    TRY(run_read_attention(&attention, &run));
    value_at(a, row, seed)[ENTROPY] = attention.entropy;
    value_at(a, row, seed)[SATURATION] = attention.saturation;
    return 0;
}

/* Collects the scores that other processes have finished meanwhile. */
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
                                     .init = a->init,
                                     .config = &c,
                                     .options = &a->options};
            int found = series_look(&score, &job);
            if (found < 0)
                return found;
            if (found)
                TRY(take_score(a, row, seed, folder, &score));
        }
    return 0;
}

static int write_table(struct string *table, char **json, const struct ablation *a)
{
    size_t len;
    make_table(table, a);
    TRY(table->code);
    struct json *all = table_json(a);
    int code = all ? json_print(json, &len, all)
                   : error_set(GLT_ENOMEM, "the table: out of memory, or a path is not UTF-8");
    json_free(all);
    TRY(code);
    TRY(file_put_text(a->folder, "table.md", table->bytes));
    TRY(file_put_text(a->folder, "table.json", *json));
    return draw_curves(a);
}

/* Writes the current table and curves into the folder, and returns the table if requested. */
static int report_table(char **report, struct ablation *a)
{
    struct string table = {0};
    char *json = NULL;
    TRY(look_around(a));
    if (!series_writes(&a->ranks) && report) {
        *report = memory_string("");
        return *report ? 0 : GLT_ENOMEM;
    }
    if (!series_writes(&a->ranks))
        return 0;
    int code = write_table(&table, &json, a);
    if (code == 0 && report && a->options.json) {
        *report = json;
        json = NULL;
    } else if (code == 0 && report) {
        code = string_take(report, &table);
    }
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
    struct series_job job = {.folder = folder,
                             .data = a->data,
                             .fingerprint = a->fingerprint,
                             .init = a->init,
                             .config = &c,
                             .options = &a->options,
                             .fn = a->fn,
                             .user = a->user,
                             .wait = wait};
    int code = series_run(&score, &job);
    if (code != 0)
        return code;
    TRY(take_score(a, row, seed, folder, &score));
    return report_table(NULL, a);
}

/* A run whose loss is not finite fails each time: the others are trained all the same, and its
 * error is returned at the end. */
static int run_all(struct ablation *a, bool wait)
{
    struct error reason;
    int failed = 0;
    for (int64_t seed = 0; seed < a->seeds; seed++)
        for (int row = 0; row < a->grid.n; row++) {
            if (seed >= seeds_of(a, row) || !isnan(value_at(a, row, seed)[0]))
                continue;
            int code = run_one(a, row, seed, wait);
            if (code < 0 && code != GLT_ENUMERIC)
                return code;
            if (code < 0 && failed == 0)
                error_save(&reason);
            failed = code < 0 ? code : failed;
        }
    return failed < 0 ? error_restore(&reason) : 0;
}

int glt_ablate(char **report, const struct glt_config *config, const char *data, const char *grid,
               const struct glt_series_options *how, glt_train_fn *fn, void *user)
{
    REQUIRE(report, config, data, grid);
    if (how)
        TRY(error_size("glt_series_options", how->size, sizeof *how));
    struct ablation a = {
        .given = (const struct config *)config, .data = data, .fn = fn, .user = user};
    if (how)
        a.options = *how;
    char *text = NULL;
    TRY(series_part(&a.ranks, a.given, data, &a.options));
    int code = prepare(&a, grid);
    if (code == 0)
        code = run_all(&a, false);
    if (code == 0)
        code = run_all(&a, true); /* those that other processes held in the first round */
    if (code == 0)
        code = report_table(&text, &a);
    code = series_meet(&a.ranks, code);
    if (code == 0)
        *report = text;
    else
        memory_free(text);
    call_free(&a.call);
    grid_close(&a.grid);
    return code;
}
