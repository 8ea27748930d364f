/* The range coder of LAZ, see laz_arith.h: the ends of a stream, and adaptive models. */
#include "formats/laz_arith.h"

#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"

enum {
    SYMBOLS_MAX = 1 << 11,
    SMALL = 16,         /* alphabets up to this size need no table */
    BIT_CYCLE_MAX = 64, /* bits between updates */
    OUTPUT = 1 << 12    /* bytes an output grows by, at least */
};

/* --- the ends of a stream --- */

void laz_coder_read(struct laz_coder *c, const unsigned char *bytes, size_t len)
{
    static const unsigned char none[1];
    bytes = len ? bytes : none;
    /* never written through: `at` is shared with encoding */
    *c = (struct laz_coder){.at = (unsigned char *)bytes, .end = (unsigned char *)bytes + len};
    for (int i = 0; i < 4; i++) {
        c->length = LAZ_LENGTH_MIN >> 8; /* short by one byte */
        laz_coder_renormalise(c, false);
    }
    c->length = UINT32_MAX;
    c->bad = c->value == UINT32_MAX; /* value < length must hold */
    c->value -= c->bad;
}

void laz_coder_write(struct laz_coder *c)
{
    c->value = 0;
    c->length = UINT32_MAX;
    c->at = c->bytes;
    c->bad = false;
}

/* Grows the output. Without memory the output starts over and is marked bad. */
void laz_coder_grow(struct laz_coder *c)
{
    static unsigned char nowhere[OUTPUT];
    size_t used = c->bytes ? (size_t)(c->at - c->bytes) : 0;
    if (!c->bad && array_reserve(&c->bytes, (int64_t)used, OUTPUT, 1) == 0) {
        c->at = c->bytes + used;
        c->end = c->bytes + memory_size(c->bytes);
        return;
    }
    c->bad = true;
    c->at = c->bytes ? c->bytes : nowhere;
    c->end = c->bytes ? c->bytes + memory_size(c->bytes) : nowhere + OUTPUT;
}

void laz_coder_carry(struct laz_coder *c)
{
    unsigned char *first = c->bytes, *p = c->at;
    if (c->bad)
        return;
    while (p > first && *--p == 0xff)
        *p = 0;
    ++*p;
}

/* The shortest bytes within the interval, then as many zeros as the decoder reads ahead. */
void laz_coder_finish(struct laz_coder *c)
{
    bool wide = c->length > 2 * LAZ_LENGTH_MIN;
    laz_coder_move(c, wide ? LAZ_LENGTH_MIN : LAZ_LENGTH_MIN >> 1);
    c->length = wide ? LAZ_LENGTH_MIN >> 1 : LAZ_LENGTH_MIN >> 9;
    laz_coder_renormalise(c, true);
    for (int i = 0; i < (wide ? 3 : 2); i++) {
        if (c->at == c->end)
            laz_coder_grow(c);
        *c->at++ = 0;
    }
}

void laz_coder_free(struct laz_coder *c)
{
    memory_free(c->bytes);
    *c = (struct laz_coder){0};
}

/* --- models --- */

void laz_model_bind(struct laz_model *m, struct arena *a, uint32_t symbols, bool encode)
{
    uint32_t table_bits = 3;
    ASSERT(symbols >= 2 && symbols <= SYMBOLS_MAX);
    while (symbols > 1u << (table_bits + 2))
        table_bits++;
    size_t table = encode || symbols <= SMALL ? 0 : ((size_t)1 << table_bits) + 2;
    uint16_t *memory = arena_take(a, 2 * (size_t)symbols + table, sizeof *memory);
    if (!memory)
        return; /* measuring */
    *m = (struct laz_model){.symbols = (uint16_t)symbols,
                            .shift = (uint16_t)(LAZ_SYMBOL_SHIFT - table_bits),
                            .distribution = memory,
                            .counts = memory + symbols,
                            .table = table ? memory + 2 * symbols : NULL};
}

