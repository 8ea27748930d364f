/* gelatto eval: scores, confusion matrix and protocol card of a model on a dataset.
 *
 * A card has all that is needed to reproduce the numbers: model, data and its fingerprint, split,
 * seeds, version, command, and the split by which the epoch of the model was chosen. */
#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/markdown.h"
#include "core/memory.h"
#include "core/ranks.h"
#include "core/string.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "datasets/thin.h"
#include "draw/svg.h"
#include "model/model.h"
#include "model/model_file.h"
#include "model/models.h"
#include "sampling/confusion.h"
#include "sampling/part_scores.h"
#include "sampling/scores.h"
#include "task/confusion_file.h"
#include "task/eval_open.h"
#include "task/paper_tables.h"
#include "task/score.h"
#include "task/spread.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- numbers --- */

static int64_t truth_of(const struct confusion *c, int32_t class)
{
    int64_t truth = 0;
    for (int32_t j = 0; j < c->classes; j++)
        truth += c->count[(int64_t) class * c->classes + j];
    return truth;
}

/* Scores a constant prediction: for every shape the part with the most points in its category. */
static void judge_commonest_parts(struct eval *e)
{
    const struct dataset *d = e->data;
    double sum = 0;
    for (int32_t i = 0; i < d->classes.n_categories; i++) {
        int32_t best = d->classes.categories[i].first;
        for (int32_t k = best + 1;
             k < d->classes.categories[i].first + d->classes.categories[i].count; k++)
            if (truth_of(&e->score.confusion, k) > truth_of(&e->score.confusion, best))
                best = k;
        sum += e->score.parts.shapes[i] ? e->score.constant[best] : 0;
    }
    e->common = sum / (double)part_scores_shapes(&e->score.parts);
}

/* Scores a constant prediction of the commonest class. Segmentation: its share divided by the
 * number of classes present; else its share. */
static void judge_commonest(struct eval *e)
{
    const struct confusion *c = &e->score.confusion;
    int64_t all = 0, max = 0;
    int32_t there = 0;
    if (e->data->task == TASK_PARTS) {
        judge_commonest_parts(e);
        return;
    }
    for (int32_t k = 0; k < c->classes; k++) {
        int64_t truth = truth_of(c, k);
        if (truth > max)
            e->common_class = k;
        max = truth > max ? truth : max;
        all += truth;
        there += truth > 0;
    }
    double share = all ? (double)max / (double)all : 0;
    e->common = e->data->task == TASK_SEGMENT && there ? share / there : share;
}

static int settle_thinning(struct eval *e)
{
    double keep = e->options.keep, range = e->options.range, density = e->options.density;
    if (keep != 0 && !(keep >= 1e-6 && keep <= 1))
        return error_topic(
            error_set(GLT_EARGUMENT, "keep = %g: give a share of the points, up to 1", keep),
            GLT_TOPIC_OPTION, "keep");
    if (range != 0 && !(range >= 1e-6 && range <= 1e9))
        return error_topic(
            error_set(GLT_EARGUMENT, "range = %g: give the distance up to which all stay", range),
            GLT_TOPIC_OPTION, "range");
    if (density != 0 && !(density >= 1e-6 && density <= 1e9))
        return error_topic(
            error_set(GLT_EARGUMENT, "density = %g: give the points of a square unit", density),
            GLT_TOPIC_OPTION, "density");
    if ((keep > 0 && keep < 1) || range > 0 || density > 0)
        e->thin =
            (struct thinning){.keep = keep > 0 ? keep : 1, .range = range, .density = density};
    return 0;
}

static int check_turn(const struct eval *e)
{
    double turn = e->options.turn;
    return turn >= 0 && turn <= 180
               ? 0
               : error_topic(error_set(GLT_EARGUMENT, "turn = %g: give 0 to 180 degrees", turn),
                             GLT_TOPIC_OPTION, "turn");
}

