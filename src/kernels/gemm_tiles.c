/* A block of a product with the tile kernel of an instruction set.
 *
 * b is packed into panels of tile_columns, DEPTH rows at a time, and stays in the second-level
 * cache while the panels of a pass over it. a is read where it lies; a transposed a is packed GROUP
 * panels at a time, and the last panel alone if it is short of rows. Every element is one chain of
 * fused multiply-adds over k (see tile.inc), so no blocking size below changes a bit. After K.
 * Goto, R. van de Geijn, "Anatomy of high-performance matrix multiplication", 2008. */
#include "kernels/gemm_tiles.h"

#include <string.h>

#ifndef GELATTO_F64

enum {
    DEPTH = 256,    /* terms of the sum in a packed panel */
    WIDTH = 256,    /* columns packed at a time, a multiple of every tile_columns */
    MOST_ROWS = 12, /* >= every tile_rows, tile_columns */
    MOST_COLUMNS = 32,
    GROUP = 16, /* panels of a packed together */
    SLAB = 8,   /* rows packed for every panel before the next rows */
    LINE = 16   /* floats in a cache line */
};

/* 448 KiB for each thread that multiplies; never on the stack, never allocated. */
static _Thread_local _Alignas(64) float packed[DEPTH * WIDTH];
static _Thread_local _Alignas(64) float group[GROUP * MOST_ROWS * DEPTH]; /* of a */

/* What it holds: blocks one above the other multiply by the same part of b. */
static _Thread_local struct {
    uint64_t call;
    const float *b;
    int64_t depth, columns;
} held;

typedef float four __attribute__((vector_size(16)));

static four load4(const float *p)
{
    four x;
    memcpy(&x, p, sizeof x);
    return x;
}

static void store4(float *p, four x)
{
    memcpy(p, &x, sizeof x);
}

/* to (4, 4; to_step) = the transpose of from (4, 4; from_step) */
static void transpose4(float *to, int64_t to_step, const float *from, int64_t from_step)
{
    four a = load4(from), b = load4(from + from_step);
    four c = load4(from + 2 * from_step), d = load4(from + 3 * from_step);
    four ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    four ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    four cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    four cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    store4(to, __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5));
    store4(to + to_step, __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7));
    store4(to + 2 * to_step, __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5));
    store4(to + 3 * to_step, __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7));
}

/* to (k, width) = the transpose of from (n, k; step), n <= width, zeros after */
static void pack_transposed(float *to, int64_t width, const float *from, int64_t step, int64_t n,
                            int64_t k)
{
    int64_t n4 = n - n % 4, k4 = k - k % 4;
    for (int64_t line = 0; line < n4; line += LINE) /* whole cache lines of `to` in turn */
        for (int64_t t = 0; t < k4; t += 4)
            for (int64_t j = line; j < line + LINE && j < n4; j += 4)
                transpose4(to + t * width + j, width, from + j * step + t, step);
    for (int64_t j = 0; j < width; j++)
        for (int64_t t = j < n4 ? k4 : 0; t < k; t++)
            to[t * width + j] = j < n ? from[j * step + t] : 0;
}

/* Asks for what row `ahead` rows further on holds; there may be no such row. */
static inline __attribute__((always_inline)) void fetch(const float *from, int64_t step,
                                                        int64_t ahead, int64_t width)
{
    uintptr_t row = (uintptr_t)from + (uintptr_t)(ahead * step) * sizeof *from;
    for (int64_t i = 0; i < width; i += LINE)
        __builtin_prefetch((const void *)(row + (uintptr_t)i * sizeof *from));
}

/* to (k, width) = from (k, width; step) for a width the compiler knows. Rows are pages apart, so
 * the processor does not fetch the next slab by itself. */
static inline __attribute__((always_inline)) void
copy_rows(float *to, const float *from, const int64_t width, int64_t step, int64_t k)
{
    for (int64_t t = 0; t < k; t++, to += width, from += step) {
        fetch(from, step, SLAB, width);
        memcpy(to, from, (size_t)width * sizeof *to);
    }
}

