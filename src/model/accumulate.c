/* The tree of gradients: see accumulate.h. */
#include "model/accumulate.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "kernels/kernels.h"

#include <stdbool.h>
#include <string.h>

enum { GRAIN = 1 << 14 }; /* reals of a chunk: all partial sums of it stay in the cache */

/* --- the shape of the tree --- */

/* Whether the last two nodes are children of one node. */
static bool are_siblings(const struct accumulate_node *nodes, int n)
{
    return n > 1 && nodes[n - 1].level == nodes[n - 2].level && nodes[n - 1].index % 2 == 1 &&
           nodes[n - 2].index == nodes[n - 1].index - 1;
}

/* Replaces the last two nodes by their parent. */
static void join(struct accumulate_node *nodes, int *n)
{
    --*n;
    nodes[*n - 1].level++;
    nodes[*n - 1].index /= 2;
}

int accumulate_list(struct accumulate_node nodes[ACCUMULATE_NODES + 1], int32_t first, int32_t end)
{
    int n = 0;
    for (int32_t i = first; i < end; i++) {
        nodes[n++] = (struct accumulate_node){.index = i};
        while (are_siblings(nodes, n))
            join(nodes, &n);
        ASSERT(n <= ACCUMULATE_NODES);
    }
    return n;
}

int accumulate_buffers(int32_t first, int32_t end)
{
    struct accumulate_node nodes[ACCUMULATE_NODES + 1];
    int max = 0;
    for (int32_t i = first + 1; i < end; i++) { /* before leaf i is computed */
        int n = accumulate_list(nodes, first, i);
        max = n > max ? n : max;
    }
    return max;
}

/* --- the leaves of one process --- */

int accumulate_create(struct accumulate *a, real *leaf, int64_t size, int32_t first, int32_t end)
{
    struct accumulate x = {.size = size, .leaf = leaf, .buffers = accumulate_buffers(first, end)};
    x.block = memory_alloc((size_t)x.buffers * (size_t)size, sizeof(real));
    if (!x.block)
        return GLT_ENOMEM;
    *a = x;
    return 0;
}

void accumulate_free(struct accumulate *a)
{
    memory_free(a->block);
    *a = (struct accumulate){0};
}

void accumulate_begin(struct accumulate *a)
{
    a->n = 0;
}

struct sum {
    real *to;
    const real *from;
};

static void add_chunk(void *user, int64_t begin, int64_t end)
{
    const struct sum *s = user;
    kernels()->add(s->to + begin, s->from + begin, end - begin);
}

/* Node number i of the stack is in buffer i, except a last one that is the leaf itself. */
void accumulate_keep(struct accumulate *a)
{
    if (a->n == 0 || a->nodes[a->n - 1].sum != a->leaf)
        return;
    struct accumulate_node *last = &a->nodes[a->n - 1];
    ASSERT(a->n <= a->buffers);
    last->sum = a->block + (a->n - 1) * a->size;
    memcpy(last->sum, a->leaf, (size_t)a->size * sizeof *a->leaf);
}

void accumulate_add(struct accumulate *a, int32_t index)
{
    a->nodes[a->n++] = (struct accumulate_node){.index = index, .sum = a->leaf};
    while (are_siblings(a->nodes, a->n)) {
        struct sum s = {a->nodes[a->n - 2].sum, a->nodes[a->n - 1].sum};
        parallel_for(a->size, GRAIN, add_chunk, &s);
        join(a->nodes, &a->n);
    }
}

/* --- all partial sums --- */

struct fold {
    real *out;
    const struct accumulate_node *nodes;
    int n;
    real scale;
};

static void fold_chunk(void *user, int64_t begin, int64_t end)
{
    const struct fold *f = user;
    struct accumulate_node stack[ACCUMULATE_NODES + 1];
    int n = 0;
    for (int i = 0; i < f->n; i++) {
        ASSERT(n <= ACCUMULATE_NODES);
        stack[n++] = f->nodes[i];
        while (are_siblings(stack, n)) {
            kernels()->add(stack[n - 2].sum + begin, stack[n - 1].sum + begin, end - begin);
            join(stack, &n);
        }
    }
    for (; n > 1; n--)
        kernels()->add(stack[n - 2].sum + begin, stack[n - 1].sum + begin, end - begin);
    for (int64_t i = begin; i < end; i++)
        f->out[i] = n ? stack[0].sum[i] * f->scale : 0;
}

void accumulate_fold(real *out, struct accumulate_node *nodes, int n, int64_t size, double scale)
{
    struct fold f = {out, nodes, n, (real)scale};
    parallel_for(size, GRAIN, fold_chunk, &f);
}