static int check_scene_options(const struct eval *e)
{
    int64_t overlap = e->options.overlap;
    if (overlap < 0 || overlap > 15)
        return error_topic(
            error_set(GLT_EARGUMENT, "overlap = %lld: give 0 to 15", (long long)overlap),
            GLT_TOPIC_OPTION, "overlap");
    if (overlap && e->data->task != TASK_SEGMENT)
        return error_topic(
            error_set(GLT_EARGUMENT, "overlap: only scenes are tiled; shapes are taken whole"),
            GLT_TOPIC_OPTION, "overlap");
    if (e->options.density > 0 && e->data->task != TASK_SEGMENT)
        return error_topic(error_set(GLT_EARGUMENT, "density: it applies only to scenes"),
                           GLT_TOPIC_OPTION, "density");
    return 0;
}

/* The share of the split's points that were scored, over all ranks. */
static int find_kept(struct eval *e)
{
    struct ranks *r = ranks_current();
    const struct entries *x = &e->data->split[e->split];
    int64_t sums[2] = {0};
    for (int32_t i = ranks_number(r); i < x->n; i += ranks_count(r)) {
        sums[0] += x->list[i].n;
        sums[1] += x->list[i].kept;
    }
    TRY(ranks_sum(r, sums, 2));
    e->kept = sums[0] ? (double)sums[1] / (double)sums[0] : 1;
    return 0;
}

/* A run has a matrix of its own, which its report shows as the last validation. */
static int check_folder(const struct eval *e)
{
    const char *folder = e->options.folder;
    if (!folder)
        return 0;
    if (file_exists_in(folder, "config.yaml") || file_exists_in(folder, "checkpoints"))
        return error_topic(
            error_file(error_set(GLT_EARGUMENT,
                                 "%s is a run, with a matrix of its own: give %s/NAME", folder,
                                 folder),
                       folder),
            GLT_TOPIC_OPTION, "folder");
    if (file_exists(folder) && !file_is_folder(folder))
        return error_topic(
            error_file(error_set(GLT_EARGUMENT, "%s already exists and is not a folder", folder),
                       folder),
            GLT_TOPIC_KIND, "folder");
    return 0;
}

/* Whether the card can be written is found out before hours of work, not after them. */
static int prepare_folder(const struct eval *e)
{
    char path[4096];
    if (!e->options.folder || ranks_number(ranks_current()))
        return 0;
    TRY(file_make_folder(e->options.folder));
    TRY(file_join(path, sizeof path, e->options.folder, "card.json"));
    return file_check_output(path);
}

static bool wants_card(const struct eval *e)
{
    return e->options.folder || e->options.json;
}

/* A card is JSON, so its texts must be UTF-8. */
static int check_card(const struct eval *e, const char *data)
{
    const char *const texts[] = {data, e->model_path, e->options.command ? e->options.command : ""};
    for (size_t i = 0; wants_card(e) && i < sizeof texts / sizeof *texts; i++)
        if (!json_holds(texts[i]))
            return error_topic(
                error_set(GLT_EARGUMENT,
                          "%s is not UTF-8, which the card needs: rename it, or do without card "
                          "and JSON",
                          texts[i]),
                GLT_TOPIC_VALUE, NULL);
    return 0;
}

/* Without a labelled point there is no score. */
static int check_labelled(const struct eval *e)
{
    return e->score.scores.points > 0
               ? 0
               : error_topic(error_in(GLT_EDATA, e->data->path,
                                      "no point of the %s split has a label that is a class: there "
                                      "is nothing to compare with",
                                      dataset_split_name(e->split)),
                             GLT_TOPIC_LABELS, NULL);
}

