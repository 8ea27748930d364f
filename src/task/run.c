/* Run folders: see run.h. Records are appended line by line, so that a kill damages at most the
 * last line, which run_rewind drops. A power cut loses unsynced lines, or leaves zeros: records are
 * synced before every checkpoint, and run_rewind drops later lines. */
#include "task/run.h"

#include "config/options.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_temporary.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/number_print.h"
#include "core/parallel.h"
#include "core/print.h"
#include "core/string.h"
#include "kernels/gemm.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MAX = 1000000, LINE_BYTES = 2048 };

int run_path(char dst[RUN_PATH], const struct run *r, const char *name)
{
    return file_join(dst, RUN_PATH, r->folder, name);
}

static int take(struct run *r)
{
    char path[RUN_PATH];
    TRY(run_path(path, r, "checkpoints"));
    TRY(file_make_folder(path));
    TRY(run_path(path, r, ".lock"));
    return file_lock(&r->lock, path);
}

int run_create(struct run *r, const char *parent, const char *name)
{
    for (int n = 1; n < RUNS_MAX; n++) {
        char numbered[256];
        struct run x = {.lock = NULL};
        snprintf(numbered, sizeof numbered, "%.200s%d", name, n);
        TRY(file_join(x.folder, sizeof x.folder, parent, numbered));
        if (file_exists(x.folder))
            continue;
        int code = take(&x);
        if (code == GLT_EEXISTS)
            continue; /* another trainer was faster */
        if (code == 0)
            *r = x;
        return code;
    }
    return error_topic(
        error_in(GLT_ELIMIT, parent, "%s1 to %s%d are all taken", name, name, RUNS_MAX),
        GLT_TOPIC_EXISTS, NULL);
}

/* An untrusted run may contain links, and records are overwritten: refuse links, so that nothing
 * outside the folder changes, and pipes, which might block. */
static int check_records(const struct run *r)
{
    char **names = NULL, path[RUN_PATH];
    size_t n = 0;
    TRY(file_list(&names, &n, r->folder));
    int code = 0;
    for (size_t i = 0; code == 0 && i < n; i++) {
        if (!run_writes(names[i]))
            continue;
        code = run_path(path, r, names[i]);
        if (code == 0 && !file_is_plain(path))
            code = error_topic(
                error_file(error_set(GLT_EIO,
                                     "%s is not a file but a link, a pipe or a folder: put "
                                     "a copy in its place, or remove it",
                                     path),
                           path),
                GLT_TOPIC_KIND, NULL);
    }
    file_free_names(names, n);
    return code;
}

/* Old checkpoints are removed, but only in a folder of the run itself. */
static int check_checkpoints(const struct run *r)
{
    char path[RUN_PATH];
    TRY(run_path(path, r, "checkpoints"));
    if (!file_exists(path) || file_is_own_folder(path))
        return 0;
    return error_topic(
        error_file(error_set(GLT_EIO, "%s is a link or a file: put a folder in its place", path),
                   path),
        GLT_TOPIC_KIND, NULL);
}

