/* The range coder of LAZ: adaptive models of symbols and bits, and integers coded as the difference
 * from a prediction.
 *
 * References: A. Said, "Introduction to Arithmetic Coding", HP Labs report HPL-2004-76;
 * M. Isenburg, "LASzip: lossless compression of LiDAR data", 2013.
 *
 * One function codes a value in both directions: it writes `value` when `encode` is true, reads it
 * otherwise, and returns it. So an item is described once, and the decoder always mirrors the
 * encoder. `encode` is a constant wherever these functions are called.
 *
 * Decoding is safe on any bytes. The invariant is value < length: then every symbol found is one of
 * the model, whatever the bytes are. Past the end of the bytes zeros are read and counted; `bad`
 * means that no encoder produced the bytes. The caller checks both once, at the end. */
#ifndef FORMATS_LAZ_ARITH_H
#define FORMATS_LAZ_ARITH_H

#include "core/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAZ_LENGTH_MIN = 1 << 24, /* shorter intervals are renormalised */
    LAZ_SYMBOL_SHIFT = 15,    /* bits of a symbol's probability */
    LAZ_BIT_SHIFT = 13,       /* and of a bit's */
    LAZ_RAW_BITS = 19,        /* bits coded in one step without a model, at most */
    LAZ_HIGH_BITS = 8         /* bits of an integer's difference that have a model */
};

struct laz_coder {
    uint32_t value;  /* decoding: where in the interval; encoding: the interval's base */
    uint32_t length; /* of the interval */
    unsigned char *at, *end;
    unsigned char *bytes; /* encoding: the output, of memory_alloc; `end` is its capacity */
    size_t missing;       /* decoding: bytes read past the end */
    bool bad;             /* damaged, or encoding without memory */
};

struct laz_model {
    uint32_t total, cycle, left; /* symbols counted; between updates; until the next one */
    uint16_t symbols, shift;
    uint16_t *distribution; /* (symbols) */
    uint16_t *counts;       /* (symbols) */
    uint16_t *table;        /* decoding large alphabets: where to search, else NULL */
};

struct laz_bit {
    uint32_t zero, zeros, total, cycle, left;
};

/* An integer of `bits` bits as its difference from a prediction: the size k of the difference, then
 * its high bits with a model, then the others unmodelled. */
struct laz_integer {
    uint32_t bits, k;        /* k: of the last one coded; a context for other integers */
    struct laz_model *sizes; /* (contexts) */
    struct laz_bit bit;      /* k = 0: the difference is 0 or 1 */
    struct laz_model *high;  /* (bits + 1), by k; started on first use */
};

/* The bytes still belong to the caller and are not changed. */
void laz_coder_read(struct laz_coder *c, const unsigned char *bytes, size_t len);
void laz_coder_write(struct laz_coder *c);  /* earlier output is kept as capacity */
void laz_coder_finish(struct laz_coder *c); /* encoding: the last bytes, up to `at` */
void laz_coder_free(struct laz_coder *c);
/* The slow paths of the functions below. */
void laz_coder_grow(struct laz_coder *c);
void laz_coder_carry(struct laz_coder *c);
void laz_model_update(struct laz_model *m);
void laz_bit_update(struct laz_bit *m);

/* Takes a model's memory from an arena, which may be measuring. */
void laz_model_bind(struct laz_model *m, struct arena *a, uint32_t symbols, bool encode);
void laz_model_start(struct laz_model *m); /* all symbols alike */
struct laz_model *laz_model_array(struct arena *a, uint32_t n, uint32_t symbols, bool encode);
void laz_bit_start(struct laz_bit *m);
void laz_integer_bind(struct laz_integer *x, struct arena *a, uint32_t bits, uint32_t contexts,
                      bool encode);

#define LAZ_INLINE static inline __attribute__((always_inline))

LAZ_INLINE void laz_coder_renormalise(struct laz_coder *c, bool encode)
{
    while (c->length < LAZ_LENGTH_MIN) {
        if (encode) {
            if (__builtin_expect(c->at == c->end, 0))
                laz_coder_grow(c);
            *c->at++ = (unsigned char)(c->value >> 24);
            c->value <<= 8;
        } else {
            bool here = c->at < c->end;
            c->value = c->value << 8 | (here ? *c->at : 0);
            c->at += here;
            c->missing += !here;
        }
        c->length <<= 8;
    }
}

/* Encoding: moves the base up by x. */
LAZ_INLINE void laz_coder_move(struct laz_coder *c, uint32_t x)
{
    uint32_t base = c->value;
    c->value += x;
    if (c->value < base)
        laz_coder_carry(c);
}

/* The symbol that dv falls on: the table narrows it down, bisection finds it. */
LAZ_INLINE uint32_t laz_model_find(const struct laz_model *m, uint32_t dv)
{
    uint32_t t = dv >> m->shift, low = m->table[t], high = m->table[t + 1] + 1u;
    while (high > low + 1) {
        uint32_t middle = (low + high) >> 1;
        bool above = m->distribution[middle] > dv;
        high = above ? middle : high;
        low = above ? low : middle;
    }
    return low;
}

/* The same by products, for alphabets too small for a table. */
LAZ_INLINE uint32_t laz_model_search(const struct laz_model *m, uint32_t value, uint32_t length)
{
    uint32_t low = 0, high = m->symbols;
    while (high > low + 1) {
        uint32_t middle = (low + high) >> 1;
        bool above = m->distribution[middle] * length > value;
        high = above ? middle : high;
        low = above ? low : middle;
    }
    return low;
}

