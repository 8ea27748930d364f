/* Correlation of attention with distance, from traces.
 *
 * Spearman's rank correlation of a centre i between w_ij and |p_j - p_i| over its neighbours j is
 * Pearson's of their ranks, ties getting the mean of theirs. Ranks are kept doubled and counted
 * from 0, so that they and all sums over them are whole numbers. A centre whose weights or
 * distances are all equal has no correlation and is left out. A padded list repeats a neighbour: it
 * is one with all of their weight. */
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/parallel.h"
#include "kernels/attention_statistics.h"
#include "model/trace_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 4, GRAIN = 16 }; /* neighbours a centre must have; centres of a chunk */

struct ranked {
    float value;
    int32_t at;
};

struct head {
    const struct trace_file *trace;
    const struct trace_block *block;
    const float *weight; /* (edges, channels) */
    int64_t channels;
    float *value;              /* (edges) values to rank */
    int32_t *near, *rank;      /* (edges) of distances, of weights */
    struct ranked *sorted;     /* (edges) */
    double *mean, *by_channel; /* (centres) correlations, NaN for none */
};

static int compare_values(const void *a, const void *b)
{
    float x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

/* Twice the rank of each of n values: each smaller value counts two, each other equal one
 * counts one. */
static void rank_values(int32_t *rank, struct ranked *sorted, const float *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        sorted[i] = (struct ranked){x[i], i};
    qsort(sorted, (size_t)n, sizeof *sorted, compare_values);
    for (int32_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && !(sorted[end].value > sorted[first].value);)
            end++;
        for (int32_t i = first; i < end; i++)
            rank[sorted[i].at] = first + end - 1;
    }
}

