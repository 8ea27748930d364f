/* The paper's pictures from a trace: attention of one point, its groups, the outputs of all heads.
 *
 * attention: columns are encoder levels, rows the two blocks; in each cell the geometric head in
 * red, the latent one in green, by weight; the centre is yellow, the sampled points of the level
 * are black, all others grey. grouping: the same cells, neighbours in blue with lines to the
 * centre. outputs: the main head's classes, then the auxiliary ones on the points they see. */
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/words.h"
#include "task/render.h"
#include "task/trace_file.h"

#include <stdio.h>
#include <string.h>

enum { GAP = 6, TITLE = 24, LEGEND = 40, MOST_CLASSES = 256 };

struct picture {
    struct trace_file trace;
    struct image image;
    int width, height, channel; /* of one view */
    int32_t centre;             /* network row */
    bool weights;               /* attention, else grouping */
};

static struct colour white(void)
{
    return colour(255, 255, 255);
}

static double distance2(const float *a, const float *b)
{
    double d2 = 0;
    for (int k = 0; k < 3; k++)
        d2 += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    return d2;
}

/* The point of the file if it reaches the last level, else the nearest that does. */
static int choose_centre(struct picture *p, int64_t point)
{
    const struct trace_file *t = &p->trace;
    int32_t row = -1, best = 0;
    for (int32_t i = 0; i < t->n[0] && row < 0; i++)
        if (t->row[i] == point)
            row = i;
    if (row < 0)
        return error_set(GLT_EARGUMENT, "point %lld is not in the trace", (long long)point);
    for (int32_t i = 1; row >= t->n[TRACE_LEVELS] && i < t->n[TRACE_LEVELS]; i++)
        if (distance2(t->xyz + 3 * (int64_t)i, t->xyz + 3 * (int64_t)row) <
            distance2(t->xyz + 3 * (int64_t)best, t->xyz + 3 * (int64_t)row))
            best = i;
    p->centre = row < t->n[TRACE_LEVELS] ? row : best;
    if (p->centre != row)
        log_message(GLT_LOG_INFO,
                    "point %lld is not sampled up to level 4; the nearest that is: point %d",
                    (long long)point, t->row[p->centre]);
    return 0;
}

/* --- one view: the points around the centre, then its neighbours on top --- */

struct around {
    struct colour *colours; /* (n) */
    uint8_t *hidden;        /* (n) */
};

static int around_create(struct around *a, const struct picture *p, int level, double reach2)
{
    const struct trace_file *t = &p->trace;
    int32_t n = t->n[level - 1]; /* block 1 looks among the points below */
    a->colours = memory_alloc((size_t)n, sizeof *a->colours);
    a->hidden = memory_alloc((size_t)n, sizeof *a->hidden);
    if (!a->colours || !a->hidden)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        bool sampled = i < t->n[level];
        a->colours[i] = sampled ? colour(40, 40, 40) : colour(205, 205, 210);
        a->hidden[i] =
            distance2(t->xyz + 3 * i, t->xyz + 3 * (int64_t)p->centre) > reach2 && reach2 > 0;
    }
    return 0;
}

static void around_free(struct around *a)
{
    memory_free(a->colours);
    memory_free(a->hidden);
}

static void extremes(float *least, float *most, const float *weight, int32_t n)
{
    *least = *most = n ? weight[0] : 0;
    for (int32_t i = 1; i < n; i++) {
        *least = weight[i] < *least ? weight[i] : *least;
        *most = weight[i] > *most ? weight[i] : *most;
    }
}

/* Pale is the smallest weight, full the largest. The neighbours by rising weight, so that what
 * matters stays in sight. */
static void draw_neighbours(struct image *im, const struct picture *p, const struct camera *cam,
                            const int32_t *index, const float *weight, int32_t n,
                            struct colour full)
{
    const float *xyz = p->trace.xyz;
    double at[2], centre[2], depth;
    float least, most, last = -1;
    extremes(&least, &most, weight, n);
    bool seen =
        camera_project(cam, xyz + 3 * (int64_t)p->centre, im->width, im->height, centre, &depth);
    int unit = im->height / 128 + 1;
    for (int32_t i = 0; i < n && !p->weights && seen; i++)
        if (camera_project(cam, xyz + 3 * (int64_t)index[i], im->width, im->height, at, &depth))
            image_line(im, (int)centre[0], (int)centre[1], (int)at[0], (int)at[1],
                       colour(150, 180, 225));
    for (int32_t step = 0; step < n; step++) {
        float next = most + 1;
        for (int32_t i = 0; i < n; i++)
            next = weight[i] > last && weight[i] < next ? weight[i] : next;
        for (int32_t i = 0; i < n; i++) {
            if (weight[i] != next || index[i] == p->centre ||
                !camera_project(cam, xyz + 3 * (int64_t)index[i], im->width, im->height, at,
                                &depth))
                continue;
            double share = most > least ? (double)((weight[i] - least) / (most - least)) : 1;
            int r = unit + (int)(share * (p->weights ? 1.5 : 0.5) * unit);
            image_disc(im, (int)at[0], (int)at[1], r + 1, colour(90, 90, 90));
            image_disc(im, (int)at[0], (int)at[1], r, palette_mix(white(), full, share));
        }
        last = next;
    }
    if (seen) {
        image_disc(im, (int)centre[0], (int)centre[1], unit + 3, colour(60, 50, 0));
        image_disc(im, (int)centre[0], (int)centre[1], unit + 2, colour(255, 215, 0));
    }
}

