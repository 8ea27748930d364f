/* labels: quick
 * JSON: whole values, bounded size and depth, places in messages, members with types. */
#include "core/error.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "errors.h"
#include "faults.h"
#include "own_file.h"

#include <math.h>

static struct json *parse(const char *text)
{
    struct json *value = NULL;
    if (json_parse(&value, "text", text, strlen(text)) < 0)
        fail_msg("%s", glt_error_message());
    return value;
}

static void refuse(const char *text, int code, const char *part)
{
    struct json *value = NULL;
    assert_int_equal(json_parse(&value, "text", text, strlen(text)), code);
    assert_null(value);
    assert_error(part);
}

static void wrong_json_is_refused(void **state)
{
    (void)state;
    refuse("", GLT_EFORMAT, "SYNTAX line 1");
    refuse("{\"a\": 1,\n\"b\": }", GLT_EFORMAT, "SYNTAX line 2");
    refuse("{\"a\": 1, \"a\": 2}", GLT_EFORMAT, "SYNTAX line 1");
    refuse("{} x", GLT_EFORMAT, "SYNTAX line 1");
    refuse("[1e999]", GLT_EFORMAT, "SYNTAX line 1");
    refuse("[\"\xff\"]", GLT_EFORMAT, "SYNTAX line 1");
    refuse("\"\\u0000\"", GLT_EFORMAT, "SYNTAX line 1");
    struct json *value = NULL;
    assert_int_equal(json_parse(&value, "text", "[1\0]", 4), GLT_EFORMAT);
    char *large = memory_alloc(JSON_MAX + 1, 1);
    memset(large, ' ', JSON_MAX + 1);
    large[0] = '1';
    assert_int_equal(json_parse(&value, "text", large, JSON_MAX + 1), GLT_ELIMIT);
    assert_error("SIZE_LIMIT");
    assert_int_equal(json_parse(&value, "text", large, JSON_MAX), 0);
    json_free(value);
    value = NULL;
    memset(large, ',', 2 * JSON_VALUES_MAX + 1); /* a list and one value more than it may hold */
    large[0] = '[';
    for (size_t i = 1; i < 2 * JSON_VALUES_MAX + 1; i += 2)
        large[i] = '1';
    large[2 * JSON_VALUES_MAX] = ']';
    assert_int_equal(json_parse(&value, "text", large, 2 * JSON_VALUES_MAX + 1), GLT_ELIMIT);
    assert_error("SIZE_LIMIT");
    large[2 * JSON_VALUES_MAX - 2] = ']';
    assert_int_equal(json_parse(&value, "text", large, 2 * JSON_VALUES_MAX - 1), 0);
    assert_int_equal(json_size(value), JSON_VALUES_MAX - 1);
    json_free(value);
    memory_free(large);
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    char text[1000] = {0};
    memset(text, '[', JSON_DEPTH_MAX);
    memset(text + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
    json_free(parse(text));
    memset(text, '[', JSON_DEPTH_MAX + 1);
    memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
    refuse(text, GLT_ELIMIT, "SIZE_LIMIT byte 64");
    memset(text, ' ', sizeof text - 1); /* beside each other they may be as many as they like */
    text[0] = '[';
    for (int i = 0; i < 2 * JSON_DEPTH_MAX; i++)
        memcpy(text + 1 + 3 * i, "[],", 3);
    text[6 * JSON_DEPTH_MAX] = ']';
    json_free(parse(text));
    json_free(
        parse("\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[\""));
}

static void members_are_found_and_checked(void **state)
{
    (void)state;
    struct json *object =
        parse("{\"s\": \"text\", \"i\": 5, \"r\": 0.1, \"l\": [1, 2], \"b\": true}");
    struct json *value = NULL;
    const char *string = NULL;
    int64_t number = 0;
    assert_int_equal(json_want(&value, "text", object, "l", JSON_ARRAY), 0);
    assert_int_equal(json_size(value), 2);
    assert_int_equal(json_want_string(&string, "text", object, "s"), 0);
    assert_string_equal(string, "text");
    assert_int_equal(json_want_int(&number, "text", object, "i", 0, 5), 0);
    assert_int_equal(number, 5);
    assert_int_equal(json_want_int(&number, "text", object, "i", 6, 9), GLT_EFORMAT);
    assert_error("VALUE i");
    assert_int_equal(json_want_int(&number, "text", object, "s", 6, 9), GLT_EFORMAT);
    assert_error("VALUE s");
    assert_int_equal(json_want_string(&string, "text", object, "x"), GLT_EFORMAT);
    assert_error("MISSING x");
    assert_int_equal(json_want_string(&string, "text", value, "x"), GLT_EFORMAT);
    json_free(object);
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

static void printed_json_is_read_back(void **state)
{
    (void)state;
    struct json *value = parse("{\"z\": [1, -2.5, 0.1], \"a\": {\"k\": \"\\n\"}, \"n\": null}");
    assert_int_equal(print_again(value), 0);
    assert_true(faults_memory(print_again, value) > 0);
    json_free(value);
}

static void a_json_file_is_read(void **state)
{
    (void)state;
    struct json *value = NULL;
    assert_int_equal(json_parse_file(&value, "/nowhere/a.json", JSON_OBJECT), GLT_EIO);
    assert_int_equal(file_put(path, "[1]", 3), 0);
    assert_int_equal(json_parse_file(&value, path, JSON_OBJECT), GLT_EFORMAT);
    assert_error("SYNTAX");
    assert_null(value);
    assert_int_equal(json_parse_file(&value, path, JSON_ARRAY), 0);
    assert_int_equal(json_size(value), 1);
    json_free(value);
}

static void numbers_that_are_not_finite_become_null(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        struct json *null = json_finite(odd[i]);
        assert_true(json_is(null, JSON_NULL));
        json_free(null);
    }
    struct json *value = json_finite(-2.5);
    assert_true(json_is(value, JSON_REAL) && json_number_value(value) == -2.5);
    json_free(value);
}

static void texts_of_every_kind_come_back_as_they_were(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[1,-2,9223372036854775807,-9223372036854775808,0]",
        "[0.5,1e20,1e-5,-2.5,5.0,1.7976931348623157e308,5e-324]",
        "[true,false,null,{},[],\"\"]",
        "{\"b\":{\"c\":[1,[2,[3]]]},\"a\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001/\"}",
        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct json *value = parse(texts[i]), *copy = json_copy(value);
        char *text;
        size_t len;
        assert_int_equal(json_print(&text, &len, copy), 0);
        assert_string_equal(text, strcmp(texts[i] + 1, "0.5,1e20,1e-5,-2.5,5.0,"
                                                       "1.7976931348623157e308,5e-324]")
                                      ? texts[i]
                                      : "[0.5,1e20,1.0000000000000001e-5,-2.5,5.0,"
                                        "1.7976931348623157e308,4.9406564584124654e-324]");
        assert_true(json_equal(value, copy));
        memory_free(text);
        json_free(value);
        json_free(copy);
    }
    struct json *value = parse("\"\\u00e9\\u20AC\\ud83d\\ude00\\/\"");
    assert_string_equal(json_string_value(value), "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80/");
    json_free(value);
    value = parse(
        "\"\\u0001\\u007F\\u0080\\u07ff\\u0800\\ud7ff\\ue000\\uFfFf\\ud800\\udc00\\udbff\\udfff\"");
    assert_string_equal(json_string_value(value),
                        "\x01\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"
                        "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
    json_free(value);
    value = parse("\t{\r\n \"a\"\t: \n[ -0 ,1E5\r, 1e+2, 10 ]\n}\t");
    assert_int_equal(json_size(json_get(value, "a")), 4);
    assert_true(json_number_value(json_at(json_get(value, "a"), 1)) == 1e5);
    assert_true(json_number_value(json_at(json_get(value, "a"), 2)) == 100);
    json_free(value);
    assert_int_equal(memory_stats().bytes, 0);
}

static void what_rfc_8259_forbids_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "-",
        "nan",
        "Infinity",
        "0x1",
        "1 2",
        "[1,]",
        "[,1]",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "[1",
        "{\"a\":1",
        "\"a",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\\ud800\\udbff\"",
        "\"\\ud800\\ue000\"",
        "\"\\udfff\"",
        "\"\\ud83d\\",
        "\"\\u00g0\"",
        "\"\\u00G0\"",
        "\"\\u00@0\"",
        "\"\x1f\"",
        "-01",
        "00",
        "1e+",
        "1.e5",
        "[1 2]",
        "{\"a\":1 \"b\":2}",
        "truE",
        "\"\n\"",
        "tru",
        "\"\xc0\xaf\"",
        "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"",
        "9223372036854775808",
        "1e400",
        "\"\\",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refuse(texts[i], GLT_EFORMAT, "SYNTAX line 1");
    assert_int_equal(memory_stats().bytes, 0);
}

