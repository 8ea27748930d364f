/* Dense products: see gemm.h.
 *
 * The partition is a function of (m, n, k) alone. Wide results are cut into blocks of rows and
 * columns. Small results of long sums (weight gradients: k = points) are cut along k too; the parts
 * go to a workspace and are added in the order of k. Blocks that stand one above the other follow
 * each other, because they share what is packed of b. Nothing is allocated: the workspaces are
 * static, and a product that finds none free waits for one. */
#include "kernels/gemm.h"

#include "core/error.h"
#include "core/parallel.h"
#include "kernels/gemm_block.h"
#include "kernels/gemm_plain.h"
#include "kernels/gemm_tiles.h"
#include "kernels/kernels.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    ENOUGH_BLOCKS = 16,    /* keep the cores of a usual machine busy */
    SMALL_BLOCK = 1 << 16, /* multiply-adds below which a block is not worth a task */
    PART_LEAST = 256,      /* terms of the shortest part of a sum */
    SPLIT_REALS = 1 << 20, /* a workspace: parts * m * n at most */
    WORKSPACES = 4
};

struct product {
    const struct kernels *table;
    real *c;
    const real *a, *b;
    int64_t ldc, lda, ldb, m, n, k;
    int ta, tb, accumulate;
    const real *panels; /* instead of b; or NULL */
    const struct epilogue *end;
    uint64_t call;               /* its number */
    int64_t rows, columns, down; /* of a block; blocks in a column of them */
    int64_t parts, part_len;     /* of the sum over k */
    real *workspace;             /* (parts, m, n) when parts > 1 */
};

struct range {
    int64_t begin, end;
};

static _Atomic int64_t multiply_adds;
static _Atomic uint64_t calls;

static struct range range_at(int64_t i, int64_t step, int64_t n)
{
    return (struct range){i * step, (i + 1) * step < n ? (i + 1) * step : n};
}

/* Columns of a packed b. */
static int64_t padded(int64_t n)
{
#ifdef GELATTO_F64
    return n;
#else
    return gemm_tiles_wide(n, kernels());
#endif
}

static void run_block(const struct product *p, real *c, int64_t ldc, struct range i, struct range j,
                      struct range k, int accumulate, const struct epilogue *end)
{
    const struct gemm_block block = {
        .c = c,
        .a = p->ta ? p->a + k.begin * p->lda + i.begin : p->a + i.begin * p->lda + k.begin,
        .b = p->tb ? p->b + j.begin * p->ldb + k.begin : p->b + k.begin * p->ldb + j.begin,
        .ldc = ldc,
        .lda = p->lda,
        .ldb = p->ldb,
        .m = i.end - i.begin,
        .n = j.end - j.begin,
        .k = k.end - k.begin,
        .ta = p->ta,
        .tb = p->tb,
        .accumulate = accumulate,
        .end = end,
        .panels = p->panels,
        .column = j.begin,
        .wide = p->panels ? padded(p->n) : 0,
        .call = p->call,
    };
#ifdef GELATTO_F64
    gemm_plain(&block);
#else
    gemm_tiles(&block, p->table);
#endif
}

static struct epilogue end_at(const struct product *p, int64_t j)
{
    struct epilogue end = *p->end;
    end.scale = end.scale ? end.scale + j : NULL;
    end.shift = end.shift ? end.shift + j : NULL;
    return end;
}

static void run_whole(void *user, int64_t begin, int64_t end)
{
    const struct product *p = user;
    (void)end; /* one block a chunk */
    struct range i = range_at(begin % p->down, p->rows, p->m);
    struct range j = range_at(begin / p->down, p->columns, p->n);
    real *c = p->c + i.begin * p->ldc + j.begin;
    struct epilogue last;
    if (p->end)
        last = end_at(p, j.begin);
    run_block(p, c, p->ldc, i, j, (struct range){0, p->k}, p->accumulate, p->end ? &last : NULL);
}

static void run_part(void *user, int64_t begin, int64_t end)
{
    const struct product *p = user;
    (void)end;
    int64_t block = begin / p->down, part = block % p->parts;
    struct range i = range_at(begin % p->down, p->rows, p->m);
    struct range j = range_at(block / p->parts, p->columns, p->n);
    real *c = p->workspace + (part * p->m + i.begin) * p->n + j.begin;
    run_block(p, c, p->n, i, j, range_at(part, p->part_len, p->k), 0, NULL);
}

