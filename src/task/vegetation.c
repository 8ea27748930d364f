/* Low, medium and high vegetation: see vegetation.h. The ground below a point is the mean of the
 * three nearest points of ground in plan view, weighted by 1 / distance. */
#include "task/vegetation.h"

#include "cloud/asprs.h"
#include "core/arena.h"
#include "core/error.h"
#include "core/log.h"
#include "core/option_string.h"
#include "core/parallel.h"
#include "geometry/grid.h"
#include "geometry/nearest.h"

#include <math.h>

enum { NEAREST = 3, GRAIN = 4096 };

enum { KINDS = 3, HIGH = 2 };
static const char *const kinds[KINDS] = {"low vegetation", "medium vegetation", "high vegetation"};

int vegetation_limits(double limits[2], const char *text)
{
    bool fine = option_string_numbers(limits, 2, text) == 2 && limits[0] >= 0 &&
                limits[1] > limits[0] && limits[1] < 1e6;
    return fine ? 0
                : error_topic(error_set(GLT_EARGUMENT,
                                        "vegetation_heights = '%s': give two rising heights, at "
                                        "which medium and high vegetation begin, as 0.5,2",
                                        text),
                              GLT_TOPIC_ARGUMENT, "vegetation_heights");
}

/* A kind gets its number of the ASPRS unless another class has it. */
static int number_kind(struct classes *out, const char *name, const struct classes *model,
                       int32_t vegetation)
{
    int32_t number = asprs_number(name);
    bool free = classes_number(model, number) == model->n_labels;
    return free || classes_of_number(model, number) == vegetation
               ? classes_add_number(out, number, classes_find(out, name))
               : 0;
}

/* The labels of the model, of which vegetation leaves 3, 4 and 5 to its kinds. Without numbers, or
 * with those that merely count the classes, kinds need none. */
static int number_classes(struct classes *out, const struct classes *model, int32_t vegetation)
{
    if (model->n_labels == 0)
        return 0;
    if (!classes_are_places(model))
        for (int i = 0; i < KINDS; i++)
            TRY(number_kind(out, kinds[i], model, vegetation));
    for (int32_t i = 0; i < model->n_labels; i++) {
        const struct label *x = &model->labels[i];
        if (x->name)
            TRY(classes_add_label(out, x->name, x->class));
        else if (classes_number(out, x->number) == out->n_labels)
            TRY(classes_add_number(out, x->number, x->class));
    }
    return 0;
}

int vegetation_classes(struct classes *out, const struct classes *model)
{
    int32_t vegetation = classes_find(model, "vegetation");
    if (vegetation < 0 || classes_find(model, "ground") < 0)
        return error_topic(error_set(GLT_EMODEL,
                                     "vegetation heights need a model with the classes ground and "
                                     "vegetation; leave them out, or take another model"),
                           GLT_TOPIC_CLASSES, "vegetation");
    struct classes unnumbered = *model;
    unnumbered.n_labels = 0;
    TRY(classes_copy(out, &unnumbered));
    int code = classes_change(out, vegetation, kinds[HIGH], NULL);
    for (int i = 0; i < HIGH && code == 0; i++)
        code = classes_add(out, kinds[i]);
    if (code == 0)
        code = classes_check_unique(out);
    if (code == 0)
        code = number_classes(out, model, vegetation);
    if (code < 0)
        classes_free(out);
    return code;
}

/* Points of ground in plan view, and their heights. */
struct ground {
    struct arena arena;
    int32_t n;
    float *xyz; /* (n, 3) with z = 0 */
    float *z;   /* (n) */
    struct grid grid;
    double spacing; /* approximate spacing of its points */
};

static void take_ground(struct ground *g, struct arena *a)
{
    g->xyz = arena_take(a, (size_t)g->n, 3 * sizeof *g->xyz);
    g->z = arena_take(a, (size_t)g->n, sizeof *g->z);
    grid_take(&g->grid, a, g->n);
}

static void fill_ground(struct ground *g, const int32_t *label, const struct item *x, int32_t class)
{
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0, at = 0; i < x->n; i++) {
        const float *p = x->xyz + 3 * i;
        if (label[x->row[i]] != class)
            continue;
        for (int k = 0; k < 2; k++) {
            g->xyz[3 * at + k] = p[k];
            low[k] = fminf(low[k], p[k]);
            high[k] = fmaxf(high[k], p[k]);
        }
        g->xyz[3 * at + 2] = 0;
        g->z[at++] = p[2];
    }
    double area = ((double)high[0] - (double)low[0]) * ((double)high[1] - (double)low[1]);
    g->spacing = fmax(sqrt(area / g->n), 1e-3);
    grid_build(&g->grid, g->xyz, g->n, 2 * g->spacing);
}

static int ground_make(struct ground *g, const int32_t *label, const struct item *x, int32_t class)
{
    struct arena measuring = arena_measuring();
    for (int32_t i = 0; i < x->n; i++)
        g->n += label[x->row[i]] == class;
    if (g->n == 0)
        return 0;
    take_ground(g, &measuring);
    TRY(arena_init(&g->arena, measuring.peak));
    take_ground(g, &g->arena);
    fill_ground(g, label, x, class);
    return 0;
}

static double ground_below(const struct ground *g, const float *p)
{
    uint64_t near[NEAREST];
    const float q[3] = {p[0], p[1], 0};
    int32_t n = nearest_search(near, &g->grid, q, NEAREST, INFINITY, g->spacing);
    double sum = 0, weights = 0;
    for (int32_t i = 0; i < n; i++) {
        double weight = 1 / (sqrt((double)nearest_d2(near[i])) + 1e-8);
        sum += weight * (double)g->z[nearest_rank(near[i])];
        weights += weight;
    }
    return sum / weights;
}

struct split {
    int32_t *label;
    const struct item *x;
    const struct ground *ground;
    const double *limits;
    int32_t high, low; /* classes; medium follows low */
};

static void split_points(void *user, int64_t begin, int64_t end)
{
    const struct split *s = user;
    for (int64_t i = begin; i < end; i++) {
        int32_t *label = &s->label[s->x->row[i]];
        const float *p = s->x->xyz + 3 * i;
        if (*label != s->high)
            continue;
        double height = (double)p[2] - ground_below(s->ground, p);
        if (height < s->limits[1])
            *label = s->low + (height >= s->limits[0]);
    }
}

int vegetation_split(int32_t *label, const struct item *x, const struct classes *c,
                     const double limits[2], const char *name)
{
    struct ground ground = {0};
    TRY(ground_make(&ground, label, x, classes_find(c, "ground")));
    struct split s = {.label = label,
                      .x = x,
                      .ground = &ground,
                      .limits = limits,
                      .high = classes_find(c, kinds[HIGH]),
                      .low = classes_find(c, kinds[0])};
    if (ground.n > 0)
        parallel_for(x->n, GRAIN, split_points, &s);
    else
        log_warning(GLT_TOPIC_CLASSES, "ground",
                    "%s: no point was labelled ground, so vegetation has no height: all of it "
                    "counts as high",
                    name);
    arena_free(&ground.arena);
    return 0;
}
