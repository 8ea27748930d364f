/* JSON text: see json.h. */
#include "json.h"

#include "terminal_text.h"

#include <stdio.h>

/* Bytes of the character of UTF-8 that begins here, 0 if none does: shortest form, no surrogate,
 * up to U+10FFFF (RFC 3629). */
static int character(const unsigned char *c)
{
    int more = c[0] < 0x80 ? 0 : c[0] < 0xc2 ? -1 : c[0] < 0xe0 ? 1 : c[0] < 0xf0 ? 2 : 3;
    if (c[0] > 0xf4 || more < 0)
        return 0;
    for (int i = 1; i <= more; i++) /* the zero at the end is none */
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        return 0;
    return more + 1;
}

void json_text(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int len = character(c);
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < 0x20 || terminal_text_control((const char *)c))
            printf("\\u%04x", (unsigned)c[len - 1]);
        else if (len == 0)
            fputs("\xef\xbf\xbd", stdout); /* U+FFFD stands for a byte that is no text */
        else
            fwrite(c, 1, (size_t)len, stdout);
        c += len ? len : 1;
    }
    putchar('"');
}
