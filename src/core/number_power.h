/* Powers of five, for numbers as text: see number_power.c. */
#ifndef CORE_NUMBER_POWER_H
#define CORE_NUMBER_POWER_H

#include <stdint.h>

__extension__ typedef unsigned __int128 uint128;

enum { POWER_FIRST = -342, POWER_LAST = 324 };

/* 5^q scaled by a power of two so that the top bit is set, truncated to 128 bits. */
struct power {
    uint64_t high, low;
};

struct power number_power_of_five(int q);

#endif
