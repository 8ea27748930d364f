/* Checkpoints: see checkpoint.h. The counters are in the metadata as one JSON text under
 * `gelatto.run`; doubles have 17 digits there, so they are restored exactly. */
#include "task/checkpoint.h"

#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_syscall.h"
#include "core/file_temporary.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/log.h"
#include "core/memory.h"
#include "model/model.h"
#include "model/model_file.h"
#include "model/safetensors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(real) == sizeof(float), "moments are stored as they are");

static const char RUN_KEY[] = "gelatto.run";
static const char *const LOSSES[] = {"loss", "main", "aux1", "aux2", "aux3", "aux4"};

/* --- writing --- */

static struct json *state_json(const struct checkpoint *c)
{
    struct json *sums = json_object();
    for (int i = 0; i < 6; i++)
        json_set(sums, LOSSES[i], json_real(c->losses[i]));
    struct json *all =
        json_pack("{s:I, s:I, s:I, s:b, s:I, s:I, s:I, s:f, s:o, s:s, s:s}", "epoch",
                  (int64_t)c->epoch, "batch", (int64_t)c->batch, "steps", (int64_t)c->steps,
                  "scored", (int)c->scored, "best_epoch", (int64_t)c->best_epoch, "end",
                  (int64_t)c->end, "validate", (int64_t)c->validate, "seconds", c->seconds, "sums",
                  sums, "data", c->data, "fingerprint", c->fingerprint);
    if (all && c->replay[0]) {
        json_set(all, "replay", json_string(c->replay));
        json_set(all, "replay_seed", json_integer(c->replay_seed));
        json_set(all, "replay_fingerprint", json_string(c->replay_fingerprint));
    }
    if (all) {
        json_set(all, "best", isnan(c->best) ? json_null() : json_real(c->best));
        json_set(all, "metric", isnan(c->metric) ? json_null() : json_real(c->metric));
    }
    return all;
}

static int make_notes(struct json **out, const struct checkpoint *c)
{
    char *text = NULL;
    size_t len = 0;
    struct json *state = state_json(c), *notes = json_object();
    int code =
        state && notes
            ? json_print(&text, &len, state)
            : error_topic(error_set(GLT_ENOMEM, "a checkpoint: out of memory, or the path of "
                                                "the data is not UTF-8"),
                          GLT_TOPIC_MEMORY, NULL);
    if (code == 0 && json_set(notes, RUN_KEY, json_string(text)))
        code = error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    memory_free(text);
    json_free(state);
    if (code == 0)
        *out = notes;
    else
        json_free(notes);
    return code;
}

/* m and v of every trained tensor, in the order of the model. */
static int list_moments(struct st_source *list, const struct trainer *t)
{
    static const char *const names[] = {"adam.m/", "adam.v/"};
    const real *blocks[] = {t->m, t->v};
    int n = 0;
    for (int k = 0; k < 2; k++) {
        for (int32_t i = 0; i < t->model->count; i++) {
            const struct parameter *p = &t->model->parameters[i];
            if (p->statistic)
                continue;
            struct st_source *s = &list[n++];
            *s = (struct st_source){.type = ST_F32, .dims = p->vector ? 1 : 2};
            snprintf(s->name, sizeof s->name, "%s%s", names[k], p->name);
            s->shape[0] = p->vector ? p->cols : p->rows;
            s->shape[1] = p->cols;
            s->items = blocks[k] + p->offset;
        }
    }
    return n;
}

#define CHECKPOINT_NAME "step-%08lld.safetensors"

static bool is_checkpoint(const char *name)
{
    size_t len = strlen(name);
    return len > 17 && !strncmp(name, "step-", 5) && !strcmp(name + len - 12, ".safetensors");
}

/* Names sort by step: eight digits, or more if necessary. */
static int compare_steps(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    return la != lb ? (la > lb) - (la < lb) : strcmp(a, b);
}

