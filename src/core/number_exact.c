/* Exact arithmetic behind numbers as text: powers of five, and decimals compared as big integers.
 *
 * The powers are computed once instead of printed as 1,300 constants. Positive powers are
 * multiplied out in full and cut to their top 128 bits; 2^N / 5^k is divided step by step, and
 * since floor(floor(x / a) / b) = floor(x / (a b)) the top bits stay exact.
 *
 * The exact conversion is for the few decimals that the fast ones cannot decide. The decimal
 * D * 10^e is compared as a big integer with the point halfway between two neighbouring binary
 * numbers, (2m + 1) * 2^(x - 1), until it lies between the two halves around one number. More than
 * 768 significant digits never matter except as "a little more" (a double's halfway point has at
 * most 767), so all integers here stay under 2,800 bits. */
#include "core/number_exact.h"

#include "core/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { POWER_LIMBS = 16 }; /* 1024 bits: 5^324 has 753, and 2^1023 / 5^342 keeps 229 */

static struct power table[POWER_LAST - POWER_FIRST + 1];
static _Atomic bool ready;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct power top_bits(const uint64_t limb[POWER_LIMBS])
{
    int top = POWER_LIMBS - 1;
    while (limb[top] == 0)
        top--;
    int shift = __builtin_clzll(limb[top]);
    uint64_t word[3];
    for (int i = 0; i < 3; i++)
        word[i] = top >= i ? limb[top - i] : 0;
    if (shift == 0)
        return (struct power){word[0], word[1]};
    return (struct power){word[0] << shift | word[1] >> (64 - shift),
                          word[1] << shift | word[2] >> (64 - shift)};
}

static void fill_table(void)
{
    uint64_t limb[POWER_LIMBS] = {1};
    for (int q = 0; q <= POWER_LAST; q++) {
        table[q - POWER_FIRST] = top_bits(limb);
        uint64_t carry = 0;
        for (int i = 0; i < POWER_LIMBS; i++) {
            uint128 product = (uint128)limb[i] * 5 + carry;
            limb[i] = (uint64_t)product;
            carry = (uint64_t)(product >> 64);
        }
    }
    memset(limb, 0, sizeof limb);
    limb[POWER_LIMBS - 1] = 1ull << 63;
    for (int q = -1; q >= POWER_FIRST; q--) {
        uint64_t rest = 0;
        for (int i = POWER_LIMBS - 1; i >= 0; i--) {
            uint128 part = (uint128)rest << 64 | limb[i];
            limb[i] = (uint64_t)(part / 5);
            rest = (uint64_t)(part % 5);
        }
        table[q - POWER_FIRST] = top_bits(limb);
    }
    atomic_store_explicit(&ready, true, memory_order_release);
}

struct power number_power_of_five(int q)
{
    ASSERT(q >= POWER_FIRST && q <= POWER_LAST);
    if (!atomic_load_explicit(&ready, memory_order_acquire))
        pthread_once(&once, fill_table);
    return table[q - POWER_FIRST];
}

/* --- big integers --- */

enum { LIMBS = 48, DIGITS_MAX = 780 };

struct big {
    uint64_t limb[LIMBS];
    int n; /* used; the top one is not zero */
};

static void multiply_add(struct big *b, uint64_t factor, uint64_t carry)
{
    for (int i = 0; i < b->n; i++) {
        uint128 product = (uint128)b->limb[i] * factor + carry;
        b->limb[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    if (carry) {
        ASSERT(b->n < LIMBS);
        b->limb[b->n++] = carry;
    }
}

static void multiply_power_of_five(struct big *b, int64_t exponent)
{
    const uint64_t five27 = 7450580596923828125u;
    for (; exponent >= 27; exponent -= 27)
        multiply_add(b, five27, 0);
    for (; exponent > 0; exponent--)
        multiply_add(b, 5, 0);
}

static void shift_left(struct big *b, int64_t bits)
{
    int limbs = (int)(bits / 64), rest = (int)(bits % 64);
    if (rest)
        multiply_add(b, 1ull << rest, 0);
    ASSERT(b->n + limbs <= LIMBS);
    memmove(b->limb + limbs, b->limb, (size_t)b->n * sizeof b->limb[0]);
    memset(b->limb, 0, (size_t)limbs * sizeof b->limb[0]);
    b->n += limbs;
}

static int compare(const struct big *a, const struct big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--) {
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    }
    return 0;
}

/* The digits as an integer; *exponent grows by the digits that were left out. */
static void read_digits(struct big *b, int64_t *exponent, const struct decimal *d)
{
    *b = (struct big){.n = 0};
    *exponent = d->exponent;
    int used = 0;
    bool more = false;
    for (const char *at = d->first; at < d->last; at++) {
        if (*at == '.')
            continue;
        uint64_t digit = (uint64_t)(*at - '0');
        if (used == 0 && digit == 0)
            continue;
        if (used == DIGITS_MAX) {
            more |= digit != 0;
            ++*exponent;
            continue;
        }
        multiply_add(b, 10, digit);
        used++;
    }
    if (more) {
        multiply_add(b, 10, 1);
        --*exponent;
    }
}

/* Sign of (decimal - halfway point above the number with these bits). Infinity's bits stand for the
 * next power of two, as if the format continued. */
static int compare_halfway(const struct big *digits, int64_t exponent, uint64_t bits,
                           struct ieee format)
{
    uint64_t hidden = 1ull << format.fraction;
    uint64_t fraction = bits & (hidden - 1), power = bits >> format.fraction;
    uint64_t m = power ? hidden | fraction : fraction;
    int64_t x = format.least + (power ? (int64_t)power - 1 : 0);
    struct big left = *digits, right = {{2 * m + 1}, 1};
    if (exponent >= 0)
        multiply_power_of_five(&left, exponent);
    else
        multiply_power_of_five(&right, -exponent);
    int64_t shift = exponent - (x - 1);
    shift_left(shift > 0 ? &left : &right, shift > 0 ? shift : -shift);
    return compare(&left, &right);
}

uint64_t number_exact_nearest(const struct decimal *d, uint64_t estimate, struct ieee format)
{
    struct big digits;
    int64_t exponent;
    read_digits(&digits, &exponent, d);
    const uint64_t infinity = ((1ull << format.exponent_bits) - 1) << format.fraction;
    uint64_t bits = estimate < infinity ? estimate : infinity;
    while (bits < infinity) { /* a tie goes to the even one */
        int sign = compare_halfway(&digits, exponent, bits, format);
        if (sign < 0 || (sign == 0 && bits % 2 == 0))
            break;
        bits++;
    }
    while (bits > 0) {
        int sign = compare_halfway(&digits, exponent, bits - 1, format);
        if (sign > 0 || (sign == 0 && bits % 2 == 0))
            break;
        bits--;
    }
    return bits;
}
