/* Text without control characters (ISO/IEC 6429) and marks that change the writing direction
 * (Unicode annex 9): see terminal_text.h. */
#include "terminal_text.h"

#include <stdlib.h>

int terminal_text_character(unsigned *code, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    int more = c[0] < 0x80 ? 0 : c[0] < 0xc2 ? -1 : c[0] < 0xe0 ? 1 : c[0] < 0xf0 ? 2 : 3;
    *code = c[0];
    if (c[0] > 0xf4 || more < 0)
        return 0;
    unsigned value = more ? c[0] & (0x3fu >> more) : c[0];
    for (int i = 1; i <= more; i++) { /* the final zero is not one */
        if ((c[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (c[i] & 0x3f);
    }
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        return 0;
    *code = value;
    return more + 1;
}

/* A byte that is not UTF-8 counts by its value: a terminal without UTF-8 obeys C1 as single
 * bytes. */
bool terminal_text_control(unsigned code)
{
    if (code < 0xa0)
        return (code < ' ' && code != '\n' && code != '\t') || code >= 0x7f;
    return code == 0x061c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void terminal_text_print(FILE *out, const char *text)
{
    unsigned code;
    for (int len; *text; text += len) {
        len = terminal_text_character(&code, text);
        len = len ? len : 1;
        if (terminal_text_control(code))
            fputc('?', out);
        else
            fwrite(text, 1, (size_t)len, out);
    }
}

void terminal_text_json(const char *json)
{
    unsigned code;
    for (int len; *json; json += len) {
        len = terminal_text_character(&code, json);
        len = len ? len : 1;
        if (terminal_text_control(code))
            printf("\\u%04x", code);
        else
            fwrite(json, 1, (size_t)len, stdout);
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
    terminal_text_print(out, all ? all : some); /* out of memory: only the beginning */
    free(all);
}

void terminal_text_printf(FILE *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    terminal_text_vprintf(out, format, list);
    va_end(list);
}
