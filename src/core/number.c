/* Decimal to binary: Clinger's exact products first, then the 128-bit product of Eisel and Lemire
 * (D. Lemire, "Number parsing at a gigabyte per second", 2021), then big integers.
 *
 * Invariant: every result is the nearest number, ties to even. A float is the double rounded again,
 * which is right unless the double lies exactly halfway between two floats or is below the normal
 * floats; these cases are computed exactly. */
#include "core/number.h"

#include "core/number_exact.h"

#include <math.h>
#include <string.h>

static const struct ieee IEEE_DOUBLE = {52, -1074, 11}, IEEE_FLOAT = {23, -149, 8};

/* The result of scanning a decimal. */
struct scanned {
    bool negative;
    uint64_t mantissa; /* the first 19 significant digits */
    int64_t exponent;  /* value = mantissa * 10^exponent, more if cut */
    bool cut;          /* digits were left out of the mantissa */
    struct decimal exact;
};

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* The next eight bytes, padded with zeros at the end of the text, which has at least four. */
static uint64_t load_word(const char *at, const char *end)
{
    uint64_t word;
    if (end - at >= 8) {
        memcpy(&word, at, 8);
        return word;
    }
    uint32_t low, high;
    memcpy(&low, at, 4);
    memcpy(&high, end - 4, 4); /* where both overlap they are the same */
    return low | (uint64_t)high << 8 * (end - at - 4);
}

/* Reads up to eight digits at once and returns their number: a mispredicted branch costs more than
 * all of this. A byte XOR '0' is over 9 exactly if it is not a digit; carries of the sum only reach
 * bytes after the first of those. Three multiplications of the digits, shifted to the end of the
 * word after leading zeros, give the value. */
static int eight_digits(uint64_t *mantissa, uint64_t word)
{
    static const uint32_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    word ^= 0x3030303030303030u;
    uint64_t over = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
    int n = over ? __builtin_ctzll(over) / 8 : 8;
    if (n == 0)
        return 0;
    word <<= 8 * (8 - n);
    word = word * 10 + (word >> 8);
    word = ((word & 0x000000ff000000ffu) * 0x000f424000000064u +
            ((word >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u) >>
           32;
    *mantissa = *mantissa * ten[n] + (uint32_t)word;
    return n;
}

static const char *scan_digits(uint64_t *mantissa, const char *at, const char *end)
{
    while (end - at >= 4) {
        int n = eight_digits(mantissa, load_word(at, end));
        at += n;
        if (n < 8)
            return at;
    }
    for (; at < end && is_digit(*at); at++)
        *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
    return at;
}
#else
static const char *scan_digits(uint64_t *mantissa, const char *at, const char *end)
{
    for (; at < end && is_digit(*at); at++)
        *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
    return at;
}
#endif

/* [e [+-] digits], or nothing; saturates far outside every format's range */
static const char *scan_exponent(int64_t *out, const char *at, const char *end)
{
    *out = 0;
    if (at == end || (*at | 0x20) != 'e')
        return at;
    const char *from = at + 1;
    bool negative = from < end && *from == '-';
    if (from < end && (*from == '-' || *from == '+'))
        from++;
    if (from == end || !is_digit(*from))
        return at;
    int64_t value = 0;
    for (; from < end && is_digit(*from); from++) {
        if (value < 1000000000000000)
            value = value * 10 + (*from - '0');
    }
    *out = negative ? -value : value;
    return from;
}

/* Over 19 digits the mantissa may have wrapped around: reads the first 19 significant ones again.
 */
static void scan_again(struct scanned *s)
{
    const char *at = s->exact.first;
    while (at < s->exact.last && (*at == '0' || *at == '.'))
        at++;
    uint64_t mantissa = 0;
    int used = 0;
    for (; at < s->exact.last && used < 19; at++) {
        if (*at != '.') {
            mantissa = mantissa * 10 + (uint64_t)(*at - '0');
            used++;
        }
    }
    int64_t left = 0;
    for (; at < s->exact.last; at++)
        left += *at != '.';
    s->mantissa = mantissa;
    s->exponent = s->exact.exponent + left;
    s->cut = left > 0;
}

/* NULL when no digit is there; `at` is after the sign */
static const char *scan_decimal(struct scanned *s, const char *at, const char *end)
{
    const char *first = at;
    s->mantissa = 0;
    at = scan_digits(&s->mantissa, at, end);
    int64_t digits = at - first, after_point = 0;
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = scan_digits(&s->mantissa, fraction, end);
        after_point = at - fraction;
        digits += after_point;
    }
    if (digits == 0)
        return NULL;
    s->exact.first = first;
    s->exact.last = at;
    int64_t exponent;
    at = scan_exponent(&exponent, at, end);
    s->exact.exponent = s->exponent = exponent - after_point;
    s->cut = false;
    if (digits > 19)
        scan_again(s);
    return at;
}

static bool has_word(const char **at, const char *end, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(end - *at) < len)
        return false;
    for (size_t i = 0; i < len; i++) {
        char c = (*at)[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c + 32);
        if (c != word[i])
            return false;
    }
    *at += len;
    return true;
}

