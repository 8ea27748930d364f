/* What a training says before its first step: the memory it will take, blocks that hold next to
 * nothing. */
#include "core/error.h"
#include "core/memory.h"
#include "task/train.h"

#include <math.h>
#include <stdatomic.h>
#include <sys/resource.h>

/* Bytes of the process besides our own blocks, as the first training in it found them: a later one
 * would count the peak of those before it. */
static double program_bytes(void)
{
    static _Atomic int64_t kept;
    int64_t bytes = atomic_load(&kept);
    struct rusage use;
    if (bytes == 0 && getrusage(RUSAGE_SELF, &use) == 0) {
        bytes = 1024 * (int64_t)use.ru_maxrss - memory_stats().bytes;
        atomic_store(&kept, bytes);
    }
    return (double)bytes;
}

void train_measure_program(void)
{
    (void)program_bytes();
}

/* The most the process will hold: what it is, the clouds and weights that are in memory already,
 * and what is made from here on. Validation and the saving of a model never meet. */
int train_tell_memory(struct training *t)
{
    size_t network, batches;
    double block =
        t->range.high[RANGE_DENSITY] * t->config.sampling.block * t->config.sampling.block;
    TRY(trainer_bytes(&network, t->model, t->config.training.batch, loader_points(t->loader)));
    TRY(loader_bytes(&batches, t->loader, block < 0x1p30 ? (int32_t)block : 1 << 30));
    double weights = (double)t->model->size * sizeof(real), saving = weights;
    double validation = (double)t->validation_bytes;
    double here = program_bytes() + (double)memory_stats().bytes;
    double steps = (double)network - weights; /* which are here */
    double all = here + steps + (double)batches + fmax(validation, saving);
    run_say(&t->run, GLT_LOG_INFO,
            "memory: about %.0f MB (program, clouds and weights %.0f, steps %.0f, batches %.0f, "
            "validation or saving %.0f)",
            1e-6 * all, 1e-6 * here, 1e-6 * steps, 1e-6 * (double)batches,
            1e-6 * fmax(validation, saving));
    double there = memory_machine();
    if (all > there)
        run_say(&t->run, GLT_LOG_WARNING,
                "this machine has %.0f MB: take a smaller batch, fewer points or a smaller preset",
                1e-6 * there);
    return 0;
}

/* Blocks that are nearly empty in the densest cloud teach nothing; most often the unit is another.
 */
void train_tell_blocks(struct training *t)
{
    const struct config *c = &t->config;
    double held = t->range.high[RANGE_DENSITY] * c->sampling.block * c->sampling.block;
    if (t->data->task == TASK_SEGMENT && held < c->sampling.points / 8.0)
        run_say(&t->run, GLT_LOG_WARNING,
                "blocks of edge %g hold about %.2g points, where samples are of %d: are the "
                "coordinates in metres? gelatto check %s tells what to set",
                c->sampling.block, held, c->sampling.points, t->data->path);
}
