/* The pyramid of one cloud, and of several: see pyramid.h and network.md section 2.
 *
 * The same function takes memory for measuring and building, so pyramid_bytes returns exactly the
 * size that is used. Results are taken first, then scratch, which is given back at the end. Twelve
 * searches (two blocks and one up-sampling a level) share three parallel loops. */
#include "geometry/pyramid.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/parallel.h"
#include "geometry/fps.h"
#include "geometry/interpolate.h"
#include "geometry/neighbours.h"
#include "geometry/pad.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 2 * PYRAMID_LEVELS, SEARCHES = BLOCKS + PYRAMID_LEVELS };

struct build {
    struct pyramid *p;
    int32_t *iota; /* (n[1]) */
    float *gap2;   /* (n[1]) */
    struct neighbours padded[PYRAMID_LEVELS][2];
    struct neighbour_search block[PYRAMID_LEVELS][2];
    struct interpolate_search up[PYRAMID_LEVELS];
    int searches;
    int64_t chunk[SEARCHES + 1]; /* the first chunk of each search */
};

static int check_options(const struct pyramid_options *o, int32_t n)
{
    if (n < 1)
        return error_topic(
            error_set(GLT_EARGUMENT, "a cloud of %d points: at least one is needed", n),
            GLT_TOPIC_ARGUMENT, "n");
    if (o->fps_start < 0)
        return error_topic(
            error_set(GLT_EARGUMENT, "fps_start = %d: give a row, 0 or more", o->fps_start),
            GLT_TOPIC_OPTION, "fps_start");
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        if (o->levels[l] < 1)
            return error_topic(error_set(GLT_EARGUMENT, "level %d wants %d points: give 1 or more",
                                         l + 1, o->levels[l]),
                               GLT_TOPIC_OPTION, "levels");
        if (o->k[l] < 1)
            return error_topic(
                error_set(GLT_EARGUMENT, "k = %d at level %d: give 1 or more", o->k[l], l + 1),
                GLT_TOPIC_OPTION, "k");
        if (o->k2[l] < 0)
            return error_topic(
                error_set(GLT_EARGUMENT, "k2 = %d at level %d: give 0 or more", o->k2[l], l + 1),
                GLT_TOPIC_OPTION, "k2");
        float second = o->radius[l] * o->radius2_factor;
        if (o->rule != NEIGHBOURS_KNN &&
            !(o->radius[l] > 0 && isfinite(o->radius[l]) && second > 0 && isfinite(second)))
            return error_topic(
                error_set(GLT_EARGUMENT,
                          "radius %g (times %g in block 2) at level %d: give a finite one "
                          "above 0",
                          (double)o->radius[l], (double)o->radius2_factor, l + 1),
                GLT_TOPIC_OPTION, "radius");
    }
    return 0;
}

static int check_points(const float *xyz, int32_t n)
{
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) {
        if (!isfinite(xyz[i]))
            return error_topic(
                error_place(
                    error_set(GLT_EARGUMENT,
                              "point %lld has %c = %g: coordinates must be finite, remove such "
                              "points",
                              (long long)(i / 3), "xyz"[i % 3], (double)xyz[i]),
                    GLT_PLACE_POINT, (i / 3)),
                GLT_TOPIC_COORDINATES, NULL);
    }
    return 0;
}

static int32_t neighbours_of(const struct pyramid_options *o, int l, int second)
{
    return second && o->k2[l] ? o->k2[l] : o->k[l];
}

/* Points of each level: a level keeps all points if there are fewer than it wants. */
static int level_sizes(int32_t size[PYRAMID_LEVELS + 1], const struct pyramid_options *o, int32_t n)
{
    TRY(check_options(o, n));
    size[0] = n;
    for (int l = 0; l < PYRAMID_LEVELS; l++)
        size[l + 1] = o->levels[l] < size[l] ? o->levels[l] : size[l];
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        for (int second = 0; second < 2; second++) {
            TRY(neighbours_limit(size[l + 1], size[l + second], neighbours_of(o, l, second)));
            if (o->pad)
                TRY(pad_limit(size[l + 1], neighbours_of(o, l, second)));
        }
        TRY(neighbours_limit(size[l], 3, 3));
    }
    return 0;
}

