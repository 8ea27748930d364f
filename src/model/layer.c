/* The two-headed layer, section 4 of docs/network.md: centre i, neighbours j,
 *
 *     H  = f_r(x_i) + f_rs(x_j - x_i)
 *     G  = f_p(p_i) + f_pq(p_j - p_i) + f_q(p_j) + f_hg(H)
 *     H' = H + f_s(x_j) + f_gh(G)
 *     G'' = f_gg(G), H'' = f_hh(H')
 *     G_i = sum_j softmax_j(f_gatt(G'')) G''     H_i = sum_j softmax_j(f_hatt(H'')) H''
 *     O_i = f_o([G_i ; H_i])
 *
 * The equations are written once, in attend(). They work on a `value`, in one of three forms: edge
 * by edge (direct); or, for affine maps, a centre part plus a source part (collapsed): rows of
 * points, or rows of a basis. A chain of linear maps applied to the unit vectors of (x, p) is its
 * own matrix, so the basis form multiplies the weights once instead of mapping every point: always
 * in inference, in training if that is cheaper. For maps with a ReLU, the linear part before it is
 * done on points or by the basis; the rest in inference on tiles of edges (nn/fused.h), in training
 * on all edges. */
#include "model/layer.h"

#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "nn/fused.h"
#include "nn/ops.h"
#include "nn/plan.h"

#include <stdio.h>

enum form { FORM_EDGES, FORM_POINTS, FORM_BASIS };

/* A quantity on edges (i, j): edge_ij + centre_i + source_j, with NULL for zero. In basis form the
 * parts are the images of the unit vectors of (x, p)_i and of the difference (x, p)_j - (x, p)_i,
 * until split() turns them into centre and source parts. */
struct value {
    struct tensor *centre, *source, *edge;
    int64_t first, count; /* basis: the rows that may differ from zero */
    bool centred;         /* its mean over the edges is zero: all of it is normalised */
};

struct layer {
    struct build *b;
    struct plan *p;
    int level, block, heads;
    enum form form;
    int64_t d, s;                             /* channels and scores of one head */
    struct tensor *values, *centres, *scores; /* (.., heads d), (.., heads d), (.., heads s) */
    bool fused;                               /* the rest on tiles of edges */
    bool on_edges;                            /* the rest on all edges: centres are the heads */
    bool centred;                             /* the values' mean over the edges is zero */
    struct moments moments;                   /* training with a basis: of the edges, for norms */
    struct tensor *hidden[2];                 /* score-mlp, fused: of centres and sources */
    struct fused_map score_map[FUSED_HEADS];  /* fused: on the edges */
    struct fused_map score_hidden[FUSED_HEADS];
};

/* encL.blockB.attention.name, or without the last part */
static const char *name_of(const struct layer *l, char *buffer, size_t size, const char *name)
{
    snprintf(buffer, size, "enc%d.block%d.attention%s%s", l->level, l->block, *name ? "." : "",
             name);
    return buffer;
}

static enum config_map_kind kind_of(const struct layer *l, enum config_map_group group)
{
    return config_map_kind(l->b->config, group);
}

static struct tensor *weight(struct layer *l, const char *name, int64_t out, int64_t in)
{
    bool kaiming = l->b->config->network.map_init == MAP_INIT_KAIMING;
    return build_weight(l->b, name, out, in, kaiming ? INIT_KAIMING : INIT_UNIFORM);
}

/* Attention, not the maximum or the mean of the values. */
static bool has_scores(const struct config *c)
{
    return c->network.heads != HEADS_POOL && c->network.heads != HEADS_MEAN;
}

/* Does a kind occur in a group that reaches an output? */
static bool any_map(const struct config *c, enum config_map_kind kind)
{
    return config_map_kind(c, MAP_INNER) == kind || config_map_kind(c, MAP_VALUE) == kind ||
           (has_scores(c) && config_map_kind(c, MAP_SCORE) == kind);
}

/* --- values --- */

static void accumulate(struct layer *l, struct tensor **sum, struct tensor *x, struct tensor *w)
{
    if (x)
        *sum = op_linear(l->p, *sum, x, w, *sum ? OP_ONTO : 0);
}

static void add_part(struct layer *l, struct tensor **sum, struct tensor *x)
{
    if (x && *sum)
        op_add(l->p, *sum, x);
    else if (x)
        *sum = x;
}

