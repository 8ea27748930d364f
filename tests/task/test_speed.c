/* labels: quick
 * Timing: inference holds one cloud at a time, and what no machine has is refused before it is
 * taken. */
#include "errors.h"
#include "settings.h"

static struct glt_config *small(const char *settings)
{
    return settings_config("levels=64,32,16,8 width=4,4,4,4 stem=4 k=4 head_hidden=4 "
                           "decoder=4,4,4,4,4,4,4,4 threads=1",
                           settings);
}

static void many_clouds_take_the_memory_of_one(void **state)
{
    (void)state;
    struct glt_config *c = small("");
    struct glt_speed one = {.size = sizeof one}, many = one;
    assert_int_equal(glt_speed_measure(&one, c, 0, 1, 2000, 1), 0);
    assert_int_equal(glt_speed_measure(&many, c, 0, 16, 2000, 1), 0);
    assert_true(one.bytes > 0 && one.seconds > 0);
    assert_int_equal(many.bytes, one.bytes);
    assert_true(many.flops == 16 * one.flops);
    glt_config_free(c);
}

/* Terabytes; the limit would show a request that was made all the same. */
static void what_needs_too_much_memory_is_refused(void **state)
{
    (void)state;
    struct glt_config *c = small("decoder=4,4,4,4,4,4,1024,1024");
    struct glt_speed s = {.size = sizeof s, .seconds = -1};
    assert_int_equal(glt_memory_limit(1 << 30), 0);
    int code = glt_speed_measure(&s, c, 1, 15, 1 << 24, 1);
    if (code != GLT_ELIMIT)
        fail_msg("%d: %s", code, glt_error_message());
    assert_error("MEMORY");
    assert_int_equal(glt_memory_limit(0), 0);
    assert_true(s.seconds == -1);
    glt_config_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_clouds_take_the_memory_of_one),
        cmocka_unit_test(what_needs_too_much_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
