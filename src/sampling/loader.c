/* The loader: see loader.h.
 *
 * A ring of slots: batch number b is made in slot b mod slots, by whichever thread takes the next
 * ticket, once the batch that was there before has been given back. */
#include "sampling/loader.h"

#include "core/arena.h"
#include "core/context.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE = 1024 };

struct slot {
    struct batch batch;
    struct arena arena;
    bool ready;
    int code;
    char message[MESSAGE];
};

struct loader {
    struct loader_options o;
    struct context *context; /* of who opened it */
    struct batch_source source;
    struct covers *covers;
    struct batch_job *jobs; /* (n) in the order they are dealt */
    struct batch_job *list; /* (n) sample by sample */
    int32_t *order;         /* (n) scratch of the shuffle */
    int64_t n, batches;
    int32_t most;

    pthread_mutex_t lock;
    pthread_cond_t work, ready;
    pthread_t *threads;
    int running; /* threads */
    bool stop;
    int64_t ticket;   /* next batch to be made */
    int64_t out;      /* next batch to be handed out */
    int64_t released; /* batches given back */
    int busy;         /* threads making one */
    struct slot *slots;
    int n_slots;
    struct batch_scratch scratch; /* of the caller, without threads */
};

static int32_t jobs_of(const struct loader *l, int32_t item)
{
    const struct dataset *d = l->o.data;
    if (d->task != TASK_SEGMENT)
        return 1;
    if (l->covers)
        return covers_samples(l->covers, item);
    int64_t samples = d->split[l->o.split].list[item].n / d->config.sampling.points;
    return samples > 0 ? (int32_t)samples : 1;
}

static int list_jobs(struct loader *l)
{
    const struct dataset *d = l->o.data;
    int32_t items = dataset_count(d, l->o.split);
    for (int32_t i = 0; i < items; i++)
        l->n += jobs_of(l, i);
    if (l->n == 0)
        return error_set(GLT_EDATA, "%s: the %s split is empty: %s", d->path,
                         split_name(l->o.split), dataset_advice(d));
    if (l->n > INT32_MAX)
        return error_set(GLT_ELIMIT, "%s: more than %d samples", d->path, INT32_MAX);
    l->jobs = memory_alloc((size_t)l->n, sizeof *l->jobs);
    l->list = memory_alloc((size_t)l->n, sizeof *l->list);
    l->order = memory_alloc((size_t)l->n, sizeof *l->order);
    if (!l->jobs || !l->list || !l->order)
        return GLT_ENOMEM;
    int32_t at = 0;
    for (int32_t i = 0; i < items; i++) {
        int32_t n = jobs_of(l, i);
        int64_t points = d->split[l->o.split].list[i].n;
        bool whole = !l->o.train && d->task != TASK_SEGMENT;
        bool repeat = l->o.train && d->task == TASK_PARTS;
        if (repeat || (!whole && points > d->config.sampling.points))
            points = d->config.sampling.points;
        l->most = points > l->most ? (int32_t)points : l->most;
        for (int32_t k = 0; k < n; k++, at++)
            l->list[at] = (struct batch_job){i, l->o.train ? at : k};
    }
    l->batches = (l->n + l->o.batch - 1) / l->o.batch;
    return 0;
}

/* The order of an epoch. */
static void deal(struct loader *l, uint32_t epoch)
{
    for (int32_t i = 0; i < l->n; i++)
        l->order[i] = i;
    if (l->o.train) {
        uint64_t seed = (uint64_t)l->o.data->config.seed;
        struct random r = random_start(random_stream(seed, epoch, 0, RANDOM_SHUFFLE), 0);
        random_shuffle(&r, l->order, (int32_t)l->n);
    }
    for (int64_t i = 0; i < l->n; i++)
        l->jobs[i] = l->list[l->order[i]];
}

static void make(struct loader *l, struct slot *slot, int64_t number, struct batch_scratch *s)
{
    int64_t first = number * l->o.batch;
    int64_t clouds = l->n - first < l->o.batch ? l->n - first : l->o.batch;
    slot->batch.number = number;
    slot->code =
        batch_make(&slot->batch, &slot->arena, s, &l->source, l->jobs + first, (int32_t)clouds);
    if (slot->code < 0)
        snprintf(slot->message, sizeof slot->message, "%s", glt_error_message());
}

static bool may_make(const struct loader *l)
{
    return l->ticket < l->batches && l->ticket < l->released + l->n_slots;
}

static void *run(void *user)
{
    struct loader *l = user;
    struct batch_scratch scratch = {0};
    parallel_serial(true);
    context_enter(l->context);
    pthread_mutex_lock(&l->lock);
    while (!l->stop) {
        if (!may_make(l)) {
            pthread_cond_wait(&l->work, &l->lock);
            continue;
        }
        int64_t number = l->ticket++;
        struct slot *slot = &l->slots[number % l->n_slots];
        l->busy++;
        pthread_mutex_unlock(&l->lock);
        make(l, slot, number, &scratch);
        pthread_mutex_lock(&l->lock);
        l->busy--;
        slot->ready = true;
        pthread_cond_broadcast(&l->ready);
    }
    pthread_mutex_unlock(&l->lock);
    batch_scratch_free(&scratch);
    return NULL;
}

static int start_threads(struct loader *l)
{
    l->threads = memory_alloc((size_t)l->o.threads, sizeof *l->threads);
    if (!l->threads)
        return GLT_ENOMEM;
    while (l->running < l->o.threads) {
        if (pthread_create(&l->threads[l->running], NULL, run, l))
            break; /* fewer threads, or none: the batches are the same */
        l->running++;
    }
    return 0;
}

