/* labels: quick nightly
 * Numbers from text: parsing against glibc's strtod and strtof (correctly rounded, C locale) on
 * random, halfway, tiny, huge and long texts. */
#include "core/number.h"
#include "core/number_print.h"
#include "numbers.h"

#include <locale.h>

static void check(const char *text)
{
    char *stop;
    double want = strtod(text, &stop), got = 0;
    const char *end = text + strlen(text), *after = number_parse_double(&got, text, end);
    if (after != stop || !same_double(got, want))
        fail_msg("double of \"%.100s\": %a (%zd bytes), but strtod: %a (%zd)", text, got,
                 after ? after - text : -1, want, stop - text);
    float want_f = strtof(text, &stop), got_f = 0;
    after = number_parse_float(&got_f, text, end);
    if (after != stop || !same_float(got_f, want_f))
        fail_msg("float of \"%.100s\": %a, but strtof: %a", text, (double)got_f, (double)want_f);
}

static void known_texts_give_known_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        "-.0",
        ".5",
        "5.",
        "+5.25",
        "1e0",
        "1E5",
        "1e+5",
        "1e-5",
        "1e",
        "1e+",
        "1e-x",
        "1.5.5",
        "12abc",
        "0e999999999999999999999",
        "0.0000e-99999999999999999999",
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "-1e400",
        "inf",
        "-INF",
        "+Infinity",
        "infinit",
        "nan",
        "-nan",
        "NaN(abc_12)",
        "nan(",
        "nan(-)",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.0000000000000000000000000000000000000001",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793728971405301e276",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "3.4028236e38",
        "1.1754943508e-38",
        "7.0064923216240853546186479164495e-46",
        "7.0064923216240853546186479164496e-46",
        "1.00000005960464477539062500001",
        "1.000000059604644775390625",
        "1.00000017881393432617187499999",
        "8.5899345920000005e9",
        "7.2057594037927933e16",
        "6.631236846766476e-316",
        "3.2378839133029012895883524125015321748630e-319",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "123456789012345678901234567890e-10",
        "000000000000000000000000000001.25",
        "0.00000000000000000000000000000000000000000000000000000000000000000125"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check(texts[i]);
}

static void texts_that_are_no_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "-", "+",  ".",   "-.", "e5",
                                        ".e5", "x", " 1", "--1", "in"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value = 7;
        float narrow = 7;
        const char *end = texts[i] + strlen(texts[i]);
        assert_null(number_parse_double(&value, texts[i], end));
        assert_null(number_parse_float(&narrow, texts[i], end));
        assert_true(value == 7 && narrow == 7);
    }
    double value;
    assert_true(number_is_double(&value, "-1.#IND") && isnan(value));
    assert_true(number_is_double(&value, "1.#QNAN") && isnan(value));
    assert_true(number_is_double(&value, "-1.#INF") && value == -INFINITY);
    assert_false(number_is_double(&value, "1.#"));
    assert_false(number_is_double(&value, "1 "));
    assert_false(number_is_double(&value, "0x10"));
}

/* Never a byte beyond the end: every prefix, in a block of exactly its size (asan watches). */
static void no_byte_beyond_the_end_is_read(void **state)
{
    (void)state;
    const char text[] = "-123456789.987654321234567890e-17";
    for (size_t len = 0; len < sizeof text; len++) {
        char *part = malloc(len + 1), copy[sizeof text] = {0};
        memcpy(part, text, len);
        memcpy(copy, text, len);
        char *exact = realloc(part, len ? len : 1);
        double value = 0;
        const char *after = number_parse_double(&value, exact, exact + len);
        char *stop;
        double want = strtod(copy, &stop);
        assert_int_equal(after ? after - exact : 0, stop - copy);
        assert_true(!after || same_double(value, want));
        free(exact);
    }
}

static void random_doubles_are_read_to_the_bit(void **state)
{
    (void)state;
    char text[64];
    for (int64_t i = rounds(60000); i > 0; i--) {
        double value = double_of(random_u64());
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)random_below(&rng, 22), value);
        check(text);
        snprintf(text, sizeof text, "%.*e", (int)random_below(&rng, 12),
                 (double)float_of(random_u32(&rng) & 0xff7fffff));
        check(text);
    }
}

static void random_digits_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    char text[128];
    for (int64_t i = rounds(100000); i > 0; i--) {
        int n = 1 + (int)random_below(&rng, 30), point = (int)random_below(&rng, 32), at = 0;
        if (random_below(&rng, 2))
            text[at++] = '-';
        for (int d = 0; d < n; d++) {
            if (d == point)
                text[at++] = '.';
            text[at++] = (char)('0' + random_below(&rng, 10));
        }
        text[at] = 0;
        if (random_below(&rng, 2))
            snprintf(text + at, sizeof text - (size_t)at, "e%d",
                     (int)random_below(&rng, 700) - 350);
        check(text);
    }
}

/* What point files hold: few digits, small exponents. */
static void numbers_of_point_files_are_read_to_the_bit(void **state)
{
    (void)state;
    char text[64];
    for (int64_t i = rounds(100000); i > 0; i--) {
        double value = (random_uniform(&rng) - 0.5) * (double)(1 << random_below(&rng, 24));
        snprintf(text, sizeof text, "%.*f", (int)random_below(&rng, 10), value);
        check(text);
    }
}

