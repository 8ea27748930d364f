/* The plan: a flat array of ops, walked up for forward and down for backward.
 *
 * Builders (ops.h) append ops and name tensors; nothing has an address yet. plan_bind measures the
 * life of every value, gradient and scratch area, packs them into one block for a capacity (rows
 * per kind), and from then on executing cannot fail and allocates nothing: any batch that fits the
 * capacity runs. A failed builder leaves its error in the plan, and plan_bind returns it.
 *
 * Ops whose inputs are only parameters are constant: an inference plan runs them once, when bound
 * (weight products, folded norms); a training plan runs them in every step, with gradients. */
#ifndef NN_PLAN_H
#define NN_PLAN_H

#include "core/arena.h"
#include "core/random.h"
#include "kernels/real.h"

#include <stdbool.h>
#include <stdint.h>

/* The meaning of a tensor's rows; a batch determines their number. */
enum rows_kind {
    ROWS_FIXED = -1,  /* of a parameter, or of a product of parameters */
    ROWS_LEVEL = 0,   /* + level 0..4: points */
    ROWS_EDGES = 5,   /* + 2 * (level - 1) + block - 1: neighbour edges */
    ROWS_CLOUDS = 13, /* one per cloud */
    ROWS_KINDS = 14
};

struct tensor {
    char name[48]; /* not empty: kept to the end of the walk, for a trace */
    enum rows_kind kind;
    int64_t fixed; /* rows of ROWS_FIXED */
    int64_t cols, ld;
    real *x, *dx;        /* value and gradient (rows, cols; ld), set by plan_bind or the model */
    struct tensor *root; /* the tensor this is a window of, or itself */
    int64_t row0, col0;  /* of the window */
    bool outside;        /* its memory is in the model or the batch, not in the plan's block */
    bool grad;           /* a gradient is wanted */
    bool constant;       /* depends only on parameters */
    bool bytes4;         /* holds int32_t or float, also in the double build */
    int64_t running;     /* 1 + its position in the plan's record; 0: no statistic (running.h) */
    int life[2], again[2],
        grad_life[2]; /* again: while its segment is recomputed and walked back */
    int segment;      /* the only segment whose ops use it; 0: none, -1: not known yet */
    size_t offset, grad_offset;
};

enum { OP_IN = 20, OP_OUT = 6 };

struct plan;
struct op {
    const char *kind;
    void (*forward)(struct plan *p, struct op *op);
    void (*backward)(struct plan *p, struct op *op); /* NULL: passes no gradient */
    bool sink;                                       /* a loss, where gradients begin */
    struct tensor *in[OP_IN], *out[OP_OUT];
    unsigned need_in, need_out; /* bit i: backward reads the value of in[i], out[i] */
    unsigned add;               /* bit i: the gradient of in[i] is added, not set (plan_bind) */
    bool constant;
    bool dead;        /* training: its outputs do not affect a loss (plan_bind) */
    int grads_out;    /* outputs that carry a gradient; 0: the first */
    int level, block; /* of the lists it walks */
    int index;        /* position in the plan */
    int segment;      /* 0: none */
    int again, back;  /* times of its recomputation and of backward (plan_bind) */
    void *scratch;
    /* bytes of scratch at a capacity, multiply-adds at the present rows; NULL: none */
    size_t (*scratch_bytes)(const struct plan *p, const struct op *op, bool backward);
    int64_t (*macs)(const struct plan *p, const struct op *op);
    size_t scratch_offset[2];
};

/* Neighbour lists of one block, as geometry's struct neighbours. */
struct edge_list {
    const int32_t *start, *index, *tstart, *tindex, *tedge;
};
struct up_list {
    const int32_t *index, *tstart, *tindex;
    const float *weight, *tweight;
};

enum { PLAN_LOSSES = 5 };

