/* GPS times in LAZ: see laz_time.h. Item GPSTIME11, versions 1 and 2. */
#include "formats/laz_time.h"

#include "core/arena.h"
#include "formats/laz_items.h"
#include "formats/little.h"

enum {
    MULTIPLES = 500, /* the largest multiple of the usual difference */
    NEGATIVES = -10, /* the smallest */
    CODES = MULTIPLES - NEGATIVES + 1,
    EXTREMES_MAX = 3
};

/* Symbols with a usual difference: 0 to 500 are its multiples, 501 to 510 are -1 to -10. Then
 * follow the same time (where times may repeat), a new sequence and the three other sequences.
 * Without a usual difference: the same time, a difference, a new sequence, the others. */
enum { FULL = CODES }; /* plus one where times may repeat */

/* Contexts of the differences. */
enum { FROM_NONE, ONCE, UP_TO_9, UP_TO_499, LARGEST, NEGATIVE, MOST_NEGATIVE, ZERO, HIGH_HALF };

void laz_time_bind(struct laz_time *t, struct arena *a, bool repeats, bool encode)
{
    t->repeats = repeats;
    t->of_none = laz_model_array(a, 1, 5 + repeats, encode);
    t->of_some = laz_model_array(a, 1, CODES + 4 + repeats, encode);
    laz_integer_bind(&t->value, a, 32, 9, encode);
}

void laz_time_start(struct laz_time *t, uint64_t first)
{
    for (int i = 0; i < 4; i++) {
        t->last[i] = i ? 0 : first;
        t->difference[i] = t->extremes[i] = 0;
    }
    t->now = t->next = 0;
    laz_model_start(t->of_none);
    laz_model_start(t->of_some);
}

/* Replaces the usual difference when it was far off too often. */
static void count_extreme(struct laz_time *t, int32_t difference)
{
    if (++t->extremes[t->now] > EXTREMES_MAX) {
        t->difference[t->now] = difference;
        t->extremes[t->now] = 0;
    }
}

static uint32_t context_of(int32_t multiple)
{
    if (multiple == 1)
        return ONCE;
    if (multiple == 0)
        return ZERO;
    if (multiple > 0)
        return multiple < 10 ? UP_TO_9 : multiple < MULTIPLES ? UP_TO_499 : LARGEST;
    return multiple > NEGATIVES ? NEGATIVE : MOST_NEGATIVE;
}

/* A difference near a multiple of the usual one. */
LAZ_INLINE int32_t code_multiple(struct laz_coder *c, struct laz_time *t, int32_t multiple,
                                 int32_t difference, bool encode)
{
    int32_t usual = t->difference[t->now];
    int32_t near = (int32_t)((uint32_t)multiple * (uint32_t)usual);
    difference = laz_integer(c, &t->value, near, difference, context_of(multiple), encode);
    if (multiple == 1)
        t->extremes[t->now] = 0;
    else if (multiple == 0 || multiple == MULTIPLES || multiple == NEGATIVES)
        count_extreme(t, difference);
    return difference;
}

/* A time that is near no sequence begins a new one. */
LAZ_INLINE void code_full(struct laz_coder *c, struct laz_time *t, uint64_t time, bool encode)
{
    int32_t high = (int32_t)(t->last[t->now] >> 32);
    high = laz_integer(c, &t->value, high, (int32_t)(time >> 32), HIGH_HALF, encode);
    uint32_t low = laz_raw32(c, (uint32_t)time, encode);
    t->next = (t->next + 1) & 3;
    t->now = t->next;
    t->last[t->now] = (uint64_t)(uint32_t)high << 32 | low;
    t->difference[t->now] = t->extremes[t->now] = 0;
}

/* The first difference of a sequence is its usual one. */
LAZ_INLINE void code_first(struct laz_coder *c, struct laz_time *t, int32_t difference, bool encode)
{
    difference = laz_integer(c, &t->value, 0, difference, FROM_NONE, encode);
    t->difference[t->now] = difference;
    t->extremes[t->now] = 0;
    t->last[t->now] += (uint64_t)(int64_t)difference;
}

/* --- decoding --- */