static int score_seeds(struct eval *e)
{
    double mean = 0, squares = 0; /* of the scores so far; squares of their distances from it */
    e->seeds = e->options.seeds > 0 ? e->options.seeds : 1;
    for (int64_t i = 0; i < e->seeds; i++) {
        struct score x = {0};
        struct score_options o = {.sampling = e->sampling,
                                  .seed = e->seed + i,
                                  .overlap = (int32_t)e->options.overlap,
                                  .protocol = e->protocol};
        e->thin.seed = (uint64_t)(e->seed + i);
        if (e->thin.keep > 0)
            dataset_thin(e->data, &e->thin);
        if (e->options.turn > 0)
            dataset_turn(e->data, e->options.turn, (uint64_t)(e->seed + i));
        TRY(score_model(&x, e->model, e->data, e->split, &o));
        double before = x.metric - mean;
        mean += before / (double)(i + 1);
        squares += before * (x.metric - mean);
        if (i == 0) {
            e->score = x;
            TRY(check_labelled(e)); /* the same on all ranks */
            TRY(find_kept(e));
        } else {
            score_free(&x);
        }
    }
    e->metric_mean = mean;
    e->metric_deviation = e->seeds > 1 ? sqrt(squares / (double)(e->seeds - 1)) : NAN;
    judge_commonest(e);
    return 0;
}

/* --- reporting --- */

/* For parts: the share of shapes whose category the network predicts correctly. */
static double category_accuracy(const struct eval *e)
{
    return (double)e->score.guessed / (double)e->score.samples;
}

static struct json *card_json(const struct eval *e)
{
    const struct scores *s = &e->score.scores;
    const struct model *m = e->model;
    struct json *classes = json_array();
    for (int32_t i = 0; i < m->classes.n; i++)
        json_append(classes,
                    json_pack("{s:s, s:o, s:o}", "name", m->classes.names[i], "iou",
                              json_finite(s->iou[i]), "accuracy", json_finite(s->accuracy[i])));
    struct json *all = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:o, s:o}",
        "gelatto", glt_version(), "commit", glt_commit(), "command",
        e->options.command ? e->options.command : "", "model", e->model_path, "training",
        m->card ? m->card : "", "data", e->data->path, "fingerprint", e->fingerprint, "split",
        dataset_split_name(e->split), "seed", (int64_t)e->seed, "seeds", (int64_t)e->seeds,
        "clouds", (int64_t)e->score.items, "samples", (int64_t)e->score.samples, "labelled",
        (int64_t)s->points, "metric", score_metric_name(e->data->task), "mean",
        json_finite(e->metric_mean), "deviation", json_finite(e->metric_deviation), "commonest",
        json_finite(e->common));
    if (!all) {
        json_free(classes);
        return NULL;
    }
    json_set(all, "miou", json_finite(s->miou));
    json_set(all, "macc", json_finite(s->macc));
    json_set(all, "oa", json_finite(s->oa));
    if (e->data->task == TASK_PARTS) {
        json_set(all, "category_miou", json_finite(part_scores_category(&e->score.parts)));
        json_set(all, "instance_miou", json_finite(part_scores_instance(&e->score.parts)));
        if (e->model->classes.n_categories > 1)
            json_set(all, "category_accuracy", json_finite(category_accuracy(e)));
    }
    if (e->data->task == TASK_SEGMENT)
        json_set(all, "protocol", json_string(inference_protocol_name(e->protocol)));
    if (e->options.overlap > 0)
        json_set(all, "overlap", json_integer((int64_t)e->options.overlap));
    if (e->thin.keep > 0)
        json_set(all, "thinning",
                 json_pack("{s:f, s:f, s:f, s:f}", "keep", e->thin.keep, "range", e->thin.range,
                           "density", e->thin.density, "kept", e->kept));
    if (e->options.turn > 0)
        json_set(all, "turn", json_real(e->options.turn));
    json_set(all, "classes", classes);
    return all;
}

/* Whether the clouds were scored unaltered. */
static bool unaltered(const struct eval *e)
{
    return e->thin.keep == 0 && e->options.turn == 0;
}

/* Adds nothing if they were. */
static void add_alterations(struct string *t, const struct eval *e, const char *before)
{
    if (e->options.turn > 0)
        string_add(t, "%sturned by up to %g degrees", before, e->options.turn);
    if (e->thin.keep == 0)
        return;
    if (e->options.turn > 0)
        before = ", ";
    string_add(t, "%sthinned: keep %g", before, e->thin.keep);
    if (e->thin.range > 0)
        string_add(t, ", range %g", e->thin.range);
    if (e->thin.density > 0)
        string_add(t, ", density %g", e->thin.density);
    string_add(t, ", %.2f %% of the points left", 100 * e->kept);
}

