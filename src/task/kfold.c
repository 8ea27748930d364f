/* Cross-validation over areas: each area is held out, and scored with a model trained on the
 * others.
 *
 * Pooled: the matrices of all folds are added, so every point counts once. Averaged: the mean of
 * each score over the folds. Papers report either, so the table has both. */
#include "config/config.h"
#include "config/options.h"
#include "config/settings.h"
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
#include "datasets/rooms.h"
#include "draw/svg.h"
#include "sampling/confusion.h"
#include "sampling/scores.h"
#include "task/confusion_file.h"
#include "task/paper_tables.h"
#include "task/score.h"
#include "task/series.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { AREAS_MAX = 64 };

struct kfold {
    struct call call;
    struct glt_series_options options;
    struct series_ranks ranks;
    const struct config *config;
    const char *data;
    glt_train_fn *fn;
    void *user;
    char folder[SERIES_PATH];
    char init[DIGEST_SIZE];        /* of the model that runs start from; "": none */
    char fingerprint[DIGEST_SIZE]; /* of the data with the area that is held out by default */
    int64_t area[AREAS_MAX];       /* (n) that have rooms, sorted */
    int n;
    struct series_score fold[AREAS_MAX];
    struct confusion pool;
    struct scores pooled, averaged;
};

/* --- the folds --- */

static int add_area(struct kfold *k, int64_t area)
{
    int at = 0;
    while (at < k->n && k->area[at] < area)
        at++;
    if (area < 0 || (at < k->n && k->area[at] == area))
        return 0; /* rooms in no area are never held out */
    if (k->n == AREAS_MAX)
        return error_topic(
            error_in(GLT_ELIMIT, k->data, "more than %d areas: too many folds", AREAS_MAX),
            GLT_TOPIC_SPLIT, "area");
    memmove(&k->area[at + 1], &k->area[at], (size_t)(k->n++ - at) * sizeof *k->area);
    k->area[at] = area;
    return 0;
}

static int list_areas(struct kfold *k, const struct dataset *d)
{
    if (!d->type->areas)
        return error_topic(
            error_set(GLT_EDATA,
                      "%s has no areas to hold out: cross-validation is for rooms in Area_1, "
                      "Area_2 .. and synth:rooms",
                      k->data),
            GLT_TOPIC_SPLIT, "area");
    for (int s = 0; s < SPLITS; s++)
        for (int32_t i = 0; i < dataset_count(d, (enum split)s); i++)
            TRY(add_area(k, rooms_area(d->split[s].list[i].path)));
    return 0;
}

static int find_areas(struct kfold *k)
{
    struct data_settings settings = k->config->data;
    struct dataset *d = NULL;
    settings.subset = 1; /* all rooms */
    TRY(dataset_open(&d, k->data, &settings, k->config->seed));
    int code = list_areas(k, d);
    if (code == 0)
        code = dataset_fingerprint(k->fingerprint, d);
    dataset_close(d);
    if (code == 0 && k->n < 2)
        code = error_topic(
            error_in(GLT_EDATA, k->data, "%d areas: cross-validation needs at least two", k->n),
            GLT_TOPIC_SPLIT, "area");
    return code;
}

static int run_fold(struct kfold *k, int i, bool wait)
{
    struct config c = *k->config;
    char folder[SERIES_PATH], name[32], area[24];
    snprintf(area, sizeof area, "%" PRId64, k->area[i]);
    snprintf(name, sizeof name, "area%" PRId64, k->area[i]);
    TRY(file_join(folder, sizeof folder, k->folder, name));
    TRY(config_set(&c, "area", area));
    struct series_job job = {.folder = folder,
                             .data = k->data,
                             .fingerprint = k->fingerprint,
                             .init = k->init,
                             .config = &c,
                             .options = &k->options,
                             .fn = k->fn,
                             .user = k->user,
                             .wait = wait};
    log_message(GLT_LOG_INFO, "fold %d of %d: area %" PRId64 " held out, in %s", i + 1, k->n,
                k->area[i], folder);
    return series_run(&k->fold[i], &job);
}

static int run_folds(struct kfold *k, bool wait)
{
    for (int i = 0; i < k->n; i++)
        if (!k->fold[i].record)
            TRY(run_fold(k, i, wait));
    return 0;
}

