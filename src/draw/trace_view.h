/* Views of a trace that images and films share: all of its points, or those around one or two
 * centres, with the centres' neighbours drawn over them. */
#ifndef DRAW_TRACE_VIEW_H
#define DRAW_TRACE_VIEW_H

#include "core/call.h"
#include "draw/render.h"
#include "model/trace_file.h"

enum { TRACE_GAP = 6, TRACE_TITLE = 24 };
enum { TRACE_MEAN = -1, TRACE_RANDOM = -2 }; /* instead of a channel */

struct trace_view {
    struct call call; /* memory of all that is drawn */
    struct trace_file trace;
    struct image image;
    int width, height;         /* of one view */
    int channel[TRACE_LEVELS]; /* of the scores */
    uint64_t seed;             /* of random channels */
    double azimuth;
    double cut;      /* share of the height that views of all points show; < 0: 0.85 for rooms */
    uint8_t *hidden; /* (n[0]), above the cut; NULL: none */
    int32_t centre;  /* network row */
};

enum trace_style {
    TRACE_WEIGHTS, /* neighbours by weight */
    TRACE_SPOKES,  /* neighbours alike, with lines to the centre */
    TRACE_EDGES,   /* lines by weight */
    TRACE_PATCH    /* neighbours alike, without lines */
};

/* Neighbours of a centre, and what is said of each. */
struct trace_group {
    enum trace_style style;
    int32_t centre;
    const int32_t *index; /* (n) network rows */
    const float *weight;  /* (n) */
    const float *other;   /* (n) another head's weights, the right halves of the discs; or NULL */
    int32_t n;
    int32_t shown; /* the first of them are drawn, all count for the view */
    struct colour full, other_full, middle; /* middle: of the centre; black: yellow */
    double radius;                          /* of a circle around the centre; 0: none */
};

/* Channels for `text`: mean, random, N, or one of these for each level, with commas between. */
int trace_view_channels(struct trace_view *p, const char *text);
/* After the trace was opened: the axis `up` becomes z, what is above the cut is hidden. */
int trace_view_prepare(struct trace_view *p, const char *up);
/* The point of the file if it reaches the level, else the nearest that does, which is logged. */
int trace_view_centre(int32_t *row, const struct trace_view *p, int64_t point, int level);

/* Weights of the edges begin .. end - 1 by the channel that is drawn, *channel (TRACE_MEAN: the
 * mean of all). head: 0 geometric, 1 latent. */
int trace_view_weights(float *dst, bool *found, int *channel, const struct trace_view *p, int level,
                       int block, int head, int32_t begin, int32_t end);
const char *trace_view_head(int head);
struct colour trace_view_colour(int head);

/* The first n points from so far that all of the trace would be in sight; g may be NULL. radius: of
 * a point, 0 = by spacing. */
int trace_view_whole(struct image *out, struct trace_view *p, const struct colour *colours,
                     int64_t n, const struct trace_group *g, double radius);
/* How far a group's neighbours are from their centre; without any, the radius of its ball (0:
 * unknown). */
double trace_view_reach(const struct trace_view *p, const struct trace_group *g, int level,
                        int block);
/* What is seen around centres. */
struct trace_scene {
    const struct colour *colours;     /* (n) */
    int64_t n, fit;                   /* points; those that the camera is placed for, at least n */
    const struct trace_group *groups; /* (n_groups) */
    int n_groups;
    double reach; /* points are shown half as far again around the centres */
    double span;  /* of a circle around each centre that must be in sight; 0: none */
};
int trace_view_near(struct image *out, struct trace_view *p, const struct trace_scene *s);

#endif
