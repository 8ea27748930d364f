/* Dense products: see gemm.h.
 *
 * Two partitions, both functions of (m, n, k) alone. Wide results are cut into tiles, each one call
 * of the BLAS and its epilogue. Small results of long sums (weight gradients: k = points) are cut
 * along k too; the parts go to a workspace and are added in the order of k. No allocation: the
 * workspaces are static, bounded by SPLIT_REALS, and a product that finds none free waits. */
#include "kernels/gemm.h"

#include "core/error.h"
#include "core/parallel.h"

#include <cblas.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    TILE_ROWS = 256,
    TILE_COLUMNS = 256,
    ENOUGH_TILES = 16,  /* tiles that keep every core of a usual machine busy */
    SPLIT_LEAST = 256,  /* shortest part of a sum that is worth a call */
    SPLIT_SQUARE = 128, /* tile of a split product */
    SPLIT_REALS = 2 * ENOUGH_TILES * SPLIT_SQUARE * SPLIT_SQUARE,
    WORKSPACES = 4
};

struct product {
    real *c;
    const real *a, *b;
    int64_t ldc, lda, ldb, m, n, k;
    int ta, tb, accumulate;
    const struct gemm_epilogue *epilogue;
    int64_t tile_rows, tile_columns, tiles_across;
    int64_t parts, part_len; /* of the sum over k */
    real *workspace;         /* (parts, m, n) when parts > 1 */
};

static _Atomic int64_t multiply_adds;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t round_up(int64_t n, int64_t step)
{
    return (n + step - 1) / step * step;
}

/* c = (beta) c + a b on rows [i0, i1), columns [j0, j1), terms [k0, k1). */
static void block(real *c, int64_t ldc, const struct product *p, int64_t i0, int64_t i1, int64_t j0,
                  int64_t j1, int64_t k0, int64_t k1, real beta)
{
    const real *a = p->ta ? p->a + k0 * p->lda + i0 : p->a + i0 * p->lda + k0;
    const real *b = p->tb ? p->b + j0 * p->ldb + k0 : p->b + k0 * p->ldb + j0;
    enum CBLAS_TRANSPOSE ta = p->ta ? CblasTrans : CblasNoTrans,
                         tb = p->tb ? CblasTrans : CblasNoTrans;
#ifdef GELATTO_F64
    cblas_dgemm(CblasRowMajor, ta, tb, (int)(i1 - i0), (int)(j1 - j0), (int)(k1 - k0), 1, a,
                (int)p->lda, b, (int)p->ldb, beta, c, (int)ldc);
#else
    cblas_sgemm(CblasRowMajor, ta, tb, (int)(i1 - i0), (int)(j1 - j0), (int)(k1 - k0), 1, a,
                (int)p->lda, b, (int)p->ldb, beta, c, (int)ldc);
#endif
}

static void finish(const struct product *p, int64_t i0, int64_t i1, int64_t j0, int64_t j1)
{
    const struct gemm_epilogue *e = p->epilogue;
    if (!e)
        return;
    for (int64_t i = i0; i < i1; i++) {
        real *c = p->c + i * p->ldc;
        const real *add = e->add ? e->add + i * p->n : NULL;
        for (int64_t j = j0; j < j1; j++) {
            real y = c[j] * (e->scale ? e->scale[j] : 1) + (e->shift ? e->shift[j] : 0);
            if (add)
                y += add[j];
            c[j] = e->relu && !(y > 0) ? 0 : y;
        }
    }
}

static void run_tile(void *user, int64_t begin, int64_t end)
{
    const struct product *p = user;
    (void)end; /* one tile a chunk */
    int64_t i0 = begin / p->tiles_across * p->tile_rows;
    int64_t j0 = begin % p->tiles_across * p->tile_columns;
    int64_t i1 = least(i0 + p->tile_rows, p->m), j1 = least(j0 + p->tile_columns, p->n);
    if (p->k > 0)
        block(p->c + i0 * p->ldc + j0, p->ldc, p, i0, i1, j0, j1, 0, p->k,
              (real)(p->accumulate != 0));
    else if (!p->accumulate)
        for (int64_t i = i0; i < i1; i++)
            for (int64_t j = j0; j < j1; j++)
                p->c[i * p->ldc + j] = 0;
    finish(p, i0, i1, j0, j1);
}

