/* Parameters and common parts of the network: see build.h. */
#include "model/build.h"

#include "core/error.h"
#include "nn/plan.h"
#include "nn/running.h"

#include <stdio.h>

static struct tensor *parameter(struct build *b, const char *name, const char *suffix, int64_t rows,
                                int64_t cols, bool vector, enum parameter_init init)
{
    char full[96];
    if (b->plan->error) /* widths of broken tensors are meaningless */
        return &b->plan->broken;
    snprintf(full, sizeof full, "%s.%s", name, suffix);
    struct parameter *p = model_parameter(b->model, full, rows, cols, vector, init);
    if (!p) {
        b->plan->error = GLT_ENOMEM;
        return &b->plan->broken;
    }
    static real nothing; /* while declaring, only the presence of a gradient matters */
    real *x = b->declaring ? &nothing : b->model->block + p->offset;
    real *dx = b->declaring ? &nothing : b->gradient ? b->gradient + p->offset : NULL;
    struct tensor *t = plan_outside(b->plan, ROWS_FIXED, rows, cols, x, p->statistic ? NULL : dx);
    if (p->statistic)
        running_place(b->plan, t);
    return t;
}

struct tensor *build_weight(struct build *b, const char *name, int64_t out, int64_t in,
                            enum parameter_init init)
{
    return parameter(b, name, "weight", out, in, false, init);
}

struct tensor *build_bias(struct build *b, const char *name, int64_t c)
{
    return parameter(b, name, "bias", 1, c, true, INIT_ZERO);
}

struct norm build_norm(struct build *b, const char *name, int64_t c, bool shift)
{
    struct norm n;
    n.scale = parameter(b, name, "bn.weight", 1, c, true, INIT_ONE);
    n.shift = shift ? parameter(b, name, "bn.bias", 1, c, true, INIT_ZERO) : NULL;
    n.mean = parameter(b, name, "bn.running_mean", 1, c, true, INIT_ZERO);
    n.var = parameter(b, name, "bn.running_var", 1, c, true, INIT_ONE);
    return n;
}

struct tensor *build_linear_norm(struct build *b, const char *name, struct tensor *x, int64_t out,
                                 bool relu)
{
    struct plan *p = b->plan;
    struct tensor *w = build_weight(b, name, out, x->cols, INIT_KAIMING), *scale, *shift;
    struct norm n = build_norm(b, name, out, true);
    if (p->training)
        return op_norm(p, op_linear(p, NULL, x, w, 0), &n, relu);
    op_norm_fold(p, &scale, &shift, &n);
    return op_linear_affine(p, NULL, x, w, scale, shift, relu ? OP_RELU : 0);
}

void build_show(struct build *b, struct tensor *t, const char *format, int level, int block)
{
    if (b->trace)
        snprintf(t->root->name, sizeof t->root->name, format, level, block);
}
