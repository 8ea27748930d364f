/* Shards of a list of files: see shard.h. */
#include "task/shard.h"

#include "core/call.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

/* Cost of any file, in bytes: opening it, and small tiles. */
static const int64_t OVERHEAD = 1 << 16;

static int largest_first(const void *a, const void *b)
{
    const struct shard_file *x = *(const struct shard_file *const *)a;
    const struct shard_file *y = *(const struct shard_file *const *)b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes)
                                : strcmp(x->name, y->name);
}

/* A heap of shards: heap[0] has the fewest bytes, the first of equal ones. */
static bool is_before(const int64_t *load, int32_t a, int32_t b)
{
    return load[a] != load[b] ? load[a] < load[b] : a < b;
}

static void sink_first(int32_t *heap, int32_t n, const int64_t *load)
{
    for (int32_t at = 0, next; (next = 2 * at + 1) < n; at = next) {
        if (next + 1 < n && is_before(load, heap[next + 1], heap[next]))
            next++;
        if (is_before(load, heap[at], heap[next]))
            return;
        int32_t other = heap[at];
        heap[at] = heap[next];
        heap[next] = other;
    }
}

static int deal(int32_t *owner, struct call *call, const struct shard_file *files, int32_t n,
                int32_t shards)
{
    const struct shard_file **order = call_alloc(call, (size_t)n, sizeof *order);
    int64_t *load = call_alloc(call, (size_t)shards, sizeof *load);
    int32_t *heap = call_alloc(call, (size_t)shards, sizeof *heap);
    if (!order || !load || !heap)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        order[i] = &files[i];
    for (int32_t i = 0; i < shards; i++)
        heap[i] = i; /* all are empty, so the order is valid */
    qsort(order, (size_t)n, sizeof *order, largest_first);
    for (int32_t i = 0; i < n; i++) {
        owner[order[i] - files] = heap[0];
        load[heap[0]] += order[i]->bytes + OVERHEAD;
        sink_first(heap, shards, load);
    }
    return 0;
}

int shard_files(int32_t *owner, const struct shard_file *files, int32_t n, int32_t shards)
{
    struct call call = {0};
    int code = deal(owner, &call, files, n, shards);
    call_free(&call);
    return code;
}