/* A copy that can be added to without changing x. */
static struct value copy(struct layer *l, struct value x)
{
    struct value y = {.first = x.first, .count = x.count, .centred = x.centred};
    if (x.centre)
        y.centre = op_scale(l->p, NULL, x.centre, 1, 0);
    if (x.source)
        y.source = op_scale(l->p, NULL, x.source, 1, 0);
    if (x.edge)
        y.edge = op_scale(l->p, NULL, x.edge, 1, 0);
    return y;
}

/* Updates what is known of a sum when x is added. */
static void join_extent(struct value *sum, struct value x)
{
    bool empty = !sum->centre && !sum->source && !sum->edge;
    int64_t end = sum->first + sum->count, first = sum->first;
    sum->centred = x.centred && (empty || sum->centred);
    sum->first = empty || x.first < first ? x.first : first;
    sum->count = (empty || x.first + x.count > end ? x.first + x.count : end) - sum->first;
}

static void add(struct layer *l, struct value *sum, struct value x)
{
    join_extent(sum, x);
    add_part(l, &sum->centre, x.centre);
    add_part(l, &sum->source, x.source);
    add_part(l, &sum->edge, x.edge);
}

/* x_j, x_i and x_j - x_i of features or coordinates at the sources and the centres */
static struct value at_source(struct layer *l, struct value x)
{
    if (l->form == FORM_BASIS)
        return x; /* the centre plus the difference */
    if (l->form == FORM_POINTS)
        return (struct value){.source = x.source};
    return (struct value){.edge =
                              op_to_edges(l->p, NULL, x.source, false, 1, l->level, l->block, 0)};
}

static struct value at_centre(struct layer *l, struct value x)
{
    if (l->form == FORM_EDGES)
        x.edge = op_to_edges(l->p, NULL, x.centre, true, 1, l->level, l->block, 0);
    return l->form == FORM_EDGES ? (struct value){.edge = x.edge}
                                 : (struct value){x.centre, NULL, NULL, x.first, x.count, false};
}

static struct value difference(struct layer *l, struct value x)
{
    if (l->form == FORM_BASIS)
        return (struct value){NULL, x.source, NULL, x.first, x.count, false};
    if (l->form == FORM_POINTS)
        return (struct value){.centre = op_scale(l->p, NULL, x.centre, -1, 0), .source = x.source};
    struct value y = at_source(l, x);
    op_to_edges(l->p, y.edge, x.centre, true, -1, l->level, l->block, OP_ONTO);
    return y;
}

/* Basis form: y_ij = M_d (x_j - x_i) + M_c x_i, so the source part is M_d, the centre part
 * M_c - M_d. */
static struct value split(struct layer *l, struct value x)
{
    if (l->form != FORM_BASIS)
        return x;
    struct value y = {op_scale(l->p, NULL, x.centre, 1, 0), x.source, NULL, 0, 0, false};
    op_scale(l->p, plan_window(l->p, y.centre, 0, l->d + 3, 0, y.centre->cols), x.source, -1,
             OP_ONTO);
    return y;
}

/* The same on edges, for a ReLU that follows. */
static struct value on_edges(struct layer *l, struct value x)
{
    struct tensor *y = x.edge;
    if (x.source)
        y = op_to_edges(l->p, y, x.source, false, 1, l->level, l->block, y ? OP_ONTO : 0);
    if (x.centre)
        y = op_to_edges(l->p, y, x.centre, true, 1, l->level, l->block, y ? OP_ONTO : 0);
    return (struct value){.edge = y};
}

/* --- maps --- */

static struct value norm_of_edges(struct layer *l, struct value x, const struct norm *n, bool relu)
{
    if (l->p->training)
        return (struct value){.edge = op_norm(l->p, x.edge, n, relu)};
    struct tensor *scale, *shift;
    op_norm_fold(l->p, &scale, &shift, n);
    return (struct value){.edge = op_affine(l->p, x.edge, scale, shift, relu)};
}

/* Inference: a norm after a map in basis form scales the weight's rows; its shift belongs to the
 * last row of the centre's basis, the image of (0, 0). */
