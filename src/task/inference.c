/* Inference: see inference.h.
 *
 * Work is dealt job by job in one order: an item is opened, its tiles are run, the next item is
 * opened. Which worker runs a job depends on the threads; its number and its result do not. Votes
 * of a tile are added in the order of its samples by one worker; tilings of an item follow each
 * other. */
#include "task/inference.h"

#include "cloud/classes.h"
#include "config/options.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "model/engine.h"
#include "model/guess.h"
#include "model/softmax.h"
#include "sampling/cube_votes.h"
#include "sampling/item.h"
#include "sampling/sampler.h"
#include "sampling/votes.h"

#include <stdio.h>
#include <string.h>

/* The memory of one thread. */
struct worker {
    struct engine *engine;
    int32_t points;  /* capacity, of a sample */
    int32_t *places; /* (points) indices of rows of a tile */
    int32_t *rows;   /* (points) of the item */
    float *xyz;      /* (points, 3) */
    float *seen;     /* (points, 3) of joined tiles */
    float *features; /* (points, extra) */
    float *logits;   /* (points, classes), then probabilities */
    struct votes votes;
    double seconds; /* of its tiles and shapes */
};

/* An open item. */
struct slot {
    struct inference_item x;
    struct tiling tiling; /* scenes: the current one */
    struct votes votes;   /* scenes: over several tilings */
    int32_t tilings_left; /* after the current one */
    int32_t tiles, next;  /* how many, and the next to be dealt; a shape is one */
    int32_t running;      /* tiles in work */
    int64_t last;         /* the last job that was dealt */
    bool taken, begun, broken, complete;
};

/* Tiles in work in one place, whose points share votes (protocol product). */
struct place {
    const struct slot *slot; /* NULL: free */
    struct tile_place tiles;
    int32_t left; /* tiles that are not done */
    pthread_mutex_t lock;
    bool begun;
    struct cube_votes votes;
};

struct job {
    int64_t number;
    struct slot *slot;
    int32_t tile;
    struct place *place; /* protocol product; else NULL */
    bool last;           /* it was the last of its place */
};

struct run {
    const struct inference *o;
    struct tiling_options tiling; /* of all scenes */
    bool scene, whole;            /* whole: one class for all points */
    int32_t classes, extra;
    int32_t largest; /* points of the largest item */
    int64_t total;   /* points to be drawn */
    struct worker *workers;
    int32_t n_workers;
    struct place *places; /* (n_workers + 1) the maximum in work; NULL for the paper's protocol */

    pthread_mutex_t lock; /* of all members below */
    pthread_cond_t changed;
    struct slot *slots; /* (n_slots) item i is in slot i mod n_slots */
    int32_t n_slots;
    int32_t opened, finished; /* items */
    bool opening;             /* a worker is opening the last of them, or its next tiling */
    int64_t jobs;             /* dealt */
    int64_t done;             /* points */
    double tiling_seconds;    /* spent on making tilings */
    int code;                 /* of the failed job with the lowest number */
    int64_t failed;           /* that number */
    struct error error;
};

/* --- protocols --- */

static const char *const protocols[] = {
    [INFERENCE_PAPER] = "paper", [INFERENCE_PRODUCT] = "product"};

int inference_protocol_read(enum inference_protocol *p, const char *name)
{
    for (int i = 0; name && i < 2; i++)
        if (!strcmp(name, protocols[i])) {
            *p = (enum inference_protocol)i;
            return 0;
        }
    return name ? error_topic(
                      error_set(GLT_EARGUMENT, "protocol = '%s': give paper or product", name),
                      GLT_TOPIC_OPTION, "protocol")
                : 0;
}

const char *inference_protocol_name(enum inference_protocol p)
{
    return protocols[p];
}

/* --- samples --- */

/* Edge of the cubes whose points share their votes, as a part of the radius of level 1. */
static const double SHARED = 0.3;

enum {
    PASS_MAX = 8, /* times the model's points: twice that gains a sixth in speed, but loses mIoU */
    ENOUGH = 16,  /* times the points of the coarsest level: minimum for joined tiles */
    SHARED_BYTES = 24 /* per point in a cube of its own, besides sums */
};

static bool is_scene(const struct inference *o)
{
    return o->model->config.task == TASK_SEGMENT;
}

