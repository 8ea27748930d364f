/* JSON text: see json.h. Bytes above 127 pass as they are (UTF-8 in, UTF-8 out). */
#include "json.h"

#include <stdio.h>

void json_text(const char *text)
{
    putchar('"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            printf("\\u%04x", (unsigned)*c);
        else
            putchar(*c);
    }
    putchar('"');
}
