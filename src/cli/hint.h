/* Hints: the option or command of this program that helps with an error or a warning of the
 * library, which names none. */
#ifndef CLI_HINT_H
#define CLI_HINT_H

#include <stdbool.h>
#include <stddef.h>

/* What helps with this thread's last error; false if nothing more can be said than its message. */
bool hint_find(char *text, size_t size);
/* Within the log callback: the same for its warning; NULL if there is nothing, or it was given
 * before: a folder of files has the same warning many times. */
const char *hint_of_warning(void);

#endif
