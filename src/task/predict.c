/* Prediction of clouds: checks before the work, the network, attributes after it. See predict.h. */
#include "task/predict.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "config/inputs.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/call.h"
#include "core/clock.h"
#include "core/context.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "datasets/range.h"
#include "model/engine.h"
#include "model/models.h"
#include "sampling/spacing.h"
#include "sampling/votes.h"
#include "task/class_numbers.h"
#include "task/inference.h"
#include "task/vegetation.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct predict_options {
    bool probabilities, second, margin, votes; /* attributes besides label and confidence */
    const char *category;                      /* parts; NULL: the one with the largest sum */
    int overlap;                               /* scenes: further tilings, by shifted grids */
    enum inference_protocol protocol;          /* scenes */
    double spacing;        /* scenes: what the network sees is thinned to this; 0: it sees all */
    double min_confidence; /* points below it get no label */
    const char *map;       /* numbers of classes in LAS: "floor:2,wall:70" */
    bool keep;             /* the classification of LAS; labels are an attribute of their own */
    double heights[2];     /* where medium and high vegetation begin; 0, 0: one class */
};

/* In rows of the file. Arrays that are not wanted are NULL. */
struct point_labels {
    int32_t classes;
    int32_t *label;     /* -1: no finite coordinates */
    float *confidence;  /* probability of the label */
    int32_t *second;    /* the class after it */
    float *margin;      /* gap between the probabilities of the two */
    int32_t *votes;     /* number of samples that covered the point */
    float *probability; /* (rows, classes) */
};

/* --- predictions of points --- */

/* Bytes of one point. */
static int64_t labels_bytes(int32_t classes, const struct predict_options *o)
{
    return 8 + 4 * (o->second + o->margin + o->votes) + (o->probabilities ? 4 * classes : 0);
}

static void *take(struct call *call, bool wanted, int64_t n, size_t size, bool *failed)
{
    void *p = wanted ? call_alloc(call, (size_t)n, size) : NULL;
    *failed |= wanted && !p;
    return p;
}

static int take_labels(struct point_labels *x, struct call *call, int64_t rows, int32_t classes,
                       const struct predict_options *o)
{
    bool failed = false;
    x->classes = classes;
    x->label = take(call, true, rows, sizeof *x->label, &failed);
    x->confidence = take(call, true, rows, sizeof *x->confidence, &failed);
    x->second = take(call, o->second, rows, sizeof *x->second, &failed);
    x->margin = take(call, o->margin, rows, sizeof *x->margin, &failed);
    x->votes = take(call, o->votes, rows, sizeof *x->votes, &failed);
    x->probability =
        take(call, o->probabilities, rows, (size_t)classes * sizeof *x->probability, &failed);
    for (int64_t i = 0; i < rows && !failed; i++) {
        x->label[i] = -1;
        if (x->second)
            x->second[i] = -1;
    }
    return failed ? GLT_ENOMEM : 0;
}

/* sum (classes): of `votes` probabilities */
static void put_label(struct point_labels *p, int64_t row, const float *sum, int32_t votes)
{
    int32_t best = 0, second = -1;
    for (int32_t k = 1; k < p->classes; k++) { /* the lower one of equals */
        if (sum[k] > sum[best]) {
            second = best;
            best = k;
        } else if (second < 0 || sum[k] > sum[second]) {
            second = k;
        }
    }
    float n = (float)votes;
    p->label[row] = best;
    p->confidence[row] = sum[best] / n;
    if (p->second)
        p->second[row] = second;
    if (p->margin)
        p->margin[row] = (sum[best] - sum[second]) / n;
    if (p->votes)
        p->votes[row] = votes;
    for (int32_t k = 0; p->probability && k < p->classes; k++)
        p->probability[row * p->classes + k] = sum[k] / n;
}

/* A point gets what another one got. */
static void copy_label(struct point_labels *p, int64_t to, int64_t from)
{
    p->label[to] = p->label[from];
    p->confidence[to] = p->confidence[from];
    if (p->second)
        p->second[to] = p->second[from];
    if (p->margin)
        p->margin[to] = p->margin[from];
    if (p->votes)
        p->votes[to] = p->votes[from];
    if (p->probability)
        memcpy(p->probability + to * p->classes, p->probability + from * p->classes,
               (size_t)p->classes * sizeof *p->probability);
}

