/* Curves of a run: see run_curves.h. */
#include "task/run_curves.h"

#include "core/array.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/number.h"
#include "draw/svg.h"

#include <math.h>
#include <string.h>

enum { BINS = 240 };

static int add_row(struct run_table *t, const double *values)
{
    for (int k = 0; k < RUN_COLUMNS; k++) {
        TRY(array_reserve(&t->column[k], t->n, 1, sizeof *t->column[k]));
        t->column[k][t->n] = values[k];
    }
    t->n++;
    return 0;
}

/* A line of results.csv; the head has no step. Fields are numbers, or empty where there is none. */
static void parse_epoch(double *values, const char *line)
{
    double found[RUN_COLUMNS];
    static const int order[] = {RUN_STEP, RUN_EPOCH, RUN_LOSS, RUN_METRIC, RUN_MIOU,
                                RUN_MACC, RUN_OA,    RUN_RATE, RUN_SECONDS};
    memcpy(found, values, sizeof found);
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        size_t len = strcspn(line, ",");
        const char *end = number_parse_double(&found[order[k]], line, line + len);
        bool last = k + 1 == sizeof order / sizeof *order;
        if ((len && end != line + len) || line[len] != (last ? 0 : ','))
            return;
        line += len + !last;
    }
    memcpy(values, found, sizeof found);
}

/* The number after a key in one line of JSON; *value does not change if there is none. */
static void parse_key(double *value, const char *line, const char *end, const char *key)
{
    const char *at = strstr(line, key);
    if (at && at < end)
        number_parse_double(value, at + strlen(key), end);
}

/* A line of metrics.jsonl, as run_add_step writes it. */
static void parse_step(double *values, const char *line)
{
    static const struct {
        const char *key;
        int column;
    } keys[] = {{"\"step\":", RUN_STEP},
                {"\"loss\":", RUN_LOSS},
                {"\"main\":", RUN_MAIN},
                {"\"lr\":", RUN_RATE},
                {"\"seconds\":", RUN_SECONDS}};
    size_t len = strlen(line);
    if (len < 2 || line[len - 1] != '}' || !strstr(line, "\"loss\":"))
        return;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        parse_key(&values[keys[k].column], line, line + len, keys[k].key);
}

/* A line of metrics.jsonl with attention, as run_add_epoch writes it. */
static void parse_attention(double *values, const char *line)
{
    size_t len = strlen(line);
    const char *row = strstr(line, "\"attention\":[");
    if (len < 2 || line[len - 1] != '}' || !row)
        return;
    parse_key(&values[RUN_STEP], line, row, "\"step\":");
    while ((row = strchr(row + 1, '{'))) {
        const char *close = strchr(row, '}'), *head = strstr(row, "\"head\":\"");
        double level = 0, block = 0;
        if (!close || !head || head > close)
            return;
        parse_key(&level, row, close, "\"level\":");
        parse_key(&block, row, close, "\"block\":");
        if (!(level >= 1 && level <= 4 && block >= 1 && block <= 2))
            return;
        int at = 4 * ((int)level - 1) + 2 * ((int)block - 1) + (head[8] == 'l');
        parse_key(&values[RUN_ENTROPY + at], row, close, "\"entropy\":");
        parse_key(&values[RUN_SATURATION + at], row, close, "\"saturation\":");
    }
}

static int read_table(struct run_table *t, const char *path,
                      void (*parse)(double *values, const char *line))
{
    struct file *f;
    char *line;
    size_t len;
    int code;
    if (!run_has(path))
        return 0;
    TRY(file_open(&f, path));
    while ((code = run_line(&line, &len, f)) == 0 && line) {
        double values[RUN_COLUMNS];
        for (int k = 0; k < RUN_COLUMNS; k++)
            values[k] = NAN;
        parse(values, line);
        if (isfinite(values[RUN_STEP]) && (code = add_row(t, values)) < 0)
            break;
    }
    file_close(f);
    return code;
}

int run_read_attention(struct run_attention *out, const struct run *r)
{
    char path[RUN_PATH];
    struct run_table t = {.n = 0};
    double sum = 0;
    int n = 0;
    *out = (struct run_attention){NAN, NAN};
    TRY(run_path(path, r, "metrics.jsonl"));
    int code = read_table(&t, path, parse_attention);
    for (int k = 0; code == 0 && t.n > 0 && k < GLT_ATTENTION_ROWS; k++) {
        double entropy = t.column[RUN_ENTROPY + k][t.n - 1];
        double saturation = t.column[RUN_SATURATION + k][t.n - 1];
        if (isnan(entropy) || isnan(saturation))
            continue;
        sum += entropy;
        n++;
        out->saturation = fmax(out->saturation, saturation); /* ignores NaN */
    }
    if (n > 0)
        out->entropy = sum / n;
    run_table_free(&t);
    return code;
}

