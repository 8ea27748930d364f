/* The class catalogue: names, labels, and what model files say of it.
 * labels: quick */
#include "cloud/classes.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "errors.h"
#include "io_cloud.h"

static void make(struct classes *c)
{
    static const char *const names[] = {"floor", "Chair", "table"};
    *c = (struct classes){0};
    assert_int_equal(classes_set(c, names, 3), 0);
}

static void free_all(struct classes *c)
{
    classes_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

static void names_match_in_any_case(void **state)
{
    (void)state;
    struct classes c, copy = {0};
    int32_t first, count;
    make(&c);
    assert_int_equal(classes_find(&c, "CHAIR"), 1);
    assert_int_equal(classes_find(&c, "chai"), -1);
    assert_int_equal(classes_add_parts(&c, "mug", 2), 0);
    assert_string_equal(c.names[4], "mug 2");
    assert_int_equal(classes_copy(&copy, &c), 0);
    assert_int_equal(classes_category(&copy, "Mug"), 0);
    classes_range(&first, &count, &copy, 0);
    assert_true(first == 3 && count == 2);
    classes_range(&first, &count, &copy, -1);
    assert_true(first == 0 && count == 5);
    assert_int_equal(classes_check(&copy), 0);
    assert_int_equal(classes_add(&copy, "FLOOR"), 0);
    assert_int_equal(classes_check(&copy), 0);
    assert_int_equal(classes_check_unique(&copy), GLT_EARGUMENT);
    assert_int_equal(classes_add_category(&copy, "MUG", 0, 1), 0);
    assert_int_equal(classes_check(&copy), GLT_EARGUMENT);
    classes_free(&copy);
    free_all(&c);
}

/* A label is a number or a name; the first of equal ones counts. */
static void a_label_is_a_number_or_a_name_and_the_first_of_equals_counts(void **state)
{
    (void)state;
    struct classes c;
    int32_t number;
    make(&c);
    assert_int_equal(classes_add_label(&c, "9", 2), 0);
    assert_int_equal(classes_add_label(&c, "09", 1), 0);
    assert_int_equal(classes_add_label(&c, "Seat", 1), 0);
    assert_int_equal(classes_add_number(&c, 9, 0), 0);
    assert_int_equal(classes_add_number(&c, -7, 0), 0);
    assert_int_equal(classes_add_number(&c, 4, 2), 0);
    assert_int_equal(classes_number(&c, 9), 0);
    assert_int_equal(classes_label(&c, "9"), 0);
    assert_int_equal(classes_label(&c, "09"), 1);
    assert_int_equal(classes_label(&c, "seat"), 2);
    assert_int_equal(classes_label(&c, "sofa"), c.n_labels);
    assert_int_equal(classes_of_number(&c, -7), 0);
    assert_int_equal(classes_of_number(&c, 8), -1);
    assert_true(classes_first_number(&number, &c, 2) && number == 9);
    assert_false(classes_first_number(&number, &c, 1));
    free_all(&c);
}

static int read_classes(struct classes *c, const char *classes)
{
    struct json *all = NULL;
    assert_int_equal(json_parse(&all, "text", classes, strlen(classes)), 0);
    int code = classes_read(c, all, NULL, "m.safetensors");
    json_free(all);
    return code;
}

static void numbers_of_files_come_back(void **state)
{
    (void)state;
    struct classes c, back = {0};
    int32_t number;
    make(&c);
    static const int32_t list[][2] = {{9, 2}, {-7, 0}, {4, 2}, {2, 2}};
    for (int i = 0; i < 4; i++)
        assert_int_equal(classes_add_number(&c, list[i][0], list[i][1]), 0);
    struct json *all = classes_json(&c);
    struct json *numbers = json_get(json_at(all, 2), "numbers");
    assert_int_equal(json_size(numbers), 3); /* the first, the others ascending */
    assert_int_equal(json_integer_value(json_at(numbers, 0)), 9);
    assert_int_equal(json_integer_value(json_at(numbers, 1)), 2);
    assert_int_equal(json_integer_value(json_at(numbers, 2)), 4);
    assert_int_equal(classes_read(&back, all, NULL, "m.safetensors"), 0);
    json_free(all);
    assert_int_equal(back.n_labels, 4);
    assert_int_equal(classes_of_number(&back, 4), 2);
    assert_int_equal(classes_of_number(&back, -7), 0);
    assert_int_equal(classes_of_number(&back, 0), -1);
    assert_true(classes_first_number(&number, &back, 2) && number == 9);
    classes_free(&back);
    free_all(&c);
}

#define CLASS(more) "{\"name\": \"a\", \"color\": [1, 2, 3]" more "}"

static void a_comment_names_a_class_by_a_whole_number(void **state)
{
    (void)state;
    int32_t number = -1;
    const char *name = NULL;
    assert_true(classes_comment(&number, &name, "class 999999999  table top"));
    assert_int_equal(number, 999999999);
    assert_string_equal(name, "table top");
    assert_true(classes_comment(&number, &name, "class 7\ttable"));
    assert_false(classes_comment(&number, &name, "class 12345678901 table"));
    assert_false(classes_comment(&number, &name, "class 7table"));
    assert_false(classes_comment(&number, &name, "class 7 "));
}

static void wrong_class_lists_of_files_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {CLASS(", \"numbers\": [1, 2]") ", " CLASS(", \"numbers\": [2]"), "DUPLICATE"},
        {CLASS(", \"numbers\": [3, 3]"), "DUPLICATE"},
        {CLASS("") ", " CLASS(", \"numbers\": [1.5]"), "CLASSES"},
        {CLASS(", \"numbers\": [\"1\"]"), "CLASSES"},
        {CLASS(", \"numbers\": [4294967296]"), "CLASSES"},
        {CLASS(", \"numbers\": 1"), "CLASSES"},
    };
    struct classes c = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        snprintf(text, sizeof text, "[%s]", bad[i][0]);
        assert_int_equal(read_classes(&c, text), GLT_EMODEL);
        assert_error(bad[i][1]);
        assert_error_file("m.safetensors");
        assert_int_equal(c.n, 0); /* as it was */
    }
    free_all(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_match_in_any_case),
        cmocka_unit_test(a_label_is_a_number_or_a_name_and_the_first_of_equals_counts),
        cmocka_unit_test(numbers_of_files_come_back),
        cmocka_unit_test(a_comment_names_a_class_by_a_whole_number),
        cmocka_unit_test(wrong_class_lists_of_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