/* The text of m * 2^x in full, by doubling or halving a decimal string. */
static void print_exactly(char *out, uint64_t m, int x)
{
    static char digit[2500];
    int n = snprintf(digit, sizeof digit, "%llu", (unsigned long long)m), after = 0;
    for (; x > 0; x--) {
        int carry = 0;
        for (int i = n - 1; i >= 0; i--) {
            int d = 2 * (digit[i] - '0') + carry;
            digit[i] = (char)('0' + d % 10);
            carry = d / 10;
        }
        if (carry) {
            memmove(digit + 1, digit, (size_t)n);
            digit[0] = '1';
            n++;
        }
    }
    for (; x < 0; x++) {
        int rest = 0;
        for (int i = 0; i < n; i++) {
            int d = 10 * rest + digit[i] - '0';
            digit[i] = (char)('0' + d / 2);
            rest = d % 2;
        }
        if (rest) {
            digit[n++] = '5';
            after++;
        }
    }
    memcpy(out, digit, (size_t)n);
    sprintf(out + n, "e%d", -after);
}

/* The halfway point itself, a little under and a little over, short exponents and long digits. */
static void check_halfway(uint64_t m, int x)
{
    static char text[3000], varied[3000];
    print_exactly(text, 2 * m + 1, x - 1);
    check(text);
    char *e = strchr(text, 'e');
    int len = (int)(e - text), exponent = atoi(e + 1);
    snprintf(varied, sizeof varied, "%.*s%s1e%d", len, text, "000000000000000000000",
             exponent - 22);
    check(varied);
    memcpy(varied, text, (size_t)len);
    for (int i = len - 1; i >= 0; i--) { /* minus one in the last place */
        if (varied[i] != '0') {
            varied[i]--;
            break;
        }
        varied[i] = '9';
    }
    snprintf(varied + len, sizeof varied - (size_t)len, "99999999e%d", exponent - 8);
    check(varied);
}

static void halfway_cases_are_rounded_to_even(void **state)
{
    (void)state;
    for (int64_t i = rounds(1000); i > 0; i--) {
        uint64_t bits = random_u64() & INT64_MAX;
        int power = (int)(bits >> 52);
        uint64_t fraction = bits & ((1ull << 52) - 1);
        if (power == 0x7ff)
            continue;
        if (i % 4 == 0)
            power = 0;
        check_halfway(power ? fraction | 1ull << 52 : fraction, power ? power - 1075 : -1074);
        uint32_t narrow = random_u32(&rng) & 0x7fffff; /* halfway between two floats */
        int x = (int)random_below(&rng, 254) - 149;
        check_halfway(x > -149 ? narrow | 0x800000 : narrow, x);
    }
    check_halfway((1ull << 53) - 1, 971); /* the end of the doubles */
    check_halfway((1ull << 24) - 1, 104); /* the end of the floats */
    check_halfway(0, -1074);
    check_halfway(0, -149);
}

static void long_texts_are_read_to_the_last_digit(void **state)
{
    (void)state;
    enum { LEN = 3000 };
    static char text[LEN + 64];
    for (int64_t i = rounds(200); i > 0; i--) {
        int n = 20 + (int)random_below(&rng, LEN - 20), point = (int)random_below(&rng, LEN);
        for (int d = 0; d < n; d++)
            text[d] = d == point ? '.' : (char)('0' + (i % 3 ? random_below(&rng, 10) : 9));
        snprintf(text + n, 64, "e%d", -(int)random_below(&rng, LEN));
        check(text);
    }
    memset(text, '0', LEN); /* the exponent brings it all back */
    text[1] = '.';
    text[LEN - 1] = '1';
    snprintf(text + LEN, 64, "e%d", LEN);
    check(text);
}

static void integers_are_read_within_their_range(void **state)
{
    (void)state;
    int64_t value = 5;
    uint64_t whole = 5;
    assert_true(number_is_int(&value, "-9223372036854775808") && value == INT64_MIN);
    assert_true(number_is_int(&value, "+9223372036854775807") && value == INT64_MAX);
    assert_true(number_is_int(&value, "-0") && value == 0);
    static const char *const bad[] = {
        "9223372036854775808",    "-9223372036854775809", "", "-", "+-1", "1.5", "1e3", " 1", "1 ",
        "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(number_is_int(&value, bad[i]));
    assert_true(value == 0);
    const char max[] = "18446744073709551615,", over[] = "18446744073709551616";
    assert_ptr_equal(number_parse_unsigned(&whole, max, max + 21), max + 20);
    assert_true(whole == UINT64_MAX);
    assert_null(number_parse_unsigned(&whole, over, over + 20));
    assert_null(number_parse_unsigned(&whole, "-1", over + 2));
    assert_ptr_equal(number_parse_unsigned(&whole, over, over + 3), over + 3);
    assert_true(whole == 184);
}

/* A comma locale changes nothing. */
static void a_locale_with_commas_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR"};
    bool found = false;
    for (int i = 0; i < 4 && !found; i++)
        found = setlocale(LC_ALL, names[i]) != NULL;
    if (!found)
        print_message("no comma locale is installed: tried under C only\n");
    double value;
    char text[NUMBER_PRINT_MAX];
    assert_true(number_is_double(&value, "1.5") && value == 1.5);
    assert_false(number_is_double(&value, "1,5"));
    number_print_double(text, 1.5);
    assert_string_equal(text, "1.5");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts_give_known_numbers),
        cmocka_unit_test(texts_that_are_no_numbers_are_refused),
        cmocka_unit_test(no_byte_beyond_the_end_is_read),
        cmocka_unit_test(random_doubles_are_read_to_the_bit),
        cmocka_unit_test(random_digits_are_read_as_strtod_reads_them),
        cmocka_unit_test(numbers_of_point_files_are_read_to_the_bit),
        cmocka_unit_test(halfway_cases_are_rounded_to_even),
        cmocka_unit_test(long_texts_are_read_to_the_last_digit),
        cmocka_unit_test(integers_are_read_within_their_range),
        cmocka_unit_test(a_locale_with_commas_changes_nothing),
    };
    return cmocka_run_group_tests(tests, numbers_begin, NULL);
}
