/* Rules of a data set: what labels of the files become, before their names and numbers count. They
 * stay in the order they were given, which fingerprints know, and are found by a sorted list of
 * them, because a label may be looked up for every point. */
#include "core/error.h"
#include "core/memory.h"
#include "datasets/dataset.h"

#include <string.h>
#include <strings.h>

static const char *from(const struct dataset *d, int32_t at)
{
    return d->map[d->map_order[at]].from;
}

/* The first of the sorted rules that is not before the label. */
static int32_t place_of(const struct dataset *d, const char *label)
{
    int32_t low = 0, high = d->n_map;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (strcasecmp(from(d, middle), label) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool stands_at(const struct dataset *d, int32_t at, const char *label)
{
    return at < d->n_map && !strcasecmp(from(d, at), label);
}

int32_t rules_find(const struct dataset *d, const char *label)
{
    int32_t at = place_of(d, label);
    return stands_at(d, at, label) ? d->map_order[at] : d->n_map;
}

static int make_room(struct dataset *d)
{
    size_t room = d->map_room ? 2 * (size_t)d->map_room : 16;
    struct label_map *map = memory_resize(d->map, room, sizeof *map);
    if (!map)
        return GLT_ENOMEM;
    d->map = map;
    int32_t *order = memory_resize(d->map_order, room, sizeof *order);
    if (!order)
        return GLT_ENOMEM;
    d->map_order = order;
    d->map_room = (int32_t)room;
    return 0;
}

int rules_add(struct dataset *d, const char *label, int32_t class)
{
    if (d->n_map == d->map_room)
        TRY(make_room(d));
    char *copy = memory_string(label);
    if (!copy)
        return GLT_ENOMEM;
    int32_t at = place_of(d, label);
    at += stands_at(d, at, label); /* the first rule of a label counts */
    memmove(&d->map_order[at + 1], &d->map_order[at],
            (size_t)(d->n_map - at) * sizeof *d->map_order);
    d->map_order[at] = d->n_map;
    d->map[d->n_map++] = (struct label_map){copy, class};
    return 0;
}
