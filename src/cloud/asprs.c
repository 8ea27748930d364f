/* Classes of the ASPRS: see asprs.h. The names are those of LAS 1.4, in lower case, the
 * colours of 0 to 18 those of QGIS. */
#include "cloud/asprs.h"

#include "core/string.h"

#include <string.h>

static const struct {
    const char *name;
    int32_t number;
    uint8_t rgb[3];
    bool shown; /* for reading only: asprs_number does not find it */
} classes[] = {
    {"never classified", 0, {0xba, 0xba, 0xba}, true},
    {"unclassified", 1, {0xaa, 0xaa, 0xaa}, false},
    {"ground", 2, {0xaa, 0x55, 0x00}, false},
    {"low vegetation", 3, {0x00, 0xaa, 0xaa}, false},
    {"medium vegetation", 4, {0x55, 0xff, 0x55}, false},
    {"high vegetation", 5, {0x00, 0xaa, 0x00}, false},
    {"building", 6, {0xff, 0x55, 0x55}, false},
    {"low point", 7, {0xaa, 0x00, 0x00}, false},
    {"model key point", 8, {0x80, 0x40, 0x00}, true}, /* LAS 1.0 to 1.3 */
    {"water", 9, {0x55, 0xff, 0xff}, false},
    {"rail", 10, {0xaa, 0x00, 0xaa}, false},
    {"road surface", 11, {0x00, 0x00, 0x00}, false},
    {"overlap", 12, {0x55, 0x55, 0x55}, true}, /* likewise */
    {"wire guard", 13, {0xff, 0xff, 0x55}, false},
    {"wire conductor", 14, {0xff, 0xff, 0x55}, false},
    {"transmission tower", 15, {0xff, 0xff, 0x00}, false},
    {"wire connector", 16, {0xff, 0xff, 0x55}, false},
    {"bridge deck", 17, {0x55, 0x55, 0xff}, false},
    {"high noise", 18, {0x64, 0x64, 0x64}, false},
    {"overhead structure", 19, {0xff, 0xaa, 0x7f}, false},
    {"ignored ground", 20, {0xd2, 0xa0, 0x6e}, false},
    {"snow", 21, {0xe1, 0xeb, 0xff}, false},
    {"temporal exclusion", 22, {0x82, 0x6e, 0x8c}, false},
    /* names of models */
    {"vegetation", -1, {0x00, 0xaa, 0x00}, true},
    {"noise", -1, {0xaa, 0x00, 0x00}, true},
    {"road", -1, {0x00, 0x00, 0x00}, true},
    {"bridge", -1, {0x55, 0x55, 0xff}, true},
};

int32_t asprs_number(const char *name)
{
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!classes[i].shown && !string_compare_nocase(name, classes[i].name))
            return classes[i].number;
    return -1;
}

const char *asprs_name(int32_t number)
{
    for (unsigned i = 0; number >= 0 && i < sizeof classes / sizeof *classes; i++)
        if (classes[i].number == number)
            return classes[i].name;
    return NULL;
}

bool asprs_colour(uint8_t rgb[3], const char *name)
{
    for (unsigned i = 0; name && i < sizeof classes / sizeof *classes; i++)
        if (!string_compare_nocase(name, classes[i].name)) {
            memcpy(rgb, classes[i].rgb, 3);
            return true;
        }
    return false;
}

bool asprs_number_all(uint8_t *numbers, const struct classes *c)
{
    enum { FIRST_OF_USERS = 64, END = 255 }; /* 255 is none */
    bool taken[FIRST_OF_USERS] = {false};
    int32_t next = FIRST_OF_USERS;
    for (int32_t i = 0; i < c->n; i++) {
        int32_t number = asprs_number(c->names[i]);
        if (number < 0 || taken[number])
            number = next++;
        else
            taken[number] = true;
        if (number >= END)
            return false;
        numbers[i] = (uint8_t)number;
    }
    return true;
}
