/* Contexts: what a call runs with is its own, in every thread that works for it.
 * labels: quick threads */
#include "core/context.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "errors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 3, CHUNKS = 64 };

static void count(void *user, enum glt_log_level level, const char *message)
{
    (void)level;
    (void)message;
    ++*(int *)user;
}

static int stop_at_five(void *user, const char *activity, int64_t done, int64_t total)
{
    (void)activity;
    (void)total;
    ++*(int *)user;
    return done == 5;
}

struct own { /* a context with all its parts */
    struct context context;
    pthread_mutex_t lock;
    _Atomic bool cancelled;
    int logged, reported;
};

static void own_create(struct own *o)
{
    pthread_mutexattr_t recursive;
    memset(o, 0, sizeof *o);
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&o->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    o->context.lock = &o->lock;
    o->context.cancelled = &o->cancelled;
    o->context.log = count;
    o->context.log_user = &o->logged;
    o->context.progress = stop_at_five;
    o->context.progress_user = &o->reported;
}

static void the_default_context_is_what_the_setters_fill(void **state)
{
    (void)state;
    int logged = 0;
    assert_ptr_equal(context_current(), context_default());
    glt_log_set(count, &logged);
    log_message(GLT_LOG_INFO, "heard");
    glt_log_set(NULL, NULL);
    assert_int_equal(logged, 1);
    assert_int_equal(glt_threads_set(THREADS), 0);
    assert_int_equal(atomic_load(&context_default()->threads), THREADS);
    assert_int_equal(glt_threads_set(0), 0);
}

static void a_call_has_a_context_of_its_own(void **state)
{
    (void)state;
    struct own o;
    int logged = 0;
    own_create(&o);
    o.context.threads = THREADS;
    glt_log_set(count, &logged);
    struct context *before = context_enter(&o.context);
    assert_int_equal(parallel_threads(), THREADS);
    log_message(GLT_LOG_INFO, "to the context's own callback");
    assert_int_equal(progress_report("work", 1, 9), 0);
    assert_int_equal(progress_report("work", 5, 9), GLT_EINTERRUPTED);
    context_enter(before);
    log_message(GLT_LOG_INFO, "to the default one");
    assert_int_equal(progress_report("work", 5, 9), 0);
    glt_log_set(NULL, NULL);
    assert_int_equal(logged, 1);
    assert_int_equal(o.logged, 1);
    assert_int_equal(o.reported, 2);
    pthread_mutex_destroy(&o.lock);
}

static void log_chunk(void *user, int64_t begin, int64_t end)
{
    (void)user;
    for (int64_t i = begin; i < end; i++)
        log_message(GLT_LOG_INFO, "chunk");
}

static void a_team_works_for_its_caller(void **state)
{
    (void)state;
    struct own o;
    int logged = 0;
    own_create(&o);
    o.context.threads = THREADS;
    glt_log_set(count, &logged);
    struct context *before = context_enter(&o.context);
    parallel_for(CHUNKS, 1, log_chunk, NULL);
    context_enter(before);
    assert_int_equal(o.logged, CHUNKS);
    assert_int_equal(logged, 0);
    assert_int_equal(glt_threads_set(THREADS), 0);
    parallel_for(CHUNKS, 1, log_chunk, NULL); /* the same threads have forgotten it */
    assert_int_equal(glt_threads_set(0), 0);
    glt_log_set(NULL, NULL);
    assert_int_equal(o.logged, CHUNKS);
    assert_int_equal(logged, CHUNKS);
    pthread_mutex_destroy(&o.lock);
}

static void limits_hold_in_their_context(void **state)
{
    (void)state;
    struct own o;
    own_create(&o);
    o.context.memory_limit = memory_stats().bytes + 3000;
    struct context *before = context_enter(&o.context);
    void *block = memory_alloc(2500, 1);
    assert_non_null(block);
    assert_null(memory_alloc(1000, 1));
    assert_error("MEMORY");
    assert_int_equal(memory_afford(400, 0, NULL), 0);
    assert_int_equal(memory_afford(1000, 0, NULL), GLT_ELIMIT);
    o.context.memory_limit = 0;
    o.context.memory_budget = 1; /* planned for, not enforced */
    assert_int_equal(memory_afford(0, 0, "wait"), GLT_ELIMIT);
    assert_error("MEMORY");
    memory_free(memory_alloc(1, 1));
    context_enter(before);
    memory_free(block);
    block = memory_alloc(5000, 1);
    assert_non_null(block);
    memory_free(block);
    pthread_mutex_destroy(&o.lock);
}

static void cancelling_reaches_copies(void **state)
{
    (void)state;
    struct own o;
    struct context copy;
    own_create(&o);
    context_copy(&copy, &o.context);
    copy.memory_limit = 1 << 30;
    assert_int_equal(atomic_load(&o.context.memory_limit), 0);
    struct context *before = context_enter(&copy);
    assert_int_equal(progress_report("work", 1, 9), 0);
    o.cancelled = true;
    assert_int_equal(progress_report("work", 2, 9), GLT_EINTERRUPTED);
    assert_int_equal(o.reported, 1); /* nobody is asked any more */
    context_enter(before);
    pthread_mutex_destroy(&o.lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_context_is_what_the_setters_fill),
        cmocka_unit_test(a_call_has_a_context_of_its_own),
        cmocka_unit_test(a_team_works_for_its_caller),
        cmocka_unit_test(limits_hold_in_their_context),
        cmocka_unit_test(cancelling_reaches_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
