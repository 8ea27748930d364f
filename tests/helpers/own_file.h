/* One file of the tests' own, `path`: made before the first test of a group, removed behind the
 * last. */
#ifndef TESTS_OWN_FILE_H
#define TESTS_OWN_FILE_H

#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/gelatto_test_XXXXXX";

static inline int path_make(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static inline int path_drop(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

#endif
