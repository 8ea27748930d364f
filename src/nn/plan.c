/* Building, packing and walking plans: see plan.h. */
#include "nn/plan.h"

#include "core/array.h"
#include "core/context.h"
#include "core/error.h"
#include "core/memory.h"

#include <limits.h>
#include <stdlib.h>
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

/* Memory for one more pointer after `count`, and for its target; NULL: the plan is broken. */
static void *grow(struct plan *p, void *list, int count, size_t size)
{
    void *item = NULL;
    if (!p->error)
        p->error = array_reserve(list, count, 1, sizeof(void *));
    if (!p->error && !(item = memory_alloc(1, size)))
        p->error = GLT_ENOMEM;
    return item;
}

static struct tensor *new_tensor(struct plan *p)
{
    struct tensor *t = grow(p, &p->tensors, p->tensors_count, sizeof *t);
    if (!t)
        return &p->broken;
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
    w->running = 0;
    w->root = t->root;
    w->fixed = rows;
    w->cols = cols;
    w->row0 = t->row0 + row0;
    w->col0 = t->col0 + col0;
    return w;
}

void *plan_op(struct plan *p, const char *kind, size_t size)
{
    static _Thread_local union { /* the target of a broken plan's builders */
        struct op op;
        unsigned char bytes[2048];
    } nowhere;
    ASSERT(size <= sizeof nowhere);
    struct op *op = grow(p, &p->ops, p->ops_count, size);
    if (!op) {
        nowhere.op = (struct op){.kind = kind};
        return &nowhere;
    }
    op->kind = kind;
    op->index = p->ops_count;
    op->segment = p->segment;
    p->ops[p->ops_count++] = op;
    return op;
}

void plan_segment_open(struct plan *p)
{
    ASSERT(p->training && !p->segment);
    p->segment = ++p->segments;
}

void plan_segment_close(struct plan *p)
{
    p->segment = 0;
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
    constant &= !op->out[0] || op->out[0]->kind == ROWS_FIXED; /* not inputs of a batch */
    op->constant = constant;
    for (int i = 0; i < OP_OUT && op->out[i]; i++) {
        struct tensor *t = op->out[i];
        t->root->constant = t->constant = constant;
        /* further outputs are kept for backward */
        if (op->backward && i < (op->grads_out ? op->grads_out : 1))
            t->root->grad = t->grad = t->root->grad || grad;
    }
}

/* --- packing ---------------------------------------------------------------------------------- */

/* Time runs over the constant ops of an inference plan (they run once, before all), then the ops
 * forward, then backward, where a segment is first recomputed. Two areas may share bytes if their
 * lives do not overlap; each is put at the lowest address that is free during its life, largest
 * first. */

static int forward_time(const struct plan *p, const struct op *op)
{
    return !p->training && op->constant ? op->index - p->ops_count : op->index;
}

/* The first op of the segment that ends with ops[i]; i + 1 if none does. */
static int segment_start(const struct plan *p, int i)
{
    int segment = p->ops[i]->segment, first = i + 1;
    if (segment == 0 || (i + 1 < p->ops_count && p->ops[i + 1]->segment == segment))
        return first;
    while (first > 0 && p->ops[first - 1]->segment == segment)
        first--;
    return first;
}

/* Numbers the steps of the walk back; returns the time of the end. */
static int set_times(struct plan *p)
{
    int time = p->ops_count;
    for (int i = p->ops_count - 1; i >= 0; i--) {
        for (int k = segment_start(p, i); k <= i; k++)
            p->ops[k]->again = time++;
        p->ops[i]->back = time++;
    }
    return time;
}

static void live(int life[2], int time)
{
    if (life[0] > time)
        life[0] = time;
    if (life[1] < time)
        life[1] = time;
}

static bool overlap(const struct tensor *a, const struct tensor *b)
{
    bool rows =
        a->kind != ROWS_FIXED || (a->row0 < b->row0 + b->fixed && b->row0 < a->row0 + a->fixed);
    return rows && a->col0 < b->col0 + b->cols && b->col0 < a->col0 + a->cols;
}

static bool inside(const struct tensor *a, const struct tensor *b)
{
    bool rows =
        a->kind != ROWS_FIXED || (a->row0 >= b->row0 && a->row0 + a->fixed <= b->row0 + b->fixed);
    return rows && a->col0 >= b->col0 && a->col0 + a->cols <= b->col0 + b->cols;
}

