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

const char *asprs_name(int32_t number)
{
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].number == number)
            return classes[i].name;
    return NULL;
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
