/* gelatto convert IN OUT: a cloud from one format to another, a model to a smaller file. */
#include "args.h"
#include "commands.h"
#include "outputs.h"
#include "report.h"

#include "gelatto.h"

#include <string.h>
#include <unistd.h>

static bool is_model(const char *path)
{
    static const char ending[] = ".safetensors";
    size_t len = strlen(path), n = sizeof ending - 1;
    return len >= n && !strcmp(path + len - n, ending);
}

static const char *const notes[] = {"licence", "credit", "use", "replay", NULL}; /* on a card */

static int convert_model(const struct args *args)
{
    static const char *const clouds[] = {"box",  "salvage",   "columns",  "vertices", "sample",
                                         "crop", "subsample", "up",       "scale",    "shift",
                                         "map",  "seed",      "encoding", "rename"};
    struct glt_model *m = NULL;
    for (size_t i = 0; i < sizeof clouds / sizeof *clouds; i++)
        if (args_flag(args, clouds[i]))
            return args_usage(args->command, "--%s is for clouds: OUT is a model", clouds[i]);
    if (!args_flag(args, "overwrite") && access(args->operands[1], F_OK) == 0)
        return args_usage(args->command,
                          "%s already exists: name another output, or say --overwrite",
                          args->operands[1]);
    int code = glt_model_load(&m, args->operands[0]);
    for (int i = 0; notes[i] && code == 0; i++)
        if (args_flag(args, notes[i]))
            code = glt_model_note(m, notes[i], args_text(args, notes[i], ""));
    if (code == 0)
        code = glt_model_save(m, args->operands[1], args_flag(args, "half") ? "half" : NULL);
    glt_model_free(m);
    return code < 0 ? report_failure() : 0;
}