/* inf, infinity, nan, nan(letters), 1.#inf, 1.#qnan, 1.#snan, 1.#ind after the sign; else NULL */
static const char *scan_special(double *out, const char *at, const char *end)
{
    if (has_word(&at, end, "infinity") || has_word(&at, end, "inf") ||
        has_word(&at, end, "1.#inf")) {
        *out = INFINITY;
        return at;
    }
    if (has_word(&at, end, "1.#qnan") || has_word(&at, end, "1.#snan") ||
        has_word(&at, end, "1.#ind")) {
        *out = NAN;
        return at;
    }
    if (!has_word(&at, end, "nan"))
        return NULL;
    *out = NAN;
    const char *close = at;
    if (close < end && *close == '(') {
        do
            close++;
        while (close < end && (is_digit(*close) || *close == '_' ||
                               ((*close | 0x20) >= 'a' && (*close | 0x20) <= 'z')));
        if (close < end && *close == ')')
            return close + 1;
    }
    return at;
}

/* mantissa * 10^q as the bits of a double; false when they are an estimate within a few units. */
static bool eisel_lemire(uint64_t *bits, uint64_t mantissa, int64_t q)
{
    const uint64_t infinity = 0x7ffull << 52;
    *bits = q < 0 ? 0 : infinity;
    if (q < POWER_FIRST || q > 308)
        return true; /* under half the smallest, or over the largest */
    int zeros = __builtin_clzll(mantissa);
    mantissa <<= zeros;
    struct power five = number_power_of_five((int)q);
    if (q < 0 && q >= -27)
        five.low++; /* rounded up, so that the product of an exact quotient is not just below it */
    uint128 product = (uint128)mantissa * five.high;
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if ((high & 0x1ff) == 0x1ff) {
        uint64_t more = (uint64_t)((uint128)mantissa * five.low >> 64);
        low += more;
        high += low < more;
    }
    int top = (int)(high >> 63), shift = top + 64 - 52 - 3;
    uint64_t m = high >> shift;
    int64_t power = (217706 * q >> 16) + 63 + top - zeros + 1023; /* 217706 / 2^16: log2(10) */
    if (power <= 0) {
        *bits = power <= -62 ? 0 : (m >> (1 - power)) >> 1;
        return false;
    }
    if (low <= 1 && q >= -4 && q <= 23 && (m & 3) == 1 && m << shift == high)
        m &= ~1ull; /* exactly halfway: to even */
    m = (m + (m & 1)) >> 1;
    if (m >> 53) {
        m >>= 1;
        power++;
    }
    if (power < 0x7ff)
        *bits = (m & ((1ull << 52) - 1)) | (uint64_t)power << 52;
    else
        *bits = infinity;
    return low != UINT64_MAX || (q >= -27 && q <= 55);
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double to_double(const struct scanned *s)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (s->mantissa >> 53 == 0 && !s->cut && s->exponent >= -22 && s->exponent <= 22) {
        double m = (double)s->mantissa; /* exact, and so is the power: one rounding */
        return s->exponent < 0 ? m / ten[-s->exponent] : m * ten[s->exponent];
    }
    if (s->mantissa == 0)
        return 0;
    uint64_t bits, above;
    bool sure = eisel_lemire(&bits, s->mantissa, s->exponent);
    if (sure && s->cut) /* the value lies between mantissa and mantissa + 1 */
        sure = eisel_lemire(&above, s->mantissa + 1, s->exponent) && above == bits;
    return from_bits(sure ? bits : number_exact_nearest(&s->exact, bits, IEEE_DOUBLE));
}

