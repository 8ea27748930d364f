/* labels: quick threads
 * Parallel loops: the same partition and the same sums with any number of threads, more than one
 * thread at work, loops inside loops, serial threads, forked processes, many callers, refused
 * threads. */
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "errors.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 9, CALLERS = 70 }; /* more callers than loops that can share helpers */
enum { N = 10007, GRAIN = 64, CHUNKS = (N + GRAIN - 1) / GRAIN };

struct work {
    _Atomic int visits[N];
    int64_t end[CHUNKS];
    float sum[CHUNKS]; /* of numbers whose sum depends on the order */
};

static float number(int64_t i)
{
    return 1.0f / (float)(i * 7919 % N + 1);
}

static void add_up(void *user, int64_t begin, int64_t end)
{
    struct work *w = user;
    int64_t chunk = begin / GRAIN;
    ASSERT(begin % GRAIN == 0);
    w->end[chunk] = end;
    float sum = 0;
    for (int64_t i = begin; i < end; i++) {
        atomic_fetch_add(&w->visits[i], 1);
        sum += number(i);
    }
    w->sum[chunk] = sum;
}

static float total(const struct work *w)
{
    float sum = 0;
    for (int c = 0; c < CHUNKS; c++)
        sum += w->sum[c];
    return sum;
}

static void the_environment_sets_the_threads(void **state)
{
    (void)state;
    assert_int_equal(setenv("GELATTO_THREADS", "3", 1), 0);
    assert_int_equal(glt_threads_set(0), 0);
    assert_int_equal(parallel_threads(), 3);
    static const char *const wrong[] = {"many", "-1", "2x", "1025"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(setenv("GELATTO_THREADS", wrong[i], 1), 0);
        assert_int_equal(glt_threads_set(0), GLT_EARGUMENT);
        assert_int_equal(glt_threads_set(2), 0); /* what is given goes over it */
    }
    assert_int_equal(unsetenv("GELATTO_THREADS"), 0);
    assert_int_equal(glt_threads_set(0), 0);
}

static void partitions_cover_every_item_once(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    float first = 0;
    for (int t = 0; t < 4; t++) {
        struct work *w = memory_alloc(1, sizeof *w);
        assert_int_equal(glt_threads_set(threads[t]), 0);
        assert_int_equal(parallel_threads(), threads[t]);
        parallel_witnesses();
        parallel_for(N, GRAIN, add_up, w);
        int seen = parallel_witnesses();
        if (threads[t] == 1)
            assert_int_equal(seen, 0);
        else
            assert_int_equal(seen, threads[t]); /* all of them */
        for (int64_t i = 0; i < N; i++)
            assert_int_equal(w->visits[i], 1);
        for (int64_t c = 0; c < CHUNKS; c++)
            assert_int_equal(w->end[c], (c + 1) * GRAIN < N ? (c + 1) * GRAIN : N);
        float sum = total(w);
        if (t == 0)
            first = sum;
        assert_memory_equal(&sum, &first, sizeof sum); /* the same bits */
        memory_free(w);
    }
    assert_int_equal(glt_threads_set(0), 0);
}

static void count_call(void *user, int64_t begin, int64_t end)
{
    atomic_fetch_add((_Atomic int64_t *)user, end - begin);
}

static void every_item_is_visited_whatever_the_grain(void **state)
{
    (void)state;
    assert_int_equal(glt_threads_set(4), 0);
    static const int64_t sizes[] = {0, 1, 2, 63, 64, 65, 1000};
    for (int i = 0; i < 7; i++) {
        for (int64_t grain = 1; grain <= 2000; grain = 3 * grain + 1) {
            _Atomic int64_t items = 0;
            parallel_for(sizes[i], grain, count_call, &items);
            assert_int_equal(items, sizes[i]);
            assert_int_equal(parallel_chunks(sizes[i], grain),
                             sizes[i] / grain + (sizes[i] % grain != 0));
        }
    }
    assert_int_equal(glt_threads_set(0), 0);
}

static void loop_within(void *user, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        parallel_for(10, 3, count_call, user);
}

static void a_nested_loop_runs_in_its_caller(void **state)
{
    (void)state;
    _Atomic int64_t items = 0;
    assert_int_equal(glt_threads_set(3), 0);
    parallel_for(20, 1, loop_within, &items);
    assert_int_equal(items, 200);
    assert_int_equal(glt_threads_set(0), 0);
}

static void note_thread(void *user, int64_t begin, int64_t end)
{
    (void)begin;
    (void)end;
    pthread_t *who = user;
    ASSERT(pthread_equal(*who, pthread_self()));
}

static void *serial_thread(void *user)
{
    (void)user;
    pthread_t self = pthread_self();
    parallel_serial(true);
    parallel_for(1000, 1, note_thread, &self);
    parallel_serial(false);
    return NULL;
}

static void serial_means_one_thread(void **state)
{
    (void)state;
    assert_int_equal(glt_threads_set(4), 0);
    parallel_witnesses();
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, serial_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(parallel_witnesses(), 0);
    struct work *w = memory_alloc(1, sizeof *w); /* this thread stays parallel */
    parallel_for(N, GRAIN, add_up, w);
    assert_int_equal(parallel_witnesses(), 4);
    memory_free(w);
    assert_int_equal(glt_threads_set(0), 0);
}