static int sum_up(struct kfold *k)
{
    struct scores all[AREAS_MAX];
    int32_t classes = k->fold[0].confusion.classes;
    TRY(confusion_create(&k->pool, classes));
    TRY(scores_create(&k->pooled, classes));
    TRY(scores_create(&k->averaged, classes));
    for (int i = 0; i < k->n; i++) {
        TRY(confusion_merge(&k->pool, &k->fold[i].confusion));
        all[i] = k->fold[i].scores;
    }
    scores_of(&k->pooled, &k->pool);
    scores_average(&k->averaged, all, k->n);
    return 0;
}

/* --- the report --- */

static const char *class_name(const struct kfold *k, int32_t i)
{
    const struct json *names = json_get(k->fold[0].record, "classes");
    const char *name = json_string_value(json_at(names, (size_t)i));
    return name ? name : "?";
}

static void add_row(struct string *t, const char *name, const struct scores *s)
{
    string_add(t, "%-24s %8.2f %8.2f %8.2f\n", name, 100 * s->miou, 100 * s->macc, 100 * s->oa);
}

static int64_t count_clouds(const struct kfold *k)
{
    int64_t n = 0;
    for (int i = 0; i < k->n; i++)
        n += json_integer_value(json_get(k->fold[i].record, "clouds"));
    return n;
}

static void make_table(struct string *t, const struct kfold *k)
{
    string_add(t, "%-24s %8s %8s %8s\n", "fold", "mIoU", "mAcc", "OA");
    for (int i = 0; i < k->n; i++) {
        char name[64];
        int64_t clouds = json_integer_value(json_get(k->fold[i].record, "clouds"));
        snprintf(name, sizeof name, "Area %" PRId64 " (%lld cloud%s)", k->area[i],
                 (long long)clouds, string_plural(clouds));
        add_row(t, name, &k->fold[i].scores);
    }
    add_row(t, "pooled", &k->pooled);
    add_row(t, "averaged", &k->averaged);
    string_add(t, "\n%-24s %8s %8s %8s\n", "class", "IoU", "accuracy", "mean IoU");
    for (int32_t i = 0; i < k->pooled.classes; i++) {
        string_add(t, "%-24s", class_name(k, i));
        score_cell(t, k->pooled.iou[i]);
        score_cell(t, k->pooled.accuracy[i]);
        score_cell(t, k->averaged.iou[i]);
        string_add(t, "\n");
    }
    paper_tables_add_folds(t, k->n, count_clouds(k), &k->pooled);
}

static struct json *scores_json(const struct kfold *k, const struct scores *s)
{
    struct json *iou = json_object();
    for (int32_t i = 0; i < s->classes; i++)
        json_set(iou, class_name(k, i), json_finite(s->iou[i]));
    return json_pack("{s:o, s:o, s:o, s:o}", "miou", json_finite(s->miou), "macc",
                     json_finite(s->macc), "oa", json_finite(s->oa), "iou", iou);
}

static struct json *card_json(const struct kfold *k)
{
    struct json *folds = json_array();
    for (int i = 0; i < k->n; i++) {
        struct json *fold = scores_json(k, &k->fold[i].scores);
        const struct json *record = k->fold[i].record;
        json_set(fold, "area", json_integer(k->area[i]));
        json_set(fold, "clouds", json_copy(json_get(record, "clouds")));
        json_set(fold, "fingerprint", json_copy(json_get(record, "fingerprint")));
        json_set(fold, "commit", json_copy(json_get(record, "commit")));
        json_append(folds, fold);
    }
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:s, s:o, s:o, s:o}", "gelatto", glt_version(), "commit",
        glt_commit(), "command", k->options.command ? k->options.command : "", "data", k->data,
        "seed", (int64_t)k->config->seed, "chosen_by",
        k->config->data.validation ? "val: a tenth of the training rooms" : "none: the last epoch",
        "folds", folds, "pooled", scores_json(k, &k->pooled), "averaged",
        scores_json(k, &k->averaged));
}

