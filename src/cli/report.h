/* Output of the program: log lines, progress and failures on stderr, a result on stdout. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "args.h"

#include <stdbool.h>

/* Connects the library's log and progress to stderr. Quiet leaves warnings and errors only. */
void report_start(bool quiet);
/* Ends an open progress line, and what report_start connected. */
void report_stop(void);
/* Clears an open progress line, before something else is printed on the terminal. */
void report_pause(void);

/* From now on rank 0 prints for all: other ranks print only that a rank was lost. */
void report_rank(int rank);
/* An error of the program itself. */
void report_failure_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints this thread's library error; returns the exit code 1. */
int report_failure(void);
/* The same when the program itself runs out of memory. */
int report_no_memory(void);
/* The same if the command line may be to blame: returns 2 and prints how to get help if an argument
 * or option was wrong (GLT_EARGUMENT). If a signal stopped the work (GLT_EINTERRUPTED), 128 + its
 * number. */
int report_refusal(const struct args *args, int code);
/* The same with the file it is about, unless the message names it. */
int report_failure_of(const char *path, int code);
/* report_refusal if operand 0 should be a model; if it is a cloud, the operands are swapped: exit
 * code 2. */
int report_failure_of_model(const struct args *args, int code);
/* Prints a text of the library on stdout once progress is over, frees it; returns the exit code 0.
 */
int report_result(char *text, bool json);
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line of the caller instead of progress: rewritten in place on a terminal, elsewhere
 * printed every few seconds. Non-zero once a signal asks to stop. */
int report_status(const char *text);

#endif
