/* Exact arithmetic behind numbers as text: see number_exact.c. */
#ifndef CORE_NUMBER_EXACT_H
#define CORE_NUMBER_EXACT_H

#include <stdint.h>

__extension__ typedef unsigned __int128 uint128;

enum { POWER_FIRST = -342, POWER_LAST = 324 };

/* 5^q scaled by a power of two so that the top bit is set, truncated to 128 bits. */
struct power {
    uint64_t high, low;
};

struct power number_power_of_five(int q);

/* A decimal in text: its digits are in [first, last), perhaps with a point among them; its value is
 * (those digits as an integer) * 10^exponent. */
struct decimal {
    const char *first, *last;
    int64_t exponent;
};

/* An IEEE format of `fraction` stored bits whose smallest positive number is 2^least. */
struct ieee {
    int fraction, least, exponent_bits;
};

/* The bits of the positive number nearest to the decimal, found by stepping from an estimate. */
uint64_t number_exact_nearest(const struct decimal *d, uint64_t estimate, struct ieee format);

#endif
