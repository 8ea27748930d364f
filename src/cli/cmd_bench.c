/* gelatto bench infer|train: how fast this machine runs the network. */
#include "config.h"

#include "args.h"
#include "commands.h"
#include "report.h"

#include "gelatto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_json(const char *what, const struct glt_speed *s, int64_t clouds, int64_t points)
{
    printf("{\"bench\": \"%s\", \"clouds\": %" PRId64 ", \"points\": %" PRId64
           ", \"seconds\": %.6f, \"geometry_seconds\": %.6f, \"flops\": %.0f, "
           "\"flops_per_second\": %.0f, \"peak_flops_per_second\": %.0f, \"bytes\": %" PRId64 "}\n",
           what, clouds, points, s->seconds, s->geometry, s->flops, s->flops / s->seconds,
           s->peak_flops, s->bytes);
}

static void print_rows(const char *what, const struct glt_speed *s, int64_t clouds, int64_t points)
{
    printf("%s\t%" PRId64 " x %" PRId64 " points\n", what, clouds, points);
    printf("seconds\t%.4f\ts per batch, geometry included\n", s->seconds);
    printf("speed\t%.1f\tGFLOP/s\n", 1e-9 * s->flops / s->seconds);
    printf("peak\t%.1f\tGFLOP/s of FMA on the same threads\n", 1e-9 * s->peak_flops);
    printf("share\t%.0f\t%% of the peak\n", 100 * s->flops / s->seconds / s->peak_flops);
    printf("memory\t%.1f\tMB at the most\n", 1e-6 * (double)s->bytes);
}

static int run(const struct args *args)
{
    struct glt_config *config;
    struct glt_speed speed;
    const char *what = args->operands[0];
    bool train = strcmp(what, "train") == 0;
    if (!train && strcmp(what, "infer") != 0)
        return args_usage(args->command, "'%s': expected infer or train", what);
    int code = config_from(&config, args);
    if (code)
        return code;
    char text[32] = "0";
    glt_config_get(config, "points", text, sizeof text);
    int64_t points = args_int(args, "points", strtoll(text, NULL, 10));
    glt_config_get(config, "batch", text, sizeof text);
    int64_t clouds = args_int(args, "clouds", train ? strtoll(text, NULL, 10) : 1);
    code = glt_speed_measure(&speed, config, train, (int)clouds, points,
                             (int)args_int(args, "repeats", 5));
    glt_config_free(config);
    if (code < 0)
        return report_refusal(args, code);
    (args_flag(args, "json") ? print_json : print_rows)(what, &speed, clouds, points);
    return 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "preset", 'p', "NAME",
     "the network (the options' own; 'gelatto options --presets')", 0, 0},
    {ARGS_INT, "points", 0, "N", "per cloud (the option points)", 1, 16777216},
    {ARGS_INT, "clouds", 0, "N", "of a batch (infer: 1, train: the option batch)", 1, 64},
    {ARGS_INT, "repeats", 0, "N", "report the fastest of N runs (5)", 1, 1000},
    {ARGS_FLAG, "json", 'j', NULL, "print one JSON value", 0, 0},
    {0},
};

const struct command command_bench = {
    .name = "bench",
    .summary = "time inference or training steps on this machine",
    .operands = "infer|train",
    .operands_min = 1,
    .operands_max = 1,
    .about = "Times whole batches of made-up room tiles with a network of random weights, "
             "geometry included. Prints the time, the share of the processor's peak and the "
             "memory used.",
    .examples = "gelatto bench infer --preset paper\n"
                "gelatto bench train --preset small --clouds 4 --points 4096\n",
    .pages = "RESULTS.md",
    .options = options,
    .config = true,
    .run = run,
};