/* Whether rounding the nearest double again gives the nearest float. */
static bool is_sure(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bool halfway = (bits & 0x1fffffff) == 0x10000000;
    value = fabs(value);
    return value == 0 || (value >= 0x1p-126 && !halfway) || value < 0x1p-151 || value > 0x1p129;
}

static float to_float(const struct scanned *s)
{
    double value = to_double(s);
    if (is_sure(value))
        return (float)value;
    float estimate = (float)value;
    uint32_t narrow;
    memcpy(&narrow, &estimate, sizeof narrow);
    narrow = (uint32_t)number_exact_nearest(&s->exact, narrow, IEEE_FLOAT);
    memcpy(&estimate, &narrow, sizeof narrow);
    return estimate;
}

static const char *scan(struct scanned *s, double *special, const char *at, const char *end)
{
    s->negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    s->exact.first = NULL;
    const char *after = scan_decimal(s, at, end);
    if (after && (after == end || *after != '#'))
        return after;
    const char *word = scan_special(special, at, end);
    if (word)
        s->exact.first = NULL; /* not a decimal */
    return word ? word : after;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* The fast path for nearly all numbers in clouds: up to seven digits, a point, up to eight digits.
 * The integer is exact, so one division rounds correctly. NULL for all other numbers. */
static inline const char *parse_plain(double *out, const char *at, const char *end)
{
    static const double ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    uint64_t mantissa = 0;
    if (end - at < 5)
        return NULL;
    bool negative = *at == '-';
    at += negative;
    int whole = eight_digits(&mantissa, load_word(at, end)), fraction = 0;
    at += whole;
    if (whole == 8)
        return NULL;
    if (at < end && *at == '.') {
        at++;
        if (end - at >= 4)
            fraction = eight_digits(&mantissa, load_word(at, end));
        else
            for (; fraction < end - at && is_digit(at[fraction]); fraction++)
                mantissa = mantissa * 10 + (uint64_t)(at[fraction] - '0');
        at += fraction;
    }
    bool ends = at == end || !(is_digit(*at) || *at == '#' || (*at | 0x20) == 'e');
    if (whole + fraction == 0 || !ends)
        return NULL;
    double value = (double)mantissa / ten[fraction]; /* under 10^15: exact before the division */
    *out = negative ? -value : value;
    return at;
}
#else
static const char *parse_plain(double *out, const char *at, const char *end)
{
    (void)out, (void)at, (void)end;
    return NULL;
}
#endif

const char *number_parse_double(double *out, const char *text, const char *end)
{
    struct scanned s;
    double value = 0;
    const char *after = parse_plain(out, text, end);
    if (after)
        return after;
    after = scan(&s, &value, text, end);
    if (!after)
        return NULL;
    if (s.exact.first)
        value = to_double(&s);
    *out = s.negative ? -value : value;
    return after;
}

const char *number_parse_float(float *out, const char *text, const char *end)
{
    struct scanned s;
    double special = 0;
    const char *after = parse_plain(&special, text, end);
    if (after && is_sure(special)) {
        *out = (float)special;
        return after;
    }
    special = 0;
    after = scan(&s, &special, text, end);
    if (!after)
        return NULL;
    float value = s.exact.first ? to_float(&s) : (float)special;
    *out = s.negative ? -value : value;
    return after;
}

static const char *magnitude(uint64_t *out, const char *at, const char *end)
{
    if (at == end || *at < '0' || *at > '9')
        return NULL;
    uint64_t value = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
            return NULL;
    }
    *out = value;
    return at;
}

const char *number_parse_unsigned(uint64_t *out, const char *text, const char *end)
{
    return magnitude(out, text < end && *text == '+' ? text + 1 : text, end);
}

const char *number_parse_int(int64_t *out, const char *text, const char *end)
{
    bool negative = text < end && *text == '-';
    uint64_t value;
    const char *after =
        negative ? magnitude(&value, text + 1, end) : number_parse_unsigned(&value, text, end);
    if (!after || value > (uint64_t)INT64_MAX + negative)
        return NULL;
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return after;
}

bool number_is_double(double *out, const char *text)
{
    const char *end = text + strlen(text);
    double value;
    if (number_parse_double(&value, text, end) != end)
        return false;
    *out = value;
    return true;
}

bool number_is_int(int64_t *out, const char *text)
{
    const char *end = text + strlen(text);
    int64_t value;
    if (number_parse_int(&value, text, end) != end)
        return false;
    *out = value;
    return true;
}
