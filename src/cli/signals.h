/* Signals that end the program. None of them leaves a temporary file, except SIGKILL, which no
 * program sees.
 *
 * Ctrl-C (SIGINT), SIGTERM and SIGHUP end it at once, with exit code 128 + number. Long work calls
 * signals_stop now and then. While it runs, the first signal only asks it to stop at the next good
 * moment (a training run writes a checkpoint); the second ends the program. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

void signals_start(void);
/* The number of the signal that asks to stop, or 0. From its first call on, the next one waits. */
int signals_stop(void);
/* The work is over, or nobody asks any more: signals end the program at once. */
void signals_stop_waiting(void);
/* A file of the program's own that goes away again: a signal that ends the program removes it.
 * One at a time; NULL: none any more. */
void signals_remove(const char *path);

#endif