static struct value folded_norm(struct layer *l, struct value x, struct tensor *w,
                                const struct norm *n)
{
    struct tensor *scale, *shift;
    struct value y = {0};
    op_norm_fold(l->p, &scale, &shift, n);
    struct tensor *folded = op_scale_rows(l->p, w, scale);
    accumulate(l, &y.centre, x.centre, folded);
    accumulate(l, &y.source, x.source, folded);
    if (!y.centre)
        y.centre = op_identity(l->p, l->d + 4, 0, w->fixed, 0);
    op_add(l->p, plan_window(l->p, y.centre, l->d + 3, 1, 0, w->fixed), shift);
    return y;
}

static struct value linear(struct layer *l, struct value x, struct tensor *w)
{
    struct value y = {.first = x.first, .count = x.count, .centred = x.centred};
    accumulate(l, &y.centre, x.centre, w);
    accumulate(l, &y.source, x.source, w);
    accumulate(l, &y.edge, x.edge, w);
    return y;
}

/* For scores, only the source part is used: the centre part cancels. */
static struct value norm_of_parts(struct layer *l, struct value y, const struct norm *n,
                                  bool centre_used)
{
    if (l->form == FORM_POINTS) {
        op_edge_norm(l->p, &y.centre, &y.source, n, centre_used, l->level, l->block);
    } else {
        struct basis_norm_options o = {y.first,   y.count,  centre_used,
                                       y.centred, l->level, l->block};
        op_basis_norm(l->p, &y.centre, &y.source, &l->moments, n, &o);
    }
    y.centred = true;
    return y;
}

/* Norm and ReLU of a value that is a centre part plus a source part: on edges if it has both. */
static struct value relu_of_parts(struct layer *l, struct value y, const struct norm *n)
{
    op_edge_norm(l->p, &y.centre, &y.source, n, true, l->level, l->block);
    if (y.centre && y.source)
        return (struct value){.edge = op_edge_relu(l->p, y.centre, y.source, l->level, l->block)};
    if (y.centre)
        return (struct value){.centre = op_relu(l->p, y.centre)};
    return (struct value){.source = op_relu(l->p, y.source)};
}

/* sum += f(x), the map `name` to width `out` */
static void add_map(struct layer *l, struct value *sum, const char *name, struct value x,
                    int64_t out, enum config_map_group group)
{
    char full[64];
    name_of(l, full, sizeof full, name);
    struct tensor *given = x.edge ? x.edge : x.source ? x.source : x.centre;
    struct tensor *w = weight(l, full, out, given->cols);
    enum config_map_kind kind = kind_of(l, group);
    if (kind == MAP_LINEAR) { /* needs no tensor of its own */
        join_extent(sum, x);
        accumulate(l, &sum->centre, x.centre, w);
        accumulate(l, &sum->source, x.source, w);
        accumulate(l, &sum->edge, x.edge, w);
        return;
    }
    struct norm n = build_norm(l->b, full, out, kind == MAP_BN_RELU);
    struct value y;
    if (l->form == FORM_BASIS && !l->p->training)
        y = folded_norm(l, x, w, &n);
    else if (l->form == FORM_EDGES || x.edge)
        y = norm_of_edges(l, on_edges(l, linear(l, x, w)), &n, kind == MAP_BN_RELU);
    else if (kind == MAP_BN_RELU)
        y = relu_of_parts(l, linear(l, x, w), &n);
    else
        y = norm_of_parts(l, linear(l, x, w), &n, group != MAP_SCORE);
    add(l, sum, y);
}

static struct value map(struct layer *l, const char *name, struct value x, int64_t out,
                        enum config_map_group group)
{
    struct value y = {0};
    add_map(l, &y, name, x, out, group);
    return y;
}

/* f_gatt or f_hatt: linear, or linear + bias, ReLU, linear */
static struct value score(struct layer *l, const char *name, struct value x)
{
    if (kind_of(l, MAP_SCORE) != MAP_MLP)
        return map(l, name, x, l->s, MAP_SCORE);
    char full[64], part[32];
    snprintf(part, sizeof part, "%s.hidden", name);
    name_of(l, full, sizeof full, part);
    struct tensor *w = weight(l, full, l->d, l->d);
    struct tensor *bias = build_bias(l->b, full, l->d);
    struct tensor **parts[] = {&x.edge, &x.source, &x.centre};
    for (int i = 0; i < 3; i++)
        if (*parts[i]) { /* the bias is added to the first existing part */
            *parts[i] = op_linear_affine(l->p, NULL, *parts[i], w, NULL, bias, 0);
            bias = NULL;
        }
    struct tensor *hidden = op_relu(l->p, on_edges(l, x).edge);
    snprintf(part, sizeof part, "%s.out", name);
    name_of(l, full, sizeof full, part);
    w = weight(l, full, l->s, l->d);
    return (struct value){.edge = op_linear(l->p, NULL, hidden, w, 0)};
}

