/* Blocks of scenes: see blocks.h. */
#include "sampling/blocks.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TRIES = 10, CELLS_MOST = 1 << 24 };
/* lanes of a block's random stream */
enum { LANE_ORDER = 0, LANE_FILL = 1 };

int32_t block_draw(int32_t *rows, float centre[3], const struct item *x,
                   const struct block_options *o, uint32_t epoch, uint32_t sample)
{
    struct random r = random_start(random_stream(o->seed, epoch, sample, RANDOM_BLOCK), 0);
    float half = (float)(o->edge / 2);
    int32_t n = 0;
    for (int t = 0; t < TRIES; t++) {
        const float *p = x->xyz + 3 * (int64_t)random_below(&r, (uint32_t)x->n);
        centre[0] = p[0];
        centre[1] = p[1];
        centre[2] = x->low[2];
        n = 0;
        for (int32_t i = 0; i < x->n; i++) {
            const float *q = x->xyz + 3 * (int64_t)i;
            rows[n] = i; /* kept if it is inside: no branch to be mispredicted */
            n += (fabsf(q[0] - centre[0]) <= half) & (fabsf(q[1] - centre[1]) <= half);
        }
        if (n >= o->least || n == x->n)
            break;
    }
    return n;
}

/* --- the grid of a scene --- */

static float grid_low(const struct item *x, const struct block_options *o, int k)
{
    return x->low[k] - (o->cut ? (float)(o->edge * o->cut / o->cuts) : 0.0f);
}

struct cells {
    int32_t dims[2];
    int32_t *cell;  /* (n) of each row */
    int32_t *count; /* (cells + 1) */
};

static void cells_free(struct cells *c)
{
    memory_free(c->cell);
    memory_free(c->count);
}

static int32_t index_of(float value, float low, double edge, int32_t dim)
{
    double t = floor(((double)value - (double)low) / edge);
    return t < dim ? (int32_t)t : dim - 1;
}

static int cells_make(struct cells *c, const struct item *x, const struct block_options *o)
{
    float low[2] = {grid_low(x, o, 0), grid_low(x, o, 1)};
    double high[2] = {(double)low[0], (double)low[1]}, cells = 1;
    for (int64_t i = 0; i < x->n; i++)
        for (int k = 0; k < 2; k++)
            high[k] = fmax(high[k], (double)x->xyz[3 * i + k]);
    for (int k = 0; k < 2; k++) {
        double dim = floor((high[k] - (double)low[k]) / o->edge) + 1;
        cells *= dim;
        if (cells > CELLS_MOST)
            return error_set(GLT_ELIMIT,
                             "the scene is %g x %g wide: columns of %g would be more than %d; set "
                             "block larger, or scale the coordinates to metres",
                             high[0] - (double)low[0], high[1] - (double)low[1], o->edge,
                             CELLS_MOST);
        c->dims[k] = (int32_t)dim;
    }
    c->cell = memory_alloc((size_t)x->n, sizeof *c->cell);
    c->count = memory_alloc((size_t)cells + 1, sizeof *c->count);
    if (!c->cell || !c->count) {
        cells_free(c);
        return GLT_ENOMEM;
    }
    for (int64_t i = 0; i < x->n; i++) {
        const float *p = x->xyz + 3 * i;
        int32_t column = index_of(p[0], low[0], o->edge, c->dims[0]);
        int32_t line = index_of(p[1], low[1], o->edge, c->dims[1]);
        c->cell[i] = line * c->dims[0] + column;
        c->count[c->cell[i]]++;
    }
    return 0;
}

static int32_t draws(int32_t n, int32_t points)
{
    return (n - 1) / points + 1;
}

int coverage_count(int32_t *samples, const struct item *x, const struct block_options *o)
{
    struct cells c = {0};
    TRY(cells_make(&c, x, o));
    *samples = 0;
    for (int32_t i = 0; i < c.dims[0] * c.dims[1]; i++)
        *samples += c.count[i] ? draws(c.count[i], o->points) : 0;
    cells_free(&c);
    return 0;
}

