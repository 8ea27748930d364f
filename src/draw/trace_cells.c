/* Attention and grouping of one centre: see trace_cells.h.
 *
 * attention: rows are the two blocks; in each cell the geometric head in red, the latent one in
 * green, by weight; the centre is yellow, the sampled points of the level are black, all others
 * grey. grouping: rows are the input points of the level, block 1, which looks among them, and
 * block 2, which looks among the sampled ones; neighbours in blue with lines to the centre, and a
 * circle of the ball's radius. */
#include "draw/trace_cells.h"

#include "core/error.h"
#include "core/print.h"
#include "draw/image.h"
#include "draw/trace_colours.h"
#include "model/trace_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = TRACE_CELLS_LINE };

static const struct colour ink = {30, 30, 30}, frame = {170, 170, 175};

void trace_cells_title(struct image *im, int x, int y, int width, const char *text)
{
    char shown[96];
    int scale = image_text_width(text, 2) + 8 <= width ? 2 : 1;
    snprintf(shown, sizeof shown, "%s", text);
    image_text_shorten(shown, width - 8, scale);
    image_text(im, x + 4, y, shown, scale, ink);
}

static void extremes(float *min, float *max, const float *weight, int32_t n)
{
    *min = *max = n ? weight[0] : 0;
    for (int32_t i = 1; i < n; i++) {
        *min = weight[i] < *min ? weight[i] : *min;
        *max = weight[i] > *max ? weight[i] : *max;
    }
}

/* The points that a level starts from, those it samples in black. */
static int sampled_colours(struct colour **out, struct trace_view *p, int level)
{
    *out = call_alloc(&p->call, (size_t)p->trace.n[level - 1], sizeof **out);
    if (!*out)
        return GLT_ENOMEM;
    trace_colours_sampled(*out, &p->trace, level, p->trace.n[level]);
    return 0;
}

/* --- attention --- */

/* A view of an attention image; its top left pixel. */
struct cell {
    int level, block, head, x, y;
};

static int draw_head(struct trace_view *p, const struct trace_block *b, const struct cell *at)
{
    int32_t begin = b->start[p->centre], n = b->start[p->centre + 1] - begin;
    float *weight = call_alloc(&p->call, (size_t)n + 1, sizeof *weight), min, max;
    struct image view = {0};
    struct colour *colours;
    char text[96];
    bool found = false;
    int channel;
    if (!weight)
        return GLT_ENOMEM;
    TRY(trace_view_weights(weight, &found, &channel, p, at->level, at->block, at->head, begin,
                           begin + n));
    struct trace_group g = {.style = TRACE_WEIGHTS,
                            .centre = p->centre,
                            .index = b->index + begin,
                            .weight = weight,
                            .n = n,
                            .shown = n,
                            .full = trace_view_colour(at->head)};
    if (found) {
        TRY(sampled_colours(&colours, p, at->level));
        struct trace_scene scene = {.colours = colours,
                                    .n = p->trace.n[at->level - 1],
                                    .fit = p->trace.n[at->level - 1],
                                    .groups = &g,
                                    .n_groups = 1,
                                    .reach = trace_view_reach(p, &g, at->level, at->block)};
        TRY(trace_view_near(&view, p, &scene));
        image_copy(&p->image, at->x, at->y, &view);
        image_free(&view);
    }
    extremes(&min, &max, weight, n);
    if (!found)
        snprintf(text, sizeof text, "no such head");
    else if (channel >= 0)
        print_to(text, sizeof text, "channel %d, %.2f to %.2f", channel, (double)min, (double)max);
    else
        print_to(text, sizeof text, "%d points, %.3f to %.3f", n, (double)min, (double)max);
    trace_cells_title(&p->image, at->x, at->y - LINE, p->width, text);
    snprintf(text, sizeof text, "level %d block %d %s", at->level, at->block,
             trace_view_head(at->head));
    trace_cells_title(&p->image, at->x, at->y - 2 * LINE, p->width, text);
    return 0;
}

/* Bars for the weights, squares for the rest; im NULL only measures. Returns the height. */
static int attention_legend(struct image *im, int y, int width)
{
    static const char *const names[] = {"centre", "sampled", "not sampled"};
    const struct colour colours[] = {colour(255, 215, 0), colour(40, 40, 40),
                                     colour(205, 205, 210)};
    int scale = width > 1200 ? 2 : 1, line = 11 * scale, x = TRACE_GAP, top = y;
    for (int head = 0; head < 2; head++) {
        struct scale s = {.from = colour(255, 255, 255),
                          .to = trace_view_colour(head),
                          .low =
                              head ? "latent head: lowest weight" : "geometric head: lowest weight",
                          .high = "highest of the view"};
        int used = image_scale(NULL, x, y, &s, scale, ink) + 12 * scale;
        if (x > TRACE_GAP && x + used > width) {
            x = TRACE_GAP;
            y += line;
        }
        image_scale(im, x, y, &s, scale, ink);
        x += used;
    }
    struct legend legend = {names, colours, 3, scale};
    y += line;
    return y - top + image_legend(im, TRACE_GAP, y, width - 2 * TRACE_GAP, &legend, ink);
}

