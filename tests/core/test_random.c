/* labels: quick
 * Random streams: known answers of Philox, golden values so that no bit ever changes, and the
 * distributions by moments, chi-square and Kolmogorov-Smirnov (fixed seeds: the result is fixed).
 */
#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct random start(uint64_t seed, uint32_t lane)
{
    return random_start(random_stream(seed, 0, 0, RANDOM_TEST), lane);
}

/* From Random123's kat_vectors: counter, key, result. */
static void known_counters_and_keys_give_known_words(void **state)
{
    (void)state;
    static const uint32_t known[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        const uint32_t *k = known[i];
        struct random_stream s = {{k[4], k[5]}, {k[2], k[3]}};
        uint32_t word[4];
        random_block(word, &s, k[1], k[0]);
        assert_memory_equal(word, k + 6, sizeof word);
    }
}

static void streams_give_the_same_bits_for_ever(void **state)
{
    (void)state;
    struct random_stream s = random_stream(42, 1, 2, RANDOM_TEST);
    struct random r = random_start(s, 3);
    uint64_t sum = 14695981039346656037u; /* FNV-1a over everything drawn */
    int32_t items[100], few[50], many[50];
    for (int i = 0; i < 100; i++)
        items[i] = i;
    random_shuffle(&r, items, 100);
    random_sample(&r, few, 50, 1000000);
    random_sample(&r, many, 50, 60);
    for (int i = 0; i < 1000; i++) {
        double drawn[3] = {random_uniform(&r), random_normal(&r), random_below(&r, 1000)};
        for (size_t b = 0; b < sizeof drawn; b++)
            sum = (sum ^ ((unsigned char *)drawn)[b]) * 1099511628211u;
    }
    for (int i = 0; i < 50; i++)
        sum = (sum ^ (uint32_t)(items[i] + 7 * few[i] + 77 * many[i])) * 1099511628211u;
    uint32_t word[4];
    random_block(word, &s, 5, 6);
    assert_int_equal(word[0], 0xf577c5dd);
    assert_true(sum == 0x2ddd93c02636b2f0u);
}

static void a_reader_gives_the_words_of_its_blocks(void **state)
{
    (void)state;
    struct random_stream s = random_stream(1, 2, 3, RANDOM_DROPOUT);
    struct random r = random_start(s, 9);
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t word[4];
        random_block(word, &s, 9, i);
        for (int w = 0; w < 4; w++)
            assert_int_equal(random_u32(&r), word[w]);
    }
}

/* Every one of the four words, and the lane, makes another stream; bits of two differ by half. */
static void streams_are_independent(void **state)
{
    (void)state;
    struct random_stream streams[] = {
        random_stream(1, 0, 0, RANDOM_INIT),    random_stream(2, 0, 0, RANDOM_INIT),
        random_stream(1, 1, 0, RANDOM_INIT),    random_stream(1, 0, 1, RANDOM_INIT),
        random_stream(1, 0, 0, RANDOM_DROPOUT), random_stream(1ull << 32, 0, 0, RANDOM_INIT),
        random_stream(1, 1, 1, RANDOM_INIT),    random_stream(1, 0, 0, RANDOM_INIT)};
    enum { STREAMS = sizeof streams / sizeof streams[0], WORDS = 20000 };
    for (int a = 0; a < STREAMS; a++) {
        for (int b = 0; b < a; b++) { /* the last is the first in another lane */
            struct random x = random_start(streams[a], a == STREAMS - 1),
                          y = random_start(streams[b], 0);
            double equal = 0, product = 0;
            for (int i = 0; i < WORDS; i++) {
                uint32_t u = random_u32(&x), v = random_u32(&y);
                equal += 32 - __builtin_popcount(u ^ v);
                product += (u * 0x1p-32 - 0.5) * (v * 0x1p-32 - 0.5) * 12;
            }
            assert_true(fabs(equal / (32.0 * WORDS) - 0.5) < 5 * 0.5 / sqrt(32.0 * WORDS));
            assert_true(fabs(product / WORDS) < 5 / sqrt(WORDS));
        }
    }
}