/* Rows [begin, end) of c = (accumulate ? c : 0) + the parts in their order, then the epilogue. */
static void add_parts(void *user, int64_t begin, int64_t end)
{
    const struct product *p = user;
    for (int64_t i = begin; i < end; i++) {
        real *c = p->c + i * p->ldc;
        if (!p->accumulate)
            for (int64_t j = 0; j < p->n; j++)
                c[j] = 0;
        for (int64_t part = 0; part < p->parts; part++)
            p->table->add(c, p->workspace + (part * p->m + i) * p->n, p->n);
    }
    if (p->end)
        gemm_block_finish(p->c + begin * p->ldc, p->ldc, end - begin, p->n, p->end);
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
static int64_t cut(struct product *p, int64_t rows, int64_t columns)
{
    p->rows = rows;
    p->columns = columns;
    p->down = parallel_chunks(p->m, rows);
    return p->down * parallel_chunks(p->n, columns);
}

/* Blocks of rows are multiples of every tile_rows: only the last one has an edge. */
static int64_t cut_result(struct product *p)
{
    static const int64_t size[][2] = {{384, 256}, {192, 256}, {192, 128}, {192, 64},
                                      {96, 64},   {48, 64},   {24, 64}};
    enum { SIZES = sizeof size / sizeof size[0] };
    int64_t blocks = cut(p, p->m, p->n), least = SMALL_BLOCK;
    if (p->m * p->n * p->k <= least)
        return blocks;
    for (int s = 0; s < SIZES; s++) {
        if (s > 0 && (blocks >= ENOUGH_BLOCKS || size[s][0] * size[s][1] * p->k < least))
            break;
        blocks = cut(p, size[s][0], size[s][1]);
    }
    return blocks;
}

/* Blocks of the result; sets the parts of the sum. Only sums over rows are cut up (gradients of
 * weights): a row of any other product must not depend on how many there are. */
static int64_t plan(struct product *p)
{
    p->parts = 1;
    int64_t blocks = cut(p, 192, 64);
    if (p->ta && blocks < ENOUGH_BLOCKS && p->k >= 2 * PART_LEAST) {
        blocks = cut(p, 192, 256);
        int64_t parts = parallel_chunks(ENOUGH_BLOCKS, blocks);
        int64_t max = SPLIT_REALS / (p->m * p->n);
        parts = parts < p->k / PART_LEAST ? parts : p->k / PART_LEAST;
        parts = parts < max ? parts : max;
        if (parts > 1) {
            p->part_len = parallel_chunks(p->k, parts);
            p->parts = parallel_chunks(p->k, p->part_len);
            return cut(p, 512, 256); /* the parts stay: they decide bits */
        }
    }
    return cut_result(p);
}

static void run(struct product *p)
{
    if (p->m <= 0 || p->n <= 0)
        return;
    ASSERT(p->k >= 0 && p->lda <= INT32_MAX && p->ldb <= INT32_MAX && p->ldc <= INT32_MAX);
    p->table = kernels();
    atomic_fetch_add_explicit(&multiply_adds, p->m * p->n * p->k, memory_order_relaxed);
    p->call = 1 + atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    if (p->k == 0) { /* an empty sum: zero parts */
        add_parts(p, 0, p->m);
        return;
    }
    int64_t blocks = plan(p);
    if (p->parts == 1) {
        parallel_for(blocks, 1, run_whole, p);
        return;
    }
    int workspace = workspace_take();
    p->workspace = workspaces[workspace];
    parallel_for(blocks * p->parts, 1, run_part, p);
    parallel_for(p->m, parallel_chunks(p->m, ENOUGH_BLOCKS), add_parts, p);
    workspace_give(workspace);
}

void gemm(real *c, int64_t ldc, const real *a, int64_t lda, int ta, const real *b, int64_t ldb,
          int tb, int64_t m, int64_t n, int64_t k, int accumulate, const struct epilogue *epilogue)
{
    struct product p = {.c = c,
                        .ldc = ldc,
                        .a = a,
                        .lda = lda,
                        .ta = ta,
                        .b = b,
                        .ldb = ldb,
                        .tb = tb,
                        .m = m,
                        .n = n,
                        .k = k,
                        .accumulate = accumulate,
                        .end = epilogue};
    run(&p);
}

/* --- packed matrices --- */

int64_t gemm_pack_reals(int64_t n, int64_t k)
{
    return padded(n) * k;
}

void gemm_pack(real *packed, const real *b, int64_t ldb, int tb, int64_t n, int64_t k)
{
#ifdef GELATTO_F64
    for (int64_t t = 0; t < k; t++)
        for (int64_t j = 0; j < n; j++)
            packed[t * n + j] = tb ? b[j * ldb + t] : b[t * ldb + j];
#else
    gemm_tiles_pack(packed, b, ldb, tb, n, k, kernels());
#endif
}

void gemm_packed(real *c, int64_t ldc, const real *a, int64_t lda, const real *packed, int64_t m,
                 int64_t n, int64_t k, const struct epilogue *epilogue)
{
    /* the plain loops of the double build read it as a matrix */
    struct product p = {.c = c,
                        .ldc = ldc,
                        .a = a,
                        .lda = lda,
                        .b = packed,
                        .ldb = n,
                        .m = m,
                        .n = n,
                        .k = k,
                        .panels = packed,
                        .end = epilogue};
    run(&p);
}

int64_t gemm_count(void)
{
    return atomic_load_explicit(&multiply_adds, memory_order_relaxed);
}