static void members_are_set_replaced_and_removed(void **state)
{
    (void)state;
    struct json *x = parse("{\"b\":1,\"a\":2}");
    assert_int_equal(json_set(x, "c", json_boolean(true)), 0);
    assert_int_equal(
        json_set(x, "a", json_pack("[i, f, s, b, {s:I}]", 3, 0.5, "t", 0, "k", (int64_t)1 << 40)),
        0);
    json_remove(x, "b");
    json_remove(x, "nowhere");
    char *text;
    size_t len;
    assert_int_equal(json_print(&text, &len, x), 0);
    assert_string_equal(text, "{\"a\":[3,0.5,\"t\",false,{\"k\":1099511627776}],\"c\":true}");
    memory_free(text);
    assert_null(json_get(x, "b"));
    assert_null(json_at(x, 2));
    assert_string_equal(json_key(x, 1), "c");
    json_free(x);
    assert_int_equal(memory_stats().bytes, 0);
}

static void what_json_cannot_hold_is_reported_when_it_is_printed(void **state)
{
    (void)state;
    struct json *odd[] = {json_string("\xff"), json_real(NAN), json_string(NULL)};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct json *x = json_pack("{s:[o]}", "a", odd[i]);
        char *text = NULL;
        size_t len;
        assert_int_equal(json_print(&text, &len, x), GLT_EARGUMENT);
        assert_null(text);
        json_free(x);
    }
    assert_int_equal(json_append(NULL, json_null()), GLT_ENOMEM);
    assert_int_equal(memory_stats().bytes, 0);
}

