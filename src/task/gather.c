/* Checks a folder that many processes have filled: every file of the plan is compared with its
 * record, and the summaries of all records are added up. See ledger.h. */
#include "core/call.h"
#include "core/context.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/option_string.h"
#include "core/progress.h"
#include "core/string.h"
#include "draw/html.h"
#include "gelatto.h"
#include "task/ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CLASSES_MAX = 4096 }; /* also of a confusion matrix; an untrusted record may name more */
enum state { FINISHED, MISSING, OUTDATED, BROKEN, CHANGED, STATES };
static const char *const states[] = {"finished", "missing", "outdated", "broken", "changed"};
static const char *const meanings[] = {
    [FINISHED] = "finished",
    [MISSING] = "not labelled yet",
    [OUTDATED] = "labelled with another model, options or version",
    [BROKEN] = "the labelled cloud is missing, or has changed",
    [CHANGED] = "the input is missing, or has changed",
};

struct gathering {
    struct call call;
    struct ledger ledger;
    struct ledger_file *files; /* (n) */
    int32_t n;
    bool inputs; /* check the inputs too */
    int32_t count[STATES];
    int64_t points, samples, unlabelled;
    double seconds, core_seconds;
    struct json *labels;        /* points of each class */
    struct json *lists[STATES]; /* outputs in each state but the first */
};

/* A number of a record, which is not trusted. */
static int64_t number_of(const struct json *object, const char *key)
{
    int64_t value = json_integer_value(json_get(object, key));
    return value > 0 && value < (int64_t)1 << 50 ? value : 0;
}

static double seconds_of(const struct json *object)
{
    double value = json_number_value(json_get(object, "seconds"));
    return value > 0 && value < 1e12 ? value : 0;
}

static void add_summary(struct gathering *g, const struct json *summary)
{
    const struct json *labels = json_get(summary, "labels");
    int64_t threads = number_of(summary, "threads");
    g->points += number_of(summary, "points");
    g->samples += number_of(summary, "samples");
    g->unlabelled += number_of(summary, "unlabelled");
    g->seconds += seconds_of(summary);
    g->core_seconds += seconds_of(summary) * (double)(threads > 0 ? threads : 1);
    for (size_t i = 0; i < json_size(labels) && i < CLASSES_MAX; i++) {
        const char *name = json_key(labels, i);
        if (json_size(g->labels) == CLASSES_MAX && !json_get(g->labels, name))
            continue;
        json_set(g->labels, name,
                 json_integer(number_of(g->labels, name) + number_of(labels, name)));
    }
}

/* Whether the input is still the one that was labelled. */
static int check_input(bool *same, const struct ledger_file *f, const struct json *record)
{
    const struct json *input = json_get(json_get(record, "sources"), "input");
    const char *digest = json_string_value(json_get(input, "digest"));
    struct ledger_print now;
    *same = false;
    if (!file_exists(f->input))
        return 0;
    TRY(ledger_print(&now, f->input));
    *same = digest && !strcmp(digest, now.digest);
    return 0;
}

static int find_state(enum state *out, const struct gathering *g, const struct ledger_file *f,
                      const struct json *record)
{
    bool whole = false, same = true;
    *out = MISSING;
    if (!record)
        return 0;
    *out = OUTDATED;
    if (!ledger_is_current(&g->ledger, record))
        return 0;
    TRY(ledger_check_output(&whole, &g->ledger, f->output, record));
    if (whole && g->inputs)
        TRY(check_input(&same, f, record));
    *out = !whole ? BROKEN : same ? FINISHED : CHANGED;
    return 0;
}

static int check_file(struct gathering *g, const struct ledger_file *f)
{
    struct json *record = NULL;
    enum state state = MISSING;
    TRY(ledger_read(&record, &g->ledger, f->output));
    int code = find_state(&state, g, f, record);
    if (code == 0 && state == FINISHED)
        add_summary(g, json_get(record, "summary"));
    else if (code == 0)
        json_append(g->lists[state], json_string(f->output));
    g->count[state]++;
    json_free(record);
    return code;
}

static int check_files(struct gathering *g)
{
    for (int32_t i = 0; i < g->n; i++) {
        TRY(check_file(g, &g->files[i]));
        TRY(progress_report("check files", i + 1, g->n));
    }
    return ledger_sweep(&g->ledger, g->files, g->n);
}

/* --- the report --- */

static int print_json(char **out, const struct gathering *g)
{
    size_t len;
    struct json *x =
        json_pack("{s:I, s:I, s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:o, s:I}", "files", (int64_t)g->n,
                  "finished", (int64_t)g->count[FINISHED], "model", g->ledger.model, "options",
                  g->ledger.options, "version", g->ledger.version, "points", g->points, "samples",
                  g->samples, "seconds", g->seconds, "core_hours", g->core_seconds / 3600, "labels",
                  json_copy(g->labels), "unlabelled", g->unlabelled);
    for (int k = MISSING; k < STATES; k++)
        json_set(x, states[k], json_copy(g->lists[k]));
    int code = x ? json_print(out, &len, x) : GLT_ENOMEM;
    json_free(x);
    return code;
}