/* Whether (a part of) the gradient of input t was written by an op after `op`, or by an earlier
 * input of the same op. A window must be inside the written part or outside it. */
static bool written(const struct plan *p, const struct op *op, int input, const struct tensor *t)
{
    for (int i = p->ops_count - 1; i >= op->index; i--) {
        const struct op *other = p->ops[i];
        if (!op_backs(other))
            continue;
        for (int k = 0; k < OP_IN && other->in[k] && (other != op || k < input); k++) {
            const struct tensor *u = other->in[k];
            if (!u->grad || u->root != t->root || !overlap(t, u))
                continue;
            ASSERT(inside(t, u));
            return true;
        }
    }
    return false;
}

/* Whether a later op passes a gradient to one of its outputs. */
static bool wanted(const struct plan *p, const struct op *op)
{
    for (int i = p->ops_count - 1; i > op->index; i--)
        for (int k = 0; k < OP_IN && p->ops[i]->in[k] && op_backs(p->ops[i]); k++)
            for (int o = 0; o < OP_OUT && op->out[o]; o++)
                if (p->ops[i]->in[k]->root == op->out[o]->root)
                    return true;
    return op->sink;
}

/* Marks, for every op and input, whether its gradient is written first (set) or added. */
static void mark_gradients(struct plan *p)
{
    for (int i = p->ops_count - 1; i >= 0; i--)
        p->ops[i]->dead = p->training && !wanted(p, p->ops[i]);
    for (int i = 0; i < p->ops_count; i++) {
        struct op *op = p->ops[i];
        op->add = 0;
        if (!op_backs(op))
            continue;
        for (int k = 0; k < OP_IN && op->in[k]; k++)
            if (op->in[k]->grad && written(p, op, k, op->in[k]))
                op->add |= 1u << k;
    }
}

/* Finds the tensors that only the ops of one segment use. */
static void find_owners(struct plan *p)
{
    for (int i = 0; i < p->tensors_count; i++)
        p->tensors[i]->segment = -1;
    for (int i = 0; i < p->ops_count; i++) {
        const struct op *op = p->ops[i];
        for (int k = 0; k < OP_IN + OP_OUT; k++) {
            struct tensor *t = k < OP_IN ? op->in[k] : op->out[k - OP_IN];
            if (!t)
                continue;
            bool own = t->root->segment < 0 || t->root->segment == op->segment;
            t->root->segment = own && !t->root->name[0] ? op->segment : 0;
        }
    }
}

/* Extends the life of a value that is used at `time` of the walk back. */
static void live_again(struct tensor *root, int time)
{
    live(root->segment > 0 ? root->again : root->life, time);
}

static void find_lives(struct plan *p)
{
    int end = set_times(p);
    find_owners(p);
    for (int i = 0; i < p->tensors_count; i++) {
        struct tensor *t = p->tensors[i];
        t->life[0] = t->again[0] = t->grad_life[0] = INT_MAX;
        t->life[1] = t->again[1] = t->grad_life[1] = INT_MIN;
    }
    for (int i = 0; i < p->ops_count; i++) {
        struct op *op = p->ops[i];
        int now = forward_time(p, op), back = op->back;
        bool backward = op_backs(op);
        for (int k = 0; k < OP_IN && op->in[k]; k++) {
            struct tensor *root = op->in[k]->root;
            bool kept = root->constant && !p->training && !op->constant;
            live(root->life, kept ? end : now);
            if (op->segment)
                live_again(root, op->again);
            if (backward && (op->need_in >> k & 1))
                live_again(root, back);
            if (backward && root->grad)
                live(root->grad_life, back);
        }
        for (int k = 0; k < OP_OUT && op->out[k]; k++) {
            struct tensor *root = op->out[k]->root;
            live(root->life, now);
            if (op->segment)
                live_again(root, op->again);
            if (backward && (op->need_out >> k & 1))
                live_again(root, back);
            if (backward && root->grad)
                live(root->grad_life, back);
            if (root->name[0])
                live(root->life, end); /* traces and results are read after the walk */
        }
    }
}

struct area {
    size_t bytes;
    int life[2], again[2];
    size_t *offset;
    int order;
};

