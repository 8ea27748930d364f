/* Prediction of clouds: checks before the work, the network, attributes after it. See predict.h. */
#include "task/predict.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/edit.h"
#include "cloud/provenance.h"
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
#include "core/string.h"
#include "datasets/range.h"
#include "geometry/upright.h"
#include "model/engine.h"
#include "model/models.h"
#include "sampling/spacing.h"
#include "sampling/tiling.h"
#include "sampling/votes.h"
#include "task/class_numbers.h"
#include "task/halo.h"
#include "task/inference.h"
#include "task/point_labels.h"
#include "task/vegetation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct predict_options {
    struct point_labels_wanted wanted;
    const char *category;             /* parts; NULL: the one with the largest sum */
    int overlap;                      /* scenes: further tilings, by shifted grids */
    enum inference_protocol protocol; /* scenes */
    double halo;                      /* scenes: tiles of the world grid; 0: of the cloud */
    double spacing;        /* scenes: the network's input is thinned to this; 0: all points */
    double min_confidence; /* points below it get no label */
    const char *map;       /* numbers of classes in LAS: "floor:2,wall:70" */
    const char *up;        /* the axis of the cloud that points up; NULL: the model's */
    int headings;          /* shapes: turned to N headings, which vote; 0: one */
    bool keep;             /* keep the classification of LAS; labels are another attribute */
    const char *said;      /* the given options, each after a blank */
    double heights[2];     /* at which medium and high vegetation begin; 0, 0: one class */
};

/* --- memory --- */

static const char *advice(const struct predict_options *o)
{
    return o->wanted.probabilities ? "leave probabilities out"
           : o->overlap            ? "set overlap to 0"
                                   : "crop the cloud";
}

/* The largest amount in use at a time, without engines: while rows are sorted, tiles run or
 * attributes are added. */
static int afford_points(int64_t n, struct model *m, const struct predict_options *o)
{
    int64_t extra = m->channels - 3, stored = point_labels_bytes(m->classes.n, &o->wanted);
    int64_t item = 16 + 4 * extra, sorting = 20 + 4 * (extra > 3 ? extra : 3);
    bool points = m->config.task != TASK_CLASSIFY, scene = m->config.task == TASK_SEGMENT;
    int64_t floors = m->config.sampling.floor == FLOOR_SCENE && o->halo == 0 ? 0 : 8;
    int64_t tiling = scene ? 8 + floors + (o->overlap ? 4 * m->classes.n + 4 : 0) : 0;
    int64_t running = points ? item + tiling + stored : item;
    if (o->spacing > 0) /* both items, and the grid to find nearest points */
        running += 20 + (item > 36 ? item : 36);
    int64_t storing = points ? 2 * stored : 0;
    int64_t maximum = item + sorting > running ? item + sorting : running;
    int64_t bytes = n * (maximum > storing ? maximum : storing);
    if (memory_afford(bytes, 0, NULL) == 0)
        return 0;
    int64_t sample = scene && n > m->config.sampling.points ? m->config.sampling.points : n;
    int64_t tile = n < 4 * sample ? n : 4 * sample; /* a guess: there are no tiles yet */
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
        for (int k = 0; k < (rgb || normal ? 3 : 1) && !x->list[i].optional; k++)
            if (!column_is_single(cloud_attribute(c, rgb      ? colours[k]
                                                     : normal ? normals[k]
                                                              : x->list[i].name)))
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

/* A model that needs colours is useless without them: refuse, and name suitable models. */
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
                  "the cloud has no %s, and the model was trained with inputs = %s; all installed "
                  "models need it too: train one with inputs = xyz",
                  missing, m->config.data.inputs);
    return error_topic(GLT_EMODEL, GLT_TOPIC_INPUTS, missing);
}

/* --- handling of the results --- */

