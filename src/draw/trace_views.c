/* Pictures of all points of a trace.
 *
 * outputs: input, the main head's classes, the auxiliary ones on the points they see. panels:
 * input, truth, prediction and where they differ. levels: a column per level with its points by
 * place (x, y, z as red, green, blue), by the encoder's features and by the decoder's (their first
 * three principal components as red, green, blue). */
#include "core/error.h"
#include "core/memory.h"
#include "draw/trace_draw.h"

#include <stdio.h>

static const struct colour ink = {30, 30, 30};

/* Room for panels in rows and columns, and for the legend of the classes. */
static int begin(struct picture *p, int columns, int rows, bool legend)
{
    int width = TRACE_GAP + columns * (p->width + TRACE_GAP);
    int top = rows * (p->height + TRACE_TITLE + TRACE_GAP);
    int below =
        legend ? picture_legend(NULL, &p->trace, 0, 0, width - 2 * TRACE_GAP) + 2 * TRACE_GAP : 0;
    TRY(image_new(&p->image, width, top + below, colour(255, 255, 255)));
    if (legend)
        picture_legend(&p->image, &p->trace, TRACE_GAP, top + TRACE_GAP, width - 2 * TRACE_GAP);
    return 0;
}

/* The first n points in column x, row y of the panels; their number is told if there is room. */
static int put_panel(struct picture *p, int x, int y, const char *title,
                     const struct colour *colours, int64_t n)
{
    struct image panel = {0};
    char text[96];
    TRY(picture_whole(&panel, p, colours, n, NULL, 0));
    x = TRACE_GAP + x * (p->width + TRACE_GAP);
    y = TRACE_TITLE + y * (p->height + TRACE_TITLE + TRACE_GAP);
    snprintf(text, sizeof text, "%s, %lld points", title, (long long)n);
    if (image_text_width(text, 2) + 8 > p->width)
        snprintf(text, sizeof text, "%s", title);
    int scale = image_text_width(text, 2) + 8 <= p->width ? 2 : 1;
    image_copy(&p->image, x, y, &panel);
    image_text(&p->image, x + 4, y - scale * IMAGE_LINE - 2, text, scale, ink);
    image_free(&panel);
    return 0;
}

/* Calls draw with room for the colours of all points. */
static int with_colours(struct picture *p, int (*draw)(struct picture *p, struct colour *colours))
{
    struct colour *colours = memory_alloc((size_t)p->trace.n[0], sizeof *colours);
    int code = colours ? draw(p, colours) : GLT_ENOMEM;
    memory_free(colours);
    return code;
}

static int put_input(struct picture *p, struct colour *colours)
{
    colours_input(colours, &p->trace);
    return put_panel(p, 0, 0, "input", colours, p->trace.n[0]);
}

/* The main output; a shape's class as a whole is none. */
static int main_labels(int32_t **labels, const struct trace_file *t)
{
    int64_t n = 0;
    TRY(trace_labels(labels, &n, t, "main"));
    if (*labels && n == t->n[0])
        return 0;
    memory_free(*labels);
    return error_set(GLT_EDATA, "the trace has no output per point");
}

static int draw_outputs(struct picture *p, struct colour *colours)
{
    static const char *const which[] = {"main", "aux1", "aux2", "aux3", "aux4"};
    static const char *const titles[] = {"main output", "auxiliary 1", "auxiliary 2", "auxiliary 3",
                                         "auxiliary 4"};
    int32_t *labels = NULL;
    int64_t n;
    TRY(main_labels(&labels, &p->trace));
    memory_free(labels);
    TRY(begin(p, 3, 2, true));
    TRY(put_input(p, colours));
    for (int i = 0; i < 5; i++) {
        TRY(trace_labels(&labels, &n, &p->trace, which[i]));
        if (!labels)
            continue;
        colours_labels(colours, &p->trace, labels, n);
        memory_free(labels);
        TRY(put_panel(p, (i + 1) % 3, (i + 1) / 3, titles[i], colours, n));
    }
    return 0;
}

int picture_outputs(struct picture *p)
{
    return with_colours(p, draw_outputs);
}

/* --- panels --- */

static void colours_errors(struct colour *dst, const int32_t *truth, const int32_t *labels,
                           int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dst[i] = truth[i] < 0            ? colour(150, 150, 150)
                 : truth[i] == labels[i] ? colour(205, 215, 205)
                                         : colour(214, 30, 30);
}

static int draw_panels(struct picture *p, struct colour *colours)
{
    const struct trace_file *t = &p->trace;
    int64_t n = t->n[0], right = 0, known = 0;
    int32_t *labels = NULL;
    char title[64] = "prediction";
    TRY(main_labels(&labels, t));
    int code = begin(p, t->truth ? 4 : 2, 1, true);
    if (code == 0)
        code = put_input(p, colours);
    if (code == 0 && t->truth) {
        colours_labels(colours, t, t->truth, n);
        code = put_panel(p, 1, 0, "truth", colours, n);
    }
    if (code == 0) {
        colours_labels(colours, t, labels, n);
        code = put_panel(p, t->truth ? 2 : 1, 0, title, colours, n);
    }
    if (code == 0 && t->truth) {
        for (int64_t i = 0; i < n; i++) {
            known += t->truth[i] >= 0;
            right += t->truth[i] >= 0 && t->truth[i] == labels[i];
        }
        snprintf(title, sizeof title, "errors, %.1f%% right",
                 known ? 100 * (double)right / (double)known : 0);
        colours_errors(colours, t->truth, labels, n);
        code = put_panel(p, 3, 0, title, colours, n);
    }
    memory_free(labels);
    return code;
}

int picture_panels(struct picture *p)
{
    return with_colours(p, draw_panels);
}

/* --- levels --- */

/* The features of a tensor in column x, row y; nothing if the network has none. */
static int put_features(struct picture *p, int level, const char *tensor, struct colour *colours)
{
    char title[64];
    int64_t n;
    bool up = tensor[0] == 'd';
    TRY(colours_features(colours, &n, &p->trace, tensor));
    if (level == 0 && !up)
        snprintf(title, sizeof title, "stem");
    else
        snprintf(title, sizeof title, "%s %d", up ? "decoder" : "encoder", up ? level + 1 : level);
    return n > 0 ? put_panel(p, level, up ? 2 : 1, title, colours, n) : 0;
}

static int draw_levels(struct picture *p, struct colour *colours)
{
    char name[48];
    int rows = safetensors_find(&p->trace.st, "dec1/out") ? 3 : 2;
    TRY(begin(p, TRACE_LEVELS + 1, rows, false));
    for (int level = 0; level <= TRACE_LEVELS; level++) {
        snprintf(name, sizeof name, "level %d xyz", level);
        colours_position(colours, &p->trace, p->trace.n[level]);
        TRY(put_panel(p, level, 0, name, colours, p->trace.n[level]));
        if (level == 0)
            snprintf(name, sizeof name, "stem");
        else
            snprintf(name, sizeof name, "enc%d/block2/out", level);
        TRY(put_features(p, level, name, colours));
        snprintf(name, sizeof name, "dec%d/out", level + 1);
        if (level < TRACE_LEVELS)
            TRY(put_features(p, level, name, colours));
    }
    return 0;
}

int picture_levels(struct picture *p)
{
    return with_colours(p, draw_levels);
}
