/* A film of one pass, frame by frame: sample, group, attend, aggregate, level by level, up again.
 *
 * Two views stand beside each other and turn slowly: all points of the stage, and those around one
 * centre. Auxiliary outputs follow the stage they look at. A stage is prepared once and drawn in a
 * few frames, in which what is new about it grows from nothing. */
#include "draw/trace_film.h"

#include "core/call.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/option_string.h"
#include "core/progress.h"
#include "core/string.h"
#include "draw/image.h"
#include "draw/palette.h"
#include "draw/png.h"
#include "draw/trace_colours.h"
#include "draw/trace_view.h"
#include "model/trace_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum what { SHOW_INPUT, SHOW_SAMPLE, SHOW_GROUP, SHOW_ATTEND, SHOW_FEATURES, SHOW_OUTPUT };
enum { STAGES_MAX = 56, FRAMES_MAX = 200 * STAGES_MAX, BAND = 34, BELOW = 48 };

struct stage {
    enum what what;
    int level, block, head; /* head: 0 geometric, 1 latent */
    char tensor[48];        /* of features; of an output its name */
    char title[96];
    int64_t points;
};

struct film {
    struct trace_view *view;
    trace_film_frame *frame_fn;
    void *user;
    int each; /* frames of a stage */
    struct stage stages[STAGES_MAX];
    int n_stages, frame, frames;
    struct colour *colours, *mixed; /* (n[0]) */
    struct trace_block block;       /* of the stage, read anew for each */
    float *weight;                  /* of the centre's neighbours */
    struct trace_group group;
};

static const struct colour pale = {205, 205, 210};

/* --- the script --- */

static struct stage *add(struct film *f, enum what what, int level, int block)
{
    ASSERT(f->n_stages < STAGES_MAX);
    struct stage *s = &f->stages[f->n_stages++];
    *s = (struct stage){.what = what, .level = level, .block = block};
    s->points = f->view->trace.n[level - 1];
    return s;
}

static void add_block(struct film *f, int level, int block)
{
    static const char *const heads[] = {"geometric", "latent"};
    const struct trace_file *t = &f->view->trace;
    struct stage *s = add(f, SHOW_GROUP, level, block);
    snprintf(s->title, sizeof s->title, "level %d block %d: group", level, block);
    for (int head = 0; head < 2; head++) {
        char name[64];
        snprintf(name, sizeof name, "enc%d/block%d/attention_%s", level, block, heads[head]);
        if (!safetensors_find(&t->st, name))
            continue;
        s = add(f, SHOW_ATTEND, level, block);
        s->head = head;
        snprintf(s->title, sizeof s->title, "level %d block %d: attend, %s head", level, block,
                 heads[head]);
    }
    s = add(f, SHOW_FEATURES, level, block);
    s->points = t->n[level];
    snprintf(s->tensor, sizeof s->tensor, "enc%d/block%d/out", level, block);
    snprintf(s->title, sizeof s->title, "level %d block %d: aggregate (features as colours)", level,
             block);
}

/* An output on the points it sees: "main", "aux1" .. "aux4". */
static void add_output(struct film *f, const char *which, int level)
{
    const struct trace_file *t = &f->view->trace;
    char name[32];
    snprintf(name, sizeof name, "out/%s", which);
    if (!safetensors_find(&t->st, name))
        return;
    struct stage *s = add(f, SHOW_OUTPUT, level > 0 ? level : 1, 1);
    s->points = t->n[level];
    snprintf(s->tensor, sizeof s->tensor, "%s", which);
    if (which[0] == 'a')
        snprintf(s->title, sizeof s->title, "auxiliary output %s: %d points", which + 3,
                 t->n[level]);
    else
        snprintf(s->title, sizeof s->title, "output");
}