struct prediction {
    struct call *call; /* memory of labels and option texts */
    const struct predict_options *options;
    const char *name;       /* of the cloud, in messages */
    struct string warnings; /* of differences from the training data, as lines */
    struct model *model;
    const struct halo *halo; /* NULL: the network sees only the cloud */
    struct item item;        /* the network's input */
    struct item whole;       /* with spacing, or for a dense shape: all points */
    double spacing;          /* approximate spacing of the network's input, if thinned */
    int heading;             /* of the current pass, from 0 */
    float *sum;              /* (points or 1, classes) over headings; NULL for one heading */
    int32_t *guesses;        /* (categories) in how many headings the shape was assigned to each */
    int32_t category;        /* given; -1: none */
    struct classes heights;  /* with vegetation by height; else empty */
    struct point_labels labels;
    float *probabilities; /* (classes) of the whole; may be NULL */
    bool one_of_many;     /* a tile of a survey, which may be empty */
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
    if (p->sum) {
        for (int64_t i = 0; i < r->n * classes; i++)
            p->sum[i] += r->sum[i];
        return 0;
    }
    if (p->model->config.task == TASK_CLASSIFY) {
        put_class(p, r->sum);
        return 0;
    }
    for (int64_t i = 0; i < r->n; i++)
        if (!r->votes || r->votes[i] > 0) /* others are only input */
            point_labels_put(&p->labels, x->cloud->row[r->rows ? r->rows[i] : i],
                             r->sum + i * classes, r->votes ? r->votes[i] : 1);
    return 0;
}

static int finish_item(void *user, const struct inference_item *x)
{
    struct prediction *p = user;
    const struct category *list = p->model->classes.categories;
    p->result.samples += x->samples;
    if (p->sum && x->category >= 0)
        p->guesses[x->category]++;
    if (p->model->config.task == TASK_PARTS)
        p->result.label = p->category >= 0 ? p->category : x->category;
    if (x->rival >= 0 && p->heading == 0)
        log_warning(GLT_TOPIC_CATEGORY, list[x->category].name,
                    "%s: taken for a shape of category %s, but %s is nearly as likely: set "
                    "category",
                    p->name, list[x->category].name, list[x->rival].name);
    return 0;
}

static const struct inference_sink sink = {.put = put_points, .finish = finish_item};

static int run_once(struct prediction *p, struct inference_times *times)
{
    const struct config *c = &p->model->config;
    struct inference o = {.model = p->model,
                          .protocol = p->options->protocol,
                          .sampling = c->sampling,
                          .seed = (uint64_t)c->seed,
                          .tilings = p->options->overlap + 1,
                          .grid = p->options->halo > 0 ? TILE_GRID_WORLD : TILE_GRID_CLOUD,
                          .items = item_alone(&p->item),
                          .sink = &sink,
                          .user = p,
                          .activity = "label points",
                          .advice = advice(p->options)};
    o.times = times;
    return inference_run(&o);
}

/* The category predicted by most headings; the first of equal ones. */
static int32_t guessed_category(const struct prediction *p)
{
    int32_t best = 0;
    for (int32_t k = 1; k < p->model->classes.n_categories; k++)
        best = p->guesses[k] > p->guesses[best] ? k : best;
    return best;
}

/* Sets the label of every point by the votes of all headings, among the parts of the chosen
 * category. */
static void count_headings(struct prediction *p)
{
    const struct classes *x = &p->model->classes;
    int32_t first = 0, count = x->n, headings = p->options->headings;
    if (p->model->config.task == TASK_CLASSIFY) {
        for (int32_t k = 0; k < x->n; k++)
            p->sum[k] /= (float)headings;
        put_class(p, p->sum);
        return;
    }
    if (p->category < 0 && x->n_categories)
        p->result.label = guessed_category(p);
    classes_range(&first, &count, x, x->n_categories ? p->result.label : -1);
    for (int64_t i = 0; i < p->item.n; i++) {
        float *sum = p->sum + i * x->n;
        for (int32_t k = 0; k < x->n; k++)
            sum[k] = k >= first && k < first + count ? sum[k] : 0;
        point_labels_put(&p->labels, p->item.row[i], sum, headings);
    }
}

