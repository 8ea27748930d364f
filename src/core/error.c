/* Errors: one message per thread. A worker hands code and message to the thread that waits for it
 * (glt_error_message there, error_set here). */
#include "core/error.h"

#include "commit.h"
#include "version.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024];

int error_set(int code, const char *format, ...)
{
    char text[sizeof message]; /* the arguments may point into the stored message */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(message, text, sizeof message);
    return code;
}

int error_prefix(int code, const char *format, ...)
{
    char text[sizeof message];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len >= 0 && (size_t)len < sizeof text)
        snprintf(text + len, sizeof text - (size_t)len, "%s", message);
    memcpy(message, text, sizeof message);
    return code;
}

int error_given(const char *names, const bool *given)
{
    for (size_t len; *names; names += len + strspn(names + len, ", ")) {
        len = strcspn(names, ",");
        if (!*given++)
            return error_set(GLT_EARGUMENT,
                             "the argument %.*s is NULL; gelatto.h says which may be", (int)len,
                             names);
    }
    return 0;
}

const char *glt_error_message(void)
{
    return message;
}

const char *glt_error_text(int code)
{
    switch (code) {
#define X(name, value, text)                                                                       \
    case name:                                                                                     \
        return text;
        GLT_ERRORS(X)
#undef X
    default:
        return code >= 0 ? "no error" : "unknown error";
    }
}

const char *glt_version(void)
{
    return GELATTO_VERSION;
}

const char *glt_commit(void)
{
    return GELATTO_COMMIT;
}