static void write_script(struct film *f)
{
    const struct trace_file *t = &f->view->trace;
    struct stage *s = add(f, SHOW_INPUT, 1, 1);
    snprintf(s->title, sizeof s->title, "input: %d points", t->n[0]);
    for (int level = 1; level <= TRACE_LEVELS; level++) {
        s = add(f, SHOW_SAMPLE, level, 1);
        snprintf(s->title, sizeof s->title, "level %d: sample %d of %d points", level, t->n[level],
                 t->n[level - 1]);
        add_block(f, level, 1);
        add_block(f, level, 2);
    }
    add_output(f, "aux1", TRACE_LEVELS);
    for (int level = TRACE_LEVELS; level >= 1; level--) {
        static const char *const outputs[] = {"main", "aux4", "aux3", "aux2"};
        char name[48];
        snprintf(name, sizeof name, "dec%d/out", level);
        if (!safetensors_find(&t->st, name))
            continue;
        s = add(f, SHOW_FEATURES, level, 1);
        strcpy(s->tensor, name);
        snprintf(s->title, sizeof s->title, "up to level %d: %d points (features as colours)",
                 level - 1, t->n[level - 1]);
        if (level > 1)
            add_output(f, outputs[level - 1], level - 1);
    }
    add_output(f, "main", 0);
}

/* --- a stage --- */

static int prepare_weights(struct film *f, const struct stage *s)
{
    struct trace_view *p = f->view;
    bool found = false, attend = s->what == SHOW_ATTEND;
    int channel;
    int32_t begin = f->block.start[p->centre], n = f->block.start[p->centre + 1] - begin;
    f->weight = call_alloc(&f->view->call, (size_t)n + 1, sizeof *f->weight);
    if (!f->weight)
        return GLT_ENOMEM;
    if (attend)
        TRY(trace_view_weights(f->weight, &found, &channel, p, s->level, s->block, s->head, begin,
                               begin + n));
    for (int32_t i = 0; i < n && !found; i++)
        f->weight[i] = 1;
    f->group = (struct trace_group){.style = attend ? TRACE_WEIGHTS : TRACE_SPOKES,
                                    .centre = p->centre,
                                    .index = f->block.index + begin,
                                    .weight = f->weight,
                                    .n = n};
    f->group.full = attend ? trace_view_colour(s->head) : colour(40, 100, 210);
    return 0;
}

static int prepare_colours(struct film *f, struct stage *s)
{
    const struct trace_file *t = &f->view->trace;
    int32_t *labels = NULL;
    int64_t n = 0;
    switch (s->what) {
    case SHOW_SAMPLE:
    case SHOW_GROUP:
    case SHOW_ATTEND:
        trace_colours_sampled(f->colours, t, s->level, t->n[s->level]);
        return 0;
    case SHOW_FEATURES:
        TRY(trace_colours_features(f->colours, &n, t, s->tensor));
        s->points = n > 0 ? n : s->points;
        return 0;
    case SHOW_OUTPUT:
        TRY(trace_labels(&labels, &n, t, s->tensor));
        if (labels && !call_keep(&f->view->call, labels))
            return GLT_ENOMEM;
        if (labels && n == s->points)
            trace_colours_labels(f->colours, t, labels, n);
        else
            trace_colours_input(f->colours, t);
        return 0;
    case SHOW_INPUT:
        break;
    }
    trace_colours_input(f->colours, t);
    return 0;
}

/* What is new grows with `share`, which ends with 1. */
static void mix(struct film *f, const struct stage *s, double share)
{
    int64_t sampled = (int64_t)(share * f->view->trace.n[s->level] + 0.5);
    f->group.shown = s->what == SHOW_GROUP    ? (int32_t)(share * f->group.n + 0.5)
                     : s->what == SHOW_ATTEND ? f->group.n
                                              : 0;
    for (int64_t i = 0; i < s->points; i++)
        f->mixed[i] = s->what == SHOW_SAMPLE ? pale
                      : s->what == SHOW_FEATURES || s->what == SHOW_OUTPUT
                          ? palette_mix(pale, f->colours[i], share)
                          : f->colours[i];
    if (s->what == SHOW_SAMPLE)
        trace_colours_sampled(f->mixed, &f->view->trace, s->level, sampled);
}

/* Beside the input and the outputs, more than the lists of one block. */
static double reach_of(const struct film *f, const struct stage *s)
{
    double reach = trace_view_reach(f->view, &f->group, s->level, s->block);
    bool wide = s->what == SHOW_INPUT || s->what == SHOW_OUTPUT;
    return wide ? fmax(reach, f->view->trace.radius[TRACE_LEVELS - 1][0]) : reach;
}