/* --- heads --- */

/* The columns of one head in a tensor that both share, created by the first. */
static struct tensor *head_window(struct layer *l, struct tensor **all, struct tensor *like,
                                  int head, int64_t width)
{
    if (!*all)
        *all = plan_tensor(l->p, like->kind, like->fixed, l->heads * width);
    return plan_window(l->p, *all, 0, like->fixed, head * width, width);
}

static void put_head(struct layer *l, struct tensor **all, struct tensor *x, int head,
                     int64_t width)
{
    op_scale(l->p, head_window(l, all, x, head, width), x, 1, 0);
}

/* A map on edges for the fused path, with its norm folded in: scaled rows of the weight, and a
 * shift. */
static struct fused_map folded(struct layer *l, const char *name, int64_t out, int64_t in,
                               enum config_map_group group)
{
    char full[64];
    enum config_map_kind kind = kind_of(l, group);
    name_of(l, full, sizeof full, name);
    struct fused_map m = {.w = weight(l, full, out, in), .relu = kind == MAP_BN_RELU};
    if (kind == MAP_LINEAR)
        return m;
    struct tensor *scale;
    struct norm n = build_norm(l->b, full, out, kind == MAP_BN_RELU);
    op_norm_fold(l->p, &scale, &m.shift, &n);
    m.w = op_scale_rows(l->p, m.w, scale);
    return m;
}

/* Fused, values on edges: scores are on edges too. */
static void fused_score(struct layer *l, int index, const char *name)
{
    char full[64], part[32];
    if (kind_of(l, MAP_SCORE) != MAP_MLP) {
        l->score_map[index] = folded(l, name, l->s, l->d, MAP_SCORE);
        return;
    }
    snprintf(part, sizeof part, "%s.hidden", name);
    name_of(l, full, sizeof full, part);
    l->score_hidden[index] =
        (struct fused_map){weight(l, full, l->d, l->d), build_bias(l->b, full, l->d), true};
    snprintf(part, sizeof part, "%s.out", name);
    name_of(l, full, sizeof full, part);
    l->score_map[index].w = weight(l, full, l->s, l->d);
}

/* Fused, values at the sources: everything before the scores' first ReLU is linear; an mlp's bias
 * is part of the constant row. */
static void fused_hidden(struct layer *l, int index, const char *name, struct value v)
{
    char full[64], part[32];
    if (kind_of(l, MAP_SCORE) != MAP_MLP) {
        v = split(l, map(l, name, v, l->s, MAP_SCORE));
        put_head(l, &l->hidden[0], v.centre, index, l->s);
        put_head(l, &l->hidden[1], v.source, index, l->s);
        return;
    }
    snprintf(part, sizeof part, "%s.hidden", name);
    name_of(l, full, sizeof full, part);
    v = split(l, linear(l, v, weight(l, full, l->d, l->d)));
    op_add(l->p, plan_window(l->p, v.centre, l->d + 3, 1, 0, l->d), build_bias(l->b, full, l->d));
    put_head(l, &l->hidden[0], v.centre, index, l->d);
    put_head(l, &l->hidden[1], v.source, index, l->d);
    snprintf(part, sizeof part, "%s.out", name);
    name_of(l, full, sizeof full, part);
    l->score_map[index].w = weight(l, full, l->s, l->d);
}

/* Statistics of the attention of `heads` heads, the first of which is `first`, kept to the end of
 * the walk under a name. */
static void observe(struct layer *l, struct tensor *weights, int first, int heads)
{
    struct tensor **list = l->b->statistics[2 * (l->level - 1) + l->block - 1];
    struct tensor *y = op_edge_statistics(l->p, weights, heads, l->level, l->block);
    snprintf(y->name, sizeof y->name, "enc%d/block%d/statistics%d", l->level, l->block, first);
    for (int h = 0; h < heads; h++)
        list[first + h] = plan_window(l->p, y, 0, y->fixed, 2 * h, 2);
}