static void bind_results(struct build *b, struct arena *a, const struct pyramid_options *o,
                         const int32_t size[PYRAMID_LEVELS + 1])
{
    struct pyramid *p = b->p;
    p->clouds = 1;
    p->order = arena_take(a, (size_t)size[0], sizeof *p->order);
    p->xyz = arena_take(a, 3 * (size_t)size[0], sizeof *p->xyz);
    b->iota = arena_take(a, (size_t)size[1], sizeof *b->iota);
    for (int l = 0; l <= PYRAMID_LEVELS; l++) {
        p->n[l] = size[l];
        p->first[l] = arena_take(a, 2, sizeof *p->first[l]);
        p->level_xyz[l] = p->xyz; /* a level is a prefix */
        p->centre[l] = l > 0 ? b->iota : NULL;
    }
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        neighbours_take(&p->block[l][0], a, size[l + 1], size[l], neighbours_of(o, l, 0));
        neighbours_take(&p->block[l][1], a, size[l + 1], size[l + 1], neighbours_of(o, l, 1));
        for (int second = 0; o->pad && second < 2; second++)
            neighbours_take_slots(&b->padded[l][second], a, size[l + 1], size[l + second],
                                  neighbours_of(o, l, second));
        if (o->decoder)
            interpolate_take(&p->up[l], a, size[l], size[l + 1]);
        else
            p->up[l] = (struct upsampling){0};
    }
}

static void bind_gaps(struct build *b, struct arena *a, const int32_t size[PYRAMID_LEVELS + 1])
{
    b->gap2 = arena_take(a, (size_t)size[1], sizeof *b->gap2);
}

static void bind_searches(struct build *b, struct arena *a, const struct pyramid_options *o,
                          const int32_t size[PYRAMID_LEVELS + 1])
{
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        neighbours_take_search(&b->block[l][0], a, size[l + 1], size[l], neighbours_of(o, l, 0));
        neighbours_take_search(&b->block[l][1], a, size[l + 1], size[l + 1],
                               neighbours_of(o, l, 1));
        if (o->decoder)
            interpolate_take_search(&b->up[l], a, size[l], size[l + 1]);
    }
}

/* Takes memory like pyramid_build: bytes in total, and of the results alone. */
static int measure(size_t *all, size_t *kept, const struct pyramid_options *o, int32_t n)
{
    int32_t size[PYRAMID_LEVELS + 1];
    TRY(level_sizes(size, o, n));
    struct arena a = arena_measuring();
    struct pyramid p;
    struct build b = {.p = &p};
    bind_results(&b, &a, o, size);
    *kept = a.used;
    bind_gaps(&b, &a, size);
    fps_measure(&a, n); /* ends before the searches begin, which reuse the bytes */
    bind_searches(&b, &a, o, size);
    *all = a.peak;
    return 0;
}

int pyramid_bytes(size_t *bytes, const struct pyramid_options *o, int32_t n)
{
    size_t kept;
    return measure(bytes, &kept, o, n);
}

int pyramid_kept_bytes(size_t *bytes, const struct pyramid_options *o, int32_t n)
{
    size_t all;
    return measure(&all, bytes, o, n);
}

static void fill_levels(struct build *b, struct arena *a, const struct pyramid_options *o,
                        const float *xyz)
{
    struct pyramid *p = b->p;
    int32_t n = p->n[0], start = o->fps_start < n ? o->fps_start : n - 1;
    fps_order(p->order, b->gap2, a, xyz, n, p->n[1], start);
    for (int64_t i = 0; i < n; i++)
        memcpy(p->xyz + 3 * i, xyz + 3 * (int64_t)p->order[i], 3 * sizeof *xyz);
    for (int32_t i = 0; i < p->n[1]; i++)
        b->iota[i] = i;
    for (int l = 0; l <= PYRAMID_LEVELS; l++)
        memcpy(p->first[l], (int32_t[2]){0, p->n[l]}, 2 * sizeof *p->first[l]);
}

/* Approximate distance between points of a level, from the gap of the sample in its middle: on a
 * surface, twice the points are 1.4 times closer. (The last sample is less useful: with few points
 * left to choose from, gaps are small.) */
