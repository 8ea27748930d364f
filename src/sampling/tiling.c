/* Tilings of scenes: see tiling.h. */
#include "sampling/tiling.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "sampling/floor.h"

#include <math.h>
#include <string.h>

enum { TILES_MAX = 1 << 24 };
/* tiles around a group in which its floor is searched */
enum { FLOOR_MARGIN = 1 };
/* lanes of a tile's random stream */
enum { LANE_ORDER = 0, LANE_FILL = 1 };

/* --- the grid of a tiling --- */

struct grid {
    double edge;
    double lattice;   /* of the item's coordinates; 0: none */
    double low[2];    /* its origin, in coordinates of the item */
    double corner[2]; /* indices of the first cell, from there */
    int32_t dims[2];  /* cells along x and y, empty ones too */
    int32_t *cell;    /* (n) the cell of each row */
    int32_t *count;   /* (cells) points of each */
    int32_t *group;   /* (cells) the group of each; -1: none */
    int32_t groups;
};

/* Cells that become one tile, or several in the same place. */
struct group {
    int32_t n;               /* points */
    int32_t cell;            /* the first */
    int32_t low[2], high[2]; /* the box around them */
};

static double cell_at(const struct grid *g, const float *p, int k)
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
        g->corner[k] = o->grid == TILE_GRID_WORLD ? cell_at(g, x->low, k) : 0;
        double dim = floor((high[k] - g->low[k]) / g->edge) - g->corner[k] + 1;
        tiles *= dim;
        if (tiles > TILES_MAX)
            return error_topic(
                error_set(GLT_ELIMIT,
                          "the scene is %g x %g wide: tiles of %g would be more than %d; remove "
                          "points far from the others, set block larger, or scale the coordinates "
                          "to metres",
                          high[0] - (double)x->low[0], high[1] - (double)x->low[1], g->edge,
                          TILES_MAX),
                GLT_TOPIC_COORDINATES, NULL);
        g->dims[k] = (int32_t)dim;
    }
    return 0;
}

static int32_t cells(const struct grid *g)
{
    return g->dims[0] * g->dims[1];
}

static void count_points(struct grid *g, const struct item *x)
{
    for (int64_t i = 0; i < x->n; i++) {
        const float *p = x->xyz + 3 * i;
        int32_t column = (int32_t)(cell_at(g, p, 0) - g->corner[0]);
        int32_t line = (int32_t)(cell_at(g, p, 1) - g->corner[1]);
        g->cell[i] = line * g->dims[0] + column;
        g->count[g->cell[i]]++;
    }
}

/* --- joining cells --- */

/* A square of cells, which may extend beyond the grid. */
struct square {
    int64_t column, line, edge;
};

/* Makes one group of all cells of the square without a group. */
static void join_waiting(struct grid *g, const struct square *s)
{
    for (int64_t line = s->line; line < s->line + s->edge; line++)
        for (int64_t column = s->column; column < s->column + s->edge; column++) {
            if (line < 0 || line >= g->dims[1] || column < 0 || column >= g->dims[0])
                continue;
            int64_t cell = line * g->dims[0] + column;
            if (g->count[cell] > 0 && g->group[cell] < 0)
                g->group[cell] = g->groups;
        }
    g->groups++;
}

/* Cells with enough points become groups; others are joined as soon as a square has enough points.
 * Returns the points of cells without a group. */
static int64_t join_square(struct grid *g, const struct square *s, const struct tiling_options *o)
{
    if (s->line >= g->dims[1] || s->column >= g->dims[0] || s->line + s->edge <= 0 ||
        s->column + s->edge <= 0)
        return 0;
    int64_t waiting = 0, half = s->edge / 2;
    if (s->edge == 1) {
        int64_t cell = s->line * g->dims[0] + s->column;
        waiting = g->count[cell];
        if (waiting == 0 || waiting < o->few)
            return waiting;
        g->group[cell] = g->groups++;
        return 0;
    }
    for (int k = 0; k < 4; k++) {
        struct square quarter = {s->column + (k & 1 ? half : 0), s->line + (k & 2 ? half : 0),
                                 half};
        waiting += join_square(g, &quarter, o);
    }
    if (waiting == 0 || (waiting < o->enough && s->edge < TILING_SQUARE))
        return waiting;
    join_waiting(g, s);
    return 0;
}

