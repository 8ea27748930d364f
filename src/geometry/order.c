/* Canonical order by radix sort: see order.h.
 *
 * Stable passes from the last digit of z to the first of x; digits that all points share are
 * skipped, which is most of them for clouds of one sign and scale. Points at one place are rare
 * and sorted by comparing. */
#include "geometry/order.h"
#include "core/arena.h"

#include <math.h>
#include <string.h>

enum { DIGIT = 11, DIGITS = 3, BINS = 1 << DIGIT };

/* Floats as unsigned numbers of the same order. */
static uint32_t key_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

void order_measure(struct arena *scratch, int32_t n)
{
    size_t mark = arena_mark(scratch);
    arena_take(scratch, (size_t)n, sizeof(uint64_t));
    arena_take(scratch, (size_t)n, sizeof(uint64_t));
    arena_take(scratch, (size_t)DIGITS * BINS, sizeof(int32_t));
    arena_reset(scratch, mark);
}

/* Sorts pairs (key, row) by key, keeping the order of equals; returns where the result is. */
static uint64_t *sort_pairs(uint64_t *from, uint64_t *to, int32_t *count, int32_t n)
{
    memset(count, 0, (size_t)DIGITS * BINS * sizeof *count);
    for (int64_t i = 0; i < n; i++) {
        for (int d = 0; d < DIGITS; d++)
            count[d * BINS + (from[i] >> (32 + d * DIGIT) & (BINS - 1))]++;
    }
    for (int d = 0; d < DIGITS; d++) {
        int shift = 32 + d * DIGIT;
        int32_t *next = count + d * BINS;
        if (next[from[0] >> shift & (BINS - 1)] == n)
            continue;
        for (int32_t bin = 0, sum = 0; bin < BINS; bin++) {
            int32_t size = next[bin];
            next[bin] = sum;
            sum += size;
        }
        for (int64_t i = 0; i < n; i++)
            to[next[from[i] >> shift & (BINS - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

struct twins {
    const float *features;
    int32_t c;
};

static int before(const struct twins *t, int32_t a, int32_t b)
{
    const float *x = t->features + (int64_t)a * t->c, *y = t->features + (int64_t)b * t->c;
    for (int32_t i = 0; i < t->c; i++) {
        uint32_t u = key_of(x[i]), v = key_of(y[i]);
        if (u != v)
            return u < v;
    }
    return a < b;
}

static void sift(int32_t *rows, int32_t hole, int32_t n, const struct twins *t)
{
    int32_t row = rows[hole];
    for (int32_t child = 2 * hole + 1; child < n; child = 2 * hole + 1) {
        if (child + 1 < n && before(t, rows[child], rows[child + 1]))
            child++;
        if (!before(t, row, rows[child]))
            break;
        rows[hole] = rows[child];
        hole = child;
    }
    rows[hole] = row;
}

/* Heap sort: no memory, no bad case when a whole cloud stands at one place. */
static void sort_twins(int32_t *rows, int32_t n, const struct twins *t)
{
    for (int32_t i = n / 2 - 1; i >= 0; i--)
        sift(rows, i, n, t);
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t last = rows[i];
        rows[i] = rows[0];
        rows[0] = last;
        sift(rows, 0, i, t);
    }
}

/* -1, 0 or 1 as the keys of two rows compare; a NaN counts as out of order, so that the sort looks
 * at its bits. */
static int compare(const float *a, const float *b, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (a[i] < b[i])
            return -1;
        if (a[i] > b[i])
            return 1;
        if (a[i] == 0 && signbit(a[i]) != signbit(b[i]))
            return signbit(a[i]) ? -1 : 1;
        if (!(a[i] == b[i]))
            return 1;
    }
    return 0;
}

bool order_holds(const int32_t *order, const float *xyz, const float *features, int32_t n,
                 int32_t c)
{
    for (int32_t i = 1; i < n; i++) {
        int64_t a = order ? order[i - 1] : i - 1, b = order ? order[i] : i;
        int sign = compare(xyz + 3 * a, xyz + 3 * b, 3);
        if (sign == 0 && c)
            sign = compare(features + a * c, features + b * c, c);
        if (sign > 0 || (sign == 0 && a > b))
            return false;
    }
    return true;
}

bool order_rows(int32_t *order, struct arena *scratch, const float *xyz, const float *features,
                int32_t n, int32_t c)
{
    for (int32_t i = 0; i < n; i++)
        order[i] = i;
    if (order_holds(NULL, xyz, features, n, c))
        return false;
    size_t mark = arena_mark(scratch);
    uint64_t *pairs = arena_take(scratch, (size_t)n, sizeof *pairs);
    uint64_t *other = arena_take(scratch, (size_t)n, sizeof *other);
    int32_t *count = arena_take(scratch, (size_t)DIGITS * BINS, sizeof *count);
    for (int axis = 2; axis >= 0; axis--) {
        for (int64_t i = 0; i < n; i++)
            pairs[i] =
                (uint64_t)key_of(xyz[3 * (int64_t)order[i] + axis]) << 32 | (uint32_t)order[i];
        const uint64_t *sorted = sort_pairs(pairs, other, count, n);
        for (int64_t i = 0; i < n; i++)
            order[i] = (int32_t)(uint32_t)sorted[i];
    }
    struct twins t = {features, c};
    for (int32_t begin = 0, end; begin < n && c > 0; begin = end) {
        const float *p = xyz + 3 * (int64_t)order[begin];
        for (end = begin + 1; end < n; end++) {
            if (memcmp(p, xyz + 3 * (int64_t)order[end], 3 * sizeof *p) != 0)
                break;
        }
        if (end - begin > 1)
            sort_twins(order + begin, end - begin, &t);
    }
    arena_reset(scratch, mark);
    return true;
}

void order_apply(void *rows, void *copy, const int32_t *order, int32_t n, size_t size)
{
    if (!rows || !size)
        return;
    unsigned char *dst = rows;
    const unsigned char *src = copy;
    memcpy(copy, rows, (size_t)n * size);
    for (int64_t i = 0; i < n; i++)
        memcpy(dst + (size_t)i * size, src + (size_t)order[i] * size, size);
}
