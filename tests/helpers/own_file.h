/* A temporary file of the tests, `path`, made before the first test of a group. */
#ifndef TESTS_OWN_FILE_H
#define TESTS_OWN_FILE_H

#include "own_folder.h"

static char path[160];

static inline int path_make(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/file", own_folder());
    FILE *f = fopen(path, "wb");
    return f ? fclose(f) : -1;
}

#endif