static void make_table(struct string *t, const struct eval *e)
{
    const struct scores *s = &e->score.scores;
    string_add(t, "%-24s %8s %8s\n", "class", "IoU", "accuracy");
    for (int32_t i = 0; i < s->classes; i++) {
        string_add(t, "%-24s", e->model->classes.names[i]);
        score_cell(t, s->iou[i]);
        score_cell(t, s->accuracy[i]);
        string_add(t, "\n");
    }
    string_add(t, "mIoU %.2f  mAcc %.2f  OA %.2f\n", 100 * s->miou, 100 * s->macc, 100 * s->oa);
    if (e->data->task == TASK_PARTS)
        string_add(t, "category mIoU %.2f  instance mIoU %.2f\n",
                   100 * part_scores_category(&e->score.parts),
                   100 * part_scores_instance(&e->score.parts));
    if (e->model->classes.n_categories > 1)
        string_add(t, "category accuracy when it is not given: %.2f\n", 100 * category_accuracy(e));
    if (e->seeds > 1)
        string_add(t, "%s over %lld seeds: %.2f +- %.2f\n", score_metric_name(e->data->task),
                   (long long)e->seeds, 100 * e->metric_mean, 100 * e->metric_deviation);
    if (e->data->task == TASK_PARTS)
        string_add(t, "always the category's commonest part:");
    else
        string_add(t, "always '%s':", e->model->classes.names[e->common_class]);
    string_add(t, " %s %.2f\n", score_metric_name(e->data->task), 100 * e->common);
    string_add(t, "%lld cloud%s, %lld sample%s, %s split of %s", (long long)e->score.items,
               string_plural(e->score.items), (long long)e->score.samples,
               string_plural(e->score.samples), dataset_split_name(e->split), e->data->path);
    if (e->data->task == TASK_SEGMENT)
        string_add(t, ", %s protocol", inference_protocol_name(e->protocol));
    if (e->options.overlap > 0)
        string_add(t, ", %lld shifted tiling%s more", (long long)e->options.overlap,
                   string_plural(e->options.overlap));
    add_alterations(t, e, ", ");
    string_add(t, "\n");
    if (e->split == SPLIT_TEST && unaltered(e))
        paper_tables_add(t, e->data, e->data->settings.area, s,
                         e->data->task == TASK_PARTS ? &e->score.parts : NULL);
}

static void make_markdown(struct string *t, const struct eval *e, const char *table)
{
    string_add(t, "# Protocol card\n\n- command: ");
    markdown_code(t, e->options.command ? e->options.command : "");
    string_add(t,
               "\n- gelatto %s, commit %s, seed %lld, %lld evaluation%s\n- model: ", glt_version(),
               glt_commit(), (long long)e->seed, (long long)e->seeds, string_plural(e->seeds));
    markdown_text(t, e->model_path);
    string_add(t, "\n- its training: ");
    markdown_code(t, e->model->card ? e->model->card : "not recorded");
    string_add(t, "\n- data: ");
    markdown_text(t, e->data->path);
    string_add(t, ", fingerprint %s\n", e->fingerprint);
    string_add(t, "- split: %s, %lld cloud%s, %lld sample%s; soft-max votes are summed per point\n",
               dataset_split_name(e->split), (long long)e->score.items,
               string_plural(e->score.items), (long long)e->score.samples,
               string_plural(e->score.samples));
    add_alterations(t, e, "- ");
    string_add(t, unaltered(e) ? "\n" : "\n\n");
    markdown_block(t, table);
}

