/* Hints: the option or command of this program that helps with an error or a warning of the
 * library, which does not name them. */
#ifndef CLI_HINT_H
#define CLI_HINT_H

#include <stdbool.h>
#include <stddef.h>

/* The hint for this thread's last error; false if there is none. */
bool hint_find(char *text, size_t size);
/* Within the log callback: the hint for the warning; NULL if there is none, or it was given before,
 * because a folder of files may repeat a warning many times. */
const char *hint_of_warning(void);

#endif
