/* Coverages of the scenes being tested: see covers.h. */
#include "sampling/covers.h"

#include "core/error.h"
#include "core/memory.h"

#include <pthread.h>

struct cover { /* one cut of one scene */
    struct coverage coverage;
    int32_t before, samples; /* of the scene's cuts before this one; its own */
    int32_t left;            /* not yet given back */
    bool made;
};

struct covers {
    pthread_mutex_t lock;
    struct block_options options;
    struct cover *list; /* (n, cuts) */
    int32_t n, cuts;
};

static int count_samples(struct covers *c, int32_t item, const struct item *x)
{
    struct cover *v = c->list + (int64_t)item * c->cuts;
    for (int32_t cut = 0; cut < c->cuts; cut++) {
        c->options.cut = cut;
        TRY(coverage_count(&v[cut].samples, x, &c->options));
        v[cut].before = cut ? v[cut - 1].before + v[cut - 1].samples : 0;
    }
    return 0;
}

int covers_create(struct covers **out, const struct item_source *items,
                  const struct block_options *o, int32_t cuts)
{
    struct covers *c = memory_alloc(1, sizeof *c);
    if (!c)
        return GLT_ENOMEM;
    pthread_mutex_init(&c->lock, NULL);
    c->options = *o;
    c->options.cuts = c->cuts = cuts;
    c->n = items->count;
    c->list = memory_alloc((size_t)c->n * (size_t)cuts, sizeof *c->list);
    int code = c->list ? 0 : GLT_ENOMEM;
    for (int32_t i = 0; code == 0 && i < c->n; i++) {
        const struct item *x;
        code = items->take(&x, items->user, i);
        if (code < 0)
            break;
        code = count_samples(c, i, x);
        if (code < 0)
            error_prefix(code, "%s: ", items->name(items->user, i));
        items->give(items->user, i);
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
    for (int64_t i = 0; c->list && i < (int64_t)c->n * c->cuts; i++)
        coverage_free(&c->list[i].coverage);
    memory_free(c->list);
    pthread_mutex_destroy(&c->lock);
    memory_free(c);
}

int32_t covers_samples(const struct covers *c, int32_t item)
{
    const struct cover *last = c->list + (int64_t)item * c->cuts + c->cuts - 1;
    return last->before + last->samples;
}

static struct cover *cover_of(struct covers *c, int32_t item, int32_t sample)
{
    struct cover *v = c->list + (int64_t)item * c->cuts;
    while (sample >= v->before + v->samples)
        v++;
    return v;
}

int covers_take(const struct coverage **out, struct covers *c, int32_t item, const struct item *x,
                int32_t sample)
{
    struct cover *v = cover_of(c, item, sample);
    int code = 0;
    pthread_mutex_lock(&c->lock);
    if (!v->made) {
        struct block_options o = c->options;
        o.cut = (int32_t)(v - c->list) % c->cuts;
        code = coverage_make(&v->coverage, x, &o);
        v->coverage.before = v->before;
        v->made = code == 0;
    }
    if (code == 0)
        *out = &v->coverage;
    pthread_mutex_unlock(&c->lock);
    return code;
}

void covers_give(struct covers *c, int32_t item, int32_t sample)
{
    struct cover *v = cover_of(c, item, sample);
    pthread_mutex_lock(&c->lock);
    if (--v->left == 0) {
        coverage_free(&v->coverage);
        v->made = false;
    }
    pthread_mutex_unlock(&c->lock);
}

void covers_rewind(struct covers *c)
{
    for (int64_t i = 0; c->list && i < (int64_t)c->n * c->cuts; i++)
        c->list[i].left = c->list[i].samples;
}
