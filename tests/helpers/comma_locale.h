/* A locale with decimal commas, as a program that embeds the library may have. It is made in the
 * test's own folder by localedef, from the sources of the package `locales`. */
#ifndef TESTS_COMMA_LOCALE_H
#define TESTS_COMMA_LOCALE_H

#include "own_folder.h"

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* False, with a message, if it cannot be made. */
static inline bool comma_locale_enter(void)
{
    char command[400];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/comma' 2>&1 >/dev/null",
             own_folder());
    if (system(command) != 0 || setenv("LOCPATH", own_folder(), 1) != 0 ||
        !setlocale(LC_NUMERIC, "comma") || localeconv()->decimal_point[0] != ',') {
        setlocale(LC_NUMERIC, "C");
        printf("not tried in a locale with decimal commas: none could be made\n");
        return false;
    }
    return true;
}

static inline void comma_locale_leave(void)
{
    setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
}

#endif
