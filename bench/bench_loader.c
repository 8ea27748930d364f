/* The price of preparing a 6,144-point training sample (block, draw, augmentation, pyramid) on one
 * thread, against the training step it feeds on all of them.
 * bench_loader [samples [preset ...]] */
#include "core/error.h"
#include "core/parallel.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "sampling/loader.h"
#include "sampling/sampler.h"
#include "task/speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CLOUDS = 2, REPEATS = 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds a sample: the mean over an epoch's beginning, the best of several, because what others do
 * on the machine only ever adds. */
static int time_samples(double *out, struct dataset *d, const struct config *c, int64_t samples)
{
    struct loader *l;
    const struct batch *b;
    struct loader_options o = {.samples = {.task = d->task,
                                           .inputs = d->inputs,
                                           .sampling = c->sampling,
                                           .augment = c->augment,
                                           .seed = (uint64_t)c->seed},
                               .batch = CLOUDS,
                               .pyramid = sampler_pyramid(&c->network, d->task, c->seed)};
    TRY(dataset_items(&o.items, d, SPLIT_TRAIN));
    TRY(loader_open(&l, &o));
    int code = 0;
    *out = INFINITY;
    for (uint32_t pass = 0; code == 0 && pass <= REPEATS; pass++) {
        int64_t made = 0;
        code = loader_start(l, pass, 0);
        double begin = now();
        while (code == 0 && made < samples) {
            code = loader_next(l, &b);
            if (code < 0 || !b)
                break;
            made += b->clouds;
        }
        if (pass > 0 && made > 0) /* the first one fills caches and arenas */
            *out = fmin(*out, (now() - begin) / (double)made);
    }
    loader_close(l);
    return code;
}

static int run(int64_t samples, int presets, char **names)
{
    struct config c;
    struct dataset *d;
    double sample;
    config_default(&c);
    TRY(config_set(&c, "validation", "off"));
    TRY(dataset_open(&d, "synth:rooms rooms=1", &c.data, c.seed));
    parallel_serial(true);
    int code = time_samples(&sample, d, &c, samples);
    parallel_serial(false);
    dataset_close(d);
    for (int i = 0; code == 0 && i < presets; i++) {
        struct speed s;
        config_default(&c);
        code = config_set(&c, "preset", names[i]);
        if (code == 0)
            code = speed_measure(&s, &c, 1, CLOUDS, c.sampling.points, REPEATS);
        if (code < 0)
            break;
        double step = (s.seconds - s.geometry) / CLOUDS;
        printf("sample for %s\t%.2f\t%.2f\t%.3f\tms of one thread, ms of the step per sample\n",
               names[i], 1e3 * sample, 1e3 * step, sample / step);
    }
    return code;
}

int main(int argc, char **argv)
{
    char paper[] = "paper", tiny[] = "tiny", *both[] = {paper, tiny};
    int64_t samples = argc > 1 ? atoll(argv[1]) : 40;
    bool named = argc > 2;
    if (run(samples, named ? argc - 2 : 2, named ? argv + 2 : both) < 0) {
        fprintf(stderr, "bench_loader: %s\n", glt_error_message());
        return 1;
    }
    return 0;
}
