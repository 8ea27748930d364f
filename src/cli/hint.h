/* Hints: the option or command of this program that helps with an error of the library, which names
 * none. */
#ifndef CLI_HINT_H
#define CLI_HINT_H

#include <stdbool.h>
#include <stddef.h>

/* What helps with this thread's last error; false if nothing more can be said than its message. */
bool hint_find(char *text, size_t size);

#endif