/* Squares are aligned with the grid's origin, so that parts of a scene have the same squares. */
static void join_cells(struct grid *g, const struct tiling_options *o)
{
    int64_t first[2];
    for (int k = 0; k < 2; k++)
        first[k] = -(int64_t)(g->corner[k] - TILING_SQUARE * floor(g->corner[k] / TILING_SQUARE));
    for (int64_t line = first[1]; line < g->dims[1]; line += TILING_SQUARE)
        for (int64_t column = first[0]; column < g->dims[0]; column += TILING_SQUARE)
            join_square(g, &(struct square){column, line, TILING_SQUARE}, o);
}

static void group_cells(struct grid *g, const struct tiling_options *o)
{
    for (int32_t i = 0; i < cells(g); i++)
        g->group[i] = -1;
    if (o->once) {
        join_cells(g, o);
        return;
    }
    for (int32_t i = 0; i < cells(g); i++)
        if (g->count[i] > 0)
            g->group[i] = g->groups++;
}

/* Drops groups without a row that gets a label. */
static int drop_groups(struct grid *g, const struct item *x)
{
    int32_t *number = memory_alloc((size_t)g->groups, sizeof *number), kept = 0;
    if (!number)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < x->n; i++)
        if (x->row[i] < x->wanted)
            number[g->group[g->cell[i]]] = 1;
    for (int32_t i = 0; i < g->groups; i++)
        number[i] = number[i] ? kept++ : -1;
    for (int32_t i = 0; i < cells(g); i++)
        if (g->group[i] >= 0)
            g->group[i] = number[g->group[i]];
    g->groups = kept;
    memory_free(number);
    return 0;
}

static void grid_free(struct grid *g)
{
    memory_free(g->cell);
    memory_free(g->count);
    memory_free(g->group);
}

static int grid_make(struct grid *g, const struct item *x, const struct tiling_options *o)
{
    g->edge = o->sampling.block;
    g->lattice = x->lattice;
    find_origin(g, x, o);
    TRY(find_dims(g, x, o));
    g->cell = memory_alloc((size_t)x->n, sizeof *g->cell);
    g->count = memory_alloc((size_t)cells(g), sizeof *g->count);
    g->group = memory_alloc((size_t)cells(g), sizeof *g->group);
    if (!g->cell || !g->count || !g->group) {
        grid_free(g);
        return GLT_ENOMEM;
    }
    count_points(g, x);
    group_cells(g, o);
    int code = x->wanted ? drop_groups(g, x) : 0;
    if (code < 0)
        grid_free(g);
    return code;
}

static int groups_make(struct group **out, const struct grid *g)
{
    struct group *list = memory_alloc((size_t)g->groups, sizeof *list);
    if (!list)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < cells(g); i++) {
        if (g->group[i] < 0)
            continue;
        struct group *x = &list[g->group[i]];
        int32_t at[2] = {i % g->dims[0], i / g->dims[0]};
        for (int k = 0; k < 2; k++) {
            x->low[k] = x->n && x->low[k] < at[k] ? x->low[k] : at[k];
            x->high[k] = x->n && x->high[k] > at[k] ? x->high[k] : at[k];
        }
        x->cell = x->n ? x->cell : i;
        x->n += g->count[i];
    }
    *out = list;
    return 0;
}

/* --- tiles --- */

static int32_t samples_of(int32_t n, int32_t points)
{
    return (n - 1) / points + 1;
}

static int32_t tiles_of(const struct group *x, const struct tiling_options *o)
{
    return o->once ? samples_of(x->n, o->sampling.points) : 1;
}

/* If coordinates are on a lattice, so are centres: then differences are exact. */
static float snap(const struct grid *g, double x)
{
    return (float)(g->lattice > 0 ? g->lattice * rint(x / g->lattice) : x);
}

/* Part number k of a group. */
static void place_tile(struct tiling *t, int32_t tile, const struct grid *g, const struct group *x,
                       int32_t k)
{
    float *centre = t->centre + 3 * (int64_t)tile;
    double column = g->corner[0] + 0.5 * (x->low[0] + x->high[0]);
    double line = g->corner[1] + 0.5 * (x->low[1] + x->high[1]);
    centre[0] = snap(g, g->low[0] + (column + 0.5) * g->edge);
    centre[1] = snap(g, g->low[1] + line * g->edge + 0.5 * g->edge);
    if (t->joined)
        t->joined[tile] = x->low[0] < x->high[0] || x->low[1] < x->high[1];
    if (t->part)
        t->part[tile] = k;
    if (t->seed) {
        column = g->corner[0] + x->cell % g->dims[0];
        line = g->corner[1] + (int32_t)(x->cell / g->dims[0]);
        struct random_stream s = random_stream(t->options.seed, (uint32_t)(int64_t)column,
                                               (uint32_t)(int64_t)line, RANDOM_TILE);
        t->seed[tile] = ((uint64_t)s.key[1] << 32 | s.key[0]) + (uint64_t)k;
    }
}

