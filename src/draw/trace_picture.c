/* The paper's pictures from a trace.
 *
 * attention: columns are encoder levels, rows the two blocks; in each cell the geometric head in
 * red, the latent one in green, by weight; the centre is yellow, the sampled points of the level
 * are black, all others grey. grouping: the same cells, neighbours in blue with lines to the
 * centre. The other kinds are in trace_views.c. */
#include "core/error.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "draw/trace_draw.h"

#include <stdio.h>
#include <string.h>

enum { LEGEND = 40, TITLE_LINE = 2 * IMAGE_LINE + 1 };

static int title_height(const struct picture *p)
{
    return TITLE_LINE * (p->weights ? 2 : 1) + 4;
}

/* As large as the view is wide enough for; the end of what never fits is left out. */
static void draw_title(struct picture *p, int x, int y, const char *text)
{
    char shown[96];
    int scale = image_text_width(text, 2) + 8 <= p->width ? 2 : 1;
    snprintf(shown, sizeof shown, "%s", text);
    for (size_t n = strlen(shown); n && image_text_width(shown, scale) + 8 > p->width; n--)
        shown[n - 1] = 0;
    image_text(&p->image, x + 4, y, shown, scale, colour(30, 30, 30));
}

static void extremes(float *least, float *most, const float *weight, int32_t n)
{
    *least = *most = n ? weight[0] : 0;
    for (int32_t i = 1; i < n; i++) {
        *least = weight[i] < *least ? weight[i] : *least;
        *most = weight[i] > *most ? weight[i] : *most;
    }
}

static int draw_view(struct image *out, const struct picture *p, int level, const struct group *g)
{
    const struct trace_file *t = &p->trace;
    int32_t n = t->n[level - 1]; /* block 1 looks among the points below */
    struct colour *colours = memory_alloc((size_t)n, sizeof *colours);
    if (!colours)
        return GLT_ENOMEM;
    colours_sampled(colours, t, level, t->n[level]);
    int code = picture_near(out, p, colours, n, g);
    memory_free(colours);
    return code;
}

/* One head of one block, copied to its place. */
static int draw_head(struct picture *p, const struct trace_block *b, int level, int block, int head)
{
    static const char *const names[] = {"geometric", "latent"};
    const struct colour fulls[] = {colour(214, 20, 20), colour(10, 150, 40), colour(40, 100, 210)};
    int32_t begin = b->start[p->centre], n = b->start[p->centre + 1] - begin;
    float *weight = memory_alloc((size_t)n + 1, sizeof *weight);
    struct image view = {0};
    char text[96];
    bool found = true;
    int views = p->weights ? 2 : 1, cell = views * p->width + TRACE_GAP;
    int x = TRACE_GAP + (level - 1) * (cell + TRACE_GAP) + head * p->width;
    int title = title_height(p), y = title + (block - 1) * (p->height + title + TRACE_GAP);
    if (!weight)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        weight[i] = 1;
    int code = p->weights ? trace_weights(weight, &found, &p->trace, level, block, names[head],
                                          begin, begin + n, p->channel)
                          : 0;
    struct group g = {b->index + begin, weight, n, n, fulls[p->weights ? head : 2]};
    if (code == 0 && found)
        code = draw_view(&view, p, level, &g);
    if (code == 0 && found)
        image_copy(&p->image, x, y, &view);
    float least, most;
    extremes(&least, &most, weight, n);
    if (!p->weights)
        snprintf(text, sizeof text, "level %d block %d: %d points", level, block, n);
    else if (found)
        snprintf(text, sizeof text, "%d points, %.3f to %.3f", n, (double)least, (double)most);
    else
        snprintf(text, sizeof text, "no such head");
    draw_title(p, x, y - TITLE_LINE, text);
    snprintf(text, sizeof text, "level %d block %d %s", level, block, names[head]);
    if (p->weights)
        draw_title(p, x, y - 2 * TITLE_LINE, text);
    image_free(&view);
    memory_free(weight);
    return code;
}