/* The rest of a head whose values or scores are on edges. */
static void head_of_edges(struct layer *l, int index, struct value v, struct value a)
{
    enum config_heads heads = (enum config_heads)l->b->config->network.heads;
    struct tensor *weights = NULL, *y, *values = on_edges(l, v).edge;
    l->on_edges = true;
    if (heads == HEADS_POOL)
        y = op_max_edges(l->p, values, l->level, l->block);
    else if (heads == HEADS_MEAN)
        y = op_mean_edges(l->p, values, l->level, l->block);
    else
        y = op_attend_edges(l->p, values, on_edges(l, a).edge, l->level, l->block, &weights);
    put_head(l, &l->centres, y, index, l->d);
    bool latent = index == 1 || heads == HEADS_LATENT;
    if (weights)
        build_show(l->b, weights,
                   latent ? "enc%d/block%d/attention_latent" : "enc%d/block%d/attention_geometric",
                   l->level, l->block);
    if (weights && l->b->observe)
        observe(l, weights, latent, 1);
}

/* One head: values f(x), scores g(values). If collapsed, their source parts are kept for one walk
 * over the neighbours for both heads. */
static void head(struct layer *l, int index, const char *f, const char *g, struct value x)
{
    enum config_map_kind kind = kind_of(l, MAP_SCORE);
    bool scores = has_scores(l->b->config), affine = kind == MAP_LINEAR || kind == MAP_BN;
    struct value v = map(l, f, x, l->d, MAP_VALUE), a = {0};
    if (v.edge) /* now, because scores and sums read the same tensor */
        v = on_edges(l, v);
    if (scores && l->fused && kind_of(l, MAP_VALUE) == MAP_BN_RELU)
        fused_score(l, index, g);
    else if (scores && l->fused)
        fused_hidden(l, index, g, v);
    else if (scores && !v.edge && affine && !(l->p->training && kind == MAP_BN))
        a = score(l, g, (struct value){.source = v.source, .first = v.first, .count = v.count});
    else if (scores) /* only then the centre part cancels, as statistics need too */
        a = score(l, g, v);
    if (v.edge || a.edge) {
        head_of_edges(l, index, v, a);
        return;
    }
    l->centred = v.centred;
    v = split(l, v);
    put_head(l, &l->values, v.source, index, l->d);
    put_head(l, &l->centres, v.centre, index, l->d);
    if (a.source)
        put_head(l, &l->scores, a.source, index, l->s);
}

/* The equations above, up to the heads. x, p: centre and source hold features and coordinates. */
static void attend(struct layer *l, struct value x, struct value p)
{
    const struct config *c = l->b->config;
    bool geometric = c->network.heads != HEADS_LATENT, latent = c->network.heads != HEADS_GEOMETRIC;
    bool cross = c->network.cross, need_h = latent || cross, need_g = geometric || cross;
    struct value h = {0}, g = {0};
    int index = 0;
    if (need_h) {
        add_map(l, &h, "f_r", at_centre(l, x), l->d, MAP_INNER);
        add_map(l, &h, "f_rs", difference(l, x), l->d, MAP_INNER);
    }
    if (need_g) {
        add_map(l, &g, "f_p", at_centre(l, p), l->d, MAP_INNER);
        add_map(l, &g, "f_pq", difference(l, p), l->d, MAP_INNER);
        add_map(l, &g, "f_q", at_source(l, p), l->d, MAP_INNER);
        if (cross)
            add_map(l, &g, "f_hg", h, l->d, MAP_INNER);
    }
    if (geometric)
        head(l, index++, "f_gg", "f_gatt", g);
    if (latent) {
        struct value h2 = copy(l, h);
        add_map(l, &h2, "f_s", at_source(l, x), l->d, MAP_INNER);
        if (cross)
            add_map(l, &h2, "f_gh", g, l->d, MAP_INNER);
        head(l, index++, "f_hh", "f_hatt", h2);
    }
}

/* Whether every edge value is a centre part plus a source part. */
static bool separable(const struct config *c)
{
    return !any_map(c, MAP_BN_RELU) && !any_map(c, MAP_MLP);
}

