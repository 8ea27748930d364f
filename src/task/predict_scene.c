/* Scenes: columns beside each other, each worker with an engine of its own. The votes of a point
 * are added in the order of its column's samples, whoever runs it: any number of threads gives the
 * same bits. See predict.h. */
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "model/engine.h"
#include "model/softmax.h"
#include "task/predict.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE = 1024 };

struct worker {
    struct engine *engine;
    int32_t *rows;   /* (points) of the item */
    float *xyz;      /* (points, 3) */
    float *features; /* (points, extra) */
    float *logits;   /* (points, classes) */
    float *sum;      /* (largest column, classes) */
    int32_t *votes;  /* (largest column) */
};

struct scene {
    struct model *model;
    const struct item *item;
    struct coverage cover;
    struct answers *answers;
    int32_t points, largest; /* of a sample, of a column */
    int32_t *place;          /* (n) of an item's row within its column */
    float *sum;              /* (n, classes) over several cuts; NULL: a column is enough */
    int32_t *votes;          /* (n) */
    int32_t cut;
    int64_t done, total; /* points */
    struct worker *workers;
    int32_t n_workers;
    _Atomic int32_t next;
    _Atomic int code;
    pthread_mutex_t lock;
    char message[MESSAGE];
};

static void worker_free(struct worker *w)
{
    engine_free(w->engine);
    memory_free(w->rows);
    memory_free(w->xyz);
    memory_free(w->features);
    memory_free(w->logits);
    memory_free(w->sum);
    memory_free(w->votes);
}

static int worker_create(struct worker *w, const struct scene *s)
{
    size_t n = (size_t)s->points, largest = (size_t)s->largest;
    size_t classes = (size_t)s->model->classes.n, extra = (size_t)s->item->extra;
    w->rows = memory_alloc(n, sizeof *w->rows);
    w->xyz = memory_alloc(n, 3 * sizeof *w->xyz);
    w->features = extra ? memory_alloc(n, extra * sizeof *w->features) : NULL;
    w->logits = memory_alloc(n, classes * sizeof *w->logits);
    w->sum = memory_alloc(largest, classes * sizeof *w->sum);
    w->votes = memory_alloc(largest, sizeof *w->votes);
    if (!w->rows || !w->xyz || (extra && !w->features) || !w->logits || !w->sum || !w->votes)
        return GLT_ENOMEM;
    return engine_create(&w->engine, s->model, s->points, false);
}

static void scene_fail(struct scene *s, int code)
{
    pthread_mutex_lock(&s->lock);
    if (atomic_load(&s->code) == 0) {
        snprintf(s->message, sizeof s->message, "%s", glt_error_message());
        atomic_store(&s->code, code);
    }
    pthread_mutex_unlock(&s->lock);
}

static int run_sample(struct scene *s, struct worker *w, int32_t sample)
{
    const struct item *x = s->item;
    float centre[3];
    int32_t n = coverage_size(&s->cover, sample), classes = s->model->classes.n;
    coverage_rows(w->rows, centre, &s->cover, sample);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = w->rows[i];
        for (int k = 0; k < 3; k++)
            w->xyz[3 * i + k] = x->xyz[3 * row + k] - centre[k];
        if (x->extra)
            memcpy(w->features + i * x->extra, x->features + row * x->extra,
                   (size_t)x->extra * sizeof *w->features);
    }
    TRY(engine_run(w->engine, w->logits, w->xyz, w->features, n, (uint32_t)s->cut,
                   (uint32_t)sample));
    TRY(softmax(w->logits, w->logits, n, classes, 0, classes));
    for (int64_t i = 0; i < n; i++) {
        int64_t place = s->place[w->rows[i]];
        for (int32_t k = 0; k < classes; k++)
            w->sum[place * classes + k] += w->logits[i * classes + k];
        w->votes[place]++;
    }
    return 0;
}

static void finish_column(struct scene *s, const struct worker *w, const int32_t *rows, int32_t n)
{
    int32_t classes = s->model->classes.n;
    for (int64_t i = 0; i < n; i++) {
        const float *sum = w->sum + i * classes;
        if (!s->sum) {
            answers_put(s->answers, s->item->row[rows[i]], sum, w->votes[i]);
            continue;
        }
        for (int32_t k = 0; k < classes; k++)
            s->sum[(int64_t)rows[i] * classes + k] += sum[k];
        s->votes[rows[i]] += w->votes[i];
    }
}

