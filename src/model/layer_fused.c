/* The layer in inference when its maps have a ReLU: what is linear before the first one is done by
 * basis (value-relu, score-mlp) or by point (bn-relu); nn/fused.c does the rest on tiles of edges.
 */
#include "model/layer.h"

#include <stdio.h>

/* Fused: the scores' last map stays on the edges; what an mlp does before its ReLU is linear, its
 * bias part of the constant row. */
void layer_fused_score(struct layer *l, int index, const char *name, struct value v)
{
    char full[64], part[32];
    if (layer_kind(l, GROUP_SCORE) != KIND_MLP) {
        layer_name(l, full, sizeof full, name);
        l->score_map[index].w = build_weight(l->b, full, l->s, l->d, INIT_UNIFORM);
        return;
    }
    snprintf(part, sizeof part, "%s.hidden", name);
    layer_name(l, full, sizeof full, part);
    struct tensor *w = build_weight(l->b, full, l->d, l->d, INIT_UNIFORM);
    struct tensor *hidden = op_linear(l->p, NULL, v.centre, w, 0);
    op_add(l->p, plan_window(l->p, hidden, l->d + 3, 1, 0, l->d), build_bias(l->b, full, l->d));
    layer_put_head(l, &l->hidden[0], hidden, index, l->d);
    layer_put_head(l, &l->hidden[1], op_linear(l->p, NULL, v.source, w, 0), index, l->d);
    snprintf(part, sizeof part, "%s.out", name);
    layer_name(l, full, sizeof full, part);
    l->score_map[index].w = build_weight(l->b, full, l->s, l->d, INIT_UNIFORM);
}

static struct fused fused_start(const struct layer *l)
{
    const struct config *c = l->b->config;
    struct fused f = {
        .level = l->level, .block = l->block, .heads = l->heads, .d = l->d, .s = l->s};
    f.pool = c->network.heads == HEADS_POOL;
    f.cross = c->network.cross;
    f.geometric = c->network.heads != HEADS_LATENT;
    f.latent = c->network.heads != HEADS_GEOMETRIC;
    return f;
}

static struct tensor *fused_done(struct layer *l, struct fused *f)
{
    for (int h = 0; h < l->heads; h++)
        f->score[h] = l->score_map[h];
    return op_fused(l->p, f);
}

/* value-relu: ReLU(u_i + u_j) are the values. score-mlp: ReLU(a_i + a_j) leads to the scores. */
struct tensor *layer_fused_collect(struct layer *l, struct tensor *x, struct tensor *xc,
                                   struct tensor *p, struct tensor *pc)
{
    struct fused f = fused_start(l);
    bool mlp = l->hidden[0] != NULL;
    f.centre = layer_apply(l, mlp ? l->hidden[0] : l->centres, xc, pc);
    f.source = layer_apply(l, mlp ? l->hidden[1] : l->values, x, p);
    f.values = mlp ? layer_apply(l, l->values, x, p) : NULL;
    return fused_done(l, &f);
}

/* A map with its norm folded in: rows of the weight scaled, the shift beside it. */
static struct fused_map folded(struct layer *l, const char *name, int64_t in)
{
    char full[64];
    struct tensor *scale;
    struct fused_map m;
    layer_name(l, full, sizeof full, name);
    struct tensor *w = build_weight(l->b, full, l->d, in, INIT_UNIFORM);
    struct norm n = build_norm(l->b, full, l->d, true);
    op_norm_fold(l->p, &scale, &m.shift, &n);
    m.w = op_scale_rows(l->p, w, scale);
    return m;
}

/* Column `at` of the points' part of bn-relu. A part that is whole gets its shift and ReLU here; of
 * a map with two parts the shift goes with the centre's, the ReLU with the edges. */
static void point_map(struct layer *l, struct tensor *all, int at, struct tensor *x,
                      const struct fused_map *m, bool whole, bool shift)
{
    struct tensor *y = plan_window(l->p, all, 0, 0, at * l->d, l->d);
    op_linear_affine(l->p, y, x, m->w, NULL, shift ? m->shift : NULL, whole ? OP_RELU : 0);
}

/* bn-relu: every map has its own ReLU, so only the first of each path is done by point. */
struct tensor *layer_fused_chain(struct layer *l, struct tensor *x, struct tensor *xc,
                                 struct tensor *p, struct tensor *pc)
{
    struct fused f = fused_start(l);
    int index = 0;
    f.chain = true;
    f.centre = plan_tensor(l->p, xc->kind, 0, 4 * l->d);
    f.source = plan_tensor(l->p, x->kind, 0, 4 * l->d);
    if (f.latent || f.cross) {
        struct fused_map r = folded(l, "f_r", l->d), rs = folded(l, "f_rs", l->d);
        point_map(l, f.centre, 0, xc, &r, true, true);
        point_map(l, f.centre, 1, op_scale(l->p, NULL, xc, -1, 0), &rs, false, true);
        point_map(l, f.source, 0, x, &rs, false, false);
    }
    if (f.geometric || f.cross) {
        struct fused_map fp = folded(l, "f_p", 3), pq = folded(l, "f_pq", 3);
        struct fused_map q = folded(l, "f_q", 3);
        point_map(l, f.centre, 2, pc, &fp, true, true);
        point_map(l, f.centre, 3, op_scale(l->p, NULL, pc, -1, 0), &pq, false, true);
        point_map(l, f.source, 1, p, &pq, false, false);
        point_map(l, f.source, 2, p, &q, true, true);
    }
    if (f.cross)
        f.hg = folded(l, "f_hg", l->d);
    if (f.geometric) {
        f.gg = folded(l, "f_gg", l->d);
        if (!f.pool)
            layer_fused_score(l, index++, "f_gatt", (struct value){0});
    }
    if (f.latent) {
        struct fused_map s = folded(l, "f_s", l->d);
        point_map(l, f.source, 3, x, &s, true, true);
        if (f.cross)
            f.gh = folded(l, "f_gh", l->d);
        f.hh = folded(l, "f_hh", l->d);
        if (!f.pool)
            layer_fused_score(l, index++, "f_hatt", (struct value){0});
    }
    return fused_done(l, &f);
}
