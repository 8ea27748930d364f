/* Which axis points up: see upright.h.
 *
 * Upright things are symmetric left and right, sometimes front and back, but seldom top and bottom;
 * their base is nearly as wide as they are. Seven such features of each axis, measured on the cells
 * that the shape fills, and the products of their pairs are weighted and summed; a softmax over the
 * three axes gives the shares. The weights are fitted to upright shapes of ModelNet40
 * (script/fit-upright, which has the same features). */
#include "geometry/upright.h"

#include "geometry/bounds.h"

#include <math.h>
#include <stdbool.h>

enum { CELLS = 32, FEATURES = 7, WEIGHTS = FEATURES + FEATURES * (FEATURES + 1) / 2 };

#define BASE 0.04 /* of the height: the part on the ground */
#define CLIP 3.0  /* standard deviations */

static const double mean[FEATURES] = {-2.343, 0.415, 0.06684, 0.3278, 0.2849, 0, 0.7863};
static const double deviation[FEATURES] = {1.437, 0.3373, 0.07244, 0.1595, 0.0568, 0.7441, 0.2057};
static const double weights[WEIGHTS] = {
    1.676,   1.502,    0.1072,  1.968,   -0.8982,  1.353,   -0.4224, -0.8383,  0.003828,
    -0.154,  0.5206,   -0.2589, 0.6399,  -0.5783,  -0.7557, -0.1347, -0.04607, -0.0002568,
    0.02243, -0.684,   0.5002,  -0.2315, -0.07258, -0.1749, -0.1662, -0.5901,  0.1367,
    -0.2969, 0.002202, -0.3058, 0.06128, 0.03749,  -0.1181, 0.327,   0.3542};

struct filled {
    int32_t dims[3], n;
    double side[3], size; /* the longest side */
    bool cell[CELLS][CELLS][CELLS];
};

typedef bool shadow[CELLS][CELLS];

static void fill(struct filled *f, const struct bounds *b, const float *xyz, int32_t n)
{
    *f = (struct filled){0};
    for (int k = 0; k < 3; k++) {
        f->side[k] = (double)b->high[k] - (double)b->low[k];
        f->size = fmax(f->size, f->side[k]);
    }
    for (int k = 0; k < 3; k++)
        f->dims[k] = (int32_t)fmin(floor(f->side[k] / f->size * CELLS) + 1, CELLS);
    for (int64_t i = 0; i < n; i++) {
        int32_t at[3];
        for (int k = 0; k < 3; k++) {
            double t = ((double)xyz[3 * i + k] - (double)b->low[k]) / f->size * CELLS;
            at[k] = (int32_t)fmin(t, f->dims[k] - 1);
        }
        bool *cell = &f->cell[at[0]][at[1]][at[2]];
        f->n += !*cell;
        *cell = true;
    }
}

static bool has_neighbour(const struct filled *f, const int32_t at[3])
{
    for (int32_t i = at[0] > 0 ? at[0] - 1 : 0; i <= at[0] + 1 && i < f->dims[0]; i++)
        for (int32_t j = at[1] > 0 ? at[1] - 1 : 0; j <= at[1] + 1 && j < f->dims[1]; j++)
            for (int32_t k = at[2] > 0 ? at[2] - 1 : 0; k <= at[2] + 1 && k < f->dims[2]; k++)
                if (f->cell[i][j][k])
                    return true;
    return false;
}

struct axis_cells {
    int32_t alone;  /* cells without a cell near their mirror image */
    int32_t shadow; /* cells of the projection along the axis */
    shadow all, base;
};

static void look_along(struct axis_cells *c, const struct filled *f, int axis)
{
    *c = (struct axis_cells){0};
    for (int32_t i = 0; i < f->dims[0]; i++)
        for (int32_t j = 0; j < f->dims[1]; j++)
            for (int32_t k = 0; k < f->dims[2]; k++) {
                int32_t at[3] = {i, j, k}, b = at[(axis + 1) % 3], e = at[(axis + 2) % 3];
                if (!f->cell[i][j][k])
                    continue;
                c->base[b][e] |= at[axis] == 0;
                c->shadow += !c->all[b][e];
                c->all[b][e] = true;
                at[axis] = f->dims[axis] - 1 - at[axis];
                c->alone += !has_neighbour(f, at);
            }
}

/* The area of a shadow with its gaps filled: the mean of the spans of its rows and of its
 * columns. */
static double spanned(const shadow s)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < CELLS; i++) {
        int32_t first[2] = {CELLS, CELLS}, last[2] = {-1, -1};
        for (int32_t j = 0; j < CELLS; j++)
            for (int way = 0; way < 2; way++)
                if (way ? s[j][i] : s[i][j]) {
                    first[way] = first[way] < j ? first[way] : j;
                    last[way] = j;
                }
        for (int way = 0; way < 2; way++)
            sum += last[way] < 0 ? 0 : last[way] - first[way] + 1;
    }
    return 0.5 * sum;
}

static void measure(double x[FEATURES], const struct filled *f, const struct bounds *bounds,
                    const float *xyz, int32_t n, int axis)
{
    struct axis_cells c;
    int b = (axis + 1) % 3, e = (axis + 2) % 3;
    double sum = 0, sum2 = 0, base = 0, margin = 0.01 * f->size;
    look_along(&c, f, axis);
    for (int64_t i = 0; i < n && f->side[axis] > 0; i++) {
        double h = ((double)xyz[3 * i + axis] - (double)bounds->low[axis]) / f->side[axis];
        sum += h;
        sum2 += h * h;
        base += h < BASE;
    }
    double all = spanned(c.all), middle = sum / n;
    x[0] = log((double)c.alone / f->n + 0.02);
    x[1] = spanned(c.base) / all;
    x[2] = f->side[axis] > 0 ? base / n : 1;
    x[3] = (double)c.shadow / f->n;
    x[4] = sqrt(fmax(sum2 / n - middle * middle, 0));
    x[5] = log((f->side[axis] + margin) / sqrt((f->side[b] + margin) * (f->side[e] + margin)));
    x[6] = all / (f->dims[b] * f->dims[e]);
}

static double score(const double x[FEATURES])
{
    double z[FEATURES], sum = 0;
    const double *w = weights;
    for (int i = 0; i < FEATURES; i++) {
        z[i] = fmin(fmax((x[i] - mean[i]) / deviation[i], -CLIP), CLIP);
        sum += *w++ * z[i];
    }
    for (int i = 0; i < FEATURES; i++)
        for (int j = i; j < FEATURES; j++)
            sum += *w++ * z[i] * z[j];
    return sum;
}

void upright_shares(double share[3], const float *xyz, int32_t n)
{
    struct filled f;
    struct bounds b = bounds_of(xyz, n);
    double x[FEATURES], sum = 0;
    bool thing = b.high[0] > b.low[0] || b.high[1] > b.low[1] || b.high[2] > b.low[2];
    if (thing)
        fill(&f, &b, xyz, n);
    for (int axis = 0; axis < 3; axis++) {
        share[axis] = 1;
        if (thing) {
            measure(x, &f, &b, xyz, n, axis);
            share[axis] = exp(score(x));
        }
        sum += share[axis];
    }
    for (int axis = 0; axis < 3; axis++)
        share[axis] /= sum;
}