/* In training, values on edges are not kept for backward: they take the memory of one block
 * only. */
static void attend_points(struct layer *l, struct value x, struct value p)
{
    bool edges = l->p->training && !separable(l->b->config);
    if (edges)
        plan_segment_open(l->p);
    attend(l, x, p);
    if (edges)
        plan_segment_close(l->p);
}

/* --- the layer --- */

/* Unit vectors of (x, p), and one row for the constant part after folded norms. */
static struct value basis(struct layer *l, int64_t first, int64_t cols)
{
    const struct config *c = l->b->config;
    bool norms = any_map(c, MAP_BN) || any_map(c, MAP_BN_RELU) || any_map(c, MAP_MLP);
    int64_t constant = norms && !l->p->training;
    return (struct value){op_identity(l->p, l->d + 3 + constant, first, cols, 1),
                          op_identity(l->p, l->d + 3, first, cols, 1),
                          NULL,
                          first,
                          cols,
                          false};
}

/* y = x M[0..d) + p M[d..d+3) (+ M[d+3]) for a chain's matrix M over the basis */
static struct tensor *apply(struct layer *l, struct tensor *m, struct tensor *x, struct tensor *p)
{
    struct tensor *constant = NULL;
    if (m->fixed > l->d + 3)
        constant = plan_window(l->p, m, l->d + 3, 1, 0, m->cols);
    struct tensor *y =
        op_linear(l->p, NULL, p, plan_window(l->p, m, l->d, 3, 0, m->cols), OP_PLAIN);
    return op_linear_affine(l->p, y, x, plan_window(l->p, m, 0, l->d, 0, m->cols), NULL, constant,
                            OP_PLAIN | OP_ONTO);
}

static enum form choose_form(const struct build *b, int level, int block, int64_t d)
{
    const struct config *c = b->config;
    if (c->network.path == PATH_DIRECT || (!separable(c) && (b->trace || b->observe)))
        return FORM_EDGES;
    if (c->network.heads == HEADS_NONE)
        return FORM_POINTS;
    if (!b->plan->training)
        return FORM_BASIS;
    if (!separable(c))
        return FORM_POINTS; /* values with a ReLU come from points */
    int64_t n = b->capacity[ROWS_LEVEL + level];
    int64_t m = block == 1 ? b->capacity[ROWS_LEVEL + level - 1] : n;
    if (any_map(c, MAP_BN)) /* maps and their variances cost 104 d^3 */
        return 10 * m + 16 * n > 104 * d ? FORM_BASIS : FORM_POINTS;
    /* products per source and centre: 8 and 8 d^2 by points, 4 and 3 d^2 with the basis */
    return 4 * m + 5 * n > 15 * d ? FORM_BASIS : FORM_POINTS;
}

/* The sum over neighbours for both heads, if values and scores belong to the source. */
static struct tensor *collect(struct layer *l, struct tensor *x, struct tensor *p)
{
    struct tensor *values = l->values, *scores = l->scores;
    if (l->form == FORM_BASIS) {
        values = apply(l, values, x, p);
        scores = scores ? apply(l, scores, x, p) : NULL;
    }
    if (!scores && l->b->config->network.heads == HEADS_MEAN)
        return op_gather_mean(l->p, values, l->level, l->block);
    if (!scores)
        return op_gather_max(l->p, values, l->level, l->block);
    if (l->b->trace || l->b->observe) { /* of both heads, side by side */
        struct tensor *weights = op_edge_weights(l->p, scores, l->level, l->block);
        build_show(l->b, weights, "enc%d/block%d/attention", l->level, l->block);
        if (l->b->observe)
            observe(l, weights, l->b->config->network.heads == HEADS_LATENT, l->heads);
    }
    return op_attend(l->p, values, scores, l->level, l->block);
}

/* --- inference when the maps have a ReLU: the linear part before the first one is done by basis
 * (value-relu, score-mlp) or by point (bn-relu); nn/fused.c does the rest on tiles of edges --- */

static struct fused fused_start(const struct layer *l)
{
    const struct config *c = l->b->config;
    struct fused f = {
        .level = l->level, .block = l->block, .heads = l->heads, .d = l->d, .s = l->s};
    f.pool = c->network.heads == HEADS_POOL;
    f.mean = c->network.heads == HEADS_MEAN;
    f.cross = c->network.cross;
    f.geometric = c->network.heads != HEADS_LATENT;
    f.latent = c->network.heads != HEADS_GEOMETRIC;
    return f;
}

