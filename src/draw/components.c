/* Principal components by power iteration with deflation: see components.h. Images need a few
 * digits, not all: the number of iterations is fixed.
 *
 * The covariance has c * c numbers. A row of many columns must not cost that: with fewer rows than
 * columns the rows themselves are multiplied, so memory and time follow the size of the tensor. */
#include "draw/components.h"

#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <stdbool.h>

enum { COMPONENTS = 3, ITERATIONS = 100 };

struct work {
    int64_t n, c;
    const float *x; /* (n, c) */
    double *mean;   /* (c) */
    double *spread; /* (c, c) covariance; NULL with fewer rows than columns */
    double *axis;   /* (COMPONENTS, c) */
    double *next;   /* (c) */
    double *row;    /* (c) */
};

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void centre_row(struct work *w, int64_t i)
{
    for (int64_t k = 0; k < w->c; k++)
        w->row[k] = (double)w->x[i * w->c + k] - w->mean[k];
}

static void find_mean(struct work *w)
{
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t k = 0; k < w->c; k++)
            w->mean[k] += (double)w->x[i * w->c + k] / (double)w->n;
}

static void covariance(struct work *w)
{
    for (int64_t i = 0; i < w->n; i++) {
        centre_row(w, i);
        for (int64_t j = 0; j < w->c; j++)
            for (int64_t k = 0; k < w->c; k++)
                w->spread[j * w->c + k] += w->row[j] * w->row[k];
    }
}

/* next = covariance * v */
static void multiply(struct work *w, const double *v)
{
    for (int64_t k = 0; k < w->c; k++)
        w->next[k] = w->spread ? dot(w->spread + k * w->c, v, w->c) : 0;
    for (int64_t i = 0; i < w->n && !w->spread; i++) {
        centre_row(w, i);
        double along = dot(w->row, v, w->c);
        for (int64_t k = 0; k < w->c; k++)
            w->next[k] += along * w->row[k];
    }
}

/* Takes the directions found before out of v and gives it length 1; false if nothing is left. */
static bool purify(const struct work *w, double *v, int which)
{
    for (int b = 0; b < which; b++) {
        const double *axis = w->axis + b * w->c;
        double along = dot(v, axis, w->c);
        for (int64_t k = 0; k < w->c; k++)
            v[k] -= along * axis[k];
    }
    double length = sqrt(dot(v, v, w->c));
    for (int64_t k = 0; k < w->c; k++)
        v[k] = length > 1e-12 ? v[k] / length : 0;
    return length > 1e-12;
}

/* The sign is free: the largest member is made positive. */
static void find_axis(struct work *w, int which)
{
    double *v = w->axis + which * w->c;
    for (int64_t k = 0; k < w->c; k++)
        v[k] = 1.0 / (double)(1 + (k * 7 + which) % w->c);
    bool good = purify(w, v, which);
    for (int i = 0; i < ITERATIONS && good; i++) {
        multiply(w, v);
        good = purify(w, w->next, which);
        for (int64_t k = 0; k < w->c; k++)
            v[k] = w->next[k];
    }
    int64_t largest = 0;
    for (int64_t k = 1; k < w->c; k++)
        largest = fabs(v[k]) > fabs(v[largest]) ? k : largest;
    double sign = v[largest] < 0 ? -1 : 1;
    for (int64_t k = 0; k < w->c; k++)
        v[k] *= sign;
}

static void paint(struct colour *dst, struct work *w)
{
    double scale[COMPONENTS];
    for (int b = 0; b < COMPONENTS; b++) { /* the covariance is a sum over n */
        const double *axis = w->axis + b * w->c;
        multiply(w, axis);
        double deviation = sqrt(fmax(0, dot(w->next, axis, w->c)) / (double)w->n);
        scale[b] = deviation > 1e-12 ? 1 / (3.6 * deviation) : 0;
    }
    for (int64_t i = 0; i < w->n; i++) {
        int rgb[COMPONENTS];
        centre_row(w, i);
        for (int b = 0; b < COMPONENTS; b++) {
            double t = 0.5 + scale[b] * dot(w->row, w->axis + b * w->c, w->c);
            rgb[b] = (int)(255 * (t > 0 ? t < 1 ? t : 1 : 0) + 0.5); /* NaN: 0 */
        }
        dst[i] = colour(rgb[0], rgb[1], rgb[2]);
    }
}

int components_colours(struct colour *dst, const float *x, int64_t n, int64_t c)
{
    size_t width = (size_t)c, rows = n < c ? 0 : width; /* of the covariance */
    struct work w = {.n = n, .c = c, .x = x};
    if (n < 1 || c < 1)
        return 0;
    double *all = memory_alloc(width * (rows + 3 + COMPONENTS), sizeof *all);
    if (!all)
        return GLT_ENOMEM;
    w.mean = all;
    w.next = all + c;
    w.row = all + 2 * c;
    w.axis = all + 3 * c;
    w.spread = rows ? all + (3 + COMPONENTS) * c : NULL;
    find_mean(&w);
    if (w.spread)
        covariance(&w);
    for (int b = 0; b < COMPONENTS; b++)
        find_axis(&w, b);
    paint(dst, &w);
    memory_free(all);
    return 0;
}
