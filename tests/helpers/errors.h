/* The subject of this thread's last error as one line: "TOPIC name line 3". Tests compare it
 * instead of the message, whose wording may change. */
#ifndef TESTS_ERRORS_H
#define TESTS_ERRORS_H

#include "gelatto.h"

#include <stdio.h>
#include <string.h>

static inline const char *error_summary(void)
{
    static const char *const kinds[] = {"line", "byte", "chunk", "page", "rank", "point"};
    static char text[1024];
    const char *topic = "?";
#define X(constant, value, about)                                                                  \
    if (glt_error_topic() == constant)                                                             \
        topic = &#constant[strlen("GLT_TOPIC_")];
    GLT_TOPICS(X)
#undef X
    int len = snprintf(text, sizeof text, "%s%s%s", topic, *glt_error_name() ? " " : "",
                       glt_error_name());
    for (int k = 0; k < GLT_PLACES; k++)
        if (glt_error_place((enum glt_place)k) >= 0)
            len += snprintf(text + len, sizeof text - (size_t)len, " %s %lld", kinds[k],
                            (long long)glt_error_place((enum glt_place)k));
    return text;
}

/* The file of the last error without its folders. */
static inline const char *error_file_name(void)
{
    const char *slash = strrchr(glt_error_file(), '/');
    return slash ? slash + 1 : glt_error_file();
}

#define assert_error(summary)   assert_string_equal(error_summary(), summary)
#define assert_error_file(name) assert_string_equal(error_file_name(), name)

#endif
