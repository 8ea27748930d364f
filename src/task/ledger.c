/* The ledger of a folder of labelled clouds: see ledger.h. */
#include "task/ledger.h"

#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_temporary.h"
#include "core/file_write.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "core/string.h"
#include "formats/format.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 16 };

static int join(char path[PATH_MAX], const char *folder, const char *under, const char *place,
                const char *name)
{
    if (snprintf(path, PATH_MAX, "%s%s%s%s", folder, under, place, name) < PATH_MAX)
        return 0;
    return error_topic(error_in(GLT_EARGUMENT, folder, "the path of %.80s is too long", name),
                       GLT_TOPIC_SIZE_LIMIT, NULL);
}

/* Whether no part of the path after `from` is a link: parts are folders or missing, the last a
 * folder, a file or missing. */
static bool stays(char path[PATH_MAX], size_t from, bool folder)
{
    bool good = true;
    for (char *end = path + from; good && *end;) {
        end += 1 + strcspn(end + 1, "/");
        char rest = *end;
        *end = 0;
        bool missing = file_is_plain(path) && !file_exists(path);
        good = rest || folder ? missing || file_is_own_folder(path) : file_is_plain(path);
        *end = rest;
    }
    return good;
}

int ledger_path(char path[PATH_MAX], const struct ledger *l, const char *place, const char *name)
{
    TRY(join(path, l->folder, "/.gelatto", place, name));
    if (stays(path, strlen(l->folder), false))
        return 0;
    return error_topic(error_file(error_set(GLT_EIO,
                                            "%s is not a file of the folder's own but leads "
                                            "elsewhere, by a link: remove %s/.gelatto",
                                            path, l->folder),
                                  path),
                       GLT_TOPIC_KIND, NULL);
}

int ledger_put(const char *path, const void *bytes, size_t len)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    TRY(file_make_folder(folder));
    return file_put(path, bytes, len);
}

int ledger_print(struct ledger_print *out, const char *path)
{
    return digest_path(out->digest, &out->bytes, path);
}

/* --- the plan --- */

/* Appends a line of JSON; takes the value. */
static int add_line(struct string *s, struct json *value)
{
    char *text = NULL;
    size_t len;
    int code = value ? json_print(&text, &len, value) : GLT_ENOMEM;
    if (code == 0)
        string_add(s, "%s\n", text);
    memory_free(text);
    json_free(value);
    return code < 0 ? code : s->code;
}

static int by_output(const void *a, const void *b)
{
    return strcmp((*(const struct ledger_file *const *)a)->output,
                  (*(const struct ledger_file *const *)b)->output);
}

static int plan_text(struct string *s, struct call *call, const struct ledger *l,
                     const struct ledger_file *files, int32_t n)
{
    const struct ledger_file **order = call_alloc(call, (size_t)n, sizeof *order);
    if (!order)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        order[i] = &files[i];
    qsort(order, (size_t)n, sizeof *order, by_output);
    TRY(add_line(s, json_pack("{s:s, s:s, s:s, s:I}", "version", l->version, "model", l->model,
                              "options", l->options, "files", (int64_t)n)));
    for (int32_t i = 0; i < n; i++) {
        if (!json_holds(order[i]->input) || !json_holds(order[i]->output))
            return error_topic(
                error_in(GLT_EARGUMENT, order[i]->input, "records need names in UTF-8: rename it"),
                GLT_TOPIC_ARGUMENT, "inputs");
        TRY(add_line(s, json_pack("{s:s, s:s, s:I}", "output", order[i]->output, "input",
                                  order[i]->input, "bytes", order[i]->bytes)));
    }
    return 0;
}

/* Whether the file holds exactly this text; false if it cannot be read. */
static bool has_text(const char *path, const struct string *s)
{
    char *old = NULL;
    size_t len;
    bool same = file_exists(path) && file_read_all(&old, &len, path, (size_t)s->len) == 0 &&
                len == (size_t)s->len && !memcmp(old, s->bytes, len);
    memory_free(old);
    return same;
}

int ledger_write_plan(const struct ledger *l, const struct ledger_file *files, int32_t n)
{
    char path[PATH_MAX];
    struct call call = {0};
    struct string s = {0};
    int code = ledger_path(path, l, "/plan.jsonl", "");
    if (code == 0)
        code = plan_text(&s, &call, l, files, n);
    if (code == 0 && !has_text(path, &s))
        code = ledger_put(path, s.bytes, (size_t)s.len);
    string_free(&s);
    call_free(&call);
    return code;
}

