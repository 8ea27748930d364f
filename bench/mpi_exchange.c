/* The exchange of a training step against MPI_Allreduce, on the gradient of a preset:
 *     mpirun -n 4 build/release/bench/mpi_exchange [PRESET] [ROUNDS]
 * (paper, 9). Both in turn, so that what else runs on the machine meets both; medians.
 * MPI_Allreduce adds in an order of its own; the exchange adds in that of the tree, and carries the
 * statistics of the norms of each mini-batch too. The step is one mini-batch a rank, on the threads
 * of one. */
#include "core/clock.h"
#include "core/context.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/ranks.h"
#include "model/exchange.h"
#include "model/model.h"
#include "model/model_create.h"
#include "model/trainer.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct glt_ranks_plugin glt_ranks_plugin;

enum { ROUNDS_MAX = 1000, CLASSES = 13 };

struct bench {
    struct ranks ranks;
    struct model *model;
    struct trainer *trainer;
    real *gradient, *reduced;
    double exchange[ROUNDS_MAX], reduce[ROUNDS_MAX];
    int rounds;
};

static void check(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "mpi_exchange: %s: %s\n", what, glt_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, compare);
    return x[n / 2];
}

/* The slowest rank counts, from the moment at which all begin. */
static double slowest(double seconds)
{
    double all;
    MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void fill(struct bench *b)
{
    for (int64_t i = 0; i < b->model->size; i++)
        b->gradient[i] = (real)((i * 7 + b->ranks.face.rank) % 1000) * (real)1e-3;
}

static double time_reduce(struct bench *b)
{
    fill(b);
    MPI_Barrier(MPI_COMM_WORLD);
    double began = clock_seconds();
    MPI_Allreduce(b->gradient, b->reduced, (int)b->model->size, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return slowest(clock_seconds() - began);
}

static double time_exchange(struct bench *b)
{
    struct trainer *t = b->trainer;
    int count = b->ranks.face.count;
    memcpy(t->gradient, b->gradient, (size_t)b->model->size * sizeof(real));
    accumulate_begin(&t->sums);
    accumulate_add(&t->sums, t->first);
    MPI_Barrier(MPI_COMM_WORLD);
    double began = clock_seconds();
    check(exchange_run(&t->others, t->gradient, &t->sums, count, t->records, t->record),
          "exchange");
    return slowest(clock_seconds() - began);
}

/* The mean of what MPI has added, but for the rounding of another order. */
static void check_sums(const struct bench *b)
{
    double count = b->ranks.face.count;
    for (int64_t i = 0; i < b->model->size; i++) {
        double want = b->reduced[i] / count, got = b->trainer->gradient[i];
        if (want - got > 1e-5 || got - want > 1e-5) {
            fprintf(stderr, "mpi_exchange: number %lld is %g, not %g\n", (long long)i, got, want);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void open_bench(struct bench *b, const char *preset)
{
    struct glt_config *c;
    struct glt_ranks face;
    char text[256];
    check(glt_ranks_plugin.open(&face, text, sizeof text), text);
    check(ranks_open(&b->ranks, &face), "ranks");
    check(glt_threads_set(1), "threads");
    check(glt_config_create(&c), "configuration");
    check(glt_config_set(c, "preset", preset), preset);
    check(model_create(&b->model, (struct config *)c, CLASSES), "model");
    glt_config_free(c);
    size_t n = (size_t)b->model->size;
    b->gradient = memory_alloc(n, sizeof(real));
    b->reduced = memory_alloc(n, sizeof(real));
    check(b->gradient && b->reduced ? 0 : GLT_ENOMEM, "memory");
    check(trainer_create(&b->trainer, b->model, 1, 64), "trainer"); /* its network is not run */
    check(trainer_share(b->trainer, face.count, &b->ranks), "share");
}

static void report(struct bench *b, const char *preset, int64_t bytes, int64_t messages)
{
    double exchange = median(b->exchange, b->rounds), reduce = median(b->reduce, b->rounds);
    printf("preset %s: %lld numbers, %.1f MB, and %.1f kB of statistics a mini-batch\n", preset,
           (long long)b->model->size, 1e-6 * (double)b->model->size * sizeof(real),
           1e-3 * (double)b->trainer->record * sizeof(double));
    printf("%d ranks, median of %d\n", b->ranks.face.count, b->rounds);
    printf("MPI_Allreduce  %8.2f ms\n", 1e3 * reduce);
    printf("exchange       %8.2f ms, %.3f x MPI_Allreduce\n", 1e3 * exchange, exchange / reduce);
    printf("a rank sends   %8.2f MB in %lld messages\n", 1e-6 * (double)bytes, (long long)messages);
}

int main(int argc, char **argv)
{
    static struct bench b;
    const char *preset = argc > 1 ? argv[1] : "paper";
    b.rounds = argc > 2 ? atoi(argv[2]) : 9;
    b.rounds = b.rounds < 1 ? 1 : b.rounds > ROUNDS_MAX ? ROUNDS_MAX : b.rounds;
    open_bench(&b, preset);
    for (int i = -1; i < b.rounds; i++) { /* the first warms up */
        double reduce = time_reduce(&b), exchange = time_exchange(&b);
        check_sums(&b);
        b.reduce[i < 0 ? 0 : i] = reduce;
        b.exchange[i < 0 ? 0 : i] = exchange;
    }
    int64_t rounds = b.rounds + 1;
    if (b.ranks.face.rank == 0)
        report(&b, preset, b.ranks.bytes / rounds, b.ranks.messages / rounds);
    trainer_free(b.trainer);
    model_free(b.model);
    memory_free(b.gradient);
    memory_free(b.reduced);
    ranks_close(&b.ranks);
    glt_ranks_plugin.close(0);
    return 0;
}
