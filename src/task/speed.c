/* Timing whole batches: see speed.h. The clouds are synthetic: points on the floor, the walls and
 * some boxes of a tile, as dense as an indoor scan. */
#include "task/speed.h"

#include "cloud/classes.h"
#include "config/options.h"
#include "core/arena.h"
#include "core/call.h"
#include "core/clock.h"
#include "core/context.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "kernels/kernels.h"
#include "model/engine.h"
#include "model/model.h"
#include "model/model_create.h"
#include "model/trainer.h"
#include "sampling/batch.h"
#include "sampling/sampler.h"

#include <math.h>
#include <string.h>

/* A tile of 2 m x 2 m x 2.6 m; three columns of colour follow in features. */
static void make_cloud(float *xyz, float *features, int32_t n, int32_t more, uint32_t sample)
{
    struct random r = random_start(random_stream(1, 0, sample, RANDOM_TEST), 0);
    for (int32_t i = 0; i < n; i++) {
        float *p = xyz + 3 * (int64_t)i, u = (float)random_uniform(&r),
              v = (float)random_uniform(&r);
        switch (random_below(&r, 5)) {
        case 0:
            p[0] = 2 * u - 1, p[1] = 2 * v - 1, p[2] = 0;
            break;
        case 1:
            p[0] = 2 * u - 1, p[1] = 1, p[2] = 2.6f * v;
            break;
        case 2:
            p[0] = -1, p[1] = 2 * u - 1, p[2] = 2.6f * v;
            break;
        case 3:
            p[0] = u - 0.5f, p[1] = v - 0.5f, p[2] = 0.75f;
            break;
        default:
            p[0] = 0.4f * u, p[1] = 0.5f, p[2] = 0.75f + 0.3f * v;
        }
        for (int k = 0; k < 3; k++)
            p[k] += 0.003f * (float)random_normal(&r);
        for (int32_t k = 0; k < more; k++)
            features[(int64_t)i * more + k] = (float)random_uniform(&r);
    }
}

struct workload {
    struct call call;
    struct model *model;
    int32_t clouds, points, more;
    int32_t here;          /* clouds at a time: inference runs them one by one */
    float *xyz, *features; /* (here, points, .) */
    int32_t *labels;       /* (points) training */
};

static struct pyramid_options pyramid_of(const struct model *m)
{
    return sampler_pyramid(&m->config.network, m->config.task, m->config.seed);
}

/* GLT_ELIMIT before the work if this machine has too little memory: the process would be killed. */
static int afford(const struct workload *r, bool train)
{
    size_t network, sampler = 0, batch = 0, n = (size_t)r->here * (size_t)r->points;
    size_t row = (3 + (size_t)r->more + 1) * sizeof(float), classes = (size_t)r->model->classes.n;
    int32_t channels = r->model->channels;
    struct pyramid_options o = pyramid_of(r->model);
    if (train) {
        TRY(trainer_bytes(&network, r->model, r->clouds, r->points));
        TRY(sampler_bytes(&sampler, &o, channels, r->clouds, r->points));
        TRY(sampler_batch_bytes(&batch, &o, channels, r->clouds, r->points));
    } else {
        TRY(engine_measure(&network, r->model, r->points, ENGINE_LOGITS));
    }
    double need = (double)network + (double)sampler + (double)batch +
                  (double)n * (double)(train ? row : row + classes * sizeof(float));
    if (need <= memory_machine())
        return 0;
    return error_topic(
        error_set(GLT_ELIMIT,
                  "about %.0f MB are needed, this machine has %.0f MB: take fewer points%s or a "
                  "smaller preset",
                  1e-6 * need, 1e-6 * memory_machine(), train ? ", fewer clouds" : ""),
        GLT_TOPIC_MEMORY, NULL);
}

static int start(struct workload *r, const struct config *c, bool train)
{
    TRY(model_create(&r->model, c, c->task == TASK_CLASSIFY ? 40 : 13));
    r->more = r->model->channels - 3;
    TRY(afford(r, train));
    size_t n = (size_t)r->here * (size_t)r->points;
    r->xyz = call_alloc(&r->call, n, 3 * sizeof(float));
    r->features = call_alloc(&r->call, n * (size_t)(r->more + 1), sizeof(float));
    if (!r->xyz || !r->features)
        return GLT_ENOMEM;
    for (int32_t b = 0; b < r->here; b++)
        make_cloud(r->xyz + 3 * (int64_t)b * r->points,
                   r->features + (int64_t)b * r->points * r->more, r->points, r->more, (uint32_t)b);
    return 0;
}

/* --- the FMA peak of all threads: multiply-adds in registers only --- */

enum { SPIN_THREADS = 1024 };

struct spin {
    int64_t done[SPIN_THREADS];
    float sink[SPIN_THREADS];
};

static void spin(void *user, int64_t begin, int64_t end)
{
    struct spin *s = user;
    const struct kernels *k = kernels();
    for (int64_t i = begin; i < end; i++)
        s->done[i] = k->fma_spin ? k->fma_spin(&s->sink[i], 1 << 16) : 0;
}

/* Raises *peak to the best of a few spins. Called after every repeat of the job, so that other work
 * on the machine slows both alike. */
static void raise_peak(double *peak)
{
    struct spin s;
    int threads = parallel_threads() < SPIN_THREADS ? parallel_threads() : SPIN_THREADS;
    for (int k = 0; k < 10; k++) {
        double begin = clock_seconds(), sum = 0;
        parallel_for(threads, 1, spin, &s);
        double seconds = clock_seconds() - begin;
        for (int i = 0; i < threads; i++)
            sum += 2.0 * (double)s.done[i];
        *peak = fmax(*peak, sum / seconds);
    }
}