static double chi_square(const int64_t *count, int cells, double expected)
{
    double sum = 0;
    for (int i = 0; i < cells; i++)
        sum += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
    return sum;
}

/* A chi-square of f degrees lies within f +- 5 sqrt(2 f) but for one in a million. */
static void expect_uniform(const int64_t *count, int cells, double expected)
{
    double freedom = cells - 1, sum = chi_square(count, cells, expected);
    if (fabs(sum - freedom) > 5 * sqrt(2 * freedom) + 5)
        fail_msg("chi-square %g with %g degrees of freedom", sum, freedom);
}

static void numbers_below_a_bound_are_uniform(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 2, 3, 7, 10, 64, 100, 1000};
    for (int b = 0; b < 8; b++) {
        int64_t count[1000] = {0};
        struct random r = start(11, (uint32_t)b);
        for (int i = 0; i < 200000; i++) {
            uint32_t value = random_below(&r, bounds[b]);
            assert_true(value < bounds[b]);
            count[value]++;
        }
        expect_uniform(count, (int)bounds[b], 200000.0 / bounds[b]);
    }
    /* Where a modulo would be wrong by a third: thirds of 3 * 2^30 are equally likely. */
    struct random r = start(12, 0);
    int64_t thirds[3] = {0};
    for (int i = 0; i < 300000; i++)
        thirds[random_below(&r, 3u << 30) >> 30]++;
    expect_uniform(thirds, 3, 100000);
}

