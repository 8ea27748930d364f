/* Errors: see error.h. One error per thread, of fixed size: storing it cannot fail. */
#include "core/error.h"

#include "core/print.h"

#include "commit.h"
#include "version.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOWHERE                                                                                    \
    {                                                                                              \
        -1, -1, -1, -1, -1, -1                                                                     \
    }
_Static_assert(GLT_PLACES == 6, "every kind of place starts as -1");
static _Thread_local struct error last = {.place = NOWHERE};

static const char *const kinds[GLT_PLACES] = {"line", "byte", "chunk", "page", "rank", "point"};

/* Text may point into the stored error, so it must be complete before anything is stored. */
static void store(int code, const char *file, const char *text)
{
    char path[ERROR_FILE];
    snprintf(path, sizeof path, "%s", file);
    memcpy(last.place, (const int64_t[])NOWHERE, sizeof last.place);
    last.code = code;
    last.topic = GLT_TOPIC_NONE;
    last.name[0] = 0;
    strcpy(last.file, path);
    snprintf(last.message, sizeof last.message, "%s", text);
}

/* Appends to text. */
static void append(char text[ERROR_MESSAGE], const char *format, va_list list)
{
    size_t len = strlen(text);
    print_list(text + len, ERROR_MESSAGE - len, format, list);
}

int error_set(int code, const char *format, ...)
{
    char text[ERROR_MESSAGE] = "";
    va_list list;
    va_start(list, format);
    append(text, format, list);
    va_end(list);
    store(code, "", text);
    return code;
}

int error_in(int code, const char *file, const char *format, ...)
{
    char text[ERROR_MESSAGE];
    snprintf(text, sizeof text, "%s: ", file);
    va_list list;
    va_start(list, format);
    append(text, format, list);
    va_end(list);
    store(code, file, text);
    return code;
}

int error_at(int code, const char *file, enum glt_place kind, int64_t value, const char *format,
             ...)
{
    char text[ERROR_MESSAGE];
    snprintf(text, sizeof text, "%s: %s %lld: ", file, kinds[kind], (long long)value);
    va_list list;
    va_start(list, format);
    append(text, format, list);
    va_end(list);
    store(code, file, text);
    return error_place(code, kind, value);
}

int error_topic(int code, enum glt_topic topic, const char *name)
{
    char text[ERROR_NAME];
    snprintf(text, sizeof text, "%s", name ? name : "");
    last.topic = topic;
    strcpy(last.name, text);
    return code;
}

int error_file(int code, const char *file)
{
    if (file != last.file)
        snprintf(last.file, sizeof last.file, "%s", file);
    return code;
}

int error_place(int code, enum glt_place kind, int64_t value)
{
    last.place[kind] = value;
    return code;
}

int error_prefix(int code, const char *format, ...)
{
    char text[ERROR_MESSAGE] = "";
    va_list list;
    va_start(list, format);
    append(text, format, list);
    va_end(list);
    size_t len = strlen(text);
    snprintf(text + len, sizeof text - len, "%s", last.message);
    strcpy(last.message, text);
    last.code = code;
    return code;
}

int error_suffix(int code, const char *format, ...)
{
    char text[ERROR_MESSAGE];
    strcpy(text, last.message);
    va_list list;
    va_start(list, format);
    append(text, format, list);
    va_end(list);
    strcpy(last.message, text);
    last.code = code;
    return code;
}

int error_prefix_file(int code, const char *file)
{
    error_prefix(code, "%s: ", file);
    return last.file[0] ? code : error_file(code, file);
}

int error_prefix_line(int code, const char *file, int64_t line)
{
    error_prefix(code, "%s: line %lld: ", file, (long long)line);
    return last.file[0] ? code : error_place(error_file(code, file), GLT_PLACE_LINE, line);
}

void error_save(struct error *out)
{
    *out = last;
}

int error_restore(const struct error *e)
{
    last = *e;
    return e->code;
}

int error_size(const char *name, size_t size, size_t min)
{
    if (size >= min)
        return 0;
    return error_topic(error_set(GLT_EARGUMENT,
                                 "the field size of struct %s is %zu: set it to sizeof(struct %s)",
                                 name, size, name),
                       GLT_TOPIC_ARGUMENT, "size");
}

int error_given(const char *names, const bool *given)
{
    for (size_t len; *names; names += len + strspn(names + len, ", ")) {
        char name[ERROR_NAME];
        len = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)len, names);
        if (!*given++)
            return error_topic(
                error_set(GLT_EARGUMENT, "the argument %s is NULL; see gelatto.h", name),
                GLT_TOPIC_ARGUMENT, name);
    }
    return 0;
}

const char *glt_error_message(void)
{
    return last.message;
}

int glt_error_code(void)
{
    return last.code;
}

enum glt_topic glt_error_topic(void)
{
    return last.topic;
}

const char *glt_error_name(void)
{
    return last.name;
}

const char *glt_error_file(void)
{
    return last.file;
}

int64_t glt_error_place(enum glt_place kind)
{
    return kind >= 0 && kind < GLT_PLACES ? last.place[kind] : -1;
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

const char *glt_topic_text(enum glt_topic topic)
{
    switch (topic) {
#define X(name, value, text)                                                                       \
    case name:                                                                                     \
        return text;
        GLT_TOPICS(X)
#undef X
    }
    return "unknown topic";
}

const char *glt_version(void)
{
    return GELATTO_VERSION;
}

const char *glt_commit(void)
{
    return GELATTO_COMMIT;
}
