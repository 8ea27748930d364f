/* JSON text: see json.h. */
#include "json.h"

#include "terminal_text.h"

#include <stdio.h>

void json_text(const char *text)
{
    unsigned code;
    putchar('"');
    for (int len; *text; text += len ? len : 1) {
        len = terminal_text_character(&code, text);
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if (len == 0)
            fputs("\xef\xbf\xbd", stdout); /* U+FFFD for a byte that is not text */
        else if (code < ' ' || terminal_text_control(code))
            printf("\\u%04x", code);
        else
            fwrite(text, 1, (size_t)len, stdout);
    }
    putchar('"');
}
