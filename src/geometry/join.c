/* One pyramid of several clouds, cloud after cloud at every level: copies with row offsets. */
#include "core/arena.h"
#include "geometry/pyramid.h"

#include <string.h>

static void bind_neighbours(struct neighbours *out, struct arena *a,
                            const struct pyramid *const *parts, int32_t clouds, int l, int second)
{
    size_t edges = 0;
    *out = (struct neighbours){0};
    for (int32_t b = 0; b < clouds; b++) {
        const struct neighbours *part = &parts[b]->block[l][second];
        out->centres += part->centres;
        out->candidates += part->candidates;
        edges += (size_t)part->start[part->centres];
    }
    out->start = arena_take(a, (size_t)out->centres + 1, sizeof *out->start);
    out->index = arena_take(a, edges, sizeof *out->index);
    out->tstart = arena_take(a, (size_t)out->candidates + 1, sizeof *out->tstart);
    out->tindex = arena_take(a, edges, sizeof *out->tindex);
    out->tedge = arena_take(a, edges, sizeof *out->tedge);
}

static void bind_upsampling(struct upsampling *out, struct arena *a,
                            const struct pyramid *const *parts, int32_t clouds, int l)
{
    size_t taps = 0;
    *out = (struct upsampling){0};
    if (!parts[0]->up[l].index) /* no decoder: none of the parts has any */
        return;
    for (int32_t b = 0; b < clouds; b++) {
        const struct upsampling *part = &parts[b]->up[l];
        out->fine += part->fine;
        out->coarse += part->coarse;
        taps += (size_t)part->tstart[part->coarse];
    }
    out->index = arena_take(a, 3 * (size_t)out->fine, sizeof *out->index);
    out->weight = arena_take(a, 3 * (size_t)out->fine, sizeof *out->weight);
    out->tstart = arena_take(a, (size_t)out->coarse + 1, sizeof *out->tstart);
    out->tindex = arena_take(a, taps, sizeof *out->tindex);
    out->tweight = arena_take(a, taps, sizeof *out->tweight);
}

static void bind(struct pyramid *out, struct arena *a, const struct pyramid *const *parts,
                 int32_t clouds)
{
    out->clouds = clouds;
    for (int l = 0; l <= PYRAMID_LEVELS; l++) {
        out->n[l] = 0;
        for (int32_t b = 0; b < clouds; b++)
            out->n[l] += parts[b]->n[l];
        size_t n = (size_t)out->n[l];
        out->first[l] = arena_take(a, (size_t)clouds + 1, sizeof *out->first[l]);
        out->level_xyz[l] = arena_take(a, 3 * n, sizeof *out->level_xyz[l]);
        out->centre[l] = l > 0 ? arena_take(a, n, sizeof *out->centre[l]) : NULL;
    }
    out->xyz = out->level_xyz[0];
    out->order = arena_take(a, (size_t)out->n[0], sizeof *out->order);
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        bind_neighbours(&out->block[l][0], a, parts, clouds, l, 0);
        bind_neighbours(&out->block[l][1], a, parts, clouds, l, 1);
        bind_upsampling(&out->up[l], a, parts, clouds, l);
    }
}

size_t pyramid_join_bytes(const struct pyramid *const *parts, int32_t clouds)
{
    struct arena measure = arena_measuring();
    struct pyramid p;
    bind(&p, &measure, parts, clouds);
    return measure.peak;
}

static void copy_shifted(int32_t *dst, const int32_t *src, int64_t n, int32_t shift)
{
    for (int64_t i = 0; i < n; i++)
        dst[i] = src[i] + shift;
}

static void copy_levels(struct pyramid *out, const struct pyramid *part, int32_t b,
                        const int32_t row[PYRAMID_LEVELS + 1])
{
    for (int l = 0; l <= PYRAMID_LEVELS; l++) {
        out->first[l][b] = row[l];
        out->first[l][b + 1] = row[l] + part->n[l];
        memcpy(out->level_xyz[l] + 3 * (int64_t)row[l], part->level_xyz[l],
               3 * (size_t)part->n[l] * sizeof *part->xyz);
        if (l > 0)
            copy_shifted(out->centre[l] + row[l], part->centre[l], part->n[l], row[l - 1]);
    }
    memcpy(out->order + row[0], part->order, (size_t)part->n[0] * sizeof *part->order);
}

static void copy_neighbours(struct neighbours *out, const struct neighbours *part, int32_t centre,
                            int32_t candidate)
{
    int32_t edges = part->start[part->centres], edge = centre > 0 ? out->start[centre] : 0;
    copy_shifted(out->start + centre, part->start, (int64_t)part->centres + 1, edge);
    copy_shifted(out->tstart + candidate, part->tstart, (int64_t)part->candidates + 1, edge);
    copy_shifted(out->index + edge, part->index, edges, candidate);
    copy_shifted(out->tindex + edge, part->tindex, edges, centre);
    copy_shifted(out->tedge + edge, part->tedge, edges, edge);
}

static void copy_upsampling(struct upsampling *out, const struct upsampling *part, int32_t fine,
                            int32_t coarse)
{
    int32_t taps = part->tstart[part->coarse], tap = coarse > 0 ? out->tstart[coarse] : 0;
    copy_shifted(out->index + 3 * (int64_t)fine, part->index, 3 * (int64_t)part->fine, coarse);
    memcpy(out->weight + 3 * (int64_t)fine, part->weight,
           3 * (size_t)part->fine * sizeof *part->weight);
    copy_shifted(out->tstart + coarse, part->tstart, (int64_t)part->coarse + 1, tap);
    copy_shifted(out->tindex + tap, part->tindex, taps, fine);
    memcpy(out->tweight + tap, part->tweight, (size_t)taps * sizeof *part->tweight);
}

void pyramid_join(struct pyramid *out, struct arena *a, const struct pyramid *const *parts,
                  int32_t clouds)
{
    int32_t row[PYRAMID_LEVELS + 1] = {0};
    bind(out, a, parts, clouds);
    for (int32_t b = 0; b < clouds; b++) {
        const struct pyramid *part = parts[b];
        copy_levels(out, part, b, row);
        for (int l = 0; l < PYRAMID_LEVELS; l++) {
            copy_neighbours(&out->block[l][0], &part->block[l][0], row[l + 1], row[l]);
            copy_neighbours(&out->block[l][1], &part->block[l][1], row[l + 1], row[l + 1]);
            if (out->up[l].index)
                copy_upsampling(&out->up[l], &part->up[l], row[l], row[l + 1]);
        }
        for (int l = 0; l <= PYRAMID_LEVELS; l++)
            row[l] += part->n[l];
    }
}
