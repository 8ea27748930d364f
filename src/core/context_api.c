/* Contexts of callers: see context.h. They are allocated, so they are not in context.c, which the
 * allocator depends on for its limit. */
#include "core/context.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

struct glt_context {
    struct context context; /* first: callers also hold a handle of a context without the rest */
    pthread_mutex_t lock;
    _Atomic bool cancelled;
};

/* Copies the fields that the caller's version of the struct has; the rest is zero. */
static int read_options(struct glt_context_options *o, const struct glt_context_options *given)
{
    *o = (struct glt_context_options){0};
    if (!given)
        return 0;
    TRY(error_size("glt_context_options", given->size, offsetof(struct glt_context_options, log)));
    memcpy(o, given, given->size < sizeof *o ? given->size : sizeof *o);
    TRY(parallel_check(o->threads));
    return memory_check_limit(o->memory_limit);
}

static void fill(struct context *c, const struct glt_context_options *o)
{
    if (o->threads)
        atomic_store(&c->threads, o->threads);
    if (o->memory_limit)
        atomic_store(&c->memory_limit, o->memory_limit);
    if (o->log) {
        c->log = o->log;
        c->log_user = o->log_user;
    }
    if (o->progress) {
        c->progress = o->progress;
        c->progress_user = o->progress_user;
    }
}

static void init_recursive(pthread_mutex_t *lock)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

int glt_context_create(struct glt_context **out, const struct glt_context_options *options)
{
    REQUIRE(out);
    struct glt_context_options o;
    TRY(read_options(&o, options));
    struct glt_context *c = memory_alloc(1, sizeof *c);
    if (!c)
        return GLT_ENOMEM;
    init_recursive(&c->lock);
    context_copy(&c->context, context_default());
    fill(&c->context, &o);
    c->context.lock = &c->lock;
    c->context.cancelled = &c->cancelled;
    *out = c;
    return 0;
}

_Static_assert(offsetof(struct glt_context, context) == 0, "a handle is that of its context");

/* Within a callback, the one before is the context that the work made for itself. */
struct glt_context *glt_context_use(struct glt_context *c)
{
    struct context *before = context_enter((struct context *)c);
    return before == context_default() ? NULL : (struct glt_context *)before;
}

void glt_context_cancel(struct glt_context *c)
{
    struct context *context = (struct context *)c;
    if (c && context->cancelled != context_default()->cancelled) /* which is never set */
        atomic_store(context->cancelled, true);
}

void glt_context_free(struct glt_context *c)
{
    if (!c)
        return;
    pthread_mutex_destroy(&c->lock);
    memory_free(c);
}