static void uniform_numbers_are_uniform(void **state)
{
    (void)state;
    struct random r = start(13, 0);
    int64_t count[256] = {0};
    double sum = 0, squares = 0, min = 1, max = 0;
    const int n = 1000000;
    for (int i = 0; i < n; i++) {
        double u = random_uniform(&r);
        assert_true(u >= 0 && u < 1);
        count[(int)(u * 256)]++;
        sum += u;
        squares += u * u;
        min = u < min ? u : min;
        max = u > max ? u : max;
    }
    expect_uniform(count, 256, n / 256.0);
    assert_true(fabs(sum / n - 0.5) < 5 * sqrt(1.0 / 12 / n));
    assert_true(fabs(squares / n - 1.0 / 3) < 5 * sqrt(4.0 / 45 / n));
    assert_true(min < 1e-5 && max > 1 - 1e-5);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void normal_numbers_are_normal(void **state)
{
    (void)state;
    enum { N = 1000000 };
    double *x = memory_alloc(N, sizeof *x), moment[5] = {0}, gap = 0;
    struct random r = start(14, 0);
    for (int i = 0; i < N; i++) {
        x[i] = random_normal(&r);
        for (int p = 1; p <= 4; p++)
            moment[p] += pow(x[i], p) / N;
    }
    assert_true(fabs(moment[1]) < 5 / sqrt(N));
    assert_true(fabs(moment[2] - 1) < 5 * sqrt(2.0 / N));
    assert_true(fabs(moment[3]) < 5 * sqrt(15.0 / N));
    assert_true(fabs(moment[4] - 3) < 5 * sqrt(96.0 / N));
    qsort(x, N, sizeof *x, compare_doubles);
    for (int i = 0; i < N; i++) /* Kolmogorov-Smirnov, tails included */
        gap = fmax(gap, fabs(0.5 * erfc(-x[i] / sqrt(2)) - (i + 0.5) / N));
    assert_true(gap < 1.95 / sqrt(N));
    assert_true(x[0] < -4.2 && x[N - 1] > 4.2);
    memory_free(x);
}

/* The inverse of the distribution itself: the normal of a stream belongs to its uniform. */
static void the_normal_of_a_stream_belongs_to_its_uniform(void **state)
{
    (void)state;
    struct random u = start(15, 0), z = start(15, 0);
    for (int i = 0; i < 100000; i++) {
        double p = random_uniform(&u) + 0x1p-54, x = random_normal(&z);
        double tail = x < 0 ? p : 1 - p, back = 0.5 * erfc(fabs(x) / sqrt(2));
        if (fabs(back - tail) > 1e-13 * tail + 1e-16)
            fail_msg("quantile %a of %a is off by %g", x, p, back / tail - 1);
    }
}

static void a_shuffle_is_uniform(void **state)
{
    (void)state;
    int64_t place[6 * 6] = {0}, order[720] = {0};
    struct random r = start(16, 0);
    const int n = 72000;
    for (int i = 0; i < n; i++) {
        int32_t items[6] = {0, 1, 2, 3, 4, 5};
        random_shuffle(&r, items, 6);
        int rank = 0;
        for (int a = 0; a < 6; a++) {
            int smaller = 0;
            for (int b = a + 1; b < 6; b++)
                smaller += items[b] < items[a];
            rank = rank * (6 - a) + smaller;
            place[6 * a + items[a]]++;
        }
        order[rank]++;
    }
    expect_uniform(order, 720, n / 720.0);
    expect_uniform(place, 36, n / 6.0);
    random_shuffle(&r, NULL, 0);
}

static void check_sample(struct random *r, int32_t k, int32_t n)
{
    int32_t *out = memory_alloc((size_t)k + 1, sizeof *out);
    out[k] = -77;
    random_sample(r, out, k, n);
    for (int32_t i = 0; i < k; i++) {
        assert_true(out[i] >= 0 && out[i] < n);
        assert_true(i == 0 || out[i] > out[i - 1]);
    }
    assert_int_equal(out[k], -77);
    memory_free(out);
}

static void a_sample_has_no_repeats_and_is_uniform(void **state)
{
    (void)state;
    struct random r = start(17, 0);
    for (int32_t n = 0; n <= 70; n++) {
        for (int32_t k = 0; k <= n; k++)
            check_sample(&r, k, n);
    }
    check_sample(&r, 100000, 400000);
    check_sample(&r, 100000, 400003);
    check_sample(&r, 6144, INT32_MAX);
    check_sample(&r, 1000, 1001);
    /* every set has the same chance, by both ways: 2 of 9 (drawn), 3 of 9 (selected) */
    int64_t pairs[36] = {0}, triples[84] = {0};
    for (int i = 0; i < 84000; i++) {
        int32_t s[3];
        random_sample(&r, s, 2, 9);
        pairs[s[0] + s[1] * (s[1] - 1) / 2]++;
        random_sample(&r, s, 3, 9);
        triples[s[0] + s[1] * (s[1] - 1) / 2 + s[2] * (s[2] - 1) * (s[2] - 2) / 6]++;
    }
    expect_uniform(pairs, 36, 84000 / 36.0);
    expect_uniform(triples, 84, 84000 / 84.0);
    /* and every item of a large one */
    int64_t item[1000] = {0};
    int32_t out[250];
    for (int i = 0; i < 4000; i++) {
        random_sample(&r, out, 250, 1000);
        for (int j = 0; j < 250; j++)
            item[out[j]]++;
    }
    double sum = chi_square(item, 1000, 1000) / 0.75; /* without replacement: 1 - k / n */
    assert_true(fabs(sum - 999) < 5 * sqrt(2 * 999.0));
    assert_int_equal(memory_stats().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_counters_and_keys_give_known_words),
        cmocka_unit_test(streams_give_the_same_bits_for_ever),
        cmocka_unit_test(a_reader_gives_the_words_of_its_blocks),
        cmocka_unit_test(streams_are_independent),
        cmocka_unit_test(numbers_below_a_bound_are_uniform),
        cmocka_unit_test(uniform_numbers_are_uniform),
        cmocka_unit_test(normal_numbers_are_normal),
        cmocka_unit_test(the_normal_of_a_stream_belongs_to_its_uniform),
        cmocka_unit_test(a_shuffle_is_uniform),
        cmocka_unit_test(a_sample_has_no_repeats_and_is_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