/* Makes the tiles of each group; their sizes differ by at most a point. */
static void place_tiles(struct tiling *t, const struct grid *g, const struct group *groups)
{
    int32_t tile = 0;
    for (int32_t i = 0; i < g->groups; i++) {
        const struct group *x = &groups[i];
        int32_t parts = tiles_of(x, &t->options);
        for (int32_t k = 0; k < parts; k++, tile++) {
            int32_t n = x->n / parts + (k < x->n % parts);
            t->start[tile + 1] = t->start[tile] + n;
            t->first[tile + 1] = t->first[tile] + samples_of(n, t->options.sampling.points);
            t->largest = n > t->largest ? n : t->largest;
            place_tile(t, tile, g, x, k);
        }
    }
}

/* Sorts rows by group, ascending within each. */
static void deal_rows(struct tiling *t, const struct grid *g, struct group *groups, int32_t n)
{
    for (int32_t i = 0, at = 0; i < g->groups; i++) {
        groups[i].cell = at; /* from here on: the index of its next row */
        at += groups[i].n;
    }
    for (int32_t i = 0; i < n; i++)
        if (g->group[g->cell[i]] >= 0)
            t->rows[groups[g->group[g->cell[i]]].cell++] = i;
}

/* --- floors --- */

/* Heights of the points, cell by cell. */
struct heights {
    float *z;       /* (n) */
    int32_t *start; /* (cells + 1) the first of each cell */
    float *work;    /* (n) */
};

static void heights_free(struct heights *h)
{
    memory_free(h->z);
    memory_free(h->start);
    memory_free(h->work);
}

static int heights_make(struct heights *h, const struct grid *g, const struct item *x)
{
    h->z = memory_alloc((size_t)x->n, sizeof *h->z);
    h->start = memory_alloc((size_t)cells(g) + 1, sizeof *h->start);
    h->work = memory_alloc((size_t)x->n, sizeof *h->work);
    if (!h->z || !h->start || !h->work) {
        heights_free(h);
        return GLT_ENOMEM;
    }
    for (int32_t i = 1; i < cells(g); i++)
        h->start[i + 1] = h->start[i] + g->count[i - 1];
    for (int32_t i = 0; i < x->n; i++) /* start is still shifted by one cell */
        h->z[h->start[g->cell[i] + 1]++] = x->xyz[3 * (int64_t)i + 2];
    return 0;
}

/* Copies the heights of the cells in the box around a group, widened by `margin` cells on each
 * side, into h->work. Returns how many. */
static int32_t gather_heights(struct heights *h, const struct grid *g, const struct group *x,
                              int32_t margin)
{
    int32_t n = 0, from[2], to[2];
    for (int k = 0; k < 2; k++) {
        from[k] = x->low[k] > margin ? x->low[k] - margin : 0;
        to[k] = x->high[k] + margin < g->dims[k] ? x->high[k] + margin : g->dims[k] - 1;
    }
    for (int32_t line = from[1]; line <= to[1]; line++) {
        int32_t first = h->start[line * g->dims[0] + from[0]];
        int32_t count = h->start[line * g->dims[0] + to[0] + 1] - first;
        memcpy(h->work + n, h->z + first, (size_t)count * sizeof *h->work);
        n += count;
    }
    return n;
}

/* On the world grid, parts of a scene would not agree on its lowest point: that of the group and
 * the tiles around it is used instead. */
static float floor_of(struct heights *h, const struct grid *g, const struct group *x, int32_t floor)
{
    int32_t n = gather_heights(h, g, x, floor == FLOOR_TILE ? 0 : FLOOR_MARGIN);
    if (floor != FLOOR_SCENE)
        return floor_height(h->work, n);
    float low = INFINITY;
    for (int32_t i = 0; i < n; i++)
        low = fminf(low, h->work[i]);
    return low;
}

static int find_floors(struct tiling *t, const struct grid *g, const struct item *x,
                       const struct group *groups)
{
    int32_t tile = 0, floor = t->options.sampling.floor;
    struct heights h = {0};
    bool lowest = floor == FLOOR_SCENE && !t->seed;
    if (!lowest)
        TRY(heights_make(&h, g, x));
    for (int32_t i = 0; i < g->groups; i++) {
        float z = lowest ? x->low[2] : floor_of(&h, g, &groups[i], floor);
        for (int32_t parts = tiles_of(&groups[i], &t->options); parts > 0; parts--)
            t->centre[3 * (int64_t)tile++ + 2] = z;
    }
    heights_free(&h);
    return 0;
}