static void drop_doubtful(struct point_labels *p, double min_confidence, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        if ((double)p->confidence[i] < min_confidence)
            p->label[i] = -1;
}

/* --- attributes --- */

static int add_floats(struct glt_cloud *c, const char *name, const float *values, int32_t stride)
{
    struct column *x;
    cloud_remove_attribute(c, name);
    TRY(cloud_add_attribute(&x, c, name, GLT_F32));
    for (int64_t i = 0; i < c->n; i++)
        ((float *)x->data)[i] = values[i * stride];
    return 0;
}

static int add_classes(struct glt_cloud *c, const char *name, const int32_t *values, bool wide)
{
    struct column *x;
    cloud_remove_attribute(c, name);
    TRY(cloud_add_attribute(&x, c, name, wide ? GLT_I32 : GLT_U8));
    for (int64_t i = 0; i < c->n; i++) {
        if (wide)
            ((int32_t *)x->data)[i] = values[i];
        else
            ((uint8_t *)x->data)[i] = (uint8_t)values[i];
    }
    return 0;
}

enum { PROBABILITY_NAME = 96 };

/* probability_<class>, with what a header could not hold replaced. */
static void probability_name(char name[PROBABILITY_NAME], const struct model *m, int32_t k)
{
    snprintf(name, PROBABILITY_NAME, "probability_%.70s", m->classes.names[k]);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
            *p = '_';
}

/* Classes that come to the same name have their number behind it. */
static int add_probabilities(struct glt_cloud *c, const struct point_labels *p,
                             const struct model *m)
{
    char name[PROBABILITY_NAME];
    for (int32_t k = 0; k < p->classes; k++) { /* of an earlier prediction */
        probability_name(name, m, k);
        cloud_remove_attribute(c, name);
    }
    for (int32_t k = 0; k < p->classes; k++) {
        probability_name(name, m, k);
        size_t len = strlen(name);
        if (cloud_attribute(c, name))
            snprintf(name + len, sizeof name - len, "_%d", (int)k);
        TRY(add_floats(c, name, p->probability + k, p->classes));
    }
    return 0;
}

enum { KNOWN = 256 };

/* The way from the labels of a file to classes of the model. */
struct relabel {
    struct labels labels;
    bool *taken;          /* (classes) by number */
    double *from;         /* (classes) the label of each, NaN without */
    bool lossy;           /* some label cannot be recovered from its class */
    int32_t known[KNOWN]; /* 2 + the class of a small label that was seen; 0: not yet */
    bool large;           /* a label beyond these was seen */
};

static int32_t class_of(struct relabel *r, double label)
{
    bool whole = label >= INT32_MIN && label <= INT32_MAX && label == floor(label);
    int32_t number = whole ? (int32_t)label : -1, class;
    if (!labels_class(&class, &r->labels, number) || class < 0) {
        r->lossy = r->lossy || !(isnan(label) || label == -1); /* which are none too */
        return -1;
    }
    r->taken[class] |= !classes_name(r->labels.named, number);
    r->lossy = r->lossy || !(isnan(r->from[class]) || r->from[class] == label) ||
               (r->taken[class] && label != class);
    r->from[class] = label;
    return class;
}

/* Names are compared once for each label, and not for each point. */
static int32_t class_of_point(struct relabel *r, double label)
{
    int32_t small = label >= 0 && label < KNOWN ? (int32_t)label : -1;
    if (small < 0 || (double)small != label) {
        r->large = r->large || label >= KNOWN;
        return class_of(r, label);
    }
    if (!r->known[small])
        r->known[small] = 2 + class_of(r, label);
    return r->known[small] - 2;
}

/* Whether that was meant, nobody but the user knows. */
static void report_taken(const struct relabel *r)
{
    enum { LIST_MAX = 120 };
    char list[LIST_MAX + 80] = "";
    size_t len = 0;
    for (int32_t k = 0; k < r->labels.classes->n && len < LIST_MAX; k++)
        if (r->taken[k])
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%g = %.60s", len ? ", " : "",
                                    r->from[k], r->labels.classes->names[k]);
    if (len)
        log_message(GLT_LOG_INFO, "labels taken by number: %s%s", list,
                    len < LIST_MAX ? "" : ", ..");
}

