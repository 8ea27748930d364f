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
#include "sampling/covers.h"
#include "sampling/sampler.h"

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

/* Memory of one maker of batches. */
struct maker {
    struct sampler sampler;
    struct sample_scratch scratch;
};

/* One sample to be made: its item, and its number in the epoch (testing: of its item). */
struct job {
    int32_t item, sample;
};

struct loader {
    struct loader_options o;
    struct context *context; /* of who opened it */
    struct covers *covers;   /* testing scenes */
    struct job *jobs;        /* (n) in the order they are dealt */
    struct job *list;        /* (n) sample by sample */
    int32_t *order;          /* (n) scratch of the shuffle */
    int64_t n, batches;
    int32_t points; /* of the largest sample */
    uint32_t epoch;

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
    struct maker maker; /* of the caller, without threads */
};

static int64_t points_of(const struct loader *l, int32_t item)
{
    return l->o.items.points(l->o.items.user, item);
}

static int32_t jobs_of(const struct loader *l, int32_t item)
{
    if (l->o.samples.task != TASK_SEGMENT)
        return 1;
    if (l->covers)
        return covers_samples(l->covers, item);
    int64_t samples = points_of(l, item) / l->o.samples.sampling.points;
    return samples > 0 ? (int32_t)samples : 1;
}

static int list_jobs(struct loader *l)
{
    for (int32_t i = 0; i < l->o.items.count; i++)
        l->n += jobs_of(l, i);
    if (l->n < 1 || l->n > INT32_MAX)
        return error_set(GLT_ELIMIT, "%lld samples: an epoch has 1 to %d", (long long)l->n,
                         INT32_MAX);
    l->jobs = memory_alloc((size_t)l->n, sizeof *l->jobs);
    l->list = memory_alloc((size_t)l->n, sizeof *l->list);
    l->order = memory_alloc((size_t)l->n, sizeof *l->order);
    if (!l->jobs || !l->list || !l->order)
        return GLT_ENOMEM;
    int32_t at = 0;
    for (int32_t i = 0; i < l->o.items.count; i++) {
        int32_t n = jobs_of(l, i);
        int32_t points = sample_maximum(&l->o.samples, points_of(l, i), l->o.train);
        l->points = points > l->points ? points : l->points;
        for (int32_t k = 0; k < n; k++, at++)
            l->list[at] = (struct job){i, l->o.train ? at : k};
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
        uint64_t seed = l->o.samples.seed;
        struct random r = random_start(random_stream(seed, epoch, 0, RANDOM_SHUFFLE), 0);
        random_shuffle(&r, l->order, (int32_t)l->n);
    }
    for (int64_t i = 0; i < l->n; i++)
        l->jobs[i] = l->list[l->order[i]];
}

/* A test sample and the key of its neighbours, which is that of `gelatto predict`. */
static int draw_test(struct sample *out, uint32_t *epoch, uint32_t *sample, const struct loader *l,
                     struct maker *m, const struct job *job, const struct item *x)
{
    const struct coverage *c = NULL;
    *epoch = 0;
    *sample = (uint32_t)job->sample;
    if (!l->covers)
        return sample_test(out, &m->scratch, x, NULL, job->sample);
    TRY(covers_take(&c, l->covers, job->item, x, job->sample));
    *epoch = (uint32_t)c->cut;
    *sample -= (uint32_t)c->before;
    int code = sample_test(out, &m->scratch, x, c, job->sample);
    covers_give(l->covers, job->item, job->sample);
    return code;
}

static int add_item(const struct loader *l, struct maker *m, const struct job *job,
                    const struct item *x)
{
    struct sample s;
    uint32_t epoch = l->epoch, sample = (uint32_t)job->sample;
    if (l->o.train)
        TRY(sample_train(&s, &m->scratch, &l->o.samples, x, epoch, sample));
    else
        TRY(draw_test(&s, &epoch, &sample, l, m, job, x));
    struct sampler_cloud c = {.n = s.n,
                              .xyz = s.xyz,
                              .features = s.features,
                              .row = s.row,
                              .labels = x->labels,
                              .key = {l->o.samples.seed, epoch, sample},
                              .item = job->item,
                              .category = x->category,
                              .class_first = x->class_first,
                              .class_count = x->class_count};
    int code = sampler_add(&m->sampler, &c);
    return code < 0 ? error_prefix(code, "%s: ", l->o.items.name(l->o.items.user, job->item)) : 0;
}

