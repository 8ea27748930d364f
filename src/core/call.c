/* The call arena: see call.h. */
#include "core/call.h"

#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/print.h"

#include <stdarg.h>
#include <stdio.h>

void *call_keep(struct call *c, void *block)
{
    if (block && array_reserve(&c->blocks, c->n, 1, sizeof *c->blocks) < 0) {
        memory_free(block);
        block = NULL;
    }
    if (block)
        c->blocks[c->n++] = block;
    return block;
}

void *call_alloc(struct call *c, size_t count, size_t size)
{
    return call_keep(c, memory_alloc(count, size));
}

char *call_string(struct call *c, const char *text)
{
    return call_keep(c, memory_string(text));
}

char *call_print(struct call *c, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int len = print_list(NULL, 0, format, list);
    va_end(list);
    if (len < 0) /* printf needs memory for a wide field */
        error_topic(error_set(GLT_ENOMEM, "out of memory for a text"), GLT_TOPIC_MEMORY, NULL);
    char *text = len < 0 ? NULL : call_alloc(c, (size_t)len + 1, 1);
    if (text)
        print_list(text, (size_t)len + 1, format, again);
    va_end(again);
    return text;
}

int64_t call_mark(const struct call *c)
{
    return c->n;
}

void call_reset(struct call *c, int64_t mark)
{
    while (c->n > mark)
        memory_free(c->blocks[--c->n]);
}

void call_free(struct call *c)
{
    call_reset(c, 0);
    memory_free(c->blocks);
    *c = (struct call){0};
}