LAZ_INLINE uint32_t laz_symbol(struct laz_coder *c, struct laz_model *m, uint32_t value,
                               bool encode)
{
    uint32_t l = c->length >> LAZ_SYMBOL_SHIFT;
    if (!encode)
        value = m->table ? laz_model_find(m, c->value / l) : laz_model_search(m, c->value, l);
    uint32_t low = m->distribution[value] * l;
    uint32_t high = value + 1 == m->symbols ? c->length : m->distribution[value + 1] * l;
    if (encode)
        laz_coder_move(c, low);
    else
        c->value -= low;
    c->length = high - low;
    laz_coder_renormalise(c, encode);
    m->counts[value]++;
    if (--m->left == 0)
        laz_model_update(m);
    return value;
}

/* The same for a model that may not have been started. */
LAZ_INLINE uint32_t laz_symbol_lazy(struct laz_coder *c, struct laz_model *m, uint32_t value,
                                    bool encode)
{
    if (__builtin_expect(m->total == 0, 0))
        laz_model_start(m);
    return laz_symbol(c, m, value, encode);
}

LAZ_INLINE uint32_t laz_bit(struct laz_coder *c, struct laz_bit *m, uint32_t value, bool encode)
{
    uint32_t x = m->zero * (c->length >> LAZ_BIT_SHIFT);
    if (!encode)
        value = c->value >= x;
    if (value) {
        if (encode)
            laz_coder_move(c, x);
        else
            c->value -= x;
        c->length -= x;
    } else {
        c->length = x;
        m->zeros++;
    }
    laz_coder_renormalise(c, encode);
    if (--m->left == 0)
        laz_bit_update(m);
    return value;
}

/* At most LAZ_RAW_BITS bits without a model. */
LAZ_INLINE uint32_t laz_raw(struct laz_coder *c, uint32_t bits, uint32_t value, bool encode)
{
    c->length >>= bits;
    if (encode) {
        laz_coder_move(c, value * c->length);
    } else {
        value = c->value / c->length;
        c->value -= value * c->length;
        c->bad |= value >> bits != 0;
        value &= (1u << bits) - 1;
    }
    laz_coder_renormalise(c, encode);
    return value;
}

LAZ_INLINE uint32_t laz_raw32(struct laz_coder *c, uint32_t value, bool encode)
{
    uint32_t low = laz_raw(c, 16, value & 0xffff, encode);
    return laz_raw(c, 16, value >> 16, encode) << 16 | low;
}

LAZ_INLINE uint64_t laz_raw64(struct laz_coder *c, uint64_t value, bool encode)
{
    uint64_t low = laz_raw32(c, (uint32_t)value, encode);
    return (uint64_t)laz_raw32(c, (uint32_t)(value >> 32), encode) << 32 | low;
}

/* Up to 31 bits. */
LAZ_INLINE uint32_t laz_raw_long(struct laz_coder *c, uint32_t bits, uint32_t value, bool encode)
{
    if (bits <= LAZ_RAW_BITS)
        return laz_raw(c, bits, value, encode);
    uint32_t low = laz_raw(c, 16, value & 0xffff, encode);
    return laz_raw(c, bits - 16, value >> 16, encode) << 16 | low;
}

/* The difference, k known: k = 0 has 0 and 1; k > 0 has 1 - 2^k .. -2^(k-1) and 2^(k-1)+1 .. 2^k,
 * numbered from 0. */
LAZ_INLINE int32_t laz_integer_within(struct laz_coder *c, struct laz_integer *x, uint32_t k,
                                      int32_t difference, bool encode)
{
    if (k == 0)
        return (int32_t)laz_bit(c, &x->bit, (uint32_t)difference, encode);
    if (k == 32)
        return INT32_MIN;
    uint32_t span = (1u << k) - 1, number = 0;
    if (encode)
        number = (uint32_t)difference + (difference < 0 ? span : UINT32_MAX);
    uint32_t low = k > LAZ_HIGH_BITS ? k - LAZ_HIGH_BITS : 0;
    uint32_t high = laz_symbol_lazy(c, &x->high[k], number >> low, encode);
    if (low)
        number = high << low | laz_raw_long(c, low, number & ((1u << low) - 1), encode);
    else
        number = high;
    return (int32_t)(number + (number >> (k - 1) ? 1 : 0u - span));
}

LAZ_INLINE uint32_t laz_integer_size(int32_t difference)
{
    uint32_t distance = difference <= 0 ? 0u - (uint32_t)difference : (uint32_t)difference - 1;
    return distance ? 32u - (uint32_t)__builtin_clz(distance) : 0;
}

/* Arithmetic is modulo 2^bits. */
LAZ_INLINE int32_t laz_integer(struct laz_coder *c, struct laz_integer *x, int32_t prediction,
                               int32_t value, uint32_t context, bool encode)
{
    int32_t difference = 0;
    if (encode) {
        difference = (int32_t)((uint32_t)value - (uint32_t)prediction);
        if (x->bits < 32) {
            int32_t range = 1 << x->bits;
            if (difference < -(range / 2))
                difference += range;
            else if (difference > range / 2 - 1)
                difference -= range;
        }
        x->k = laz_integer_size(difference);
    }
    struct laz_model *sizes = &x->sizes[context];
    x->k = laz_symbol_lazy(c, sizes, x->k, encode);
    difference = laz_integer_within(c, x, x->k, difference, encode);
    uint32_t real = (uint32_t)prediction + (uint32_t)difference;
    return (int32_t)(x->bits < 32 ? real & ((1u << x->bits) - 1) : real);
}

#endif