int run_open(struct run *r, const char *folder)
{
    struct run x = {.lock = NULL};
    if (!file_is_folder(folder))
        return error_topic(error_in(GLT_EIO, folder, "there is no such run folder"),
                           GLT_TOPIC_NOT_FOUND, NULL);
    if (strlen(folder) >= sizeof x.folder)
        return error_topic(error_in(GLT_EARGUMENT, folder, "the path is too long"),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    strcpy(x.folder, folder);
    TRY(check_records(&x));
    TRY(check_checkpoints(&x));
    int code = take(&x);
    if (code == GLT_EEXISTS)
        return error_topic(error_in(GLT_EEXISTS, folder,
                                    "another process trains in this folder: wait until it "
                                    "ends, or train in another one"),
                           GLT_TOPIC_LOCKED, NULL);
    if (code == 0)
        *r = x;
    return code;
}

void run_close(struct run *r)
{
    file_unlock(r->lock);
    r->lock = NULL;
}

void run_say(const struct run *r, enum glt_log_level level, const char *format, ...)
{
    if (r->silent)
        return;
    char text[LINE_BYTES], line[LINE_BYTES + 64], path[RUN_PATH], stamp[32] = "";
    va_list args;
    va_start(args, format);
    print_list(text, sizeof text, format, args);
    va_end(args);
    log_message(level, "%s", text);
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
    int len = snprintf(line, sizeof line, "%s %s%s\n", stamp,
                       level == GLT_LOG_WARNING ? "warning: " : "", text);
    /* a failing log must not stop a training run */
    if (run_path(path, r, "log.txt") == 0)
        (void)file_append(path, line, (size_t)len);
}

int run_write_config(const struct run *r, const struct config *c)
{
    char path[RUN_PATH], line[LINE_BYTES];
    struct file *f;
    TRY(run_path(path, r, "config.yaml"));
    TRY(file_create(&f, path));
    int code = 0;
    for (int i = 0; i < options_count && code == 0; i++) {
        code = glt_config_line((const struct glt_config *)c, options[i].key, line, sizeof line);
        if (code == 0)
            code = file_print(f, "%s\n", line);
    }
    return file_finish(f, code);
}

int run_write_environment(const struct run *r, const char *data, const char *fingerprint)
{
    char path[RUN_PATH];
    TRY(run_path(path, r, "environment.json"));
    struct json *all =
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:s, s:s}", "gelatto", glt_version(), "commit",
                  glt_commit(), "kernels", kernels()->name, "threads", parallel_threads(), "cores",
                  (int)sysconf(_SC_NPROCESSORS_ONLN), "memory_gib", memory_machine() / 0x1p30,
                  "data", data, "fingerprint", fingerprint);
    if (!all)
        return error_topic(error_in(GLT_ENOMEM, path, "out of memory, or no UTF-8: %s", data),
                           GLT_TOPIC_MEMORY, NULL);
    char *text = NULL;
    size_t len;
    int code = json_print(&text, &len, all);
    if (code == 0)
        code = file_put(path, text, len);
    memory_free(text);
    json_free(all);
    return code;
}

/* Appends the line to a record and frees it. */
static int append(const struct run *r, const char *name, struct string *line)
{
    char path[RUN_PATH];
    int code = line->code < 0 ? line->code : run_path(path, r, name);
    if (code == 0)
        code = file_append(path, line->bytes, (size_t)line->len);
    string_free(line);
    return code;
}

static void add_number(struct string *line, double value, const char *otherwise)
{
    char number[NUMBER_PRINT_MAX];
    if (isfinite(value))
        number_print_double(number, value);
    string_add(line, "%s", isfinite(value) ? number : otherwise);
}

/* ,"key":number or null */
static void add_member(struct string *line, const char *key, double value)
{
    string_add(line, ",\"%s\":", key);
    add_number(line, value, "null");
}

int run_add_step(const struct run *r, const struct run_step *s)
{
    if (r->silent)
        return 0;
    static const char *const names[] = {"main", "aux1", "aux2", "aux3", "aux4"};
    struct string line = {0};
    string_add(&line, "{\"step\":%lld,\"epoch\":%lld", (long long)s->step, (long long)s->epoch);
    add_member(&line, "loss", s->loss);
    for (int i = 0; i < 5; i++)
        add_member(&line, names[i], s->losses[i]);
    add_member(&line, "lr", s->rate);
    add_member(&line, "seconds", s->seconds);
    string_add(&line, "}\n");
    return append(r, "metrics.jsonl", &line);
}

static const char csv_head[] = "step,epoch,loss,metric,miou,macc,oa,lr,seconds\n";
enum { CSV_COMMAS = 8 };

/* ,"attention":[{..},..]: four digits each, so that the line stays short */
static void add_attention(struct string *line, const struct glt_attention *rows)
{
    const char *before = "";
    string_add(line, ",\"attention\":[");
    for (const struct glt_attention *r = rows; r < rows + GLT_ATTENTION_ROWS; r++)
        if (r->centres > 0) {
            string_add(line,
                       "%s{\"level\":%d,\"block\":%d,\"head\":\"%s\",\"entropy\":%.4f,"
                       "\"saturation\":%.4f}",
                       before, r->level, r->block, r->head, r->entropy, r->saturation);
            before = ",";
        }
    string_add(line, "]");
}