/* Runs one heading after the other, so that votes are added in a fixed order. */
static int run_headings(struct prediction *p, struct inference_times *times)
{
    const struct model *m = p->model;
    const double turn = 6.283185307179586;
    struct inputs inputs;
    struct item upright = p->item;
    size_t n = (size_t)upright.n, extra = (size_t)upright.extra, classes = (size_t)m->classes.n;
    TRY(inputs_parse(&inputs, m->config.data.inputs));
    p->sum = call_alloc(p->call, m->config.task == TASK_CLASSIFY ? 1 : n, classes * sizeof *p->sum);
    p->guesses = call_alloc(p->call, (size_t)m->classes.n_categories + 1, sizeof *p->guesses);
    float *xyz = call_alloc(p->call, n, 3 * sizeof *xyz);
    float *features = call_alloc(p->call, n, (extra + 1) * sizeof *features);
    if (!p->sum || !p->guesses || !xyz || !features)
        return GLT_ENOMEM;
    memcpy(xyz, upright.xyz, n * 3 * sizeof *xyz);
    if (extra)
        memcpy(features, upright.features, n * extra * sizeof *features);
    int code = 0;
    p->item.xyz = xyz;
    p->item.features = extra ? features : NULL;
    for (p->heading = 0; p->heading < p->options->headings && code == 0; p->heading++) {
        if (p->heading)
            item_turn(&p->item, &upright, m->config.augment.up, inputs.normals,
                      turn * p->heading / p->options->headings);
        code = run_once(p, times);
    }
    p->item.xyz = upright.xyz;
    p->item.features = upright.features;
    if (code == 0)
        count_headings(p);
    return code;
}

static int run_network(struct prediction *p)
{
    struct inference_times times = {0};
    double began = clock_seconds();
    TRY(p->options->headings > 1 ? run_headings(p, &times) : run_once(p, &times));
    p->result.geometry = times.geometry;
    p->result.network = times.network;
    p->result.votes = times.votes;
    p->result.seconds = clock_seconds() - began;
    return 0;
}

/* The share of an axis (geometry/upright.h) below which another one may point up; the confidence
 * above which the network is sure of a shape. */
static const double UP_UNLIKELY = 0.1, SURE = 0.8;

enum { DENSE = 2 }; /* times the model's points: a shape with more is resampled */

bool predict_is_dense(const struct model *m, int64_t n)
{
    return m->config.task != TASK_SEGMENT && n > (int64_t)DENSE * m->config.sampling.points;
}

static bool is_in_metres(const struct glt_cloud *c)
{
    const struct note *unit = cloud_note(c, "unit");
    return unit && !strcmp((const char *)unit->bytes, "m");
}

static int make_item(struct item *x, const struct glt_cloud *c, const struct model *m, bool world,
                     const struct range_log *log)
{
    struct inputs inputs;
    bool scene = m->config.task == TASK_SEGMENT;
    TRY(inputs_parse(&inputs, m->config.data.inputs));
    double lattice = world ? tiling_lattice(&m->config.sampling) : 0;
    TRY(item_from_cloud_steps(x, c, &inputs, lattice, log->name));
    bool guarded =
        m->card && !predict_is_dense(m, x->n); /* else the resampled points are checked */
    int code = guarded ? range_guard(m->card, x, &inputs, scene, log) : 0;
    if (code == 0)
        code = item_finish(x, !scene && m->config.data.normalise == NORMALISE_SPHERE);
    if (code < 0)
        item_clear(x);
    return code;
}

int predict_item(struct item *x, const struct glt_cloud *c, const struct model *m, const char *name)
{
    struct range_log log = {.name = name, .metres = is_in_metres(c)};
    return make_item(x, c, m, false, &log);
}

/* Resamples a dense shape to as many points as the network was trained on. */
static int resampled_item(struct prediction *p)
{
    const struct model *m = p->model;
    int32_t points = m->config.sampling.points;
    struct inputs inputs;
    struct range_log log = {.name = p->name, .lines = &p->warnings};
    TRY(inputs_parse(&inputs, m->config.data.inputs));
    p->whole = p->item;
    p->item = (struct item){0};
    TRY(spacing_draw(&p->item, &p->whole, points, (uint64_t)m->config.seed));
    double side = 0;
    for (int64_t i = 0; i < 3 * (int64_t)p->whole.n; i++)
        side = fmax(side, (double)p->whole.xyz[i] - (double)p->whole.low[i % 3]);
    p->spacing = side > 0 ? 2 * side / sqrt((double)points) : 1; /* as points are on a surface */
    log_message(GLT_LOG_INFO, "%s: %d of %d points are seen, as many as the model was trained on",
                p->name, p->item.n, p->whole.n);
    return m->card ? range_guard(m->card, &p->item, &inputs, false, &log) : 0;
}

