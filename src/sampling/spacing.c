/* Thinning to a spacing: see spacing.h. */
#include "sampling/spacing.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "geometry/nearest.h"
#include "sampling/cubes.h"

#include <math.h>

enum { GRAIN = 4096 };

/* kept (n): whether a row stays. */
static int choose(bool *kept, const struct item *x, double spacing)
{
    struct cubes c = {0};
    int32_t at = 0;
    double low[3] = {0}; /* on the world grid a cube begins at 0, 0, 0 of the file */
    for (int k = 0; k < 3 && x->lattice > 0; k++)
        low[k] = -x->origin[k];
    cubes_begin(&c, x->xyz, low, spacing);
    for (int32_t i = 0; i < x->n && at >= 0; i++) {
        at = cubes_find(&c, i);
        if (at >= 0 && cubes_off_centre(&c, i) < cubes_off_centre(&c, c.row[at]))
            c.row[at] = i;
    }
    for (int32_t i = 0; i < c.n; i++)
        kept[c.row[i]] = true;
    cubes_free(&c);
    return at < 0 ? at : 0;
}

/* The points that are kept, as a cloud of its own: the others are not missing, they are labelled
 * later. */
static int copy_kept(struct item *out, const struct item *x, const bool *kept)
{
    TRY(item_select(out, x, kept));
    out->rows = out->n;
    item_find_low(out);
    return 0;
}

int spacing_thin(struct item *out, const struct item *x, double spacing)
{
    bool *kept = memory_alloc((size_t)x->n, sizeof *kept);
    if (!kept)
        return GLT_ENOMEM;
    int code = choose(kept, x, spacing);
    if (code == 0)
        code = copy_kept(out, x, kept);
    memory_free(kept);
    return code;
}

int spacing_draw(struct item *out, const struct item *x, int32_t n, uint64_t seed)
{
    bool *kept = memory_alloc((size_t)x->n, sizeof *kept);
    int32_t *rows = memory_alloc((size_t)n, sizeof *rows);
    int code = kept && rows ? 0 : GLT_ENOMEM;
    if (code == 0) {
        struct random r = random_start(random_stream(seed, 0, 0, RANDOM_BLOCK), 1);
        random_sample(&r, rows, n, x->n);
        for (int32_t i = 0; i < n; i++)
            kept[rows[i]] = true;
        code = copy_kept(out, x, kept);
    }
    memory_free(rows);
    memory_free(kept);
    return code;
}

/* --- from the thinned cloud to all points --- */

struct search {
    int32_t *nearest;
    const float *xyz;
    struct grid grid;
    double spacing;
};

static void search_chunk(void *user, int64_t begin, int64_t end)
{
    struct search *s = user;
    for (int64_t i = begin; i < end; i++) {
        uint64_t key;
        nearest_search(&key, &s->grid, s->xyz + 3 * i, 1, INFINITY, s->spacing);
        s->nearest[i] = nearest_rank(key);
    }
}

int spacing_nearest(int32_t *nearest, const struct item *whole, const struct item *thin,
                    double spacing)
{
    struct search s = {.nearest = nearest, .xyz = whole->xyz, .spacing = spacing};
    struct arena a = arena_measuring();
    grid_take(&s.grid, &a, thin->n);
    TRY(arena_init(&a, a.peak));
    grid_take(&s.grid, &a, thin->n);
    grid_build(&s.grid, thin->xyz, thin->n, spacing);
    parallel_for(whole->n, GRAIN, search_chunk, &s);
    arena_free(&a);
    return 0;
}