static int draw_frame(struct film *f, const struct stage *s)
{
    struct trace_view *p = f->view;
    struct image whole = {0}, near = {0};
    bool flat = s->what == SHOW_SAMPLE || s->what == SHOW_GROUP || s->what == SHOW_ATTEND;
    double radius = flat || s->points < p->trace.n[0] / 2 ? p->height / 200.0 + 1 : 0;
    int width = 2 * p->width + 3 * TRACE_GAP;
    int legend = trace_colours_legend(NULL, &p->trace, 0, 0, width - 2 * TRACE_GAP);
    int below = legend > BELOW ? legend + legend % 2 : BELOW; /* of all frames alike */
    TRY(image_new(&p->image, width + width % 2, p->height + BAND + below + p->height % 2,
                  colour(255, 255, 255)));
    struct trace_scene scene = {.colours = f->mixed,
                                .n = s->points,
                                .fit = s->points,
                                .groups = &f->group,
                                .n_groups = 1,
                                .reach = reach_of(f, s)};
    int code = trace_view_whole(&whole, p, f->mixed, s->points, flat ? &f->group : NULL, radius);
    if (code == 0)
        code = trace_view_near(&near, p, &scene);
    if (code == 0) {
        image_copy(&p->image, TRACE_GAP, BAND, &whole);
        image_copy(&p->image, p->width + 2 * TRACE_GAP, BAND, &near);
        image_text(&p->image, TRACE_GAP + 2, 10, s->title, 2, colour(30, 30, 30));
        image_frame(&p->image, p->width + 2 * TRACE_GAP - 1, BAND - 1, p->width + 2, p->height + 2,
                    colour(190, 190, 195));
        if (s->what == SHOW_OUTPUT)
            trace_colours_legend(&p->image, &p->trace, TRACE_GAP, p->image.height - legend,
                                 width - 2 * TRACE_GAP);
        struct scale weights = {.from = colour(255, 255, 255),
                                .to = f->group.full,
                                .low = "lowest",
                                .high = "highest weight"};
        if (s->what == SHOW_ATTEND)
            image_scale(&p->image, p->width + 2 * TRACE_GAP, BAND + p->height + 6, &weights,
                        p->width >= 400 ? 2 : 1, colour(30, 30, 30));
    }
    image_free(&whole);
    image_free(&near);
    return code;
}

static int shoot(struct film *f, struct stage *s)
{
    struct trace_view *p = f->view;
    trace_block_free(&f->block);
    TRY(trace_block_read(&f->block, &p->trace, s->level, s->block));
    if (p->centre >= f->block.centres)
        return error_topic(
            error_set(GLT_EFORMAT, "the lists of level %d do not reach the centre", s->level),
            GLT_TOPIC_VALUE, NULL);
    TRY(prepare_weights(f, s));
    TRY(prepare_colours(f, s));
    for (int i = 1; i <= f->each; i++, f->frame++) {
        int64_t mark = call_mark(&p->call);
        TRY(progress_report("frames", f->frame, f->frames));
        p->azimuth = -60 + 120.0 * f->frame / f->frames;
        mix(f, s, (double)i / f->each);
        int code = draw_frame(f, s);
        if (code == 0)
            code = f->frame_fn(f->user, &p->image, f->frame, f->frames);
        image_free(&p->image);
        TRY(code);
        call_reset(&p->call, mark);
    }
    return 0;
}

static int shoot_all(struct film *f, int64_t point)
{
    struct trace_view *p = f->view;
    TRY(trace_view_centre(&p->centre, p, point, TRACE_LEVELS));
    size_t n = (size_t)p->trace.n[0];
    f->colours = call_alloc(&p->call, n, sizeof *f->colours);
    f->mixed = call_alloc(&p->call, n, sizeof *f->mixed);
    if (!f->colours || !f->mixed)
        return GLT_ENOMEM;
    write_script(f);
    f->frames = f->n_stages * f->each;
    for (int i = 0; i < f->n_stages; i++)
        TRY(shoot(f, &f->stages[i]));
    return 0;
}

