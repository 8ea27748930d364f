/* The network, stage by stage, as in docs/network.md (sections 1, 3 and 5). */
#include "model/network.h"

#include "cloud/classes.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "geometry/lists.h"
#include "geometry/pyramid.h"
#include "model/build.h"
#include "model/layer.h"

#include <stdio.h>
#include <string.h>

/* Section 3: x = ReLU(BN(W1 f)); y = ReLU(BN(GeLatto(x, p))); out = ReLU(BN(W2 y) + shortcut).
 * Block 1 moves from level - 1 to level; its shortcut is the maximum over its own neighbours. */
static struct tensor *residual_block(struct build *b, int level, int block, struct tensor *f)
{
    struct plan *p = b->plan;
    char name[48];
    int64_t c = b->config->network.width[level - 1], d = config_inner(b->config, level - 1);
    struct tensor *pc = b->xyz[level], *ps = block == 1 ? b->xyz[level - 1] : pc;

    snprintf(name, sizeof name, "enc%d.block%d.in", level, block);
    struct tensor *x = build_linear_norm(b, name, f, d, true);
    struct tensor *xc = block == 1 ? op_centres(p, x, level) : x;
    struct tensor *y = layer_attention(b, level, block, x, xc, ps, pc);

    snprintf(name, sizeof name, "enc%d.block%d.out", level, block);
    struct tensor *w2 = build_weight(b, name, c, d, INIT_KAIMING);
    struct norm n2 = build_norm(b, name, c, true), ns;
    struct tensor *s = block == 1 ? op_gather_max(p, f, level, 1) : f, *ws = NULL;
    if (block == 1 || !config_identity2(b->config)) {
        snprintf(name, sizeof name, "enc%d.block%d.shortcut", level, block);
        ws = build_weight(b, name, c, s->cols, INIT_KAIMING);
        ns = build_norm(b, name, c, true);
    }
    struct tensor *out;
    if (p->training) {
        struct tensor *z = op_linear(p, NULL, y, w2, 0);
        out = op_norm_join(p, z, &n2, ws ? op_linear(p, NULL, s, ws, 0) : s, ws ? &ns : NULL);
    } else {
        struct tensor *scale, *shift;
        if (ws) {
            op_norm_fold(p, &scale, &shift, &ns);
            s = op_linear_affine(p, NULL, s, ws, scale, shift, 0);
        } else {
            s = op_scale(p, NULL, s, 1, 0);
        }
        op_norm_fold(p, &scale, &shift, &n2);
        out =
            op_linear_affine(p, s, y, op_scale_rows(p, w2, scale), NULL, shift, OP_ONTO | OP_RELU);
    }
    build_show(b, out, "enc%d/block%d/out", level, block);
    return out;
}

/* Up from level to level - 1: two layers on [interpolated ; skip]. Interpolation is linear, so the
 * first layer's half for the interpolated features is applied before it, on fewer points. */
static struct tensor *decoder_stage(struct build *b, int level, struct tensor *coarse,
                                    struct tensor *skip)
{
    struct plan *p = b->plan;
    char name[16];
    const int32_t *width = b->config->network.decoder + 2 * (4 - level);
    snprintf(name, sizeof name, "dec%d.0", level);
    struct tensor *w = build_weight(b, name, width[0], coarse->cols + skip->cols, INIT_KAIMING);
    struct tensor *wa = plan_window(p, w, 0, width[0], 0, coarse->cols);
    struct tensor *wb = plan_window(p, w, 0, width[0], coarse->cols, skip->cols);
    struct norm n = build_norm(b, name, width[0], true);
    struct tensor *y = op_interpolate(p, NULL, op_linear(p, NULL, coarse, wa, 0), level - 1, 0);
    if (p->training) {
        y = op_norm(p, op_linear(p, y, skip, wb, OP_ONTO), &n, true);
    } else {
        struct tensor *scale, *shift;
        op_norm_fold(p, &scale, &shift, &n);
        op_linear_affine(p, y, skip, wb, scale, shift, OP_ONTO | OP_RELU);
    }
    snprintf(name, sizeof name, "dec%d.1", level);
    y = build_linear_norm(b, name, y, width[1], true);
    build_show(b, y, "dec%d/out", level, 0);
    return y;
}