static const double SPACING_MIN = 1e-9; /* so that cube numbers do not overflow */

/* The range is checked with the density that the network sees. */
static int thinned_item(struct prediction *p, const struct glt_cloud *c, bool metres)
{
    const struct model *m = p->model;
    struct inputs inputs;
    double lattice = p->options->halo > 0 ? tiling_lattice(&m->config.sampling) : 0;
    struct range_log log = {p->name, &p->warnings, metres};
    TRY(inputs_parse(&inputs, m->config.data.inputs));
    TRY(item_from_cloud_steps(&p->whole, c, &inputs, lattice, p->name));
    TRY(item_finish(&p->whole, false));
    p->whole.wanted = p->halo ? p->halo->wanted : 0;
    p->spacing = p->options->spacing;
    TRY(spacing_thin(&p->item, &p->whole, p->spacing));
    memory_free(p->whole.features);
    p->whole.features = NULL;
    p->whole.extra = 0;
    log_message(GLT_LOG_INFO, "%s: %d of %d points stand for all of them", p->name, p->item.n,
                p->whole.n);
    return m->card ? range_guard(m->card, &p->item, &inputs, true, &log) : 0;
}

/* Gives every point the label of the nearest point that the network saw. */
static int carry_labels(struct prediction *p)
{
    int32_t *nearest = memory_alloc((size_t)p->whole.n, sizeof *nearest);
    int code = nearest ? spacing_nearest(nearest, &p->whole, &p->item, p->spacing) : GLT_ENOMEM;
    for (int32_t i = 0; i < p->whole.n && code == 0; i++) {
        int32_t from = p->item.row[nearest[i]];
        if (from != p->whole.row[i])
            point_labels_copy(&p->labels, p->whole.row[i], from);
    }
    memory_free(nearest);
    return code;
}

/* Refuses options that apply only to scenes. */
static int check_scene(const struct predict_options *o, const struct model *m)
{
    bool thin = o->spacing > 0;
    if (thin && o->spacing < SPACING_MIN)
        return error_topic(error_set(GLT_EARGUMENT, "spacing = %g: give 0, or %g and more",
                                     o->spacing, SPACING_MIN),
                           GLT_TOPIC_OPTION, "spacing");
    if ((thin || o->halo > 0) && m->config.task != TASK_SEGMENT)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "%s applies only to scenes: this model "
                                     "sees whole shapes",
                                     thin ? "spacing" : "halo"),
                           GLT_TOPIC_OPTION, thin ? "spacing" : "halo");
    return 0;
}

static const char axes[] = "xyz";

static int check_shape(const struct predict_options *o, const struct model *m)
{
    const char *wrong = NULL;
    if (o->headings > 1 && m->config.task == TASK_SEGMENT)
        return error_topic(
            error_set(GLT_EARGUMENT, "headings applies only to shapes: this model labels scenes"),
            GLT_TOPIC_OPTION, "headings");
    if (o->up && (strlen(o->up) != 1 || !strchr(axes, o->up[0])))
        wrong = "give x, y or z";
    else if (o->up && o->halo > 0)
        wrong = "it cannot be combined with halo: turn the clouds first";
    return wrong ? error_topic(error_set(GLT_EARGUMENT, "up = %s: %s", o->up, wrong),
                               GLT_TOPIC_OPTION, "up")
                 : 0;
}

