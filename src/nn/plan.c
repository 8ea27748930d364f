/* Building and walking plans: see plan.h; the packing stands in pack.c. */
#include "nn/plan.h"

#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"
#include "nn/pack.h"

#include <string.h>

struct plan *plan_create(bool training)
{
    struct plan *p = memory_alloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->training = training;
    p->broken = (struct tensor){.kind = ROWS_FIXED, .root = &p->broken};
    return p;
}

void plan_free(struct plan *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->ops_count; i++)
        memory_free(p->ops[i]);
    for (int i = 0; i < p->tensors_count; i++)
        memory_free(p->tensors[i]);
    memory_free(p->ops);
    memory_free(p->tensors);
    memory_free(p->block);
    memory_free(p);
}

static struct tensor *new_tensor(struct plan *p)
{
    if (!p->error)
        p->error = array_reserve(&p->tensors, p->tensors_count, 1, sizeof *p->tensors);
    struct tensor *t = p->error ? NULL : memory_alloc(1, sizeof *t);
    if (!t) {
        p->error = p->error ? p->error : GLT_ENOMEM;
        return &p->broken;
    }
    t->root = t;
    p->tensors[p->tensors_count++] = t;
    return t;
}

struct tensor *plan_tensor(struct plan *p, enum rows_kind kind, int64_t fixed, int64_t cols)
{
    struct tensor *t = new_tensor(p);
    t->kind = kind;
    t->fixed = fixed;
    t->cols = t->ld = cols;
    return t;
}

struct tensor *plan_outside(struct plan *p, enum rows_kind kind, int64_t fixed, int64_t cols,
                            real *x, real *dx)
{
    struct tensor *t = plan_tensor(p, kind, fixed, cols);
    t->outside = true;
    t->x = x;
    t->dx = dx;
    t->grad = p->training && dx;
    t->constant = kind == ROWS_FIXED;
    return t;
}

struct tensor *plan_window(struct plan *p, struct tensor *t, int64_t row0, int64_t rows,
                           int64_t col0, int64_t cols)
{
    ASSERT(p->error || (t->kind == ROWS_FIXED ? row0 + rows <= t->fixed : row0 == 0));
    ASSERT(p->error || col0 + cols <= t->cols);
    struct tensor *w = new_tensor(p);
    if (w == &p->broken)
        return w;
    *w = *t;
    w->name[0] = 0;
    w->root = t->root;
    w->fixed = rows;
    w->cols = cols;
    w->row0 = t->row0 + row0;
    w->col0 = t->col0 + col0;
    return w;
}

struct op *plan_op(struct plan *p, const char *kind)
{
    return plan_op_sized(p, kind, sizeof(struct op));
}

struct op *plan_op_sized(struct plan *p, const char *kind, size_t size)
{
    static _Thread_local union { /* what a broken plan's builders write to */
        struct op op;
        unsigned char bytes[2048];
    } nowhere;
    ASSERT(size <= sizeof nowhere);
    if (!p->error)
        p->error = array_reserve(&p->ops, p->ops_count, 1, sizeof *p->ops);
    struct op *op = p->error ? NULL : memory_alloc(1, size);
    if (!op) {
        p->error = p->error ? p->error : GLT_ENOMEM;
        nowhere.op = (struct op){.kind = kind};
        return &nowhere.op;
    }
    op->kind = kind;
    op->index = p->ops_count;
    p->ops[p->ops_count++] = op;
    return op;
}

void plan_op_done(struct plan *p, struct op *op)
{
    if (p->error)
        return;
    bool constant = true, grad = false;
    for (int i = 0; i < OP_IN && op->in[i]; i++) {
        struct tensor *root = op->in[i]->root;
        op->in[i]->constant = root->constant;
        op->in[i]->grad = root->grad;
        constant &= root->constant;
        grad |= root->grad;
    }
    constant &= !op->out[0] || op->out[0]->kind == ROWS_FIXED; /* inputs come with the batch */
    op->constant = constant;
    for (int i = 0; i < OP_OUT && op->out[i]; i++) {
        struct tensor *t = op->out[i];
        t->root->constant = t->constant = constant;
        /* further outputs are what backward remembers */
        if (op->backward && i < (op->grads_out ? op->grads_out : 1))
            t->root->grad = t->grad = t->root->grad || grad;
    }
}

static void bind_addresses(struct plan *p)
{
    for (int i = 0; i < p->tensors_count; i++) {
        struct tensor *t = p->tensors[i], *root = t->root;
        if (t == root && !t->outside) {
            t->x = (real *)(p->block + t->offset);
            t->dx = t->grad ? (real *)(p->block + t->grad_offset) : NULL;
        }
    }
    for (int i = 0; i < p->tensors_count; i++) {
        struct tensor *t = p->tensors[i], *root = t->root;
        if (t == root)
            continue;
        int64_t at = t->row0 * t->ld + t->col0;
        t->x = root->x ? root->x + at : NULL;
        t->dx = root->dx ? root->dx + at : NULL;
    }
}

static void run(struct plan *p, struct op *op, bool backward)
{
    op->scratch = p->block + op->scratch_offset[backward];
    (backward ? op->backward : op->forward)(p, op);
}

int plan_bind(struct plan *p, const int64_t capacity[ROWS_KINDS], bool allocate)
{
    if (p->error)
        return p->error;
    memcpy(p->capacity, capacity, sizeof p->capacity);
    pack_gradients(p);
    TRY(pack(p));
    if (!allocate)
        return 0;
    memory_free(p->block);
    p->block = memory_alloc(p->bytes, 1);
    if (!p->block)
        return GLT_ENOMEM;
    bind_addresses(p);
    for (int i = 0; i < p->ops_count && !p->training; i++)
        if (p->ops[i]->constant)
            run(p, p->ops[i], false);
    return 0;
}

void plan_forward(struct plan *p)
{
    for (int i = 0; i < ROWS_KINDS; i++)
        ASSERT(p->batch.rows[i] <= p->capacity[i]);
    for (int i = 0; i < p->ops_count; i++)
        if (p->training || !p->ops[i]->constant)
            run(p, p->ops[i], false);
}

void plan_backward(struct plan *p)
{
    for (int i = p->ops_count - 1; i >= 0; i--)
        if (op_backs(p->ops[i]))
            run(p, p->ops[i], true);
}

int64_t plan_macs(const struct plan *p, bool backward)
{
    int64_t sum = 0;
    for (int i = 0; i < p->ops_count; i++) {
        const struct op *op = p->ops[i];
        if (!op->macs || (!p->training && op->constant))
            continue;
        int64_t forward = op->macs(p, op);
        bool back = backward && op_backs(op);
        int wanted = back ? op->in[0]->grad + (op->in[1] && op->in[1]->grad) : 0;
        sum += forward * (1 + wanted);
    }
    return sum;
}
