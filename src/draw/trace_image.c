/* Images of a trace: the kinds and their table. Around one point: trace_cells.c (attention,
 * grouping), trace_scores.c (scores), trace_pair.c (graph).
 *
 * Those here show all points. outputs: input, the main head's classes, the auxiliary ones on the
 * points they see. panels: input, truth, prediction and where they differ. levels: a column per
 * level with its points by place (x, y, z as red, green, blue), by the encoder's features and by
 * the decoder's (their first three principal components as red, green, blue). */
#include "draw/trace_image.h"

#include "core/call.h"
#include "core/error.h"
#include "core/option_string.h"
#include "core/print.h"
#include "draw/image.h"
#include "draw/trace_cells.h"
#include "draw/trace_colours.h"
#include "draw/trace_pair.h"
#include "draw/trace_scores.h"
#include "model/trace_file.h"

#include <stdio.h>
#include <string.h>

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
    print_to(title, sizeof title, "errors, %.1f%% right",
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

/* Each draws into p->image. */
typedef int draw_kind(struct trace_view *p, const struct trace_subject *s);

static int draw_all(struct trace_view *p, int (*draw)(struct trace_view *, struct colour *))
{
    struct colour *colours = call_alloc(&p->call, (size_t)p->trace.n[0], sizeof *colours);
    return colours ? draw(p, colours) : GLT_ENOMEM;
}

static int outputs(struct trace_view *p, const struct trace_subject *s)
{
    (void)s;
    return draw_all(p, draw_outputs);
}

static int panels(struct trace_view *p, const struct trace_subject *s)
{
    (void)s;
    return draw_all(p, draw_panels);
}

static int levels(struct trace_view *p, const struct trace_subject *s)
{
    (void)s;
    return draw_all(p, draw_levels);
}

static int attention(struct trace_view *p, const struct trace_subject *s)
{
    TRY(trace_view_centre(&p->centre, p, s->point, TRACE_LEVELS));
    return trace_cells_attention(p);
}

static int grouping(struct trace_view *p, const struct trace_subject *s)
{
    TRY(trace_view_centre(&p->centre, p, s->point, TRACE_LEVELS));
    return trace_cells_grouping(p);
}

static int scores(struct trace_view *p, const struct trace_subject *s)
{
    TRY(trace_view_centre(&p->centre, p, s->point, TRACE_LEVELS));
    return trace_scores_draw(p);
}

static const struct {
    const char *name;
    draw_kind *draw;
    int side; /* of a view, unless the caller says something else */
} kinds[] = {{"attention", attention, 320}, {"scores", scores, 480},
             {"grouping", grouping, 320},   {"graph", trace_pair_draw, 400},
             {"outputs", outputs, 320},     {"panels", panels, 320},
             {"levels", levels, 320}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static int find_kind(int *k, const char *name)
{
    for (*k = 0; *k < KINDS; ++*k)
        if (!strcmp(kinds[*k].name, name))
            return 0;
    return error_topic(error_set(GLT_EARGUMENT,
                                 "kind = %s: give attention, scores, grouping, graph, outputs, "
                                 "panels or levels",
                                 name),
                       GLT_TOPIC_OPTION, "kind");
}

int trace_image_draw(struct trace_view *p, const char *kind, const struct trace_subject *s)
{
    int k;
    TRY(find_kind(&k, kind));
    p->width = p->width ? p->width : kinds[k].side;
    p->height = p->height ? p->height : kinds[k].side;
    return kinds[k].draw(p, s);
}

int glt_trace_image(const char *trace, const char *path, const char *words)
{
    REQUIRE(trace, path);
    struct trace_view p = {.azimuth = -60, .cut = -1};
    struct trace_subject s = {.other = -1, .level = 2, .block = 1};
    const char *kind = "attention", *channel = "mean", *up = "z";
    int which;
    const struct option_field table[] = {
        {"kind", FIELD_TEXT, &kind, 0, 0},          {"point", FIELD_INT64, &s.point, 0, 9e15},
        {"other", FIELD_INT64, &s.other, -1, 9e15}, {"level", FIELD_INT, &s.level, 1, TRACE_LEVELS},
        {"block", FIELD_INT, &s.block, 1, 2},       {"channel", FIELD_TEXT, &channel, 0, 0},
        {"seed", FIELD_SEED, &p.seed, 0, 0},        {"up", FIELD_TEXT, &up, 0, 0},
        {"cut", FIELD_REAL, &p.cut, 0.01, 1},       {"width", FIELD_INT, &p.width, 64, 2048},
        {"height", FIELD_INT, &p.height, 64, 2048}};
    int code = option_string_read(&p.call, words, table, sizeof table / sizeof *table);
    if (code == 0)
        code = find_kind(&which, kind); /* before a long file is read */
    if (code == 0)
        code = trace_view_channels(&p, channel);
    if (code == 0)
        code = trace_file_open(&p.trace, trace);
    if (code == 0)
        code = trace_view_prepare(&p, up);
    if (code == 0)
        code = trace_image_draw(&p, kind, &s);
    if (code == 0)
        code = image_write(&p.image, path);
    image_free(&p.image);
    trace_file_close(&p.trace);
    call_free(&p.call);
    return code;
}