static int draw_view(struct image *out, const struct picture *p, int level, const int32_t *index,
                     const float *weight, int32_t n, struct colour full)
{
    static const struct render_view view = {
        .azimuth = -60, .elevation = 30, .fov = 30, .zoom = 0.9};
    const struct trace_file *t = &p->trace;
    struct around a = {0};
    double reach2 = 0;
    for (int32_t i = 0; i < n; i++) {
        double d2 = distance2(t->xyz + 3 * (int64_t)index[i], t->xyz + 3 * (int64_t)p->centre);
        reach2 = d2 > reach2 ? d2 : reach2;
    }
    int code = around_create(&a, p, level, reach2 * 2.25); /* half as far again */
    struct render_points points = {t->xyz, a.colours, a.hidden, t->n[level - 1]};
    if (code == 0) {
        struct camera cam = camera_fit(&points, &view, p->width, p->height);
        code = render_panel(out, &points, &cam, p->width, p->height, p->height / 160.0 + 1, 0,
                            white());
        if (code == 0)
            draw_neighbours(out, p, &cam, index, weight, n, full);
    }
    around_free(&a);
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
    int views = p->weights ? 2 : 1, cell = views * p->width + GAP;
    int x = GAP + (level - 1) * (cell + GAP) + head * p->width;
    int y = TITLE + (block - 1) * (p->height + TITLE + GAP);
    if (!weight)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        weight[i] = 1;
    int code = p->weights ? trace_weights(weight, &found, &p->trace, level, block, names[head],
                                          begin, begin + n, p->channel)
                          : 0;
    if (code == 0 && found)
        code =
            draw_view(&view, p, level, b->index + begin, weight, n, fulls[p->weights ? head : 2]);
    if (code == 0 && found)
        image_copy(&p->image, x, y, &view);
    float least, most;
    extremes(&least, &most, weight, n);
    if (!p->weights)
        snprintf(text, sizeof text, "level %d block %d: %d points", level, block, n);
    else if (found)
        snprintf(text, sizeof text, "level %d block %d %s: %d points, %.3f to %.3f", level, block,
                 names[head], n, (double)least, (double)most);
    else
        snprintf(text, sizeof text, "no %s head", names[head]);
    image_text(&p->image, x + 4, y - IMAGE_LINE - 2, text, 1, colour(30, 30, 30));
    image_free(&view);
    memory_free(weight);
    return code;
}

static int draw_cells(struct picture *p)
{
    int views = p->weights ? 2 : 1, cell = views * p->width + GAP;
    TRY(image_new(&p->image, GAP + TRACE_LEVELS * (cell + GAP),
                  2 * (p->height + TITLE + GAP) + LEGEND, white()));
    for (int level = 1; level <= TRACE_LEVELS; level++)
        for (int block = 1; block <= 2; block++) {
            struct trace_block b = {0};
            int code = trace_block_read(&b, &p->trace, level, block);
            for (int head = 0; code == 0 && head < views && p->centre < b.centres; head++)
                code = draw_head(p, &b, level, block, head);
            trace_block_free(&b);
            TRY(code);
            image_frame(&p->image, GAP + (level - 1) * (cell + GAP) - 1,
                        TITLE + (block - 1) * (p->height + TITLE + GAP) - 1, views * p->width + 2,
                        p->height + 2, colour(170, 170, 175));
        }
    static const char *const attention[] = {"geometric head", "latent head", "centre", "sampled",
                                            "not sampled"};
    static const char *const grouping[] = {"neighbours", "centre", "sampled", "not sampled"};
    const struct colour colours[] = {colour(214, 20, 20), colour(10, 150, 40), colour(255, 215, 0),
                                     colour(40, 40, 40), colour(205, 205, 210)};
    const struct colour blue[] = {colour(40, 100, 210), colours[2], colours[3], colours[4]};
    struct legend legend = {p->weights ? attention : grouping, p->weights ? colours : blue,
                            p->weights ? 5 : 4, 2};
    image_legend(&p->image, GAP, p->image.height - LEGEND + 8, p->image.width - 2 * GAP, &legend,
                 colour(30, 30, 30));
    return 0;
}

/* --- outputs --- */