/* Whether more of the numbers are classes of the model than are not. Numbers of other datasets (10,
 * 40, 50) would agree with some of its classes by accident. Names, and numbers that the model was
 * trained from, need no such doubt. */
static bool are_plausible(const struct relabel *r)
{
    const struct labels *x = &r->labels;
    int32_t foreign = r->large, own = 0;
    if (x->kept || x->classes->n_labels)
        return true;
    for (int32_t i = 0; i < KNOWN - 1; i++) { /* 255 is none */
        if (classes_name(x->named, i))
            return true;
        own += r->known[i] >= 2;
        foreign += r->known[i] == 1;
    }
    return own == 0 ? foreign == 0 : own > foreign;
}

int predict_truth(int32_t *dst, bool *exact, struct call *call, const struct glt_cloud *c,
                  const struct model *m)
{
    struct relabel r = {.labels = labels_find(c, &m->classes, false)};
    const struct column *truth = r.labels.column;
    *exact = false;
    if (!truth || r.labels.predicted)
        return 0;
    if (r.labels.unnamed) {
        log_message(GLT_LOG_INFO,
                    "the classification of the file is not used as ground truth: " LABELS_UNNAMED);
        return 0;
    }
    r.taken = call_alloc(call, (size_t)m->classes.n, sizeof *r.taken);
    r.from = call_alloc(call, (size_t)m->classes.n, sizeof *r.from);
    if (!r.taken || !r.from)
        return GLT_ENOMEM;
    for (int32_t k = 0; k < m->classes.n; k++)
        r.from[k] = NAN;
    for (int64_t i = 0; i < c->n; i++)
        dst[i] = class_of_point(&r, column_value(truth, i));
    if (!are_plausible(&r)) {
        log_warning(GLT_TOPIC_LABELS, NULL,
                    "the labels of the file are not used as ground truth: most of their numbers "
                    "are not classes of the model; name the classes in the file, or renumber its "
                    "labels to those of the model");
        return 0;
    }
    report_taken(&r);
    *exact = !r.lossy && truth == labels_column(c);
    return 1;
}

static bool has_values(const struct column *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (column_value(x, i) != 0)
            return true;
    return false;
}

/* The labels that are about to go, or in LAS the classification beside them, to the letter; exact:
 * they are in the truth. What was predicted goes, and so does a classification nobody gave. */
static int keep_original(struct glt_cloud *c, bool exact)
{
    static const char name[] = "original_classification";
    const struct column *x = labels_column(c);
    if (x && (exact || cloud_attribute(c, "confidence")))
        x = strcmp(x->name, "classification") ? cloud_attribute(c, "classification") : NULL;
    if (!x || x->start || x->width != 1 || cloud_attribute(c, name) || !has_values(x, c->n))
        return 0;
    struct column from = *x, *to; /* x moves when another one is added */
    TRY(cloud_add_attribute(&to, c, name, from.type));
    to->scale = from.scale;
    to->offset = from.offset;
    size_t size = type_size(from.type);
    for (int64_t i = 0; i < c->n; i++) /* borrowed ones may be apart */
        memcpy((unsigned char *)to->data + (size_t)i * size, column_item(&from, i), size);
    return 0;
}

/* A label the file came with stays, as truth, by the numbers of the model whose names the file is
 * about to get. */
static int keep_truth(struct glt_cloud *c, struct call *call, const struct model *m, bool wide,
                      bool classification_stays)
{
    bool exact;
    if (!labels_column(c) && !cloud_attribute(c, "truth"))
        return 0;
    int32_t *values = call_alloc(call, (size_t)c->n, sizeof *values);
    int found = values ? predict_truth(values, &exact, call, c, m) : GLT_ENOMEM;
    TRY(found < 0 ? found : 0);
    if (!classification_stays)
        TRY(keep_original(c, exact));
    if (found)
        return add_classes(c, "truth", values, wide);
    if (cloud_attribute(c, "confidence"))
        log_message(GLT_LOG_INFO, "its label has a confidence beside it: taken for an earlier "
                                  "prediction, and replaced");
    return 0;
}