int trace_cells_attention(struct trace_view *p)
{
    int cell = 2 * p->width + TRACE_GAP, title = 2 * LINE + 4;
    int width = TRACE_GAP + TRACE_LEVELS * (cell + TRACE_GAP);
    int top = 2 * (p->height + title + TRACE_GAP);
    int legend = attention_legend(NULL, 0, width) + TRACE_GAP;
    TRY(image_new(&p->image, width, top + legend, colour(255, 255, 255)));
    for (int level = 1; level <= TRACE_LEVELS; level++)
        for (int block = 1; block <= 2; block++) {
            struct trace_block b = {0};
            struct cell at = {.level = level, .block = block};
            int x = TRACE_GAP + (level - 1) * (cell + TRACE_GAP);
            int code = trace_block_read(&b, &p->trace, level, block);
            at.y = title + (block - 1) * (p->height + title + TRACE_GAP);
            for (; code == 0 && at.head < 2 && p->centre < b.centres; at.head++) {
                at.x = x + at.head * p->width;
                code = draw_head(p, &b, &at);
            }
            trace_block_free(&b);
            TRY(code);
            image_frame(&p->image, x - 1, at.y - 1, 2 * p->width + 2, p->height + 2, frame);
        }
    attention_legend(&p->image, top, width);
    return 0;
}

/* --- grouping --- */

/* The centre's list of a block, with all of its neighbours alike. */
static int take_group(struct trace_group *g, struct trace_view *p, int level, int block)
{
    struct trace_block b = {0};
    TRY(trace_block_read(&b, &p->trace, level, block));
    int32_t begin = b.start[p->centre], n = b.start[p->centre + 1] - begin;
    int32_t *index = call_alloc(&p->call, (size_t)n + 1, sizeof *index);
    float *weight = call_alloc(&p->call, (size_t)n + 1, sizeof *weight);
    if (index && weight)
        memcpy(index, b.index + begin, (size_t)n * sizeof *index);
    for (int32_t i = 0; weight && i < n; i++)
        weight[i] = 1;
    trace_block_free(&b);
    *g = (struct trace_group){.style = TRACE_SPOKES,
                              .centre = p->centre,
                              .index = index,
                              .weight = weight,
                              .n = n,
                              .shown = n,
                              .full = colour(40, 100, 210),
                              .radius = p->trace.radius[level - 1][block - 1]};
    return index && weight ? 0 : GLT_ENOMEM;
}

/* Row 0 shows the input, 1 and 2 the blocks; all three from the same place. */
static int draw_row(struct trace_view *p, int level, int row, const struct trace_group groups[2],
                    double reach)
{
    const struct trace_group *g = &groups[row == 2];
    struct colour *colours;
    struct image view = {0};
    char text[96];
    struct trace_group none = {.centre = p->centre};
    struct trace_scene scene = {.n = p->trace.n[row == 2 ? level : level - 1],
                                .fit = p->trace.n[level - 1],
                                .groups = row ? g : &none,
                                .n_groups = 1,
                                .reach = reach,
                                .span = groups[1].radius};
    int x = TRACE_GAP + (level - 1) * (p->width + TRACE_GAP);
    int y = LINE + 4 + row * (p->height + LINE + 4 + TRACE_GAP);
    TRY(sampled_colours(&colours, p, level));
    scene.colours = colours;
    TRY(trace_view_near(&view, p, &scene));
    image_copy(&p->image, x, y, &view);
    image_free(&view);
    image_frame(&p->image, x - 1, y - 1, p->width + 2, p->height + 2, frame);
    if (row == 0)
        snprintf(text, sizeof text, "level %d: input", level);
    else if (g->radius > 0)
        print_to(text, sizeof text, "block %d: %d, r%d %.3g", row, g->n, row, g->radius);
    else
        snprintf(text, sizeof text, "block %d: %d points", row, g->n);
    trace_cells_title(&p->image, x, y - LINE, p->width, text);
    return 0;
}

static void grouping_legend(struct image *im, int y)
{
    static const char *const names[] = {"neighbours", "radius", "centre", "sampled", "not sampled"};
    const struct colour colours[] = {colour(40, 100, 210), colour(230, 120, 0), colour(255, 215, 0),
                                     colour(40, 40, 40), colour(205, 205, 210)};
    struct legend legend = {names, colours, 5, im->width > 700 ? 2 : 1};
    image_legend(im, TRACE_GAP, y, im->width - 2 * TRACE_GAP, &legend, ink);
}

int trace_cells_grouping(struct trace_view *p)
{
    enum { LEGEND = 28 };
    int top = 3 * (p->height + LINE + 4 + TRACE_GAP);
    TRY(image_new(&p->image, TRACE_GAP + TRACE_LEVELS * (p->width + TRACE_GAP), top + LEGEND,
                  colour(255, 255, 255)));
    for (int level = 1; level <= TRACE_LEVELS; level++) {
        struct trace_group g[2];
        double reach = 0;
        for (int b = 0; b < 2; b++) {
            TRY(take_group(&g[b], p, level, b + 1));
            reach = fmax(reach, trace_view_reach(p, &g[b], level, b + 1));
        }
        for (int row = 0; row < 3; row++)
            TRY(draw_row(p, level, row, g, reach));
    }
    grouping_legend(&p->image, top);
    return 0;
}