static void the_number_of_threads_is_what_was_set(void **state)
{
    (void)state;
    assert_int_equal(glt_threads_set(2), 0);
    assert_int_equal(glt_threads_set(-1), GLT_EARGUMENT);
    assert_int_equal(glt_threads_set(1025), GLT_EARGUMENT);
    assert_error("OPTION threads");
    assert_int_equal(parallel_threads(), 2);
    assert_int_equal(glt_threads_set(0), 0);
    setenv("GELATTO_THREADS", "5", 1);
    assert_int_equal(parallel_threads(), 5);
    setenv("GELATTO_THREADS", "many", 1);
    assert_true(parallel_threads() >= 1);
    unsetenv("GELATTO_THREADS");
}

struct held {
    _Atomic int inside;
    _Atomic bool release;
    _Atomic int64_t items;
};

static void hold(void *user, int64_t begin, int64_t end)
{
    struct held *h = user;
    atomic_fetch_add(&h->inside, 1);
    while (!atomic_load(&h->release))
        sched_yield();
    atomic_fetch_add(&h->items, end - begin);
}

static void *hold_helpers(void *user)
{
    parallel_for(2, 1, hold, user);
    return NULL;
}

/* Must run before parallel_witnesses is called: from then on a loop waits for its whole team. */
static void a_loop_does_not_wait_for_helpers_that_are_busy(void **state)
{
    (void)state;
    struct held h = {0};
    pthread_t thread;
    _Atomic int64_t items = 0;
    assert_int_equal(glt_threads_set(2), 0);
    assert_int_equal(pthread_create(&thread, NULL, hold_helpers, &h), 0);
    while (atomic_load(&h.inside) < 2) /* its caller and the only helper */
        sched_yield();
    parallel_for(1000, 1, count_call, &items);
    assert_int_equal(items, 1000);
    atomic_store(&h.release, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(h.items, 2);
    assert_int_equal(glt_threads_set(0), 0);
}

static void a_loop_runs_where_the_system_refuses_threads(void **state)
{
    (void)state;
    _Atomic int64_t items = 0;
    parallel_witnesses();
    parallel_refuse(0);
    assert_int_equal(glt_threads_set(64), 0);
    parallel_for(1000, 1, count_call, &items);
    assert_int_equal(items, 1000);
    assert_true(parallel_witnesses() < 64);
    parallel_refuse(THREADS);
    parallel_for(1000, 1, count_call, &items);
    assert_int_equal(items, 2000);
    assert_int_equal(parallel_witnesses(), THREADS + 1);
    assert_int_equal(glt_threads_set(0), 0);
}

static void *many_loops(void *user)
{
    for (int i = 0; i < 500; i++)
        parallel_for(1 + i % 50, 1, count_call, user);
    return NULL;
}

static void callers_at_the_same_time_share_the_helpers(void **state)
{
    (void)state;
    pthread_t thread[CALLERS];
    _Atomic int64_t items[CALLERS] = {0};
    assert_int_equal(glt_threads_set(4), 0);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, many_loops, &items[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(items[i], 500 * 51 / 2);
    }
    assert_int_equal(glt_threads_set(0), 0);
}

/* Helpers that have gone to sleep come back. */
static void a_loop_after_a_pause_has_its_helpers(void **state)
{
    (void)state;
    _Atomic int64_t items = 0;
    assert_int_equal(glt_threads_set(3), 0);
    for (int i = 1; i <= 5; i++) {
        usleep(2000);
        parallel_witnesses();
        parallel_for(100, 1, count_call, &items);
        assert_int_equal(parallel_witnesses(), 3);
        assert_int_equal(items, 100 * i);
    }
    assert_int_equal(glt_threads_set(0), 0);
}

/* A child has none of its parent's threads: it must not wait for them. */
static void a_child_does_not_wait_for_the_threads_of_its_parent(void **state)
{
    (void)state;
    int status = -1;
    _Atomic int64_t items = 0;
    assert_int_equal(glt_threads_set(3), 0);
    parallel_for(1000, 1, count_call, &items);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20); /* ends a child that hangs */
        (void)glt_threads_set(2);
        parallel_for(1000, 1, count_call, &items);
        _exit(items == 2000 && parallel_threads() == 1 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(parallel_threads(), 3); /* the parent has its threads still */
    assert_int_equal(glt_threads_set(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_does_not_wait_for_helpers_that_are_busy),
        cmocka_unit_test(the_environment_sets_the_threads),
        cmocka_unit_test(partitions_cover_every_item_once),
        cmocka_unit_test(every_item_is_visited_whatever_the_grain),
        cmocka_unit_test(a_nested_loop_runs_in_its_caller),
        cmocka_unit_test(serial_means_one_thread),
        cmocka_unit_test(the_number_of_threads_is_what_was_set),
        cmocka_unit_test(a_loop_runs_where_the_system_refuses_threads),
        cmocka_unit_test(callers_at_the_same_time_share_the_helpers),
        cmocka_unit_test(a_loop_after_a_pause_has_its_helpers),
        cmocka_unit_test(a_child_does_not_wait_for_the_threads_of_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