/* Maximum points of a sample. */
static int32_t sample_points(const struct inference *o, const struct tiling_options *t,
                             int32_t tile)
{
    return is_scene(o) && t->sampling.points < tile ? t->sampling.points : tile;
}

static int worker_bytes(int64_t *bytes, const struct inference *o, int32_t points, int32_t tile);

/* As many points a pass as are efficient and fit. This assumes one worker and no memory of threads
 * yet, so that results do not depend on their number. */
static int limit_points(struct tiling_options *t, const struct inference *o, int32_t largest)
{
    int32_t least = t->sampling.points, factor = PASS_MAX;
    for (int64_t bytes; factor > 1; factor /= 2) {
        t->sampling.points = least <= INT32_MAX / factor ? least * factor : INT32_MAX;
        int32_t points = sample_points(o, t, largest);
        TRY(worker_bytes(&bytes, o, points, points));
        if (memory_afford(bytes, 0, NULL) == 0)
            break;
    }
    if (factor == 1)
        t->sampling.points = least;
    if (factor < PASS_MAX)
        log_message(GLT_LOG_INFO, "%d points a pass fit the memory limit", t->sampling.points);
    return 0;
}

/* largest: points of the largest item */
static int tiling_options(struct tiling_options *t, const struct inference *o, int32_t largest)
{
    const int32_t *levels = o->model->config.network.levels;
    *t = (struct tiling_options){
        .sampling = o->sampling, .seed = o->seed, .tilings = o->tilings, .grid = o->grid};
    if (o->protocol == INFERENCE_PAPER || !is_scene(o))
        return 0;
    t->once = true;
    t->few = levels[CONFIG_LEVELS - 1]; /* with fewer, every level would keep all points */
    t->enough = ENOUGH * t->few;
    return limit_points(t, o, largest);
}

int inference_measure(int32_t *tiles, int32_t *largest, const struct inference *o,
                      const struct item *x)
{
    struct tiling_options first;
    TRY(tiling_options(&first, o, x->n));
    return tiling_measure(tiles, largest, x, &first);
}

/* --- workers --- */

static void worker_release(struct worker *w)
{
    memory_free(w->places);
    memory_free(w->rows);
    memory_free(w->xyz);
    memory_free(w->seen);
    memory_free(w->features);
    memory_free(w->logits);
    w->places = w->rows = NULL;
    w->xyz = w->seen = w->features = w->logits = NULL;
    w->points = 0;
}

/* A shape is passed to the engine directly from its item. */
static int worker_reserve(struct worker *w, const struct run *r, int32_t points)
{
    if (points <= w->points)
        return 0;
    worker_release(w);
    size_t n = (size_t)points, gathered = r->scene ? n : 0, extra = (size_t)r->extra;
    w->places = memory_alloc(gathered, sizeof *w->places);
    w->rows = memory_alloc(gathered, sizeof *w->rows);
    w->xyz = memory_alloc(gathered, 3 * sizeof *w->xyz);
    w->seen = memory_alloc(r->tiling.once ? n : 0, 3 * sizeof *w->seen);
    w->features = memory_alloc(gathered, extra * sizeof *w->features);
    w->logits = memory_alloc(r->whole ? 1 : n, (size_t)r->classes * sizeof *w->logits);
    if (!w->places || !w->rows || !w->xyz || !w->seen || !w->features || !w->logits) {
        worker_release(w);
        return GLT_ENOMEM;
    }
    w->points = points;
    return 0;
}

static void worker_free(struct worker *w)
{
    engine_free(w->engine);
    worker_release(w);
    votes_free(&w->votes);
}

/* tile: points of the largest tile with several samples, whose votes are stored */
static int worker_bytes(int64_t *bytes, const struct inference *o, int32_t points, int32_t tile)
{
    size_t engine;
    const struct model *m = o->model;
    bool whole = m->config.task == TASK_CLASSIFY, product = o->protocol == INFERENCE_PRODUCT;
    int64_t row = 4 * (int64_t)m->classes.n;
    TRY(engine_measure(&engine, o->model, points, ENGINE_LOGITS));
    *bytes = (int64_t)engine + (whole ? row : points * row);
    if (is_scene(o))
        *bytes += points * (20 + 4 * ((int64_t)m->channels - 3)) +
                  (product ? points * (12 + SHARED_BYTES + 3 * row) : tile * (row + 4));
    return 0;
}

