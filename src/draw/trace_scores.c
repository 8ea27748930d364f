/* All attention scores of one point, of all levels and blocks, in one view: see trace_scores.h.
 *
 * Every score is drawn between the lowest and the highest of its list, because the lists differ in
 * length. A point that several lists hold has the largest of its shares. Three views: the geometric
 * head in red, the latent head in green, both together (left half geometric, right half latent). */
#include "draw/trace_scores.h"

#include "core/error.h"
#include "draw/image.h"
#include "draw/trace_cells.h"
#include "model/trace_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEADS = TRACE_HEADS, VIEWS = 3 };

static void add_list(float *share, const int32_t *index, const float *weight, int32_t n)
{
    float min = INFINITY, max = -INFINITY;
    for (int32_t i = 0; i < n; i++) {
        min = isfinite(weight[i]) && weight[i] < min ? weight[i] : min;
        max = isfinite(weight[i]) && weight[i] > max ? weight[i] : max;
    }
    double range = (double)max - (double)min;
    for (int32_t i = 0; i < n; i++) {
        float x = range > 0 ? (float)(((double)weight[i] - (double)min) / range) : 1;
        if (isfinite(weight[i]) && x > share[index[i]])
            share[index[i]] = x;
    }
}

static int add_block(struct trace_scores *s, int level, int block)
{
    struct trace_view *p = s->view;
    struct trace_block b = {0};
    TRY(trace_block_read(&b, &p->trace, level, block));
    int64_t mark = call_mark(&p->call);
    int32_t begin = b.start[p->centre], n = b.start[p->centre + 1] - begin;
    float *weight = call_alloc(&p->call, (size_t)n + 1, sizeof *weight);
    int code = weight ? 0 : GLT_ENOMEM, channel;
    for (int head = 0; code == 0 && head < HEADS; head++) {
        bool found;
        code =
            trace_view_weights(weight, &found, &channel, p, level, block, head, begin, begin + n);
        if (code == 0 && found)
            add_list(s->share[head], b.index + begin, weight, n);
        s->found[head] = s->found[head] || (code == 0 && found);
    }
    trace_block_free(&b);
    call_reset(&p->call, mark);
    return code;
}

/* The points that any list holds, and their shares; 0 where a head does not look. */
static int collect(struct trace_scores *s)
{
    size_t n = (size_t)s->view->trace.n[0];
    s->index = call_alloc(&s->view->call, n, sizeof *s->index);
    for (int h = 0; h < HEADS; h++)
        s->weight[h] = call_alloc(&s->view->call, n, sizeof *s->weight[h]);
    if (!s->index || !s->weight[0] || !s->weight[1])
        return GLT_ENOMEM;
    for (int32_t i = 0; i < (int32_t)n; i++) {
        if (s->share[0][i] < 0 && s->share[1][i] < 0)
            continue;
        for (int h = 0; h < HEADS; h++)
            s->weight[h][s->n] = fmaxf(s->share[h][i], 0);
        s->index[s->n++] = i;
    }
    return 0;
}

int trace_scores_gather(struct trace_scores *s, struct trace_view *p)
{
    s->view = p;
    for (int h = 0; h < HEADS; h++) {
        s->share[h] = call_alloc(&p->call, (size_t)p->trace.n[0], sizeof *s->share[h]);
        if (!s->share[h])
            return GLT_ENOMEM;
        for (int32_t i = 0; i < p->trace.n[0]; i++)
            s->share[h][i] = -1;
    }
    for (int level = 1; level <= TRACE_LEVELS; level++)
        for (int block = 1; block <= 2; block++)
            TRY(add_block(s, level, block));
    if (!s->found[0] && !s->found[1])
        return error_topic(error_set(GLT_EDATA, "the network has no attention heads"),
                           GLT_TOPIC_MISSING, "attention");
    return collect(s);
}

/* `what`: 0 or 1, a head; 2: both. */
static int put_view(struct trace_scores *s, int column, int what, const struct colour *colours)
{
    struct trace_view *p = s->view;
    int head = what == 1, x = TRACE_GAP + column * (p->width + TRACE_GAP), y = TRACE_TITLE;
    char text[96];
    struct image view = {0};
    struct trace_group g = {.style = TRACE_WEIGHTS,
                            .centre = p->centre,
                            .index = s->index,
                            .weight = s->weight[head],
                            .other = what == 2 ? s->weight[1] : NULL,
                            .n = s->n,
                            .shown = s->n,
                            .full = trace_view_colour(head),
                            .other_full = trace_view_colour(1)};
    struct trace_scene scene = {.colours = colours,
                                .n = p->trace.n[0],
                                .fit = p->trace.n[0],
                                .groups = &g,
                                .n_groups = 1,
                                .reach = trace_view_reach(p, &g, TRACE_LEVELS, 2)};
    TRY(trace_view_near(&view, p, &scene));
    image_copy(&p->image, x, y, &view);
    image_free(&view);
    image_frame(&p->image, x - 1, y - 1, p->width + 2, p->height + 2, colour(170, 170, 175));
    if (what == 2)
        snprintf(text, sizeof text, "both: left geometric, right latent");
    else
        snprintf(text, sizeof text, "%s head, all levels", trace_view_head(head));
    trace_cells_title(&p->image, x, y - TRACE_CELLS_LINE, p->width, text);
    return 0;
}

static void draw_legend(struct image *im, int y)
{
    int scale = im->width > 1200 ? 2 : 1, x = TRACE_GAP;
    for (int head = 0; head < HEADS; head++) {
        struct scale s = {.from = colour(255, 255, 255),
                          .to = trace_view_colour(head),
                          .low = head ? "latent: lowest" : "geometric: lowest",
                          .high = "highest of its list"};
        x += image_scale(im, x, y, &s, scale, colour(30, 30, 30)) + 12 * scale;
    }
}

int trace_scores_draw(struct trace_view *p)
{
    enum { LEGEND = 28 };
    struct trace_scores s = {0};
    TRY(trace_scores_gather(&s, p));
    bool both = s.found[0] && s.found[1];
    int views = both ? VIEWS : 1, n = p->trace.n[0];
    struct colour *colours = call_alloc(&p->call, (size_t)n, sizeof *colours);
    if (!colours)
        return GLT_ENOMEM;
    for (int i = 0; i < n; i++)
        colours[i] = colour(205, 205, 210);
    TRY(image_new(&p->image, TRACE_GAP + views * (p->width + TRACE_GAP),
                  p->height + TRACE_TITLE + TRACE_GAP + LEGEND, colour(255, 255, 255)));
    for (int i = 0; i < views; i++)
        TRY(put_view(&s, i, both ? i : s.found[1], colours));
    draw_legend(&p->image, p->height + TRACE_TITLE + 2 * TRACE_GAP);
    return 0;
}
