/* The loader: see loader.h.
 *
 * A ring of slots: batch number b is made in slot b mod slots, by whichever thread takes the next
 * ticket, once the previous batch of the slot was given back. */
#include "sampling/loader.h"

#include "config/inputs.h"
#include "config/settings.h"
#include "core/arena.h"
#include "core/context.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "geometry/pyramid.h"
#include "sampling/item.h"
#include "sampling/sampler.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct slot {
    struct batch batch;
    struct arena arena;
    bool ready;
    int code;
    struct error error;
};

/* Memory of one maker of batches. */
struct maker {
    struct sampler sampler;
    struct sample_scratch scratch;
};

struct loader {
    struct loader_options o;
    struct context *context; /* of the thread that opened it */
    int32_t *item;           /* (n) of each sample */
    int32_t *order;          /* (n) samples in the order of this epoch */
    int64_t n, batches;
    int64_t turns;  /* batches to make: all, or those of the share */
    int32_t points; /* of the largest sample */
    uint32_t epoch;

    pthread_mutex_t lock;
    pthread_cond_t work, ready;
    pthread_t *threads;
    int running; /* threads */
    bool stop;
    int64_t ticket;   /* next turn to be made */
    int64_t out;      /* next turn to be handed out */
    int64_t released; /* turns given back */
    int busy;         /* threads making one */
    struct slot *slots;
    int n_slots;
    struct maker maker; /* used by the caller if there are no threads */
};

static int64_t points_of(const struct loader *l, int32_t item)
{
    return l->o.items.points(l->o.items.user, item);
}

static int32_t samples_of(const struct loader *l, int32_t item)
{
    const struct item_source *items = &l->o.items;
    double weight = items->weight ? items->weight(items->user, item) : 1, samples = weight;
    if (weight == 0)
        return 0;
    if (l->o.samples.task == TASK_SEGMENT)
        samples *= (double)points_of(l, item) / l->o.samples.sampling.points;
    return samples < 1 ? 1 : samples < INT32_MAX ? (int32_t)samples : INT32_MAX;
}