static void sort_names(char **names, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && compare_steps(names[k - 1], names[k]) > 0; k--) {
            char *swap = names[k];
            names[k] = names[k - 1];
            names[k - 1] = swap;
        }
}

/* Links are not followed: their targets belong to somebody else. */
static bool is_own(const char *folder, const char *name)
{
    char path[CHECKPOINT_PATH];
    return file_join(path, sizeof path, folder, name) == 0 && file_is_plain(path);
}

/* The checkpoints in a folder, oldest first. */
static int list_checkpoints(char ***names, size_t *n, const char *folder)
{
    size_t kept = 0;
    if (!file_is_own_folder(folder))
        return error_topic(
            error_file(error_set(GLT_EIO, "%s: there is no such folder of checkpoints", folder),
                       folder),
            GLT_TOPIC_NOT_FOUND, NULL);
    TRY(file_list(names, n, folder));
    for (size_t i = 0; i < *n; i++) {
        if (is_checkpoint((*names)[i]) && is_own(folder, (*names)[i]))
            (*names)[kept++] = (*names)[i];
        else
            memory_free((*names)[i]);
    }
    *n = kept;
    sort_names(*names, kept);
    return 0;
}

/* Too many files are harmless: failure to remove one is only a warning. */
static int prune(const char *folder, size_t kept)
{
    char **names, path[CHECKPOINT_PATH];
    size_t n;
    TRY(list_checkpoints(&names, &n, folder));
    for (size_t i = 0; i + kept < n; i++)
        if (file_join(path, sizeof path, folder, names[i]) < 0 || file_remove(path) < 0)
            log_warning(glt_error_topic(), glt_error_name(), "%s", glt_error_message());
    file_free_names(names, n);
    return 0;
}

int checkpoint_save(const struct trainer *t, const struct checkpoint *c, const char *folder)
{
    char name[64], path[CHECKPOINT_PATH];
    struct json *notes = NULL;
    bool older;
    TRY(checkpoint_any(&older, folder));
    snprintf(name, sizeof name, CHECKPOINT_NAME, (long long)c->steps);
    TRY(file_join(path, sizeof path, folder, name));
    if (!is_own(folder, name))
        return error_topic(
            error_file(error_set(GLT_EIO, "%s takes the name of a checkpoint: remove it", path),
                       path),
            GLT_TOPIC_EXISTS, NULL);
    struct st_source *list = memory_alloc(2 * (size_t)t->model->count, sizeof *list);
    int code = list ? make_notes(&notes, c) : GLT_ENOMEM;
    if (code == 0)
        code = model_save(t->model, path, false, list, list_moments(list, t), notes);
    json_free(notes);
    memory_free(list);
    if (code == GLT_EIO && glt_error_topic() != GLT_TOPIC_UNSYNCED)
        return error_topic(error_prefix(code, "%s",
                                        older ? "the checkpoint was not written, the older ones "
                                                "are complete: "
                                              : "the first checkpoint was not written: "),
                           GLT_TOPIC_CHECKPOINT, older ? folder : NULL);
    TRY(code);
    return prune(folder, CHECKPOINT_KEPT);
}

/* --- reading --- */

static int want_real(double *out, const char *name, const struct json *object, const char *key)
{
    const struct json *value = json_get(object, key);
    if (!json_is_number(value))
        return error_topic(error_in(GLT_EFORMAT, name, "'%s' is not a number", key),
                           GLT_TOPIC_VALUE, "gelatto.run");
    *out = json_number_value(value);
    return 0;
}

static int want_text(char *dst, size_t size, const char *name, const struct json *object,
                     const char *key)
{
    const char *text;
    TRY(json_want_string(&text, name, object, key));
    if (strlen(text) >= size)
        return error_topic(error_in(GLT_EFORMAT, name, "'%s' is too long", key), GLT_TOPIC_VALUE,
                           "gelatto.run");
    strcpy(dst, text);
    return 0;
}