/* Whether a prediction adds attributes of this name besides label and confidence; CloudCompare puts
 * a prefix before it. */
static bool is_of_prediction(const char *name)
{
    name += strncasecmp(name, "scalar_", 7) ? 0 : 7;
    return !strcmp(name, "second") || !strcmp(name, "margin") || !strcmp(name, "votes") ||
           !strncmp(name, "probability_", 12);
}

/* What an earlier prediction said of the labels that are about to go. */
static int forget_prediction(struct glt_cloud *c, struct call *call)
{
    if (!cloud_attribute(c, "confidence") || !labels_column(c))
        return 0;
    for (int32_t i = c->n_columns; i-- > 0;) {
        /* repeats of a name go with it */
        if (i >= c->n_columns || !is_of_prediction(c->columns[i].name))
            continue;
        const char *name = call_string(call, c->columns[i].name);
        if (!name)
            return GLT_ENOMEM;
        cloud_remove_attribute(c, name);
    }
    return 0;
}

/* A label without a confidence was no prediction: it becomes `truth`, and `original_classification`
 * if the truth cannot hold it. A predicted label goes, and all that was predicted with it. */
static int store_labels(struct glt_cloud *c, struct call *call, const struct point_labels *p,
                        const struct model *m, const struct classes *classes,
                        const struct predict_options *o)
{
    bool wide = classes->n > 255;
    int64_t mark = call_mark(call);
    int code = keep_truth(c, call, m, wide, o->keep);
    call_reset(call, mark); /* a class of every point */
    TRY(code);
    TRY(forget_prediction(c, call));
    TRY(labels_set(c, p->label, p->confidence, (const char *const *)classes->names, classes->n));
    TRY(class_numbers_note(c, classes, o->map));
    TRY(cloud_set_note(c, "las.classification", o->keep ? "kept" : "", o->keep ? 4 : 0));
    if (p->second)
        TRY(add_classes(c, "second", p->second, wide));
    if (p->margin)
        TRY(add_floats(c, "margin", p->margin, 1));
    if (p->votes)
        TRY(add_classes(c, "votes", p->votes, true));
    return p->probability ? add_probabilities(c, p, m) : 0;
}

/* How a scene was labelled, in place of what an earlier prediction said. */
static int note_protocol(struct glt_cloud *c, const struct predict_options *o)
{
    char text[64], spacing[32] = "";
    for (int32_t i = c->n_comments; i-- > 0;)
        if (!strncmp(c->comments[i], "protocol ", 9))
            cloud_remove_comment(c, i);
    if (o->spacing > 0)
        snprintf(spacing, sizeof spacing, ", spacing %g", o->spacing);
    snprintf(text, sizeof text, "protocol %s%s", inference_protocol_name(o->protocol), spacing);
    return cloud_add_comment(c, text);
}

/* --- memory --- */

static const char *advice(const struct predict_options *o)
{
    return o->probabilities ? "leave probabilities out"
           : o->overlap     ? "set overlap to 0"
                            : "crop the cloud";
}

/* The largest amount alive at a time, engines aside: while rows are sorted, while tiles run, while
 * the attributes are added. */
static int afford_points(const struct glt_cloud *c, struct model *m,
                         const struct predict_options *o)
{
    int64_t extra = m->channels - 3, stored = labels_bytes(m->classes.n, o);
    int64_t item = 16 + 4 * extra, sorting = 20 + 4 * (extra > 3 ? extra : 3);
    bool points = m->config.task != TASK_CLASSIFY, scene = m->config.task == TASK_SEGMENT;
    int64_t floors = m->config.sampling.floor == FLOOR_SCENE ? 0 : 8;
    int64_t tiling = scene ? 8 + floors + (o->overlap ? 4 * m->classes.n + 4 : 0) : 0;
    int64_t running = points ? item + tiling + stored : item;
    if (o->spacing > 0) /* both items, and the grid in which the nearest points are found */
        running += 20 + (item > 36 ? item : 36);
    int64_t storing = points ? 2 * stored : 0;
    int64_t maximum = item + sorting > running ? item + sorting : running;
    int64_t bytes = c->n * (maximum > storing ? maximum : storing);
    if (memory_afford(bytes, 0, NULL) == 0)
        return 0;
    int64_t sample = scene && c->n > m->config.sampling.points ? m->config.sampling.points : c->n;
    int64_t tile = c->n < 4 * sample ? c->n : 4 * sample; /* a guess: there are no tiles yet */
    size_t engine;
    TRY(engine_measure(&engine, m, (int32_t)sample, ENGINE_LOGITS));
    return memory_afford(bytes, (int64_t)engine + sample * item + tile * (4 * m->classes.n + 4),
                         advice(o));
}

