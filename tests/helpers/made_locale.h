/* Locales that a program that embeds the library may have: with decimal commas, or with a Turkish
 * I. They are made in the test's own folder by localedef, from the sources of the package
 * `locales`. */
#ifndef TESTS_MADE_LOCALE_H
#define TESTS_MADE_LOCALE_H

#include "own_folder.h"

#include <ctype.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline bool made_locale_enter(const char *source, int category)
{
    char command[400];
    snprintf(command, sizeof command, "localedef -i %s -f UTF-8 '%s/made' 2>&1 >/dev/null", source,
             own_folder());
    return system(command) == 0 && setenv("LOCPATH", own_folder(), 1) == 0 &&
           setlocale(category, "made");
}

static inline void made_locale_leave(void)
{
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
}

/* False, with a message, if it cannot be made. */
static inline bool comma_locale_enter(void)
{
    if (made_locale_enter("de_DE", LC_NUMERIC) && localeconv()->decimal_point[0] == ',')
        return true;
    made_locale_leave();
    printf("not tried in a locale with decimal commas: none could be made\n");
    return false;
}

static inline bool turkish_locale_enter(void)
{
    if (made_locale_enter("tr_TR", LC_CTYPE) && tolower('I') == 'I')
        return true;
    made_locale_leave();
    printf("not tried in a Turkish locale: none could be made\n");
    return false;
}

#endif
