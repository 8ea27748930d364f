/* The tier of a test run (CONTRIBUTING.md): CTest sets it in GELATTO_TIER; the default is quick. A
 * higher tier repeats more and takes more cases; it never checks less. */
#ifndef TESTS_TIER_H
#define TESTS_TIER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum tier { TIER_QUICK, TIER_FULL, TIER_NIGHTLY };

static inline enum tier tier(void)
{
    const char *name = getenv("GELATTO_TIER");
    return name && !strcmp(name, "nightly") ? TIER_NIGHTLY
           : name && !strcmp(name, "full")  ? TIER_FULL
                                            : TIER_QUICK;
}

/* A number that depends on the tier. */
static inline int64_t tier_pick(int64_t quick, int64_t full, int64_t nightly)
{
    return tier() == TIER_NIGHTLY ? nightly : tier() == TIER_FULL ? full : quick;
}

#endif
