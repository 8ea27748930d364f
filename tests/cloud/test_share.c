/* Clouds that share values, attributes that are removed, names of classes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cloud/cloud.h"
#include "core/memory.h"

#include <string.h>

static const float xyz[6] = {0, 1, 2, 3, 4, 5};
static const uint8_t label[2] = {7, 9};

static struct glt_cloud *make(void)
{
    static const char *const names[] = {"x", "y", "z"};
    struct glt_cloud *c = NULL;
    assert_int_equal(glt_cloud_create(&c, 2), 0);
    for (int d = 0; d < 3; d++)
        assert_int_equal(glt_cloud_borrow(c, names[d], GLT_F32, xyz + d, 3 * sizeof *xyz), 0);
    assert_int_equal(glt_cloud_set(c, "label", GLT_U8, label, 0), 0);
    assert_int_equal(glt_cloud_set_class(c, 7, "table"), 0);
    assert_int_equal(cloud_set_note(c, "key", "value", 5), 0);
    return c;
}

static struct glt_column column_of(const struct glt_cloud *c, const char *name)
{
    struct glt_column x = {.size = sizeof x};
    assert_int_equal(glt_cloud_column(c, name, &x), 0);
    return x;
}

static void a_shared_cloud_has_the_values_and_no_copy_of_them(void **state)
{
    (void)state;
    struct glt_cloud *c = make(), *s = NULL;
    assert_int_equal(glt_cloud_share(&s, c), 0);
    assert_ptr_equal(column_of(s, "label").data, column_of(c, "label").data);
    assert_ptr_equal(column_of(s, "y").data, xyz + 1);
    assert_int_equal(column_of(s, "y").stride, 12);
    assert_string_equal(cloud_note(s, "key")->bytes, "value");
    const char *name = NULL;
    int32_t number = 0;
    assert_int_equal(glt_cloud_class(s, 0, &number, &name), 0);
    assert_int_equal(number, 7);
    assert_string_equal(name, "table");
    glt_cloud_free(s);
    glt_cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

static void a_change_of_a_shared_cloud_leaves_the_other_alone(void **state)
{
    (void)state;
    static const uint8_t other[2] = {1, 2};
    struct glt_cloud *c = make(), *s = NULL;
    assert_int_equal(glt_cloud_share(&s, c), 0);
    assert_int_equal(glt_cloud_set(s, "label", GLT_U8, other, 0), 0);
    assert_int_equal(glt_cloud_remove(s, "x"), 0);
    assert_int_equal(glt_cloud_set_class(s, 7, NULL), 0);
    assert_memory_equal(column_of(c, "label").data, label, 2);
    assert_memory_equal(column_of(s, "label").data, other, 2);
    assert_ptr_equal(column_of(c, "x").data, xyz);
    assert_int_equal(glt_cloud_class(c, 0, NULL, NULL), 0);
    assert_int_equal(glt_cloud_class(s, 0, NULL, NULL), GLT_EARGUMENT);
    glt_cloud_free(s);
    glt_cloud_free(c);
}

static void sharing_without_memory_fails_and_leaks_nothing(void **state)
{
    (void)state;
    struct glt_cloud *c = make(), *s = NULL;
    int64_t alive = memory_stats().bytes;
    int code = GLT_ENOMEM;
    for (int n = 1; code == GLT_ENOMEM; n++) {
        memory_fail(n, false);
        code = glt_cloud_share(&s, c);
        memory_fail(0, false);
        if (code < 0)
            assert_int_equal(memory_stats().bytes, alive);
        assert_true(n < 100);
    }
    assert_int_equal(code, 0);
    glt_cloud_free(s);
    glt_cloud_free(c);
}

static void an_attribute_is_removed_once(void **state)
{
    (void)state;
    struct glt_cloud *c = make();
    assert_int_equal(glt_cloud_remove(c, "label"), 0);
    assert_int_equal(glt_cloud_remove(c, "label"), GLT_EDATA);
    assert_int_equal(glt_error_topic(), GLT_TOPIC_ATTRIBUTE);
    assert_string_equal(glt_error_name(), "label");
    glt_cloud_free(c);
}

static void classes_get_names_and_lose_them(void **state)
{
    (void)state;
    struct glt_cloud *c = make();
    const char *name = NULL;
    int32_t number = 0;
    assert_int_equal(glt_cloud_set_class(c, 9, "chair"), 0);
    assert_int_equal(glt_cloud_set_class(c, 7, "desk"), 0);
    assert_int_equal(glt_cloud_class(c, 1, &number, &name), 0);
    assert_int_equal(number, 7);
    assert_string_equal(name, "desk");
    assert_int_equal(glt_cloud_set_class(c, 9, NULL), 0);
    assert_int_equal(glt_cloud_class(c, 1, &number, &name), GLT_EARGUMENT);
    assert_int_equal(glt_cloud_set_class(c, -1, "a"), GLT_EARGUMENT);
    static const char *const bad[] = {"", " blank", "new\nline", "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(glt_cloud_set_class(c, 1, bad[i]), GLT_EARGUMENT);
        assert_int_equal(glt_error_topic(), GLT_TOPIC_CLASSES);
    }
    glt_cloud_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_cloud_has_the_values_and_no_copy_of_them),
        cmocka_unit_test(a_change_of_a_shared_cloud_leaves_the_other_alone),
        cmocka_unit_test(sharing_without_memory_fails_and_leaks_nothing),
        cmocka_unit_test(an_attribute_is_removed_once),
        cmocka_unit_test(classes_get_names_and_lose_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
