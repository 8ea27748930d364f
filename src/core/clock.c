/* The clock: see clock.h. */
#include "core/clock.h"

#include "core/number.h"

#include <stdlib.h>

double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool clock_source_date(struct tm *out)
{
    static const int64_t year_10000 = 253402300800;
    const char *text = getenv("SOURCE_DATE_EPOCH");
    int64_t seconds;
    if (!text || !number_is_int(&seconds, text) || seconds < 0 || seconds >= year_10000)
        return false;
    time_t t = (time_t)seconds;
    return gmtime_r(&t, out) != NULL;
}
