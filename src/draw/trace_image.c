/* The paper's images from a trace.
 *
 * attention: columns are encoder levels, rows the two blocks; in each cell the geometric head in
 * red, the latent one in green, by weight; the centre is yellow, the sampled points of the level
 * are black, all others grey. grouping: the same cells, neighbours in blue with lines to the
 * centre.
 *
 * The other kinds show all points. outputs: input, the main head's classes, the auxiliary ones on
 * the points they see. panels: input, truth, prediction and where they differ. levels: a column per
 * level with its points by place (x, y, z as red, green, blue), by the encoder's features and by
 * the decoder's (their first three principal components as red, green, blue). */
#include "draw/trace_image.h"

#include "core/call.h"
#include "core/error.h"
#include "core/option_string.h"
#include "draw/image.h"
#include "draw/trace_colours.h"
#include "model/trace_file.h"

#include <stdio.h>
#include <string.h>

enum { LEGEND = 40, TITLE_LINE = 2 * IMAGE_LINE + 1 };

static int title_height(const struct trace_view *p)
{
    return TITLE_LINE * (p->weights ? 2 : 1) + 4;
}

/* As large as the view is wide enough for; the end of what never fits is left out. */
static void draw_title(struct trace_view *p, int x, int y, const char *text)
{
    char shown[96];
    int scale = image_text_width(text, 2) + 8 <= p->width ? 2 : 1;
    snprintf(shown, sizeof shown, "%s", text);
    for (size_t n = strlen(shown); n && image_text_width(shown, scale) + 8 > p->width; n--)
        shown[n - 1] = 0;
    image_text(&p->image, x + 4, y, shown, scale, colour(30, 30, 30));
}

static void extremes(float *min, float *max, const float *weight, int32_t n)
{
    *min = *max = n ? weight[0] : 0;
    for (int32_t i = 1; i < n; i++) {
        *min = weight[i] < *min ? weight[i] : *min;
        *max = weight[i] > *max ? weight[i] : *max;
    }
}

static int draw_view(struct image *out, struct trace_view *p, int level,
                     const struct trace_group *g)
{
    const struct trace_file *t = &p->trace;
    int32_t n = t->n[level - 1]; /* block 1 looks among the points below */
    struct colour *colours = call_alloc(&p->call, (size_t)n, sizeof *colours);
    if (!colours)
        return GLT_ENOMEM;
    trace_colours_sampled(colours, t, level, t->n[level]);
    return trace_view_near(out, p, colours, n, g);
}

/* One head of one block, copied to its place. */
static int draw_head(struct trace_view *p, const struct trace_block *b, int level, int block,
                     int head)
{
    static const char *const names[] = {"geometric", "latent"};
    const struct colour fulls[] = {colour(214, 20, 20), colour(10, 150, 40), colour(40, 100, 210)};
    int32_t begin = b->start[p->centre], n = b->start[p->centre + 1] - begin;
    float *weight = call_alloc(&p->call, (size_t)n + 1, sizeof *weight);
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
    if (p->weights)
        TRY(trace_weights(weight, &found, &p->trace, level, block, names[head], begin, begin + n,
                          p->channel));
    struct trace_group g = {b->index + begin, weight, n, n, fulls[p->weights ? head : 2]};
    if (found)
        TRY(draw_view(&view, p, level, &g));
    if (found)
        image_copy(&p->image, x, y, &view);
    image_free(&view);
    float min, max;
    extremes(&min, &max, weight, n);
    if (!p->weights)
        snprintf(text, sizeof text, "level %d block %d: %d points", level, block, n);
    else if (found)
        snprintf(text, sizeof text, "%d points, %.3f to %.3f", n, (double)min, (double)max);
    else
        snprintf(text, sizeof text, "no such head");
    draw_title(p, x, y - TITLE_LINE, text);
    snprintf(text, sizeof text, "level %d block %d %s", level, block, names[head]);
    if (p->weights)
        draw_title(p, x, y - 2 * TITLE_LINE, text);
    return 0;
}

