/* gelatto ablate DATA --grid FILE: the contribution of each part of the network. */
#include "args.h"
#include "commands.h"
#include "config.h"
#include "ranks.h"
#include "report.h"
#include "train_line.h"

#include "gelatto.h"

static int run(const struct args *args)
{
    struct glt_config *config = NULL;
    char *report = NULL, command[2048], epochs[32];
    const char *grid = args_text(args, "grid", NULL);
    int64_t n = args_int(args, "epochs", 0);
    args_describe(command, sizeof command, args);
    struct glt_series_options o = {.size = sizeof o,
                                   .runs = args_text(args, "runs", NULL),
                                   .name = args_text(args, "name", NULL),
                                   .init = args_text(args, "init", NULL),
                                   .command = command,
                                   .split = args_text(args, "split", NULL),
                                   .seeds = args_int(args, "seeds", 0),
                                   .steps = args_int(args, "steps", 0),
                                   .save = args_int(args, "save", 0),
                                   .validate = args_int(args, "validate", 0),
                                   .json = args_flag(args, "json")};
    if (!grid)
        return args_usage(args->command, "--grid is missing: a YAML file or the name of a grid");
    int code = config_from(&config, args);
    if (code)
        return code;
    snprintf(epochs, sizeof epochs, "%lld", (long long)n);
    code = n ? glt_config_set(config, "epochs", epochs) : 0;
    if (code == 0 && (code = ranks_join())) {
        glt_config_free(config);
        return code;
    }
    if (code == 0)
        code = glt_ablate(&report, config, args->operands[0], grid, &o, train_line, NULL);
    glt_config_free(config);
    if (code < 0)
        return report_refusal(args, code);
    return report_result(report, args_flag(args, "json"));
}

static const struct args_option options[] = {
    {ARGS_TEXT, "grid", 'g', "FILE", "what to vary: a YAML file, or a shipped grid", 0, 0},
    {ARGS_TEXT, "preset", 'p', "NAME",
     "another network than the grid's; 'gelatto options --presets' lists them", 0, 0},
    {ARGS_INT, "seeds", 0, "N", "runs of each row (default: as the grid says)", 1, 10000},
    {ARGS_INT, "epochs", 0, "N", "epochs of each run (default: as the grid says)", 1, 1e6},
    {ARGS_INT, "steps", 0, "N", "stop each run after N steps, if its epochs have as many", 1, 1e15},
    {ARGS_TEXT, "init", 'i', "MODEL", "start every run from the weights of a model", 0, 0},
    {ARGS_TEXT, "name", 'n', "NAME", "the runs are in runs/NAME (default: the grid's name)", 0, 0},
    {ARGS_TEXT, "runs", 0, "DIR", "the folder of all runs (default runs)", 0, 0},
    {ARGS_CHOICE, "split", 0, "test|val",
     "split to score on; val if you will choose by it (default test)", 0, 0},
    {ARGS_INT, "save", 0, "N",
     "checkpoint every N steps (default: before two minutes of work could be lost)", 1, 1e15},
    {ARGS_INT, "validate", 0, "N", "validate every N epochs (default 1)", 1, 1e9},
    {ARGS_FLAG, "json", 'j', NULL, "the table as JSON instead of Markdown", 0, 0},
    {0},
};

const struct command command_ablate = {
    .name = "ablate",
    .summary = "train the rows of an ablation table",
    .operands = "DATA",
    .operands_min = 1,
    .operands_max = 1,
    .about =
        "Trains every row of a grid with every seed, scores the best model of each run on the "
        "test split, and prints mean and spread beside the paper's numbers, as Markdown. "
        "Shipped grids: aux, aux-single, heads, neighbours, features, levels, maps. Finished "
        "runs are kept and interrupted ones are resumed when the command is run again. Several "
        "processes that run it at once share the runs.",
    .examples = "gelatto ablate S3DIS --grid heads\n"
                "gelatto ablate S3DIS --grid aux-single --init runs/s3dis1/best.safetensors "
                "--epochs 50\n"
                "gelatto ablate synth:rooms --grid heads --preset tiny --steps 600 --seeds 3\n",
    .pages = "docs/how-to/cross-validate-and-ablate.md RESULTS.md",
    .options = options,
    .config = true,
    .run = run,
};