static void describe(struct string *s, const struct gathering *g)
{
    string_add(
        s, "%d of %d files finished: %" PRId64 " points in %" PRId64 " samples, %.2f core-hours",
        g->count[FINISHED], g->n, g->points, g->samples, g->core_seconds / 3600);
}

static double share(const struct gathering *g, int64_t n)
{
    return 100.0 * (double)n / (double)(g->points > 0 ? g->points : 1);
}

static int print_text(char **out, const struct gathering *g)
{
    struct string s = {0};
    describe(&s, g);
    string_add(&s, "\n");
    for (size_t i = 0; i < json_size(g->labels); i++) {
        int64_t n = json_integer_value(json_at(g->labels, i));
        if (n > 0)
            string_add(&s, "  %-24s %15" PRId64 "  %5.1f%%\n", json_key(g->labels, i), n,
                       share(g, n));
    }
    if (g->unlabelled > 0)
        string_add(&s, "  %-24s %15" PRId64 "  %5.1f%%\n", "(no label)", g->unlabelled,
                   share(g, g->unlabelled));
    for (int k = MISSING; k < STATES; k++)
        for (size_t i = 0; i < json_size(g->lists[k]); i++)
            string_add(&s, "%s: %s\n", states[k], json_string_value(json_at(g->lists[k], i)));
    return string_take(out, &s);
}

static int print_classes(struct file *f, const struct gathering *g)
{
    TRY(file_print(f, "<table>\n<tr><th>class</th><th>points</th><th>share</th></tr>\n"));
    for (size_t i = 0; i < json_size(g->labels); i++) {
        int64_t n = json_integer_value(json_at(g->labels, i));
        TRY(file_print(f, "<tr><td>"));
        TRY(html_text(f, json_key(g->labels, i)));
        TRY(file_print(f, "</td><td>%" PRId64 "</td><td>%.1f %%</td></tr>\n", n, share(g, n)));
    }
    return file_print(f, "</table>\n");
}

static int print_body(struct file *f, const struct gathering *g)
{
    struct string s = {0};
    char line[128];
    describe(&s, g);
    int code = s.code ? s.code : html_element(f, "p", s.bytes);
    string_free(&s);
    TRY(code);
    snprintf(line, sizeof line, "gelatto %.40s, model %.40s", g->ledger.version, g->ledger.model);
    TRY(html_element(f, "p", line));
    if (*g->ledger.options)
        TRY(html_element(f, "p", g->ledger.options));
    TRY(print_classes(f, g));
    for (int k = MISSING; k < STATES; k++) {
        if (g->count[k] == 0)
            continue;
        snprintf(line, sizeof line, "%d %s: %s", g->count[k], states[k], meanings[k]);
        TRY(html_element(f, "h2", line));
        for (size_t i = 0; i < json_size(g->lists[k]); i++)
            TRY(html_element(f, "p", json_string_value(json_at(g->lists[k], i))));
    }
    return 0;
}

static int print_page(const struct gathering *g, const char *path)
{
    struct file *f;
    TRY(file_create(&f, path));
    int code = html_begin(f, g->ledger.folder);
    if (code == 0)
        code = print_body(f, g);
    if (code == 0)
        code = html_end(f);
    return file_finish(f, code);
}

static int gather(struct gathering *g, char **report, const char *page, bool json)
{
    g->labels = json_object();
    bool made = g->labels;
    for (int k = MISSING; k < STATES; k++) {
        g->lists[k] = json_array();
        made = made && g->lists[k];
    }
    if (!made)
        return GLT_ENOMEM;
    TRY(ledger_read_plan(&g->ledger, &g->files, &g->n, &g->call, g->ledger.folder));
    TRY(check_files(g));
    TRY(json_check(g->labels));
    for (int k = MISSING; k < STATES; k++)
        TRY(json_check(g->lists[k]));
    if (page)
        TRY(print_page(g, page));
    return json ? print_json(report, g) : print_text(report, g);
}

int glt_gather(char **report, int *unfinished, const char *folder, const char *page,
               const char *words)
{
    REQUIRE(report, folder);
    struct gathering g = {.ledger.folder = folder};
    bool json = false;
    const struct option_field table[] = {{"json", FIELD_FLAG, &json, 0, 0},
                                         {"inputs", FIELD_FLAG, &g.inputs, 0, 0}};
    int code = option_string_read(&g.call, words, table, sizeof table / sizeof *table);
    if (code == 0)
        code = gather(&g, report, page, json);
    if (code == 0 && unfinished)
        *unfinished = g.n - g.count[FINISHED];
    json_free(g.labels);
    for (int k = MISSING; k < STATES; k++)
        json_free(g.lists[k]);
    call_free(&g.call);
    return code;
}