static int list_samples(struct loader *l)
{
    for (int32_t i = 0; i < l->o.items.count; i++)
        l->n += samples_of(l, i);
    if (l->n < 1 || l->n > INT32_MAX)
        return error_topic(
            error_set(GLT_ELIMIT, "%lld samples: an epoch has 1 to %d", (long long)l->n, INT32_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    l->item = memory_alloc((size_t)l->n, sizeof *l->item);
    l->order = memory_alloc((size_t)l->n, sizeof *l->order);
    if (!l->item || !l->order)
        return GLT_ENOMEM;
    int32_t at = 0;
    for (int32_t i = 0; i < l->o.items.count; i++) {
        int32_t points = sample_maximum(&l->o.samples, points_of(l, i));
        l->points = points > l->points ? points : l->points;
        for (int32_t k = samples_of(l, i); k > 0; k--)
            l->item[at++] = i;
    }
    l->batches = (l->n + l->o.batch - 1) / l->o.batch;
    return 0;
}

/* The batch of a turn. */
static int64_t batch_of(const struct loader *l, int64_t turn)
{
    int64_t share = l->o.end - l->o.first;
    return turn / share * l->o.group + l->o.first + turn % share;
}

/* How many turns come before a batch. */
static int64_t turns_before(const struct loader *l, int64_t batch)
{
    int64_t share = l->o.end - l->o.first, rest = batch % l->o.group - l->o.first;
    return batch / l->o.group * share + (rest < 0 ? 0 : rest > share ? share : rest);
}

/* Draws the order of an epoch. */
static void deal(struct loader *l, uint32_t epoch)
{
    struct random_stream s = random_stream(l->o.samples.seed, epoch, 0, RANDOM_SHUFFLE);
    struct random r = random_start(s, 0);
    for (int32_t i = 0; i < l->n; i++)
        l->order[i] = i;
    random_shuffle(&r, l->order, (int32_t)l->n);
}

static int add_sample(const struct loader *l, struct maker *m, int32_t sample, const struct item *x)
{
    struct sample s;
    int32_t item = l->item[sample];
    TRY(sample_train(&s, &m->scratch, &l->o.samples, x, l->epoch, (uint32_t)sample));
    struct sampler_cloud c = {.n = s.n,
                              .xyz = s.xyz,
                              .features = s.features,
                              .row = s.row,
                              .labels = x->labels,
                              .key = {l->o.samples.seed, l->epoch, (uint32_t)sample},
                              .item = item,
                              .category = x->category,
                              .class_first = x->class_first,
                              .class_count = x->class_count};
    int code = sampler_add(&m->sampler, &c);
    return code < 0 ? item_source_blame(&l->o.items, item, code) : 0;
}

static int make_batch(struct batch *out, struct arena *slot, const struct loader *l,
                      struct maker *m, const int32_t *samples, int32_t clouds)
{
    const struct item_source *items = &l->o.items;
    m->sampler.pyramid = l->o.pyramid;
    m->sampler.channels = 3 + l->o.samples.inputs.extra;
    TRY(sampler_reserve(&m->sampler, l->o.batch, l->points));
    sampler_begin(&m->sampler);
    for (int32_t b = 0; b < clouds; b++) {
        const struct item *x;
        int32_t item = l->item[samples[b]];
        TRY(items->take(&x, items->user, item));
        int code = add_sample(l, m, samples[b], x);
        items->give(items->user, item);
        TRY(code);
    }
    return sampler_join(out, &m->sampler, slot);
}

static void make(struct loader *l, struct slot *slot, int64_t number, struct maker *m)
{
    int64_t first = number * l->o.batch;
    int64_t clouds = l->n - first < l->o.batch ? l->n - first : l->o.batch;
    slot->code = make_batch(&slot->batch, &slot->arena, l, m, l->order + first, (int32_t)clouds);
    slot->batch.epoch = l->epoch;
    slot->batch.number = number;
    if (slot->code < 0)
        error_save(&slot->error);
}

static void maker_free(struct maker *m)
{
    sampler_free(&m->sampler);
    sample_scratch_free(&m->scratch);
}

static bool may_make(const struct loader *l)
{
    return l->ticket < l->turns && l->ticket < l->released + l->n_slots;
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
        int64_t turn = l->ticket++;
        struct slot *slot = &l->slots[turn % l->n_slots];
        l->busy++;
        pthread_mutex_unlock(&l->lock);
        make(l, slot, batch_of(l, turn), &maker);
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
    TRY(list_samples(l));
    l->n_slots = l->o.ahead > 0 ? l->o.ahead : l->o.threads + 2;
    l->slots = memory_alloc((size_t)l->n_slots, sizeof *l->slots);
    if (!l->slots)
        return GLT_ENOMEM;
    l->turns = turns_before(l, l->batches);
    l->ticket = l->out = l->released = l->turns; /* nothing to do before loader_start */
    return start_threads(l);
}

int loader_open(struct loader **out, const struct loader_options *o)
{
    if (o->batch < 1 || o->threads < 0 || o->ahead < 0 ||
        (o->group && !(0 <= o->first && o->first < o->end && o->end <= o->group)))
        return error_topic(error_set(GLT_EARGUMENT,
                                     "batch = %d, threads = %d, ahead = %d, parts %d to %d of %d: "
                                     "out of range",
                                     o->batch, o->threads, o->ahead, o->first, o->end, o->group),
                           GLT_TOPIC_ARGUMENT, "batch");
    struct loader *l = memory_alloc(1, sizeof *l);
    if (!l)
        return GLT_ENOMEM;
    l->o = *o;
    if (o->group == 0) {
        l->o.group = l->o.end = 1;
        l->o.first = 0;
    }
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
        return error_topic(error_set(GLT_EARGUMENT, "batch %lld of an epoch of %lld",
                                     (long long)first, (long long)l->batches),
                           GLT_TOPIC_ARGUMENT, "batch");
    pthread_mutex_lock(&l->lock);
    l->ticket = l->turns; /* no new batch is begun */
    while (l->busy)
        pthread_cond_wait(&l->ready, &l->lock);
    for (int i = 0; i < l->n_slots; i++)
        l->slots[i].ready = false;
    deal(l, epoch);
    l->epoch = epoch;
    l->ticket = l->out = l->released = turns_before(l, first);
    pthread_cond_broadcast(&l->work);
    pthread_mutex_unlock(&l->lock);
    return 0;
}

int loader_next(struct loader *l, const struct batch **out)
{
    pthread_mutex_lock(&l->lock);
    l->released = l->out;
    if (l->out == l->turns) {
        pthread_mutex_unlock(&l->lock);
        *out = NULL;
        return 0;
    }
    struct slot *slot = &l->slots[l->out % l->n_slots];
    if (l->running == 0) {
        pthread_mutex_unlock(&l->lock);
        make(l, slot, batch_of(l, l->out), &l->maker);
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
        return error_restore(&slot->error);
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
    memory_free(l->slots);
    memory_free(l->threads);
    memory_free(l->item);
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
    bool tiles = l->o.samples.task == TASK_SEGMENT;
    TRY(sampler_batch_bytes(&batch, &l->o.pyramid, 3 + extra, l->o.batch, l->points));
    TRY(sampler_bytes(&maker, &l->o.pyramid, 3 + extra, l->o.batch, l->points));
    if (tiles)
        maker += sample_scratch_bytes(rows, tile < rows ? tile : (int32_t)rows, l->points, extra);
    else
        maker += sample_scratch_bytes(0, 0, l->points, extra);
    *bytes = (size_t)l->n_slots * (batch + batch / 8) + makers * maker;
    return 0;
}
