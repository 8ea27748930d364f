/* Pictures of a cloud into files: one, or the frames of a turn. */
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/words.h"
#include "draw/render.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

static int draw_to(const char *path, const struct glt_cloud *c, const struct glt_cloud *truth,
                   const struct render_options *o)
{
    struct image im = {0};
    TRY(render_cloud(&im, c, truth, o));
    int code = image_write(&im, path);
    image_free(&im);
    return code;
}

/* room.png -> room_007.png */
static int frame_path(char *dst, size_t size, const char *path, int frame)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);
    int len = snprintf(dst, size, "%.*s_%03d%s", stem, path, frame, dot ? dot : "");
    return len < 0 || (size_t)len >= size
               ? error_set(GLT_EARGUMENT, "%s: the path is too long", path)
               : 0;
}

static const char axes[] = "xyz";

static int read_options(char **copy, struct render_options *o, int *frames, const char *options)
{
    bool orthographic = false;
    const char *up = "z", *axis;
    const struct word table[] = {{"width", WORD_INT, &o->width, 16, 8192},
                                 {"height", WORD_INT, &o->height, 16, 8192},
                                 {"azimuth", WORD_NUMBER, &o->view.azimuth, -3600, 3600},
                                 {"elevation", WORD_NUMBER, &o->view.elevation, -90, 90},
                                 {"fov", WORD_NUMBER, &o->view.fov, 0, 150},
                                 {"zoom", WORD_NUMBER, &o->view.zoom, 0.02, 500},
                                 {"orthographic", WORD_FLAG, &orthographic, 0, 0},
                                 {"up", WORD_TEXT, &up, 0, 0},
                                 {"cut", WORD_NUMBER, &o->cut, 0.01, 1},
                                 {"radius", WORD_NUMBER, &o->radius, 0, 200},
                                 {"shading", WORD_NUMBER, &o->shading, 0, 4},
                                 {"colours", WORD_TEXT, &o->colours, 0, 0},
                                 {"label", WORD_TEXT, &o->label, 0, 0},
                                 {"truth", WORD_TEXT, &o->truth, 0, 0},
                                 {"no_legend", WORD_FLAG, &o->no_legend, 0, 0},
                                 {"dark", WORD_FLAG, &o->dark, 0, 0},
                                 {"turntable", WORD_INT, frames, 1, 999}};
    TRY(words_read(copy, options, table, sizeof table / sizeof *table));
    if (orthographic)
        o->view.fov = 0;
    axis = strlen(up) == 1 ? strchr(axes, up[0]) : NULL;
    if (!axis)
        return error_set(GLT_EARGUMENT, "up = '%s': give x, y or z", up);
    o->up = (int)(axis - axes);
    return 0;
}

int glt_cloud_render(const struct glt_cloud *c, const struct glt_cloud *truth, const char *path,
                     const char *options)
{
    GIVEN(c, path);
    struct render_options o = render_options_default();
    int frames = 0;
    char *copy = NULL;
    int code = read_options(&copy, &o, &frames, options);
    if (code == 0 && frames == 0)
        code = draw_to(path, c, truth, &o);
    double first = o.view.azimuth;
    for (int i = 0; code == 0 && i < frames; i++) {
        char name[PATH_SIZE];
        o.view.azimuth = first + 360.0 * i / frames;
        code = frame_path(name, sizeof name, path, i);
        if (code == 0)
            code = progress_report("frames", i, frames);
        if (code == 0)
            code = draw_to(name, c, truth, &o);
    }
    memory_free(copy);
    return code;
}
