/* Files of training runs under the folder of a data test. */
#ifndef TESTS_RUN_FILES_H
#define TESTS_RUN_FILES_H

#include "core/file.h"
#include "core/memory.h"
#include "data_folder.h"

static inline char *read_run(size_t *len, const char *run, const char *name)
{
    char path[DATA_PATH], *bytes;
    snprintf(path, sizeof path, "%s/runs/%s/%s", data_folder(), run, name);
    data_check(file_read_all(&bytes, len, path, 1 << 28));
    return bytes;
}

static inline void assert_same_file(const char *a, const char *b, const char *name)
{
    size_t la, lb;
    char *x = read_run(&la, a, name), *y = read_run(&lb, b, name);
    if (la != lb || memcmp(x, y, la))
        fail_msg("%s of %s and %s differ", name, a, b);
    memory_free(x);
    memory_free(y);
}

#endif