/* One for each thread, if there are enough jobs. tiles: of the first item. */
static int32_t wanted_workers(const struct inference *o, int32_t tiles)
{
    int threads = parallel_threads();
    return (int64_t)tiles + o->items.count - 1 >= 2 * (int64_t)threads ? threads : 1;
}

int inference_bytes(int64_t *bytes, const struct inference *o, int32_t tiles, int32_t largest)
{
    int64_t one;
    struct tiling_options t;
    TRY(tiling_options(&t, o, largest));
    TRY(worker_bytes(&one, o, sample_points(o, &t, largest), largest));
    *bytes = one * wanted_workers(o, tiles);
    return 0;
}

static int make_places(struct run *r)
{
    r->places = memory_alloc((size_t)r->n_workers + 1, sizeof *r->places);
    if (!r->places)
        return GLT_ENOMEM;
    for (int32_t i = 0; i <= r->n_workers; i++)
        pthread_mutex_init(&r->places[i].lock, NULL);
    return 0;
}

static void free_places(struct run *r)
{
    for (int32_t i = 0; r->places && i <= r->n_workers; i++) {
        pthread_mutex_destroy(&r->places[i].lock);
        cube_votes_free(&r->places[i].votes);
    }
    memory_free(r->places);
}

/* Starts workers, fewer than wanted if memory is limited. The first item is open. */
static int start_workers(struct run *r)
{
    const struct inference *o = r->o;
    const struct slot *first = &r->slots[0];
    int32_t tile = r->scene ? first->tiling.largest : r->largest;
    int32_t points =
        sample_points(o, &r->tiling, o->items.count > 1 || o->tilings > 1 ? r->largest : tile);
    int32_t maximum = wanted_workers(o, first->tiles), wanted = maximum;
    int64_t one;
    TRY(worker_bytes(&one, o, points, tile));
    TRY(memory_afford(one, 0, o->advice));
    while (wanted > 1 && memory_afford(wanted * one, 0, NULL) < 0)
        wanted--;
    if (wanted < maximum)
        log_message(GLT_LOG_INFO, "%d of %d workers fit the memory limit", wanted, maximum);
    r->workers = memory_alloc((size_t)wanted, sizeof *r->workers);
    if (!r->workers)
        return GLT_ENOMEM;
    for (r->n_workers = 0; r->n_workers < wanted;) {
        struct worker *w = &r->workers[r->n_workers++];
        TRY(engine_create(&w->engine, o->model, points, ENGINE_LOGITS));
        TRY(worker_reserve(w, r, points));
        if (r->scene && !r->tiling.once)
            TRY(votes_begin(&w->votes, tile, r->classes));
    }
    return r->tiling.once ? make_places(r) : 0;
}

/* --- failures and progress; the lock is held --- */

static void fail(struct run *r, int64_t job, int code)
{
    if (r->code == 0 || job < r->failed) {
        r->code = code;
        r->failed = job;
        error_save(&r->error);
    }
    pthread_cond_broadcast(&r->changed);
}

/* Whether a job continues after a sample that has drawn `points` new points: jobs after a failed
 * one are not needed. */
static bool continues(struct run *r, int64_t job, int64_t points)
{
    pthread_mutex_lock(&r->lock);
    if (r->code == 0) {
        r->done += points;
        int code =
            progress_report(r->o->activity, r->done < r->total ? r->done : r->total, r->total);
        if (code < 0)
            fail(r, -1, code);
    }
    bool on = r->code == 0 || job < r->failed;
    pthread_mutex_unlock(&r->lock);
    return on;
}

/* --- the network --- */

/* The classes that points of an item may have. */
static void classes_of(int32_t *first, int32_t *count, const struct inference_item *x,
                       const struct model *m)
{
    *first = x->cloud->class_first;
    *count = x->cloud->class_count;
    if (*count == 0)
        classes_range(first, count, &m->classes, x->category);
}

