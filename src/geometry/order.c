/* Canonical order by radix sort: see order.h.
 *
 * All points are sorted by x, then those of equal x by y, and so on: most clouds are in order after
 * x. Stable passes go from the last digit to the first. Digits that all points share are skipped:
 * most of them, for clouds of one sign and scale. A handful of points, and those at one place, are
 * sorted by comparison. */
#include "geometry/order.h"
#include "core/arena.h"

#include <math.h>
#include <string.h>

enum { DIGIT = 11, DIGITS = 3, BINS = 1 << DIGIT, HANDFUL = 32 };

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

/* Sorts pairs (key, row) by key, stably; returns the array with the result. */
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

struct sorting {
    const float *xyz, *features;
    int32_t c;
    int32_t *count; /* (DIGITS, BINS) */
};

/* -1, 0 or 1 as the bits of two rows compare. */
static int compare_keys(const float *x, const float *y, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        uint32_t u = key_of(x[i]), v = key_of(y[i]);
        if (u != v)
            return u < v ? -1 : 1;
    }
    return 0;
}

static int before(const struct sorting *s, int32_t a, int32_t b)
{
    int sign = compare_keys(s->xyz + 3 * (int64_t)a, s->xyz + 3 * (int64_t)b, 3);
    if (sign == 0 && s->c)
        sign = compare_keys(s->features + (int64_t)a * s->c, s->features + (int64_t)b * s->c, s->c);
    return sign ? sign < 0 : a < b;
}

static void sift(int32_t *rows, int32_t hole, int32_t n, const struct sorting *s)
{
    int32_t row = rows[hole];
    for (int32_t child = 2 * hole + 1; child < n; child = 2 * hole + 1) {
        if (child + 1 < n && before(s, rows[child], rows[child + 1]))
            child++;
        if (!before(s, row, rows[child]))
            break;
        rows[hole] = rows[child];
        hole = child;
    }
    rows[hole] = row;
}

/* Heap sort: no memory, and no bad case if a whole cloud is at one place. */
static void sort_by_comparing(int32_t *rows, int32_t n, const struct sorting *s)
{
    for (int32_t i = n / 2 - 1; i >= 0; i--)
        sift(rows, i, n, s);
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t last = rows[i];
        rows[i] = rows[0];
        rows[0] = last;
        sift(rows, 0, i, s);
    }
}

/* Sorts rows (n) that are equal on all axes before this one; from and to (n) are scratch. */
static void sort_axis(const struct sorting *s, int32_t *rows, uint64_t *from, uint64_t *to,
                      int32_t n, int axis)
{
    if (n <= HANDFUL || axis == 3) {
        if (axis < 3 || s->c > 0)
            sort_by_comparing(rows, n, s);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        from[i] = (uint64_t)key_of(s->xyz[3 * (int64_t)rows[i] + axis]) << 32 | (uint32_t)rows[i];
    uint64_t *sorted = sort_pairs(from, to, s->count, n);
    uint64_t *other = sorted == from ? to : from;
    for (int64_t i = 0; i < n; i++)
        rows[i] = (int32_t)(uint32_t)sorted[i];
    for (int32_t begin = 0, end; begin < n; begin = end) {
        uint64_t key = sorted[begin] >> 32;
        for (end = begin + 1; end < n && sorted[end] >> 32 == key;)
            end++;
        if (end - begin > 1)
            sort_axis(s, rows + begin, sorted + begin, other + begin, end - begin, axis + 1);
    }
}

/* -1, 0 or 1 as the keys of two rows compare; a NaN counts as out of order, so that the sort
 * compares its bits. */
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
    struct sorting s = {xyz, features, c,
                        arena_take(scratch, (size_t)DIGITS * BINS, sizeof *s.count)};
    sort_axis(&s, order, pairs, other, n, 0);
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