int trace_film_draw(int *frames, struct trace_view *view, int each, int64_t point,
                    trace_film_frame *fn, void *user)
{
    struct film film = {.view = view, .frame_fn = fn, .user = user, .each = each};
    int code = shoot_all(&film, point);
    *frames = film.frame;
    trace_block_free(&film.block);
    return code;
}

/* --- frames as files --- */

static int frame_path(char path[PATH_MAX], const char *folder, int frame)
{
    char name[32];
    snprintf(name, sizeof name, "frame_%04d.png", frame);
    return file_join(path, PATH_MAX, folder, name);
}

static int write_frame(void *user, const struct image *im, int frame, int frames)
{
    char path[PATH_MAX];
    (void)frames;
    TRY(frame_path(path, user, frame));
    return image_write(im, path);
}

/* Frames of a longer film that was there before would be joined to this one. */
static int clear_rest(const char *folder, int frame)
{
    char path[PATH_MAX];
    for (; frame <= FRAMES_MAX; frame++) {
        TRY(frame_path(path, folder, frame));
        if (!file_exists(path))
            return 0;
        TRY(file_remove(path));
    }
    return 0;
}

/* What films are made with. */
struct shooting {
    const char *path, *up;
    int64_t point;
    int each, fps;
};

static int write_folder(int *frames, struct trace_view *view, const struct shooting *o)
{
    char path[PATH_MAX];
    TRY(file_make_folder(o->path));
    snprintf(path, sizeof path, "%s", o->path);
    TRY(trace_film_draw(frames, view, o->each, o->point, write_frame, path));
    return clear_rest(o->path, *frames);
}

/* --- frames as one animated PNG --- */

static int add_frame(void *user, const struct image *im, int frame, int frames)
{
    struct png_film *film = user;
    if (frame == 0) {
        film->width = im->width;
        film->height = im->height;
        film->frames = frames;
    }
    return png_film_add(film, im->rgb);
}

static int write_png(int *frames, struct trace_view *view, const struct shooting *o)
{
    struct png_film film = {.fps = o->fps};
    TRY(file_create(&film.file, o->path));
    return file_finish(film.file,
                       trace_film_draw(frames, view, o->each, o->point, add_frame, &film));
}

static bool is_png(const char *path)
{
    size_t len = strlen(path);
    return len > 4 && !string_compare_nocase(path + len - 4, ".png");
}

static int write_film(int *frames, struct trace_view *view, const char *trace,
                      const struct shooting *o)
{
    TRY(trace_file_open(&view->trace, trace));
    TRY(trace_view_prepare(view, o->up));
    return (is_png(o->path) ? write_png : write_folder)(frames, view, o);
}

int glt_trace_film(const char *trace, const char *path, const char *words, int *frames)
{
    REQUIRE(trace, path);
    struct trace_view view = {.width = 480, .height = 420, .cut = -1};
    struct shooting o = {.path = path, .up = "z", .each = 5, .fps = 10};
    const char *channel = "mean";
    int count = 0;
    const struct option_field table[] = {{"point", FIELD_INT64, &o.point, 0, 9e15},
                                         {"channel", FIELD_TEXT, &channel, 0, 0},
                                         {"seed", FIELD_SEED, &view.seed, 0, 0},
                                         {"up", FIELD_TEXT, &o.up, 0, 0},
                                         {"cut", FIELD_REAL, &view.cut, 0.01, 1},
                                         {"frames", FIELD_INT, &o.each, 1, 200},
                                         {"fps", FIELD_INT, &o.fps, 1, 60},
                                         {"width", FIELD_INT, &view.width, 64, 2048},
                                         {"height", FIELD_INT, &view.height, 64, 2048}};
    int code = option_string_read(&view.call, words, table, sizeof table / sizeof *table);
    if (code == 0)
        code = trace_view_channels(&view, channel);
    if (code == 0)
        code = write_film(&count, &view, trace, &o);
    if (code == 0 && frames)
        *frames = count;
    image_free(&view.image);
    trace_file_close(&view.trace);
    call_free(&view.call);
    return code;
}
