/* gelatto bench infer|train|predict: the speed of the network on this machine; bench --table: the
 * paper's tables of size and speed beside our own numbers. */
#include "config.h"

#include "args.h"
#include "commands.h"
#include "report.h"
#include "signals.h"

#include "gelatto.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

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
    printf("memory\t%.1f\tMB at most\n", 1e-6 * (double)s->bytes);
}

/* --- predict --- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct shares {
    double seconds, reading, labelling, writing;
    struct glt_prediction p;
    double bytes; /* peak of the process */
};

/* Reads, labels and writes a cloud; the output is removed again. */
static int time_prediction(struct shares *s, const struct args *args, struct glt_model *m)
{
    struct glt_cloud *cloud = NULL;
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/gelatto-bench-XXXXXX.ply", folder && *folder ? folder : "/tmp");
    int file = mkstemps(path, 4);
    if (file < 0) {
        fprintf(stderr, "gelatto bench: %s: cannot create a temporary file: %s; set TMPDIR\n", path,
                strerror(errno));
        return 1;
    }
    close(file);
    signals_remove(path);
    double began = now();
    int code = glt_cloud_read(&cloud, args->operands[2], NULL);
    double read = now();
    if (code == 0)
        code = glt_cloud_predict(cloud, m, NULL, &s->p, NULL);
    double labelled = now();
    if (code == 0)
        code = glt_cloud_write(cloud, path, NULL);
    *s = (struct shares){now() - began, read - began, labelled - read, now() - labelled, s->p, 0};
    glt_cloud_free(cloud);
    unlink(path);
    signals_remove(NULL);
    return code < 0 ? report_failure_of(args->operands[2], code) : 0;
}

static void print_share(const char *name, double seconds, double all, const char *what)
{
    printf("%s\t%.1f\t%% %s\n", name, 100 * seconds / all, what);
}

/* Seconds summed over threads are scaled to the elapsed time. */
static void print_shares(const struct shares *s, bool json)
{
    double sum = s->p.geometry + s->p.network + s->p.votes, n = (double)s->p.points;
    double scale = sum > s->p.seconds ? s->p.seconds / sum : 1;
    double rest = s->labelling - scale * sum;
    if (json) {
        printf("{\"bench\": \"predict\", \"points\": %.0f, \"samples\": %lld, "
               "\"points_per_second\": %.0f, \"seconds\": %.6f, \"reading\": %.6f, "
               "\"geometry\": %.6f, \"network\": %.6f, \"votes\": %.6f, \"other\": %.6f, "
               "\"writing\": %.6f, \"bytes_per_point\": %.1f}\n",
               n, (long long)s->p.samples, n / s->p.seconds, s->seconds, s->reading,
               scale * s->p.geometry, scale * s->p.network, scale * s->p.votes, rest, s->writing,
               s->bytes / n);
        return;
    }
    printf("predict\t%.0f points in %lld samples\n", n, (long long)s->p.samples);
    printf("speed\t%.0f\tpoints/s through the network\n", n / s->p.seconds);
    printf("seconds\t%.3f\ts, reading and writing included, of which\n", s->seconds);
    print_share("reading", s->reading, s->seconds, "the file");
    print_share("geometry", scale * s->p.geometry, s->seconds, "tiles, sampling, neighbours");
    print_share("network", scale * s->p.network, s->seconds, "the network itself");
    print_share("votes", scale * s->p.votes, s->seconds, "soft-max, votes, labels");
    print_share("other", rest, s->seconds, "checks, canonical order, attributes");
    print_share("writing", s->writing, s->seconds, "a PLY file");
    printf("memory\t%.1f\tbytes per point at the peak of the process\n", s->bytes / n);
}

static int run_predict(const struct args *args)
{
    struct glt_model *m = NULL;
    struct shares best = {0}, s = {.p.size = sizeof s.p};
    struct rusage use;
    if (args->n != 3)
        return args_usage(args->command, "predict: expected MODEL FILE");
    if (args_refuse(args, "preset points clouds set config", "does not apply to predict"))
        return 2;
    int code = glt_model_load(&m, args->operands[1]);
    if (code < 0)
        return report_failure_of(args->operands[1], code);
    for (int64_t i = args_int(args, "repeats", 3); i > 0 && code == 0; i--) {
        code = time_prediction(&s, args, m);
        best = best.seconds == 0 || s.seconds < best.seconds ? s : best;
    }
    glt_model_free(m);
    getrusage(RUSAGE_SELF, &use);
    best.bytes = 1024 * (double)use.ru_maxrss;
    if (code == 0)
        print_shares(&best, args_flag(args, "json"));
    return code;
}

/* --- the paper's tables: sizes (L530 to L543), speed on an RTX 2080 Ti (L549 to L564) --- */

static const struct {
    const char *method;
    double millions;
} sizes[] = {
    {"MinkowskiNet", 21.7}, {"KPConv", 25.8}, {"PCT", 2.88}, {"FPConv", 17.6}, {"Ge-Latto", 15.3}};

static const struct {
    const char *name;
    int train, clouds;
    int64_t points;
    double paper; /* seconds of a batch */
} times[] = {{"infer 6K x 5", 0, 5, 6144, 0.100},
             {"infer 10K x 3", 0, 3, 10240, 0.200},
             {"infer 20K x 3", 0, 3, 20480, 0.210},
             {"infer 200K x 3", 0, 3, 204800, 0.300},
             {"train 6K x 2", 1, 2, 6144, 0.160}};