/* --- inputs --- */

const char *predict_missing_input(const struct glt_cloud *c, const struct inputs *inputs)
{
    static const char *const colours[] = {"red", "green", "blue"};
    static const char *const normals[] = {"nx", "ny", "nz"};
    for (int32_t i = 0; i < inputs->n; i++) {
        const struct inputs *x = inputs;
        bool rgb = x->list[i].first == x->rgb, normal = x->list[i].first == x->normals;
        for (int k = 0; k < (rgb || normal ? 3 : 1) && !(rgb && x->rgb_optional); k++)
            if (!cloud_attribute(c, rgb ? colours[k] : normal ? normals[k] : x->list[i].name))
                return x->list[i].name;
    }
    return NULL;
}

struct fitting {
    const struct glt_cloud *cloud;
    const char *task;
    char list[512];
};

static int add_fitting(void *user, const struct model_found *found)
{
    struct fitting *f = user;
    struct inputs inputs;
    if (strcmp(found->task, f->task) || inputs_parse(&inputs, found->inputs) < 0 ||
        predict_missing_input(f->cloud, &inputs))
        return 0;
    size_t len = strlen(f->list);
    if (len + strlen(found->name) + 3 < sizeof f->list) {
        strcat(f->list, len ? ", " : "");
        strcat(f->list, found->name);
    }
    return 0;
}

/* A model for colours is no use without them: refuse, and name those that would do. */
int predict_check_inputs(const struct glt_cloud *c, const struct model *m)
{
    struct inputs inputs;
    char task[32];
    TRY(inputs_parse(&inputs, m->config.data.inputs));
    const char *missing = predict_missing_input(c, &inputs);
    if (!missing)
        return 0;
    TRY(config_get(&m->config, "task", task, sizeof task));
    struct fitting f = {.cloud = c, .task = task};
    TRY(models_each(add_fitting, &f));
    if (f.list[0])
        error_set(GLT_EMODEL,
                  "the cloud has no %s, and the model was trained with inputs = %s; installed "
                  "models that need nothing else than the cloud has: %s",
                  missing, m->config.data.inputs, f.list);
    else
        error_set(GLT_EMODEL,
                  "the cloud has no %s, and the model was trained with inputs = %s; no installed "
                  "model does without: train one with inputs = xyz",
                  missing, m->config.data.inputs);
    return error_topic(GLT_EMODEL, GLT_TOPIC_INPUTS, missing);
}

/* --- what becomes of the results --- */

struct prediction {
    struct call *call; /* its labels, and texts of the options */
    const struct predict_options *options;
    const char *name; /* of the cloud, in messages */
    struct model *model;
    struct item item;       /* what the network sees */
    struct item whole;      /* with spacing: all points */
    int32_t category;       /* given; -1: none */
    struct classes heights; /* with vegetation by height; else empty */
    struct point_labels labels;
    float *probabilities; /* (classes) of the whole; may be NULL */
    struct glt_prediction result;
};

static void put_class(struct prediction *p, const float *sum)
{
    p->result.label = votes_best(sum, p->model->classes.n);
    p->result.confidence = sum[p->result.label];
    if (p->probabilities)
        memcpy(p->probabilities, sum, (size_t)p->model->classes.n * sizeof *sum);
}

static int put_points(void *user, const struct inference_item *x, const struct inference_result *r)
{
    struct prediction *p = user;
    int64_t classes = p->model->classes.n;
    if (p->model->config.task == TASK_CLASSIFY) {
        put_class(p, r->sum);
        return 0;
    }
    for (int64_t i = 0; i < r->n; i++)
        put_label(&p->labels, x->cloud->row[r->rows ? r->rows[i] : i], r->sum + i * classes,
                  r->votes ? r->votes[i] : 1);
    return 0;
}

