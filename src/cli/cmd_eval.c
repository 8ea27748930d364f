/* gelatto eval MODEL DATA: scores a model. */
#include "args.h"
#include "commands.h"
#include "config.h"
#include "ranks.h"
#include "report.h"

#include "gelatto.h"

static int run(const struct args *args)
{
    struct glt_config *config = NULL;
    char *report = NULL, command[2048];
    args_describe(command, sizeof command, args);
    struct glt_eval_options o = {.size = sizeof o,
                                 .split = args_text(args, "split", NULL),
                                 .folder = args_text(args, "output", NULL),
                                 .command = command,
                                 .seeds = args_int(args, "seeds", 0),
                                 .json = args_flag(args, "json"),
                                 .keep = args_number(args, "keep", 0),
                                 .range = args_number(args, "thin", 0),
                                 .density = args_number(args, "density", 0),
                                 .turn = args_number(args, "turn", 0),
                                 .overlap = args_int(args, "overlap", 0),
                                 .protocol = args_text(args, "protocol", NULL)};
    int code = config_from(&config, args);
    if (code == 0 && (code = ranks_join()))
        glt_config_free(config);
    if (code)
        return code;
    code = glt_evaluate(&report, args->operands[0], args->operands[1], config, &o);
    glt_config_free(config);
    if (code < 0)
        return report_failure_of_model(args, code);
    return report_result(report, args_flag(args, "json"));
}

static const struct args_option options[] = {
    {ARGS_CHOICE, "split", 0, "test|val|train",
     "which split of the dataset (default test, or val if there is none)", 0, 0},
    {ARGS_TEXT, "label-attribute", 0, "NAME",
     "the attribute that holds the labels (default: label)", 0, 0},
    {ARGS_INT, "seeds", 0, "N",
     "repeat with other samples and neighbours, print the spread (default 1)", 1, 10000},
    {ARGS_NUMBER, "keep", 0, "SHARE",
     "score on clouds that keep this share of their points (default 1)", 1e-6, 1},
    {ARGS_NUMBER, "thin", 0, "RANGE",
     "thin clouds as a scanner would: beyond RANGE with the square of the distance", 1e-3, 1e6},
    {ARGS_NUMBER, "density", 0, "N", "thin scenes to this many points per square unit", 1e-3, 1e6},
    {ARGS_NUMBER, "turn", 0, "DEGREES",
     "turn every cloud about its up axis by up to this angle, at random", 0, 180},
    {ARGS_INT, "overlap", 0, "N", "tile a scene N more times, by shifted grids (default 0)", 0, 15},
    {ARGS_CHOICE, "protocol", 0, "paper|product",
     "samples of a scene: the paper's (default), or exactly those of 'gelatto predict'", 0, 0},
    {ARGS_TEXT, "output", 'o', "DIR", "write confusion matrix (CSV, SVG) and protocol card there",
     0, 0},
    {ARGS_FLAG, "json", 'j', NULL, "the protocol card as JSON instead of a table", 0, 0},
    {0},
};

static const struct args_group groups[] = {
    {"split", "what is scored"},
    {"overlap", "scenes"},
    {"output", "output"},
    {0},
};

const struct command command_eval = {
    .name = "eval",
    .summary = "score a model on a dataset",
    .operands = "MODEL DATA",
    .operands_min = 2,
    .operands_max = 2,
    .about =
        "Follows the protocol of the dataset: scenes are covered tile by tile and the votes of "
        "all samples are summed per point; shapes are seen whole. DATA may also be one labelled "
        "cloud. Prints IoU and accuracy of each class, mIoU, mAcc and OA, for parts the mean over "
        "categories and over shapes, and the score of always guessing the most common class (for "
        "parts: the most common part of the category). With --overlap scenes are tiled as by "
        "'gelatto predict --overlap'. --keep, --thin and --density first remove points at random, "
        "to score other densities. The scanner of --thin stands in the middle of a scene, 1.5 m "
        "above its floor, or two radii from the centre of a shape along x, where RANGE counts in "
        "radii. "
        "'gelatto train DATA --kfold' trains and scores a model for every area of a set of "
        "rooms.",
    .examples = "gelatto eval runs/train1/best.safetensors S3DIS -o area5\n"
                "gelatto eval best.safetensors synth:rooms --seeds 3\n"
                "gelatto eval best.safetensors office.ply --json\n"
                "gelatto eval best.safetensors synth:rooms --keep 0.25\n"
                "gelatto eval best.safetensors synth:rooms --thin 2\n",
    .pages = "docs/how-to/evaluate-a-model.md docs/reference/datasets.md",
    .options = options,
    .groups = groups,
    .config = true,
    .run = run,
};
