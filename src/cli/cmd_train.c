/* gelatto train DATA: a model from a data set. */
#include "commands.h"
#include "config.h"
#include "report.h"

#include "gelatto.h"

#include <math.h>

static void format_left(char *dst, size_t size, double seconds)
{
    long s = isfinite(seconds) && seconds < 1e8 ? (long)seconds : 0;
    if (s >= 3600)
        snprintf(dst, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(dst, size, "%ld:%02ld", s / 60, s % 60);
}

static int on_step(void *user, const struct glt_train_status *s)
{
    char line[512], left[32];
    int len;
    (void)user;
    format_left(left, sizeof left, s->seconds_left);
    len = snprintf(line, sizeof line, "epoch %lld/%lld step %lld/%lld  loss %.3f",
                   (long long)s->epoch, (long long)s->epochs, (long long)s->step,
                   (long long)s->steps, s->loss);
    for (int i = 0; i < s->outputs && s->outputs > 1; i++)
        len += snprintf(line + len, sizeof line - (size_t)len, "%s%.3f", i ? " " : " = ",
                        s->losses[i]);
    len += snprintf(line + len, sizeof line - (size_t)len, "  lr %.3g", s->rate);
    if (!isnan(s->metric))
        len += snprintf(line + len, sizeof line - (size_t)len, "  %s %.4f (best %.4f)",
                        s->metric_name, s->metric, s->best);
    snprintf(line + len, sizeof line - (size_t)len, "  %.3g samples/s  left %s",
             s->samples_per_second, left);
    return report_status(line);
}

static int run(const struct args *args)
{
    struct glt_config *config = NULL;
    const char *data = args->n ? args->operands[0] : NULL;
    struct glt_train_options o = {.runs = args_text(args, "runs", NULL),
                                  .name = args_text(args, "name", NULL),
                                  .resume = args_text(args, "resume", NULL),
                                  .init = args_text(args, "init", NULL),
                                  .force = args_flag(args, "force"),
                                  .steps = args_int(args, "steps", 0),
                                  .save = args_int(args, "save", 0),
                                  .validate = args_int(args, "validate", 0)};
    if (!data && !o.resume)
        return args_usage(args->command, "something is missing, expected DATA or --resume RUN");
    int code = config_from(&config, args);
    if (code)
        return code;
    code = glt_train(config, data, &o, on_step, NULL);
    glt_config_free(config);
    return code < 0 ? report_failure() : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "preset", 'p', "NAME", "the network: paper, small, tiny, ... ('gelatto options')",
     0, 0},
    {ARGS_TEXT, "name", 'n', "NAME", "the run is runs/NAME1, NAME2, .. (train)", 0, 0},
    {ARGS_TEXT, "runs", 0, "DIR", "the folder of all runs (runs)", 0, 0},
    {ARGS_TEXT, "resume", 'r', "RUN", "go on with the run in this folder", 0, 0},
    {ARGS_TEXT, "init", 'i', "MODEL", "begin with the weights of a model, with other classes too",
     0, 0},
    {ARGS_INT, "steps", 0, "N", "end after so many steps, whatever the epochs", 1, 1e15},
    {ARGS_INT, "save", 0, "N", "a checkpoint every N steps (at epochs' ends and each ten minutes)",
     1, 1e15},
    {ARGS_INT, "validate", 0, "N", "validate every N epochs (1)", 1, 1e9},
    {ARGS_FLAG, "force", 0, NULL, "resume in spite of other settings or other data", 0, 0},
    {0},
};

const struct command command_train = {
    .name = "train",
    .summary = "learn a model from a data set",
    .operands = "[DATA]",
    .operands_min = 0,
    .operands_max = 1,
    .about = "DATA is a folder of S3DIS, ShapeNetPart, ModelNet or ScanNet, the YAML file of a "
             "folder of your own, or synth:rooms. The run folder gets the configuration, the log, "
             "metrics, checkpoints, best.safetensors and last.safetensors. Ctrl-C finishes the "
             "step and saves; --resume goes on, bit for bit as if nothing had happened.",
    .examples = "gelatto train synth:rooms --preset tiny --steps 600\n"
                "gelatto train S3DIS --name s3dis --set area=5 --set epochs=100\n"
                "gelatto train --resume runs/s3dis1\n"
                "gelatto train mine.yaml --init runs/s3dis1/best.safetensors --set lr=1e-5\n",
    .options = options,
    .config = true,
    .run = run,
};