/* Returns whether another sequence was chosen, whose symbol then follows. */
static bool decode_step(struct laz_coder *c, struct laz_time *t)
{
    uint32_t repeats = t->repeats;
    if (t->difference[t->now] == 0) {
        uint32_t symbol = laz_symbol(c, t->of_none, 0, false);
        if (symbol == repeats)
            code_first(c, t, 0, false);
        else if (symbol == repeats + 1)
            code_full(c, t, 0, false);
        else if (symbol > repeats)
            t->now = (t->now + symbol - repeats - 1) & 3;
        return symbol > repeats + 1;
    }
    uint32_t symbol = laz_symbol(c, t->of_some, 0, false);
    if (symbol < FULL) {
        int32_t multiple = symbol <= MULTIPLES ? (int32_t)symbol : MULTIPLES - (int32_t)symbol;
        t->last[t->now] += (uint64_t)(int64_t)code_multiple(c, t, multiple, 0, false);
    } else if (symbol == FULL + repeats) {
        code_full(c, t, 0, false);
    } else if (symbol > FULL + repeats) {
        t->now = (t->now + symbol - FULL - repeats) & 3;
    }
    return symbol > FULL + repeats;
}

uint64_t laz_time_decode(struct laz_coder *c, struct laz_time *t)
{
    if (decode_step(c, t) && decode_step(c, t))
        c->bad = true; /* an encoder chooses the right sequence at once */
    return t->last[t->now];
}

/* --- encoding --- */

static bool is_near(const struct laz_time *t, uint32_t sequence, uint64_t time)
{
    int64_t difference = (int64_t)(time - t->last[sequence]);
    return difference == (int32_t)difference;
}

/* The multiple of the usual difference, rounded, within those that have symbols. */
static int32_t multiple_of(int32_t difference, int32_t usual)
{
    float ratio = (float)difference / (float)usual;
    if (ratio >= MULTIPLES)
        return MULTIPLES;
    if (ratio <= NEGATIVES)
        return NEGATIVES;
    return (int32_t)(ratio >= 0 ? ratio + 0.5f : ratio - 0.5f);
}

/* Codes a switch to another sequence that is near, or to a new one. */
static void encode_far(struct laz_coder *c, struct laz_time *t, uint64_t time)
{
    struct laz_model *m = t->difference[t->now] == 0 ? t->of_none : t->of_some;
    uint32_t full = (m == t->of_none ? 1 : FULL) + t->repeats;
    for (uint32_t i = 1; i < 4; i++) {
        if (!is_near(t, (t->now + i) & 3, time))
            continue;
        laz_symbol(c, m, full + i, true);
        t->now = (t->now + i) & 3;
        laz_time_encode(c, t, time); /* once: now it is near */
        return;
    }
    laz_symbol(c, m, full, true);
    code_full(c, t, time, true);
}

void laz_time_encode(struct laz_coder *c, struct laz_time *t, uint64_t time)
{
    bool none = t->difference[t->now] == 0;
    if (!is_near(t, t->now, time)) {
        encode_far(c, t, time);
        return;
    }
    int32_t difference = (int32_t)(time - t->last[t->now]);
    if (t->repeats && difference == 0) {
        laz_symbol(c, none ? t->of_none : t->of_some, none ? 0 : FULL, true);
    } else if (none) {
        laz_symbol(c, t->of_none, t->repeats, true);
        code_first(c, t, difference, true);
    } else {
        int32_t multiple = multiple_of(difference, t->difference[t->now]);
        uint32_t symbol = (uint32_t)(multiple >= 0 ? multiple : MULTIPLES - multiple);
        laz_symbol(c, t->of_some, symbol, true);
        code_multiple(c, t, multiple, difference, true);
        t->last[t->now] = time;
    }
}

/* --- GPSTIME11 --- */

static void bind_v2(void *state, struct arena *a, size_t size, bool encode)
{
    struct laz_time *t = state;
    (void)size;
    laz_time_bind(t, a, true, encode);
}

static void start_v2(struct laz_part *p, const unsigned char *first, uint32_t *channel)
{
    (void)channel;
    laz_time_start(p->state, little_get64(first));
}

static void decode_v2(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    (void)channel;
    little_put64(bytes, laz_time_decode(p->coders, p->state));
}

