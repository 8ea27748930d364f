/* The string builder: see string.h. */
#include "core/string.h"

#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool grow(struct string *s, size_t more)
{
    if (s->code == 0)
        s->code = more < INT64_MAX ? array_reserve(&s->bytes, s->len, (int64_t)more + 1, 1)
                                   : error_topic(error_set(GLT_ENOMEM, "a text of %zu bytes", more),
                                                 GLT_TOPIC_MEMORY, NULL);
    return s->code == 0;
}

void string_add(struct string *s, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int len = print_list(NULL, 0, format, list);
    va_end(list);
    if (len < 0 && s->code == 0) /* printf needs memory for a wide field */
        s->code =
            error_topic(error_set(GLT_ENOMEM, "out of memory for a text"), GLT_TOPIC_MEMORY, NULL);
    if (len >= 0 && grow(s, (size_t)len)) {
        print_list(s->bytes + s->len, (size_t)len + 1, format, again);
        s->len += len;
    }
    va_end(again);
}

void string_add_bytes(struct string *s, const char *bytes, size_t len)
{
    if (!grow(s, len))
        return;
    memcpy(s->bytes + s->len, bytes, len);
    s->len += (int64_t)len;
    s->bytes[s->len] = 0;
}

void string_free(struct string *s)
{
    memory_free(s->bytes);
    *s = (struct string){0};
}

int string_take(char **out, struct string *s)
{
    string_add_bytes(s, "", 0);
    int code = s->code;
    if (code < 0) {
        string_free(s);
        return code;
    }
    *out = s->bytes;
    *s = (struct string){0};
    return 0;
}

const char *string_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

char string_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

char string_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

bool string_is_alnum(char c)
{
    char lower = string_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
}

int string_compare_nocase(const char *a, const char *b)
{
    while (*a && string_lower(*a) == string_lower(*b)) {
        a++;
        b++;
    }
    return (unsigned char)string_lower(*a) - (unsigned char)string_lower(*b);
}

bool string_begins_nocase(const char *text, const char *start)
{
    while (*start && string_lower(*text) == string_lower(*start)) {
        text++;
        start++;
    }
    return !*start;
}

int string_control(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    for (int i = 0; c[i]; i++) /* in UTF-8, C1 is the bytes c2 80 to c2 9f */
        if (c[i] < ' ' || c[i] == 0x7f || (c[i] == 0xc2 && c[i + 1] >= 0x80 && c[i + 1] < 0xa0))
            return i;
    return -1;
}