/* Whether a name stays below the folder: a foreign plan must not lead elsewhere. */
static bool is_below(const char *name)
{
    if (*name == '/' || !*name)
        return false;
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2]))
            return false;
    }
    return true;
}

/* The next line of a plan as an object. */
static int read_line(struct json **out, struct file *f)
{
    char *line;
    size_t len;
    TRY(file_line(f, &line, &len, LINE_MAX_BYTES));
    if (!line)
        return error_topic(error_in(GLT_EFORMAT, file_name(f), "the plan is cut short"),
                           GLT_TOPIC_TRUNCATED, NULL);
    return json_parse(out, file_name(f), line, len);
}

static int read_job(struct ledger *l, int32_t *n, struct call *call, struct file *f)
{
    struct json *x = NULL;
    const char *version, *model, *options;
    int64_t files;
    TRY(read_line(&x, f));
    int code = json_want_string(&version, file_name(f), x, "version");
    if (code == 0)
        code = json_want_string(&model, file_name(f), x, "model");
    if (code == 0)
        code = json_want_string(&options, file_name(f), x, "options");
    if (code == 0) /* one line for each file */
        code = json_want_int(&files, file_name(f), x, "files", 0, file_size(f) / 2);
    if (code == 0) {
        *n = files < INT32_MAX ? (int32_t)files : INT32_MAX;
        l->version = call_string(call, version);
        l->model = call_string(call, model);
        l->options = call_string(call, options);
        code = l->version && l->model && l->options ? 0 : GLT_ENOMEM;
    }
    json_free(x);
    return code;
}

static int read_planned(struct ledger_file *out, struct call *call, struct file *f)
{
    struct json *x = NULL;
    const char *input, *output;
    TRY(read_line(&x, f));
    int code = json_want_string(&output, file_name(f), x, "output");
    if (code == 0)
        code = json_want_string(&input, file_name(f), x, "input");
    if (code == 0)
        code = json_want_int(&out->bytes, file_name(f), x, "bytes", 0, INT64_MAX);
    if (code == 0 && !is_below(output))
        code = error_topic(
            error_in(GLT_EFORMAT, file_name(f), "the output %.80s is not below the folder", output),
            GLT_TOPIC_VALUE, "output");
    if (code == 0) {
        out->input = call_string(call, input);
        out->output = call_string(call, output);
        code = out->input && out->output ? 0 : GLT_ENOMEM;
    }
    json_free(x);
    return code;
}

int ledger_read_plan(struct ledger *l, struct ledger_file **files, int32_t *n, struct call *call,
                     const char *folder)
{
    char path[PATH_MAX];
    struct file *f;
    *l = (struct ledger){.folder = folder};
    TRY(ledger_path(path, l, "/plan.jsonl", ""));
    if (!file_exists(path))
        return error_topic(error_in(GLT_EDATA, folder,
                                    "there is no plan: it is not a folder of clouds that were "
                                    "labelled in shards"),
                           GLT_TOPIC_MISSING, "plan.jsonl");
    TRY(file_open(&f, path));
    int code = read_job(l, n, call, f);
    *files = code == 0 ? call_alloc(call, (size_t)*n, sizeof **files) : NULL;
    if (code == 0 && !*files)
        code = GLT_ENOMEM;
    for (int32_t i = 0; i < *n && code == 0; i++)
        code = read_planned(&(*files)[i], call, f);
    file_close(f);
    return code;
}

/* --- records --- */

static int by_digest(const void *a, const void *b)
{
    const struct ledger_print *x = a, *y = b;
    return strcmp(x->digest, y->digest);
}

struct json *ledger_sources(const struct ledger *l, const struct ledger_print *input,
                            struct ledger_print *around, int32_t n)
{
    struct json *list = json_array();
    if (n > 0)
        qsort(around, (size_t)n, sizeof *around, by_digest);
    for (int32_t i = 0; i < n; i++)
        json_append(list, json_string(around[i].digest));
    return json_pack("{s:s, s:s, s:s, s:{s:I, s:s}, s:o}", "version", l->version, "model", l->model,
                     "options", l->options, "input", "bytes", input->bytes, "digest", input->digest,
                     "neighbours", list);
}

static int record_path(char path[PATH_MAX], const struct ledger *l, const char *output)
{
    char name[PATH_MAX];
    TRY(join(name, output, ".json", "", ""));
    return ledger_path(path, l, "/files/", name);
}

