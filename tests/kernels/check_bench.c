/* check_kernels --bench: every kernel as a share of the multiply-add and memory peaks measured here
 * and now, and the products of the `paper` network (6144 points, collapsed inference) and of their
 * gradients as a share of the multiply-add peak of two threads. */
#include "check_kernels.h"

#include "core/parallel.h"
#include "gelatto.h"
#include "kernels/gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- peaks --- */
enum { SPIN_ROUNDS = 200000, ROWS = 16384, CHANNELS = 64, REPEATS = 10, WALKS = 8, THREADS = 2 };

static float sinks[THREADS * 16];
static _Atomic int64_t spun;

static void spin(void *user, int64_t begin, int64_t end)
{
    (void)end;
    const struct kernels *table = user;
    spun += table->fma_spin(sinks + 16 * begin, SPIN_ROUNDS);
}

/* Best GFLOP/s of this many threads over all tables that can run. */
static double peak_flops(int threads)
{
    double best = 0;
    int can_run;
    const struct kernels *table;
    for (int i = 0; (table = kernels_at(i, &can_run)) != NULL; i++)
        for (int r = 0; r < REPEATS && can_run && table->fma_spin; r++) {
            spun = 0;
            double t = now();
            parallel_for(threads, 1, spin, (void *)(uintptr_t)table);
            t = now() - t;
            best = 2e-9 * (double)spun / t > best ? 2e-9 * (double)spun / t : best;
        }
    return best;
}

/* GB/s of y += x over arrays of this many floats, one thread. */
static double peak_bytes(size_t len)
{
    float *x = calloc(2 * len, sizeof *x);
    if (!x)
        abort();
    memset(x, 1, 2 * len * sizeof *x);
    double best = 0;
    for (int r = 0; r < REPEATS; r++) {
        double t = now();
        kernels()->add(x, x + len, (int64_t)len);
        t = 12e-9 * (double)len / (now() - t);
        best = t > best ? t : best;
    }
    free(x);
    return best;
}

/* --- kernels, one thread --- */
static double time_case(const struct kernels *table, const struct check_case *row,
                        struct check_work *w)
{
    double best = 1e9;
    for (int r = 0; r < REPEATS; r++) {
        double t = now();
        row->run(table, w);
        t = now() - t;
        best = t < best ? t : best;
    }
    return best;
}

static void bench_kernels(const struct kernels *table, double flops_peak, double bytes_peak)
{
    struct check_size s = {ROWS, CHANNELS, 32 * ROWS, .g = 1, .taps = 3};
    struct check_work w;
    if (check_work_make(&w, s, 1, 0) != 0)
        abort();
    printf("\n%-16s %9s %8s %8s %7s %7s %8s\n", table->name, "us", "GFLOP/s", "GB/s", "% FMA",
           "% mem", "x ref");
    for (int i = 0; i < check_case_count; i++) {
        const struct check_case *row = &check_cases[i];
        double units[3] = {(double)(s.n * s.c), (double)(s.edges * s.c), (double)s.n};
        double bytes = 0, flops = 0;
        for (int u = 0; u < 3; u++) {
            bytes += row->bytes[u] * units[u];
            flops += row->flops[u] * units[u];
        }
        double t = time_case(table, row, &w), ref = time_case(kernels_at(0, NULL), row, &w);
        printf("%-16s %9.1f %8.2f %8.2f %7.1f %7.1f %8.1f\n", row->name, 1e6 * t, 1e-9 * flops / t,
               1e-9 * bytes / t, 100e-9 * flops / t / flops_peak, 100e-9 * bytes / t / bytes_peak,
               ref / t);
    }
    check_work_free(&w);
}

/* --- the products of the network --- */
struct product {
    int64_t rows, out, in;
    int times;
};

static int list_products(struct product *p)
{
    static const int64_t candidates[] = {6144, 4096, 2048, 512}, centres[] = {4096, 2048, 512, 128};
    static const struct product decoder[] = {
        {128, 1024, 1024, 1}, {512, 1024, 512, 1}, {512, 512, 1024, 1}, {512, 512, 512, 1},
        {2048, 512, 256, 1},  {2048, 256, 512, 1}, {2048, 256, 256, 1}, {4096, 256, 128, 1},
        {4096, 128, 256, 1},  {4096, 128, 128, 1}, {6144, 128, 64, 1},  {6144, 128, 128, 2},
        {6144, 13, 128, 1},   {6144, 64, 6, 1}};
    enum { DECODER = sizeof decoder / sizeof decoder[0] };
    int n = 0;
    for (int l = 0; l < 4; l++) {
        int64_t d = 64 << l, c = 2 * d, from = d, m = candidates[l], at = centres[l];
        const struct product level[] = {{m, d, from, 1},   {at, d, c, 1},    {m, 4 * d, d, 1},
                                        {at, 4 * d, d, 1}, {at, d, d, 2},    {at, d, 2 * d, 2},
                                        {at, c, d, 2},     {at, c, from, 1}, {at, c, c, 1}};
        memcpy(p + n, level, sizeof level);
        n += (int)(sizeof level / sizeof level[0]);
    }
    memcpy(p + n, decoder, sizeof decoder);
    return n + DECODER;
}

