/* A clock for benches on a busy machine: preloaded, it makes CLOCK_MONOTONIC count the processor
 * time of the process, so that one thread is not charged for what others do. For one thread only:
 * several would be added up. bench/peers/compare --cpu uses it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
    return (int)syscall(SYS_clock_gettime,
                        clock == CLOCK_MONOTONIC ? CLOCK_PROCESS_CPUTIME_ID : clock, t);
}