static struct tensor *fused_done(struct layer *l, struct fused *f)
{
    for (int h = 0; h < l->heads; h++) {
        f->score[h] = l->score_map[h];
        f->hidden[h] = l->score_hidden[h];
    }
    return op_fused(l->p, f);
}

/* ReLU(u_i + u_j) are the values; or, for values at the sources, the scores are made from
 * ReLU(a_i + a_j). */
static struct tensor *fused_collect(struct layer *l, struct tensor *x, struct tensor *xc,
                                    struct tensor *p, struct tensor *pc)
{
    struct fused f = fused_start(l);
    bool mlp = l->hidden[0] != NULL;
    f.centre = apply(l, mlp ? l->hidden[0] : l->centres, xc, pc);
    f.source = apply(l, mlp ? l->hidden[1] : l->values, x, p);
    f.values = mlp ? apply(l, l->values, x, p) : NULL;
    return fused_done(l, &f);
}

/* Column `at` of the points' part of bn-relu. A map with one part gets its shift and ReLU here;
 * with two parts, the shift is added to the centre part, and the ReLU follows on the edges. */
static void point_map(struct layer *l, struct tensor *all, int at, struct tensor *x,
                      const struct fused_map *m, bool whole, bool shift)
{
    struct tensor *y = plan_window(l->p, all, 0, 0, at * l->d, l->d);
    op_linear_affine(l->p, y, x, m->w, NULL, shift ? m->shift : NULL, whole ? OP_RELU : 0);
}

/* bn-relu: every map has its own ReLU, so only the first of each path is done by point. */
static struct tensor *fused_chain(struct layer *l, struct tensor *x, struct tensor *xc,
                                  struct tensor *p, struct tensor *pc)
{
    struct fused f = fused_start(l);
    int index = 0;
    f.chain = true;
    f.centre = plan_tensor(l->p, xc->kind, 0, 4 * l->d);
    f.source = plan_tensor(l->p, x->kind, 0, 4 * l->d);
    if (f.latent || f.cross) {
        struct fused_map r = folded(l, "f_r", l->d, l->d, MAP_INNER),
                         rs = folded(l, "f_rs", l->d, l->d, MAP_INNER);
        point_map(l, f.centre, 0, xc, &r, true, true);
        point_map(l, f.centre, 1, op_scale(l->p, NULL, xc, -1, 0), &rs, false, true);
        point_map(l, f.source, 0, x, &rs, false, false);
    }
    if (f.geometric || f.cross) {
        struct fused_map fp = folded(l, "f_p", l->d, 3, MAP_INNER),
                         pq = folded(l, "f_pq", l->d, 3, MAP_INNER);
        struct fused_map q = folded(l, "f_q", l->d, 3, MAP_INNER);
        point_map(l, f.centre, 2, pc, &fp, true, true);
        point_map(l, f.centre, 3, op_scale(l->p, NULL, pc, -1, 0), &pq, false, true);
        point_map(l, f.source, 1, p, &pq, false, false);
        point_map(l, f.source, 2, p, &q, true, true);
    }
    if (f.cross)
        f.hg = folded(l, "f_hg", l->d, l->d, MAP_INNER);
    if (f.geometric) {
        f.gg = folded(l, "f_gg", l->d, l->d, MAP_VALUE);
        if (has_scores(l->b->config))
            fused_score(l, index++, "f_gatt");
    }
    if (f.latent) {
        struct fused_map s = folded(l, "f_s", l->d, l->d, MAP_INNER);
        point_map(l, f.source, 3, x, &s, true, true);
        if (f.cross)
            f.gh = folded(l, "f_gh", l->d, l->d, MAP_INNER);
        f.hh = folded(l, "f_hh", l->d, l->d, MAP_VALUE);
        if (has_scores(l->b->config))
            fused_score(l, index++, "f_hatt");
    }
    return fused_done(l, &f);
}

/* heads=none, the layer of PointNet++: max over j of ReLU(BN(f_n [x_j ; p_j - p_i])). The centre
 * part is constant in the maximum over neighbours, and the ReLU may follow it. */