static void run_part(void *user, int64_t begin, int64_t end)
{
    const struct product *p = user;
    (void)end;
    int64_t part = begin % p->parts, tile = begin / p->parts;
    int64_t i0 = tile / p->tiles_across * p->tile_rows;
    int64_t j0 = tile % p->tiles_across * p->tile_columns;
    int64_t i1 = least(i0 + p->tile_rows, p->m), j1 = least(j0 + p->tile_columns, p->n);
    int64_t k0 = part * p->part_len, k1 = least(k0 + p->part_len, p->k);
    block(p->workspace + (part * p->m + i0) * p->n + j0, p->n, p, i0, i1, j0, j1, k0, k1, 0);
}

static void add_parts(void *user, int64_t begin, int64_t end)
{
    const struct product *p = user;
    for (int64_t i = begin; i < end; i++)
        for (int64_t part = 0; part < p->parts; part++) {
            const real *from = p->workspace + (part * p->m + i) * p->n;
            real *c = p->c + i * p->ldc;
            if (part == 0 && !p->accumulate)
                for (int64_t j = 0; j < p->n; j++)
                    c[j] = from[j];
            else
                for (int64_t j = 0; j < p->n; j++)
                    c[j] += from[j];
        }
    finish(p, begin, end, 0, p->n);
}

/* --- workspaces --- */
static _Alignas(64) real workspaces[WORKSPACES][SPLIT_REALS];
static int taken[WORKSPACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;

static int workspace_take(void)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    while (taken[i])
        if (++i == WORKSPACES) {
            pthread_cond_wait(&released, &lock);
            i = 0;
        }
    taken[i] = 1;
    pthread_mutex_unlock(&lock);
    return i;
}

static void workspace_give(int i)
{
    pthread_mutex_lock(&lock);
    taken[i] = 0;
    pthread_cond_signal(&released);
    pthread_mutex_unlock(&lock);
}

/* --- the partition --- */
static int64_t tiles_of(struct product *p, int64_t rows, int64_t columns)
{
    p->tile_rows = rows;
    p->tile_columns = columns;
    p->tiles_across = parallel_chunks(p->n, columns);
    return parallel_chunks(p->m, rows) * p->tiles_across;
}

static int64_t plan(struct product *p)
{
    p->parts = 1;
    int64_t tiles = tiles_of(p, SPLIT_SQUARE, SPLIT_SQUARE);
    if (tiles < ENOUGH_TILES && p->k >= 2 * SPLIT_LEAST && p->k > 2 * least(p->m, p->n)) {
        int64_t parts = least(parallel_chunks(ENOUGH_TILES, tiles), p->k / SPLIT_LEAST);
        p->part_len = round_up(parallel_chunks(p->k, parts), 8);
        p->parts = parallel_chunks(p->k, p->part_len);
        if (p->parts > 1)
            return tiles;
    }
    int64_t columns = least(TILE_COLUMNS, p->n), rows = TILE_ROWS;
    while (rows > 32 && tiles_of(p, rows, columns) < ENOUGH_TILES)
        rows /= 2;
    return tiles_of(p, rows, columns);
}

void gemm(real *c, int64_t ldc, const real *a, int64_t lda, int ta, const real *b, int64_t ldb,
          int tb, int64_t m, int64_t n, int64_t k, int accumulate,
          const struct gemm_epilogue *epilogue)
{
    if (m <= 0 || n <= 0)
        return;
    ASSERT(k >= 0 && lda <= INT32_MAX && ldb <= INT32_MAX && ldc <= INT32_MAX);
    struct product p = {.c = c, .a = a, .b = b, .ldc = ldc, .lda = lda, .ldb = ldb, .m = m, .n = n};
    p.k = k;
    p.ta = ta;
    p.tb = tb;
    p.accumulate = accumulate;
    p.epilogue = epilogue;
    atomic_fetch_add_explicit(&multiply_adds, m * n * k, memory_order_relaxed);
    int64_t tiles = plan(&p);
    if (p.parts == 1) {
        parallel_for(tiles, 1, run_tile, &p);
        return;
    }
    ASSERT(p.parts * m * n <= SPLIT_REALS);
    int workspace = workspace_take();
    p.workspace = workspaces[workspace];
    parallel_for(tiles * p.parts, 1, run_part, &p);
    parallel_for(m, parallel_chunks(m, 8), add_parts, &p);
    workspace_give(workspace);
}

int64_t gemm_count(void)
{
    return atomic_load_explicit(&multiply_adds, memory_order_relaxed);
}

const char *gemm_library(void)
{
    return GELATTO_BLAS_NAME;
}