static int make_batch(struct batch *out, struct arena *slot, const struct loader *l,
                      struct maker *m, const struct job *jobs, int32_t clouds)
{
    const struct item_source *items = &l->o.items;
    m->sampler.pyramid = l->o.pyramid;
    m->sampler.channels = 3 + l->o.samples.inputs.extra;
    TRY(sampler_reserve(&m->sampler, l->o.batch, l->points));
    sampler_begin(&m->sampler);
    for (int32_t b = 0; b < clouds; b++) {
        const struct item *x;
        TRY(items->take(&x, items->user, jobs[b].item));
        int code = add_item(l, m, &jobs[b], x);
        items->give(items->user, jobs[b].item);
        TRY(code);
    }
    return sampler_join(out, &m->sampler, slot);
}

static void make(struct loader *l, struct slot *slot, int64_t number, struct maker *m)
{
    int64_t first = number * l->o.batch;
    int64_t clouds = l->n - first < l->o.batch ? l->n - first : l->o.batch;
    slot->code = make_batch(&slot->batch, &slot->arena, l, m, l->jobs + first, (int32_t)clouds);
    slot->batch.epoch = l->epoch;
    slot->batch.number = number;
    if (slot->code < 0)
        snprintf(slot->message, sizeof slot->message, "%s", glt_error_message());
}

static void maker_free(struct maker *m)
{
    sampler_free(&m->sampler);
    sample_scratch_free(&m->scratch);
}

static bool may_make(const struct loader *l)
{
    return l->ticket < l->batches && l->ticket < l->released + l->n_slots;
}

static void *run(void *user)
{
    struct loader *l = user;
    struct maker maker = {0};
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
        make(l, slot, number, &maker);
        pthread_mutex_lock(&l->lock);
        l->busy--;
        slot->ready = true;
        pthread_cond_broadcast(&l->ready);
    }
    pthread_mutex_unlock(&l->lock);
    maker_free(&maker);
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

static int open_internal(struct loader *l)
{
    struct block_options blocks = sample_blocks(&l->o.samples);
    l->o.pyramid.seed = l->o.samples.seed;
    if (l->o.samples.task == TASK_SEGMENT && !l->o.train)
        TRY(covers_create(&l->covers, &l->o.items, &blocks, l->o.overlap + 1));
    TRY(list_jobs(l));
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
    int code = open_internal(l);
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
    l->epoch = epoch;
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
        make(l, slot, l->out, &l->maker);
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
    maker_free(&l->maker);
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

int32_t loader_points(const struct loader *l)
{
    return l->points;
}

int loader_bytes(size_t *bytes, const struct loader *l, int32_t tile)
{
    size_t batch, makers = l->o.threads > 0 ? (size_t)l->o.threads : 1, maker;
    int32_t extra = l->o.samples.inputs.extra;
    int64_t rows = 0;
    for (int32_t i = 0; i < l->o.items.count; i++)
        rows = points_of(l, i) > rows ? points_of(l, i) : rows;
    bool tiles = l->o.train && l->o.samples.task == TASK_SEGMENT;
    TRY(sampler_batch_bytes(&batch, &l->o.pyramid, 3 + extra, l->o.batch, l->points));
    TRY(sampler_bytes(&maker, &l->o.pyramid, 3 + extra, l->o.batch, l->points));
    if (tiles)
        maker += sample_scratch_bytes(rows, tile < rows ? tile : (int32_t)rows, l->points, extra);
    else
        maker += sample_scratch_bytes(0, 0, l->points, extra);
    *bytes = (size_t)l->n_slots * (batch + batch / 8) + makers * maker;
    return 0;
}