static int run_column(struct scene *s, struct worker *w, int32_t b)
{
    const struct coverage *c = &s->cover;
    const int32_t *rows = c->rows + c->start[b];
    int32_t n = c->start[b + 1] - c->start[b];
    memset(w->sum, 0, (size_t)n * (size_t)s->model->classes.n * sizeof *w->sum);
    memset(w->votes, 0, (size_t)n * sizeof *w->votes);
    for (int32_t i = 0; i < n; i++)
        s->place[rows[i]] = i;
    for (int32_t sample = c->first[b]; sample < c->first[b + 1]; sample++) {
        int32_t drawn = (sample - c->first[b]) * c->points;
        if (atomic_load(&s->code) < 0)
            return 0;
        TRY(run_sample(s, w, sample));
        pthread_mutex_lock(&s->lock);
        s->done += n - drawn < c->points ? n - drawn : c->points;
        int code = progress_report("label points", s->done, s->total);
        pthread_mutex_unlock(&s->lock);
        TRY(code);
    }
    finish_column(s, w, rows, n);
    return 0;
}

static void work(void *user, int64_t begin, int64_t end)
{
    struct scene *s = user;
    for (int64_t i = begin; i < end; i++)
        for (;;) {
            int32_t b = atomic_fetch_add(&s->next, 1);
            if (b >= s->cover.blocks || atomic_load(&s->code) < 0)
                break;
            int code = run_column(s, &s->workers[i], b);
            if (code < 0)
                scene_fail(s, code);
        }
}

/* As many as there are threads, fewer if memory or columns do not suffice: a lone worker leaves the
 * threads to the loops of its engine. */
static int start_workers(struct scene *s, const struct predict_options *o)
{
    int threads = parallel_threads();
    int32_t wanted = s->cover.blocks >= 2 * threads ? threads : 1;
    int64_t classes = s->model->classes.n, one;
    TRY(predict_engine_bytes(&one, s->model, s->points));
    one += s->points * (16 + 4 * classes + 4 * s->item->extra) + s->largest * (4 * classes + 4);
    TRY(predict_afford(o, one, 0));
    int32_t most = wanted;
    while (wanted > 1 && predict_afford(o, wanted * one, 0) < 0)
        wanted--;
    if (wanted < most)
        log_message(GLT_LOG_INFO, "%d of %d workers fit the memory limit", wanted, most);
    s->workers = memory_alloc((size_t)wanted, sizeof *s->workers);
    if (!s->workers)
        return GLT_ENOMEM;
    s->n_workers = wanted;
    for (int32_t i = 0; i < wanted; i++)
        TRY(worker_create(&s->workers[i], s));
    return 0;
}

static void stop_workers(struct scene *s)
{
    for (int32_t i = 0; i < s->n_workers; i++)
        worker_free(&s->workers[i]);
    memory_free(s->workers);
    s->workers = NULL;
    s->n_workers = 0;
}

static int run_cut(struct scene *s, const struct predict_options *o)
{
    const struct config *c = &s->model->config;
    struct block_options b = {.edge = c->sampling.block,
                              .points = c->sampling.points,
                              .seed = (uint64_t)c->seed,
                              .cut = s->cut,
                              .cuts = o->overlap + 1};
    TRY(coverage_make(&s->cover, s->item, &b));
    s->points = s->largest = 0;
    for (int32_t i = 0; i < s->cover.blocks; i++) {
        int32_t n = s->cover.start[i + 1] - s->cover.start[i];
        s->largest = n > s->largest ? n : s->largest;
    }
    s->points = s->largest < c->sampling.points ? s->largest : c->sampling.points;
    atomic_store(&s->next, 0);
    int code = start_workers(s, o);
    if (code == 0) {
        parallel_for(s->n_workers, 1, work, s);
        code = atomic_load(&s->code);
        if (code < 0)
            error_set(code, "%s", s->message);
    }
    stop_workers(s);
    return code;
}

static int reserve(struct scene *s, int32_t cuts)
{
    size_t n = (size_t)s->item->n;
    s->place = memory_alloc(n, sizeof *s->place);
    if (cuts > 1) {
        s->sum = memory_alloc(n, (size_t)s->model->classes.n * sizeof *s->sum);
        s->votes = memory_alloc(n, sizeof *s->votes);
    }
    return s->place && (cuts == 1 || (s->sum && s->votes)) ? 0 : GLT_ENOMEM;
}

int predict_scene(struct answers *a, int64_t *samples, struct model *m, const struct item *x,
                  const struct predict_options *o)
{
    int32_t cuts = o->overlap + 1;
    struct scene s = {.model = m, .item = x, .answers = a, .total = (int64_t)x->n * cuts};
    pthread_mutex_init(&s.lock, NULL);
    *samples = 0;
    int code = reserve(&s, cuts);
    for (int32_t cut = 0; code == 0 && cut < cuts; cut++) {
        s.cut = cut;
        code = run_cut(&s, o);
        *samples += s.cover.samples;
        coverage_free(&s.cover);
    }
    for (int64_t i = 0; code == 0 && s.sum && i < x->n; i++)
        answers_put(a, x->row[i], s.sum + i * m->classes.n, s.votes[i]);
    pthread_mutex_destroy(&s.lock);
    memory_free(s.place);
    memory_free(s.sum);
    memory_free(s.votes);
    return code;
}
