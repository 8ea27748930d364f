/* The clock that durations are taken from. */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

double clock_seconds(void); /* since some moment; it never goes back */

#endif
