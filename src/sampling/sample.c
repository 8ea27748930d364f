/* Drawing samples: see sample.h. */
#include "sampling/sample.h"

#include "core/arena.h"
#include "core/error.h"
#include "sampling/augment.h"
#include "sampling/floor.h"

#include <math.h>
#include <string.h>

/* lane of a sample's random stream; lane 0 belongs to sample_tile */
enum { LANE_POINTS = 1, TRIES = 10 };

void sample_scratch_free(struct sample_scratch *s)
{
    arena_free(&s->rows);
    arena_free(&s->tile);
    arena_free(&s->points);
}

int32_t sample_maximum(const struct sample_options *o, int64_t n)
{
    bool repeat = o->task == TASK_PARTS;
    return repeat || n > o->sampling.points ? o->sampling.points : (int32_t)n;
}

static void take(struct sample *s, struct arena *a, int32_t n, int32_t extra)
{
    s->n = n;
    s->xyz = arena_take(a, (size_t)n, 3 * sizeof *s->xyz);
    s->features = arena_take(a, (size_t)n, (size_t)extra * sizeof *s->features);
    s->row = arena_take(a, (size_t)n, sizeof *s->row);
}

static size_t sample_bytes(int32_t n, int32_t extra)
{
    struct arena a = arena_measuring();
    struct sample s;
    take(&s, &a, n, extra);
    return a.peak;
}

size_t sample_scratch_bytes(int64_t rows, int32_t tile, int32_t points, int32_t extra)
{
    size_t bytes = (size_t)rows * sizeof(int32_t) + sample_bytes(points, extra);
    bytes += tile ? item_sort_bytes(tile, extra) : 0;
    return bytes + bytes / 8;
}

static int reserve(struct sample *out, struct sample_scratch *s, int32_t n, int32_t extra)
{
    TRY(arena_reserve(&s->points, sample_bytes(n, extra)));
    take(out, &s->points, n, extra);
    return 0;
}

/* A random point; for an item with few labels, a labelled one. */
static int32_t draw_point(struct random *r, const struct item *x)
{
    if (!x->labelled)
        return (int32_t)random_below(r, (uint32_t)x->n);
    int32_t i = 0, left = (int32_t)random_below(r, (uint32_t)x->labelled);
    while (x->labels[i] < 0 || left-- > 0)
        i++;
    return i;
}

int32_t sample_tile(int32_t *rows, float centre[3], const struct item *x,
                    const struct sampling_settings *s, struct random_key key)
{
    struct random_stream stream = random_stream(key.seed, key.epoch, key.sample, RANDOM_BLOCK);
    struct random r = random_start(stream, 0);
    float half = (float)(s->block / 2);
    int32_t n = 0;
    for (int t = 0; t < TRIES; t++) {
        const float *p = x->xyz + 3 * (int64_t)draw_point(&r, x);
        centre[0] = p[0];
        centre[1] = p[1];
        centre[2] = x->low[2];
        n = 0;
        for (int32_t i = 0; i < x->n; i++) {
            const float *q = x->xyz + 3 * (int64_t)i;
            rows[n] = i; /* overwritten unless it is inside: avoids a branch */
            n += (fabsf(q[0] - centre[0]) <= half) & (fabsf(q[1] - centre[1]) <= half);
        }
        if (n >= s->block_min || n == x->n)
            break;
    }
    return n;
}

/* Draws k rows of n: without replacement and ascending; with replacement if n < k. */
static void draw(int32_t *rows, int32_t k, int32_t n, struct random_key key)
{
    struct random_stream s = random_stream(key.seed, key.epoch, key.sample, RANDOM_BLOCK);
    struct random r = random_start(s, LANE_POINTS);
    if (k <= n) {
        random_sample(&r, rows, k, n);
        return;
    }
    for (int32_t i = 0; i < k; i++)
        rows[i] = (int32_t)random_below(&r, (uint32_t)n);
}

/* Points within a square around a centre; their heights into z unless it is NULL. */
static int32_t heights_around(float *z, const struct item *x, const float centre[3], double edge)
{
    float half = (float)(edge / 2);
    int32_t n = 0;
    for (int64_t i = 0; i < x->n; i++) {
        const float *p = x->xyz + 3 * i;
        bool inside = fabsf(p[0] - centre[0]) <= half && fabsf(p[1] - centre[1]) <= half;
        if (inside && z)
            z[n] = p[2];
        n += inside;
    }
    return n;
}

/* centre[2] of a tile of n points, by the option `floor`. */
static int find_floor(float centre[3], struct sample_scratch *s, const struct item *x,
                      const struct sampling_settings *o, int32_t n)
{
    if (o->floor == FLOOR_SCENE)
        return 0;
    double edge = o->floor == FLOOR_AROUND ? 3 * o->block : o->block;
    if (o->floor == FLOOR_AROUND)
        n = heights_around(NULL, x, centre, edge);
    TRY(arena_reserve(&s->tile, (size_t)n * sizeof(float)));
    float *z = arena_take(&s->tile, (size_t)n, sizeof *z);
    centre[2] = floor_height(z, heights_around(z, x, centre, edge));
    return 0;
}

/* Draws a point and gathers the rows of the tile around it, in canonical order, in the scratch. */
static int draw_tile(int32_t **rows, int32_t *n, float centre[3], struct sample_scratch *s,
                     const struct sample_options *o, const struct item *x, struct random_key key)
{
    TRY(arena_reserve(&s->rows, (size_t)x->n * sizeof **rows));
    *rows = arena_take(&s->rows, (size_t)x->n, sizeof **rows);
    *n = sample_tile(*rows, centre, x, &o->sampling, key);
    TRY(find_floor(centre, s, x, &o->sampling, *n));
    TRY(arena_reserve(&s->tile, item_sort_bytes(*n, x->extra)));
    item_sort_rows(*rows, *n, x, centre, &s->tile);
    return 0;
}

int sample_train(struct sample *out, struct sample_scratch *s, const struct sample_options *o,
                 const struct item *x, uint32_t epoch, uint32_t sample)
{
    struct random_key key = {o->seed, epoch, sample};
    float centre[3] = {0};
    int32_t *tile = NULL, n = x->n;
    if (o->task == TASK_SEGMENT)
        TRY(draw_tile(&tile, &n, centre, s, o, x, key));
    int32_t kept = augment_kept(sample_maximum(o, n), &o->augment, key);
    TRY(reserve(out, s, kept, x->extra));
    draw(out->row, kept, n, key);
    for (int32_t i = 0; tile && i < kept; i++)
        out->row[i] = tile[out->row[i]];
    item_gather(out->xyz, out->features, x, out->row, kept, centre);
    augment_sample(out->xyz, out->features, kept, &o->inputs, x->grey, &o->augment, key);
    return 0;
}