/* Doubled ranks from 0 have the mean n - 1. NaN if all ranks of one side are equal. */
static double correlate(const int32_t *a, const int32_t *b, int32_t n)
{
    int64_t ab = 0, aa = 0, bb = 0;
    for (int32_t i = 0; i < n; i++) {
        int64_t x = a[i] - (n - 1), y = b[i] - (n - 1);
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    return aa && bb ? (double)ab / sqrt((double)aa * (double)bb) : NAN;
}

/* The end of the edges from e on to the same neighbour of a centre, whose last edge is end - 1. */
static int32_t neighbour_end(const struct head *h, int32_t e, int32_t end)
{
    return (int32_t)attention_statistics_repeats(h->block->index, e, end);
}

/* Returns the number of neighbours. */
static int32_t rank_distances(const struct head *h, int32_t centre)
{
    int32_t begin = h->block->start[centre], end = h->block->start[centre + 1], n = 0;
    const float *p = h->trace->xyz + 3 * (int64_t)centre;
    for (int32_t e = begin; e < end; e = neighbour_end(h, e, end)) {
        const float *q = h->trace->xyz + 3 * (int64_t)h->block->index[e];
        float x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
        h->value[begin + n++] = (x * x + y * y) + z * z; /* has the same ranks as its root */
    }
    rank_values(h->near + begin, h->sorted + begin, h->value + begin, n);
    return n;
}

/* Adds up the values of the edges to each neighbour, in place. */
static void add_repeats(const struct head *h, int32_t begin, int32_t end)
{
    for (int32_t e = begin, to = begin, next; e < end; e = next, to++) {
        next = neighbour_end(h, e, end);
        float sum = h->value[e];
        for (int32_t i = e + 1; i < next; i++)
            sum += h->value[i];
        h->value[to] = sum;
    }
}

/* The correlation of the values of a centre's neighbours with their distances; NaN if a value is
 * not finite. */
static double correlate_values(const struct head *h, int32_t begin, int32_t n)
{
    for (int32_t i = begin; i < begin + n; i++)
        if (!isfinite(h->value[i]))
            return NAN;
    rank_values(h->rank + begin, h->sorted + begin, h->value + begin, n);
    return correlate(h->rank + begin, h->near + begin, n);
}

static void correlate_centre(const struct head *h, int32_t centre)
{
    int32_t begin = h->block->start[centre], end = h->block->start[centre + 1], known = 0;
    int32_t n = rank_distances(h, centre);
    const float *weight = h->weight + begin * h->channels;
    double sum = 0;
    h->mean[centre] = h->by_channel[centre] = NAN;
    if (n < LEAST)
        return;
    for (int64_t c = 0; c < h->channels; c++) {
        for (int32_t e = begin; e < end; e++)
            h->value[e] = weight[(e - begin) * h->channels + c];
        add_repeats(h, begin, end);
        double r = correlate_values(h, begin, n);
        sum += isnan(r) ? 0 : r;
        known += !isnan(r);
    }
    trace_mean(h->value + begin, weight, end - begin, h->channels);
    add_repeats(h, begin, end);
    h->mean[centre] = correlate_values(h, begin, n);
    h->by_channel[centre] = known ? sum / known : 0; /* none: then the mean has none either */
}

static void correlate_chunk(void *user, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        correlate_centre(user, (int32_t)i);
}

/* Adds a centre to the mean and the squared deviations (Welford). */
static void add_centre(struct glt_correlation *row, double r, double by_channel)
{
    double squares = row->deviation * row->deviation * (double)(row->centres - 1);
    double n = (double)++row->centres, off = r - row->mean;
    row->mean += off / n;
    row->by_channel += (by_channel - row->by_channel) / n;
    squares += off * (r - row->mean);
    row->deviation = n > 1 ? sqrt(squares / (n - 1)) : 0;
}

/* --- a trace --- */

static int add_head(struct glt_correlation *row, struct head *h, struct call *call)
{
    size_t centres = (size_t)h->block->centres, edges = (size_t)h->block->start[centres];
    h->value = call_alloc(call, edges + 1, sizeof *h->value);
    h->near = call_alloc(call, edges + 1, sizeof *h->near);
    h->rank = call_alloc(call, edges + 1, sizeof *h->rank);
    h->sorted = call_alloc(call, edges + 1, sizeof *h->sorted);
    h->mean = call_alloc(call, centres, sizeof *h->mean);
    h->by_channel = call_alloc(call, centres, sizeof *h->by_channel);
    if (!h->value || !h->near || !h->rank || !h->sorted || !h->mean || !h->by_channel)
        return GLT_ENOMEM;
    parallel_for(h->block->centres, GRAIN, correlate_chunk, h);
    for (size_t i = 0; i < centres; i++)
        if (!isnan(h->mean[i]))
            add_centre(row, h->mean[i], h->by_channel[i]);
    return 0;
}

/* Adds the head of a row, if the network has it. */
static int add_row(struct glt_correlation *row, bool *found, const struct trace_file *t,
                   const struct trace_block *b, struct call *call)
{
    float *weight;
    int64_t edges, channels;
    TRY(trace_attention(&weight, &edges, &channels, t, row->level, row->block, row->head));
    if (!weight)
        return 0;
    if (!call_keep(call, weight))
        return GLT_ENOMEM;
    *found = true;
    struct head h = {.trace = t, .block = b, .weight = weight, .channels = channels};
    if (edges != b->start[b->centres])
        return error_topic(error_in(GLT_EFORMAT, file_name(t->file),
                                    "level %d block %d: %lld weights for %d neighbours", row->level,
                                    row->block, (long long)edges, b->start[b->centres]),
                           GLT_TOPIC_SHAPE, NULL);
    return add_head(row, &h, call);
}

static int add_trace(struct glt_correlation rows[GLT_CORRELATIONS], const struct trace_file *t)
{
    static const char *const heads[] = {"geometric", "latent"};
    bool found = false;
    for (int i = 0; i < GLT_CORRELATIONS; i += 2) {
        int level = i / 4 + 1, block = i / 2 % 2 + 1, code = 0;
        struct call call = {0}; /* memory of this block */
        struct trace_block b;
        TRY(trace_block_read(&b, t, level, block));
        for (int h = 0; code == 0 && h < 2; h++) {
            rows[i + h].level = level;
            rows[i + h].block = block;
            rows[i + h].head = heads[h];
            code = add_row(&rows[i + h], &found, t, &b, &call);
        }
        trace_block_free(&b);
        call_free(&call);
        TRY(code);
    }
    return found ? 0
                 : error_topic(error_in(GLT_EDATA, file_name(t->file),
                                        "no attention: is heads = pool the model's option?"),
                               GLT_TOPIC_MISSING, "attention");
}

int glt_trace_correlation(struct glt_correlation rows[GLT_CORRELATIONS], const char *trace)
{
    REQUIRE(rows, trace);
    size_t size = rows->size; /* in later versions of the header, rows are larger */
    TRY(error_size("glt_correlation", size, sizeof *rows));
    struct glt_correlation sums[GLT_CORRELATIONS];
    struct trace_file t;
    TRY(trace_file_open(&t, trace));
    for (size_t i = 0; i < GLT_CORRELATIONS; i++)
        memcpy(&sums[i], (const char *)rows + i * size, sizeof sums[i]);
    int code = add_trace(sums, &t);
    trace_file_close(&t);
    for (size_t i = 0; code == 0 && i < GLT_CORRELATIONS; i++) {
        sums[i].size = size;
        memcpy((char *)rows + i * size, &sums[i], sizeof sums[i]);
    }
    return code;
}
