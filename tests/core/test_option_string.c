/* labels: quick
 * Option strings and the lists in them. */
#include "core/error.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "core/string.h"
#include "errors.h"
#include "made_locale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

static struct values {
    bool flag;
    int number;
    int64_t large;
    uint64_t seed;
    double real;
    const char *text;
} v;

static const struct option_field table[] = {
    {"flag", FIELD_FLAG, &v.flag, 0, 0},      {"number", FIELD_INT, &v.number, -3, 7},
    {"large", FIELD_INT64, &v.large, 0, 0},   {"seed", FIELD_SEED, &v.seed, 0, 0},
    {"real", FIELD_REAL, &v.real, 0.5, 1000}, {"text", FIELD_TEXT, &v.text, 0, 0},
};

static int read_text(struct call *call, const char *text)
{
    v = (struct values){0};
    return option_string_read(call, text, table, sizeof table / sizeof *table);
}

static void every_kind_of_field_is_read(void **state)
{
    (void)state;
    struct call call = {0};
    assert_int_equal(read_text(&call, NULL), 0);
    assert_int_equal(read_text(&call, " \t"), 0);
    assert_int_equal(read_text(&call,
                               " flag number=-3\tlarge=9000000000 seed=18446744073709551615\n"
                               "real=1e2 text=a=b,c "),
                     0);
    assert_true(v.flag && v.number == -3 && v.large == 9000000000 && v.seed == UINT64_MAX);
    assert_true(v.real == 100);
    assert_string_equal(v.text, "a=b,c");
    assert_int_equal(read_text(&call, "number=1 text=a\\ \\\\\\b\\\tc flag"), 0);
    assert_true(v.flag && v.number == 1);
    assert_string_equal(v.text, "a \\b\tc");
    assert_int_equal(read_text(&call, "text=a\\"), 0); /* with nothing to escape */
    assert_string_equal(v.text, "a\\");
    assert_int_equal(read_text(&call, "flag=true"), 0);
    assert_true(v.flag);
    assert_int_equal(read_text(&call, "flag flag=false"), 0);
    assert_false(v.flag);
    call_free(&call);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"flag=yes", "OPTION flag"},       {"number=8", "OPTION number"},
        {"number=1.5", "OPTION number"},   {"number=", "OPTION number"},
        {"number", "OPTION number"},       {"large=x", "OPTION large"},
        {"seed=-1", "OPTION seed"},        {"real=0.4", "OPTION real"},
        {"real=nan", "OPTION real"},       {"numbr=1", "UNKNOWN_OPTION numbr"},
        {"other", "UNKNOWN_OPTION other"},
    };
    struct call call = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(read_text(&call, wrong[i][0]), GLT_EARGUMENT);
        assert_error(wrong[i][1]);
    }
    memory_fail(1, false);
    assert_int_equal(read_text(&call, "flag"), GLT_ENOMEM);
    memory_fail(0, false);
    call_free(&call);
}

/* The items with bars between them. */
static const char *joined(const char *list)
{
    static char text[64];
    size_t at = 0, len;
    for (const char *item; (item = option_string_item(&list, &len, ','));) {
        memcpy(text + at, item, len);
        at += len;
        text[at++] = '|';
    }
    text[at] = 0;
    return text;
}

static void lists_are_cut_into_items(void **state)
{
    (void)state;
    assert_string_equal(joined(NULL), "");
    assert_string_equal(joined(""), "|");
    assert_string_equal(joined("one"), "one|");
    assert_string_equal(joined("a,bc,,d"), "a|bc||d|");
    assert_string_equal(joined("a,"), "a||");
    assert_string_equal(joined(","), "||");
}

static void lists_of_numbers_are_counted(void **state)
{
    (void)state;
    double x[3];
    assert_int_equal(option_string_numbers(x, 3, "1,2.5,-3e1"), 3);
    assert_true(x[0] == 1 && x[1] == 2.5 && x[2] == -30);
    assert_int_equal(option_string_numbers(x, 3, "7"), 1);
    assert_int_equal(option_string_numbers(x, 3, ""), -1);
    assert_int_equal(option_string_numbers(x, 3, NULL), 0);
    assert_int_equal(option_string_numbers(x, 3, "1,2,3,4"), -1);
    assert_int_equal(option_string_numbers(x, 3, "1,,2"), -1);
    assert_int_equal(option_string_numbers(x, 3, "1;2"), -1);
}

static void pairs_are_cut_at_the_first_equals_sign(void **state)
{
    (void)state;
    char key[OPTION_STRING_KEY];
    const char *value;
    assert_true(option_string_pair(key, &value, "a.b=c=d"));
    assert_string_equal(key, "a.b");
    assert_string_equal(value, "c=d");
    assert_true(option_string_pair(key, &value, "a="));
    assert_string_equal(value, "");
    char longer[80] = "";
    memset(longer, 'x', 64);
    longer[64] = '=';
    assert_false(option_string_pair(key, &value, longer));
    assert_true(option_string_pair(key, &value, longer + 1));
    assert_false(option_string_pair(key, &value, "a"));
    assert_false(option_string_pair(key, &value, "=a"));
}

/* In any locale: the text goes into files. */
static void what_is_printed_reads_back_as_it_was(void **state)
{
    (void)state;
    struct call call = {0};
    struct string text = {0};
    const double third = 1000.0 / 3;
    v = (struct values){
        .flag = true, .number = -3, .seed = UINT64_MAX, .real = third, .text = " a\\ \\\n"};
    comma_locale_enter();
    option_string_print(&text, table, sizeof table / sizeof *table, " number ");
    made_locale_leave();
    assert_int_equal(read_text(&call, text.bytes), 0);
    assert_true(v.flag && v.number == 0 && v.seed == UINT64_MAX && v.real == third);
    assert_string_equal(v.text, " a\\ \\\n");
    string_free(&text);
    call_free(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_field_is_read),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(pairs_are_cut_at_the_first_equals_sign),
        cmocka_unit_test(lists_are_cut_into_items),
        cmocka_unit_test(lists_of_numbers_are_counted),
        cmocka_unit_test(what_is_printed_reads_back_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
