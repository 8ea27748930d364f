/* Pictures of a cloud into files: one, or the frames of a turn. */
#include "core/error.h"
#include "core/option_string.h"
#include "core/progress.h"
#include "draw/render.h"
#include "draw/render_cloud.h"

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

static int read_options(struct call *call, struct render_options *o, int *frames,
                        const char *options)
{
    bool orthographic = false;
    const char *up = "z", *axis;
    const struct option_field table[] = {{"width", FIELD_INT, &o->width, 16, 8192},
                                         {"height", FIELD_INT, &o->height, 16, 8192},
                                         {"azimuth", FIELD_REAL, &o->view.azimuth, -3600, 3600},
                                         {"elevation", FIELD_REAL, &o->view.elevation, -90, 90},
                                         {"fov", FIELD_REAL, &o->view.fov, 0, 150},
                                         {"zoom", FIELD_REAL, &o->view.zoom, 0.02, 500},
                                         {"orthographic", FIELD_FLAG, &orthographic, 0, 0},
                                         {"up", FIELD_TEXT, &up, 0, 0},
                                         {"cut", FIELD_REAL, &o->cut, 0.01, 1},
                                         {"radius", FIELD_REAL, &o->radius, 0, 200},
                                         {"shading", FIELD_REAL, &o->shading, 0, 4},
                                         {"colours", FIELD_TEXT, &o->colours, 0, 0},
                                         {"label", FIELD_TEXT, &o->label, 0, 0},
                                         {"truth", FIELD_TEXT, &o->truth, 0, 0},
                                         {"no_legend", FIELD_FLAG, &o->no_legend, 0, 0},
                                         {"dark", FIELD_FLAG, &o->dark, 0, 0},
                                         {"turntable", FIELD_INT, frames, 1, 999}};
    TRY(option_string_read(call, options, table, sizeof table / sizeof *table));
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
    struct render_options o = render_cloud_default();
    int frames = 0;
    struct call call = {0};
    int code = read_options(&call, &o, &frames, options);
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
    call_free(&call);
    return code;
}
