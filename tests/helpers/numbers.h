/* Shared by the tests of numbers as text: random bits, and comparison of doubles and floats by
 * bits. Tier nightly takes more of each. */
#ifndef TESTS_NUMBERS_H
#define TESTS_NUMBERS_H

#include "core/random.h"
#include "tier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct random rng;

static inline int numbers_begin(void **state)
{
    (void)state;
    rng = random_start(random_stream(7, 0, 0, RANDOM_TEST), 0);
    return 0;
}

static inline int64_t rounds(int64_t n)
{
    return tier_pick(n, n, 20 * n);
}

static inline uint64_t random_u64(void)
{
    uint64_t high = random_u32(&rng);
    return high << 32 | random_u32(&rng);
}

static inline double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static inline bool same_float(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

#endif
