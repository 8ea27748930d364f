/* gelatto explain MODEL CLOUD -o trace.safetensors: everything one pass used and made. */
#include "commands.h"
#include "report.h"

#include "gelatto.h"

#include <inttypes.h>

static int run(const struct args *args)
{
    struct glt_model *model = NULL;
    struct glt_cloud *cloud = NULL;
    const char *out = args_text(args, "output", NULL);
    char words[64];
    if (!out)
        return args_usage(args->command, "say where the trace goes: -o trace.safetensors");
    snprintf(words, sizeof words, "point=%" PRId64, args_int(args, "point", 0));
    int code = glt_model_load(&model, args->operands[0]);
    if (code == 0)
        code = glt_cloud_read(&cloud, args->operands[1], NULL);
    if (code == 0)
        code = glt_cloud_explain(cloud, model, out, words);
    glt_cloud_free(cloud);
    glt_model_free(model);
    return code < 0 ? report_failure() : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "FILE", "the trace to write, a safetensors file", 0, 0},
    {ARGS_INT, "point", 'p', "ROW", "of a scene: a point that must be in the pass (0)", 0,
     9007199254740992.0},
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
             "block is cut as for prediction: the pass is the first that draws the chosen point.",
    .examples = "gelatto explain model.safetensors room.ply -o trace.safetensors\n"
                "gelatto explain model.safetensors room.ply --point 1200 -o trace.safetensors\n",
    .options = options,
    .run = run,
};