/* How many of the cloud's own points are in the item: the others are not finite. */
static int count_own(int64_t *n, const struct prediction *p, const struct item *x,
                     const struct glt_cloud *c)
{
    *n = p->halo ? 0 : x->n;
    for (int32_t i = 0; p->halo && i < x->n; i++)
        *n += x->row[i] < c->n;
    return *n ? 0
              : error_topic(error_in(GLT_EDATA, p->name, "no points with finite coordinates"),
                            GLT_TOPIC_COORDINATES, NULL);
}

/* Makes the item, and with spacing both items. metres: the unit is known, from the file's notes,
 * which its halo lacks. */
static int see_points(struct prediction *p, const struct glt_cloud *c, bool metres)
{
    if (p->options->spacing > 0)
        return thinned_item(p, c, metres);
    struct range_log log = {p->name, &p->warnings, metres};
    TRY(make_item(&p->item, c, p->model, p->options->halo > 0, &log));
    p->item.wanted = p->halo ? p->halo->wanted : 0;
    return predict_is_dense(p->model, p->item.n) ? resampled_item(p) : 0;
}

/* The same for a cloud in which another axis than the model's points up. */
static int see_turned(struct prediction *p, const struct glt_cloud *c, bool metres)
{
    struct glt_cloud *turned = NULL;
    TRY(glt_cloud_share(&turned, c));
    int up = (int)(strchr(axes, p->options->up[0]) - axes);
    int code = edit_turn(turned, up, p->model->config.augment.up);
    if (code == 0)
        code = see_points(p, turned, metres);
    glt_cloud_free(turned);
    return code;
}

/* The confidence of the network if another axis pointed up. */
static int confidence_on(double *confidence, struct prediction *p, int axis)
{
    const double quarter = 1.5707963267948966;
    int up = p->model->config.augment.up;
    bool next = up == (axis + 1) % 3;
    size_t n = (size_t)p->item.n, extra = (size_t)p->item.extra;
    struct prediction turned = *p;
    struct inference_times times = {0};
    struct inputs inputs;
    TRY(inputs_parse(&inputs, p->model->config.data.inputs));
    turned.sum = turned.probabilities = NULL;
    turned.item.xyz = call_alloc(p->call, n, 3 * sizeof *turned.item.xyz);
    turned.item.features = call_alloc(p->call, n, (extra + 1) * sizeof *turned.item.features);
    if (!turned.item.xyz || !turned.item.features)
        return GLT_ENOMEM;
    if (extra)
        memcpy(turned.item.features, p->item.features, n * extra * sizeof *turned.item.features);
    item_turn(&turned.item, &p->item, next ? (axis + 2) % 3 : (axis + 1) % 3, inputs.normals,
              next ? quarter : -quarter);
    TRY(run_once(&turned, &times));
    *confidence = turned.result.confidence;
    return 0;
}

static int likeliest(const double share[3], int up)
{
    int best = up;
    for (int k = 0; k < 3; k++)
        best = share[k] > share[best] ? k : best;
    return best;
}

/* Warns if another axis seems to point up. The geometry of a shape decides how likely that is; if
 * the network is unsure of its class, its confidence counts too, as it is higher for an upright
 * shape. */
static int ask_which_axis_is_up(struct prediction *p)
{
    const struct model *m = p->model;
    struct range_log log = {.name = p->name, .lines = &p->warnings};
    const int up = m->config.augment.up;
    const double sure = p->result.confidence;
    double share[3], confidence;
    if (m->config.task == TASK_SEGMENT || p->options->up)
        return 0;
    upright_shares(share, p->item.xyz, p->item.n);
    if (m->config.task != TASK_CLASSIFY || sure >= SURE) {
        if (share[up] >= UP_UNLIKELY)
            return 0;
    } else {
        share[up] *= sure;
        for (int k = 0; k < 3; k++)
            if (k != up) {
                TRY(confidence_on(&confidence, p, k));
                share[k] *= confidence;
            }
    }
    int best = likeliest(share, up);
    return best != up ? range_ask_up(best, up, &log) : 0;
}

static int store(struct prediction *p, struct glt_cloud *c, const struct classes *classes)
{
    struct point_labels_form form = {
        .model = p->model, .classes = classes, .map = p->options->map, .keep = p->options->keep};
    return point_labels_store(c, p->call, &p->labels, &form);
}