static int write_folder(const struct eval *e, const char *table, const char *json)
{
    const char *folder = e->options.folder;
    struct string card = {0};
    char path[4096];
    make_markdown(&card, e, table);
    int code = card.code < 0 ? GLT_ENOMEM : file_make_folder(folder);
    if (code == 0)
        code = file_join(path, sizeof path, folder, "confusion.csv");
    if (code == 0)
        code = confusion_file_write(path, &e->score.confusion, e->data->classes.names);
    if (code == 0)
        code = file_put_text(folder, "card.md", card.bytes);
    if (code == 0)
        code = file_put_text(folder, "card.json", json);
    if (code == 0)
        code = file_join(path, sizeof path, folder, "confusion.svg");
    if (code == 0)
        code = svg_matrix_file(path, &e->score.confusion, e->data->classes.names);
    string_free(&card);
    return code;
}

static int print_card(char **json, const struct eval *e)
{
    size_t len;
    struct json *card = card_json(e);
    if (!card)
        return error_topic(error_set(GLT_ENOMEM, "the card: out of memory"), GLT_TOPIC_MEMORY,
                           NULL);
    int code = json_print(json, &len, card);
    json_free(card);
    return code;
}

static int make_report(char **report, const struct eval *e)
{
    struct string table = {0};
    char *json = NULL;
    make_table(&table, e);
    int code = wants_card(e) ? print_card(&json, e) : 0;
    if (code == 0)
        code = table.code;
    if (code == 0 && e->options.folder && ranks_number(ranks_current()) == 0)
        code = write_folder(e, table.bytes, json);
    if (code == 0 && !e->options.json)
        code = string_take(report, &table);
    if (code == 0 && e->options.json)
        *report = json;
    else
        memory_free(json);
    string_free(&table);
    return code;
}

/* Everything that affects the scores must be the same on all ranks. */
static int compare_ranks(struct ranks *r, const struct eval *e, const struct config *given)
{
    const struct glt_eval_options *o = &e->options;
    struct string facts = {0};
    if (!r)
        return 0;
    spread_add_build(&facts);
    spread_add(&facts, "model", e->model->digest);
    spread_add(&facts, "data", e->fingerprint);
    spread_add(&facts, "protocol", inference_protocol_name(e->protocol));
    spread_add_options(&facts, given);
    spread_add_number(&facts, "split", e->split);
    spread_add_number(&facts, "seeds", o->seeds);
    spread_add_number(&facts, "overlap", o->overlap);
    string_add(&facts, "thinning\t%.17g %.17g %.17g\n", o->keep, o->range, o->density);
    string_add(&facts, "turn\t%.17g\n", o->turn);
    return spread_same(r, &facts);
}

int glt_evaluate(char **report, const char *model, const char *data,
                 const struct glt_config *config, const struct glt_eval_options *how)
{
    REQUIRE(report, model, data);
    if (how)
        TRY(error_size("glt_eval_options", how->size, sizeof *how));
    struct eval *e = memory_alloc(1, sizeof *e);
    char *text = NULL;
    if (!e)
        return GLT_ENOMEM;
    if (how)
        e->options = *how;
    e->model_path = model;
    struct ranks *ranks = ranks_current();
    ranks_begin(ranks);
    int code = inference_protocol_read(&e->protocol, e->options.protocol);
    if (code == 0)
        code = settle_thinning(e);
    if (code == 0)
        code = check_turn(e);
    if (code == 0)
        code = check_folder(e);
    if (code == 0)
        code = check_card(e, data);
    if (code == 0)
        code = eval_open(e, data, (const struct config *)config);
    if (code == 0)
        code = check_scene_options(e);
    if (code == 0)
        code = prepare_folder(e);
    code = ranks_agree(ranks, code, NULL);
    if (code == 0)
        code = compare_ranks(ranks, e, (const struct config *)config);
    if (code == 0)
        code = score_seeds(e);
    if (code == 0)
        code = make_report(&text, e);
    code = ranks_settle(ranks, code);
    if (code == 0)
        *report = text;
    else
        memory_free(text);
    score_free(&e->score);
    dataset_close(e->data);
    cloud_free(e->cloud);
    model_free(e->model);
    memory_free(e);
    return code;
}
