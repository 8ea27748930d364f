/* Text without control characters (C0, delete, C1: ISO/IEC 6429): see terminal_text.h. */
#include "terminal_text.h"

#include <stdlib.h>

int terminal_text_control(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) /* C1 in UTF-8 */
        return 2;
    return (c[0] && c[0] < ' ' && c[0] != '\n' && c[0] != '\t') || c[0] == 0x7f;
}

void terminal_text_print(FILE *out, const char *text)
{
    for (int len; *text; text += len ? len : 1) {
        len = terminal_text_control(text);
        fputc(len ? '?' : *text, out);
    }
}

void terminal_text_json(const char *json)
{
    for (int len; *json; json += len ? len : 1) {
        len = terminal_text_control(json);
        if (len)
            printf("\\u%04x", (unsigned char)json[len - 1]);
        else
            putchar(*json);
    }
}

void terminal_text_vprintf(FILE *out, const char *format, va_list list)
{
    char some[1024];
    va_list again;
    va_copy(again, list);
    int len = vsnprintf(some, sizeof some, format, list);
    char *all = len >= (int)sizeof some ? malloc((size_t)len + 1) : NULL;
    if (all)
        vsnprintf(all, (size_t)len + 1, format, again);
    va_end(again);
    terminal_text_print(out, all ? all : some); /* out of memory: its beginning */
    free(all);
}

void terminal_text_printf(FILE *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    terminal_text_vprintf(out, format, list);
    va_end(list);
}