/* An empty cloud gets the attributes of the others, so that a survey with one can be finished. */
static int store_none(struct prediction *p, struct glt_cloud *c, const struct classes *classes)
{
    TRY(point_labels_take(&p->labels, p->call, 0, p->model->classes.n, &p->options->wanted));
    return store(p, c, classes);
}

static int predict(struct prediction *p, struct glt_cloud *c)
{
    const struct model *m = p->model;
    const struct glt_cloud *seen = p->halo ? p->halo->cloud : c;
    bool points = m->config.task != TASK_CLASSIFY;
    int32_t *reviewed = NULL;
    TRY(check_scene(p->options, m));
    TRY(check_shape(p->options, m));
    if (p->options->category) /* checked before the work */
        TRY(model_category(&p->category, m, p->options->category));
    if (p->options->heights[1] > 0)
        TRY(vegetation_classes(&p->heights, &m->classes));
    const struct classes *classes = p->heights.n ? &p->heights : &m->classes;
    if (p->options->map)
        TRY(class_numbers_check(classes, p->options->map));
    TRY(predict_check_inputs(c, m));
    if (c->n == 0 && points && p->one_of_many)
        return store_none(p, c, classes);
    TRY(points ? point_labels_reviewed(&reviewed, p->call, c, classes) : 0);
    TRY(afford_points(seen->n, p->model, p->options));
    TRY(p->options->up ? see_turned(p, seen, is_in_metres(c))
                       : see_points(p, seen, is_in_metres(c)));
    bool some = p->whole.n > 0; /* only some of the points are input */
    const struct item *all = some ? &p->whole : &p->item;
    if (p->category >= 0)
        classes_range(&p->item.class_first, &p->item.class_count, &m->classes, p->category);
    TRY(count_own(&p->result.points, p, all, c));
    if (points)
        TRY(point_labels_take(&p->labels, p->call, seen->n, m->classes.n, &p->options->wanted));
    TRY(run_network(p));
    TRY(ask_which_axis_is_up(p));
    if (some && points)
        TRY(carry_labels(p));
    if (p->heights.n)
        TRY(vegetation_split(p->labels.label, all, &p->heights, p->options->heights, p->name));
    item_clear(&p->item);
    item_clear(&p->whole);
    point_labels_drop(&p->labels, p->options->min_confidence, points ? c->n : 0);
    point_labels_keep(&p->labels, reviewed, c->n);
    if (points)
        TRY(store(p, c, classes));
    return 0;
}

/* Records which model labelled the cloud and how, replacing the record of an earlier prediction. It
 * is the same in every run of the same work. */
static int note_provenance(struct prediction *p, struct glt_cloud *c)
{
    const struct model *m = p->model;
    struct string lines = {0};
    struct tm date;
    char *text;
    string_add(&lines, "version %s\ncommit %s\n", glt_version(), glt_commit());
    if (clock_source_date(&date))
        string_add(&lines, "time %04d-%02d-%02dT%02d:%02d:%02dZ\n", date.tm_year + 1900,
                   date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec);
    string_add(&lines, "model %s\n", *m->name ? m->name : "unnamed");
    if (*m->digest)
        string_add(&lines, "digest %s\n", m->digest);
    if (m->config.task == TASK_SEGMENT)
        string_add(&lines, "protocol %s\n", inference_protocol_name(p->options->protocol));
    string_add(&lines, "options%s\n", *p->options->said ? p->options->said : " none");
    if (p->warnings.len)
        string_add(&lines, "%s", p->warnings.bytes);
    TRY(string_take(&text, &lines));
    int code = provenance_set(c, text, m->config.task != TASK_CLASSIFY);
    memory_free(text);
    return code;
}

/* Uses the context of the thread, except for the memory limit. */
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
    if (code == 0)
        code = note_provenance(p, c);
    context_enter(context);
    item_clear(&p->item);
    item_clear(&p->whole);
    classes_free(&p->heights);
    string_free(&p->warnings);
    return code;
}

