/* Two centres and their graphs, as the paper's table "Gelatto as a graph neural network" draws
 * them: the points; the patch inside the radius around a red and a cyan centre; edges to the K
 * neighbours that were picked (yellow); the edges that the heads learned, one graph for the
 * geometric features, one for the latent ones, by weight. */
#include "draw/trace_pair.h"

#include "core/error.h"
#include "core/print.h"
#include "draw/image.h"
#include "draw/trace_cells.h"
#include "model/trace_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIR = 2, HEADS = 2, PANELS = 3 + HEADS };

struct pair {
    struct trace_view *view;
    const struct trace_subject *subject;
    struct trace_block block;
    int32_t centre[PAIR];
    int32_t candidates; /* that a centre looks among: the first of all points */
    double radius, reach;
    struct colour *colours; /* (candidates) */
};

static double distance(const struct trace_view *p, int32_t a, int32_t b)
{
    const float *x = p->trace.xyz + 3 * (int64_t)a, *y = p->trace.xyz + 3 * (int64_t)b;
    double sum = 0;
    for (int d = 0; d < 3; d++)
        sum += ((double)x[d] - (double)y[d]) * ((double)x[d] - (double)y[d]);
    return sqrt(sum);
}

/* The picked neighbours of a centre. */
static struct trace_group picked(const struct pair *q, int i)
{
    int32_t begin = q->block.start[q->centre[i]], n = q->block.start[q->centre[i] + 1] - begin;
    return (struct trace_group){.style = TRACE_SPOKES,
                                .centre = q->centre[i],
                                .index = q->block.index + begin,
                                .n = n,
                                .shown = n,
                                .full = colour(255, 215, 0),
                                .middle = i ? colour(0, 170, 190) : colour(214, 20, 20)};
}

/* The nearest centre beyond `reach`, so that two neighbourhoods overlap and differ; else the
 * farthest. */
static int32_t find_other(const struct pair *q, double reach)
{
    const struct trace_view *p = q->view;
    int32_t best = q->centre[0], farthest = q->centre[0];
    for (int32_t i = 0; i < p->trace.n[q->subject->level]; i++) {
        double d = distance(p, q->centre[0], i), least = distance(p, q->centre[0], best);
        if (d > reach && (best == q->centre[0] || d < least))
            best = i;
        if (d > distance(p, q->centre[0], farthest))
            farthest = i;
    }
    return best == q->centre[0] ? farthest : best;
}

static int find_centres(struct pair *q)
{
    struct trace_view *p = q->view;
    const struct trace_subject *s = q->subject;
    TRY(trace_view_centre(&q->centre[0], p, s->point, s->level));
    struct trace_group first = picked(q, 0);
    double reach = trace_view_reach(p, &first, s->level, s->block);
    if (s->other >= 0)
        TRY(trace_view_centre(&q->centre[1], p, s->other, s->level));
    else
        q->centre[1] = find_other(q, fmax(q->radius, reach));
    struct trace_group second = picked(q, 1);
    q->reach = fmax(reach, trace_view_reach(p, &second, s->level, s->block));
    return 0;
}

/* All candidates inside the radius of centre i; without one the picked neighbours. */
static int inside(struct trace_group *g, const struct pair *q, int i)
{
    struct trace_view *p = q->view;
    int32_t *index = call_alloc(&p->call, (size_t)q->candidates, sizeof *index);
    if (!index)
        return GLT_ENOMEM;
    g->style = TRACE_PATCH;
    g->full = i ? colour(140, 215, 225) : colour(240, 150, 150);
    g->radius = q->radius;
    if (q->radius <= 0)
        return 0;
    g->n = 0;
    for (int32_t k = 0; k < q->candidates; k++)
        if (distance(p, q->centre[i], k) <= q->radius)
            index[g->n++] = k;
    g->index = index;
    g->shown = g->n;
    return 0;
}

/* Weights of a panel's group: those of a head, or all alike. */
static int weigh(struct trace_group *g, bool *found, const struct pair *q, int panel)
{
    const struct trace_subject *s = q->subject;
    int32_t begin = q->block.start[g->centre];
    float *weight = call_alloc(&q->view->call, (size_t)g->n + 1, sizeof *weight);
    int head = panel - (PANELS - HEADS), channel;
    if (!weight)
        return GLT_ENOMEM;
    g->weight = weight;
    for (int32_t i = 0; i < g->n; i++)
        weight[i] = 1;
    *found = true;
    if (head < 0)
        return 0;
    g->style = TRACE_EDGES;
    g->full = trace_view_colour(head);
    return trace_view_weights(weight, found, &channel, q->view, s->level, s->block, head, begin,
                              begin + g->n);
}