enum product_kind { FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, KINDS };

static void run_product(const struct product *p, enum product_kind kind, real *c, const real *a,
                        const real *b)
{
    if (kind == FORWARD)
        gemm(c, p->out, a, p->in, 0, b, p->in, 1, p->rows, p->out, p->in, 0, NULL);
    else if (kind == INPUT_GRADIENT)
        gemm(c, p->in, a, p->out, 0, b, p->in, 0, p->rows, p->in, p->out, 0, NULL);
    else
        gemm(c, p->in, a, p->out, 1, b, p->in, 0, p->out, p->in, p->rows, 1, NULL);
}

struct score {
    double each, walk; /* GFLOP/s: every product at its best; the best walk over all of them */
    double peak;       /* of multiply-adds, measured between the walks */
};

static struct score score_products(enum product_kind kind)
{
    struct product list[64];
    int n = list_products(list);
    size_t max = 6144 * 1024;
    real *data = calloc(3 * max, sizeof *data);
    if (!data)
        abort();
    for (size_t i = 0; i < 2 * max; i++)
        data[i] = (real)((double)(i % 29) * 0.01 - 0.14);
    double best[64], best_walk = 1e9, each = 0, work = 0;
    struct score score = {0};
    for (int r = 0; r < WALKS; r++) {
        int64_t before = gemm_count();
        double walk = 0;
        for (int i = 0; i < n; i++) {
            double t = now();
            for (int times = 0; times < list[i].times; times++)
                run_product(&list[i], kind, data + 2 * max, data, data + max);
            t = now() - t;
            walk += t;
            best[i] = r == 0 || t < best[i] ? t : best[i];
        }
        work = 2e-9 * (double)(gemm_count() - before);
        best_walk = walk < best_walk ? walk : best_walk;
        double here = peak_flops(THREADS);
        score.peak = here > score.peak ? here : score.peak;
    }
    free(data);
    for (int i = 0; i < n; i++)
        each += best[i];
    score.each = work / each;
    score.walk = work / best_walk;
    return score;
}

static void bench_products(void)
{
    static const char *const kinds[] = {"forward", "input gradients", "weight gradients"};
    const char *best = kernels()->name;
    const char *engines[] = {best, "ref"};
    printf("\nproducts of `paper`, 6144 points, %d threads; ref is plain C\n", THREADS);
    printf("%-8s %-17s %9s %7s %9s %7s %9s\n", "kernels", "products", "best each", "% FMA",
           "best walk", "% FMA", "FMA peak");
    for (int e = 0; e < 2; e++) {
        kernels_force(engines[e]);
        for (int kind = 0; kind < KINDS; kind++) {
            struct score s = score_products((enum product_kind)kind);
            printf("%-8s %-17s %9.1f %7.1f %9.1f %7.1f %9.1f\n", engines[e], kinds[kind], s.each,
                   100 * s.each / s.peak, s.walk, 100 * s.walk / s.peak, s.peak);
        }
    }
    kernels_force(best);
}

int check_bench(void)
{
    glt_threads_set(THREADS);
    /* The arrays of the kernels below are 4 MiB each, as a level of the network has them: their
     * peak is that of the cache they live in, not of the memory behind it. */
    double flops = peak_flops(1), bytes = peak_bytes(ROWS * CHANNELS), far = peak_bytes(16 << 20);
    printf("peaks of one thread: %.1f GFLOP/s multiply-adds; y += x over 4 MiB %.1f GB/s, over "
           "64 MiB %.1f GB/s\n",
           flops, bytes, far);
    int can_run;
    const struct kernels *table;
    for (int i = 1; (table = kernels_at(i, &can_run)) != NULL; i++)
        if (can_run)
            bench_kernels(table, flops, bytes);
    bench_products();
    return 0;
}