static int finish_item(void *user, const struct inference_item *x)
{
    struct prediction *p = user;
    const struct category *list = p->model->classes.categories;
    p->result.samples = x->samples;
    if (p->model->config.task == TASK_PARTS)
        p->result.label = p->category >= 0 ? p->category : x->category;
    if (x->rival >= 0)
        log_warning(GLT_TOPIC_CATEGORY, list[x->category].name,
                    "%s: taken for a shape of category %s, but %s is not much less likely: set "
                    "category",
                    p->name, list[x->category].name, list[x->rival].name);
    return 0;
}

static const struct inference_sink sink = {.put = put_points, .finish = finish_item};

static int run_network(struct prediction *p)
{
    const struct config *c = &p->model->config;
    struct inference o = {.model = p->model,
                          .protocol = p->options->protocol,
                          .sampling = c->sampling,
                          .seed = (uint64_t)c->seed,
                          .tilings = p->options->overlap + 1,
                          .items = item_alone(&p->item),
                          .sink = &sink,
                          .user = p,
                          .activity = "label points",
                          .advice = advice(p->options)};
    struct inference_times times = {0};
    o.times = &times;
    double began = clock_seconds();
    TRY(inference_run(&o));
    p->result.geometry = times.geometry;
    p->result.network = times.network;
    p->result.votes = times.votes;
    p->result.seconds = clock_seconds() - began;
    return 0;
}

int predict_item(struct item *x, const struct glt_cloud *c, const struct model *m, const char *name)
{
    struct inputs inputs;
    bool scene = m->config.task == TASK_SEGMENT;
    TRY(inputs_parse(&inputs, m->config.data.inputs));
    TRY(item_from_cloud(x, c, &inputs, name));
    int code = m->card ? range_guard(m->card, x, &inputs, scene, name) : 0;
    if (code == 0)
        code = item_finish(x, !scene && m->config.data.normalise == NORMALISE_SPHERE);
    if (code < 0)
        item_clear(x);
    return code;
}

static const double SPACING_MIN = 1e-9; /* so that cubes can be counted */

/* The density that counts is the one the network sees. */
static int thinned_item(struct prediction *p, const struct glt_cloud *c)
{
    const struct model *m = p->model;
    struct inputs inputs;
    TRY(inputs_parse(&inputs, m->config.data.inputs));
    TRY(item_from_cloud(&p->whole, c, &inputs, p->name));
    TRY(item_finish(&p->whole, false));
    TRY(spacing_thin(&p->item, &p->whole, p->options->spacing));
    memory_free(p->whole.features);
    p->whole.features = NULL;
    p->whole.extra = 0;
    log_message(GLT_LOG_INFO, "%s: %d of %d points stand for all of them", p->name, p->item.n,
                p->whole.n);
    return m->card ? range_guard(m->card, &p->item, &inputs, true, p->name) : 0;
}

/* Every point gets the label of the nearest that the network saw. */
static int carry_labels(struct prediction *p)
{
    int32_t *nearest = memory_alloc((size_t)p->whole.n, sizeof *nearest);
    int code =
        nearest ? spacing_nearest(nearest, &p->whole, &p->item, p->options->spacing) : GLT_ENOMEM;
    for (int32_t i = 0; i < p->whole.n && code == 0; i++) {
        int32_t from = p->item.row[nearest[i]];
        if (from != p->whole.row[i])
            copy_label(&p->labels, p->whole.row[i], from);
    }
    memory_free(nearest);
    return code;
}

