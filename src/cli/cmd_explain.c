/* gelatto explain MODEL CLOUD -o trace.safetensors: everything one pass used and made. */
#include "commands.h"
#include "report.h"

#include "gelatto.h"

#include <inttypes.h>
#include <limits.h>

/* The picture of a trace; without -o the trace itself goes away again. */
static int draw(const struct args *args, const char *trace)
{
    char words[256];
    snprintf(words, sizeof words, "kind=%s point=%" PRId64 " channel=%" PRId64,
             args_text(args, "kind", "attention"), args_int(args, "point", 0),
             args_int(args, "channel", -1));
    return glt_trace_picture(trace, args_text(args, "picture", ""), words);
}

static int run(const struct args *args)
{
    struct glt_model *model = NULL;
    struct glt_cloud *cloud = NULL;
    const char *out = args_text(args, "output", NULL), *picture = args_text(args, "picture", NULL);
    char words[64], beside[PATH_MAX];
    if (!out && !picture)
        return args_usage(args->command, "say where the result goes: -o trace.safetensors, or "
                                         "--picture out.png");
    if (!out && (size_t)snprintf(beside, sizeof beside, "%s.trace", picture) >= sizeof beside)
        return args_usage(args->command, "--picture: the name is too long");
    snprintf(words, sizeof words, "point=%" PRId64, args_int(args, "point", 0));
    int code = glt_model_load(&model, args->operands[0]);
    if (code == 0)
        code = glt_cloud_read(&cloud, args->operands[1], NULL);
    if (code == 0)
        code = glt_cloud_explain(cloud, model, out ? out : beside, words);
    if (code == 0 && picture) {
        code = draw(args, out ? out : beside);
        if (!out)
            remove(beside);
    }
    glt_cloud_free(cloud);
    glt_model_free(model);
    return code < 0 ? report_failure() : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "FILE", "the trace to write, a safetensors file", 0, 0},
    {ARGS_TEXT, "picture", 0, "FILE", "a PNG of it", 0, 0},
    {ARGS_CHOICE, "kind", 'k', "attention|grouping|outputs", "of the picture (attention)", 0, 0},
    {ARGS_INT, "point", 'p', "ROW", "the point in question; of a scene, one in the pass (0)", 0,
     9007199254740992.0},
    {ARGS_INT, "channel", 'c', "N", "of the attention scores (their mean)", 0, 65535},
    {0},
};

const struct command command_explain = {
    .name = "explain",
    .summary = "write down all that one pass of a model used and made",
    .operands = "MODEL CLOUD",
    .operands_min = 2,
    .operands_max = 2,
    .about = "Runs the model once and writes sampling order, neighbour lists, attention weights, "
             "features of every stage and all outputs as named tensors. A scene of more than one "
             "block is cut as for prediction: the pass is the first that draws the chosen point. "
             "Pictures: attention of the point (columns are encoder levels, rows the two blocks; "
             "geometric head red, latent green, centre yellow, sampled points black), its groups, "
             "or main and auxiliary outputs.",
    .examples = "gelatto explain model.safetensors room.ply -o trace.safetensors\n"
                "gelatto explain model.safetensors room.ply --point 1200 -o trace.safetensors\n"
                "gelatto explain rooms room.ply --point 1200 --picture attention.png\n"
                "gelatto explain rooms room.ply --kind outputs --picture outputs.png\n",
    .options = options,
    .run = run,
};
