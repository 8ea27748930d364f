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

static const char highest[] = "high vegetation";
static const char *const lower[] = {"low vegetation", "medium vegetation"};

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

/* A number that another class has already is not used again. */
static int add_lower(struct classes *out, const char *name, int32_t vegetation)
{
    int32_t number = asprs_number(name), has = classes_of_number(out, number);
    TRY(classes_add(out, name));
    return has < 0 || has == vegetation ? classes_add_number(out, number, out->n - 1) : 0;
}

int vegetation_classes(struct classes *out, const struct classes *model)
{
    int32_t vegetation = classes_find(model, "vegetation");
    if (vegetation < 0 || classes_find(model, "ground") < 0)
        return error_topic(error_set(GLT_EMODEL,
                                     "vegetation heights need a model with the classes ground and "
                                     "vegetation; leave them out, or take another model"),
                           GLT_TOPIC_CLASSES, "vegetation");
    TRY(classes_copy(out, model));
    int code = classes_change(out, vegetation, highest, NULL);
    for (int i = 0; i < 2 && code == 0; i++)
        code = add_lower(out, lower[i], vegetation);
    if (code == 0)
        code = classes_check_unique(out);
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
                      .high = classes_find(c, highest),
                      .low = classes_find(c, lower[0])};
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
