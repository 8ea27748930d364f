/* Tiles of neighbourhoods: see fused.h. A tile is as many whole centres as have at most TILE edges
 * (at least one); the tiles are dealt to a fixed number of slots with scratch of their own, so
 * neither memory nor bits depend on the number of threads. */
#include "nn/fused.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/gemm.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { TILE = 256, SLOTS = 16 };

struct fused_op {
    struct op op;
    struct fused f;
};

/* One tile at work: edges [from, to) of centres [begin, end). */
struct tile {
    const struct fused *f;
    const struct edge_list *l;
    int64_t begin, end, from, edges;
    real *value, *score;   /* (edges, heads d), (edges, heads s) */
    real *h, *g, *h2, *t;  /* (edges, d) of the chain; t also of hidden layers */
    const int32_t *centre; /* (edges) */
};

struct fused_args {
    struct plan *p;
    const struct fused *f;
    const struct edge_list *l;
    real *y;
    unsigned char *scratch;
    size_t slot_bytes;
    int64_t n, slots;
};

static int64_t max_edges(const struct plan *p, const struct fused *f)
{
    int64_t n = p->capacity[ROWS_LEVEL + f->level];
    int64_t all = p->capacity[ROWS_EDGES + 2 * (f->level - 1) + f->block - 1];
    int64_t degree = n > 0 ? all / n : 0; /* the longest list a capacity stands for */
    return degree > TILE ? degree : TILE;
}

static void take(struct tile *t, struct arena *a, const struct fused *f, int64_t edges)
{
    size_t wide = (size_t)(edges * f->heads * f->d), one = (size_t)(edges * f->d);
    t->value = arena_take(a, wide, sizeof(real));
    t->score = arena_take(a, (size_t)(edges * f->heads * f->s), sizeof(real));
    t->centre = arena_take(a, (size_t)edges, sizeof *t->centre);
    t->t = arena_take(a, one, sizeof(real));
    if (f->chain) {
        t->h = arena_take(a, one, sizeof(real));
        t->g = arena_take(a, one, sizeof(real));
        t->h2 = arena_take(a, one, sizeof(real));
    }
}

/* dst (edges, c) (+)= act(centre_i + source_j); columns c0 and s0 of wider rows; either NULL */
static void combine(const struct tile *t, real *dst, const struct tensor *centre, int64_t c0,
                    const struct tensor *source, int64_t s0, int64_t c, bool relu, bool add)
{
    for (int64_t e = 0; e < t->edges; e++) {
        const real *a = centre ? centre->x + t->centre[e] * centre->cols + c0 : NULL;
        const real *b =
            source ? source->x + (int64_t)t->l->index[t->from + e] * source->cols + s0 : NULL;
        kernels()->edge_sum(dst + e * c, a, b, c, relu, add);
    }
}

/* y (edges, out; ldy) = act(x (edges, in; ldx) w^T + shift) (+ y) */
static void product(const struct tile *t, real *y, int64_t ldy, const real *x, int64_t ldx,
                    const struct fused_map *m)
{
    struct gemm_epilogue e = {.shift = m->shift ? m->shift->x : NULL, .relu = m->relu};
    gemm(y, ldy, x, ldx, 0, m->w->x, m->w->ld, 1, t->edges, m->w->fixed, m->w->cols, 0, &e);
}

/* G = p_i + pq_ij + q_j + f_hg(H), H' = H + s_j + f_gh(G), values f_gg(G), f_hh(H') */
static void chain(struct tile *t)
{
    const struct fused *f = t->f;
    int64_t d = f->d, ld = f->heads * d;
    bool need_h = f->latent || f->cross, need_g = f->geometric || f->cross;
    if (need_h) {
        combine(t, t->h, f->centre, 0, NULL, 0, d, false, false);
        combine(t, t->h, f->centre, d, f->source, 0, d, true, true);
    }
    if (need_g) {
        combine(t, t->g, f->centre, 2 * d, f->source, 2 * d, d, false, false);
        combine(t, t->g, f->centre, 3 * d, f->source, d, d, true, true);
        if (f->cross) {
            product(t, t->t, d, t->h, d, &f->hg);
            kernels()->add(t->g, t->t, t->edges * d);
        }
    }
    if (f->geometric)
        product(t, t->value, ld, t->g, d, &f->gg);
    if (!f->latent)
        return;
    combine(t, t->h2, NULL, 0, f->source, 3 * d, d, false, false);
    kernels()->add(t->h2, t->h, t->edges * d);
    if (f->cross) {
        product(t, t->t, d, t->g, d, &f->gh);
        kernels()->add(t->h2, t->t, t->edges * d);
    }
    product(t, t->value + (f->geometric ? d : 0), ld, t->h2, d, &f->hh);
}

static void fill(struct tile *t)
{
    const struct fused *f = t->f;
    int32_t *centre = (int32_t *)t->centre;
    for (int64_t i = t->begin; i < t->end; i++)
        for (int64_t e = t->l->start[i]; e < t->l->start[i + 1]; e++)
            centre[e - t->from] = (int32_t)i;
    if (f->chain)
        chain(t);
    else
        combine(t, f->score[0].w || f->pool || f->mean ? t->value : t->score, f->centre, 0,
                f->source, 0, f->centre->cols, true, false);
    for (int h = 0; h < f->heads && f->score[h].w; h++) {
        const real *from = t->value + h * f->d;
        int64_t ld = f->heads * f->d;
        if (f->hidden[h].w) {
            product(t, t->t, f->d, from, ld, &f->hidden[h]);
            from = t->t;
            ld = f->d;
        }
        product(t, t->score + h * f->s, f->heads * f->s, from, ld, &f->score[h]);
    }
}