/* --- rows of the tiles --- */

/* Deals rows (n) in canonical order to `parts` tiles in turn. So all of them cover the tile evenly,
 * and each is in canonical order again. */
static void deal_evenly(int32_t *rows, int32_t *copy, int32_t n, int32_t *part, int32_t parts,
                        struct random *r)
{
    int32_t size = n / parts, longer = n % parts;
    memcpy(copy, rows, (size_t)n * sizeof *copy);
    for (int32_t at = 0; at < n; at += parts) {
        int32_t count = n - at < parts ? longer : parts;
        for (int32_t k = 0; k < count; k++)
            part[k] = k;
        random_shuffle(r, part, count);
        for (int32_t k = 0; k < count; k++) {
            int32_t p = part[k], start = p * size + (p < longer ? p : longer);
            rows[start + at / parts] = copy[at + k];
        }
    }
}

/* Sorts rows (n) of the group whose first tile is i into canonical order in network coordinates;
 * then deals them to its tiles, or shuffles them if they go into several samples. */
static void order_group(struct tiling *t, int32_t i, int32_t n, int32_t parts, const struct item *x,
                        struct arena *a)
{
    struct tile tile = tiling_tile(t, i);
    int32_t *rows = t->rows + t->start[i];
    item_sort_rows(rows, n, x, tile.centre, a);
    if (parts == 1 && tile.samples == 1)
        return;
    struct random_stream s = random_stream(tile.seed, 0, tile.number, RANDOM_BLOCK);
    struct random r = random_start(s, LANE_ORDER);
    if (!t->options.once) {
        random_shuffle(&r, rows, n);
        return;
    }
    size_t mark = arena_mark(a);
    int32_t *copy = arena_take(a, (size_t)n, sizeof *copy);
    int32_t *part = arena_take(a, (size_t)parts, sizeof *part);
    deal_evenly(rows, copy, n, part, parts, &r);
    arena_reset(a, mark);
}

static int order_groups(struct tiling *t, const struct item *x, const struct group *groups,
                        int32_t n)
{
    struct arena a;
    int32_t largest = 0;
    for (int32_t i = 0; i < n; i++)
        largest = groups[i].n > largest ? groups[i].n : largest;
    TRY(arena_init(&a, item_sort_bytes(largest, x->extra)));
    for (int32_t i = 0, tile = 0; i < n; i++) {
        int32_t parts = tiles_of(&groups[i], &t->options);
        order_group(t, tile, groups[i].n, parts, x, &a);
        tile += parts;
    }
    arena_free(&a);
    return 0;
}

static int take_arrays(struct tiling *t, int32_t n)
{
    bool world = t->options.grid == TILE_GRID_WORLD;
    size_t tiles = (size_t)t->tiles;
    t->rows = memory_alloc((size_t)n, sizeof *t->rows);
    t->start = memory_alloc(tiles + 1, sizeof *t->start);
    t->first = memory_alloc(tiles + 1, sizeof *t->first);
    t->centre = memory_alloc(tiles, 3 * sizeof *t->centre);
    t->joined = t->options.once ? memory_alloc(tiles, sizeof *t->joined) : NULL;
    t->part = t->options.once ? memory_alloc(tiles, sizeof *t->part) : NULL;
    t->seed = world ? memory_alloc(tiles, sizeof *t->seed) : NULL;
    bool all = t->rows && t->start && t->first && t->centre &&
               ((t->joined && t->part) || !t->options.once) && (t->seed || !world);
    return all ? 0 : GLT_ENOMEM;
}

static int fill(struct tiling *t, const struct grid *g, struct group *groups, const struct item *x)
{
    for (int32_t i = 0; i < g->groups; i++)
        t->tiles += tiles_of(&groups[i], &t->options);
    memcpy(t->low, g->low, sizeof t->low);
    TRY(take_arrays(t, x->n));
    place_tiles(t, g, groups);
    deal_rows(t, g, groups, x->n);
    TRY(find_floors(t, g, x, groups));
    return order_groups(t, x, groups, g->groups);
}

