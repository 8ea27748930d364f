/* Items in memory: see dataset_items.h. */
#include "datasets/dataset_items.h"

#include "cloud/classes.h"
#include "config/inputs.h"
#include "config/settings.h"
#include "core/angle.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "datasets/cache.h"
#include "datasets/reviewed.h"
#include "datasets/thin.h"
#include "sampling/item.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum state { ABSENT, LOADING, READY };

struct place {
    struct item item;
    enum state state;
    int32_t holders;
    int64_t used; /* when it was taken last */
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t loaded;
    struct place *places[SPLITS];
    int32_t n[SPLITS];
    int64_t bytes, budget, clock;
};

int dataset_items_create(struct dataset *d)
{
    struct pool *p = memory_alloc(1, sizeof *p);
    if (!p)
        return GLT_ENOMEM;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->loaded, NULL);
    p->budget = DATASET_ITEMS_BUDGET;
    d->pool = p;
    for (int s = 0; s < SPLITS; s++) {
        p->n[s] = d->split[s].n;
        p->places[s] = memory_alloc((size_t)p->n[s], sizeof *p->places[s]);
        if (!p->places[s])
            return GLT_ENOMEM;
    }
    return 0;
}

void dataset_items_destroy(struct dataset *d)
{
    struct pool *p = d->pool;
    if (!p)
        return;
    for (int s = 0; s < SPLITS; s++) {
        for (int32_t i = 0; p->places[s] && i < p->n[s]; i++)
            if (p->places[s][i].state == READY)
                item_clear(&p->places[s][i].item);
        memory_free(p->places[s]);
    }
    pthread_cond_destroy(&p->loaded);
    pthread_mutex_destroy(&p->lock);
    memory_free(p);
    d->pool = NULL;
    for (int s = 0; s < SPLITS; s++)
        memory_free(d->items[s].shapes);
}

/* Drops the least recently used items until the rest fits; the lock is held. */
static void shrink(struct pool *p)
{
    while (p->bytes > p->budget) {
        struct place *oldest = NULL;
        for (int s = 0; s < SPLITS; s++) {
            for (int32_t i = 0; i < p->n[s]; i++) {
                struct place *x = &p->places[s][i];
                if (x->state == READY && !x->holders && (!oldest || x->used < oldest->used))
                    oldest = x;
            }
        }
        if (!oldest)
            return;
        p->bytes -= item_bytes(&oldest->item);
        item_clear(&oldest->item);
        oldest->state = ABSENT;
    }
}

void dataset_items_set_budget(struct dataset *d, int64_t bytes)
{
    pthread_mutex_lock(&d->pool->lock);
    d->pool->budget = bytes;
    shrink(d->pool);
    pthread_mutex_unlock(&d->pool->lock);
}

int64_t dataset_items_bytes(struct dataset *d)
{
    pthread_mutex_lock(&d->pool->lock);
    int64_t bytes = d->pool->bytes;
    pthread_mutex_unlock(&d->pool->lock);
    return bytes;
}

static int load_source(struct item *x, const struct dataset *d, const struct entry *e)
{
    struct item y = {.category = e->category};
    bool shape = d->task != TASK_SEGMENT;
    int code = d->type->load(&y, d, e);
    if (code == 0)
        code = item_finish(&y, shape && d->settings.normalise == NORMALISE_SPHERE);
    if (code < 0)
        item_clear(&y);
    else
        *x = y;
    return code;
}

/* From the cache if it has the item, else from its source and then into the cache. */
static int load(struct item *x, const struct dataset *d, const struct entry *e)
{
    const char *folder = d->settings.cache;
    char key[CACHE_KEY];
    bool found = false;
    if (!folder[0] || !d->type->cached)
        return load_source(x, d, e);
    TRY(cache_key(key, d, e));
    TRY(cache_read(x, &found, d, e, key));
    if (found)
        return 0;
    TRY(load_source(x, d, e));
    int code = x->predicted ? 0 : cache_write(x, folder, key); /* may be refused next time */
    if (code < 0)
        item_clear(x);
    return code;
}