static int parse_state(struct checkpoint *c, const char *name, const struct json *all)
{
    const int64_t max = (int64_t)1 << 53;
    struct json *sums;
    TRY(json_want_int(&c->epoch, name, all, "epoch", 0, max));
    TRY(json_want_int(&c->batch, name, all, "batch", 0, max));
    TRY(json_want_int(&c->steps, name, all, "steps", 0, max));
    TRY(json_want_int(&c->best_epoch, name, all, "best_epoch", 0, max));
    if (json_get(all, "end")) { /* builds before the release of 0.1.0 did not store them */
        TRY(json_want_int(&c->end, name, all, "end", 0, max));
        TRY(json_want_int(&c->validate, name, all, "validate", 0, max));
    }
    c->scored = json_is(json_get(all, "scored"), JSON_TRUE);
    TRY(want_real(&c->seconds, name, all, "seconds"));
    c->best = NAN;
    if (!json_is(json_get(all, "best"), JSON_NULL))
        TRY(want_real(&c->best, name, all, "best"));
    c->metric = NAN;
    if (!json_is(json_get(all, "metric"), JSON_NULL))
        TRY(want_real(&c->metric, name, all, "metric"));
    TRY(json_want(&sums, name, all, "sums", JSON_OBJECT));
    for (int i = 0; i < 6; i++)
        TRY(want_real(&c->losses[i], name, sums, LOSSES[i]));
    TRY(want_text(c->data, sizeof c->data, name, all, "data"));
    c->replay[0] = c->replay_fingerprint[0] = 0;
    if (json_get(all, "replay")) {
        TRY(want_text(c->replay, sizeof c->replay, name, all, "replay"));
        TRY(json_want_int(&c->replay_seed, name, all, "replay_seed", 0, max));
        if (json_get(all, "replay_fingerprint")) /* earlier checkpoints have none */
            TRY(want_text(c->replay_fingerprint, sizeof c->replay_fingerprint, name, all,
                          "replay_fingerprint"));
    }
    return want_text(c->fingerprint, sizeof c->fingerprint, name, all, "fingerprint");
}

static int read_state(struct checkpoint *c, const struct safetensors *st)
{
    const char *text = safetensors_meta(st, RUN_KEY), *name = file_name(st->file);
    struct json *all = NULL;
    if (!text)
        return error_topic(
            error_in(GLT_EMODEL, name,
                     "a model, but not a checkpoint: start a new run from its weights"),
            GLT_TOPIC_CHECKPOINT, NULL);
    TRY(json_parse(&all, name, text, strlen(text)));
    int code = json_is(all, JSON_OBJECT)
                   ? parse_state(c, name, all)
                   : error_topic(error_in(GLT_EFORMAT, name, "%s is not an object", RUN_KEY),
                                 GLT_TOPIC_VALUE, "gelatto.run");
    json_free(all);
    return code;
}

int checkpoint_read_file(struct model **m, struct checkpoint *c, struct file *f)
{
    struct safetensors st;
    TRY(safetensors_open(&st, f));
    struct checkpoint *x = memory_alloc(1, sizeof *x);
    int code = x ? read_state(x, &st) : GLT_ENOMEM;
    if (code == 0)
        code = model_read(m, &st);
    if (code == 0)
        *c = *x;
    memory_free(x);
    safetensors_close(&st);
    return code;
}

int checkpoint_read(struct model **m, struct checkpoint *c, const char *path)
{
    struct file *f;
    TRY(file_open(&f, path));
    int code = checkpoint_read_file(m, c, f);
    file_close(f);
    return code;
}

