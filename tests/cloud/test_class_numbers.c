/* Numbers of classes in model files: kept, and checked when they are read.
 * labels: quick */
#include "io_cloud.h"
#include "model/class_numbers.h"
#include "model/model_file.h"
#include "settings.h"

static struct model *make_model(void)
{
    return (struct model *)settings_glt_model(
        "points=256 levels=128,64,16,8 width=8 stem=8 k=8 decoder=16,16,12,12,8,8,8,8 "
        "head_hidden=8 cls_hidden=16",
        "inputs=xyz", 3);
}

static void test_kept(void **state)
{
    (void)state;
    static const struct class_number list[] = {{9, 2, 0}, {-7, 0, 0}, {2, 2, 0}, {1, 1, 0}};
    struct model *m = make_model(), *back = NULL;
    assert_int_equal(model_number_class(m, 1), -1);
    assert_int_equal(model_set_numbers(m, list, 4), 0);
    assert_int_equal(model_save(m, scratch("m.safetensors"), false, NULL, 0, NULL), 0);
    assert_int_equal(model_load(&back, scratch("m.safetensors")), 0);
    assert_int_equal(back->n_numbers, 4);
    assert_int_equal(model_number_class(back, 9), 2);
    assert_int_equal(model_number_class(back, 2), 2);
    assert_int_equal(model_number_class(back, 1), 1);
    assert_int_equal(model_number_class(back, -7), 0);
    assert_int_equal(model_number_class(back, 0), -1);
    json_t *numbers = numbers_json(back, 2); /* the first stays the first */
    assert_int_equal(json_integer_value(json_array_get(numbers, 0)), 9);
    assert_int_equal(json_integer_value(json_array_get(numbers, 1)), 2);
    json_decref(numbers);
    assert_int_equal(model_set_numbers(back, NULL, 0), 0);
    assert_int_equal(model_number_class(back, 9), -1);
    model_free(m);
    model_free(back);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"[{\"numbers\": [1, 2]}, {\"numbers\": [2]}]", "2 is given twice"},
        {"[{\"numbers\": [3, 3]}]", "3 is given twice"},
        {"[{}, {\"numbers\": [1.5]}]", "class 1: its numbers are not whole"},
        {"[{\"numbers\": [\"1\"]}]", "class 0: its numbers are not whole"},
        {"[{\"numbers\": [4294967296]}]", "class 0: its numbers are not whole"},
        {"[{\"numbers\": 1}]", "class 0: its numbers are no list"},
        {"[{}, {}, {}, {\"numbers\": [1]}]", "no class 3"},
    };
    static const struct class_number one = {5, 1, 0};
    struct model *m = make_model();
    assert_int_equal(model_set_numbers(m, &one, 1), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *classes = NULL;
        assert_int_equal(json_parse(&classes, "text", bad[i][0], strlen(bad[i][0])), 0);
        assert_int_equal(numbers_read(m, classes, "m.safetensors"), GLT_EMODEL);
        if (!strstr(glt_error_message(), bad[i][1]) ||
            !strstr(glt_error_message(), "m.safetensors"))
            fail_msg("%s: %s", bad[i][1], glt_error_message());
        assert_int_equal(model_number_class(m, 5), 1); /* as it was */
        json_decref(classes);
    }
    model_free(m);
    assert_int_equal(memory_stats().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clear);
}