/* Linear, norm, ReLU, dropout, linear with bias. */
static struct tensor *head(struct build *b, const char *which, struct tensor *x, int lane)
{
    char name[24];
    bool classify = b->config->task == TASK_CLASSIFY;
    int64_t width = classify ? b->config->network.cls_hidden : b->config->network.head_hidden;
    snprintf(name, sizeof name, "%s.hidden", which);
    struct tensor *hidden;
    if (classify && b->config->network.cls_norm == CLS_NORM_BIAS) {
        struct tensor *w = build_weight(b, name, width, x->cols, INIT_KAIMING);
        struct tensor *bias = build_bias(b, name, width);
        hidden = op_linear_affine(b->plan, NULL, x, w, NULL, bias, b->plan->training ? 0 : OP_RELU);
        if (b->plan->training)
            hidden = op_relu(b->plan, hidden);
    } else {
        hidden = build_linear_norm(b, name, x, width, true);
    }
    hidden = op_dropout(b->plan, hidden, lane);
    snprintf(name, sizeof name, "%s.logits", which);
    struct tensor *w = build_weight(b, name, b->model->classes.n, width, INIT_UNIFORM);
    struct tensor *y = op_linear_affine(b->plan, NULL, hidden, w, NULL,
                                        build_bias(b, name, b->model->classes.n), 0);
    snprintf(y->name, sizeof y->name, "out/%s", classify ? "main" : which);
    return y;
}

static void auxiliary(struct build *b, struct network *n, int which, struct tensor *x, int level)
{
    static const char *const names[] = {"", "aux1", "aux2", "aux3", "aux4"};
    n->aux[which - 1] = head(b, names[which], x, which);
    if (b->plan->training)
        op_loss(b->plan, n->aux[which - 1], level, which);
}

static void build_network(struct build *b, struct network *n, bool aux)
{
    struct plan *p = b->plan;
    const struct config *c = b->config;
    struct tensor *f[5];
    for (int l = 0; l <= PYRAMID_LEVELS; l++)
        b->xyz[l] = op_input(p, l, 0);
    f[0] = build_linear_norm(b, "stem", op_input(p, 0, b->model->channels), c->network.stem, true);
    build_show(b, f[0], "stem", 0, 0);
    for (int l = 1; l <= PYRAMID_LEVELS; l++)
        f[l] = residual_block(b, l, 2, residual_block(b, l, 1, f[l - 1]));

    if (c->task == TASK_CLASSIFY) {
        struct tensor *pooled = op_mean_rows(p, f[4], 4);
        build_show(b, pooled, "pooled", 0, 0);
        n->main = head(b, "cls", pooled, 0);
        if (p->training)
            op_loss(p, n->main, 0, 0);
        return;
    }
    struct tensor *y = f[4];
    for (int l = PYRAMID_LEVELS; l >= 1; l--) {
        if (aux)
            auxiliary(b, n, 5 - l, y, l);
        y = decoder_stage(b, l, y, f[l - 1]);
    }
    if (b->features)
        snprintf(y->root->name, sizeof y->root->name, "dec1/out");
    n->main = head(b, "main", y, 0);
    if (p->training)
        op_loss(p, n->main, 0, 0);
}

