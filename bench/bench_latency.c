/* Latency of glt_predictor_run, as a robot meets it: one cloud after the other, on a quiet machine
 * and beside as many processes that compute as there are cores.
 * bench_latency [calls [hogs [threads]]]
 * Between two calls it sleeps for an eighth of the last one, as who waits for the next scan does:
 * the kernel stops a real-time process (chrt) that never sleeps. Hogs have the usual priority.
 * Prints median, 99th percentile and maximum in milliseconds, and the memory requests after the
 * first call; fails if there are any. */
#include "core/clock.h"
#include "core/memory.h"
#include "core/random.h"
#include "gelatto.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLOUDS = 16, HOGS_MAX = 256, CALLS_MAX = 1 << 20 };

struct job {
    const char *model;
    int64_t points;
    bool scene;
};

struct clouds {
    float *xyz, *features; /* (CLOUDS, points, 3), (CLOUDS, points, channels) */
};

/* Faces of a box: a tile of a room, or a shape within the unit sphere. */
static void fill_cloud(float *xyz, const struct job *j, struct random *r)
{
    const float size[3] = {j->scene ? 1 : 0.5f, j->scene ? 1 : 0.6f, j->scene ? 2.6f : 0.6f};
    for (int64_t i = 0; i < j->points; i++) {
        uint32_t face = random_below(r, 6);
        for (uint32_t k = 0; k < 3; k++) {
            float at = (float)random_below(r, 1 << 20) / (1 << 20);
            at = k == face / 2 ? (float)(face % 2) : at;
            xyz[3 * i + k] = size[k] * (j->scene && k == 2 ? at : 2 * at - 1);
        }
    }
}

static int make_clouds(struct clouds *c, const struct job *j, int channels)
{
    size_t n = (size_t)(CLOUDS * j->points);
    struct random r = random_start(random_stream(1, 0, 0, RANDOM_TEST), 0);
    c->xyz = malloc(3 * n * sizeof *c->xyz);
    c->features = malloc(((size_t)channels * n + 1) * sizeof *c->features);
    if (!c->xyz || !c->features)
        return -1;
    for (int i = 0; i < CLOUDS; i++)
        fill_cloud(c->xyz + 3 * i * j->points, j, &r);
    for (size_t i = 0; i < (size_t)channels * n; i++)
        c->features[i] = (float)random_below(&r, 256) / 255;
    return 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* seconds (calls), sorted; the memory requests after the first call. */
static int64_t time_calls(double *seconds, int64_t calls, struct glt_predictor *e,
                          const struct job *j, const struct clouds *c, int channels)
{
    int32_t *labels = malloc((size_t)j->points * sizeof *labels);
    int64_t before = 0;
    for (int64_t i = -1; labels && i < calls; i++) {
        int64_t at = (i + 1) % CLOUDS * j->points;
        struct glt_points p = {.size = sizeof p,
                               .n = j->points,
                               .xyz = c->xyz + 3 * at,
                               .type = GLT_F32,
                               .channels = channels};
        p.features = channels ? c->features + channels * at : NULL;
        double began = clock_seconds();
        if (glt_predictor_run(e, &p, labels, NULL) < 0) {
            free(labels);
            return -1;
        }
        double took = clock_seconds() - began;
        if (i >= 0)
            seconds[i] = took;
        else
            before = memory_stats().requests;
        usleep((useconds_t)(1e6 * took / 8));
    }
    free(labels);
    qsort(seconds, (size_t)calls, sizeof *seconds, compare);
    return memory_stats().requests - before;
}

static int run_job(const struct job *j, int64_t calls, int hogs)
{
    struct glt_model *m = NULL;
    struct glt_predictor *e = NULL;
    struct clouds c = {0};
    double *seconds = malloc((size_t)calls * sizeof *seconds);
    int code = seconds ? glt_model_load(&m, j->model) : GLT_ENOMEM;
    int channels = code == 0 ? glt_model_channels(m) : 0;
    if (code == 0)
        code = glt_predictor_create(&e, m, j->points);
    if (code == 0)
        code = make_clouds(&c, j, channels);
    int64_t requests = code == 0 ? time_calls(seconds, calls, e, j, &c, channels) : -1;
    if (requests >= 0)
        printf("%s\t%lld points\t%d hogs\t%.2f\t%.2f\t%.2f ms\t%lld requests\n", j->model,
               (long long)j->points, hogs, 1e3 * seconds[calls / 2],
               1e3 * seconds[calls * 99 / 100], 1e3 * seconds[calls - 1], (long long)requests);
    else
        fprintf(stderr, "bench_latency: %s: %s\n", j->model, glt_error_message());
    fflush(stdout);
    glt_predictor_free(e);
    glt_model_free(m);
    free(c.xyz);
    free(c.features);
    free(seconds);
    return requests != 0;
}

static void start_hogs(pid_t *hogs, int n)
{
    for (int i = 0; i < n; i++) {
        hogs[i] = fork();
        if (hogs[i] == 0) {
            sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
            for (volatile unsigned x = 0;; x++) {
            }
        }
    }
}

static void stop_hogs(const pid_t *hogs, int n)
{
    for (int i = 0; i < n; i++)
        if (hogs[i] > 0 && kill(hogs[i], SIGKILL) == 0)
            waitpid(hogs[i], NULL, 0);
}

int main(int argc, char **argv)
{
    static const struct job jobs[] = {{"shapes", 1024, false}, {"rooms", 6144, true}};
    int64_t calls = argc > 1 ? atoll(argv[1]) : 1000;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), hogs_max = argc > 2 ? atol(argv[2]) : cores;
    pid_t pids[HOGS_MAX];
    int failed = 0;
    if (calls < 1 || calls > CALLS_MAX || hogs_max < 0 || hogs_max > HOGS_MAX) {
        fprintf(stderr, "usage: bench_latency [calls [hogs [threads]]]\n");
        return 2;
    }
    glt_threads_set(argc > 3 ? atoi(argv[3]) : 0);
    printf("%lld calls: median, 99th percentile, maximum\n", (long long)calls);
    for (int hogs = 0; hogs <= hogs_max; hogs += hogs_max ? (int)hogs_max : 1) {
        start_hogs(pids, hogs);
        for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
            failed |= run_job(&jobs[i], calls, hogs);
        stop_hogs(pids, hogs);
    }
    return failed;
}
