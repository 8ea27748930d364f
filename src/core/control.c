/* Control characters: see control.h. In UTF-8 those of C1 are the bytes c2 80 to c2 9f. */
#include "core/control.h"

int control_at(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    for (int i = 0; c[i]; i++)
        if (c[i] < ' ' || c[i] == 0x7f || (c[i] == 0xc2 && c[i + 1] >= 0x80 && c[i + 1] < 0xa0))
            return i;
    return -1;
}