/* Averages neighbours so that at most BINS points are left. */
static void thin(struct run_table *t)
{
    int each = (t->n + BINS - 1) / BINS, n = 0;
    for (int first = 0; each > 1 && first < t->n; first += each, n++) {
        int end = first + each < t->n ? first + each : t->n;
        for (int k = 0; k < RUN_COLUMNS; k++) {
            double sum = 0;
            for (int i = first; i < end; i++)
                sum += t->column[k][i];
            t->column[k][n] = sum / (end - first);
        }
        t->column[RUN_STEP][n] = t->column[RUN_STEP][end - 1];
    }
    t->n = each > 1 ? n : t->n;
}

int run_read_epochs(struct run_table *out, const struct run *r)
{
    char path[RUN_PATH];
    struct run_table t = {.n = 0};
    TRY(run_path(path, r, "results.csv"));
    int code = read_table(&t, path, parse_epoch);
    if (code < 0)
        run_table_free(&t);
    else
        *out = t;
    return code;
}

void run_table_free(struct run_table *t)
{
    for (int k = 0; k < RUN_COLUMNS; k++)
        memory_free(t->column[k]);
    *t = (struct run_table){.n = 0};
}

/* A head's entropy or saturation: a curve for each level and block. False if there is none. */
static bool attention_chart(struct svg_chart *out, const struct run_table *t, int first, int head,
                            const char *title)
{
    static const char *const names[] = {"level 1, block 1", "level 1, block 2", "level 2, block 1",
                                        "level 2, block 2", "level 3, block 1", "level 3, block 2",
                                        "level 4, block 1", "level 4, block 2"};
    bool any = false;
    *out = (struct svg_chart){.title = title, .over = "step", .count = 8, .top = 1};
    for (int i = 0; i < 8; i++) {
        const double *y = t->column[first + 2 * i + head];
        out->curves[i] = (struct svg_curve){names[i], t->column[RUN_STEP], y, t->n};
        for (int j = 0; j < t->n; j++)
            any = any || isfinite(y[j]);
    }
    return any;
}

/* Charts of the existing heads; returns how many. */
static int attention_charts(struct svg_chart out[4], const struct run_table *t)
{
    static const char *const titles[] = {
        "entropy of attention, geometric head", "entropy of attention, latent head",
        "saturated attention, geometric head", "saturated attention, latent head"};
    int n = 0;
    for (int i = 0; i < 4; i++)
        n += attention_chart(&out[n], t, i < 2 ? RUN_ENTROPY : RUN_SATURATION, i % 2, titles[i]);
    return n;
}

static int print_curves(struct file *f, const struct run_table *steps,
                        const struct run_table *epochs, const struct run_table *attention,
                        const char *metric)
{
    double *const *s = steps->column, *const *e = epochs->column;
    bool overall = !strcmp(metric, "overall accuracy");
    struct svg_chart charts[7] = {
        {"loss",
         "step",
         {{"all outputs", s[RUN_STEP], s[RUN_LOSS], steps->n},
          {"main output", s[RUN_STEP], s[RUN_MAIN], steps->n}},
         2,
         0},
        {"validation",
         "step",
         {{metric, e[RUN_STEP], e[RUN_METRIC], epochs->n},
          {"mean acc.", e[RUN_STEP], e[RUN_MACC], epochs->n},
          {"overall acc.", e[RUN_STEP], e[RUN_OA], epochs->n}},
         overall ? 2 : 3,
         1},
        {"learning rate", "step", {{"Adam", s[RUN_STEP], s[RUN_RATE], steps->n}}, 1, 0}};
    return svg_charts(f, charts, 3 + attention_charts(charts + 3, attention));
}

int run_print_curves(struct file *f, const struct run *r, const char *metric)
{
    char path[RUN_PATH];
    struct run_table steps = {.n = 0}, epochs = {.n = 0}, attention = {.n = 0};
    TRY(run_path(path, r, "metrics.jsonl"));
    int code = read_table(&steps, path, parse_step);
    if (code == 0)
        code = read_table(&attention, path, parse_attention);
    if (code == 0)
        code = run_read_epochs(&epochs, r);
    thin(&steps);
    if (code == 0)
        code = print_curves(f, &steps, &epochs, &attention, metric);
    run_table_free(&steps);
    run_table_free(&epochs);
    run_table_free(&attention);
    return code;
}

int run_write_curves(const struct run *r, const char *metric)
{
    if (r->silent)
        return 0;
    char path[RUN_PATH];
    struct file *f;
    TRY(run_path(path, r, "curves.svg"));
    TRY(file_create(&f, path));
    return file_finish(f, run_print_curves(f, r, metric));
}