/* One panel of classes on the first n points. */
static int draw_labels(struct picture *p, int place, const char *title, const int32_t *labels,
                       int64_t n)
{
    static const struct render_view view = {.azimuth = -60, .elevation = 40, .fov = 35, .zoom = 1};
    struct colour palette[MOST_CLASSES];
    int classes = (int)json_array_size(p->trace.classes);
    struct colour *colours = memory_alloc((size_t)p->trace.n[0], sizeof *colours);
    struct image panel = {0};
    if (!colours)
        return GLT_ENOMEM;
    palette_classes(palette, classes < MOST_CLASSES ? classes : MOST_CLASSES);
    for (int64_t i = 0; i < n; i++) {
        const float *c = p->trace.colours ? p->trace.colours + 3 * i : NULL;
        if (labels)
            colours[i] = palette[labels[i] % MOST_CLASSES];
        else
            colours[i] = c ? colour((int)(c[0] * 255), (int)(c[1] * 255), (int)(c[2] * 255))
                           : colour(120, 130, 150);
    }
    struct render_points all = {p->trace.xyz, colours, NULL, p->trace.n[0]};
    struct render_points points = {p->trace.xyz, colours, NULL, n};
    struct camera cam = camera_fit(&all, &view, p->width, p->height);
    int code = render_panel(&panel, &points, &cam, p->width, p->height, 0, 0.6, white());
    int x = GAP + place % 3 * (p->width + GAP), y = TITLE + place / 3 * (p->height + TITLE + GAP);
    char text[64];
    snprintf(text, sizeof text, "%s: %lld points", title, (long long)n);
    if (code == 0)
        image_copy(&p->image, x, y, &panel);
    image_text(&p->image, x + 4, y - 2 * IMAGE_LINE - 2, text, 2, colour(30, 30, 30));
    image_free(&panel);
    memory_free(colours);
    return code;
}

static void draw_classes(struct picture *p)
{
    static const char none[] = "";
    struct colour palette[MOST_CLASSES];
    const char *names[MOST_CLASSES];
    int n = (int)json_array_size(p->trace.classes);
    n = n < MOST_CLASSES ? n : MOST_CLASSES;
    palette_classes(palette, n);
    for (int i = 0; i < n; i++) {
        const json_t *one = json_array_get(p->trace.classes, (size_t)i);
        const char *name =
            json_string_value(json_is_object(one) ? json_object_get(one, "name") : one);
        names[i] = name ? name : none;
    }
    struct legend legend = {names, palette, n, 2};
    image_legend(&p->image, GAP, 2 * (p->height + TITLE + GAP) + 8, p->image.width - 2 * GAP,
                 &legend, colour(30, 30, 30));
}

static int draw_outputs(struct picture *p)
{
    static const char *const which[] = {"main", "aux1", "aux2", "aux3", "aux4"};
    static const char *const titles[] = {"main output", "auxiliary 1", "auxiliary 2", "auxiliary 3",
                                         "auxiliary 4"};
    int32_t *labels = NULL;
    int64_t n;
    TRY(image_new(&p->image, GAP + 3 * (p->width + GAP), 2 * (p->height + TITLE + GAP) + 2 * LEGEND,
                  white()));
    TRY(draw_labels(p, 0, "input", NULL, p->trace.n[0]));
    for (int i = 0; i < 5; i++) {
        TRY(trace_labels(&labels, &n, &p->trace, which[i]));
        if (i == 0 && (!labels || n != p->trace.n[0])) { /* one answer for the whole shape */
            memory_free(labels);
            return error_set(GLT_EDATA, "the trace has no output per point");
        }
        int code = labels ? draw_labels(p, i + 1, titles[i], labels, n) : 0;
        memory_free(labels);
        TRY(code);
    }
    draw_classes(p);
    return 0;
}

int glt_trace_picture(const char *trace, const char *path, const char *words)
{
    struct picture p = {.channel = -1, .width = 320, .height = 320};
    const char *kind = "attention";
    int64_t point = 0;
    int code = 0;
    const struct word table[] = {{"kind", WORD_TEXT, &kind, 0, 0},
                                 {"point", WORD_INT64, &point, 0, 9e15},
                                 {"channel", WORD_INT, &p.channel, -1, 65535},
                                 {"width", WORD_INT, &p.width, 64, 2048},
                                 {"height", WORD_INT, &p.height, 64, 2048}};
    char *copy = NULL;
    code = words_read(&copy, words, table, sizeof table / sizeof *table);
    p.weights = code == 0 && !strcmp(kind, "attention");
    bool outputs = code == 0 && !strcmp(kind, "outputs");
    if (code == 0 && !p.weights && !outputs && strcmp(kind, "grouping"))
        code = error_set(GLT_EARGUMENT, "kind = %s: give attention, grouping or outputs", kind);
    if (code == 0)
        code = trace_file_open(&p.trace, trace);
    if (code == 0 && !outputs)
        code = choose_centre(&p, point);
    if (code == 0)
        code = outputs ? draw_outputs(&p) : draw_cells(&p);
    if (code == 0)
        code = image_write(&p.image, path);
    image_free(&p.image);
    trace_file_close(&p.trace);
    memory_free(copy);
    return code;
}