static int run_shape(struct run *r, struct worker *w, struct inference_item *x)
{
    const struct item *cloud = x->cloud;
    const struct model *m = r->o->model;
    int32_t first, count, n = r->whole ? 1 : cloud->n;
    TRY(worker_reserve(w, r, cloud->n));
    struct sampler_cloud c = {
        .n = cloud->n, .xyz = cloud->xyz, .features = cloud->features, .key = {.seed = r->o->seed}};
    TRY(engine_run(w->engine, w->logits, &c));
    if (!r->whole && m->classes.n_categories && (r->o->guess || cloud->class_count == 0))
        TRY(guess_category(&x->category, &x->rival, &m->classes, w->logits, n));
    classes_of(&first, &count, x, m);
    TRY(softmax(w->logits, w->logits, n, m->classes.n, first, count));
    struct inference_result result = {.n = n, .sum = w->logits};
    return r->o->sink->put(r->o->user, x, &result);
}

/* Computes probabilities of w->rows, in w->logits; *n: their number. */
static int run_sample(int32_t *n, struct run *r, struct worker *w, const struct slot *s,
                      const struct tile *tile, int32_t sample)
{
    int32_t first, count;
    const struct item *x = s->x.cloud;
    *n = tiling_draw(w->places, &s->tiling, tile, sample);
    for (int32_t i = 0; i < *n; i++)
        w->rows[i] = tile->rows[w->places[i]];
    item_gather(w->xyz, w->features, x, w->rows, *n, tile->centre);
    struct sampler_cloud c = {.n = *n,
                              .xyz = w->xyz,
                              .features = w->features,
                              .key = tiling_key(&s->tiling, tile, sample)};
    if (tiling_view(w->seen, &tile->view, x, w->rows, *n))
        c.seen = w->seen;
    TRY(engine_run(w->engine, w->logits, &c));
    classes_of(&first, &count, &s->x, r->o->model);
    return softmax(w->logits, w->logits, *n, r->classes, first, count);
}

static int put(struct run *r, const struct inference_item *x, const int32_t *rows,
               const struct votes *v)
{
    struct inference_result result = {.n = v->n, .rows = rows, .sum = v->sum, .votes = v->count};
    return r->o->sink->put(r->o->user, x, &result);
}

/* Adds the votes of a tile to its place. */
static int add_to_place(struct run *r, struct worker *w, struct job *j, const struct tile *tile)
{
    const struct slot *s = j->slot;
    struct place *p = j->place;
    const float *c = tile->centre;
    struct cube_votes_tile all = {.n = p->tiles.n,
                                  .xyz = s->x.cloud->xyz,
                                  .low = {(double)c[0], (double)c[1], (double)c[2]},
                                  .edge = SHARED * r->o->model->config.network.radius[0],
                                  .classes = r->classes};
    int32_t first = s->tiling.start[j->tile] - s->tiling.start[p->tiles.first];
    pthread_mutex_lock(&p->lock);
    int code = p->begun ? 0 : cube_votes_begin(&p->votes, &all);
    p->begun = code == 0;
    if (code == 0)
        code = cube_votes_add(&p->votes, first, tile->rows, w->logits, tile->n);
    j->last = code == 0 && --p->left == 0; /* without the votes of a tile a place is never put */
    pthread_mutex_unlock(&p->lock);
    return code;
}

/* Gives each point of a place the mean of its cube. */
static int put_place(struct run *r, struct worker *w, const struct job *j)
{
    struct slot *s = j->slot;
    struct place *p = j->place;
    const int32_t *rows = s->tiling.rows + s->tiling.start[p->tiles.first];
    cube_votes_finish(&p->votes);
    for (int32_t i = 0, n; i < p->tiles.n; i += n) {
        n = p->tiles.n - i < w->points ? p->tiles.n - i : w->points;
        cube_votes_mean(w->logits, &p->votes, i, n);
        if (r->o->tilings > 1)
            votes_add(&s->votes, rows + i, w->logits, n);
        else
            TRY(put(r, &s->x, rows + i, &(struct votes){.n = n, .sum = w->logits}));
    }
    return 0;
}

/* Runs a tile of protocol product, which is one sample. 1 if it was abandoned after a failure. */
static int run_shared(struct run *r, struct worker *w, struct job *j)
{
    struct tile tile = tiling_tile(&j->slot->tiling, j->tile);
    int32_t n;
    TRY(worker_reserve(w, r, tile.n));
    TRY(run_sample(&n, r, w, j->slot, &tile, 0));
    TRY(add_to_place(r, w, j, &tile));
    if (!continues(r, j->number, n))
        return 1;
    return j->last ? put_place(r, w, j) : 0;
}