/* to (k, width) = from (k, n; step), n <= width, zeros after */
static void pack_straight(float *to, int64_t width, const float *from, int64_t step, int64_t n,
                          int64_t k)
{
    int64_t sizes = n == width ? width : 0;
    switch (sizes) { /* one per tile_rows and tile_columns in use */
    case 6:
        copy_rows(to, from, 6, step, k);
        break;
    case 8:
        copy_rows(to, from, 8, step, k);
        break;
    case 12:
        copy_rows(to, from, 12, step, k);
        break;
    case 16:
        copy_rows(to, from, 16, step, k);
        break;
    case 32:
        copy_rows(to, from, 32, step, k);
        break;
    default:
        for (int64_t t = 0; t < k; t++, to += width, from += step)
            for (int64_t j = 0; j < width; j++)
                to[j] = j < n ? from[j] : 0;
    }
}

/* The part of a block one packed panel of b serves. */
struct pass {
    const struct gemm_block *p;
    const struct kernels *table;
    int64_t j0, columns, k0, depth;
    int accumulate;
    const struct epilogue *end; /* in the last pass over k */
    const float *b;             /* its panels */
};

/* A panel of a: element (r, t) at a[r * row_step + t * k_step]. */
struct panel {
    const float *a;
    int64_t row_step, k_step, rows;
};

/* A tile that sticks out of c: the whole of it is computed beside c, the part inside copied. */
static void edge_tile(const struct pass *s, float *c, struct panel x, const float *b,
                      int64_t columns, const struct epilogue *end)
{
    float tile[MOST_ROWS * MOST_COLUMNS] = {0};
    float scale[MOST_COLUMNS] = {0}, shift[MOST_COLUMNS] = {0};
    struct epilogue inside;
    for (int64_t i = 0; i < x.rows && s->accumulate; i++)
        memcpy(tile + i * MOST_COLUMNS, c + i * s->p->ldc, (size_t)columns * sizeof *tile);
    if (end) {
        inside = (struct epilogue){.relu = end->relu};
        if (end->scale)
            inside.scale = memcpy(scale, end->scale, (size_t)columns * sizeof *scale);
        if (end->shift)
            inside.shift = memcpy(shift, end->shift, (size_t)columns * sizeof *shift);
    }
    s->table->tile(tile, MOST_COLUMNS, x.a, x.row_step, x.k_step, b, x.rows, s->depth,
                   s->accumulate, end ? &inside : NULL);
    for (int64_t i = 0; i < x.rows; i++)
        memcpy(c + i * s->p->ldc, tile + i * MOST_COLUMNS, (size_t)columns * sizeof *c);
}

/* Rows [i0, i0 + rows) of c in this pass: one panel of a against every panel of b. */
static void run_panel(const struct pass *s, int64_t i0, struct panel x)
{
    const struct gemm_block *p = s->p;
    int64_t tile_rows = s->table->tile_rows, tile_columns = s->table->tile_columns;
    int64_t tile_step = tile_rows / 3;
    for (int64_t j = 0; j < s->columns; j += tile_columns) {
        const float *b = s->b + j * s->depth;
        float *c = p->c + i0 * p->ldc + s->j0 + j;
        struct epilogue end, *at = NULL;
        if (s->end) {
            end = *s->end;
            end.scale = end.scale ? end.scale + s->j0 + j : NULL;
            end.shift = end.shift ? end.shift + s->j0 + j : NULL;
            at = &end;
        }
        int64_t columns = s->columns - j < tile_columns ? s->columns - j : tile_columns;
        if (x.rows % tile_step || columns < tile_columns)
            edge_tile(s, c, x, b, columns, at);
        else
            s->table->tile(c, p->ldc, x.a, x.row_step, x.k_step, b, x.rows, s->depth, s->accumulate,
                           at);
    }
}

static void pack_group(const struct pass *s, int64_t i0)
{
    const struct gemm_block *p = s->p;
    int64_t tile_rows = s->table->tile_rows, i1 = i0 + GROUP * tile_rows;
    i1 = i1 < p->m ? i1 : p->m;
    for (int64_t t = 0; t < s->depth; t += SLAB)
        for (int64_t i = i0; i < i1; i += tile_rows) {
            int64_t n = i1 - i < tile_rows ? i1 - i : tile_rows;
            int64_t k = s->depth - t < SLAB ? s->depth - t : SLAB;
            pack_straight(group + (i - i0) * s->depth + t * tile_rows, tile_rows,
                          p->a + (s->k0 + t) * p->lda + i, p->lda, n, k);
        }
}

