/* Tilings of scenes: see tiling.h. */
#include "sampling/tiling.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"

#include <math.h>

enum { TILES_MAX = 1 << 24 };
/* lanes of a tile's random stream */
enum { LANE_ORDER = 0, LANE_FILL = 1 };

/* --- the grid of a tiling --- */

struct grid {
    double edge;
    double low[2];    /* where it begins, in coordinates of the item */
    double corner[2]; /* coordinates of the first tile, counted from there */
    int32_t dims[2];  /* tiles along x and y, empty ones too */
    int32_t *tile;    /* (n) of each row */
    int32_t *count;   /* (tiles) points of each */
};

static double tile_at(const struct grid *g, const float *p, int k)
{
    return floor(((double)p[k] - g->low[k]) / g->edge);
}

static void find_origin(struct grid *g, const struct item *x, const struct tiling_options *o)
{
    double shift = o->number ? o->sampling.block * o->number / o->tilings : 0;
    for (int k = 0; k < 2; k++)
        g->low[k] = o->grid == TILE_GRID_WORLD ? -(x->origin[k] + shift)
                                               : (double)(x->low[k] - (float)shift);
}

static int find_dims(struct grid *g, const struct item *x, const struct tiling_options *o)
{
    double high[2] = {-INFINITY, -INFINITY}, tiles = 1;
    for (int64_t i = 0; i < x->n; i++)
        for (int k = 0; k < 2; k++)
            high[k] = fmax(high[k], (double)x->xyz[3 * i + k]);
    for (int k = 0; k < 2; k++) {
        g->corner[k] = o->grid == TILE_GRID_WORLD ? tile_at(g, x->low, k) : 0;
        double dim = floor((high[k] - g->low[k]) / g->edge) - g->corner[k] + 1;
        tiles *= dim;
        if (tiles > TILES_MAX)
            return error_topic(
                error_set(GLT_ELIMIT,
                          "the scene is %g x %g wide: columns of %g would be more than %d; set "
                          "block larger, or scale the coordinates to metres",
                          high[0] - (double)x->low[0], high[1] - (double)x->low[1], g->edge,
                          TILES_MAX),
                GLT_TOPIC_COORDINATES, NULL);
        g->dims[k] = (int32_t)dim;
    }
    return 0;
}

static void grid_free(struct grid *g)
{
    memory_free(g->tile);
    memory_free(g->count);
}

static int grid_make(struct grid *g, const struct item *x, const struct tiling_options *o)
{
    g->edge = o->sampling.block;
    find_origin(g, x, o);
    TRY(find_dims(g, x, o));
    g->tile = memory_alloc((size_t)x->n, sizeof *g->tile);
    g->count = memory_alloc((size_t)g->dims[0] * (size_t)g->dims[1], sizeof *g->count);
    if (!g->tile || !g->count) {
        grid_free(g);
        return GLT_ENOMEM;
    }
    for (int64_t i = 0; i < x->n; i++) {
        const float *p = x->xyz + 3 * i;
        int32_t column = (int32_t)(tile_at(g, p, 0) - g->corner[0]);
        int32_t line = (int32_t)(tile_at(g, p, 1) - g->corner[1]);
        g->tile[i] = line * g->dims[0] + column;
        g->count[g->tile[i]]++;
    }
    return 0;
}

/* --- tiles --- */

static int32_t samples_of(int32_t n, int32_t points)
{
    return (n - 1) / points + 1;
}

static void place_tile(struct tiling *t, int32_t tile, const struct grid *g, int32_t cell,
                       const struct item *x)
{
    float *centre = t->centre + 3 * (int64_t)tile;
    double column = g->corner[0] + cell % g->dims[0];
    double line = g->corner[1] + (int32_t)(cell / g->dims[0]);
    centre[0] = (float)(g->low[0] + (column + 0.5) * g->edge);
    centre[1] = (float)(g->low[1] + line * g->edge + 0.5 * g->edge);
    centre[2] = t->seed ? INFINITY : x->low[2];
    if (t->seed) {
        struct random_stream s = random_stream(t->options.seed, (uint32_t)(int64_t)column,
                                               (uint32_t)(int64_t)line, RANDOM_TILE);
        t->seed[tile] = (uint64_t)s.key[1] << 32 | s.key[0];
    }
}

/* Tiles in the order of the grid, rows ascending within each. */
static void deal_rows(struct tiling *t, struct grid *g, const struct item *x)
{
    int32_t tile = 0, at = 0;
    for (int32_t i = 0; i < g->dims[0] * g->dims[1]; i++) {
        int32_t n = g->count[i];
        g->count[i] = at;
        if (n == 0)
            continue;
        t->start[tile] = at;
        t->first[tile + 1] = t->first[tile] + samples_of(n, t->options.sampling.points);
        t->largest = n > t->largest ? n : t->largest;
        place_tile(t, tile++, g, i, x);
        at += n;
    }
    t->start[tile] = at;
    for (int32_t i = 0; i < x->n; i++)
        t->rows[g->count[g->tile[i]]++] = i;
}

