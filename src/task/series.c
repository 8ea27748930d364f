/* Runs of a series: see series.h. */
#include "task/series.h"

#include "cloud/classes.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/string.h"
#include "datasets/dataset.h"
#include "datasets/dataset_fingerprint.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "model/model.h"
#include "model/model_file.h"
#include "model/models.h"
#include "task/checkpoint.h"
#include "task/score.h"
#include "task/spread.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CLASSES_MAX = 4096 }; /* of a confusion matrix, whose file is not trusted */

int series_folder(char dst[SERIES_PATH], const struct glt_series_options *o, const char *name)
{
    TRY(file_join(dst, SERIES_PATH, o->runs ? o->runs : "runs", o->name ? o->name : name));
    return file_make_folder(dst);
}

int series_init(char hex[DIGEST_SIZE], const struct glt_series_options *o)
{
    char path[SERIES_PATH];
    hex[0] = 0;
    if (!o->init)
        return 0;
    TRY(models_find(path, sizeof path, o->init));
    return digest_path(hex, NULL, path);
}

static int write_json(const char *folder, const char *name, const struct json *value)
{
    char *text = NULL;
    size_t len;
    TRY(json_print(&text, &len, value));
    int code = file_put_text(folder, name, text);
    memory_free(text);
    return code;
}

/* Reads what an earlier call has written; *out does not change if there is none. */
static int read_written(struct json **out, const char *folder, const char *name)
{
    char path[SERIES_PATH];
    TRY(file_join(path, sizeof path, folder, name));
    return file_exists(path) ? json_parse_file(out, path, JSON_OBJECT) : 0;
}

/* --- the request --- */

/* Everything that determines the result, as strings. */
static int make_asked(struct json **out, const struct series_job *j)
{
    const struct glt_series_options *o = j->options;
    char text[256];
    struct json *all =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I}", "data", j->data, "fingerprint", j->fingerprint,
                  "init", o->init ? o->init : "", "split", o->split ? o->split : "test", "steps",
                  (int64_t)o->steps, "validate", (int64_t)o->validate);
    bool made = all;
    int code = 0;
    if (made && *j->init) /* the path may get another model while the series runs */
        made = json_set(all, "init_digest", json_string(j->init)) == 0;
    for (int i = 0; i < options_count && made && code == 0; i++) {
        const char *key = options[i].key;
        if (!j->config->given[i] || !options_decide(&options[i]))
            continue;
        code = config_get(j->config, key, text, sizeof text);
        if (code == 0)
            made = json_set(all, key, json_string(text)) == 0;
    }
    if (!made)
        code = error_topic(error_in(GLT_ENOMEM, j->folder, "out of memory, or a path is not UTF-8"),
                           GLT_TOPIC_MEMORY, NULL);
    if (code < 0)
        json_free(all);
    else
        *out = all;
    return code;
}

/* The first member of a that is different or missing in b; NULL: none. */
static const char *first_other(const struct json *a, const struct json *b)
{
    const char *key;
    struct json *value;
    for (size_t at_key = 0; (key = json_key(a, at_key)) && (value = json_at(a, at_key)); at_key++) {
        if (!json_equal(value, json_get(b, key)))
            return key;
    }
    return NULL;
}

static void show(char *dst, size_t size, const struct json *all, const char *key)
{
    const struct json *value = json_get(all, key);
    const char *text = json_string_value(value);
    if (json_is(value, JSON_INTEGER))
        snprintf(dst, size, "%lld", (long long)json_integer_value(value));
    else
        snprintf(dst, size, "%s", text ? text : "the default");
}

static int compare_asked(const struct series_job *j, const struct json *now,
                         const struct json *then)
{
    char a[256], b[256];
    const char *key = first_other(now, then);
    if (!key)
        key = first_other(then, now);
    if (!key)
        return 0;
    if (!strcmp(key, "fingerprint"))
        return error_topic(
            error_file(error_set(GLT_EEXISTS,
                                 "%s was started with other data, or another seed of its split: "
                                 "choose another name, or remove the folder",
                                 j->folder),
                       j->folder),
            GLT_TOPIC_RESUME, key);
    show(a, sizeof a, then, key);
    show(b, sizeof b, now, key);
    error_set(
        GLT_EEXISTS,
        "%s was started with %s = %s, now it is %s: choose another name, or remove the folder",
        j->folder, key, a, b);
    return error_topic(error_file(GLT_EEXISTS, j->folder), GLT_TOPIC_RESUME, key);
}

