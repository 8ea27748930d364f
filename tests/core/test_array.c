/* labels: quick
 * The primitives that hold memory of a caller: growing arrays, string builder, call arena. */
#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/string.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void array_keeps_items_and_zeroes_the_rest(void **state)
{
    (void)state;
    int32_t *list = NULL;
    int64_t n = 0;
    for (int32_t i = 0; i < 1000; i++) {
        assert_int_equal(array_reserve(&list, n, 1, sizeof *list), 0);
        assert_int_equal(list[n], 0);
        list[n++] = i + 1;
    }
    for (int32_t i = 0; i < 1000; i++)
        assert_int_equal(list[i], i + 1);
    int64_t capacity = (int64_t)(memory_size(list) / sizeof *list),
            before = memory_stats().requests;
    assert_in_range(capacity, 1000, 1600); /* grows by half */
    assert_int_equal(array_reserve(&list, n, capacity - n, sizeof *list), 0);
    assert_int_equal(memory_stats().requests, before);
    assert_int_equal(array_reserve(&list, n, 5000, sizeof *list), 0);
    assert_int_equal(memory_size(list), 6000 * sizeof *list);
    memory_free(list);
}

static void array_stays_as_it_was_when_it_cannot_grow(void **state)
{
    (void)state;
    double *list = NULL;
    assert_int_equal(array_reserve(&list, 0, 1, sizeof *list), 0);
    double *old = list;
    list[0] = 3;
    memory_fail(1, false);
    assert_int_equal(array_reserve(&list, 16, 1, sizeof *list), GLT_ENOMEM);
    memory_fail(0, false);
    assert_int_equal(array_reserve(&list, INT64_MAX, 1, sizeof *list), GLT_ENOMEM);
    assert_int_equal(array_reserve(&list, 1, -2, sizeof *list), GLT_ENOMEM);
    assert_int_equal(array_reserve(&list, 1, INT64_MAX / 2, sizeof *list), GLT_ENOMEM);
    assert_true(list == old && list[0] == 3);
    memory_free(list);
}

static void string_grows_piece_by_piece(void **state)
{
    (void)state;
    struct string s = {0};
    char *text = NULL;
    for (int i = 0; i < 500; i++) {
        string_add(&s, "%d,", i);
        string_add_bytes(&s, "xyz", 1);
    }
    assert_int_equal(strlen(s.bytes), s.len);
    assert_int_equal(string_take(&text, &s), 0);
    assert_memory_equal(text, "0,x1,x2,x", 9);
    assert_string_equal(text + strlen(text) - 5, "499,x");
    assert_null(s.bytes);
    memory_free(text);
    assert_int_equal(string_take(&text, &s), 0); /* nothing added: empty */
    assert_string_equal(text, "");
    memory_free(text);
}

static void string_keeps_its_first_failure(void **state)
{
    (void)state;
    struct string s = {0};
    char *text = NULL;
    string_add(&s, "kept");
    memory_fail(1, false);
    string_add(&s, "%100s", "");
    memory_fail(0, false);
    string_add(&s, "more");
    assert_string_equal(s.bytes, "kept");
    assert_int_equal(string_take(&text, &s), GLT_ENOMEM);
    assert_null(text);
}

/* printf itself fails: without memory for a wide field, or at a character the locale has not. */
static void text_that_cannot_be_printed_is_a_failure(void **state)
{
    (void)state;
    struct string s = {0};
    struct call c = {0};
    char *text = NULL;
    string_add(&s, "before %ls", L"\x20ac");
    assert_int_equal(string_take(&text, &s), GLT_ENOMEM);
    assert_null(text);
    assert_null(call_print(&c, "%ls", L"\x20ac"));
    assert_int_equal(glt_error_code(), GLT_ENOMEM);
    call_free(&c);
}

static void call_frees_everything_at_once(void **state)
{
    (void)state;
    struct call call = {0};
    int64_t before = memory_stats().bytes;
    for (size_t i = 0; i < 100; i++) {
        unsigned char *block = call_alloc(&call, i, 3);
        assert_non_null(block);
        for (size_t b = 0; b < 3 * i; b++)
            assert_int_equal(block[b], 0);
        memset(block, 0xee, 3 * i);
    }
    assert_string_equal(call_string(&call, "copy"), "copy");
    assert_string_equal(call_print(&call, "%s_%03d", "frame", 7), "frame_007");
    int64_t mark = call_mark(&call), bytes = memory_stats().bytes;
    for (int round = 0; round < 3; round++) {
        assert_non_null(call_alloc(&call, 1000, 1));
        assert_non_null(call_string(&call, "of one round"));
        call_reset(&call, mark);
        assert_int_equal(memory_stats().bytes, bytes);
    }
    char *given = memory_string("given");
    assert_ptr_equal(call_keep(&call, given), given);
    assert_null(call_keep(&call, NULL));
    assert_null(call_alloc(&call, SIZE_MAX, 2));
    call_free(&call);
    assert_int_equal(memory_stats().bytes, before);
    call_free(&call); /* again, and empty */
}

static void call_loses_nothing_when_memory_ends(void **state)
{
    (void)state;
    int64_t before = memory_stats().bytes;
    for (int64_t nth = 1; nth <= 6; nth++) {
        struct call call = {0};
        memory_fail(nth, false);
        bool all = call_alloc(&call, 10, 1) && call_string(&call, "a") &&
                   call_print(&call, "%d", 1) && call_keep(&call, memory_string("b"));
        memory_fail(0, false);
        assert_int_equal(all, nth == 6); /* four blocks and the list of them */
        call_free(&call);
        assert_int_equal(memory_stats().bytes, before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_keeps_items_and_zeroes_the_rest),
        cmocka_unit_test(array_stays_as_it_was_when_it_cannot_grow),
        cmocka_unit_test(string_grows_piece_by_piece),
        cmocka_unit_test(string_keeps_its_first_failure),
        cmocka_unit_test(text_that_cannot_be_printed_is_a_failure),
        cmocka_unit_test(call_frees_everything_at_once),
        cmocka_unit_test(call_loses_nothing_when_memory_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