static int read_moment(real *block, const struct parameter *p, const struct safetensors *st,
                       bool squares)
{
    char name[96];
    snprintf(name, sizeof name, "%s%s", squares ? "adam.v/" : "adam.m/", p->name);
    const struct st_tensor *t = safetensors_find(st, name);
    if (!t || t->type != ST_F32 || t->items != p->rows * p->cols)
        return error_topic(error_in(GLT_EMODEL, file_name(st->file),
                                    "tensor '%s' is missing or of another shape", name),
                           GLT_TOPIC_MISSING, name);
    TRY(safetensors_read_floats(st, t, block + p->offset));
    for (int64_t i = 0; i < t->items; i++) {
        real x = block[p->offset + i];
        if (squares ? !(x >= 0) : !isfinite(x)) /* squares of finite gradients may be infinite */
            return error_topic(error_in(GLT_ENUMERIC, file_name(st->file),
                                        "tensor '%s' holds %g, which no step of Adam makes", name,
                                        (double)x),
                               GLT_TOPIC_VALUE, name);
    }
    return 0;
}

static int read_moments(struct trainer *t, const struct safetensors *st)
{
    for (int32_t i = 0; i < t->model->count; i++) {
        const struct parameter *p = &t->model->parameters[i];
        if (p->statistic)
            continue;
        TRY(read_moment(t->m, p, st, false));
        TRY(read_moment(t->v, p, st, true));
    }
    return 0;
}

int checkpoint_moments(struct trainer *t, const struct checkpoint *c, const char *path)
{
    struct file *f;
    struct safetensors st = {0};
    TRY(file_open(&f, path));
    int code = safetensors_open(&st, f);
    if (code == 0)
        code = read_moments(t, &st);
    safetensors_close(&st);
    file_close(f);
    if (code == 0)
        t->steps = c->steps;
    return code;
}

int checkpoint_find(char path[CHECKPOINT_PATH], struct model **m, struct checkpoint *c,
                    const char *folder)
{
    char **names;
    size_t n;
    TRY(list_checkpoints(&names, &n, folder));
    int code = error_topic(error_in(GLT_EIO, folder, "there is no checkpoint to resume from"),
                           GLT_TOPIC_CHECKPOINT, NULL);
    for (size_t i = n; i-- > 0;) {
        code = file_join(path, CHECKPOINT_PATH, folder, names[i]);
        if (code == 0)
            code = checkpoint_read(m, c, path);
        if (code == 0 || code == GLT_ENOMEM)
            break;
        log_warning(GLT_TOPIC_CHECKPOINT, "passed over", "passed over: %s", glt_error_message());
    }
    file_free_names(names, n);
    return code;
}

int checkpoint_set_aside(const char *folder, int64_t steps)
{
    char **names, from[CHECKPOINT_PATH], to[CHECKPOINT_PATH], name[64], other[128];
    size_t n;
    snprintf(name, sizeof name, CHECKPOINT_NAME, (long long)steps);
    TRY(list_checkpoints(&names, &n, folder));
    for (size_t i = 0; i < n; i++) {
        if (compare_steps(names[i], name) <= 0)
            continue;
        snprintf(other, sizeof other, "unreadable-%s", names[i]);
        if (file_join(from, sizeof from, folder, names[i]) < 0 ||
            file_join(to, sizeof to, folder, other) < 0 || file_syscall_rename(from, to) < 0)
            log_warning(GLT_TOPIC_CHECKPOINT, "passed over", "%s: cannot be set aside", names[i]);
    }
    file_free_names(names, n);
    return 0;
}

int checkpoint_any(bool *any, const char *folder)
{
    char **names;
    size_t n;
    *any = false;
    if (!file_is_own_folder(folder))
        return 0;
    TRY(list_checkpoints(&names, &n, folder));
    *any = n > 0;
    file_free_names(names, n);
    return 0;
}

bool checkpoint_is_due(double since, double ahead, double cost)
{
    const double margin = 10; /* the next step may take longer than the last one */
    return since >= cost / CHECKPOINT_SHARE && since + ahead + cost >= CHECKPOINT_SECONDS - margin;
}

int checkpoint_clear(const char *folder)
{
    return prune(folder, 0);
}

int checkpoint_sweep(const char *folder)
{
    return file_sweep(folder, is_checkpoint);
}
