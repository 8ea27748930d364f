/* Reviewed points: see reviewed.h. */
#include "datasets/reviewed.h"

#include "cloud/cloud.h"
#include "cloud/column.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "sampling/item.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int reviewed_numbers(int32_t *numbers, const struct glt_cloud *c, const char *name)
{
    const struct column *x = labels_column(c), *seen = cloud_attribute(c, "reviewed");
    if (!x)
        return error_topic(error_in(GLT_EDATA, name, "it has no labels"), GLT_TOPIC_LABELS, NULL);
    if (!column_is_single(seen))
        return error_topic(
            error_in(GLT_EDATA, name,
                     "it has no attribute reviewed, which truth: reviewed requires; apply a patch "
                     "of the viewer to it, in a format that holds attributes (docs/how-to/"
                     "look-at-and-correct-a-result.md)"),
            GLT_TOPIC_ATTRIBUTE, "reviewed");
    int32_t none = labels_none(c, x);
    for (int64_t i = 0; i < c->n; i++) {
        numbers[i] = -1;
        if (!(column_value(seen, i) > 0))
            continue;
        TRY(labels_number(&numbers[i], column_value(x, i), i, name));
        numbers[i] = numbers[i] == none ? -1 : numbers[i];
    }
    return 0;
}

int64_t reviewed_count(const struct item *x)
{
    int64_t n = 0;
    for (int64_t i = 0; x->labels && i < x->n; i++)
        n += x->labels[i] >= 0;
    return n;
}

/* --- tiles --- */

/* A tile with labels. */
struct tile {
    int64_t x, y;
    uint32_t draw; /* a random number that depends on its position */
    bool held;
};

struct tiles {
    struct tile *list; /* sorted by position */
    int32_t n;
    double edge;
};

static struct tile place(const struct item *x, int64_t i, double edge)
{
    double at[2];
    for (int k = 0; k < 2; k++) {
        at[k] = floor(((double)x->xyz[3 * i + k] - (double)x->low[k]) / edge);
        at[k] = fmin(0x1p62, at[k]);
    }
    return (struct tile){.x = (int64_t)at[0], .y = (int64_t)at[1]};
}

static int by_place(const void *a, const void *b)
{
    const struct tile *s = a, *t = b;
    return s->x != t->x ? (s->x > t->x) - (s->x < t->x) : (s->y > t->y) - (s->y < t->y);
}

static const struct tile *find(const struct tiles *t, struct tile key)
{
    return bsearch(&key, t->list, (size_t)t->n, sizeof key, by_place);
}

/* Tiles of the labelled points; rows of an item are sorted, and neighbours often share a tile. */
static int list_tiles(struct tiles *t, const struct item *x, int64_t labelled)
{
    int32_t n = 0;
    t->list = memory_alloc((size_t)labelled + 1, sizeof *t->list);
    if (!t->list)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < x->n; i++) {
        if (x->labels[i] < 0)
            continue;
        struct tile one = place(x, i, t->edge);
        if (n == 0 || by_place(&t->list[n - 1], &one))
            t->list[n++] = one;
    }
    qsort(t->list, (size_t)n, sizeof *t->list, by_place);
    for (int32_t i = 0; i < n; i++)
        if (t->n == 0 || by_place(&t->list[t->n - 1], &t->list[i]))
            t->list[t->n++] = t->list[i];
    return 0;
}

/* Grids of different clouds begin at different corners, which are part of a tile's position. */
static uint64_t corner_seed(const struct item *x, uint64_t seed)
{
    for (int k = 0; k < 2; k++) {
        double at = x->origin[k] + (double)x->low[k];
        uint64_t bits;
        memcpy(&bits, &at, sizeof bits);
        seed = (seed ^ bits) * 0x9e3779b97f4a7c15u;
        seed ^= seed >> 32;
    }
    return seed;
}

static void hold_back(struct tiles *t, uint64_t seed)
{
    int32_t held = 0, least = 0;
    for (int32_t i = 0; i < t->n; i++) {
        struct tile *one = &t->list[i];
        struct random r = random_start(
            random_stream(seed, (uint32_t)one->x, (uint32_t)one->y, RANDOM_REVIEWED), 0);
        one->draw = random_u32(&r);
        one->held = one->draw < UINT32_MAX / REVIEWED_SHARE;
        held += one->held;
        least = one->draw < t->list[least].draw ? i : least;
    }
    if (held == 0 && t->n >= REVIEWED_FEW)
        t->list[least].held = true;
}

/* Whether a tile or a neighbour of it is held out. */
static bool is_near(const struct tiles *t, struct tile at)
{
    for (int dx = -1; dx <= 1; dx++)
        for (int dy = -1; dy <= 1; dy++) {
            const struct tile *one = find(t, (struct tile){.x = at.x + dx, .y = at.y + dy});
            if (one && one->held)
                return true;
        }
    return false;
}

/* Scoring runs over all points of the item, so those far from held-out tiles are dropped; the
 * lowest point stays, from which heights are measured. */
static int drop_far(struct item *x, const struct tiles *t)
{
    bool *kept = memory_alloc((size_t)x->n, sizeof *kept), near = false;
    int64_t lowest = 0;
    if (!kept)
        return GLT_ENOMEM;
    struct tile last = {.x = INT64_MIN};
    for (int64_t i = 0; i < x->n; i++) {
        struct tile at = place(x, i, t->edge);
        near = by_place(&at, &last) ? is_near(t, at) : near;
        last = at;
        kept[i] = near;
        lowest = x->xyz[3 * i + 2] < x->xyz[3 * lowest + 2] ? i : lowest;
    }
    kept[lowest] = true;
    int code = item_keep(x, kept);
    memory_free(kept);
    return code;
}

int reviewed_keep(struct item *x, enum reviewed_part part, double edge, uint64_t seed)
{
    struct tiles t = {.edge = edge};
    if (part == REVIEWED_ALL || !x->labels)
        return 0;
    int code = list_tiles(&t, x, reviewed_count(x));
    if (code == 0)
        hold_back(&t, corner_seed(x, seed));
    for (int64_t i = 0; code == 0 && i < x->n; i++)
        if (x->labels[i] >= 0 && find(&t, place(x, i, edge))->held != (part == REVIEWED_HELD))
            x->labels[i] = -1;
    if (code == 0 && part == REVIEWED_HELD)
        code = drop_far(x, &t);
    memory_free(t.list);
    return code;
}
