/* Growing texts: see lines.h. The room doubles, so that adding a piece costs its own length. */
#include "core/lines.h"

#include "core/error.h"
#include "core/memory.h"

#include <stdarg.h>
#include <stdio.h>

static bool grow(struct lines *t, size_t more)
{
    if (t->len + more + 1 <= t->room)
        return true;
    size_t room = 2 * t->room + more + 1;
    char *bytes = memory_resize(t->bytes, room, 1);
    if (!bytes) {
        t->code = GLT_ENOMEM;
        return false;
    }
    t->bytes = bytes;
    t->room = room;
    return true;
}

void lines_add(struct lines *t, const char *format, ...)
{
    va_list list, again;
    if (t->code < 0)
        return;
    va_start(list, format);
    va_copy(again, list);
    int len = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (len >= 0 && grow(t, (size_t)len)) {
        vsnprintf(t->bytes + t->len, (size_t)len + 1, format, again);
        t->len += (size_t)len;
    }
    va_end(again);
}

void lines_free(struct lines *t)
{
    memory_free(t->bytes);
    *t = (struct lines){0};
}

int lines_take(char **out, struct lines *t)
{
    lines_add(t, "%s", "");
    int code = t->code;
    if (code < 0) {
        lines_free(t);
        return code;
    }
    *out = t->bytes;
    *t = (struct lines){0};
    return 0;
}
