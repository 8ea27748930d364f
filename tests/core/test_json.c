/* labels: quick
 * JSON: whole values, bounded size and depth, places in messages, members with types. */
#include "core/error.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/memory.h"
#include "faults.h"
#include "own_file.h"

#include <math.h>

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    if (json_parse(&value, "text", text, strlen(text)) < 0)
        fail_msg("%s", glt_error_message());
    return value;
}

static void refuse(const char *text, int code, const char *part)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(&value, "text", text, strlen(text)), code);
    assert_null(value);
    if (!strstr(glt_error_message(), part))
        fail_msg("\"%s\" should name \"%s\"", glt_error_message(), part);
}

static void test_refused(void **state)
{
    (void)state;
    refuse("", GLT_EFORMAT, "text: line 1");
    refuse("{\"a\": 1,\n\"b\": }", GLT_EFORMAT, "line 2");
    refuse("{\"a\": 1, \"a\": 2}", GLT_EFORMAT, "duplicate");
    refuse("{} x", GLT_EFORMAT, "end of file expected");
    refuse("[1e999]", GLT_EFORMAT, "overflow");
    refuse("[\"\xff\"]", GLT_EFORMAT, "byte");
    refuse("\"\\u0000\"", GLT_EFORMAT, "\\u0000");
    json_t *value = NULL;
    assert_int_equal(json_parse(&value, "text", "[1\0]", 4), GLT_EFORMAT);
    char *large = memory_alloc(JSON_MOST + 1, 1);
    memset(large, ' ', JSON_MOST + 1);
    assert_int_equal(json_parse(&value, "text", large, JSON_MOST + 1), GLT_ELIMIT);
    memory_free(large);
}

static void test_depth(void **state)
{
    (void)state;
    char text[1000] = {0};
    memset(text, '[', JSON_DEPTH_MOST);
    memset(text + JSON_DEPTH_MOST, ']', JSON_DEPTH_MOST);
    json_decref(parse(text));
    memset(text, '[', JSON_DEPTH_MOST + 1);
    memset(text + JSON_DEPTH_MOST + 1, ']', JSON_DEPTH_MOST + 1);
    refuse(text, GLT_ELIMIT, "byte 64");
    json_decref(
        parse("\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[\""));
}

static void test_members(void **state)
{
    (void)state;
    json_t *object = parse("{\"s\": \"text\", \"i\": 5, \"r\": 0.1, \"l\": [1, 2], \"b\": true}");
    json_t *value = NULL;
    const char *string = NULL;
    int64_t number = 0;
    assert_int_equal(json_want(&value, "text", object, "l", JSON_ARRAY), 0);
    assert_int_equal(json_array_size(value), 2);
    assert_int_equal(json_want_string(&string, "text", object, "s"), 0);
    assert_string_equal(string, "text");
    assert_int_equal(json_want_int(&number, "text", object, "i", 0, 5), 0);
    assert_int_equal(number, 5);
    assert_int_equal(json_want_int(&number, "text", object, "i", 6, 9), GLT_EFORMAT);
    assert_string_equal(glt_error_message(), "text: \"i\" is 5, but 6 to 9 is expected");
    assert_int_equal(json_want_int(&number, "text", object, "s", 6, 9), GLT_EFORMAT);
    assert_string_equal(glt_error_message(),
                        "text: \"s\" is a string, but a whole number is expected");
    assert_int_equal(json_want_string(&string, "text", object, "x"), GLT_EFORMAT);
    assert_non_null(strstr(glt_error_message(), "\"x\" is missing"));
    assert_int_equal(json_want_string(&string, "text", value, "x"), GLT_EFORMAT);
    json_decref(object);
}

static int print_again(void *user)
{
    char *text;
    size_t len;
    TRY(json_print(&text, &len, user));
    bool same =
        strcmp(text, "{\"z\":[1,-2.5,0.10000000000000001],\"a\":{\"k\":\"\\n\"},\"n\":null}") == 0;
    bool whole = len == strlen(text);
    memory_free(text);
    return same && whole ? 0 : GLT_EFORMAT;
}

static void test_print(void **state)
{
    (void)state;
    json_t *value = parse("{\"z\": [1, -2.5, 0.1], \"a\": {\"k\": \"\\n\"}, \"n\": null}");
    assert_int_equal(print_again(value), 0);
    assert_true(faults_memory(print_again, value) > 0);
    json_decref(value);
}

static void test_read(void **state)
{
    (void)state;
    json_t *value = NULL;
    assert_int_equal(json_read(&value, "/nowhere/a.json", JSON_OBJECT), GLT_EIO);
    assert_int_equal(file_put(path, "[1]", 3), 0);
    assert_int_equal(json_read(&value, path, JSON_OBJECT), GLT_EFORMAT);
    assert_non_null(strstr(glt_error_message(), "a list, but an object is expected"));
    assert_null(value);
    assert_int_equal(json_read(&value, path, JSON_ARRAY), 0);
    assert_int_equal(json_array_size(value), 1);
    json_decref(value);
}

static void test_finite(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++)
        assert_true(json_is_null(json_finite(odd[i])));
    json_t *value = json_finite(-2.5);
    assert_true(json_is_real(value) && json_real_value(value) == -2.5);
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_members), cmocka_unit_test(test_print),
        cmocka_unit_test(test_finite),  cmocka_unit_test(test_read),
    };
    return cmocka_run_group_tests(tests, path_make, NULL);
}
