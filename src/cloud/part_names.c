/* Names of parts: see part_names.h. ShapeNetPart (Yi et al. 2016) publishes numbers; these are the
 * names that papers use for them, in the order of the numbers. */
#include "cloud/part_names.h"

#include "core/error.h"
#include "core/string.h"

#include <stdio.h>
#include <string.h>

enum { CATEGORIES = 16, PARTS_MAX = 6 };

static const struct {
    const char *name, *parts[PARTS_MAX + 1];
} categories[CATEGORIES] = {
    {"airplane", {"body", "wing", "tail", "engine"}},
    {"bag", {"handle", "body"}},
    {"cap", {"crown", "visor"}},
    {"car", {"roof", "hood", "wheel", "body"}},
    {"chair", {"back", "seat", "leg", "arm"}},
    {"earphone", {"earcup", "headband", "cable"}},
    {"guitar", {"head", "neck", "body"}},
    {"knife", {"blade", "handle"}},
    {"lamp", {"base", "lampshade", "canopy", "stem"}},
    {"laptop", {"keyboard", "screen"}},
    {"motorbike", {"gas tank", "seat", "wheel", "handlebar", "light", "frame"}},
    {"mug", {"handle", "cup"}},
    {"pistol", {"barrel", "handle", "trigger"}},
    {"rocket", {"body", "fin", "nose"}},
    {"skateboard", {"wheel", "deck", "truck"}},
    {"table", {"top", "leg", "drawer"}},
};

/* "Chair 2": the default name of a part. */
static bool is_number(const char *name, const char *category, int32_t part)
{
    char text[64];
    snprintf(text, sizeof text, "%.50s %d", category, (int)part + 1);
    return !string_compare_nocase(name, text);
}

static bool is_shapenetpart(const struct classes *c)
{
    if (c->n_categories != CATEGORIES)
        return false;
    for (int32_t i = 0; i < CATEGORIES; i++) {
        const struct category *k = &c->categories[i];
        int32_t parts = 0;
        while (categories[i].parts[parts])
            parts++;
        if (string_compare_nocase(k->name, categories[i].name) != 0 || k->count != parts)
            return false;
        for (int32_t p = 0; p < parts; p++)
            if (!is_number(c->names[k->first + p], k->name, p))
                return false;
    }
    return true;
}

int part_names_apply(struct classes *c)
{
    if (!is_shapenetpart(c))
        return 0;
    for (int32_t i = 0; i < CATEGORIES; i++)
        for (int32_t p = 0; categories[i].parts[p]; p++) {
            char name[CLASS_NAME_MAX + 1];
            snprintf(name, sizeof name, "%s %s", categories[i].name, categories[i].parts[p]);
            TRY(classes_change(c, c->categories[i].first + p, name, NULL));
        }
    return 0;
}