/* A run that failed before its options were written (for example a missing initial model) does not
 * count: its request may change. */
static int settle_asked(const struct series_job *j)
{
    struct json *now = NULL, *then = NULL;
    bool begun =
        file_exists_in(j->folder, "config.yaml") || file_exists_in(j->folder, "score.json");
    TRY(make_asked(&now, j));
    int code = begun ? read_written(&then, j->folder, "asked.json") : 0;
    if (code == 0)
        code = then ? compare_asked(j, now, then) : write_json(j->folder, "asked.json", now);
    json_free(now);
    json_free(then);
    return code;
}

/* --- scores --- */

static struct json *matrix_json(const struct confusion *c)
{
    struct json *rows = json_array();
    for (int32_t i = 0; i < c->classes; i++) {
        struct json *row = json_array();
        for (int32_t k = 0; k < c->classes; k++)
            json_append(row, json_integer(c->count[(int64_t)i * c->classes + k]));
        json_append(rows, row);
    }
    return rows;
}

static int make_record(struct json **out, const struct score *x, const struct dataset *d,
                       enum split s)
{
    char fingerprint[DIGEST_SIZE];
    TRY(dataset_fingerprint(fingerprint, d));
    struct json *names = json_array();
    for (int32_t i = 0; i < d->classes.n; i++)
        json_append(names, json_string(d->classes.names[i]));
    struct json *all = json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:o, s:o}", "gelatto", glt_version(), "commit",
        glt_commit(), "fingerprint", fingerprint, "split", dataset_split_name(s), "clouds",
        (int64_t)x->items, "samples", (int64_t)x->samples, "metric_name",
        score_metric_name(d->task), "classes", names, "confusion", matrix_json(&x->confusion));
    if (!all)
        return error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    json_set(all, "metric", json_finite(x->metric));
    json_set(all, "miou", json_finite(x->scores.miou));
    json_set(all, "macc", json_finite(x->scores.macc));
    json_set(all, "oa", json_finite(x->scores.oa));
    if (d->task == TASK_PARTS) {
        json_set(all, "category_miou", json_finite(part_scores_category(&x->parts)));
        json_set(all, "instance_miou", json_finite(part_scores_instance(&x->parts)));
    }
    *out = all;
    return 0;
}

/* The best model of a finished run. */
struct best {
    struct model *model;
    struct dataset *data;
    struct score score;
};

static int score_best(struct json **record, struct best *b, const struct series_job *j)
{
    char path[SERIES_PATH];
    enum split split;
    TRY(file_join(path, sizeof path, j->folder, "best.safetensors"));
    TRY(model_load(&b->model, path));
    const struct config *c = &b->model->config;
    struct score_options o = {.sampling = c->sampling, .seed = c->seed};
    struct data_settings data = c->data;
    memcpy(data.cache, j->config->data.cache, sizeof data.cache); /* models store none */
    TRY(dataset_open(&b->data, j->data, &data, c->seed));
    dataset_hold(b->data, c->sampling.block); /* the tiles that the run has held back */
    b->data->scored = true;
    TRY(score_split(&split, b->data, j->options->split));
    TRY(score_model(&b->score, b->model, b->data, split, &o));
    return make_record(record, &b->score, b->data, split);
}

static int score_run(struct json **record, const struct series_job *j)
{
    struct best b = {.model = NULL};
    int code = score_best(record, &b, j);
    score_free(&b.score);
    dataset_close(b.data);
    model_free(b.model);
    return code;
}

