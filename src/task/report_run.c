/* A report on a training run: see report_run.h. Curves, the last validation, evaluations and images
 * in its folder, configuration, environment and log.
 *
 * An evaluation is a folder of `gelatto eval -o RUN/NAME`: card.json and confusion.csv. An image
 * is any PNG in the run's folder or one below it. */
#include "task/report_run.h"

#include "cloud/classes.h"
#include "cloud/labels.h"
#include "config/config.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/print.h"
#include "core/string.h"
#include "core/yaml.h"
#include "draw/html.h"
#include "draw/html_scores.h"
#include "task/confusion_file.h"
#include "task/run.h"
#include "task/run_curves.h"
#include "task/score.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES_MAX = 64, LOG_BYTES = 64 << 10 };

struct report {
    struct call call;
    struct file *file;
    struct run run; /* only its folder: not locked, so that a running one can be reported */
    struct yaml *config;
    const char *metric;
    bool shapes; /* whole shapes are classified, not points */
    int images;
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

/* --- tables of keys and values --- */

static int print_key(struct file *f, const char *key, const char *value, bool own)
{
    TRY(file_print(f, "<tr%s><td>", own ? " class=\"own\"" : ""));
    TRY(html_text(f, key));
    TRY(file_print(f, "</td><td>"));
    TRY(html_text(f, value));
    return file_print(f, "</td></tr>\n");
}

static int print_json(struct report *p, const char *key, const struct json *value)
{
    struct file *f = p->file;
    char *text = NULL;
    size_t len;
    if (json_is(value, JSON_STRING))
        return print_key(f, key, json_string_value(value), false);
    if (json_is(value, JSON_REAL)) {
        char number[32];
        print_to(number, sizeof number, "%.6g", json_number_value(value));
        return print_key(f, key, number, false);
    }
    TRY(json_print(&text, &len, value));
    if (!call_keep(&p->call, text))
        return GLT_ENOMEM;
    return print_key(f, key, text, false);
}

/* Prints the members of an object, except `skip`, which has a table of its own. */
static int print_object(struct report *p, const struct json *object, const char *skip)
{
    const char *key;
    struct json *value;
    TRY(file_print(p->file, "<table class=\"keys\">\n"));
    for (size_t at_key = 0; (key = json_key(object, at_key)) && (value = json_at(object, at_key));
         at_key++) {
        if (!skip || strcmp(key, skip))
            TRY(print_json(p, key, value));
    }
    return file_print(p->file, "</table>\n");
}

/* --- the run itself --- */

/* For a number from a file: it may be NaN or huge. */
static const char *plural(double n)
{
    return n == 1 ? "" : "s";
}

static int print_summary(struct report *p)
{
    struct run_table t = {.n = 0};
    TRY(run_read_epochs(&t, &p->run));
    int best = -1;
    for (int i = 0; i < t.n; i++)
        if (isfinite(t.column[RUN_METRIC][i]) &&
            (best < 0 || t.column[RUN_METRIC][i] > t.column[RUN_METRIC][best]))
            best = i;
    int code = 0, last = t.n - 1;
    if (t.n > 0)
        code = file_print(p->file,
                          "<p class=\"lead\">%.0f step%s, %.0f epoch%s, %.1f minutes; loss "
                          "%.4f</p>\n",
                          t.column[RUN_STEP][last], plural(t.column[RUN_STEP][last]),
                          t.column[RUN_EPOCH][last], plural(t.column[RUN_EPOCH][last]),
                          t.column[RUN_SECONDS][last] / 60, t.column[RUN_LOSS][last]);
    else
        code = file_print(p->file, "<p class=\"lead\">no epoch has ended yet</p>\n");
    if (code == 0 && best >= 0)
        code = file_print(p->file, "<p class=\"big\">best %s <b>%.1f %%</b> after step %.0f</p>\n",
                          p->metric, 100 * t.column[RUN_METRIC][best], t.column[RUN_STEP][best]);
    run_table_free(&t);
    return code;
}

/* A damaged file must not prevent the report: logs the error and returns 0. */
static int left_out(int code)
{
    if (code != GLT_EFORMAT && code != GLT_EIO && code != GLT_ELIMIT)
        return code;
    log_warning(glt_error_topic(), glt_error_name(), "left out: %s", glt_error_message());
    return 0;
}

/* Prints scores from the matrix in a folder, if it has one. */
static int print_matrix(struct report *p, const char *folder)
{
    char path[RUN_PATH];
    struct confusion_file m;
    TRY(file_join(path, sizeof path, folder, "confusion.csv"));
    if (!run_has(path))
        return 0;
    int code = confusion_file_read(&m, path);
    if (code < 0)
        return left_out(code);
    for (int32_t i = 0; i < m.classes.n; i++)
        labels_colour(m.classes.colours[i], i, m.classes.names[i]);
    struct html_classes x = {.classes = &m.classes, .confusion = &m.confusion, .shapes = p->shapes};
    code = html_scores(p->file, &x);
    confusion_file_free(&m);
    return code;
}

static int print_validation(struct report *p)
{
    char path[RUN_PATH];
    TRY(run_path(path, &p->run, "confusion.csv"));
    if (!run_has(path))
        return 0;
    TRY(html_element(p->file, "h2", "The last validation"));
    return print_matrix(p, p->run.folder);
}

static int print_config(struct report *p)
{
    struct config defaults;
    config_default(&defaults);
    TRY(file_print(p->file, "<h2>Configuration</h2>\n<p class=\"lead\">bold: not the default</p>\n"
                            "<details><summary>all options</summary>"
                            "<table class=\"keys\">\n"));
    for (size_t i = 0; i < p->config->n; i++) {
        const char *key = p->config->key[i]->text, *value = p->config->item[i]->text;
        char usual[256];
        bool own = config_get(&defaults, key, usual, sizeof usual) == 0 && value &&
                   strcmp(usual, value) != 0;
        TRY(print_key(p->file, key, value ? value : "", own));
    }
    return file_print(p->file, "</table></details>\n");
}

static int print_environment(struct report *p)
{
    char path[RUN_PATH];
    struct json *all;
    TRY(run_path(path, &p->run, "environment.json"));
    if (!run_has(path))
        return 0;
    int code = json_parse_file(&all, path, JSON_OBJECT);
    if (code < 0)
        return left_out(code);
    code = html_element(p->file, "h2", "Environment");
    if (code == 0)
        code = print_object(p, all, NULL);
    json_free(all);
    return code;
}

/* Prints the end of the log, from the start of a line. */
static int print_log(struct report *p)
{
    char path[RUN_PATH], text[LOG_BYTES + 1] = "";
    struct file *f;
    TRY(run_path(path, &p->run, "log.txt"));
    if (!run_has(path))
        return 0;
    int code = file_open(&f, path);
    if (code < 0)
        return left_out(code);
    int64_t size = file_size(f), len = size < LOG_BYTES ? size : LOG_BYTES;
    code = file_seek(f, size - len);
    if (code == 0)
        code = file_read(f, text, (size_t)len);
    file_close(f);
    TRY(code);
    const char *line = len < size ? strchr(text, '\n') : NULL;
    TRY(file_print(p->file, "<h2>Log</h2>\n<details><summary>%s</summary>",
                   len < size ? "its end" : "all of it"));
    TRY(html_element(p->file, "pre", line ? line + 1 : text));
    return file_print(p->file, "</details>\n");
}

/* --- contents of its folders --- */

static int print_card(struct report *p, const char *folder, const char *name,
                      const struct json *card)
{
    TRY(file_print(p->file, "<h2>Evaluation: "));
    TRY(html_text(p->file, name));
    TRY(file_print(p->file, "</h2>\n"));
    TRY(print_matrix(p, folder));
    TRY(html_element(p->file, "h3", "Protocol card"));
    return print_object(p, card, "classes");
}

static int print_evaluation(struct report *p, const char *folder, const char *name)
{
    char path[RUN_PATH];
    struct json *card;
    TRY(file_join(path, sizeof path, folder, "card.json"));
    if (!run_has(path))
        return 0;
    int code = json_parse_file(&card, path, JSON_OBJECT);
    if (code < 0)
        return left_out(code);
    code = print_card(p, folder, name, card);
    json_free(card);
    return code;
}

static int print_image(struct report *p, const char *path, const char *caption)
{
    char *bytes = NULL;
    size_t len = 0;
    int code = left_out(file_read_all(&bytes, &len, path, HTML_PICTURE_MAX));
    if (bytes && p->images++ == 0)
        code = html_element(p->file, "h2", "Pictures");
    if (bytes && code == 0)
        code = html_image(p->file, bytes, len, caption);
    memory_free(bytes);
    return code;
}

static int print_pictures_of(struct report *p, const char *folder, const char *under)
{
    char path[RUN_PATH], caption[RUN_PATH];
    char **names = NULL;
    size_t n = 0;
    TRY(file_list(&names, &n, folder));
    int code = 0;
    for (size_t i = 0; i < n && code == 0; i++) {
        if (!ends_with(names[i], ".png") || p->images == IMAGES_MAX)
            continue;
        code = file_join(path, sizeof path, folder, names[i]);
        snprintf(caption, sizeof caption, "%.1000s%s%.1000s", under, *under ? "/" : "", names[i]);
        if (code == 0 && !file_is_folder(path) && run_has(path))
            code = print_image(p, path, caption);
    }
    file_free_names(names, n);
    return code;
}

/* Calls back with the subfolders of the run. */
static int each_folder(struct report *p,
                       int (*fn)(struct report *p, const char *folder, const char *name))
{
    char path[RUN_PATH], **names = NULL;
    size_t n = 0;
    TRY(file_list(&names, &n, p->run.folder));
    int code = 0;
    for (size_t i = 0; i < n && code == 0; i++) {
        code = run_path(path, &p->run, names[i]);
        if (code == 0 && file_is_own_folder(path))
            code = fn(p, path, names[i]);
    }
    file_free_names(names, n);
    return code;
}

static int print_all(struct report *p, const char *title)
{
    TRY(html_begin(p->file, title));
    TRY(print_summary(p));
    TRY(html_element(p->file, "h2", "Curves"));
    TRY(run_print_curves(p->file, &p->run, p->metric));
    TRY(print_validation(p));
    TRY(each_folder(p, print_evaluation));
    TRY(print_pictures_of(p, p->run.folder, ""));
    TRY(each_folder(p, print_pictures_of));
    TRY(print_config(p));
    TRY(print_environment(p));
    TRY(print_log(p));
    return html_end(p->file);
}

static int open_run(struct report *p, const char *folder)
{
    char path[RUN_PATH];
    if ((size_t)snprintf(p->run.folder, sizeof p->run.folder, "%s", folder) >= sizeof p->run.folder)
        return error_topic(error_set(GLT_EARGUMENT, "%.40s...: the path is too long", folder),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    TRY(run_path(path, &p->run, "config.yaml"));
    if (!run_has(path))
        return error_topic(
            error_in(GLT_EDATA, folder, "not the folder of a training run: it has no config.yaml"),
            GLT_TOPIC_MISSING, "config.yaml");
    TRY(yaml_read(&p->config, path));
    if (p->config->kind != YAML_MAP)
        return error_topic(error_at(GLT_EFORMAT, path, GLT_PLACE_LINE, p->config->line,
                                    "expected \"key: value\" lines, as training "
                                    "writes them"),
                           GLT_TOPIC_SYNTAX, NULL);
    const struct yaml *task = yaml_find(p->config, "task");
    const char *name = task && task->text ? task->text : "";
    p->shapes = !strcmp(name, "classify");
    p->metric = score_metric_name(!strcmp(name, "parts") ? TASK_PARTS
                                  : p->shapes            ? TASK_CLASSIFY
                                                         : TASK_SEGMENT);
    return 0;
}

int report_run_print(struct file *f, const char *folder, const char *title)
{
    struct report p = {.file = f};
    int code = open_run(&p, folder);
    if (code == 0)
        code = print_all(&p, title);
    yaml_release(p.config);
    call_free(&p.call);
    return code;
}

int report_run_metric(const char **name, const char *folder)
{
    struct report p = {.file = NULL};
    int code = open_run(&p, folder);
    if (code == 0)
        *name = p.metric;
    yaml_release(p.config);
    call_free(&p.call);
    return code;
}

int report_run_place(const char *run, const char *path)
{
    char above[RUN_PATH], place[PATH_MAX], folder[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(above, sizeof above, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
    if (!realpath(above, place) || !realpath(run, folder))
        return 0; /* errors are reported when it is written */
    size_t len = strlen(folder);
    bool inside = !strncmp(place, folder, len) && (place[len] == '/' || place[len] == 0);
    bool page = ends_with(name, ".html") || ends_with(name, ".htm");
    if (!inside || (!run_writes(name) && (page || !file_exists(path))))
        return 0;
    return error_topic(
        error_file(error_set(GLT_EARGUMENT,
                             "%s belongs to the run and would be overwritten: name another output",
                             path),
                   path),
        GLT_TOPIC_EXISTS, NULL);
}

int glt_run_report(const char *folder, const char *path, const char *title)
{
    REQUIRE(folder, path, title);
    struct file *f;
    TRY(report_run_place(folder, path));
    TRY(file_create(&f, path));
    return file_finish(f, report_run_print(f, folder, title));
}