static int open_inside(struct loader *l)
{
    struct dataset *d = l->o.data;
    bool scenes = d->task == TASK_SEGMENT;
    TRY(dataset_measure(d, l->o.split));
    if (scenes && !l->o.train)
        TRY(covers_create(&l->covers, d, l->o.split, l->o.overlap + 1));
    TRY(list_jobs(l));
    l->source = (struct batch_source){.data = d,
                                      .split = l->o.split,
                                      .train = l->o.train,
                                      .pyramid = l->o.pyramid,
                                      .covers = l->covers};
    l->n_slots = l->o.ahead > 0 ? l->o.ahead : l->o.threads + 2;
    l->slots = memory_alloc((size_t)l->n_slots, sizeof *l->slots);
    if (!l->slots)
        return GLT_ENOMEM;
    l->ticket = l->out = l->released = l->batches; /* nothing to do before loader_start */
    return start_threads(l);
}

int loader_open(struct loader **out, const struct loader_options *o)
{
    if (o->batch < 1 || o->threads < 0 || o->ahead < 0)
        return error_set(GLT_EARGUMENT, "batch = %d, threads = %d, ahead = %d: out of range",
                         o->batch, o->threads, o->ahead);
    struct loader *l = memory_alloc(1, sizeof *l);
    if (!l)
        return GLT_ENOMEM;
    l->o = *o;
    l->context = context_current();
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->work, NULL);
    pthread_cond_init(&l->ready, NULL);
    int code = open_inside(l);
    if (code < 0)
        loader_close(l);
    else
        *out = l;
    return code;
}

int loader_start(struct loader *l, uint32_t epoch, int64_t first)
{
    if (first < 0 || first > l->batches)
        return error_set(GLT_EARGUMENT, "batch %lld of an epoch of %lld", (long long)first,
                         (long long)l->batches);
    pthread_mutex_lock(&l->lock);
    l->ticket = l->batches; /* no new batch is begun */
    while (l->busy)
        pthread_cond_wait(&l->ready, &l->lock);
    for (int i = 0; i < l->n_slots; i++)
        l->slots[i].ready = false;
    deal(l, epoch);
    if (l->covers)
        covers_rewind(l->covers);
    l->source.epoch = epoch;
    l->ticket = l->out = l->released = first;
    pthread_cond_broadcast(&l->work);
    pthread_mutex_unlock(&l->lock);
    return 0;
}

int loader_next(struct loader *l, const struct batch **out)
{
    pthread_mutex_lock(&l->lock);
    l->released = l->out;
    if (l->out == l->batches) {
        pthread_mutex_unlock(&l->lock);
        *out = NULL;
        return 0;
    }
    struct slot *slot = &l->slots[l->out % l->n_slots];
    if (l->running == 0) {
        pthread_mutex_unlock(&l->lock);
        make(l, slot, l->out, &l->scratch);
        pthread_mutex_lock(&l->lock);
    } else {
        pthread_cond_broadcast(&l->work);
        while (!slot->ready)
            pthread_cond_wait(&l->ready, &l->lock);
        slot->ready = false;
    }
    l->out++;
    pthread_mutex_unlock(&l->lock);
    if (slot->code < 0)
        return error_set(slot->code, "%s", slot->message);
    *out = &slot->batch;
    return 0;
}

void loader_close(struct loader *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->stop = true;
    pthread_cond_broadcast(&l->work);
    pthread_mutex_unlock(&l->lock);
    for (int i = 0; i < l->running; i++)
        pthread_join(l->threads[i], NULL);
    for (int i = 0; l->slots && i < l->n_slots; i++)
        arena_free(&l->slots[i].arena);
    batch_scratch_free(&l->scratch);
    covers_free(l->covers);
    memory_free(l->slots);
    memory_free(l->threads);
    memory_free(l->jobs);
    memory_free(l->list);
    memory_free(l->order);
    pthread_cond_destroy(&l->work);
    pthread_cond_destroy(&l->ready);
    pthread_mutex_destroy(&l->lock);
    memory_free(l);
}

int64_t loader_samples(const struct loader *l)
{
    return l->n;
}

int64_t loader_batches(const struct loader *l)
{
    return l->batches;
}

int32_t loader_most(const struct loader *l)
{
    return l->most;
}

int loader_bytes(size_t *bytes, const struct loader *l, int32_t block)
{
    const struct dataset *d = l->o.data;
    size_t pyramid, kept, makers = l->o.threads > 0 ? (size_t)l->o.threads : 1;
    int64_t rows = 0;
    for (int32_t i = 0; i < dataset_count(d, l->o.split); i++)
        rows = d->split[l->o.split].list[i].n > rows ? d->split[l->o.split].list[i].n : rows;
    bool blocks = l->o.train && d->task == TASK_SEGMENT;
    block = blocks && block < rows ? block : l->most;
    TRY(pyramid_bytes(&pyramid, &l->o.pyramid, l->most));
    TRY(pyramid_kept_bytes(&kept, &l->o.pyramid, l->most));
    /* features, rows, and labels of every level, which are less than twice those of the first */
    size_t cloud = kept + (size_t)l->most * 4 * (size_t)(3 + d->inputs.extra + 3);
    size_t part = pyramid + sample_bytes(l->most, d->inputs.extra);
    size_t scratch = sample_scratch_bytes(blocks ? rows : 0, block, d->inputs.extra);
    size_t all = (size_t)l->o.batch * ((size_t)l->n_slots * cloud + makers * part);
    *bytes = all + all / 8 + makers * scratch;
    return 0;
}