static int larger_first(const void *a, const void *b)
{
    const struct area *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->order - y->order;
}

static size_t tensor_bytes(const struct plan *p, const struct tensor *t)
{
    size_t size = t->bytes4 ? 4 : sizeof(real);
    size_t bytes = (size_t)rows_max(p, t) * (size_t)t->ld * size;
    return (bytes + 63) / 64 * 64;
}

static int list_areas(struct plan *p, struct area *areas)
{
    int n = 0;
    for (int i = 0; i < p->tensors_count; i++) {
        struct tensor *t = p->tensors[i];
        if (t != t->root || t->outside)
            continue;
        if (t->life[1] >= t->life[0]) {
            areas[n] = (struct area){tensor_bytes(p, t),
                                     {t->life[0], t->life[1]},
                                     {t->again[0], t->again[1]},
                                     &t->offset,
                                     n};
            n++;
        }
        if (t->grad && t->grad_life[1] >= t->grad_life[0]) {
            areas[n] = (struct area){tensor_bytes(p, t),
                                     {t->grad_life[0], t->grad_life[1]},
                                     {INT_MAX, INT_MIN},
                                     &t->grad_offset,
                                     n};
            n++;
        }
    }
    for (int i = 0; i < p->ops_count; i++) {
        struct op *op = p->ops[i];
        for (int b = 0; b < 2 && op->scratch_bytes; b++) {
            if (b && !op_backs(op))
                continue;
            size_t bytes = (op->scratch_bytes(p, op, b) + 63) / 64 * 64;
            int time = b ? op->back : forward_time(p, op);
            int again = op->segment && !b ? op->again : time;
            areas[n] =
                (struct area){bytes, {time, time}, {again, again}, &op->scratch_offset[b], n};
            n++;
        }
    }
    return n;
}

static bool cross(const int a[2], const int b[2])
{
    return a[0] <= b[1] && b[0] <= a[1];
}

static bool meet(const struct area *a, const struct area *b)
{
    return cross(a->life, b->life) || cross(a->again, b->life) || cross(a->life, b->again) ||
           cross(a->again, b->again);
}

/* The lowest offset at which areas[i] overlaps none of those placed before it. */
static size_t place(const struct area *areas, int i)
{
    size_t at = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int j = 0; j < i; j++) {
            size_t from = *areas[j].offset, to = from + areas[j].bytes;
            if (meet(&areas[i], &areas[j]) && at < to && from < at + areas[i].bytes) {
                at = to;
                moved = true;
            }
        }
    }
    return at;
}

/* Finds the life of every value, gradient and scratch area and places them in one block. */
static int pack(struct plan *p)
{
    find_lives(p);
    struct area *areas =
        memory_alloc((size_t)(2 * p->tensors_count + 2 * p->ops_count + 1), sizeof *areas);
    if (!areas)
        return GLT_ENOMEM;
    int n = list_areas(p, areas);
    qsort(areas, (size_t)n, sizeof *areas, larger_first);
    size_t top = 64;
    for (int i = 0; i < n; i++) {
        *areas[i].offset = place(areas, i);
        if (*areas[i].offset + areas[i].bytes > top)
            top = *areas[i].offset + areas[i].bytes;
    }
    p->bytes = top;
    memory_free(areas);
    return 0;
}

/* --- binding and walking ---------------------------------------------------------------------- */

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
    mark_gradients(p);
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

/* A cancelled training step ends early: its caller discards the results. */
static bool abandoned(const struct plan *p)
{
    return p->training && context_cancelled();
}

void plan_forward(struct plan *p)
{
    for (int i = 0; i < ROWS_KINDS; i++)
        ASSERT(p->batch.rows[i] <= p->capacity[i]);
    for (int i = 0; i < p->ops_count && !abandoned(p); i++)
        if (p->training || !p->ops[i]->constant)
            run(p, p->ops[i], false);
}

void plan_backward(struct plan *p)
{
    for (int i = p->ops_count - 1; i >= 0 && !abandoned(p); i--) {
        for (int k = segment_start(p, i); k <= i; k++)
            run(p, p->ops[k], false);
        if (op_backs(p->ops[i]))
            run(p, p->ops[i], true);
    }
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
        sum += forward * (1 + wanted + (backward && op->segment));
    }
    return sum;
}