enum { S3DIS_CLASSES = 13 };

static int print_sizes(const struct glt_config *config)
{
    struct glt_model *m;
    int code = glt_model_create(&m, config, S3DIS_CLASSES);
    if (code < 0)
        return code;
    printf("network\tmillion parameters\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        printf("%s\t%g\tthe paper\n", sizes[i].method, sizes[i].millions);
    printf("this one\t%.2f\n", 1e-6 * (double)glt_model_parameters(m));
    glt_model_free(m);
    return 0;
}

static int print_times(const struct glt_config *config, int repeats)
{
    printf("\nbatch\tseconds\tthe paper's GPU\tratio\tMB\n");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct glt_speed s = {.size = sizeof s};
        int code = glt_speed_measure(&s, config, times[i].train, times[i].clouds, times[i].points,
                                     repeats);
        if (code < 0)
            return code;
        printf("%s\t%.3f\t%.3f\t%.2f\t%.0f\n", times[i].name, s.seconds, times[i].paper,
               s.seconds / times[i].paper, 1e-6 * (double)s.bytes);
        fflush(stdout);
    }
    return 0;
}

/* Memory of a training step by the neighbours of a point: K = 64 did not fit the authors' GPU. */
static int print_memory(struct glt_config *config)
{
    printf("\ntraining step 6K x 2\tMB\n");
    for (int k = 8; k <= 64; k *= 2) {
        struct glt_speed s = {.size = sizeof s};
        char value[16];
        snprintf(value, sizeof value, "%d", k);
        int code = glt_config_set(config, "k", value);
        if (code == 0)
            code = glt_speed_measure(&s, config, 1, 2, 6144, 1);
        if (code < 0)
            return code;
        printf("K = %d\t%.0f\t%s\n", k, 1e-6 * (double)s.bytes,
               k == 64 ? "did not fit the paper's GPU" : "");
        fflush(stdout);
    }
    return 0;
}

static int run_table(const struct args *args)
{
    struct glt_config *config;
    char preset[32] = "";
    if (args->n > 0)
        return args_usage(args->command, "--table takes no operand: %s", args->operands[0]);
    if (args_refuse(args, "points clouds json", "does not apply to --table"))
        return 2;
    int code = config_from(&config, args);
    if (code)
        return code;
    glt_config_get(config, "preset", preset, sizeof preset);
    if (!*preset)
        code = glt_config_set(config, "preset", "paper");
    if (code == 0)
        code = print_sizes(config);
    if (code == 0)
        code = print_times(config, (int)args_int(args, "repeats", 3));
    if (code == 0)
        code = print_memory(config);
    glt_config_free(config);
    return code < 0 ? report_refusal(args, code) : 0;
}

static int run(const struct args *args)
{
    if (args_flag(args, "table"))
        return run_table(args);
    if (args->n < 1)
        return args_usage(args->command, "missing operand: infer, train or predict; or --table");
    struct glt_config *config;
    struct glt_speed speed = {.size = sizeof speed};
    const char *what = args->operands[0];
    bool train = strcmp(what, "train") == 0;
    if (!strcmp(what, "predict"))
        return run_predict(args);
    if (!train && strcmp(what, "infer") != 0)
        return args_usage(args->command, "'%s': expected infer, train or predict", what);
    if (args->n > 1)
        return args_usage(args->command, "%s: one operand too many", args->operands[1]);
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
     "the network; 'gelatto options --presets' lists them (default: as the options say)", 0, 0},
    {ARGS_INT, "points", 0, "N", "points of a cloud (default: the option points)", 1, 16777216},
    {ARGS_INT, "clouds", 0, "N", "clouds of a batch (default: infer 1, train the option batch)", 1,
     64},
    {ARGS_INT, "repeats", 0, "N", "report the fastest of N runs (default 5; predict, --table 3)", 1,
     1000},
    {ARGS_FLAG, "table", 0, NULL, "print the paper's tables of size and speed beside this machine",
     0, 0},
    {ARGS_FLAG, "json", 'j', NULL, "print one JSON value", 0, 0},
    {0},
};

const struct command command_bench = {
    .name = "bench",
    .summary = "time inference, training steps or a prediction on this machine",
    .operands = "infer|train|predict [MODEL FILE]",
    .operands_min = 0,
    .operands_max = 3,
    .about = "Times whole batches of made-up room tiles with a network of random weights, "
             "geometry included. Prints the time, the share of the processor's peak and the "
             "memory used. 'bench predict MODEL FILE' reads, labels and writes a cloud as "
             "'gelatto predict' does, removes the output, and prints points per second and the "
             "share of reading, geometry, network, votes and writing. --table prints the "
             "paper's tables of network sizes and of times on its GPU beside those of this "
             "machine, and the memory of a training step by the number of neighbours; the "
             "network is the preset paper unless another is given.",
    .examples = "gelatto bench infer --preset paper\n"
                "gelatto bench train --preset small --clouds 4 --points 4096\n"
                "gelatto bench predict rooms scan.ply --threads 1\n"
                "gelatto bench --table\n",
    .pages = "RESULTS.md",
    .options = options,
    .config = true,
    .run = run,
};
