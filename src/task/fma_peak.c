/* The FMA peak of all threads: multiply-adds in registers and nothing else. */
#include "core/clock.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "task/speed.h"

struct spin {
    int64_t done[64];
    float sink[64];
};

static void spin(void *user, int64_t begin, int64_t end)
{
    struct spin *s = user;
    const struct kernels *k = kernels();
    for (int64_t i = begin; i < end; i++)
        s->done[i] = k->fma_spin ? k->fma_spin(&s->sink[i], 1 << 16) : 0;
}

double speed_peak(void)
{
    struct spin s;
    double best = 0;
    int threads = parallel_threads() < 64 ? parallel_threads() : 64;
    for (int k = 0; k < 50; k++) {
        double begin = clock_seconds(), sum = 0;
        parallel_for(threads, 1, spin, &s);
        double seconds = clock_seconds() - begin;
        for (int i = 0; i < threads; i++)
            sum += 2.0 * (double)s.done[i];
        if (sum / seconds > best)
            best = sum / seconds;
    }
    return best;
}
