/* gelatto render CLOUD -o out.png: draws an image of a cloud, without a graphics stack. */
#include "args.h"
#include "commands.h"
#include "outputs.h"
#include "report.h"

#include "gelatto.h"

#include <string.h>

static int run(const struct args *args)
{
    char options[ARGS_OPTIONS_MAX] = "", reading[ARGS_OPTIONS_MAX] = "";
    const char *out = args_text(args, "output", NULL), *against = args_text(args, "against", NULL);
    if (!out)
        return args_usage(args->command, "missing option: -o out.png, the image to write");
    int code = outputs_png(args, out);
    if (code == 0)
        code = args_options(options, args,
                            "colours label truth width height azimuth elevation fov zoom cut "
                            "radius shading turntable up orthographic map-view no-legend dark");
    if (code == 0 && args_flag(args, "map-view"))
        code = args_refuse(args, "azimuth elevation fov orthographic turntable up",
                           "cannot be combined with --map-view, which is seen from above");
    if (code == 0 && args_flag(args, "orthographic"))
        code = args_refuse(args, "fov", "cannot be combined with --orthographic, which has none");
    if (code == 0)
        code = args_options(reading, args, "box salvage");
    if (code)
        return code;
    struct glt_cloud *cloud = NULL, *truth = NULL;
    code = glt_cloud_read(&cloud, args->operands[0], reading);
    if (code == 0 && against)
        code = glt_cloud_read(&truth, against, reading);
    if (code == 0)
        code = glt_cloud_render(cloud, truth, out, options);
    glt_cloud_free(cloud);
    glt_cloud_free(truth);
    return code < 0 ? report_refusal(args, code) : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "FILE", "the PNG to write", 0, 0},
    {ARGS_TEXT, "colours", 0, "A,B",
     "panels: rgb, label, truth, error, confidence, height or an attribute; default rgb, else "
     "label, else height",
     0, 0},
    {ARGS_TEXT, "label", 0, "NAME", "attribute with the classes (default label)", 0, 0},
    {ARGS_TEXT, "truth", 0, "NAME",
     "attribute with the true classes, of the cloud of -a if given (default truth)", 0, 0},
    {ARGS_TEXT, "against", 'a', "CLOUD", "take the truth from this cloud's label", 0, 0},
    {ARGS_TEXT, "box", 0, "x,y,X,Y",
     "keep the points in this rectangle; from COPC files little else is read", 0, 0},
    {ARGS_FLAG, "salvage", 0, NULL, "read the intact chunks of a damaged LAZ file", 0, 0},
    {ARGS_INT, "width", 'W', "N", "width of a panel in pixels (default 900)", 16, 8192},
    {ARGS_INT, "height", 'H', "N", "height of a panel in pixels (default 700)", 16, 8192},
    {ARGS_NUMBER, "azimuth", 0, "DEGREES", "direction of the viewer (default -60)", -3600, 3600},
    {ARGS_NUMBER, "elevation", 0, "DEGREES", "angle of the viewer above the horizon (default 56)",
     -90, 90},
    {ARGS_NUMBER, "fov", 0, "DEGREES", "field of view (default 40)", 0, 150},
    {ARGS_FLAG, "orthographic", 0, NULL, "without perspective", 0, 0},
    {ARGS_FLAG, "map-view", 0, NULL,
     "from above, north (y) up, without perspective, with a scale and an arrow", 0, 0},
    {ARGS_NUMBER, "zoom", 'z', "X", "enlarge the image (default 1: the cloud fits)", 0.02, 500},
    {ARGS_CHOICE, "up", 0, "x|y|z", "the axis that points up (default z)", 0, 0},
    {ARGS_NUMBER, "cut", 0, "SHARE",
     "keep this share of the height, from below (default 1; 0.85 for rooms seen from above)", 0.01,
     1},
    {ARGS_NUMBER, "radius", 0, "PIXELS", "radius of a point (default 0: by the spacing)", 0, 200},
    {ARGS_NUMBER, "shading", 0, "X", "strength of eye-dome shading (default 1)", 0, 4},
    {ARGS_FLAG, "no-legend", 0, NULL, "leave out class names and scales", 0, 0},
    {ARGS_FLAG, "dark", 0, NULL, "on a dark background", 0, 0},
    {ARGS_INT, "turntable", 0, "N", "N images around the cloud: FILE_000.png, ...", 1, 999},
    {0},
};

static const struct args_group groups[] = {
    {"output", "output"},       {"colours", "what is drawn"}, {"box", "reading the input"},
    {"width", "size and view"}, {"radius", "style"},          {0},
};

const struct command command_render = {
    .name = "render",
    .summary = "draw an image of a cloud",
    .operands = "CLOUD",
    .operands_min = 1,
    .operands_max = 1,
    .about = "Draws the points as shaded discs, coloured by their own colours, by class, by "
             "confidence, by error, by height or by any attribute; several panels side by side, "
             "with the names of the classes or a scale of the colours below. The scale of an "
             "attribute spans all but the lowest and the highest hundredth of its values. Rooms "
             "seen from above lose their ceiling.",
    .examples =
        "gelatto render room.ply -o room.png\n"
        "gelatto render predicted.ply -a room.ply --colours rgb,truth,label,error -o panels.png\n"
        "gelatto render tile.laz --map-view --colours label,height,intensity -o map.png\n"
        "gelatto render room.ply --turntable 36 -o turn.png\n",
    .pages = "docs/reference/prediction.md",
    .options = options,
    .groups = groups,
    .run = run,
};
