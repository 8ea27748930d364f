/* Coverages of the scenes being tested, shared by loader threads: see batch.h. */
#include "data/batch.h"

#include "core/error.h"

#include <pthread.h>

struct cover {
    struct coverage coverage;
    int32_t samples; /* of the scene */
    int32_t left;    /* not yet given back */
    bool made;
};

struct covers {
    pthread_mutex_t lock;
    struct block_options options;
    struct cover *list;
    int32_t n;
};

int covers_create(struct covers **out, struct dataset *d, enum split s)
{
    struct covers *c = memory_alloc(1, sizeof *c);
    if (!c)
        return GLT_ENOMEM;
    pthread_mutex_init(&c->lock, NULL);
    c->options = sample_blocks(d);
    c->n = dataset_count(d, s);
    c->list = memory_alloc((size_t)c->n, sizeof *c->list);
    int code = c->list ? 0 : GLT_ENOMEM;
    for (int32_t i = 0; code == 0 && i < c->n; i++) {
        const struct item *x;
        code = dataset_take(&x, d, s, i);
        if (code < 0)
            break;
        code = coverage_count(&c->list[i].samples, x, &c->options);
        if (code < 0)
            error_prefix(code, "%s: ", d->split[s].list[i].path);
        dataset_give(d, s, i);
    }
    covers_rewind(c);
    if (code < 0)
        covers_free(c);
    else
        *out = c;
    return code;
}

void covers_free(struct covers *c)
{
    if (!c)
        return;
    for (int32_t i = 0; c->list && i < c->n; i++)
        coverage_free(&c->list[i].coverage);
    memory_free(c->list);
    pthread_mutex_destroy(&c->lock);
    memory_free(c);
}

int32_t covers_samples(const struct covers *c, int32_t item)
{
    return c->list[item].samples;
}

int covers_take(const struct coverage **out, struct covers *c, int32_t item, const struct item *x)
{
    struct cover *v = &c->list[item];
    int code = 0;
    pthread_mutex_lock(&c->lock);
    if (!v->made) {
        code = coverage_make(&v->coverage, x, &c->options);
        v->made = code == 0;
    }
    if (code == 0)
        *out = &v->coverage;
    pthread_mutex_unlock(&c->lock);
    return code;
}

void covers_give(struct covers *c, int32_t item)
{
    struct cover *v = &c->list[item];
    pthread_mutex_lock(&c->lock);
    if (--v->left == 0) {
        coverage_free(&v->coverage);
        v->made = false;
    }
    pthread_mutex_unlock(&c->lock);
}

void covers_rewind(struct covers *c)
{
    for (int32_t i = 0; c->list && i < c->n; i++)
        c->list[i].left = c->list[i].samples;
}