static void draw_legend(struct picture *p)
{
    static const char *const attention[] = {"geometric head", "latent head", "centre", "sampled",
                                            "not sampled"};
    static const char *const grouping[] = {"neighbours", "centre", "sampled", "not sampled"};
    const struct colour colours[] = {colour(214, 20, 20), colour(10, 150, 40), colour(255, 215, 0),
                                     colour(40, 40, 40), colour(205, 205, 210)};
    const struct colour blue[] = {colour(40, 100, 210), colours[2], colours[3], colours[4]};
    struct legend legend = {p->weights ? attention : grouping, p->weights ? colours : blue,
                            p->weights ? 5 : 4, 2};
    image_legend(&p->image, TRACE_GAP, p->image.height - LEGEND + 8, p->image.width - 2 * TRACE_GAP,
                 &legend, colour(30, 30, 30));
}

int picture_cells(struct picture *p)
{
    int views = p->weights ? 2 : 1, cell = views * p->width + TRACE_GAP, title = title_height(p);
    TRY(image_new(&p->image, TRACE_GAP + TRACE_LEVELS * (cell + TRACE_GAP),
                  2 * (p->height + title + TRACE_GAP) + LEGEND, colour(255, 255, 255)));
    for (int level = 1; level <= TRACE_LEVELS; level++)
        for (int block = 1; block <= 2; block++) {
            struct trace_block b = {0};
            int code = trace_block_read(&b, &p->trace, level, block);
            for (int head = 0; code == 0 && head < views && p->centre < b.centres; head++)
                code = draw_head(p, &b, level, block, head);
            trace_block_free(&b);
            TRY(code);
            image_frame(&p->image, TRACE_GAP + (level - 1) * (cell + TRACE_GAP) - 1,
                        title + (block - 1) * (p->height + title + TRACE_GAP) - 1,
                        views * p->width + 2, p->height + 2, colour(170, 170, 175));
        }
    draw_legend(p);
    return 0;
}

/* --- the kinds --- */

static const struct {
    const char *name;
    bool centred, weights; /* around one point; with the weights of its neighbours */
    int (*draw)(struct picture *p);
} kinds[] = {{"attention", true, true, picture_cells},
             {"grouping", true, false, picture_cells},
             {"outputs", false, false, picture_outputs},
             {"panels", false, false, picture_panels},
             {"levels", false, false, picture_levels}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static int draw_kind(struct picture *p, const char *trace, const char *kind, int64_t point)
{
    int k = 0;
    while (k < KINDS && strcmp(kinds[k].name, kind))
        k++;
    if (k == KINDS)
        return error_set(GLT_EARGUMENT,
                         "kind = %s: give attention, grouping, outputs, panels or levels", kind);
    p->weights = kinds[k].weights;
    TRY(trace_file_open(&p->trace, trace));
    if (kinds[k].centred)
        TRY(picture_centre(p, point));
    return kinds[k].draw(p);
}

int glt_trace_picture(const char *trace, const char *path, const char *words)
{
    GIVEN(trace, path);
    struct picture p = {.channel = -1, .width = 320, .height = 320, .azimuth = -60};
    const char *kind = "attention";
    int64_t point = 0;
    const struct option_field table[] = {{"kind", FIELD_TEXT, &kind, 0, 0},
                                         {"point", FIELD_INT64, &point, 0, 9e15},
                                         {"channel", FIELD_INT, &p.channel, -1, 65535},
                                         {"width", FIELD_INT, &p.width, 64, 2048},
                                         {"height", FIELD_INT, &p.height, 64, 2048}};
    struct call call = {0};
    int code = option_string_read(&call, words, table, sizeof table / sizeof *table);
    if (code == 0)
        code = draw_kind(&p, trace, kind, point);
    if (code == 0)
        code = image_write(&p.image, path);
    image_free(&p.image);
    trace_file_close(&p.trace);
    call_free(&call);
    return code;
}
