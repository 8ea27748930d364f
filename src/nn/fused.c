/* Tiles of neighbourhoods: see fused.h. A tile is a run of whole centres with at most TILE edges
 * (but at least one centre); tiles are dealt to a fixed number of slots with their own scratch, so
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

/* The maps on edges; each is packed once for all tiles. */
enum {
    MAP_HG,
    MAP_GH,
    MAP_GG,
    MAP_HH,
    MAP_HIDDEN,
    MAP_SCORE = MAP_HIDDEN + FUSED_HEADS,
    MAPS = MAP_SCORE + FUSED_HEADS
};

struct fused_op {
    struct op op;
    struct fused f;
};

/* One tile: edges [from, to) of centres [begin, end). */
struct tile {
    const struct fused *f;
    const struct edge_list *l;
    int64_t begin, end, from, edges;
    real *value, *score;   /* (edges, heads d), (edges, heads s) */
    real *h, *g, *h2, *t;  /* (edges, d) of the chain; t also of hidden layers */
    const int32_t *centre; /* (edges) */
    real *const *packed;   /* (MAPS) */
};

struct fused_args {
    struct plan *p;
    const struct fused *f;
    const struct edge_list *l;
    real *y;
    unsigned char *scratch;
    size_t slot_bytes;
    int64_t n, slots;
    real *packed[MAPS]; /* of the maps that exist */
};

static const struct fused_map *map_at(const struct fused *f, int i)
{
    const struct fused_map *const inner[] = {&f->hg, &f->gh, &f->gg, &f->hh};
    return i < MAP_HIDDEN  ? inner[i]
           : i < MAP_SCORE ? &f->hidden[i - MAP_HIDDEN]
                           : &f->score[i - MAP_SCORE];
}