/* Blocks in the order of their cells, rows ascending within each. */
static void deal_rows(struct coverage *c, struct cells *g, const struct item *x,
                      const struct block_options *o)
{
    double low[2] = {(double)grid_low(x, o, 0), (double)grid_low(x, o, 1)}, edge = o->edge;
    int32_t block = 0, at = 0;
    for (int32_t i = 0; i < g->dims[0] * g->dims[1]; i++) {
        int32_t n = g->count[i];
        g->count[i] = at;
        if (n == 0)
            continue;
        c->start[block] = at;
        c->first[block + 1] = c->first[block] + draws(n, c->points);
        c->centre[3 * (int64_t)block] = (float)(low[0] + (i % g->dims[0] + 0.5) * edge);
        c->centre[3 * (int64_t)block + 1] =
            (float)(low[1] + (int32_t)(i / g->dims[0]) * edge + 0.5 * edge);
        c->centre[3 * (int64_t)block + 2] = x->low[2];
        at += n;
        block++;
    }
    c->start[block] = at;
    for (int32_t i = 0; i < x->n; i++)
        c->rows[g->count[g->cell[i]]++] = i;
}

static int sort_blocks(struct coverage *c, const struct item *x)
{
    int32_t most = 0;
    for (int32_t i = 0; i < c->blocks; i++)
        most = c->start[i + 1] - c->start[i] > most ? c->start[i + 1] - c->start[i] : most;
    struct arena a;
    TRY(arena_init(&a, item_sort_bytes(most, x->extra)));
    for (int32_t i = 0; i < c->blocks; i++) {
        int32_t n = c->start[i + 1] - c->start[i];
        item_sort_rows(c->rows + c->start[i], n, x, c->centre + 3 * (int64_t)i, &a);
        if (n <= c->points)
            continue;
        struct random r =
            random_start(random_stream(c->seed, 0, (uint32_t)i, RANDOM_BLOCK), LANE_ORDER);
        random_shuffle(&r, c->rows + c->start[i], n);
    }
    arena_free(&a);
    return 0;
}

int coverage_make(struct coverage *out, const struct item *x, const struct block_options *o)
{
    struct cells g = {0};
    struct coverage c = {.points = o->points, .seed = o->seed, .cut = o->cut};
    TRY(cells_make(&g, x, o));
    for (int32_t i = 0; i < g.dims[0] * g.dims[1]; i++)
        c.blocks += g.count[i] > 0;
    c.start = memory_alloc((size_t)c.blocks + 1, sizeof *c.start);
    c.first = memory_alloc((size_t)c.blocks + 1, sizeof *c.first);
    c.centre = memory_alloc((size_t)c.blocks, 3 * sizeof *c.centre);
    c.rows = memory_alloc((size_t)x->n, sizeof *c.rows);
    int code = c.start && c.first && c.centre && c.rows ? 0 : GLT_ENOMEM;
    if (code == 0) {
        deal_rows(&c, &g, x, o);
        c.samples = c.first[c.blocks];
        code = sort_blocks(&c, x);
    }
    cells_free(&g);
    if (code < 0)
        coverage_free(&c);
    else
        *out = c;
    return code;
}

void coverage_free(struct coverage *c)
{
    memory_free(c->start);
    memory_free(c->first);
    memory_free(c->centre);
    memory_free(c->rows);
    *c = (struct coverage){0};
}

static int32_t block_of(const struct coverage *c, int32_t sample)
{
    int32_t low = 0, high = c->blocks - 1;
    sample -= c->before;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        if (c->first[middle] <= sample)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int32_t coverage_size(const struct coverage *c, int32_t sample)
{
    int32_t b = block_of(c, sample), n = c->start[b + 1] - c->start[b];
    return n < c->points ? n : c->points;
}

void coverage_rows(int32_t *rows, float centre[3], const struct coverage *c, int32_t sample)
{
    int32_t b = block_of(c, sample), n = c->start[b + 1] - c->start[b];
    int32_t done = (sample - c->before - c->first[b]) * c->points;
    int32_t size = n < c->points ? n : c->points, fresh = n - done < size ? n - done : size;
    const int32_t *from = c->rows + c->start[b];
    memcpy(centre, c->centre + 3 * (int64_t)b, 3 * sizeof *centre);
    memcpy(rows, from + done, (size_t)fresh * sizeof *rows);
    if (fresh == size)
        return;
    /* the last, short draw is filled with points that have a label already */
    struct random r = random_start(random_stream(c->seed, 0, (uint32_t)b, RANDOM_BLOCK), LANE_FILL);
    random_sample(&r, rows + fresh, size - fresh, done);
    for (int32_t i = fresh; i < size; i++)
        rows[i] = from[rows[i]];
}