static void draw_legend(struct trace_view *p)
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

int trace_image_cells(struct trace_view *p)
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

/* --- all points --- */

static const struct colour ink = {30, 30, 30};

/* Space for panels in rows and columns, and for the legend of the classes. */
static int begin(struct trace_view *p, int columns, int rows, bool legend)
{
    int width = TRACE_GAP + columns * (p->width + TRACE_GAP);
    int top = rows * (p->height + TRACE_TITLE + TRACE_GAP);
    int below =
        legend ? trace_colours_legend(NULL, &p->trace, 0, 0, width - 2 * TRACE_GAP) + 2 * TRACE_GAP
               : 0;
    TRY(image_new(&p->image, width, top + below, colour(255, 255, 255)));
    if (legend)
        trace_colours_legend(&p->image, &p->trace, TRACE_GAP, top + TRACE_GAP,
                             width - 2 * TRACE_GAP);
    return 0;
}

/* The first n points in column x, row y of the panels; their number is shown if it fits. */
static int put_panel(struct trace_view *p, int x, int y, const char *title,
                     const struct colour *colours, int64_t n)
{
    struct image panel = {0};
    char text[96];
    TRY(trace_view_whole(&panel, p, colours, n, NULL, 0));
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

static int put_input(struct trace_view *p, struct colour *colours)
{
    trace_colours_input(colours, &p->trace);
    return put_panel(p, 0, 0, "input", colours, p->trace.n[0]);
}

/* Labels of an output by head; NULL if it has none. */
static int take_labels(int32_t **labels, int64_t *n, struct trace_view *p, const char *which)
{
    *labels = NULL;
    TRY(trace_labels(labels, n, &p->trace, which));
    return *labels && !call_keep(&p->call, *labels) ? GLT_ENOMEM : 0;
}

/* The main output; a shape's class as a whole is none. */
static int main_labels(int32_t **labels, struct trace_view *p)
{
    int64_t n = 0;
    TRY(take_labels(labels, &n, p, "main"));
    if (*labels && n == p->trace.n[0])
        return 0;
    return error_topic(error_set(GLT_EDATA, "the trace has no output per point"), GLT_TOPIC_MISSING,
                       NULL);
}

static int draw_outputs(struct trace_view *p, struct colour *colours)
{
    static const char *const which[] = {"main", "aux1", "aux2", "aux3", "aux4"};
    static const char *const titles[] = {"main output", "auxiliary 1", "auxiliary 2", "auxiliary 3",
                                         "auxiliary 4"};
    int32_t *labels;
    int64_t n;
    TRY(main_labels(&labels, p));
    TRY(begin(p, 3, 2, true));
    TRY(put_input(p, colours));
    for (int i = 0; i < 5; i++) {
        TRY(take_labels(&labels, &n, p, which[i]));
        if (!labels)
            continue;
        trace_colours_labels(colours, &p->trace, labels, n);
        TRY(put_panel(p, (i + 1) % 3, (i + 1) / 3, titles[i], colours, n));
    }
    return 0;
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

static int draw_errors(struct trace_view *p, struct colour *colours, const int32_t *labels)
{
    const int32_t *truth = p->trace.truth;
    int64_t n = p->trace.n[0], right = 0, known = 0;
    char title[64];
    for (int64_t i = 0; i < n; i++) {
        known += truth[i] >= 0;
        right += truth[i] >= 0 && truth[i] == labels[i];
    }
    snprintf(title, sizeof title, "errors, %.1f%% right",
             known ? 100 * (double)right / (double)known : 0);
    colours_errors(colours, truth, labels, n);
    return put_panel(p, 3, 0, title, colours, n);
}

static int draw_panels(struct trace_view *p, struct colour *colours)
{
    const struct trace_file *t = &p->trace;
    int32_t *labels;
    TRY(main_labels(&labels, p));
    TRY(begin(p, t->truth ? 4 : 2, 1, true));
    TRY(put_input(p, colours));
    if (t->truth) {
        trace_colours_labels(colours, t, t->truth, t->n[0]);
        TRY(put_panel(p, 1, 0, "truth", colours, t->n[0]));
    }
    trace_colours_labels(colours, t, labels, t->n[0]);
    TRY(put_panel(p, t->truth ? 2 : 1, 0, "prediction", colours, t->n[0]));
    return t->truth ? draw_errors(p, colours, labels) : 0;
}

/* --- levels --- */

/* The features of a tensor in column x, row y; nothing if the network has none. */
static int put_features(struct trace_view *p, int level, const char *tensor, struct colour *colours)
{
    char title[64];
    int64_t n;
    bool up = tensor[0] == 'd';
    TRY(trace_colours_features(colours, &n, &p->trace, tensor));
    if (level == 0 && !up)
        snprintf(title, sizeof title, "stem");
    else
        snprintf(title, sizeof title, "%s %d", up ? "decoder" : "encoder", up ? level + 1 : level);
    return n > 0 ? put_panel(p, level, up ? 2 : 1, title, colours, n) : 0;
}

static int draw_levels(struct trace_view *p, struct colour *colours)
{
    char name[48];
    int rows = safetensors_find(&p->trace.st, "dec1/out") ? 3 : 2;
    TRY(begin(p, TRACE_LEVELS + 1, rows, false));
    for (int level = 0; level <= TRACE_LEVELS; level++) {
        snprintf(name, sizeof name, "level %d xyz", level);
        trace_colours_position(colours, &p->trace, p->trace.n[level]);
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

/* --- the kinds --- */

static const struct {
    const char *name;
    bool weights;                                              /* of the neighbours of one point */
    int (*draw)(struct trace_view *p, struct colour *colours); /* of all points; NULL: around one */
} kinds[] = {{"attention", true, NULL},
             {"grouping", false, NULL},
             {"outputs", false, draw_outputs},
             {"panels", false, draw_panels},
             {"levels", false, draw_levels}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static int find_kind(int *k, const char *name)
{
    for (*k = 0; *k < KINDS; ++*k)
        if (!strcmp(kinds[*k].name, name))
            return 0;
    return error_topic(error_set(GLT_EARGUMENT,
                                 "kind = %s: give attention, grouping, outputs, panels or levels",
                                 name),
                       GLT_TOPIC_OPTION, "kind");
}

int trace_image_draw(struct trace_view *p, const char *kind, int64_t point)
{
    int k;
    TRY(find_kind(&k, kind));
    p->weights = kinds[k].weights;
    if (!kinds[k].draw) {
        TRY(trace_view_centre(p, point));
        return trace_image_cells(p);
    }
    struct colour *colours = call_alloc(&p->call, (size_t)p->trace.n[0], sizeof *colours);
    return colours ? kinds[k].draw(p, colours) : GLT_ENOMEM;
}

int glt_trace_image(const char *trace, const char *path, const char *words)
{
    REQUIRE(trace, path);
    struct trace_view p = {.channel = -1, .width = 320, .height = 320, .azimuth = -60};
    const char *kind = "attention";
    int64_t point = 0;
    int which;
    const struct option_field table[] = {{"kind", FIELD_TEXT, &kind, 0, 0},
                                         {"point", FIELD_INT64, &point, 0, 9e15},
                                         {"channel", FIELD_INT, &p.channel, -1, 65535},
                                         {"width", FIELD_INT, &p.width, 64, 2048},
                                         {"height", FIELD_INT, &p.height, 64, 2048}};
    int code = option_string_read(&p.call, words, table, sizeof table / sizeof *table);
    if (code == 0)
        code = find_kind(&which, kind); /* before a long file is read */
    if (code == 0)
        code = trace_file_open(&p.trace, trace);
    if (code == 0)
        code = trace_image_draw(&p, kind, point);
    if (code == 0)
        code = image_write(&p.image, path);
    image_free(&p.image);
    trace_file_close(&p.trace);
    call_free(&p.call);
    return code;
}