static int predict(struct prediction *p, struct glt_cloud *c)
{
    const struct model *m = p->model;
    bool points = m->config.task != TASK_CLASSIFY, thin = p->options->spacing > 0;
    if (thin && p->options->spacing < SPACING_MIN)
        return error_topic(error_set(GLT_EARGUMENT, "spacing = %g: give 0, or %g and more",
                                     p->options->spacing, SPACING_MIN),
                           GLT_TOPIC_OPTION, "spacing");
    if (thin && m->config.task != TASK_SEGMENT)
        return error_topic(error_set(GLT_EARGUMENT, "spacing applies only to scenes: this model "
                                                    "sees whole shapes"),
                           GLT_TOPIC_OPTION, "spacing");
    if (p->options->category) /* judged before the work */
        TRY(model_category(&p->category, m, p->options->category));
    if (p->options->heights[1] > 0)
        TRY(vegetation_classes(&p->heights, &m->classes));
    const struct classes *classes = p->heights.n ? &p->heights : &m->classes;
    if (p->options->map)
        TRY(class_numbers_check(classes, p->options->map));
    TRY(predict_check_inputs(c, m));
    TRY(afford_points(c, p->model, p->options));
    TRY(thin ? thinned_item(p, c) : predict_item(&p->item, c, m, p->name));
    const struct item *all = thin ? &p->whole : &p->item;
    if (p->category >= 0)
        classes_range(&p->item.class_first, &p->item.class_count, &m->classes, p->category);
    p->result.points = all->n;
    if (points)
        TRY(take_labels(&p->labels, p->call, c->n, m->classes.n, p->options));
    TRY(run_network(p));
    if (thin)
        TRY(carry_labels(p));
    if (p->heights.n)
        TRY(vegetation_split(p->labels.label, all, &p->heights, p->options->heights, p->name));
    item_clear(&p->item);
    item_clear(&p->whole);
    drop_doubtful(&p->labels, p->options->min_confidence, points ? c->n : 0);
    if (points)
        TRY(store_labels(c, p->call, &p->labels, m, classes, p->options));
    return m->config.task == TASK_SEGMENT ? note_protocol(c, p->options) : 0;
}

/* With the context of the thread, but for the memory limit. */
static int predict_within(struct prediction *p, struct glt_cloud *c, int64_t max_memory)
{
    struct context limited, *context = context_current();
    if (max_memory > 0) {
        context_copy(&limited, context);
        atomic_store(&limited.memory_budget, max_memory);
        context = &limited;
    }
    context = context_enter(context);
    int code = predict(p, c);
    context_enter(context);
    item_clear(&p->item);
    item_clear(&p->whole);
    classes_free(&p->heights);
    return code;
}

int glt_cloud_predict(struct glt_cloud *c, const struct glt_model *m, const char *words,
                      struct glt_prediction *out, float *probabilities)
{
    REQUIRE(c, m);
    if (out)
        TRY(error_size("glt_prediction", out->size, sizeof *out));
    struct predict_options o = {.protocol = INFERENCE_PRODUCT};
    const char *protocol = NULL, *heights = NULL;
    int64_t max_memory = 0; /* bytes of the process; 0: no limit */
    const struct option_field table[] = {{"probabilities", FIELD_FLAG, &o.probabilities, 0, 0},
                                         {"second", FIELD_FLAG, &o.second, 0, 0},
                                         {"margin", FIELD_FLAG, &o.margin, 0, 0},
                                         {"votes", FIELD_FLAG, &o.votes, 0, 0},
                                         {"category", FIELD_TEXT, &o.category, 0, 0},
                                         {"overlap", FIELD_INT, &o.overlap, 0, 15},
                                         {"protocol", FIELD_TEXT, &protocol, 0, 0},
                                         {"spacing", FIELD_REAL, &o.spacing, 0, 1e9},
                                         {"vegetation_heights", FIELD_TEXT, &heights, 0, 0},
                                         {"min_confidence", FIELD_REAL, &o.min_confidence, 0, 1},
                                         {"map", FIELD_TEXT, &o.map, 0, 0},
                                         {"keep_classification", FIELD_FLAG, &o.keep, 0, 0},
                                         {"max_memory", FIELD_INT64, &max_memory, 0, 1e15}};
    struct call call = {0};
    struct prediction p = {.call = &call,
                           .options = &o,
                           .name = cloud_name(c),
                           .model = (struct model *)m,
                           .category = -1,
                           .probabilities = probabilities,
                           .result = {.size = out ? out->size : 0, .label = -1}};
    int code = option_string_read(&call, words, table, sizeof table / sizeof *table);
    if (code == 0)
        code = inference_protocol_read(&o.protocol, protocol);
    if (code == 0 && heights)
        code = vegetation_limits(o.heights, heights);
    if (code == 0)
        code = predict_within(&p, c, max_memory);
    if (code == 0 && out)
        *out = p.result;
    call_free(&call);
    return code;
}
