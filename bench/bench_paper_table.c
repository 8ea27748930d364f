/* The paper's speed table: inference of 6K x 5, 10K x 3, 20K x 3, 200K x 3 points and training of
 * 6K x 2, per batch, geometry included, beside the times the paper gives for an RTX 2080 Ti; then
 * the memory of K = 8, 16, 32, 64, of which the last did not fit the authors' GPU.
 * bench_paper_table [key=value ...]   GELATTO_REPEATS=N: the best of N runs (3) */
#include "core/error.h"
#include "task/speed.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    int train, clouds, points;
    double paper; /* seconds */
} rows[] = {
    {"infer 6K x 5", 0, 5, 6144, 0.100},   {"infer 10K x 3", 0, 3, 10240, 0.200},
    {"infer 20K x 3", 0, 3, 20480, 0.210}, {"infer 200K x 3", 0, 3, 204800, 0.300},
    {"train 6K x 2", 1, 2, 6144, 0.160},
};

static int fail(void)
{
    fprintf(stderr, "bench_paper_table: %s\n", glt_error_message());
    return 1;
}

int main(int argc, char **argv)
{
    struct config c;
    struct speed s;
    const char *text = getenv("GELATTO_REPEATS");
    int repeats = text && atoi(text) > 0 ? atoi(text) : 3;
    config_default(&c);
    int code = config_set(&c, "preset", "paper");
    for (int i = 1; i < argc && code == 0; i++)
        code = config_set_pair(&c, argv[i]);
    if (code < 0)
        return fail();
    printf("name\tours\tpaper's GPU\tratio\tunit\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (speed_measure(&s, &c, rows[i].train, rows[i].clouds, rows[i].points, repeats) < 0)
            return fail();
        printf("%s\t%.3f\t%.3f\t%.2f\ts (%.0f MB)\n", rows[i].name, s.seconds, rows[i].paper,
               s.seconds / rows[i].paper, 1e-6 * (double)s.bytes);
        fflush(stdout);
    }
    for (int k = 8; k <= 64; k *= 2) {
        char value[16];
        snprintf(value, sizeof value, "%d", k);
        if (config_set(&c, "k", value) < 0 || speed_measure(&s, &c, 1, 2, 6144, 1) < 0)
            return fail();
        printf("train 6K x 2, K = %d\t%.0f\t%s\t\tMB at the most\n", k, 1e-6 * (double)s.bytes,
               k == 64 ? "did not fit" : "");
        fflush(stdout);
    }
    return 0;
}