/* The remaining points are normalised and sorted as if they were all. */
static int thin(struct item *x, const struct dataset *d, int32_t number)
{
    bool scene = d->task == TASK_SEGMENT;
    int32_t n = x->n;
    if (d->thin.keep == 0)
        return 0;
    int code = thin_item(x, &d->thin, (uint32_t)number, scene, d->up);
    if (code == 0 && x->n < n)
        code = item_finish(x, !scene && d->settings.normalise == NORMALISE_SPHERE);
    if (code < 0)
        item_clear(x);
    return code;
}

static int turn(struct item *x, const struct dataset *d, int32_t number)
{
    if (d->turn == 0)
        return 0;
    struct random r =
        random_start(random_stream(d->turn_seed, 0, (uint32_t)number, RANDOM_TURN), 0);
    double degrees = d->turn * (2 * random_uniform(&r) - 1);
    item_turn(x, x, d->up, d->inputs.normals, degrees * ANGLE_PI / 180);
    x->lattice = 0;
    int code = item_finish(x, false);
    if (code < 0)
        item_clear(x);
    return code;
}

/* Drops items that were made with other settings. */
static void forget_items(struct dataset *d)
{
    int64_t budget = d->pool->budget;
    dataset_items_set_budget(d, 0);
    dataset_items_set_budget(d, budget);
}

void dataset_thin(struct dataset *d, const struct thinning *t)
{
    d->thin = *t;
    forget_items(d);
}

void dataset_turn(struct dataset *d, double degrees, uint64_t seed)
{
    d->turn = degrees;
    d->turn_seed = seed;
    forget_items(d);
}

void dataset_hold(struct dataset *d, double edge)
{
    if (!d->reviewed || edge == d->tile)
        return;
    d->tile = edge;
    forget_items(d);
    for (int s = 0; s < SPLITS; s++)
        for (int32_t i = 0; i < d->split[s].n; i++)
            d->split[s].list[i].n = 0; /* to be measured again */
}

int dataset_relabel(struct dataset *d, const struct classes *c)
{
    int32_t *classes = memory_alloc((size_t)d->classes.n, sizeof *classes);
    if (!classes)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < d->classes.n; i++)
        classes[i] = classes_find(c, d->classes.names[i]);
    memory_free(d->relabel);
    d->relabel = classes;
    d->relabelled = c->n;
    forget_items(d);
    return 0;
}

/* Keeps the labels that count, and renumbers them for another dataset. */
static int settle_labels(struct item *x, const struct dataset *d, const struct entry *e)
{
    int code = 0;
    if (d->reviewed)
        code = reviewed_keep(x, (enum reviewed_part)e->part, d->tile, (uint64_t)d->seed);
    for (int64_t i = 0; d->relabel && x->labels && i < x->n; i++)
        x->labels[i] = x->labels[i] < 0 ? -1 : d->relabel[x->labels[i]];
    if (d->reviewed) /* after renumbering, which leaves out classes that the other lacks */
        x->labelled = (int32_t)reviewed_count(x);
    if (code < 0)
        item_clear(x);
    return code;
}

int dataset_take(const struct item **out, struct dataset *d, enum split s, int32_t i)
{
    struct pool *p = d->pool;
    ASSERT(i >= 0 && i < p->n[s]);
    struct place *x = &p->places[s][i];
    struct entry *e = &d->split[s].list[i];
    int code = 0;
    pthread_mutex_lock(&p->lock);
    while (x->state == LOADING)
        pthread_cond_wait(&p->loaded, &p->lock);
    if (x->state == ABSENT) {
        struct item item = {0};
        x->state = LOADING;
        pthread_mutex_unlock(&p->lock);
        code = load(&item, d, e);
        if (code == 0)
            code = settle_labels(&item, d, e);
        int64_t n = item.n;
        if (code == 0)
            code = thin(&item, d, i);
        if (code == 0)
            code = turn(&item, d, i);
        pthread_mutex_lock(&p->lock);
        x->state = code < 0 ? ABSENT : READY;
        if (code == 0) {
            classes_range(&item.class_first, &item.class_count, &d->classes, item.category);
            if (d->relabel)
                item.class_count = d->relabelled;
            x->item = item;
            e->n = n;
            e->kept = item.n;
            e->labelled = item.labelled;
            p->bytes += item_bytes(&item);
        }
        pthread_cond_broadcast(&p->loaded);
    }
    if (code == 0) {
        x->holders++;
        x->used = ++p->clock;
        *out = &x->item;
        shrink(p);
    }
    pthread_mutex_unlock(&p->lock);
    return code;
}