/* --- the job --- */

static int inference(struct speed *out, struct workload *r, int repeats)
{
    struct engine *e = NULL;
    float *logits =
        call_alloc(&r->call, (size_t)r->points * (size_t)r->model->classes.n, sizeof *logits);
    if (!logits)
        return GLT_ENOMEM;
    int code = engine_create(&e, r->model, r->points, ENGINE_LOGITS);
    for (int k = 0; k <= repeats && code == 0; k++) { /* the first warms up */
        double seconds = 0;
        for (int32_t b = 0; b < r->clouds && code == 0; b++) {
            if (r->clouds > 1)
                make_cloud(r->xyz, r->features, r->points, r->more, (uint32_t)b);
            double begin = clock_seconds();
            struct sampler_cloud c = {.n = r->points,
                                      .xyz = r->xyz,
                                      .features = r->features,
                                      .key = {(uint64_t)r->model->config.seed, 0, (uint32_t)b}};
            code = engine_run(e, logits, &c);
            seconds += clock_seconds() - begin;
        }
        if (k > 0 && (k == 1 || seconds < out->seconds))
            out->seconds = seconds;
        raise_peak(&out->peak_flops);
    }
    if (code == 0)
        out->macs = (double)engine_macs(e) * r->clouds;
    engine_free(e);
    return code;
}

/* Builds the batch of a training step, every time anew, as a loader thread would do meanwhile. */
static int build_batch(struct batch *out, struct workload *r, struct sampler *s, struct arena *slot,
                       uint32_t step)
{
    sampler_begin(s);
    for (int32_t b = 0; b < r->clouds; b++) {
        int64_t first = (int64_t)b * r->points;
        struct sampler_cloud c = {.n = r->points,
                                  .xyz = r->xyz + 3 * first,
                                  .features = r->features + first * r->more,
                                  .labels = r->labels,
                                  .key = {(uint64_t)r->model->config.seed, step, (uint32_t)b},
                                  .category = b % 13,
                                  .class_count = r->model->classes.n};
        TRY(sampler_add(s, &c));
    }
    TRY(sampler_join(out, s, slot));
    out->number = step;
    return 0;
}

static int run_steps(struct speed *out, struct workload *r, struct trainer *t, struct sampler *s,
                     struct arena *slot, int repeats)
{
    struct batch batch;
    for (int k = 0; k <= repeats; k++) { /* the first warms up */
        double begin = clock_seconds();
        TRY(build_batch(&batch, r, s, slot, (uint32_t)k));
        double built = clock_seconds() - begin;
        TRY(trainer_step(t, &batch, 1e-4));
        double seconds = clock_seconds() - begin;
        if (k > 0 && (k == 1 || seconds < out->seconds)) {
            out->seconds = seconds;
            out->geometry = built;
        }
        raise_peak(&out->peak_flops);
    }
    out->macs = (double)trainer_macs(t);
    return 0;
}

static int training(struct speed *out, struct workload *r, int repeats)
{
    struct trainer *t = NULL;
    struct arena slot = {0};
    struct sampler s = {.pyramid = pyramid_of(r->model), .channels = r->model->channels};
    r->labels = call_alloc(&r->call, (size_t)r->points, sizeof *r->labels);
    for (int32_t i = 0; r->labels && i < r->points; i++)
        r->labels[i] = i % 13;
    int code = r->labels ? sampler_reserve(&s, r->clouds, r->points) : GLT_ENOMEM;
    if (code == 0)
        code = trainer_create(&t, r->model, r->clouds, r->points);
    if (code == 0)
        code = run_steps(out, r, t, &s, &slot, repeats);
    trainer_free(t);
    sampler_free(&s);
    arena_free(&slot);
    return code;
}

int speed_measure(struct speed *out, const struct config *c, int train, int32_t clouds,
                  int32_t points, int repeats)
{
    struct workload r = {.clouds = clouds, .points = points, .here = train ? clouds : 1};
    struct speed s = {.clouds = clouds, .points = points};
    struct context own, *outer;
    context_copy(&own, context_current());
    if (c->threads)
        atomic_store(&own.threads, c->threads);
    outer = context_enter(&own);
    memory_peak_reset();
    int64_t before = memory_stats().bytes;
    int code = start(&r, c, train);
    if (code == 0)
        code = train ? training(&s, &r, repeats) : inference(&s, &r, repeats);
    s.bytes = memory_stats().peak - before;
    model_free(r.model);
    call_free(&r.call);
    /* The peak is at least the speed of the job: on a busy machine all spins may be slower, and
     * plain kernels have none. */
    s.peak_flops = fmax(s.peak_flops, 2 * s.macs / s.seconds);
    if (code == 0)
        *out = s;
    context_enter(outer);
    return code;
}

int glt_speed_measure(struct glt_speed *out, const struct glt_config *config, int train, int clouds,
                      int64_t points, int repeats)
{
    REQUIRE(out, config);
    TRY(error_size("glt_speed", out->size, sizeof *out));
    struct speed s;
    if (clouds < 1 || points < 1 || points > INT32_MAX / 8 || repeats < 1)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "%d clouds of %lld points, %d times: impossible", clouds,
                                     (long long)points, repeats),
                           GLT_TOPIC_ARGUMENT, "clouds");
    TRY(speed_measure(&s, (const struct config *)config, train, clouds, (int32_t)points, repeats));
    *out = (struct glt_speed){.size = out->size,
                              .seconds = s.seconds,
                              .geometry = s.geometry,
                              .flops = 2 * s.macs,
                              .peak_flops = s.peak_flops,
                              .bytes = s.bytes};
    return 0;
}