/* Strings are in memory of the call. */
static int read_options(struct predict_options *o, int64_t *max_memory, struct call *call,
                        const char *words)
{
    const char *protocol = NULL, *heights = NULL;
    const struct option_field table[] = {
        {"probabilities", FIELD_FLAG, &o->wanted.probabilities, 0, 0},
        {"second", FIELD_FLAG, &o->wanted.second, 0, 0},
        {"margin", FIELD_FLAG, &o->wanted.margin, 0, 0},
        {"votes", FIELD_FLAG, &o->wanted.votes, 0, 0},
        {"category", FIELD_TEXT, &o->category, 0, 0},
        {"overlap", FIELD_INT, &o->overlap, 0, 15},
        {"protocol", FIELD_TEXT, &protocol, 0, 0},
        {"halo", FIELD_REAL, &o->halo, 0, 1e9},
        {"spacing", FIELD_REAL, &o->spacing, 0, 1e9},
        {"vegetation_heights", FIELD_TEXT, &heights, 0, 0},
        {"min_confidence", FIELD_REAL, &o->min_confidence, 0, 1},
        {"map", FIELD_TEXT, &o->map, 0, 0},
        {"up", FIELD_TEXT, &o->up, 0, 0},
        {"headings", FIELD_INT, &o->headings, 0, 64},
        {"keep_classification", FIELD_FLAG, &o->keep, 0, 0},
        {"max_memory", FIELD_INT64, max_memory, 0, 1e15}};
    *o = (struct predict_options){.protocol = INFERENCE_PRODUCT};
    *max_memory = 0; /* bytes of the process; 0: no limit */
    TRY(option_string_read(call, words, table, sizeof table / sizeof *table));
    TRY(inference_protocol_read(&o->protocol, protocol));
    if (heights)
        TRY(vegetation_limits(o->heights, heights));
    struct string said = {0};
    option_string_print(&said, table, sizeof table / sizeof *table, " protocol max_memory ");
    o->said = said.code == 0 ? call_string(call, said.bytes ? said.bytes : "") : NULL;
    string_free(&said);
    return o->said ? 0 : GLT_ENOMEM;
}

int predict_reach(struct halo_reach *out, const struct model *m, const char *words)
{
    struct call call = {0};
    struct predict_options o;
    int64_t max_memory;
    int code = read_options(&o, &max_memory, &call, words);
    call_free(&call);
    if (o.halo > 0) /* points that may stand for one of the file: sqrt(3) spacings, rounded up */
        o.halo = fmax(o.halo, 1.75 * o.spacing);
    *out = (struct halo_reach){.halo = o.halo,
                               .wide = o.spacing > 0 || o.heights[1] > 0,
                               .tiling = {.sampling = m->config.sampling,
                                          .tilings = o.overlap + 1,
                                          .grid = TILE_GRID_WORLD,
                                          .once = o.protocol == INFERENCE_PRODUCT}};
    return code < 0 ? code : check_scene(&o, m);
}

int predict_cloud(struct glt_cloud *c, const struct halo *halo, const struct predict_call *x)
{
    struct predict_options o;
    int64_t max_memory;
    struct call call = {0};
    struct prediction p = {.call = &call,
                           .options = &o,
                           .name = cloud_name(c),
                           .model = x->model,
                           .halo = halo,
                           .category = -1,
                           .probabilities = x->probabilities,
                           .one_of_many = x->one_of_many,
                           .result = {.size = x->out ? x->out->size : 0, .label = -1}};
    int code = read_options(&o, &max_memory, &call, x->options);
    if (code == 0)
        code = predict_within(&p, c, max_memory);
    if (code == 0 && x->out)
        *x->out = p.result;
    call_free(&call);
    return code;
}

int glt_cloud_predict(struct glt_cloud *c, const struct glt_model *m, const char *words,
                      struct glt_prediction *out, float *probabilities)
{
    REQUIRE(c, m);
    if (out)
        TRY(error_size("glt_prediction", out->size, sizeof *out));
    struct predict_call x = {
        .model = (struct model *)m, .options = words, .out = out, .probabilities = probabilities};
    return predict_cloud(c, NULL, &x);
}