/* y (c) = the mean of len rows */
static void mean_rows(real *y, const real *value, int64_t len, int64_t c)
{
    memset(y, 0, (size_t)c * sizeof *y);
    for (int64_t e = 0; e < len; e++)
        kernels()->axpy(y, 1 / (real)len, value + e * c, c);
}

/* y of the tile's centres; score-mlp sums the values of the sources instead of the tile's own */
static void reduce(struct tile *t, real *y)
{
    const struct fused *f = t->f;
    int64_t c = f->heads * f->d, s = f->heads * f->s;
    for (int64_t i = t->begin; i < t->end; i++) {
        int64_t from = t->l->start[i] - t->from, len = t->l->start[i + 1] - t->l->start[i];
        const int32_t *index = t->l->index + t->l->start[i];
        if (f->pool)
            kernels()->edge_max(y + i * c, t->value + from * c, len, c);
        else if (f->mean)
            mean_rows(y + i * c, t->value + from * c, len, c);
        else if (f->values)
            kernels()->edge_attend(y + i * c, NULL, t->score + from * s, f->values->x, index, len,
                                   c, c / s);
        else
            kernels()->edge_attend(y + i * c, NULL, t->score + from * s, t->value + from * c, NULL,
                                   len, c, c / s);
    }
}

/* Tiles of the centres of one slot, in turn. */
static void run_slot(void *user, int64_t begin, int64_t end)
{
    struct fused_args *a = user;
    for (int64_t slot = begin; slot < end; slot++) {
        struct tile t = {.f = a->f, .l = a->l};
        struct arena scratch = {a->scratch + (size_t)slot * a->slot_bytes, SIZE_MAX, 0, 0};
        take(&t, &scratch, a->f, max_edges(a->p, a->f));
        int64_t i = a->n * slot / a->slots, stop = a->n * (slot + 1) / a->slots;
        while (i < stop) {
            t.begin = i;
            t.from = a->l->start[i];
            for (t.end = i + 1; t.end < stop && a->l->start[t.end + 1] - t.from <= TILE; t.end++) {
            }
            t.edges = a->l->start[t.end] - t.from;
            fill(&t);
            reduce(&t, a->y);
            i = t.end;
        }
    }
}

static int64_t slots_of(int64_t n)
{
    return n < SLOTS ? (n > 0 ? n : 1) : SLOTS;
}

static size_t slot_bytes(const struct plan *p, const struct fused *f)
{
    struct tile t;
    struct arena measure = arena_measuring();
    take(&t, &measure, f, max_edges(p, f));
    return measure.peak;
}

static void forward(struct plan *p, struct op *op)
{
    const struct fused *f = &((struct fused_op *)op)->f;
    int64_t n = p->batch.rows[ROWS_LEVEL + f->level];
    struct fused_args a = {p,
                           f,
                           &p->batch.edges[2 * (f->level - 1) + f->block - 1],
                           op->out[0]->x,
                           op->scratch,
                           slot_bytes(p, f),
                           n,
                           slots_of(n)};
    parallel_for(a.slots, 1, run_slot, &a);
}

static size_t scratch_bytes(const struct plan *p, const struct op *op, bool back)
{
    const struct fused *f = &((const struct fused_op *)op)->f;
    (void)back;
    return (size_t)slots_of(p->capacity[ROWS_LEVEL + f->level]) * slot_bytes(p, f);
}

static int64_t macs(const struct plan *p, const struct op *op)
{
    const struct fused *f = &((const struct fused_op *)op)->f;
    int64_t edges = p->batch.rows[ROWS_EDGES + 2 * (f->level - 1) + f->block - 1];
    int64_t maps = f->chain ? (f->cross ? (f->latent ? 2 : 1) : 0) + f->geometric + f->latent : 0;
    int64_t scores = 0;
    for (int h = 0; h < f->heads; h++)
        scores += (f->score[h].w ? f->s : 0) + (f->hidden[h].w ? f->d : 0);
    return edges * f->d * (maps * f->d + scores);
}

struct tensor *op_fused(struct plan *p, const struct fused *f)
{
    ASSERT(!p->training);
    struct fused_op *op = plan_op(p, "fused", sizeof *op);
    struct tensor *const all[] = {
        f->centre,          f->source,      f->values,          f->hidden[0].w,
        f->hidden[0].shift, f->hidden[1].w, f->hidden[1].shift, f->score[0].w,
        f->score[0].shift,  f->score[1].w,  f->score[1].shift,  f->hg.w,
        f->hg.shift,        f->gh.w,        f->gh.shift,        f->gg.w,
        f->gg.shift,        f->hh.w,        f->hh.shift};
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i])
            op->op.in[n++] = all[i];
    op->f = *f;
    op->op.forward = forward;
    op->op.level = f->level;
    op->op.block = f->block;
    op->op.scratch_bytes = scratch_bytes;
    op->op.macs = macs;
    op->op.out[0] = plan_tensor(p, ROWS_LEVEL + f->level, 0, f->heads * f->d);
    plan_op_done(p, &op->op);
    return op->op.out[0];
}