void dataset_give(struct dataset *d, enum split s, int32_t i)
{
    struct pool *p = d->pool;
    pthread_mutex_lock(&p->lock);
    p->places[s][i].holders--;
    shrink(p);
    pthread_mutex_unlock(&p->lock);
}

static int take_item(const struct item **out, void *user, int32_t i)
{
    const struct split_items *x = user;
    return dataset_take(out, x->data, x->split, i);
}

static void give_item(void *user, int32_t i)
{
    const struct split_items *x = user;
    dataset_give(x->data, x->split, i);
}

static int64_t item_points(void *user, int32_t i)
{
    const struct split_items *x = user;
    return x->data->split[x->split].list[i].n;
}

static double item_weight(void *user, int32_t i)
{
    const struct split_items *x = user;
    const struct entry *e = &x->data->split[x->split].list[i];
    double weight = dataset_weight(x->data, e);
    if (x->shapes && e->category >= 0)
        weight *= sqrt((double)x->largest / x->shapes[e->category]);
    return x->data->reviewed ? weight * (double)e->labelled / (double)e->n : weight;
}

static const char *item_path(void *user, int32_t i)
{
    const struct split_items *x = user;
    return x->data->split[x->split].list[i].path;
}

/* Shapes of rare categories come more often: counts those of each. */
static int count_shapes(struct split_items *x)
{
    const struct dataset *d = x->data;
    const struct entries *all = &d->split[x->split];
    int32_t categories = d->task == TASK_PARTS ? d->classes.n_categories : d->classes.n;
    if (d->settings.balance == BALANCE_OFF || d->task == TASK_SEGMENT || x->split != SPLIT_TRAIN)
        return 0;
    x->shapes = memory_alloc((size_t)categories + 1, sizeof *x->shapes);
    if (!x->shapes)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < all->n; i++) {
        int32_t category = all->list[i].category;
        int32_t count = category >= 0 ? ++x->shapes[category] : 0;
        x->largest = count > x->largest ? count : x->largest;
    }
    return 0;
}

int dataset_items(struct item_source *out, struct dataset *d, enum split s)
{
    if (d->split[s].n == 0)
        return error_topic(error_in(GLT_EDATA, d->path, "the %s split is empty: %s",
                                    dataset_split_name(s), dataset_advice(d)),
                           GLT_TOPIC_SPLIT, dataset_split_name(s));
    TRY(dataset_measure(d, s));
    memory_free(d->items[s].shapes);
    d->items[s] = (struct split_items){.data = d, .split = s};
    TRY(count_shapes(&d->items[s]));
    *out = (struct item_source){.user = &d->items[s],
                                .count = d->split[s].n,
                                .take = take_item,
                                .give = give_item,
                                .points = item_points,
                                .weight = item_weight,
                                .name = item_path};
    return 0;
}

int dataset_measure(struct dataset *d, enum split s)
{
    for (int32_t i = 0; i < d->split[s].n; i++) {
        const struct item *x;
        if (d->split[s].list[i].n > 0)
            continue;
        TRY(dataset_take(&x, d, s, i));
        dataset_give(d, s, i);
    }
    return 0;
}

int dataset_histogram(int64_t *counts, struct dataset *d, enum split s)
{
    int32_t none = dataset_class_count(d); /* labels are those after dataset_relabel */
    memset(counts, 0, ((size_t)none + 1) * sizeof *counts);
    for (int32_t i = 0; i < d->split[s].n; i++) {
        const struct item *x;
        TRY(dataset_take(&x, d, s, i));
        if (d->task == TASK_CLASSIFY)
            counts[x->category >= 0 ? x->category : none]++;
        for (int32_t j = 0; x->labels && j < x->n; j++)
            counts[x->labels[j] >= 0 ? x->labels[j] : none]++;
        dataset_give(d, s, i);
    }
    return 0;
}
