/* Names: the file's spelling of a field against the name the rest of the program uses. One table;
 * a field whose canonical name is taken by an earlier field keeps its own. */
#include "io/format.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* canonical name, then the spellings seen in the wild, any case */
static const char *const synonyms[][12] = {
    {"x", "x_coordinate", "coord_x", "//x"},
    {"y", "y_coordinate", "coord_y"},
    {"z", "z_coordinate", "coord_z"},
    {"red", "r", "diffuse_red", "rf"},
    {"green", "g", "diffuse_green", "gf"},
    {"blue", "b", "diffuse_blue", "bf"},
    {"intensity", "reflectance", "remission"},
    {"nx", "normal_x", "nx_", "normalx", "n_x"},
    {"ny", "normal_y", "ny_", "normaly", "n_y"},
    {"nz", "normal_z", "nz_", "normalz", "n_z"},
    {"label", "labels", "semantic", "sem_class", "semantic_label"},
    {"instance", "instance_id", "instance_label", "ins_class"},
    {"confidence"},
    {"classification"},
};

const char *canonical_name(const char *source)
{
    /* CloudCompare writes every scalar field with this prefix. */
    const char *bare = strncasecmp(source, "scalar_", 7) == 0 ? source + 7 : source;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        for (size_t j = 0; j < sizeof *synonyms / sizeof **synonyms && synonyms[i][j]; j++)
            if (strcasecmp(bare, synonyms[i][j]) == 0)
                return synonyms[i][0];
    return source;
}

const char *column_spelling(const struct glt_cloud *c, const struct column *x, const char *format)
{
    bool same = c->format && strcmp(c->format, format) == 0;
    return same && x->source ? x->source : x->name;
}