/* Runs all points of a tile at once: no votes to add. */
static int run_one_sample(struct run *r, struct worker *w, const struct job *j,
                          const struct tile *tile)
{
    struct slot *s = j->slot;
    int32_t n;
    TRY(run_sample(&n, r, w, s, tile, 0));
    if (!continues(r, j->number, n))
        return 1;
    if (r->o->tilings == 1)
        return put(r, &s->x, w->rows, &(struct votes){.n = n, .sum = w->logits});
    votes_add(&s->votes, w->rows, w->logits, n);
    return 0;
}

/* 1 if it was abandoned after a failure. */
static int run_tile(struct run *r, struct worker *w, const struct job *j)
{
    struct slot *s = j->slot;
    struct tile tile = tiling_tile(&s->tiling, j->tile);
    int32_t n, points = r->tiling.sampling.points;
    TRY(worker_reserve(w, r, sample_points(r->o, &r->tiling, tile.n)));
    if (tile.samples == 1)
        return run_one_sample(r, w, j, &tile);
    TRY(votes_begin(&w->votes, tile.n, r->classes));
    for (int32_t i = 0; i < tile.samples; i++) {
        int32_t left = tile.n - i * points;
        TRY(run_sample(&n, r, w, s, &tile, i));
        votes_add(&w->votes, w->places, w->logits, n);
        if (!continues(r, j->number, left < points ? left : points))
            return 1;
    }
    if (r->o->tilings == 1)
        return put(r, &s->x, tile.rows, &w->votes);
    votes_merge(&s->votes, tile.rows, &w->votes);
    return 0;
}

/* --- jobs --- */

static int open_tiling(struct run *r, struct slot *s)
{
    struct tiling_options t = r->tiling;
    t.number = t.tilings - s->tilings_left;
    tiling_free(&s->tiling);
    double began = clock_seconds();
    TRY(tiling_make(&s->tiling, s->x.cloud, &t));
    r->tiling_seconds += clock_seconds() - began; /* one at a time: see open_next */
    s->tilings_left--;
    s->tiles = s->tiling.tiles;
    s->next = 0;
    s->x.samples += s->tiling.first[s->tiles];
    return 0;
}

static int open_item(struct run *r, struct slot *s)
{
    const struct inference *o = r->o;
    TRY(o->items.take(&s->x.cloud, o->items.user, s->x.number));
    s->taken = true;
    if (o->sink->begin)
        TRY(o->sink->begin(o->user, &s->x));
    s->begun = true;
    if (!r->scene) {
        s->tiles = 1;
        s->x.samples = 1;
        return 0;
    }
    s->tilings_left = r->o->tilings;
    if (r->o->tilings > 1)
        TRY(votes_begin(&s->votes, s->x.cloud->n, r->classes));
    return open_tiling(r, s);
}

static void close_slot(struct run *r, struct slot *s)
{
    const struct inference *o = r->o;
    if (s->begun && o->sink->end)
        o->sink->end(o->user, &s->x);
    if (s->taken)
        o->items.give(o->items.user, s->x.number);
    tiling_free(&s->tiling);
    votes_free(&s->votes);
    *s = (struct slot){0};
}

/* The number of the i-th item to run. */
static int64_t item_number(const struct inference *o, int64_t i)
{
    return o->stride ? o->first + i * o->stride : i;
}

/* Puts the item's name before a message, unless source or sink have done so. */
static int name_error(const struct run *r, const struct slot *s, int code)
{
    return code < 0 && s->begun ? item_source_blame(&r->o->items, s->x.number, code) : code;
}

/* Opens the next item, or the next tiling of the last one. Called with the lock, which is released
 * during the work. */
static void open_next(struct run *r)
{
    struct slot *s = &r->slots[(r->opened + r->n_slots - 1) % r->n_slots];
    int64_t job = r->jobs++;
    bool item = r->opened == 0 || s->tilings_left == 0;
    if (item) {
        s = &r->slots[r->opened % r->n_slots];
        s->x = (struct inference_item){
            .number = (int32_t)item_number(r->o, r->opened++), .category = -1, .rival = -1};
    }
    r->opening = true;
    pthread_mutex_unlock(&r->lock);
    int code = name_error(r, s, item ? open_item(r, s) : open_tiling(r, s));
    pthread_mutex_lock(&r->lock);
    r->opening = false;
    if (code < 0)
        fail(r, job, code);
    pthread_cond_broadcast(&r->changed);
}