static void title_of(char text[96], const struct pair *q, int panel)
{
    static const char *const steps[] = {"1: points", "2: inside", "3: picked", "4: geometric graph",
                                        "5: latent graph"};
    struct trace_group a = picked(q, 0), b = picked(q, 1);
    snprintf(text, 96, "%s", steps[panel]);
    if (panel == 0)
        snprintf(text, 96, "%s, level %d block %d", steps[0], q->subject->level, q->subject->block);
    if (panel == 1 && q->radius > 0)
        print_to(text, 96, "%s r = %.3g", steps[1], q->radius);
    if (panel == 2)
        snprintf(text, 96, "%s %d and %d", steps[2], a.n, b.n);
}

static int put_panel(struct pair *q, int panel)
{
    struct trace_view *p = q->view;
    struct trace_group g[PAIR];
    struct image view = {0};
    char text[96];
    bool found = true;
    int x = TRACE_GAP + panel * (p->width + TRACE_GAP), y = TRACE_TITLE;
    for (int i = 0; i < PAIR; i++) {
        g[i] = picked(q, i);
        if (panel == 1)
            TRY(inside(&g[i], q, i));
        if (panel == 0)
            g[i].n = g[i].shown = 0;
        TRY(weigh(&g[i], &found, q, panel));
    }
    title_of(text, q, panel);
    trace_cells_title(&p->image, x, y - TRACE_CELLS_LINE, p->width, found ? text : "no such head");
    image_frame(&p->image, x - 1, y - 1, p->width + 2, p->height + 2, colour(170, 170, 175));
    if (!found)
        return 0;
    struct trace_scene scene = {.colours = q->colours,
                                .n = q->candidates,
                                .fit = q->candidates,
                                .groups = g,
                                .n_groups = PAIR,
                                .reach = q->reach,
                                .span = q->radius};
    TRY(trace_view_near(&view, p, &scene));
    image_copy(&p->image, x, y, &view);
    image_free(&view);
    return 0;
}

static void draw_legend(struct image *im, int y)
{
    static const char *const names[] = {"a centre", "another", "picked neighbours"};
    const struct colour colours[] = {colour(214, 20, 20), colour(0, 170, 190), colour(255, 215, 0)};
    int scale = im->width > 1200 ? 2 : 1;
    struct legend legend = {names, colours, 3, scale};
    image_legend(im, TRACE_GAP, y, im->width / 2, &legend, colour(30, 30, 30));
    for (int head = 0, x = im->width / 2; head < HEADS; head++) {
        struct scale s = {.from = colour(225, 225, 225),
                          .to = trace_view_colour(head),
                          .low = "low",
                          .high = "high weight"};
        x += image_scale(im, x, y, &s, scale, colour(30, 30, 30)) + 12 * scale;
    }
}

static int draw(struct pair *q)
{
    enum { LEGEND = 28 };
    struct trace_view *p = q->view;
    TRY(find_centres(q));
    q->colours = call_alloc(&p->call, (size_t)q->candidates, sizeof *q->colours);
    if (!q->colours)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < q->candidates; i++)
        q->colours[i] = colour(40, 40, 40);
    TRY(image_new(&p->image, TRACE_GAP + PANELS * (p->width + TRACE_GAP),
                  p->height + TRACE_TITLE + TRACE_GAP + LEGEND, colour(255, 255, 255)));
    for (int panel = 0; panel < PANELS; panel++)
        TRY(put_panel(q, panel));
    draw_legend(&p->image, p->height + TRACE_TITLE + 2 * TRACE_GAP);
    return 0;
}

int trace_pair_draw(struct trace_view *p, const struct trace_subject *s)
{
    struct pair q = {.view = p,
                     .subject = s,
                     .candidates = p->trace.n[s->block == 2 ? s->level : s->level - 1],
                     .radius = p->trace.radius[s->level - 1][s->block - 1]};
    TRY(trace_block_read(&q.block, &p->trace, s->level, s->block));
    int code = draw(&q);
    trace_block_free(&q.block);
    return code;
}
