/* Three nearest with inverse-distance weights: see interpolate.h. */
#include "geometry/interpolate.h"

#include "core/parallel.h"
#include "geometry/nearest.h"

#include <math.h>
#include <string.h>

enum { TAPS = 3, CHUNK = 512 };

static int32_t taps_of(const struct upsampling *out)
{
    return out->coarse < TAPS ? out->coarse : TAPS;
}

void interpolate_take(struct upsampling *out, struct arena *a, int32_t fine, int32_t coarse)
{
    size_t rows = (size_t)fine, taps = (size_t)coarse + (rows - (size_t)coarse) * TAPS;
    out->fine = fine;
    out->coarse = coarse;
    out->index = arena_take(a, rows * TAPS, sizeof *out->index);
    out->weight = arena_take(a, rows * TAPS, sizeof *out->weight);
    out->tstart = arena_take(a, (size_t)coarse + 1, sizeof *out->tstart);
    out->tindex = arena_take(a, taps, sizeof *out->tindex);
    out->tweight = arena_take(a, taps, sizeof *out->tweight);
}

void interpolate_take_search(struct interpolate_search *s, struct arena *a, int32_t coarse)
{
    grid_take(&s->grid, a, coarse);
}

void interpolate_prepare(struct upsampling *out, struct interpolate_search *s)
{
    grid_build(&s->grid, s->xyz, out->coarse, s->guess > 1e-18 ? s->guess : 1e-18);
}

/* Nearest first; weights in double, so that a float rounding is all they lose. */
static void weigh(int32_t *index, float *weight, uint64_t *keys, int32_t n)
{
    double w[TAPS] = {0}, sum = 0;
    for (int32_t i = 1; i < n; i++) {
        for (int32_t j = i; j > 0 && keys[j] < keys[j - 1]; j--) {
            uint64_t key = keys[j];
            keys[j] = keys[j - 1];
            keys[j - 1] = key;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        w[i] = 1 / (sqrt((double)nearest_d2(keys[i])) + 1e-8);
        sum += w[i];
    }
    for (int32_t i = 0; i < TAPS; i++) {
        index[i] = i < n ? nearest_rank(keys[i]) : 0;
        /* distances past the range of float weigh nothing: then all count alike */
        weight[i] = i < n ? (float)(sum > 0 ? w[i] / sum : 1.0 / n) : 0;
    }
}

int64_t interpolate_chunks(const struct upsampling *out)
{
    return parallel_chunks(out->fine, CHUNK);
}

void interpolate_chunk(struct upsampling *out, const struct interpolate_search *s, int64_t chunk)
{
    int64_t begin = chunk * CHUNK, end = begin + CHUNK < out->fine ? begin + CHUNK : out->fine;
    for (int64_t i = begin; i < end; i++) {
        int32_t *index = out->index + TAPS * i;
        float *weight = out->weight + TAPS * i;
        if (i < out->coarse) {
            memcpy(index, (int32_t[TAPS]){(int32_t)i, 0, 0}, TAPS * sizeof *index);
            memcpy(weight, (float[TAPS]){1, 0, 0}, TAPS * sizeof *weight);
            continue;
        }
        uint64_t keys[TAPS];
        int32_t n =
            nearest_search(keys, &s->grid, s->xyz + 3 * i, taps_of(out), INFINITY, 1.5 * s->guess);
        weigh(index, weight, keys, n);
    }
}

void interpolate_finish(struct upsampling *out)
{
    int32_t *next = out->tstart, taps = taps_of(out), sum = 0;
    memset(next, 0, ((size_t)out->coarse + 1) * sizeof *next);
    for (int64_t i = 0; i < out->fine; i++) {
        for (int32_t t = 0; t < (i < out->coarse ? 1 : taps); t++)
            next[out->index[TAPS * i + t]]++;
    }
    for (int32_t j = 0; j < out->coarse; j++) {
        int32_t count = next[j];
        next[j] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < out->fine; i++) {
        for (int32_t t = 0; t < (i < out->coarse ? 1 : taps); t++) {
            int32_t at = next[out->index[TAPS * i + t]]++;
            out->tindex[at] = (int32_t)i;
            out->tweight[at] = out->weight[TAPS * i + t];
        }
    }
    memmove(next + 1, next, (size_t)out->coarse * sizeof *next);
    next[0] = 0;
}

struct whole {
    struct upsampling *out;
    const struct interpolate_search *s;
};

static void run_chunk(void *user, int64_t begin, int64_t end)
{
    struct whole *w = user;
    for (int64_t chunk = begin; chunk < end; chunk++)
        interpolate_chunk(w->out, w->s, chunk);
}

void interpolate_search(struct upsampling *out, struct interpolate_search *s)
{
    struct whole w = {out, s};
    interpolate_prepare(out, s);
    parallel_for(interpolate_chunks(out), 1, run_chunk, &w);
    interpolate_finish(out);
}
