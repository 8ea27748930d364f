/* Classes of the ASPRS: see asprs.h. The names are those of LAS 1.4, in lower case. */
#include "cloud/asprs.h"

#include <strings.h>

static const struct {
    const char *name;
    int32_t number;
} classes[] = {
    {"unclassified", 1},        {"ground", 2},          {"low vegetation", 3},
    {"medium vegetation", 4},   {"high vegetation", 5}, {"building", 6},
    {"low point", 7},           {"water", 9},           {"rail", 10},
    {"road surface", 11},       {"wire guard", 13},     {"wire conductor", 14},
    {"transmission tower", 15}, {"wire connector", 16}, {"bridge deck", 17},
    {"high noise", 18},
};

int32_t asprs_number(const char *name)
{
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strcasecmp(name, classes[i].name))
            return classes[i].number;
    return -1;
}