static struct tensor *max_of_map(struct layer *l, struct value x, struct value p)
{
    char full[64];
    bool folds = !l->p->training && l->form != FORM_EDGES;
    struct tensor *w = weight(l, name_of(l, full, sizeof full, "f_n"), l->d, l->d + 3);
    struct tensor *scale, *shift = NULL;
    struct norm n = build_norm(l->b, full, l->d, true);
    if (folds) {
        op_norm_fold(l->p, &scale, &shift, &n);
        w = op_scale_rows(l->p, w, scale);
    }
    struct tensor *wp = plan_window(l->p, w, 0, l->d, l->d, 3);
    struct value q = difference(l, p);
    struct value y = linear(l, at_source(l, x), plan_window(l->p, w, 0, l->d, 0, l->d));
    accumulate(l, &y.source, q.source, wp);
    accumulate(l, &y.edge, q.edge, wp);
    if (l->form == FORM_EDGES)
        return op_max_edges(l->p, norm_of_edges(l, y, &n, true).edge, l->level, l->block);
    y.centre = op_linear_affine(l->p, NULL, q.centre, wp, NULL, shift, 0);
    if (l->p->training)
        op_edge_norm(l->p, &y.centre, &y.source, &n, true, l->level, l->block);
    op_add(l->p, y.centre, op_gather_max(l->p, y.source, l->level, l->block));
    return op_relu(l->p, y.centre);
}

struct tensor *layer_attention(struct build *b, int level, int block, struct tensor *x,
                               struct tensor *xc, struct tensor *p, struct tensor *pc)
{
    char name[64];
    const struct config *c = b->config;
    int64_t d = x->cols;
    int heads = c->network.heads == HEADS_GEOMETRIC || c->network.heads == HEADS_LATENT ? 1 : 2;
    struct layer l = {.b = b,
                      .p = b->plan,
                      .level = level,
                      .block = block,
                      .heads = heads,
                      .form = choose_form(b, level, block, d),
                      .d = d,
                      .s = c->network.features_per_head ? d / c->network.features_per_head : 1};
    if (c->network.heads == HEADS_NONE)
        return max_of_map(&l, (struct value){.centre = xc, .source = x},
                          (struct value){.centre = pc, .source = p});
    l.fused = l.form == FORM_BASIS && !separable(c);
    struct tensor *o = NULL, *given = NULL, *scale, *shift;
    if (l.form == FORM_BASIS && b->plan->training && any_map(c, MAP_BN))
        l.moments = op_moments(b->plan, x, xc, p, pc, level, block);
    if (l.fused && config_map_kind(c, MAP_INNER) == MAP_BN_RELU)
        given = fused_chain(&l, x, xc, p, pc);
    else if (l.form == FORM_BASIS)
        attend(&l, basis(&l, 0, d), basis(&l, d, 3));
    else
        attend_points(&l, (struct value){.centre = xc, .source = x},
                      (struct value){.centre = pc, .source = p});

    struct tensor *w = weight(&l, name_of(&l, name, sizeof name, "f_o"), d, heads * d);
    if (!given && l.fused)
        given = fused_collect(&l, x, xc, p, pc);
    else if (!given && !l.on_edges)
        given = collect(&l, x, p);
    if (l.form == FORM_BASIS && (!l.fused || l.hidden[0])) {
        o = apply(&l, op_linear(b->plan, NULL, l.centres, w, 0), xc, pc); /* the centre's part */
    } else if (l.on_edges) {
        given = l.centres;
    } else if (l.form == FORM_POINTS) {
        op_add(b->plan, l.centres, given);
        given = l.centres;
    }
    struct norm n = build_norm(b, name_of(&l, name, sizeof name, ""), d, true);
    int onto = o ? OP_ONTO : 0;
    if (b->plan->training) {
        struct tensor *offset = NULL;
        if (l.form == FORM_BASIS && l.centred)
            offset = op_basis_offset(b->plan, &l.moments, l.values, l.centres, w);
        o = op_linear_affine(b->plan, o, given, w, NULL, offset, onto);
        return op_norm(b->plan, o, &n, true);
    }
    op_norm_fold(b->plan, &scale, &shift, &n);
    return op_linear_affine(b->plan, o, given, w, scale, shift, onto | OP_RELU);
}