static int64_t max_edges(const struct plan *p, const struct fused *f)
{
    int64_t n = p->capacity[ROWS_LEVEL + f->level];
    int64_t all = p->capacity[edge_kind(f->level, f->block)];
    int64_t degree = n > 0 ? all / n : 0; /* the longest list that a capacity implies */
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

/* The rows of the two ends of an edge. */
static const real *centre_row(const struct tile *t, int64_t e)
{
    return t->f->centre->x + t->centre[e] * t->f->centre->cols;
}

static const real *source_row(const struct tile *t, int64_t e)
{
    return t->f->source->x + (int64_t)t->l->index[t->from + e] * t->f->source->cols;
}

/* y (edges, out; ldy) = act(x (edges, in; ldx) w^T + shift) */
static void product(const struct tile *t, real *y, int64_t ldy, const real *x, int64_t ldx, int map)
{
    const struct fused_map *m = map_at(t->f, map);
    struct epilogue e = {.shift = m->shift ? m->shift->x : NULL, .relu = m->relu};
    gemm_packed(y, ldy, x, ldx, t->packed[map], t->edges, m->w->fixed, m->w->cols, &e);
}

/* H = r_i + act(rs_ij); G so far: p_i + q_j + act(pq_ij) */
static void fill_inner(struct tile *t, bool need_h, bool need_g)
{
    const struct kernels *k = kernels();
    int64_t d = t->f->d;
    for (int64_t e = 0; e < t->edges; e++) {
        const real *i = centre_row(t, e), *j = source_row(t, e);
        const struct edge_terms h = {.p = i, .a = i + d, .b = j, .relu = 1};
        const struct edge_terms g = {
            .p = i + 2 * d, .q = j + 2 * d, .a = i + 3 * d, .b = j + d, .relu = 1};
        if (need_h)
            k->edge_sum(t->h + e * d, &h, d);
        if (need_g)
            k->edge_sum(t->g + e * d, &g, d);
    }
}

/* G = p_i + pq_ij + q_j + f_hg(H), H' = H + s_j + f_gh(G), values f_gg(G), f_hh(H') */
static void chain(struct tile *t)
{
    const struct fused *f = t->f;
    int64_t d = f->d, ld = f->heads * d;
    bool need_h = f->latent || f->cross, need_g = f->geometric || f->cross;
    fill_inner(t, need_h, need_g);
    if (need_g && f->cross) {
        product(t, t->t, d, t->h, d, MAP_HG);
        kernels()->add(t->g, t->t, t->edges * d);
    }
    if (f->geometric)
        product(t, t->value, ld, t->g, d, MAP_GG);
    if (!f->latent)
        return;
    if (f->cross)
        product(t, t->t, d, t->g, d, MAP_GH);
    for (int64_t e = 0; e < t->edges; e++) {
        const struct edge_terms h2 = {
            .p = source_row(t, e) + 3 * d, .q = t->h + e * d, .a = f->cross ? t->t + e * d : NULL};
        kernels()->edge_sum(t->h2 + e * d, &h2, d);
    }
    product(t, t->value + (f->geometric ? d : 0), ld, t->h2, d, MAP_HH);
}

/* act(centre_i + source_j): values, or input of the scores */
static void fill_values(struct tile *t)
{
    const struct fused *f = t->f;
    int64_t c = f->centre->cols;
    real *y = f->score[0].w || f->pool || f->mean ? t->value : t->score;
    for (int64_t e = 0; e < t->edges; e++) {
        const struct edge_terms x = {.a = centre_row(t, e), .b = source_row(t, e), .relu = 1};
        kernels()->edge_sum(y + e * c, &x, c);
    }
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
        fill_values(t);
    for (int h = 0; h < f->heads && f->score[h].w; h++) {
        const real *from = t->value + h * f->d;
        int64_t ld = f->heads * f->d;
        if (f->hidden[h].w) {
            product(t, t->t, f->d, from, ld, MAP_HIDDEN + h);
            from = t->t;
            ld = f->d;
        }
        product(t, t->score + h * f->s, f->heads * f->s, from, ld, MAP_SCORE + h);
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

/* Runs the tiles of the centres of one slot in turn. */
static void run_slot(void *user, int64_t begin, int64_t end)
{
    struct fused_args *a = user;
    for (int64_t slot = begin; slot < end; slot++) {
        struct tile t = {.f = a->f, .l = a->l, .packed = a->packed};
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

static size_t aligned(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Takes memory for the maps that exist. */
static void take_packed(real *packed[MAPS], struct arena *a, const struct fused *f)
{
    for (int i = 0; i < MAPS; i++) {
        const struct tensor *w = map_at(f, i)->w;
        packed[i] =
            w ? arena_take(a, (size_t)gemm_pack_reals(w->fixed, w->cols), sizeof(real)) : NULL;
    }
}

static void pack_maps(void *user, int64_t begin, int64_t end)
{
    struct fused_args *a = user;
    for (int64_t i = begin; i < end; i++) {
        const struct tensor *w = map_at(a->f, (int)i)->w;
        if (w)
            gemm_pack(a->packed[i], w->x, w->ld, 1, w->fixed, w->cols);
    }
}

static void forward(struct plan *p, struct op *op)
{
    const struct fused *f = &((struct fused_op *)op)->f;
    int64_t n = p->batch.rows[ROWS_LEVEL + f->level];
    struct fused_args a = {.p = p,
                           .f = f,
                           .l = op_edges(p, op),
                           .y = op->out[0]->x,
                           .slot_bytes = slot_bytes(p, f),
                           .n = n,
                           .slots = slots_of(n)};
    struct arena scratch = plan_scratch(op);
    take_packed(a.packed, &scratch, f);
    a.scratch = (unsigned char *)op->scratch + aligned(scratch.used);
    parallel_for(MAPS, 1, pack_maps, &a);
    parallel_for(a.slots, 1, run_slot, &a);
}

static size_t scratch_bytes(const struct plan *p, const struct op *op, bool back)
{
    const struct fused *f = &((const struct fused_op *)op)->f;
    struct arena measure = arena_measuring();
    real *packed[MAPS];
    (void)back;
    take_packed(packed, &measure, f);
    return aligned(measure.used) +
           (size_t)slots_of(p->capacity[ROWS_LEVEL + f->level]) * slot_bytes(p, f);
}

static int64_t macs(const struct plan *p, const struct op *op)
{
    const struct fused *f = &((const struct fused_op *)op)->f;
    int64_t edges = p->batch.rows[edge_kind(f->level, f->block)];
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
