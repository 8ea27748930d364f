/* Thinned clouds: see thin.h. */
#include "datasets/thin.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

static const double height = 1.5, away = 2; /* of the scanner: above the floor; in radii */

static double distance(const float *p, const double at[3])
{
    double x = (double)p[0] - at[0], y = (double)p[1] - at[1], z = (double)p[2] - at[2];
    return sqrt(x * x + y * y + z * z);
}

/* Returns the area of the scene's bounds. */
static double scan_scene(double at[3], const struct item *x, int32_t up)
{
    double area = 1;
    for (int k = 0; k < 3; k++) {
        double high = (double)x->low[k];
        for (int64_t i = 0; i < x->n; i++)
            high = fmax(high, (double)x->xyz[3 * i + k]);
        at[k] = k == up ? (double)x->low[k] + height : ((double)x->low[k] + high) / 2;
        area *= k == up ? 1 : high - (double)x->low[k];
    }
    return area;
}

/* Returns the radius of the shape. */
static double scan_shape(double at[3], const struct item *x)
{
    double radius = 0;
    for (int k = 0; k < 3; k++) {
        at[k] = 0;
        for (int64_t i = 0; i < x->n; i++)
            at[k] += (double)x->xyz[3 * i + k] / x->n;
    }
    for (int64_t i = 0; i < x->n; i++)
        radius = fmax(radius, distance(x->xyz + 3 * i, at));
    at[0] += away * radius;
    return radius;
}

/* u_i divided by the probability of point i, which stays if this is below 1. */
static void draw(double *u, const struct item *x, const struct thinning *t, const double at[3],
                 struct random_stream stream)
{
    for (int32_t i = 0; i < x->n; i++) {
        struct random r = random_start(stream, (uint32_t)i);
        double d = distance(x->xyz + 3 * (int64_t)i, at);
        double near = t->range > 0 && d > t->range ? t->range / d : 1;
        u[i] = random_uniform(&r) / (t->keep * near * near);
    }
}

/* The limit on that quotient: 1, or more if too few points would stay. */
static double limit_of(const double *u, int32_t n)
{
    double least[THIN_LEAST]; /* the smallest so far, ascending */
    int32_t have = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t at = have < THIN_LEAST ? have++ : THIN_LEAST;
        for (; at > 0 && u[i] < least[at - 1]; at--)
            if (at < THIN_LEAST)
                least[at] = least[at - 1];
        if (at < THIN_LEAST)
            least[at] = u[i];
    }
    return have == THIN_LEAST ? fmax(1, nextafter(least[THIN_LEAST - 1], INFINITY)) : INFINITY;
}

int thin_item(struct item *x, const struct thinning *t, uint32_t number, bool scene, int32_t up)
{
    struct thinning scaled = *t;
    double at[3], *u = memory_alloc((size_t)x->n, sizeof *u);
    bool *kept = memory_alloc((size_t)x->n, sizeof *kept);
    if (!u || !kept) {
        memory_free(u);
        memory_free(kept);
        return GLT_ENOMEM;
    }
    if (scene) {
        double area = scan_scene(at, x, up);
        if (t->density > 0 && area > 0)
            scaled.keep *= fmin(1, t->density * area / x->n);
    } else {
        scaled.range *= scan_shape(at, x);
    }
    draw(u, x, &scaled, at, random_stream(t->seed, 0, number, RANDOM_THIN));
    double limit = limit_of(u, x->n);
    for (int32_t i = 0; i < x->n; i++)
        kept[i] = u[i] < limit;
    int code = item_keep(x, kept);
    memory_free(kept);
    memory_free(u);
    return code;
}