static int build_and_parse(void *user)
{
    (void)user;
    struct json *x = json_pack("{s:s, s:[i, i], s:{s:f}}", "a", "text", "b", 1, 2, "c", "d", 0.5);
    json_set(x, "e", json_copy(json_get(x, "b")));
    char *text = NULL;
    size_t len;
    int code = json_print(&text, &len, x);
    json_free(x);
    struct json *again = NULL;
    if (code == 0)
        code = json_parse(&again, "again", text, len);
    memory_free(text);
    json_free(again);
    return code;
}

static void what_fails_late_and_deep_in_a_tree_is_reported(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len;
    struct json *inner = json_array(), *root = json_pack("{s:[o]}", "list", inner);
    json_append(inner, json_string("good"));
    assert_int_equal(json_check(root), 0);
    json_append(inner, json_string("\xff"));
    assert_int_equal(json_print(&text, &len, root), GLT_EARGUMENT);
    json_append(inner, NULL);
    assert_int_equal(json_print(&text, &len, root), GLT_ENOMEM);
    assert_null(text);
    json_free(root);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    assert_true(faults_memory(build_and_parse, NULL) > 30);
}

/* A hundred thousand keys, in time that grows with their number and not its square. */
static void large_objects_are_searched_fast(void **state)
{
    (void)state;
    enum { KEYS = 100000 };
    char *text = memory_alloc(KEYS, 24);
    size_t len = 0;
    for (int i = 0; i < KEYS; i++)
        len += (size_t)snprintf(text + len, 24, "%s\"key %d\":%d", i ? "," : "{", i, i);
    text[len++] = '}';
    struct json *x = NULL;
    assert_int_equal(json_parse(&x, "text", text, len), 0);
    for (int i = 0; i < KEYS; i++) {
        char key[24];
        snprintf(key, sizeof key, "key %d", i);
        assert_int_equal(json_integer_value(json_get(x, key)), i);
    }
    json_free(x);
    memory_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_json_is_refused),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(members_are_found_and_checked),
        cmocka_unit_test(printed_json_is_read_back),
        cmocka_unit_test(numbers_that_are_not_finite_become_null),
        cmocka_unit_test(a_json_file_is_read),
        cmocka_unit_test(texts_of_every_kind_come_back_as_they_were),
        cmocka_unit_test(what_rfc_8259_forbids_is_refused),
        cmocka_unit_test(members_are_set_replaced_and_removed),
        cmocka_unit_test(what_json_cannot_hold_is_reported_when_it_is_printed),
        cmocka_unit_test(what_fails_late_and_deep_in_a_tree_is_reported),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(large_objects_are_searched_fast),
    };
    return cmocka_run_group_tests(tests, path_make, NULL);
}