static void make_markdown(struct string *t, const struct kfold *k, const char *table)
{
    string_add(t, "# Protocol card: %d folds\n\n- command: ", k->n);
    markdown_code(t, k->options.command ? k->options.command : "");
    string_add(t, "\n- gelatto %s, commit %s, seed %lld\n- data: ", glt_version(), glt_commit(),
               (long long)k->config->seed);
    markdown_text(t, k->data);
    string_add(t, "; the epoch of each fold was chosen %s\n",
               k->config->data.validation ? "on a tenth of its training rooms"
                                          : "by nothing: the last");
    string_add(t, "- scores are those on the area held out; votes are summed per point\n\n");
    markdown_block(t, table);
}

static int draw_matrix(struct kfold *k)
{
    char path[SERIES_PATH];
    char **names = call_alloc(&k->call, (size_t)k->pool.classes, sizeof *names);
    if (!names)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < k->pool.classes; i++)
        names[i] = (char *)class_name(k, i);
    TRY(file_join(path, sizeof path, k->folder, "confusion.csv"));
    TRY(confusion_file_write(path, &k->pool, names));
    TRY(file_join(path, sizeof path, k->folder, "confusion.svg"));
    return svg_matrix_file(path, &k->pool, names);
}

/* Keeps a built text for the life of the call. */
static int keep(char **out, struct kfold *k, struct string *text)
{
    TRY(string_take(out, text));
    return call_keep(&k->call, *out) ? 0 : GLT_ENOMEM;
}

static int make_json(char **out, struct kfold *k)
{
    size_t len;
    struct json *all = card_json(k);
    int code = all ? json_print(out, &len, all)
                   : error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    json_free(all);
    TRY(code);
    return call_keep(&k->call, *out) ? 0 : GLT_ENOMEM;
}

/* Writes card, table and matrix into the folder, and returns the table. */
static int report_scores(char **report, struct kfold *k)
{
    struct string table = {0}, card = {0};
    char *table_text, *card_text, *json;
    make_table(&table, k);
    TRY(keep(&table_text, k, &table));
    make_markdown(&card, k, table_text);
    TRY(keep(&card_text, k, &card));
    TRY(make_json(&json, k));
    TRY(file_put_text(k->folder, "card.md", card_text));
    TRY(file_put_text(k->folder, "card.json", json));
    TRY(draw_matrix(k));
    char *copy = memory_string(k->options.json ? json : table_text);
    if (!copy)
        return GLT_ENOMEM;
    *report = copy;
    return 0;
}

static int cross_validate(char **report, struct kfold *k)
{
    if (config_given(k->config, "area"))
        return error_topic(
            error_set(GLT_EARGUMENT,
                      "area was given, but every area is held out in turn: leave it out"),
            GLT_TOPIC_OPTION, "area");
    if (k->options.split)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "a split was given, but every fold is scored on the area it "
                                     "holds out: leave it out"),
                           GLT_TOPIC_ARGUMENT, "split");
    TRY(series_init(k->init, &k->options));
    TRY(find_areas(k));
    TRY(series_folder(k->folder, &k->options, "kfold"));
    TRY(run_folds(k, false));
    TRY(run_folds(k, true)); /* those that other processes held in the first round */
    TRY(sum_up(k));
    if (series_writes(&k->ranks))
        return report_scores(report, k);
    *report = memory_string("");
    return *report ? 0 : GLT_ENOMEM;
}

int glt_kfold(char **report, const struct glt_config *config, const char *data,
              const struct glt_series_options *how, glt_train_fn *fn, void *user)
{
    REQUIRE(report, config, data);
    if (how)
        TRY(error_size("glt_series_options", how->size, sizeof *how));
    struct kfold k = {
        .config = (const struct config *)config, .data = data, .fn = fn, .user = user};
    if (how)
        k.options = *how;
    TRY(series_part(&k.ranks, k.config, data, &k.options));
    char *text = NULL;
    int code = series_meet(&k.ranks, cross_validate(&text, &k));
    if (code == 0)
        *report = text;
    else
        memory_free(text);
    for (int i = 0; i < k.n; i++)
        series_free(&k.fold[i]);
    confusion_free(&k.pool);
    scores_free(&k.pooled);
    scores_free(&k.averaged);
    call_free(&k.call);
    return code;
}
