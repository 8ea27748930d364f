/* Where real datasets are: in the folder GELATTO_DATA, else in ../shared/data beside the
 * repository. */
#ifndef TESTS_REAL_DATA_H
#define TESTS_REAL_DATA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/file_folder.h"

#include <stdio.h>
#include <stdlib.h>

enum { REAL_DATA_PATH = 512, REAL_DATA_SKIPPED = 77 /* the exit code for CTest */ };

static inline bool real_data_exists(char path[REAL_DATA_PATH], const char *name)
{
    const char *data = getenv("GELATTO_DATA"), *source = getenv("GELATTO_SOURCE");
    if (data)
        snprintf(path, REAL_DATA_PATH, "%s/%s", data, name);
    else
        snprintf(path, REAL_DATA_PATH, "%s/../shared/data/%s", source ? source : ".", name);
    return file_exists(path);
}

/* The path of a dataset, file or folder; without it the test is skipped. */
static inline const char *real_data(char path[REAL_DATA_PATH], const char *name)
{
    if (real_data_exists(path, name))
        return path;
    print_message("%s is missing (set GELATTO_DATA)\n", path);
    skip();
    return NULL;
}

/* The return value of main: lets CTest know if all cases were skipped. */
static inline int real_data_code(int failed)
{
    char path[REAL_DATA_PATH];
    return failed == 0 && !real_data_exists(path, "") ? REAL_DATA_SKIPPED : failed;
}

#endif