static int run(const struct args *args)
{
    if (outputs_is(args->operands[1], args->operands[0]) && !args_flag(args, "overwrite"))
        return args_usage(args->command,
                          "%s is the input and would be overwritten: name another output, or say "
                          "--overwrite",
                          args->operands[1]);
    if (!strcmp(args->operands[1], "-"))
        return args_usage(args->command, "clouds are not written to stdout: name a file");
    if (is_model(args->operands[1]))
        return convert_model(args);
    if (args_refuse(args, "half licence credit use replay",
                    "is for models: OUT ends in .safetensors"))
        return 2;
    char in[ARGS_OPTIONS_MAX] = "", edit[ARGS_OPTIONS_MAX] = "", out[ARGS_OPTIONS_MAX] = "";
    if (args_options(in, args, "columns sample seed vertices box salvage") ||
        args_options(edit, args, "crop subsample up scale shift rename map") ||
        (edit[0] && args_options(edit, args, "seed")) || args_options(out, args, "encoding"))
        return 2;
    int code = glt_cloud_write(NULL, args->operands[1], out);
    if (code == 0)
        code = glt_cloud_edit(NULL, NULL, edit);
    if (code < 0)
        return code == GLT_EIO || code == GLT_ENOMEM
                   ? report_failure()
                   : args_usage(args->command, "%s", glt_error_message());
    struct glt_cloud *cloud = NULL, *changed = NULL;
    code = glt_cloud_read(&cloud, args->operands[0], in);
    if (code == 0 && edit[0]) /* clouds without edits keep their faces */
        code = glt_cloud_edit(&changed, cloud, edit);
    if (code == 0)
        code = glt_cloud_write(changed ? changed : cloud, args->operands[1], out);
    if (code == 0)
        report_note("%s: %lld points", args->operands[1],
                    (long long)glt_cloud_count(changed ? changed : cloud));
    glt_cloud_free(cloud);
    glt_cloud_free(changed);
    return code < 0 ? report_refusal(args, code) : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "columns", 0, "NAMES",
     "columns of a text file or plain array: x,y,z,label; - skips one", 0, 0},
    {ARGS_TEXT, "box", 0, "x,y,X,Y",
     "keep the points in this rectangle; from COPC files little else is read", 0, 0},
    {ARGS_FLAG, "salvage", 0, NULL, "read the intact chunks of a damaged LAZ file", 0, 0},
    {ARGS_FLAG, "vertices", 0, NULL, "take the vertices of a mesh, not points on its surface", 0,
     0},
    {ARGS_INT, "sample", 0, "N",
     "points on the surface of a mesh (default 10000; of a PLY its vertices)", 1, 2147483647},
    {ARGS_TEXT, "crop", 0, "x,y,z,X,Y,Z", "keep the points in this box", 0, 0},
    {ARGS_INT, "subsample", 0, "N", "keep N points, drawn at random", 1, 2147483647},
    {ARGS_CHOICE, "up", 0, "x|y|z", "the axis that points up: turn the cloud so that z does", 0, 0},
    {ARGS_TEXT, "scale", 0, "FACTOR|x,y,z",
     "multiply the coordinates (0.001 makes metres of mm), or each by its own factor", 0, 0},
    {ARGS_TEXT, "shift", 0, "x,y,z", "add this to the coordinates", 0, 0},
    {ARGS_TEXT, "rename", 0, "OLD:NEW,...", "rename attributes: gt:label", 0, 0},
    {ARGS_TEXT, "map", 0, "OLD:NEW,...", "renumber the labels", 0, 0},
    {ARGS_INT, "seed", 0, "N", "seed of everything random (default 0)", 0, 9007199254740992.0},
    {ARGS_CHOICE, "encoding", 'e', "ascii|binary|big|compressed",
     "encoding of the output (default: as the input, or binary)", 0, 0},
    {ARGS_FLAG, "overwrite", 0, NULL, "the output may be the input itself, or an existing model", 0,
     0},
    {ARGS_FLAG, "half", 0, NULL, "write matrices as 16-bit floats: half the size", 0, 0},
    {ARGS_TEXT, "licence", 0, "TEXT", "licence of the model, in one line", 0, 0},
    {ARGS_TEXT, "credit", 0, "TEXT", "whom to credit, in one line", 0, 0},
    {ARGS_TEXT, "use", 0, "TEXT", "what the model is for, in one line", 0, 0},
    {ARGS_TEXT, "replay", 0, "DATA", "data to mix in when the model learns more: synth:rooms real",
     0, 0},
    {0},
};

static const struct args_group groups[] = {
    {"columns", "reading the input"},
    {"crop", "changes, in this order"},
    {"encoding", "writing the output"},
    {"half", "models"},
    {0},
};

const struct command command_convert = {
    .name = "convert",
    .summary = "write a cloud in another format",
    .operands = "IN OUT",
    .operands_min = 2,
    .operands_max = 2,
    .about =
        "Reads PLY, PCD, LAS, LAZ, NPY, NPZ, text (xyz txt csv pts asc), SemanticKITTI bin, "
        "E57, PTX, HDF5, OFF, OBJ and STL by content and extension; writes the first eight by "
        "extension. IN may be - for stdin. Every "
        "attribute the output format can hold is kept, with its type and value. A model "
        "(.safetensors, or "
        "the name of an installed one) becomes a model file without what training kept beside it.",
    .examples = "gelatto convert scan.las scan.ply\n"
                "gelatto convert room.txt room.ply --columns x,y,z,red,green,blue,label\n"
                "gelatto convert scan.ply small.pcd --subsample 100000 --crop 0,0,-1,20,20,5\n"
                "gelatto convert scan.ply labelled.las --rename gt:label\n"
                "gelatto convert chair.off chair.npy --sample 2048\n"
                "gelatto convert feet.ply metres.ply --up y --scale 0.3048\n"
                "gelatto convert mixed.las metres.las --scale 1,1,0.001\n"
                "gelatto convert runs/train1/best.safetensors mine.safetensors --half\n",
    .pages = "docs/reference/formats.md",
    .options = options,
    .groups = groups,
    .run = run,
};