int run_add_epoch(const struct run *r, const struct run_epoch *e)
{
    if (r->silent)
        return 0;
    const double values[] = {e->loss, e->metric, e->miou, e->macc, e->oa, e->rate, e->seconds};
    char path[RUN_PATH];
    struct string line = {0};
    TRY(run_path(path, r, "results.csv"));
    if (!file_exists(path))
        TRY(file_append(path, csv_head, sizeof csv_head - 1));
    string_add(&line, "%lld,%lld", (long long)e->step, (long long)e->epoch);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        string_add(&line, ",");
        add_number(&line, values[i], "");
    }
    string_add(&line, "\n");
    TRY(append(r, "results.csv", &line));
    if (!isfinite(e->metric) && !e->attention)
        return 0;
    string_add(&line, "{\"step\":%lld,\"epoch\":%lld", (long long)e->step, (long long)e->epoch);
    add_member(&line, "metric", e->metric);
    add_member(&line, "seconds", e->seconds);
    if (e->attention)
        add_attention(&line, e->attention);
    string_add(&line, "}\n");
    return append(r, "metrics.jsonl", &line);
}

bool run_has(const char *path)
{
    bool plain = file_is_plain(path);
    if (!plain)
        log_warning(GLT_TOPIC_KIND, NULL, "left out: %s is not a file of the run's own but a link",
                    path);
    return plain && file_exists(path);
}

bool run_writes(const char *name)
{
    static const char *const names[] = {"config.yaml",       "environment.json", "metrics.jsonl",
                                        "results.csv",       "curves.svg",       "asked.json",
                                        "confusion.csv",     "confusion.svg",    "best.safetensors",
                                        "last.safetensors",  "score.json",       "log.txt",
                                        "start.safetensors", "comparison.json",  "validation.ply"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return !strncmp(name, "dump-step-", 10);
}

int run_sweep(const struct run *r)
{
    return file_sweep(r->folder, run_writes);
}

/* The form of a record's lines, and which of them to keep. */
struct keep {
    const char *head; /* the first line of the file */
    const char *lead; /* the text before the step in a line */
    char end;         /* the last character of a line; 0: any */
    int commas;       /* of a line; 0: any */
    int64_t step;
    bool scored;
};

static bool is_whole(const struct keep *k, const char *line, size_t len)
{
    int commas = 0;
    for (const char *p = line; (p = strchr(p, ',')); p++)
        commas++;
    return (!k->end || line[len - 1] == k->end) && (!k->commas || commas == k->commas);
}

static bool is_kept(const struct keep *k, const char *line, size_t len)
{
    size_t lead = strlen(k->lead);
    int64_t step;
    if (len <= lead || strncmp(line, k->lead, lead) || !is_whole(k, line, len) ||
        !number_parse_int(&step, line + lead, line + len))
        return false;
    bool score = !lead || strstr(line, "\"metric\"");
    return step < k->step || (step == k->step && (!score || k->scored));
}

int run_line(char **line, size_t *len, struct file *f)
{
    int code = file_line(f, line, len, LINE_BYTES);
    if (code != GLT_EFORMAT)
        return code;
    *line = NULL; /* our lines are never that long */
    return 0;
}

/* A line without its newline was torn by a kill, even if the rest looks complete. */
static int keep_lines(const char *path, const struct keep *k)
{
    struct file *in = NULL, *out = NULL;
    char *line;
    size_t len;
    if (!file_exists(path))
        return 0;
    TRY(file_open(&in, path));
    int code = file_create(&out, path);
    if (code == 0)
        code = file_print(out, "%s", k->head);
    while (code == 0) {
        int64_t begin = file_offset(in);
        code = run_line(&line, &len, in);
        if (code < 0 || !line)
            break;
        bool ended = file_offset(in) - begin > (int64_t)len;
        if (ended && is_kept(k, line, len))
            code = file_print(out, "%s\n", line);
    }
    file_close(in);
    return file_finish(out, code);
}

int run_sync(const struct run *r)
{
    static const char *const names[] = {"metrics.jsonl", "results.csv"};
    for (int i = 0; i < 2 && !r->silent; i++) {
        char path[RUN_PATH];
        TRY(run_path(path, r, names[i]));
        TRY(file_sync(path));
    }
    return 0;
}

int run_rewind(const struct run *r, int64_t step, bool scored)
{
    char path[RUN_PATH];
    TRY(run_path(path, r, "metrics.jsonl"));
    TRY(keep_lines(path, &(struct keep){"", "{\"step\":", '}', 0, step, scored}));
    TRY(run_path(path, r, "results.csv"));
    return keep_lines(path, &(struct keep){csv_head, "", 0, CSV_COMMAS, step, scored});
}
