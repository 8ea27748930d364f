/* Binary to the shortest decimal that reads back: Raffaello Giulietti, "The Schubfach way to render
 * doubles" (2021).
 *
 * A number c * 2^q is the only one inside its rounding interval; scaled by a power of ten that
 * leaves one or two decimal integers in the interval, the shortest is among at most four
 * candidates. Products are rounded to odd, so that comparisons with the interval's ends are exact.
 */
#include "core/number_print.h"

#include "core/number_exact.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct digits {
    uint64_t value; /* value * 10^exponent */
    int exponent;
};

static int floor_shift(int64_t x, int bits)
{
    return (int)(x >> bits); /* arithmetic on every compiler we build with */
}

/* The top 64 bits of g * c with the lowest set when anything was lost below. */
static uint64_t round_to_odd(struct power g, uint64_t c)
{
    uint64_t x = (uint64_t)((uint128)g.low * c >> 64);
    uint128 y = (uint128)g.high * c + x;
    return (uint64_t)(y >> 64) | ((uint64_t)y > 1);
}

/* closer: the number below is half as far away as the one above (c is a power of two). */
static struct digits shortest(uint64_t c, int q, bool closer)
{
    bool odd = c & 1; /* the ends of an even number's interval read back as that number */
    int k = floor_shift((int64_t)q * 1262611 - (closer ? 524031 : 0), 22); /* floor(log10(2^q)) */
    int h = q + floor_shift((int64_t)-k * 1741647, 19) + 1; /* + floor(log2(10^-k)) + 1 */
    struct power g = number_power_of_five(-k);
    if (-k < 0 || -k > 55) { /* not exact: the paper wants it rounded up */
        g.low++;
        g.high += g.low == 0;
    }
    uint64_t lower = round_to_odd(g, (4 * c - 2 + closer) << h) + odd;
    uint64_t middle = round_to_odd(g, (4 * c) << h);
    uint64_t upper = round_to_odd(g, (4 * c + 2) << h) - odd;
    uint64_t s = middle / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
        if (below != above)
            return (struct digits){tens + above, k + 1};
    }
    bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    if (below != above)
        return (struct digits){s + above, k};
    bool up = middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1));
    return (struct digits){s + up, k};
}

/* Plain from 0.00001 to under 1e17, else with an exponent. */
static size_t lay_out(char *dst, struct digits d)
{
    while (d.value % 10 == 0) {
        d.value /= 10;
        d.exponent++;
    }
    char digit[20];
    int n = 0;
    for (uint64_t left = d.value; left; left /= 10)
        digit[sizeof digit - ++n] = (char)('0' + left % 10);
    const char *first = digit + sizeof digit - n;
    int point = n + d.exponent; /* digits before the point */
    char *to = dst;
    if (point > 17 || point < -4) {
        *to++ = first[0];
        if (n > 1) {
            *to++ = '.';
            memcpy(to, first + 1, (size_t)n - 1);
            to += n - 1;
        }
        int power = point - 1;
        *to++ = 'e';
        if (power < 0)
            *to++ = '-';
        power = power < 0 ? -power : power;
        if (power >= 100)
            *to++ = (char)('0' + power / 100);
        if (power >= 10)
            *to++ = (char)('0' + power / 10 % 10);
        *to++ = (char)('0' + power % 10);
    } else if (point <= 0) {
        memcpy(to, "0.0000", 6);
        to += 2 - point;
        memcpy(to, first, (size_t)n);
        to += n;
    } else {
        for (int i = 0; i < n || i < point; i++) {
            if (i == point)
                *to++ = '.';
            *to++ = i < n ? first[i] : '0';
        }
    }
    *to = 0;
    return (size_t)(to - dst);
}

/* sign, then the number with this exponent field and fraction of a format */
static size_t print(char *dst, bool negative, uint64_t bits, struct ieee format)
{
    size_t sign = 0;
    if (negative)
        dst[sign++] = '-';
    uint64_t hidden = 1ull << format.fraction, fraction = bits & (hidden - 1);
    int power = (int)(bits >> format.fraction);
    if (bits == 0 || power == (1 << format.exponent_bits) - 1) {
        const char *word = bits == 0 ? "0" : fraction ? "nan" : "inf";
        if (fraction)
            sign = 0;
        strcpy(dst + sign, word);
        return sign + strlen(word);
    }
    struct digits d;
    if (power == 0) {
        d = shortest(fraction, format.least, false);
    } else {
        uint64_t c = hidden | fraction;
        int q = format.least + power - 1;
        if (q <= 0 && -q <= format.fraction && (c & ((1ull << -q) - 1)) == 0)
            d = (struct digits){c >> -q, 0}; /* an integer */
        else
            d = shortest(c, q, fraction == 0 && power > 1);
    }
    return sign + lay_out(dst + sign, d);
}

size_t number_print_double(char *dst, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return print(dst, bits >> 63, bits & INT64_MAX, (struct ieee){52, -1074, 11});
}

size_t number_print_float(char *dst, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return print(dst, bits >> 31, bits & INT32_MAX, (struct ieee){23, -149, 8});
}