static int put_record(const char *path, struct json *record)
{
    struct string s = {0};
    int code = add_line(&s, record);
    if (code == 0)
        code = ledger_put(path, s.bytes, (size_t)s.len);
    string_free(&s);
    return code;
}

int ledger_write(const struct ledger *l, const char *output, struct json *sources,
                 struct json *summary)
{
    char path[PATH_MAX];
    struct ledger_print made;
    int code = join(path, l->folder, "/", "", output);
    if (code == 0)
        code = ledger_print(&made, path);
    if (code == 0)
        code = record_path(path, l, output);
    if (code < 0) {
        json_free(sources);
        json_free(summary);
        return code;
    }
    return put_record(path,
                      json_pack("{s:{s:I, s:s}, s:o, s:o}", "output", "bytes", made.bytes, "digest",
                                made.digest, "sources", sources, "summary", summary));
}

int ledger_read(struct json **record, const struct ledger *l, const char *output)
{
    char path[PATH_MAX];
    *record = NULL;
    TRY(record_path(path, l, output));
    int code = file_exists(path) ? json_parse_file(record, path, JSON_OBJECT) : 0;
    return code == GLT_ENOMEM ? code : 0; /* a damaged record counts as missing */
}

static bool has_string(const struct json *object, const char *key, const char *text)
{
    const char *value = json_string_value(json_get(object, key));
    return value && !strcmp(value, text);
}

bool ledger_is_current(const struct ledger *l, const struct json *record)
{
    const struct json *sources = json_get(record, "sources");
    return has_string(sources, "version", l->version) && has_string(sources, "model", l->model) &&
           has_string(sources, "options", l->options);
}

int ledger_check_output(bool *whole, const struct ledger *l, const char *output,
                        const struct json *record)
{
    char path[PATH_MAX];
    const struct json *made = json_get(record, "output");
    struct ledger_print now;
    *whole = false;
    TRY(join(path, l->folder, "/", "", output));
    if (!file_exists(path))
        return 0;
    int code = ledger_print(&now, path);
    if (code == GLT_EINTERRUPTED || code == GLT_ENOMEM)
        return code;
    *whole = code == 0 && json_integer_value(json_get(made, "bytes")) == now.bytes &&
             has_string(made, "digest", now.digest);
    return 0;
}

/* --- leftovers of killed processes --- */

/* The temporary files of clouds, and of the ledger. */
static bool is_ours(const char *target)
{
    const struct format *f;
    size_t len = strlen(target);
    return (len > 5 && !strcmp(target + len - 5, ".json")) || !strcmp(target, "plan.jsonl") ||
           format_by_extension(&f, target) == 0;
}

/* A plan is not trusted: links that lead out of the folder are not followed. */
static int sweep_folder(const struct ledger *l, const char *place, const char *name)
{
    char path[PATH_MAX];
    TRY(join(path, l->folder, "", place, name));
    bool good = stays(path, strlen(l->folder), true) && file_is_folder(path);
    return good ? file_sweep(path, is_ours) : 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The folder of an output relative to the common one: "" or with a leading slash. */
static int find_folders(char **folders, struct call *call, const struct ledger_file *files,
                        int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const char *slash = strrchr(files[i].output, '/');
        folders[i] = call_print(call, "%s%.*s", slash ? "/" : "",
                                slash ? (int)(slash - files[i].output) : 0, files[i].output);
        if (!folders[i])
            return GLT_ENOMEM;
    }
    qsort(folders, (size_t)n, sizeof *folders, by_name);
    return 0;
}

static int sweep_all(struct call *call, const struct ledger *l, const struct ledger_file *files,
                     int32_t n)
{
    char **folders = call_alloc(call, (size_t)n, sizeof *folders);
    if (!folders)
        return GLT_ENOMEM;
    TRY(find_folders(folders, call, files, n));
    TRY(sweep_folder(l, "/.gelatto", ""));
    static const char *const places[] = {"", "/.gelatto/files", "/.gelatto/boxes"};
    for (int32_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3 && (i == 0 || strcmp(folders[i], folders[i - 1])); k++)
            TRY(sweep_folder(l, places[k], folders[i]));
    return 0;
}

int ledger_sweep(const struct ledger *l, const struct ledger_file *files, int32_t n)
{
    struct call call = {0};
    int code = sweep_all(&call, l, files, n);
    call_free(&call);
    return code;
}
