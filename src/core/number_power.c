/* Powers of five, computed once instead of printed as 1,300 constants.
 *
 * Positive powers are multiplied out in full and cut to their top 128 bits; 2^N / 5^k is divided
 * step by step, and since floor(floor(x / a) / b) = floor(x / (a b)) the top bits stay exact. */
#include "core/number_power.h"

#include "core/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { LIMBS = 16 }; /* 1024 bits: 5^324 has 753, and 2^1023 / 5^342 keeps 229 */

static struct power table[POWER_LAST - POWER_FIRST + 1];
static _Atomic bool ready;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct power top_bits(const uint64_t limb[LIMBS])
{
    int top = LIMBS - 1;
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
    uint64_t limb[LIMBS] = {1};
    for (int q = 0; q <= POWER_LAST; q++) {
        table[q - POWER_FIRST] = top_bits(limb);
        uint64_t carry = 0;
        for (int i = 0; i < LIMBS; i++) {
            uint128 product = (uint128)limb[i] * 5 + carry;
            limb[i] = (uint64_t)product;
            carry = (uint64_t)(product >> 64);
        }
    }
    memset(limb, 0, sizeof limb);
    limb[LIMBS - 1] = 1ull << 63;
    for (int q = -1; q >= POWER_FIRST; q--) {
        uint64_t rest = 0;
        for (int i = LIMBS - 1; i >= 0; i--) {
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
