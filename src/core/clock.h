/* The clock for durations, and the date that outputs may have. */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdbool.h>
#include <time.h>

double clock_seconds(void); /* since some moment; it never goes back */
/* The date of SOURCE_DATE_EPOCH (reproducible-builds.org), in UTC; false if it is not set. Outputs
 * have no other date: equal work gives equal bytes. */
bool clock_source_date(struct tm *out);

#endif