static int take_record(struct series_score *out, struct json *record, const char *folder)
{
    struct series_score x = {.record = record};
    struct json *rows = NULL;
    int code = json_want(&rows, folder, record, "confusion", JSON_ARRAY);
    int32_t n = (int32_t)json_size(rows);
    if (n > CLASSES_MAX)
        code = error_topic(
            error_in(GLT_ELIMIT, folder, "score.json: more than %d classes", CLASSES_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    if (code == 0)
        code = confusion_create(&x.confusion, n);
    if (code == 0)
        code = scores_create(&x.scores, n);
    if (code < 0) {
        series_free(&x);
        return code;
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < n; k++)
            x.confusion.count[(int64_t)i * n + k] =
                json_integer_value(json_at(json_at(rows, (size_t)i), (size_t)k));
    if (confusion_check(&x.confusion) < 0) {
        series_free(&x);
        return error_prefix(GLT_EFORMAT, "%s/score.json: ", folder);
    }
    scores_of(&x.scores, &x.confusion);
    *out = x;
    return 0;
}

void series_free(struct series_score *s)
{
    json_free(s->record);
    confusion_free(&s->confusion);
    scores_free(&s->scores);
    *s = (struct series_score){0};
}

double series_value(const struct series_score *s, const char *key)
{
    const struct json *value = json_get(s->record, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* --- a run --- */

static int train(const struct series_job *j)
{
    const struct glt_series_options *o = j->options;
    struct glt_train_options t = {.size = sizeof t,
                                  .folder = j->folder,
                                  .init = o->init,
                                  .steps = o->steps,
                                  .save = o->save,
                                  .validate = o->validate};
    int code = glt_train((const struct glt_config *)j->config, j->data, &t, j->fn, j->user);
    if (code == GLT_EINTERRUPTED)
        return error_topic(
            error_file(error_set(code, "stopped in %s; the same call resumes here", j->folder),
                       j->folder),
            GLT_TOPIC_STOPPED, "series");
    return code;
}

/* Takes the run; 1 if another process has it. */
static int take_run(struct file_lock **lock, const struct series_job *j)
{
    char path[SERIES_PATH];
    TRY(file_join(path, sizeof path, j->folder, ".series"));
    for (;;) {
        int code = file_lock(lock, path);
        if (code != GLT_EEXISTS)
            return code;
        if (!j->wait)
            return 1;
        TRY(progress_report("waiting for another process", 0, 1));
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    }
}

/* A kill may have come between the score and this. */
static int clear_checkpoints(const struct series_job *j)
{
    char path[SERIES_PATH];
    TRY(file_join(path, sizeof path, j->folder, "checkpoints"));
    return file_is_own_folder(path) ? checkpoint_clear(path) : 0;
}

static int run(struct series_score *out, const struct series_job *j)
{
    struct json *record = NULL;
    int code = 0;
    TRY(settle_asked(j));
    TRY(read_written(&record, j->folder, "score.json"));
    if (!record) {
        TRY(train(j));
        TRY(score_run(&record, j));
        code = write_json(j->folder, "score.json", record);
    }
    if (code == 0)
        code = clear_checkpoints(j);
    if (code < 0) {
        json_free(record);
        return code;
    }
    return take_record(out, record, j->folder);
}

int series_look(struct series_score *out, const struct series_job *j)
{
    struct json *record = NULL;
    TRY(read_written(&record, j->folder, "score.json"));
    if (!record)
        return 0;
    int code = settle_asked(j);
    if (code < 0)
        json_free(record);
    else
        code = take_record(out, record, j->folder);
    return code < 0 ? code : 1;
}

int series_run(struct series_score *out, const struct series_job *j)
{
    struct file_lock *lock = NULL;
    TRY(file_make_folder(j->folder));
    int code = take_run(&lock, j);
    if (code == 0)
        code = run(out, j);
    file_unlock(lock);
    return code;
}

/* --- ranks --- */

int series_part(struct series_ranks *s, const struct config *c, const char *data,
                const struct glt_series_options *o)
{
    struct string facts = {0};
    *s = (struct series_ranks){.ranks = ranks_current()};
    ranks_begin(s->ranks);
    if (s->ranks) {
        spread_add_build(&facts);
        spread_add_options(&facts, c);
        spread_add(&facts, "data", data);
        spread_add(&facts, "runs", o->runs);
        spread_add(&facts, "name", o->name);
        spread_add_number(&facts, "steps", o->steps);
        spread_add_number(&facts, "seeds", o->seeds);
        TRY(spread_same(s->ranks, &facts));
    }
    context_copy(&s->own, context_current());
    s->own.ranks = NULL;
    s->before = context_enter(&s->own);
    return 0;
}

int series_meet(struct series_ranks *s, int code)
{
    context_enter(s->before);
    return ranks_settle(s->ranks, code);
}

bool series_writes(const struct series_ranks *s)
{
    return ranks_number(s->ranks) == 0;
}
