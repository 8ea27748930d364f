/* labels: quick
 * Memory: alignment, zeroing, overflow, accounting, failures on order; arenas and their measuring.
 */
#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "errors.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The sanitizers stop at requests that can never be met, unless these options say otherwise. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static bool all_zero(const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i])
            return false;
    }
    return true;
}

static void blocks_are_zeroed_and_aligned(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 100000, 1 << 20, (64 << 20) + 3};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int round = 0; round < 2; round++) { /* the second time the block is a used one */
            unsigned char *block = memory_alloc(sizes[i], 1);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % 64, 0);
            assert_true(all_zero(block, sizes[i]));
            assert_int_equal(memory_stats().bytes, sizes[i]);
            memset(block, 0xee, sizes[i]);
            memory_free(block);
            assert_int_equal(memory_stats().bytes, 0);
        }
    }
    memory_free(NULL);
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    assert_null(memory_alloc(SIZE_MAX, 2));
    assert_error("MEMORY");
    assert_null(memory_alloc(SIZE_MAX / 2 + 1, 2));
    assert_null(memory_alloc(SIZE_MAX, 1));
    assert_null(memory_alloc(SIZE_MAX - 100, 1));
    assert_null(memory_alloc(SIZE_MAX / 4, 1));
    assert_error("MEMORY");
    char *block = memory_string("kept");
    assert_null(memory_resize(block, SIZE_MAX, 3));
    assert_string_equal(block, "kept");
    memory_free(block);
    assert_int_equal(memory_stats().bytes, 0);
}

static void a_resized_block_keeps_its_content(void **state)
{
    (void)state;
    static const size_t sizes[] = {10, 100, 5, 0, 70000, 3 << 20, 9 << 20, 2 << 20, 1};
    unsigned char *block = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        block = memory_resize(block, sizes[i], 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        kept = kept < sizes[i] ? kept : sizes[i];
        for (size_t b = 0; b < kept; b++)
            assert_int_equal(block[b], (unsigned char)(b * 7 + 1));
        assert_true(all_zero(block + kept, sizes[i] - kept));
        for (size_t b = 0; b < sizes[i]; b++)
            block[b] = (unsigned char)(b * 7 + 1);
        kept = sizes[i];
        assert_int_equal(memory_stats().bytes, sizes[i]);
    }
    memory_free(block);
    assert_int_equal(memory_stats().bytes, 0);
}

static void statistics_count_blocks_and_bytes(void **state)
{
    (void)state;
    int64_t requests = memory_stats().requests;
    memory_peak_reset();
    void *a = memory_alloc(1000, 1), *b = memory_alloc(10, 100);
    memory_free(a);
    assert_int_equal(memory_stats().bytes, 1000);
    assert_int_equal(memory_stats().peak, 2000);
    assert_int_equal(memory_stats().requests, requests + 2);
    memory_peak_reset();
    assert_int_equal(memory_stats().peak, 1000);
    memory_free(b);
}

static void the_nth_request_fails_on_demand(void **state)
{
    (void)state;
    memory_fail(2, false);
    void *a = memory_alloc(1, 1), *b = memory_alloc(1, 1), *c = memory_alloc(1, 1);
    assert_true(a && !b && c);
    assert_error("MEMORY");
    memory_fail(2, true);
    void *d = memory_alloc(1, 1);
    assert_non_null(d);
    assert_null(memory_resize(d, 5, 1));
    assert_null(memory_string("x"));
    struct arena arena;
    assert_int_equal(arena_init(&arena, 100), GLT_ENOMEM);
    memory_fail(0, false);
    memory_free(a);
    memory_free(c);
    memory_free(d);
    assert_int_equal(memory_stats().bytes, 0);
}

static void *allocate_much(void *user)
{
    (void)user;
    for (int i = 1; i < 2000; i++) {
        void *block = memory_alloc((size_t)i, 3);
        memory_free(block);
    }
    return NULL;
}

static void statistics_of_several_threads_add_up(void **state)
{
    (void)state;
    pthread_t thread[4];
    int64_t requests = memory_stats().requests;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, allocate_much, NULL), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(memory_stats().bytes, 0);
    assert_int_equal(memory_stats().requests, requests + 4 * 1999);
}

static void the_last_owner_frees_a_block(void **state)
{
    (void)state;
    int64_t before = memory_stats().bytes;
    char *block = memory_string("text");
    assert_false(memory_is_shared(block));
    assert_ptr_equal(memory_share(block), block);
    assert_true(memory_is_shared(block));
    memory_free(block);
    assert_false(memory_is_shared(block));
    assert_string_equal(block, "text");
    memory_free(block);
    assert_int_equal(memory_stats().bytes, before);
    assert_null(memory_share(NULL));
    assert_false(memory_is_shared(NULL));
}

