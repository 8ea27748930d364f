/* Letters without regard to case. */
#include "core/string.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void only_letters_of_ascii_have_two_cases(void **state)
{
    (void)state;
    assert_int_equal(string_compare_nocase("Az[9", "aZ[9"), 0);
    assert_true(string_compare_nocase("a", "B") < 0 && string_compare_nocase("B", "a") > 0);
    assert_true(string_compare_nocase("", "a") < 0 && string_compare_nocase("ab", "A") > 0);
    assert_true(string_compare_nocase("\xc3\xa4", "\xc3\x84") > 0); /* two cases of one letter */
    assert_true(string_compare_nocase("_", "\xc3") < 0);
    assert_true(string_begins_nocase("Scalar_x", "sCALAR_") && string_begins_nocase("a", ""));
    assert_false(string_begins_nocase("scal", "scalar_"));
    assert_true(string_upper('z') == 'Z' && string_upper('{') == '{' && string_lower('@') == '@');
    assert_true(string_is_alnum('0') && string_is_alnum('Z') && !string_is_alnum('\xe4'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_letters_of_ascii_have_two_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
