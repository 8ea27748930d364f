/* Names: the file's spelling of a field against the name the rest of the program uses. One table.
 * A field spelled canonically keeps its name; among others of one meaning the first gets it. Names
 * that repeat are numbered, so that formats without repeated names can hold them. */
#include "core/error.h"
#include "core/memory.h"
#include "io/format.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SPELLINGS = 6 };

/* canonical name, then the spellings seen in the wild, in any case */
static const char *const synonyms[][SPELLINGS] = {
    {"x", "x_coordinate", "coord_x", "//x"},
    {"y", "y_coordinate", "coord_y"},
    {"z", "z_coordinate", "coord_z"},
    {"red", "r", "diffuse_red", "rf"},
    {"green", "g", "diffuse_green", "gf"},
    {"blue", "b", "diffuse_blue", "bf"},
    {"intensity", "reflectance", "remission"},
    {"nx", "normal_x", "normalx", "n_x"},
    {"ny", "normal_y", "normaly", "n_y"},
    {"nz", "normal_z", "normalz", "n_z"},
    {"label", "labels", "semantic", "sem_class", "semantic_label", "class"},
    {"instance", "instance_id", "instance_label", "ins_class"},
    {"confidence"},
    {"classification"},
};

const char *canonical_name(const char *source)
{
    /* CloudCompare writes every scalar field with this prefix. */
    const char *bare = strncasecmp(source, "scalar_", 7) == 0 ? source + 7 : source;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        for (size_t j = 0; j < SPELLINGS && synonyms[i][j]; j++)
            if (strcasecmp(bare, synonyms[i][j]) == 0)
                return synonyms[i][0];
    return source;
}

static const char *spelling(const struct column *x)
{
    return x->source ? x->source : x->name;
}

/* A lone r, g or b is not a colour. */
static bool is_lone_letter(const struct glt_cloud *c, const char *source)
{
    if (source[0] == 0 || source[1] != 0 || !strchr("rgbRGB", source[0]))
        return false;
    int found = 0;
    for (int32_t i = 0; i < c->n_columns; i++) {
        const char *s = spelling(&c->columns[i]);
        found += s[0] != 0 && s[1] == 0 && strchr("rgbRGB", s[0]);
    }
    return found < 3;
}

/* A second "_" (the padding of PCD) becomes "__2", its spelling stays. */
static int number_repeats(struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_columns; i++) {
        struct column *x = &c->columns[i];
        char name[320];
        int32_t number = 1;
        if (cloud_attribute(c, x->name) == x)
            continue;
        for (int32_t k = 0; k < i; k++)
            number += strcmp(spelling(&c->columns[k]), spelling(x)) == 0;
        do
            snprintf(name, sizeof name, "%.300s_%d", x->name, number++);
        while (cloud_attribute(c, name));
        char *copy = memory_string(name);
        if (!copy)
            return GLT_ENOMEM;
        if (x->source)
            memory_free(x->name);
        else
            x->source = x->name;
        x->name = copy;
    }
    return 0;
}

int cloud_canonicalise(struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_columns; i++) {
        struct column *x = &c->columns[i];
        const char *name = canonical_name(x->name);
        if (x->source || strcmp(name, x->name) == 0 || is_lone_letter(c, x->name) ||
            cloud_attribute(c, name))
            continue;
        char *copy = memory_string(name);
        if (!copy)
            return GLT_ENOMEM;
        x->source = x->name;
        x->name = copy;
    }
    return number_repeats(c);
}

const char *column_spelling(const struct glt_cloud *c, const struct column *x, const char *format)
{
    bool same = c->format && strcmp(c->format, format) == 0;
    return same && x->source ? x->source : x->name;
}