/* Rows and edges of a batch are numbered by int32_t. */
static int set_capacity(struct build *b, int32_t batch, int32_t points)
{
    const struct config *c = b->config;
    int64_t rows = points;
    b->capacity[ROWS_CLOUDS] = batch;
    b->capacity[ROWS_LEVEL] = rows * batch;
    if (3 * rows * batch > INT32_MAX) /* taps of the up-sampling */
        return error_topic(error_set(GLT_ELIMIT,
                                     "%d clouds of %d points are too many for one batch", batch,
                                     points),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        int64_t candidates = rows;
        rows = rows < c->network.levels[l] ? rows : c->network.levels[l];
        b->capacity[ROWS_LEVEL + l + 1] = rows * batch;
        bool pad = c->network.underfull == UNDERFULL_PAD;
        for (int k = 0; k < 2; k++) {
            int64_t limit = k == 0 ? candidates : rows;
            int64_t slots = config_k(c, l, k), degree = pad || slots < limit ? slots : limit;
            b->capacity[ROWS_EDGES + 2 * l + k] = rows * batch * degree;
            if (rows * batch > INT32_MAX / degree)
                return error_topic(
                    error_set(GLT_ELIMIT,
                              "%d clouds of %d points have more than %d rows or edges: use fewer, "
                              "or a smaller k",
                              batch, points, INT32_MAX),
                    GLT_TOPIC_SIZE_LIMIT, NULL);
        }
    }
    return 0;
}

int network_create(struct network *out, struct model *m, const struct network_options *o,
                   bool allocate)
{
    struct network n = {.model = m, .plan = plan_create(o->training)};
    if (!n.plan)
        return GLT_ENOMEM;
    struct build b = {.plan = n.plan,
                      .model = m,
                      .config = &m->config,
                      .gradient = o->training ? o->gradient : NULL,
                      .declaring = !m->block,
                      .trace = o->trace,
                      .features = o->features,
                      .observe = o->observe};
    n.plan->bn_momentum = m->config.training.bn_momentum;
    n.plan->bn_eps = m->config.network.bn_eps;
    n.plan->dropout = m->config.training.dropout;
    n.plan->label_smoothing = m->config.training.label_smoothing;
    n.plan->loss_weight[0] = 1;
    for (int i = 0; i < 4; i++)
        n.plan->loss_weight[1 + i] = m->config.training.aux[i];
    int code = set_capacity(&b, o->batch, o->points);
    if (code == 0) {
        build_network(&b, &n, o->aux || o->training);
        code = m->block ? plan_bind(n.plan, b.capacity, allocate) : n.plan->error;
    }
    memcpy(n.statistics, b.statistics, sizeof n.statistics);
    if (code < 0)
        network_free(&n);
    else
        *out = n;
    return code;
}

int network_declare(struct model *m)
{
    struct network n;
    struct network_options o = {.training = true, .batch = 1, .points = 1};
    TRY(network_create(&n, m, &o, false));
    network_free(&n);
    return 0;
}

void network_free(struct network *n)
{
    plan_free(n->plan);
    *n = (struct network){0};
}

void network_batch(struct network *n, const struct batch *batch)
{
    const struct pyramid *y = &batch->pyramid;
    struct plan_batch *b = &n->plan->batch;
    memset(b, 0, sizeof *b);
    b->clouds = y->clouds;
    b->rows[ROWS_CLOUDS] = y->clouds;
    b->features = batch->features;
    for (int l = 0; l <= PYRAMID_LEVELS; l++) {
        b->rows[ROWS_LEVEL + l] = y->n[l];
        b->first[l] = y->first[l];
        b->centre[l] = y->centre[l];
        b->xyz[l] = y->level_xyz[l];
    }
    for (int i = 0; i < 2 * PYRAMID_LEVELS; i++) {
        const struct neighbours *e = &y->block[i / 2][i % 2];
        b->edges[i] = (struct edge_list){e->start, e->index, e->tstart, e->tindex, e->tedge};
        b->rows[ROWS_EDGES + i] = e->start[e->centres];
    }
    for (int i = 0; i < PYRAMID_LEVELS; i++) {
        const struct upsampling *u = &y->up[i];
        b->up[i] = (struct up_list){u->index, u->tstart, u->tindex, u->weight, u->tweight};
    }
}