int tiling_make(struct tiling *out, const struct item *x, const struct tiling_options *o)
{
    struct grid g = {0};
    struct group *groups = NULL;
    struct tiling t = {.options = *o};
    TRY(grid_make(&g, x, o));
    int code = groups_make(&groups, &g);
    if (code == 0)
        code = fill(&t, &g, groups, x);
    memory_free(groups);
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
    struct group *groups = NULL;
    TRY(grid_make(&g, x, o));
    int code = groups_make(&groups, &g);
    *tiles = *largest = 0;
    for (int32_t i = 0; i < g.groups && code == 0; i++) {
        int32_t parts = tiles_of(&groups[i], o), n = (groups[i].n - 1) / parts + 1;
        *tiles += parts;
        *largest = n > *largest ? n : *largest;
    }
    memory_free(groups);
    grid_free(&g);
    return code;
}

double tiling_lattice(const struct sampling_settings *s)
{
    return exp2(floor(log2(s->block)) - 13); /* a quarter of a millimetre for tiles of 2 m */
}

void tiling_reach(double box[4], const struct tiling_options *o)
{
    double edge = o->sampling.block, square = o->once ? TILING_SQUARE * edge : edge;
    double reach[4] = {box[0], box[1], box[2], box[3]};
    for (int32_t i = 0; i < o->tilings; i++) {
        double shift = i * edge / o->tilings;
        for (int k = 0; k < 2; k++) {
            double low = floor((box[k] + shift) / square),
                   high = floor((box[k + 2] + shift) / square);
            reach[k] = fmin(reach[k], low * square - shift - FLOOR_MARGIN * edge);
            reach[k + 2] = fmax(reach[k + 2], (high + 1) * square - shift + FLOOR_MARGIN * edge);
        }
    }
    memcpy(box, reach, sizeof reach);
}

void tiling_free(struct tiling *t)
{
    memory_free(t->rows);
    memory_free(t->start);
    memory_free(t->first);
    memory_free(t->centre);
    memory_free(t->joined);
    memory_free(t->part);
    memory_free(t->seed);
    *t = (struct tiling){0};
}

struct tile tiling_tile(const struct tiling *t, int32_t i)
{
    struct tile_view view = {0};
    if (t->joined && t->joined[i])
        view = (struct tile_view){.low = {t->low[0], t->low[1]},
                                  .edge = TILING_VIEW * t->options.sampling.block,
                                  .floor = t->centre[3 * (int64_t)i + 2]};
    return (struct tile){.rows = t->rows + t->start[i],
                         .n = t->start[i + 1] - t->start[i],
                         .samples = t->first[i + 1] - t->first[i],
                         .centre = t->centre + 3 * (int64_t)i,
                         .view = view,
                         .seed = t->seed ? t->seed[i] : t->options.seed,
                         .number = t->seed ? 0 : (uint32_t)i,
                         .first = t->seed ? 0 : (uint32_t)t->first[i]};
}

struct tile_place tiling_place(const struct tiling *t, int32_t i)
{
    int32_t first = t->part ? i - t->part[i] : i, end = i + 1;
    while (t->part && end < t->tiles && t->part[end] > 0)
        end++;
    return (struct tile_place){first, end - first, t->start[end] - t->start[first]};
}

int32_t tiling_draw(int32_t *places, const struct tiling *t, const struct tile *tile,
                    int32_t sample)
{
    int32_t n = tile->n < t->options.sampling.points ? tile->n : t->options.sampling.points;
    int32_t done = sample * t->options.sampling.points;
    int32_t fresh = tile->n - done < n ? tile->n - done : n;
    for (int32_t i = 0; i < fresh; i++)
        places[i] = done + i;
    if (fresh < n) { /* the last, short sample is filled with points already labelled */
        struct random_stream s = random_stream(tile->seed, 0, tile->number, RANDOM_BLOCK);
        struct random r = random_start(s, LANE_FILL);
        random_sample(&r, places + fresh, n - fresh, done);
    }
    return n;
}

bool tiling_view(float *xyz, const struct tile_view *v, const struct item *x, const int32_t *rows,
                 int32_t n)
{
    if (v->edge == 0)
        return false;
    for (int64_t i = 0; i < n; i++) {
        const float *p = x->xyz + 3 * (int64_t)rows[i];
        for (int k = 0; k < 2; k++) {
            double square = floor(((double)p[k] - v->low[k]) / v->edge);
            xyz[3 * i + k] = (float)((double)p[k] - (v->low[k] + (square + 0.5) * v->edge));
        }
        xyz[3 * i + 2] = p[2] - v->floor;
    }
    return true;
}

struct random_key tiling_key(const struct tiling *t, const struct tile *tile, int32_t sample)
{
    return (struct random_key){tile->seed, (uint32_t)t->options.number,
                               tile->first + (uint32_t)sample};
}
