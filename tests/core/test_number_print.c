/* labels: quick nightly
 * Numbers to text: printing against the shortest of "%.*e". */
#include "core/number_print.h"
#include "numbers.h"

static int significant(const char *text)
{
    int n = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (n == 0 && *text == '0'))
            continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        n++;
    }
    return n - zeros;
}

/* Reads back, and has no more digits than the first "%.*e" that does; of that length the digits
 * are the nearest ones unless "%.*e" of the length does not read back. */
static void check_print_double(double value)
{
    char text[NUMBER_PRINT_MAX], other[64];
    size_t len = number_print_double(text, value);
    assert_int_equal(len, strlen(text));
    assert_true(len < NUMBER_PRINT_MAX);
    if (!same_double(strtod(text, NULL), value))
        fail_msg("%a prints as %s", value, text);
    int precision = 0;
    do
        snprintf(other, sizeof other, "%.*e", precision++, value);
    while (!same_double(strtod(other, NULL), value));
    if (significant(text) > significant(other))
        fail_msg("%a prints as %s, but %s is shorter", value, text, other);
    if (significant(text) == significant(other)) {
        char again[64];
        snprintf(again, sizeof again, "%.*e", precision - 1, strtod(text, NULL));
        assert_string_equal(again, other);
    }
}

static void check_print_float(float value)
{
    char text[NUMBER_PRINT_MAX], other[64];
    size_t len = number_print_float(text, value);
    assert_int_equal(len, strlen(text));
    if (!same_float(strtof(text, NULL), value))
        fail_msg("%a prints as %s", (double)value, text);
    int precision = 0;
    do
        snprintf(other, sizeof other, "%.*e", precision++, (double)value);
    while (!same_float(strtof(other, NULL), value));
    if (significant(text) > significant(other))
        fail_msg("%a prints as %s, but %s is shorter", (double)value, text, other);
    if (significant(text) == significant(other) && strtod(text, NULL) != strtod(other, NULL))
        fail_msg("%a prints as %s, but %s is nearer", (double)value, text, other);
}

static void known_numbers_are_printed_shortest(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } known[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-1.5, "-1.5"},
                 {0.1, "0.1"},
                 {1e-5, "0.00001"},
                 {1e-6, "1e-6"},
                 {123456, "123456"},
                 {1e16, "10000000000000000"},
                 {1e17, "1e17"},
                 {1.25e100, "1.25e100"},
                 {5e-324, "5e-324"},
                 {2e-323, "2e-323"},
                 {1.7976931348623157e308, "1.7976931348623157e308"},
                 {2.2250738585072014e-308, "2.2250738585072014e-308"},
                 {9007199254740993.0, "9007199254740992"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"},
                 {-NAN, "nan"},
                 {0.000123, "0.000123"},
                 {9.5367431640625e-7, "9.5367431640625e-7"}};
    char text[NUMBER_PRINT_MAX];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(number_print_double(text, known[i].value), strlen(known[i].text));
        assert_string_equal(text, known[i].text);
    }
    number_print_float(text, 0.1f);
    assert_string_equal(text, "0.1");
    number_print_float(text, 16777216.0f);
    assert_string_equal(text, "16777216");
    number_print_float(text, 3.4028235e38f);
    assert_string_equal(text, "3.4028235e38");
    number_print_float(text, 1e-45f);
    assert_string_equal(text, "1e-45");
}

static void printed_numbers_are_read_back_to_the_bit(void **state)
{
    (void)state;
    for (int power = 0; power < 0x7ff; power++) { /* around every power of two */
        uint64_t bits = (uint64_t)power << 52;
        for (int64_t step = -2; step <= 2; step++) {
            if ((int64_t)bits + step > 0)
                check_print_double(double_of(bits + (uint64_t)step));
        }
    }
    for (uint32_t power = 0; power < 0xff; power++) {
        for (uint32_t step = 0; step < 5; step++) {
            if ((power << 23) + step > 2)
                check_print_float(float_of((power << 23) + step - 2));
        }
    }
    for (int64_t i = rounds(30000); i > 0; i--) {
        double value = double_of(random_u64());
        if (isfinite(value) && value != 0)
            check_print_double(value);
        check_print_double((double)(random_below(&rng, 2000000) + 1) / 1000);
        float narrow = float_of(random_u32(&rng));
        if (isfinite(narrow) && narrow != 0)
            check_print_float(narrow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers_are_printed_shortest),
        cmocka_unit_test(printed_numbers_are_read_back_to_the_bit),
    };
    return cmocka_run_group_tests(tests, numbers_begin, NULL);
}