static void encode_v2(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    (void)channel;
    laz_time_encode(p->coders, p->state, little_get64(bytes));
}

const struct laz_kind laz_item_time_v2 = {.type = LAZ_GPSTIME11,
                                          .version = 2,
                                          .size = 8,
                                          .bind = bind_v2,
                                          .state = sizeof(struct laz_time),
                                          .start = start_v2,
                                          .decode = decode_v2,
                                          .encode = encode_v2};

/* Version 1 has one sequence and no negative multiples: symbols 0 to 509 are multiples, 510 is a
 * full time, 511 the same one. */
enum { MULTIPLES_V1 = 509, FULL_V1 = 510, SAME_V1 = 511 };

struct state_v1 {
    uint64_t last;
    int32_t difference, extremes;
    struct laz_model *of_none, *of_some;
    struct laz_integer value;
};

static void bind_v1(void *state, struct arena *a, size_t size, bool encode)
{
    struct state_v1 *t = state;
    (void)size;
    t->of_none = laz_model_array(a, 1, 3, encode);
    t->of_some = laz_model_array(a, 1, SAME_V1 + 1, encode);
    laz_integer_bind(&t->value, a, 32, 6, encode);
}

static void start_v1(struct laz_part *p, const unsigned char *first, uint32_t *channel)
{
    struct state_v1 *t = p->state;
    (void)channel;
    t->last = little_get64(first);
    t->difference = t->extremes = 0;
    laz_model_start(t->of_none);
    laz_model_start(t->of_some);
}

LAZ_INLINE int32_t code_multiple_v1(struct laz_coder *c, struct state_v1 *t, int32_t multiple,
                                    int32_t difference, bool encode)
{
    int32_t near = (int32_t)((uint32_t)multiple * (uint32_t)t->difference);
    uint32_t context = multiple == 1 ? 1 : multiple == 0 ? 2 : multiple < 10 ? 3 : 4;
    context += multiple >= 50;
    near = multiple == 0 ? t->difference / 4 : near;
    difference = laz_integer(c, &t->value, near, difference, context, encode);
    bool extreme = multiple == 0 || multiple == MULTIPLES_V1;
    t->extremes += extreme;
    if (multiple == 1 || (extreme && t->extremes > EXTREMES_MAX)) {
        t->difference = difference;
        t->extremes = 0;
    }
    return difference;
}

LAZ_INLINE void code_v1(struct laz_part *p, unsigned char *bytes, uint32_t *channel, bool encode)
{
    (void)channel;
    struct state_v1 *t = p->state;
    struct laz_coder *c = p->coders;
    uint64_t time = encode ? little_get64(bytes) : 0;
    int64_t far = (int64_t)(time - t->last);
    int32_t difference = (int32_t)far;
    bool near = far == difference;
    if (t->difference == 0) {
        uint32_t symbol = laz_symbol(c, t->of_none, far == 0 ? 0 : near ? 1 : 2, encode);
        if (symbol == 1) {
            t->difference = laz_integer(c, &t->value, 0, difference, 0, encode);
            t->last += (uint64_t)(int64_t)t->difference;
        } else if (symbol == 2) {
            t->last = laz_raw64(c, time, encode);
        }
    } else {
        int32_t multiple = encode && near ? multiple_of(difference, t->difference) : 0;
        uint32_t symbol = (uint32_t)(multiple > 0 ? multiple : 0);
        symbol = far == 0 ? SAME_V1 : near ? symbol : FULL_V1;
        symbol = laz_symbol(c, t->of_some, symbol, encode);
        if (symbol <= MULTIPLES_V1)
            t->last +=
                (uint64_t)(int64_t)code_multiple_v1(c, t, (int32_t)symbol, difference, encode);
        else if (symbol == FULL_V1)
            t->last = laz_raw64(c, time, encode);
    }
    if (!encode)
        little_put64(bytes, t->last);
}

LAZ_DIRECTIONS(_v1)

const struct laz_kind laz_item_time_v1 = {.type = LAZ_GPSTIME11,
                                          .version = 1,
                                          .size = 8,
                                          .bind = bind_v1,
                                          .state = sizeof(struct state_v1),
                                          .start = start_v1,
                                          .decode = decode_v1,
                                          .encode = encode_v1};
