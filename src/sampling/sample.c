/* Drawing samples: see sample.h. */
#include "sampling/sample.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/random.h"
#include "geometry/order.h"
#include "sampling/augment.h"

#include <string.h>

/* lane of a sample's block stream; 0 is block_draw's */
enum { LANE_POINTS = 1, ALIGN = 64 };

int sample_reserve(struct arena *a, size_t bytes)
{
    if (a->base && a->size >= bytes) {
        arena_reset(a, 0);
        return 0;
    }
    arena_free(a);
    *a = (struct arena){0};
    return arena_init(a, bytes + bytes / 8 + ALIGN);
}

void sample_scratch_free(struct sample_scratch *s)
{
    arena_free(&s->rows);
    arena_free(&s->work);
}

struct block_options sample_blocks(const struct dataset *d)
{
    return (struct block_options){.edge = d->config.sampling.block,
                                  .least = d->config.sampling.block_min,
                                  .points = d->config.sampling.points,
                                  .seed = (uint64_t)d->config.seed};
}

int32_t sample_most(const struct dataset *d, const struct item *x, bool train)
{
    bool whole = !train && d->task != TASK_SEGMENT;
    bool repeat = train && d->task == TASK_PARTS;
    if (repeat)
        return d->config.sampling.points;
    return whole || x->n < d->config.sampling.points ? x->n : d->config.sampling.points;
}

size_t sample_bytes(int32_t most, int32_t extra)
{
    return (size_t)most * (16 + 4 * (size_t)extra) + (size_t)3 * ALIGN;
}

static void bind(struct sample *s, struct arena *a, int32_t n, int32_t extra)
{
    s->n = n;
    s->xyz = arena_take(a, (size_t)n, 3 * sizeof *s->xyz);
    s->features = arena_take(a, (size_t)n, (size_t)extra * sizeof *s->features);
    s->row = arena_take(a, (size_t)n, sizeof *s->row);
}

/* The rows s->row of the item, moved by the centre. */
static void gather(struct sample *s, const struct item *x, const float centre[3])
{
    for (int64_t i = 0; i < s->n; i++) {
        int64_t from = s->row[i];
        for (int k = 0; k < 3; k++)
            s->xyz[3 * i + k] = x->xyz[3 * from + k] - centre[k];
        if (x->extra)
            memcpy(s->features + i * x->extra, x->features + from * x->extra,
                   (size_t)x->extra * sizeof *s->features);
    }
}

static size_t sort_bytes(int32_t n, int32_t extra)
{
    struct arena a = arena_measuring();
    order_measure(&a, n);
    return a.peak + (size_t)n * (4 + 4 * (size_t)(extra > 3 ? extra : 3)) + (size_t)2 * ALIGN;
}

size_t sample_scratch_bytes(int64_t rows, int32_t block, int32_t extra)
{
    size_t bytes = (size_t)rows * sizeof(int32_t) + sample_bytes(block, extra);
    bytes += sort_bytes(block, extra);
    return bytes + bytes / 8;
}

/* Canonical order; the scratch is taken from `work` as it stands. */
static void sort(struct sample *s, struct arena *work, int32_t extra)
{
    size_t mark = arena_mark(work);
    int32_t *order = arena_take(work, (size_t)s->n, sizeof *order);
    void *copy = arena_take(work, (size_t)s->n, 4 * (size_t)(extra > 3 ? extra : 3));
    if (item_sort(order, work, s->xyz, s->features, s->n, extra)) {
        item_permute(s->xyz, copy, order, s->n, 3 * sizeof *s->xyz);
        item_permute(s->features, copy, order, s->n, (size_t)extra * sizeof *s->features);
        item_permute(s->row, copy, order, s->n, sizeof *s->row);
    }
    arena_reset(work, mark);
}

/* Which rows of n: k without replacement, ascending; with it when there are fewer. */
static void draw(int32_t *rows, int32_t k, int32_t n, const struct dataset *d, uint32_t epoch,
                 uint32_t sample)
{
    struct random_stream s = random_stream((uint64_t)d->config.seed, epoch, sample, RANDOM_BLOCK);
    struct random r = random_start(s, LANE_POINTS);
    if (k <= n) {
        random_sample(&r, rows, k, n);
        return;
    }
    for (int32_t i = 0; i < k; i++)
        rows[i] = (int32_t)random_below(&r, (uint32_t)n);
}

/* The block around a drawn point, in canonical order, in the scratch. */
static int draw_block(struct sample *block, float centre[3], struct sample_scratch *s,
                      const struct dataset *d, const struct item *x, uint32_t epoch,
                      uint32_t sample)
{
    struct block_options o = sample_blocks(d);
    TRY(sample_reserve(&s->rows, (size_t)x->n * sizeof(int32_t)));
    int32_t *rows = arena_take(&s->rows, (size_t)x->n, sizeof *rows);
    int32_t n = block_draw(rows, centre, x, &o, epoch, sample);
    TRY(sample_reserve(&s->work, sample_bytes(n, x->extra) + sort_bytes(n, x->extra)));
    bind(block, &s->work, n, x->extra);
    memcpy(block->row, rows, (size_t)n * sizeof *rows);
    gather(block, x, centre);
    sort(block, &s->work, x->extra);
    return 0;
}

int sample_train(struct sample *out, struct arena *a, struct sample_scratch *s,
                 const struct dataset *d, const struct item *x, uint32_t epoch, uint32_t sample)
{
    float centre[3] = {0};
    struct sample block = {.n = x->n};
    if (d->task == TASK_SEGMENT)
        TRY(draw_block(&block, centre, s, d, x, epoch, sample));
    int32_t most = sample_most(d, x, true);
    int32_t n = d->task == TASK_PARTS || most < block.n ? most : block.n;
    n = augment_kept(n, &d->config, epoch, sample);
    bind(out, a, n, x->extra);
    draw(out->row, n, block.n, d, epoch, sample);
    for (int32_t i = 0; block.row && i < n; i++)
        out->row[i] = block.row[out->row[i]];
    gather(out, x, centre);
    augment_sample(out->xyz, out->features, n, &d->inputs, &d->config, epoch, sample);
    TRY(sample_reserve(&s->work, sort_bytes(n, x->extra)));
    sort(out, &s->work, x->extra);
    return 0;
}

int sample_test(struct sample *out, struct arena *a, struct sample_scratch *s, const struct item *x,
                const struct coverage *c, int32_t i)
{
    float centre[3] = {0};
    int32_t n = c ? coverage_size(c, i) : x->n;
    bind(out, a, n, x->extra);
    if (c) {
        coverage_rows(out->row, centre, c, i);
    } else {
        for (int32_t k = 0; k < n; k++)
            out->row[k] = k;
    }
    gather(out, x, centre);
    TRY(sample_reserve(&s->work, sort_bytes(n, x->extra)));
    sort(out, &s->work, x->extra);
    return 0;
}