/* The place of a tile to be dealt. Tiles are dealt place by place, so only the last place dealt can
 * be in work without a worker. The lock is held. */
static struct place *find_place(struct run *r, const struct slot *s, int32_t tile)
{
    struct tile_place tiles = tiling_place(&s->tiling, tile);
    struct place *p = r->places;
    while (tile == tiles.first ? p->slot != NULL : p->slot != s || p->tiles.first != tiles.first)
        p++;
    if (tile == tiles.first) {
        p->slot = s;
        p->tiles = tiles;
        p->left = tiles.tiles;
        p->begun = false;
    }
    return p;
}

/* The next job; false if there are no more. The lock is held. */
static bool deal(struct run *r, struct job *j)
{
    while (r->code == 0) {
        if (r->opening) { /* the slot belongs to another worker now */
            pthread_cond_wait(&r->changed, &r->lock);
            continue;
        }
        struct slot *s = &r->slots[(r->opened + r->n_slots - 1) % r->n_slots];
        if (s->next < s->tiles) {
            s->running++;
            s->last = r->jobs++;
            *j = (struct job){.number = s->last, .slot = s, .tile = s->next++};
            if (r->places)
                j->place = find_place(r, s, j->tile);
            return true;
        }
        bool more = s->tilings_left > 0;
        if (!more && item_number(r->o, r->opened) >= r->o->items.count)
            return false;
        if (more ? s->running > 0 : r->opened - r->finished == r->n_slots)
            pthread_cond_wait(&r->changed, &r->lock);
        else
            open_next(r);
    }
    return false;
}

/* Hands complete items to the sink in their order. The lock is held. */
static void finish_items(struct run *r)
{
    while (r->finished < r->opened) {
        struct slot *s = &r->slots[r->finished % r->n_slots];
        if (!s->complete || (r->code < 0 && r->failed < s->last))
            return;
        int code = r->o->sink->finish(r->o->user, &s->x);
        r->done += (s->x.cloud->rows - s->x.cloud->n) * r->o->tilings; /* left out or thinned */
        if (code < 0)
            fail(r, s->last, code);
        close_slot(r, s);
        r->finished++;
    }
}

static int run_job(struct run *r, struct worker *w, struct job *j)
{
    struct inference_item *x = &j->slot->x;
    int code = j->place ? run_shared(r, w, j) : r->scene ? run_tile(r, w, j) : run_shape(r, w, x);
    if (code == 0 && !r->scene && !continues(r, j->number, x->cloud->n))
        return 1;
    return name_error(r, j->slot, code);
}

/* Ends a job; code: 0, an error, or 1 if it was abandoned. The lock is held. */
static void end_job(struct run *r, const struct job *j, int code)
{
    struct slot *s = j->slot;
    if (j->last)
        j->place->slot = NULL;
    bool last = s->running == 1 && s->next == s->tiles && s->tilings_left == 0;
    s->broken |= code != 0;
    if (last && !s->broken && r->scene && r->o->tilings > 1) {
        pthread_mutex_unlock(&r->lock);
        code = put(r, &s->x, NULL, &s->votes);
        pthread_mutex_lock(&r->lock);
    }
    if (code < 0)
        fail(r, j->number, code);
    s->running--;
    s->complete = last && !s->broken && code == 0;
    finish_items(r);
    pthread_cond_broadcast(&r->changed);
}

static void work(void *user, int64_t begin, int64_t end)
{
    struct run *r = user;
    struct job j;
    pthread_mutex_lock(&r->lock);
    for (int64_t i = begin; i < end; i++)
        while (deal(r, &j)) {
            pthread_mutex_unlock(&r->lock);
            double began = clock_seconds();
            int code = run_job(r, &r->workers[i], &j);
            r->workers[i].seconds += clock_seconds() - began;
            pthread_mutex_lock(&r->lock);
            end_job(r, &j, code);
        }
    pthread_mutex_unlock(&r->lock);
}

/* --- runs --- */

