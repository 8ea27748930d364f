/* Signals that end the program. None of them leaves a temporary file, except SIGKILL, which cannot
 * be handled.
 *
 * Ctrl-C (SIGINT), SIGTERM and SIGHUP end it at once, with exit code 128 + number. Long work calls
 * signals_stop from time to time. While it runs, the first signal only asks it to stop at the next
 * good moment (a training run writes a checkpoint); the second ends the program. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

void signals_start(void);
/* The number of the signal that asks to stop, or 0. After the first call, the next signal only
 * sets it. */
int signals_stop(void);
/* The work is over: signals end the program at once again. */
void signals_stop_waiting(void);
/* A temporary file of the program, to be removed by a signal that ends it. One at a time; NULL:
 * none. */
void signals_remove(const char *path);

#endif