/* Everything that changes from batch to batch. */
struct plan_batch {
    int32_t clouds;
    int64_t rows[ROWS_KINDS];
    const float *features;    /* (rows of level 0, channels) */
    const float *xyz[5];      /* (rows of level l, 3) */
    const int32_t *first[5];  /* (clouds + 1) first row of each cloud, per level */
    const int32_t *centre[5]; /* (rows of level l) row in level l - 1; [0] NULL */
    struct edge_list edges[8];
    struct up_list up[4];
    const int32_t *labels[5];   /* per level (rows), -1: ignored; classification: [0] (clouds) */
    const int32_t *class_first; /* (clouds) first class allowed, NULL: all */
    const int32_t *class_count; /* (clouds) */
    const real *class_weight;   /* (classes) or NULL */
    struct random_stream dropout;
};

struct plan {
    bool training;
    struct op **ops;
    int ops_count;
    struct tensor **tensors;
    int tensors_count;
    int error;             /* of the first builder that failed */
    int segments, segment; /* how many, and the open one; 0: none */
    int64_t running;       /* size of a record of statistics */
    double *record;        /* (running) set by the caller: training stores them there */
    struct tensor broken;
    int64_t capacity[ROWS_KINDS];
    size_t bytes; /* of the block */
    unsigned char *block;
    struct plan_batch batch;
    double loss[PLAN_LOSSES], loss_weight[PLAN_LOSSES];
    double bn_momentum, bn_eps, label_smoothing, dropout;
};

struct plan *plan_create(bool training); /* NULL when out of memory */
void plan_free(struct plan *p);          /* accepts NULL */

/* Builders use these; they never return NULL. */
struct tensor *plan_tensor(struct plan *p, enum rows_kind kind, int64_t fixed, int64_t cols);
struct tensor *plan_outside(struct plan *p, enum rows_kind kind, int64_t fixed, int64_t cols,
                            real *x, real *dx);
struct tensor *plan_window(struct plan *p, struct tensor *t, int64_t row0, int64_t rows,
                           int64_t col0, int64_t cols);
/* A zeroed struct op, or a struct of `size` bytes that begins with one: the fields after it are
 * private to the op's file. */
void *plan_op(struct plan *p, const char *kind, size_t size);
/* Between the two, ops belong to a segment: values that only they use are not kept for backward,
 * but recomputed when the walk back reaches them. */
void plan_segment_open(struct plan *p);
void plan_segment_close(struct plan *p);
/* Called when in[] and out[] are set: decides what is constant and what needs a gradient. */
void plan_op_done(struct plan *p, struct op *op);

/* Lays everything out for a capacity; with allocate = false only measures (p->bytes). */
int plan_bind(struct plan *p, const int64_t capacity[ROWS_KINDS], bool allocate);
/* Run p->batch, which must fit the capacity. In a cancelled context, training ends early. */
void plan_forward(struct plan *p);
void plan_backward(struct plan *p);
int64_t plan_macs(const struct plan *p, bool backward);

/* The kind of rows that are the neighbour edges of a block. */
static inline enum rows_kind edge_kind(int level, int block)
{
    return (enum rows_kind)(ROWS_EDGES + 2 * (level - 1) + block - 1);
}

/* The neighbour lists that an op walks. */
static inline const struct edge_list *op_edges(const struct plan *p, const struct op *op)
{
    return &p->batch.edges[edge_kind(op->level, op->block) - ROWS_EDGES];
}

static inline int64_t rows_of(const struct plan *p, const struct tensor *t)
{
    return t->kind == ROWS_FIXED ? t->fixed : p->batch.rows[t->kind];
}

static inline int64_t rows_max(const struct plan *p, const struct tensor *t)
{
    return t->kind == ROWS_FIXED ? t->fixed : p->capacity[t->kind];
}

/* Whether an op takes part in the walk back. */
static inline bool op_backs(const struct op *op)
{
    return op->backward && op->out[0]->grad && !op->dead;
}

static inline bool op_adds(const struct op *op, int i)
{
    return op->add >> i & 1;
}

/* The op's scratch area as an arena; its size was measured by scratch_bytes. */
static inline struct arena plan_scratch(const struct op *op)
{
    return (struct arena){op->scratch, SIZE_MAX, 0, 0};
}

/* Rows of a chunk of work on rows of c reals; independent of the threads. */
static inline int64_t plan_grain(int64_t c)
{
    int64_t rows = 16384 / (c > 0 ? c : 1);
    return rows < 16 ? 16 : rows;
}

#endif