static double spacing(const struct build *b, int level)
{
    int32_t n = b->p->n[level] < b->p->n[1] ? b->p->n[level] : b->p->n[1];
    double gap = 0.7 * sqrt((double)b->gap2[n / 2]);
    return isfinite(gap) ? gap : 1;
}

static void set_searches(struct build *b, const struct pyramid_options *o)
{
    const float *xyz = b->p->xyz;
    int64_t chunks = 0;
    b->searches = o->decoder ? SEARCHES : BLOCKS;
    for (int t = 0; t < b->searches; t++) {
        b->chunk[t] = chunks;
        int l = t < BLOCKS ? t / 2 : t - BLOCKS, second = t % 2;
        if (t >= BLOCKS) {
            b->up[l].xyz = xyz;
            b->up[l].guess = spacing(b, l + 1);
            chunks += interpolate_chunks(&b->p->up[l]);
            continue;
        }
        struct neighbour_search *s = &b->block[l][second];
        s->xyz = xyz;
        s->rule = o->rule;
        s->radius = second ? o->radius[l] * o->radius2_factor : o->radius[l];
        s->guess = spacing(b, l + second) * (0.5 + sqrt(s->k / 3.14));
        s->stream = random_stream(o->seed, o->epoch, o->sample,
                                  (uint32_t)(RANDOM_NEIGHBOURS + 2 * l + second));
        chunks += neighbours_chunks(&b->p->block[l][second]);
    }
    b->chunk[b->searches] = chunks;
}

static void prepare_searches(void *user, int64_t begin, int64_t end)
{
    struct build *b = user;
    for (int64_t t = begin; t < end; t++) {
        if (t < BLOCKS)
            neighbours_prepare(&b->p->block[t / 2][t % 2], &b->block[t / 2][t % 2]);
        else
            interpolate_prepare(&b->p->up[t - BLOCKS], &b->up[t - BLOCKS]);
    }
}

static void run_chunks(void *user, int64_t begin, int64_t end)
{
    struct build *b = user;
    int t = 0;
    for (int64_t c = begin; c < end; c++) {
        while (c >= b->chunk[t + 1])
            t++;
        if (t < BLOCKS)
            neighbours_chunk(&b->p->block[t / 2][t % 2], &b->block[t / 2][t % 2], c - b->chunk[t]);
        else
            interpolate_chunk(&b->p->up[t - BLOCKS], &b->up[t - BLOCKS], c - b->chunk[t]);
    }
}

static void finish_searches(void *user, int64_t begin, int64_t end)
{
    struct build *b = user;
    for (int64_t t = begin; t < end; t++) {
        if (t < BLOCKS)
            neighbours_finish(&b->p->block[t / 2][t % 2], &b->block[t / 2][t % 2]);
        else
            interpolate_finish(&b->p->up[t - BLOCKS]);
    }
}

int pyramid_build(struct pyramid *out, struct arena *a, const struct pyramid_options *o,
                  const float *xyz, int32_t n)
{
    int32_t size[PYRAMID_LEVELS + 1];
    TRY(level_sizes(size, o, n));
    TRY(check_points(xyz, n));
    struct pyramid p;
    struct build b = {.p = &p};
    bind_results(&b, a, o, size);
    size_t mark = arena_mark(a);
    bind_gaps(&b, a, size);
    fill_levels(&b, a, o, xyz);
    bind_searches(&b, a, o, size);
    set_searches(&b, o);
    parallel_for(b.searches, 1, prepare_searches, &b);
    parallel_for(b.chunk[b.searches], 1, run_chunks, &b);
    parallel_for(b.searches, 1, finish_searches, &b);
    for (int t = 0; o->pad && t < BLOCKS; t++) {
        pad_fill(&b.padded[t / 2][t % 2], &p.block[t / 2][t % 2], neighbours_of(o, t / 2, t % 2));
        p.block[t / 2][t % 2] = b.padded[t / 2][t % 2];
    }
    arena_reset(a, mark);
    *out = p;
    return 0;
}

/* --- one pyramid of several clouds: copies with row offsets ---------------------------------- */

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

static void bind_joined(struct pyramid *out, struct arena *a, const struct pyramid *const *parts,
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
    bind_joined(&p, &measure, parts, clouds);
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
    bind_joined(out, a, parts, clouds);
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
