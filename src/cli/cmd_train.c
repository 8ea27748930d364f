/* gelatto train DATA: trains a model on a dataset. */
#include "args.h"
#include "commands.h"
#include "config.h"
#include "ranks.h"
#include "report.h"
#include "train_line.h"

#include "gelatto.h"

/* Trains a model for every held-out area; the same command resumes after an interruption. */
static int run_folds(const struct args *args, const struct glt_config *config, const char *data)
{
    char *report = NULL, command[2048];
    args_describe(command, sizeof command, args);
    struct glt_series_options o = {.size = sizeof o,
                                   .runs = args_text(args, "runs", NULL),
                                   .name = args_text(args, "name", NULL),
                                   .init = args_text(args, "init", NULL),
                                   .command = command,
                                   .steps = args_int(args, "steps", 0),
                                   .save = args_int(args, "save", 0),
                                   .validate = args_int(args, "validate", 0),
                                   .json = args_flag(args, "json")};
    int code = glt_kfold(&report, config, data, &o, train_line, NULL);
    if (code < 0)
        return report_refusal(args, code);
    return report_result(report, args_flag(args, "json"));
}

static int run(const struct args *args)
{
    struct glt_config *config = NULL;
    const char *data = args->n ? args->operands[0] : NULL;
    struct glt_train_options o = {.size = sizeof o,
                                  .runs = args_text(args, "runs", NULL),
                                  .name = args_text(args, "name", NULL),
                                  .resume = args_text(args, "resume", NULL),
                                  .init = args_text(args, "init", NULL),
                                  .force = args_flag(args, "force"),
                                  .steps = args_int(args, "steps", 0),
                                  .save = args_int(args, "save", 0),
                                  .validate = args_int(args, "validate", 0)};
    if (!data && !o.resume)
        return args_usage(args->command, "missing operand: expected DATA, or --resume RUN");
    if (args_flag(args, "kfold") && (!data || o.resume))
        return args_usage(args->command, "--kfold needs DATA and resumes by itself, without "
                                         "--resume");
    if (!args_flag(args, "kfold") &&
        args_refuse(args, "json", "applies to the card of --kfold: add --kfold"))
        return 2;
    if (!o.resume && args_refuse(args, "force", "applies to a resumed run: add --resume RUN"))
        return 2;
    if (o.resume &&
        args_refuse(args, "name runs", "applies to a new run: a resumed run has its own"))
        return 2;
    int code = config_from(&config, args);
    if (code == 0 && (code = ranks_join()))
        glt_config_free(config);
    if (code)
        return code;
    if (args_flag(args, "kfold"))
        code = run_folds(args, config, data);
    else if ((code = glt_train(config, data, &o, train_line, NULL)) < 0)
        code = report_refusal(args, code);
    glt_config_free(config);
    return code;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "preset", 'p', "NAME",
     "the network: paper, small, tiny, ...; 'gelatto options --presets' lists them", 0, 0},
    {ARGS_TEXT, "name", 'n', "NAME", "the run is runs/NAME1, NAME2, .. (default train)", 0, 0},
    {ARGS_TEXT, "runs", 0, "DIR", "the folder of all runs (default runs)", 0, 0},
    {ARGS_TEXT, "resume", 'r', "RUN", "resume the run in this folder", 0, 0},
    {ARGS_FLAG, "force", 0, NULL, "resume although settings or data differ", 0, 0},
    {ARGS_TEXT, "init", 'i', "MODEL", "start from the weights of a model, with other classes too",
     0, 0},
    {ARGS_INT, "steps", 0, "N", "stop after N steps, or after the last epoch if that is earlier", 1,
     1e15},
    {ARGS_INT, "save", 0, "N",
     "checkpoint every N steps (default: before two minutes of work could be lost)", 1, 1e15},
    {ARGS_INT, "validate", 0, "N", "validate every N epochs (default 1)", 1, 1e9},
    {ARGS_FLAG, "kfold", 0, NULL,
     "rooms: train and score a model for each area held out, in runs/NAME/areaN (NAME: default "
     "kfold)",
     0, 0},
    {ARGS_FLAG, "json", 'j', NULL, "with --kfold: the card as JSON instead of a table", 0, 0},
    {0},
};

static const struct args_group groups[] = {
    {"preset", "the run"},
    {"steps", "length and checkpoints"},
    {"kfold", "cross-validation"},
    {0},
};

const struct command command_train = {
    .name = "train",
    .summary = "train a model on a dataset",
    .operands = "[DATA]",
    .operands_min = 0,
    .operands_max = 1,
    .about = "DATA is a folder of S3DIS, ShapeNetPart, ModelNet or ScanNet, the YAML file of a "
             "folder of your own, or synth:rooms. The run folder gets the configuration, the log, "
             "metrics, checkpoints, best.safetensors and last.safetensors. Ctrl-C and SIGTERM "
             "finish the step and save; --resume continues, bit for bit as if nothing had "
             "happened. --kfold prints the scores of the folds, pooled and averaged; run again, it "
             "resumes. Under mpirun the processes share each step, if their number divides "
             "accumulate; the result is that of one.",
    .examples = "gelatto train synth:rooms --preset tiny --steps 600\n"
                "gelatto train S3DIS --name s3dis --set area=5 --set epochs=100\n"
                "gelatto train --resume runs/s3dis1\n"
                "gelatto train S3DIS --kfold --name s3dis-6fold\n"
                "mpirun -n 8 gelatto train S3DIS --set accumulate=8\n"
                "gelatto train mine.yaml --init runs/s3dis1/best.safetensors --set lr=1e-5\n",
    .pages = "docs/reference/run-folder.md docs/reference/datasets.md",
    .options = options,
    .groups = groups,
    .config = true,
    .run = run,
};