struct laz_model *laz_model_array(struct arena *a, uint32_t n, uint32_t symbols, bool encode)
{
    struct laz_model *models = arena_take(a, n, sizeof *models);
    for (uint32_t i = 0; i < n; i++)
        laz_model_bind(models ? &models[i] : NULL, a, symbols, encode);
    return models;
}

static void halve_counts(struct laz_model *m)
{
    m->total = 0;
    for (uint32_t i = 0; i < m->symbols; i++) {
        m->counts[i] = (uint16_t)((m->counts[i] + 1) >> 1);
        m->total += m->counts[i];
    }
}

/* table[t]: the last symbol whose distribution is at most t << shift. */
static void fill_table(struct laz_model *m)
{
    uint32_t entries = 1u << (LAZ_SYMBOL_SHIFT - m->shift), t = 0;
    for (uint32_t i = 0; i < m->symbols; i++)
        for (uint32_t to = m->distribution[i] >> m->shift; t < to;)
            m->table[++t] = (uint16_t)(i - 1);
    m->table[0] = 0;
    while (t <= entries)
        m->table[++t] = (uint16_t)(m->symbols - 1);
}

/* Updates become rarer as a model ages. */
void laz_model_update(struct laz_model *m)
{
    m->total += m->cycle;
    if (m->total > 1 << LAZ_SYMBOL_SHIFT)
        halve_counts(m);
    uint32_t scale = (1u << 31) / m->total, sum = 0;
    for (uint32_t i = 0; i < m->symbols; i++) {
        m->distribution[i] = (uint16_t)(scale * sum >> (31 - LAZ_SYMBOL_SHIFT));
        sum += m->counts[i];
    }
    if (m->table)
        fill_table(m);
    uint32_t longest = (m->symbols + 6u) << 3;
    m->cycle = 5 * m->cycle >> 2;
    m->cycle = m->cycle < longest ? m->cycle : longest;
    m->left = m->cycle;
}

void laz_model_start(struct laz_model *m)
{
    for (uint32_t i = 0; i < m->symbols; i++)
        m->counts[i] = 1;
    m->total = 0;
    m->cycle = m->symbols;
    laz_model_update(m);
    m->left = m->cycle = (m->symbols + 6u) >> 1;
}

void laz_bit_start(struct laz_bit *m)
{
    *m = (struct laz_bit){
        .zero = 1u << (LAZ_BIT_SHIFT - 1), .zeros = 1, .total = 2, .cycle = 4, .left = 4};
}

void laz_bit_update(struct laz_bit *m)
{
    m->total += m->cycle;
    if (m->total > 1 << LAZ_BIT_SHIFT) {
        m->total = (m->total + 1) >> 1;
        m->zeros = (m->zeros + 1) >> 1;
        m->total += m->zeros == m->total;
    }
    m->zero = ((1u << 31) / m->total * m->zeros) >> (31 - LAZ_BIT_SHIFT);
    m->cycle = 5 * m->cycle >> 2;
    m->cycle = m->cycle < BIT_CYCLE_MAX ? m->cycle : BIT_CYCLE_MAX;
    m->left = m->cycle;
}

void laz_integer_bind(struct laz_integer *x, struct arena *a, uint32_t bits, uint32_t contexts,
                      bool encode)
{
    struct laz_model *sizes = laz_model_array(a, contexts, bits + 1, encode);
    struct laz_model *high = arena_take(a, bits + 1, sizeof *high);
    for (uint32_t k = 1; k <= bits; k++)
        laz_model_bind(high ? &high[k] : NULL, a, 1u << (k < LAZ_HIGH_BITS ? k : LAZ_HIGH_BITS),
                       encode);
    if (!high)
        return;
    *x = (struct laz_integer){.bits = bits, .sizes = sizes, .high = high};
    laz_bit_start(&x->bit);
}