/* All rows in this pass. A group of a transposed a has whole cache lines of it. */
static void run_rows(const struct pass *s)
{
    const struct gemm_block *p = s->p;
    int64_t tile_rows = s->table->tile_rows, tile_step = tile_rows / 3;
    for (int64_t i = 0; i < p->m; i += tile_rows) {
        struct panel x = {p->a + i * p->lda + s->k0, p->lda, 1, p->m - i};
        x.rows = x.rows < tile_rows ? x.rows : tile_rows;
        int64_t place = i / tile_rows % GROUP;
        if (p->ta && place == 0)
            pack_group(s, i);
        else if (!p->ta && x.rows % tile_step)
            pack_transposed(group, tile_rows, x.a, p->lda, x.rows, s->depth);
        if (p->ta || x.rows % tile_step)
            x = (struct panel){group + (p->ta ? place * tile_rows * s->depth : 0), 1, tile_rows,
                               x.rows};
        run_panel(s, i, x);
    }
}

/* Straight rows are packed a few at a time for all panels: whole stretches of b are read in turn,
 * whatever its leading dimension does to the caches. */
static void pack_panels(struct pass *s)
{
    const struct gemm_block *p = s->p;
    s->b = packed;
    if (p->panels) {
        s->b = p->panels + s->k0 * p->wide + (p->column + s->j0) * s->depth;
        return;
    }
    const float *begin = p->b + (p->tb ? s->j0 * p->ldb + s->k0 : s->k0 * p->ldb + s->j0);
    if (p->call != 0 && held.call == p->call && held.b == begin && held.depth == s->depth &&
        held.columns == s->columns)
        return;
    held.call = p->call;
    held.b = begin;
    held.depth = s->depth;
    held.columns = s->columns;
    int64_t width = s->table->tile_columns, slab = p->tb ? s->depth : SLAB;
    for (int64_t t = 0; t < s->depth; t += slab)
        for (int64_t j = 0; j < s->columns; j += width) {
            int64_t n = s->columns - j < width ? s->columns - j : width;
            int64_t k = s->depth - t < slab ? s->depth - t : slab;
            float *to = packed + j * s->depth + t * width;
            if (p->tb)
                pack_transposed(to, width, p->b + (s->j0 + j) * p->ldb + s->k0, p->ldb, n, k);
            else
                pack_straight(to, width, p->b + (s->k0 + t) * p->ldb + s->j0 + j, p->ldb, n, k);
        }
}

int64_t gemm_tiles_wide(int64_t n, const struct kernels *table)
{
    return (n + table->tile_columns - 1) / table->tile_columns * table->tile_columns;
}

void gemm_tiles_pack(float *panels, const float *b, int64_t ldb, int tb, int64_t n, int64_t k,
                     const struct kernels *table)
{
    int64_t width = table->tile_columns, wide = gemm_tiles_wide(n, table);
    for (int64_t k0 = 0; k0 < k; k0 += DEPTH)
        for (int64_t j = 0; j < n; j += width) {
            int64_t depth = k - k0 < DEPTH ? k - k0 : DEPTH,
                    columns = n - j < width ? n - j : width;
            float *to = panels + k0 * wide + j * depth;
            if (tb)
                pack_transposed(to, width, b + j * ldb + k0, ldb, columns, depth);
            else
                pack_straight(to, width, b + k0 * ldb + j, ldb, columns, depth);
        }
}

void gemm_tiles(const struct gemm_block *p, const struct kernels *table)
{
    struct pass s = {.p = p, .table = table};
    for (s.j0 = 0; s.j0 < p->n; s.j0 += WIDTH) {
        s.columns = p->n - s.j0 < WIDTH ? p->n - s.j0 : WIDTH;
        for (s.k0 = 0; s.k0 < p->k; s.k0 += DEPTH) {
            s.depth = p->k - s.k0 < DEPTH ? p->k - s.k0 : DEPTH;
            s.accumulate = p->accumulate || s.k0 > 0;
            s.end = s.k0 + s.depth == p->k ? p->end : NULL;
            pack_panels(&s);
            run_rows(&s);
        }
    }
}

#endif
