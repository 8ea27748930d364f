/* gelatto render CLOUD -o out.png: a picture of a cloud, without a graphics stack. */
#include "commands.h"
#include "outputs.h"
#include "report.h"

#include "gelatto.h"

#include <string.h>

/* Options that go to the library as they are: their names there and here. */
static const char *const passed[] = {"colours", "label",     "truth",     "width", "height",
                                     "azimuth", "elevation", "fov",       "zoom",  "cut",
                                     "radius",  "shading",   "turntable", "up"};

static int add_word(char *dst, size_t size, const char *key, const char *value)
{
    size_t len = strlen(dst);
    int more = value ? snprintf(dst + len, size - len, " %s=%s", key, value)
                     : snprintf(dst + len, size - len, " %s", key);
    return more < 0 || (size_t)more >= size - len;
}

static int library_options(char *dst, size_t size, const struct args *args)
{
    dst[0] = 0;
    int full = 0;
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        const char *value = args_text(args, passed[i], NULL);
        if (value && strpbrk(value, " \t\n"))
            return args_usage(args->command, "--%s \"%s\": no blanks here", passed[i], value);
        if (value)
            full |= add_word(dst, size, passed[i], value);
    }
    if (args_flag(args, "orthographic"))
        full |= add_word(dst, size, "orthographic", NULL);
    if (args_flag(args, "no-legend"))
        full |= add_word(dst, size, "no_legend", NULL);
    if (args_flag(args, "dark"))
        full |= add_word(dst, size, "dark", NULL);
    return full ? args_usage(args->command, "the options are too long") : 0;
}

static int run(const struct args *args)
{
    char options[4096];
    const char *out = args_text(args, "output", NULL), *against = args_text(args, "against", NULL);
    if (!out)
        return args_usage(args->command, "say where the picture goes: -o out.png");
    int code = outputs_png(args, out);
    if (code == 0)
        code = library_options(options, sizeof options, args);
    if (code)
        return code;
    struct glt_cloud *cloud = NULL, *truth = NULL;
    code = glt_cloud_read(&cloud, args->operands[0], NULL);
    if (code == 0 && against)
        code = glt_cloud_read(&truth, against, NULL);
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
    {ARGS_TEXT, "label", 0, "NAME", "attribute with the classes (label)", 0, 0},
    {ARGS_TEXT, "truth", 0, "NAME", "attribute with the true classes (truth)", 0, 0},
    {ARGS_TEXT, "against", 'a', "CLOUD", "take the truth from this cloud's label", 0, 0},
    {ARGS_INT, "width", 'W', "N", "of a panel, in pixels (900)", 16, 8192},
    {ARGS_INT, "height", 'H', "N", "of a panel, in pixels (700)", 16, 8192},
    {ARGS_NUMBER, "azimuth", 0, "DEGREES", "where the viewer stands (-60)", -3600, 3600},
    {ARGS_NUMBER, "elevation", 0, "DEGREES", "above the horizon (56)", -90, 90},
    {ARGS_NUMBER, "fov", 0, "DEGREES", "field of view (40)", 0, 150},
    {ARGS_FLAG, "orthographic", 0, NULL, "without perspective", 0, 0},
    {ARGS_NUMBER, "zoom", 'z', "X", "larger than fits (1)", 0.02, 500},
    {ARGS_CHOICE, "up", 0, "x|y|z", "the axis that points up (z)", 0, 0},
    {ARGS_NUMBER, "cut", 0, "SHARE",
     "keep this share of the height, from below; 1 keeps all (0.85 for rooms seen from above)",
     0.01, 1},
    {ARGS_NUMBER, "radius", 0, "PIXELS", "of a point; 0 finds it (0)", 0, 200},
    {ARGS_NUMBER, "shading", 0, "X", "eye-dome shading (1)", 0, 4},
    {ARGS_FLAG, "no-legend", 0, NULL, "leave the class names out", 0, 0},
    {ARGS_FLAG, "dark", 0, NULL, "on a dark background", 0, 0},
    {ARGS_INT, "turntable", 0, "N", "N pictures around the cloud: FILE_000.png, ...", 1, 999},
    {0},
};

const struct command command_render = {
    .name = "render",
    .summary = "draw a cloud as a picture",
    .operands = "CLOUD",
    .operands_min = 1,
    .operands_max = 1,
    .about = "Draws the points as shaded discs, coloured by their own colours, by class, by "
             "confidence, by error, by height or by any attribute; several panels side by side, "
             "with the names of the classes below. Rooms seen from above lose their ceiling.",
    .examples =
        "gelatto render room.ply -o room.png\n"
        "gelatto render predicted.ply -a room.ply --colours rgb,truth,label,error -o panels.png\n"
        "gelatto render scan.ply --colours height --orthographic --elevation 90 -o map.png\n"
        "gelatto render room.ply --turntable 36 -o turn.png\n",
    .pages = "docs/predict.md",
    .options = options,
    .run = run,
};