/* What a structure takes, by the same code in both modes. */
static size_t bind(struct arena *a, unsigned char **x, double **y)
{
    *x = arena_take(a, 3, 1);
    *y = arena_take(a, 100, sizeof **y);
    size_t mark = arena_mark(a);
    arena_take(a, 1000, 1);
    arena_reset(a, mark);
    arena_take(a, 0, 1);
    return arena_mark(a);
}

static void an_arena_gives_back_to_a_mark(void **state)
{
    (void)state;
    unsigned char *x;
    double *y;
    struct arena measure = arena_measuring(), a;
    assert_int_equal(bind(&measure, &x, &y), 64 + 832);
    assert_null(x);
    assert_null(y);
    assert_int_equal(measure.peak, 64 + 832 + 1024);
    assert_int_equal(arena_init(&a, measure.peak), 0);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(bind(&a, &x, &y), 64 + 832);
        assert_int_equal((uintptr_t)x % 64, 0);
        assert_int_equal((unsigned char *)y - x, 64);
        assert_int_equal(a.peak, measure.peak);
        memset(x, 1, 3);
        y[99] = 1;
        arena_reset(&a, 0);
    }
    arena_free(&a);
    arena_free(&measure);
    assert_int_equal(memory_stats().bytes, 0);
}

/* Running out of an arena is our own mistake: it stops at once instead of overrunning. */
static void an_arena_that_runs_out_stops_the_program(void **state)
{
    (void)state;
    static const size_t wanted[][2] = {{65, 1}, {SIZE_MAX, 2}, {SIZE_MAX, 1}, {SIZE_MAX - 70, 1}};
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            struct arena a;
            if (arena_init(&a, 128) < 0)
                _exit(1);
            arena_take(&a, 64, 1);
            arena_take(&a, wanted[i][0], wanted[i][1]);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

static void a_limit_on_memory_is_kept(void **state)
{
    (void)state;
    int64_t now = memory_stats().bytes;
    assert_int_equal(glt_memory_limit(-1), GLT_EARGUMENT);
    assert_int_equal(glt_memory_limit(now + 1000), 0);
    void *a = memory_alloc(600, 1);
    assert_non_null(a);
    assert_null(memory_alloc(500, 1));
    assert_error("MEMORY");
    assert_null(memory_alloc(SIZE_MAX / 2, 1));
    void *b = memory_alloc(300, 1); /* what fits is given */
    assert_non_null(b);
    memory_free(a);
    a = memory_alloc(600, 1);
    assert_non_null(a);
    assert_int_equal(glt_memory_limit(0), 0);
    memory_free(b);
    b = memory_alloc(5000, 1);
    assert_non_null(b);
    memory_free(a);
    memory_free(b);
}

struct counted {
    int taken, given;
};

static void *count_taken(void *user, size_t bytes)
{
    ((struct counted *)user)->taken++;
    void *block = malloc(bytes);
    if (block)
        memset(block, 0x5a, bytes);
    return block;
}

static void count_given(void *user, void *block)
{
    ((struct counted *)user)->given++;
    free(block);
}

static void an_allocator_of_the_caller_gets_every_request(void **state)
{
    (void)state;
    struct counted n = {0};
    struct glt_allocator a = {
        .size = sizeof a, .allocate = count_taken, .release = count_given, .user = &n};
    struct glt_allocator none = {.size = sizeof none};
    char *held = memory_alloc(1, 1);
    assert_int_equal(glt_allocator_set(&a), GLT_EEXISTS); /* it must go back where it came from */
    memory_free(held);
    assert_int_equal(glt_allocator_set(&none), GLT_EARGUMENT);
    assert_int_equal(glt_allocator_set(&a), 0);
    unsigned char *block = memory_alloc(100, 1);
    assert_non_null(block);
    for (int i = 0; i < 100; i++)
        assert_int_equal(block[i], 0);
    assert_int_equal((uintptr_t)block % MEMORY_ALIGNMENT, 0);
    memory_free(block);
    assert_true(n.taken == 1 && n.given == 1);
    assert_int_equal(glt_allocator_set(NULL), 0);
    memory_free(memory_alloc(1, 1));
    assert_true(n.taken == 1 && n.given == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_owner_frees_a_block),
        cmocka_unit_test(an_allocator_of_the_caller_gets_every_request),
        cmocka_unit_test(blocks_are_zeroed_and_aligned),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(a_resized_block_keeps_its_content),
        cmocka_unit_test(statistics_count_blocks_and_bytes),
        cmocka_unit_test(the_nth_request_fails_on_demand),
        cmocka_unit_test(statistics_of_several_threads_add_up),
        cmocka_unit_test(an_arena_gives_back_to_a_mark),
        cmocka_unit_test(an_arena_that_runs_out_stops_the_program),
        cmocka_unit_test(a_limit_on_memory_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