static int open_first(struct run *r)
{
    const struct item_source *items = &r->o->items;
    for (int32_t i = 0; i < items->count; i++) {
        int64_t n = items->points(items->user, i);
        bool own = !r->o->stride || i % r->o->stride == r->o->first;
        r->total += own ? n * r->o->tilings : 0;
        r->largest = n > r->largest ? (int32_t)n : r->largest; /* of all: results depend on it */
    }
    TRY(tiling_options(&r->tiling, r->o, r->largest));
    r->n_slots = parallel_threads() + 1; /* one is read ahead */
    r->slots = memory_alloc((size_t)r->n_slots, sizeof *r->slots);
    if (!r->slots)
        return GLT_ENOMEM;
    pthread_mutex_lock(&r->lock);
    open_next(r);
    pthread_mutex_unlock(&r->lock);
    return r->code;
}

static void add_times(const struct run *r)
{
    struct inference_times *t = r->o->times;
    if (!t)
        return;
    t->geometry += r->tiling_seconds;
    for (int32_t i = 0; i < r->n_workers; i++) {
        struct engine_times e = engine_times(r->workers[i].engine);
        t->geometry += e.geometry;
        t->network += e.network;
        t->votes += r->workers[i].seconds - e.geometry - e.network;
    }
}

static int run_items(struct run *r)
{
    if (item_number(r->o, 0) >= r->o->items.count && r->o->stride)
        return 0; /* more ranks than items */
    TRY(open_first(r));
    TRY(start_workers(r));
    parallel_for(r->n_workers, 1, work, r);
    add_times(r);
    return r->code < 0 ? error_restore(&r->error) : 0;
}

int inference_run(const struct inference *o)
{
    const struct model *m = o->model;
    struct run r = {.o = o,
                    .scene = is_scene(o),
                    .whole = m->config.task == TASK_CLASSIFY,
                    .classes = m->classes.n,
                    .extra = m->channels - 3};
    struct context *before = context_enter(o->context ? o->context : context_current());
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.changed, NULL);
    int code = run_items(&r);
    free_places(&r);
    for (int32_t i = 0; i < r.n_workers; i++)
        worker_free(&r.workers[i]);
    for (int32_t i = 0; r.slots && i < r.n_slots; i++)
        close_slot(&r, &r.slots[i]);
    memory_free(r.workers);
    memory_free(r.slots);
    pthread_cond_destroy(&r.changed);
    pthread_mutex_destroy(&r.lock);
    context_enter(before);
    return code;
}

/* --- one sample --- */

/* The tile that holds a row, and the row's index in it. */
static struct tile find_tile(int32_t *place, const struct tiling *t, int32_t row)
{
    int32_t at = 0, i = 0;
    while (t->rows[at] != row)
        at++;
    while (t->start[i + 1] <= at)
        i++;
    *place = at - t->start[i];
    return tiling_tile(t, i);
}

static void draw_with(struct inference_sample *out, const struct tiling *t, int32_t row)
{
    int32_t place;
    struct tile tile = find_tile(&place, t, row);
    int32_t sample = place / t->options.sampling.points; /* rows are dealt in turn */
    out->n = tiling_draw(out->rows, t, &tile, sample);
    for (int32_t i = 0; i < out->n; i++)
        out->rows[i] = tile.rows[out->rows[i]];
    memcpy(out->centre, tile.centre, sizeof out->centre);
    out->key = tiling_key(t, &tile, sample);
}

int inference_find(struct inference_sample *out, const struct inference *o, const struct item *x,
                   int32_t row)
{
    struct inference_sample s = {.n = x->n, .key = {.seed = o->seed}};
    struct inference paper = *o;
    struct tiling_options first;
    struct tiling t = {0};
    bool scene = is_scene(o);
    paper.protocol = INFERENCE_PAPER;
    TRY(tiling_options(&first, &paper, x->n));
    if (scene)
        TRY(tiling_make(&t, x, &first));
    s.rows = memory_alloc((size_t)x->n, sizeof *s.rows);
    for (int32_t i = 0; s.rows && i < x->n; i++)
        s.rows[i] = i;
    if (s.rows && scene)
        draw_with(&s, &t, row);
    tiling_free(&t);
    if (!s.rows)
        return GLT_ENOMEM;
    *out = s;
    return 0;
}