/* z from the lowest point of each tile. */
static void find_floors(struct tiling *t, const struct item *x)
{
    for (int32_t i = 0; i < t->tiles; i++)
        for (int32_t k = t->start[i]; k < t->start[i + 1]; k++)
            t->centre[3 * (int64_t)i + 2] =
                fminf(t->centre[3 * (int64_t)i + 2], x->xyz[3 * (int64_t)t->rows[k] + 2]);
}

/* Rows of a tile in canonical order as the network will see them, then shuffled if they are dealt
 * into several samples. */
static int shuffle_tiles(struct tiling *t, const struct item *x)
{
    struct arena a;
    TRY(arena_init(&a, item_sort_bytes(t->largest, x->extra)));
    for (int32_t i = 0; i < t->tiles; i++) {
        struct tile tile = tiling_tile(t, i);
        int32_t *rows = t->rows + t->start[i];
        item_sort_rows(rows, tile.n, x, tile.centre, &a);
        if (tile.samples == 1)
            continue;
        struct random_stream s = random_stream(tile.seed, 0, tile.number, RANDOM_BLOCK);
        struct random r = random_start(s, LANE_ORDER);
        random_shuffle(&r, rows, tile.n);
    }
    arena_free(&a);
    return 0;
}

static int fill(struct tiling *t, struct grid *g, const struct item *x)
{
    for (int32_t i = 0; i < g->dims[0] * g->dims[1]; i++)
        t->tiles += g->count[i] > 0;
    bool world = t->options.grid == TILE_GRID_WORLD;
    size_t tiles = (size_t)t->tiles;
    t->rows = memory_alloc((size_t)x->n, sizeof *t->rows);
    t->start = memory_alloc(tiles + 1, sizeof *t->start);
    t->first = memory_alloc(tiles + 1, sizeof *t->first);
    t->centre = memory_alloc(tiles, 3 * sizeof *t->centre);
    t->seed = world ? memory_alloc(tiles, sizeof *t->seed) : NULL;
    if (!t->rows || !t->start || !t->first || !t->centre || (world && !t->seed))
        return GLT_ENOMEM;
    deal_rows(t, g, x);
    if (world)
        find_floors(t, x);
    return shuffle_tiles(t, x);
}

int tiling_make(struct tiling *out, const struct item *x, const struct tiling_options *o)
{
    struct grid g = {0};
    struct tiling t = {.options = *o};
    TRY(grid_make(&g, x, o));
    int code = fill(&t, &g, x);
    grid_free(&g);
    if (code < 0)
        tiling_free(&t);
    else
        *out = t;
    return code;
}

int tiling_measure(int32_t *tiles, int32_t *largest, const struct item *x,
                   const struct tiling_options *o)
{
    struct grid g = {0};
    TRY(grid_make(&g, x, o));
    *tiles = *largest = 0;
    for (int32_t i = 0; i < g.dims[0] * g.dims[1]; i++) {
        *tiles += g.count[i] > 0;
        *largest = g.count[i] > *largest ? g.count[i] : *largest;
    }
    grid_free(&g);
    return 0;
}

void tiling_free(struct tiling *t)
{
    memory_free(t->rows);
    memory_free(t->start);
    memory_free(t->first);
    memory_free(t->centre);
    memory_free(t->seed);
    *t = (struct tiling){0};
}

struct tile tiling_tile(const struct tiling *t, int32_t i)
{
    return (struct tile){.rows = t->rows + t->start[i],
                         .n = t->start[i + 1] - t->start[i],
                         .samples = t->first[i + 1] - t->first[i],
                         .centre = t->centre + 3 * (int64_t)i,
                         .seed = t->seed ? t->seed[i] : t->options.seed,
                         .number = t->seed ? 0 : (uint32_t)i,
                         .first = t->seed ? 0 : (uint32_t)t->first[i]};
}

int32_t tiling_draw(int32_t *places, const struct tiling *t, const struct tile *tile,
                    int32_t sample)
{
    int32_t n = tile->n < t->options.sampling.points ? tile->n : t->options.sampling.points;
    int32_t done = sample * t->options.sampling.points;
    int32_t fresh = tile->n - done < n ? tile->n - done : n;
    for (int32_t i = 0; i < fresh; i++)
        places[i] = done + i;
    if (fresh < n) { /* the last, short sample takes points that have a label already */
        struct random_stream s = random_stream(tile->seed, 0, tile->number, RANDOM_BLOCK);
        struct random r = random_start(s, LANE_FILL);
        random_sample(&r, places + fresh, n - fresh, done);
    }
    return n;
}

struct random_key tiling_key(const struct tiling *t, const struct tile *tile, int32_t sample)
{
    return (struct random_key){tile->seed, (uint32_t)t->options.number,
                               tile->first + (uint32_t)sample};
}
