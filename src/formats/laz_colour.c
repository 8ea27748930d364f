/* LAZ items of colour: RGB12 (versions 1 and 2), RGB14 and RGBNIR14.
 *
 * Changed bytes of red, green and blue are coded separately. Green is predicted from the change of
 * red, blue from both; grey has a symbol of its own. */
#include "core/arena.h"
#include "formats/laz_arith.h"
#include "formats/laz_items.h"
#include "formats/little.h"

#include <string.h>

enum { RED, GREEN, BLUE, NIR, COLOURS = 3 };
enum { NOT_GREY = 1 << 6 };

struct rgb {
    struct laz_model *changed;  /* (1) */
    struct laz_model *bytes[6]; /* (1) each: low and high byte of red, green, blue */
};

static void unpack(uint16_t *to, const unsigned char *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = little_get16(from + 2 * i);
}

static void pack(unsigned char *to, const uint16_t *from, int n)
{
    for (int i = 0; i < n; i++)
        little_put16(to + 2 * i, from[i]);
}

static void bind_rgb(struct rgb *m, struct arena *a, bool encode)
{
    m->changed = laz_model_array(a, 1, 128, encode);
    for (int i = 0; i < 6; i++)
        m->bytes[i] = laz_model_array(a, 1, 256, encode);
}

/* Byte 0 or 1 of a colour. */
static int byte_of(uint16_t colour, int which)
{
    return colour >> (8 * which) & 255;
}

/* Which bytes changed, and whether the colour is not grey. */
static uint32_t changes(const uint16_t *now, const uint16_t *last)
{
    uint32_t changed = 0;
    for (int i = 0; i < 6; i++)
        changed |= (uint32_t)(byte_of(now[i / 2], i % 2) != byte_of(last[i / 2], i % 2)) << i;
    return now[RED] != now[GREEN] || now[RED] != now[BLUE] ? changed | NOT_GREY : changed;
}

/* A byte near its prediction, modulo 256. */
LAZ_INLINE int code_byte(struct laz_coder *c, struct laz_model *m, int prediction, int byte,
                         bool encode)
{
    prediction = prediction < 0 ? 0 : prediction > 255 ? 255 : prediction;
    uint32_t difference = (uint8_t)(byte - prediction);
    return (uint8_t)(prediction + (int)laz_symbol_lazy(c, m, difference, encode));
}

/* Byte `which` of green, then of blue. */
LAZ_INLINE void code_green_blue(struct laz_coder *c, struct rgb *m, uint16_t *now,
                                const uint16_t *last, uint32_t changed, int which, bool encode)
{
    int red = byte_of(now[RED], which) - byte_of(last[RED], which);
    int green = byte_of(last[GREEN], which), blue = byte_of(last[BLUE], which), was = green;
    if (changed & 1u << (2 + which))
        green = code_byte(c, m->bytes[2 + which], red + green, byte_of(now[GREEN], which), encode);
    if (changed & 1u << (4 + which))
        blue = code_byte(c, m->bytes[4 + which], (red + green - was) / 2 + blue,
                         byte_of(now[BLUE], which), encode);
    if (!encode) {
        now[GREEN] = (uint16_t)(now[GREEN] | green << (8 * which));
        now[BLUE] = (uint16_t)(now[BLUE] | blue << (8 * which));
    }
}

LAZ_INLINE void code_rgb(struct laz_coder *c, struct rgb *m, uint16_t *now, const uint16_t *last,
                         bool encode)
{
    uint32_t changed = encode ? changes(now, last) : 0;
    changed = laz_symbol_lazy(c, m->changed, changed, encode);
    int low = byte_of(last[RED], 0), high = byte_of(last[RED], 1);
    if (changed & 1)
        low = code_byte(c, m->bytes[0], low, byte_of(now[RED], 0), encode);
    if (changed & 2)
        high = code_byte(c, m->bytes[1], high, byte_of(now[RED], 1), encode);
    if (!encode) {
        now[RED] = (uint16_t)(low | high << 8);
        now[GREEN] = now[BLUE] = changed & NOT_GREY ? 0 : now[RED];
    }
    for (int which = 0; changed & NOT_GREY && which < 2; which++)
        code_green_blue(c, m, now, last, changed, which, encode);
}

/* --- RGB12, version 2 --- */

struct state_v2 {
    struct rgb models;
    uint16_t last[COLOURS];
};

static void bind_v2(void *state, struct arena *a, size_t size, bool encode)
{
    struct state_v2 *s = state;
    (void)size;
    bind_rgb(&s->models, a, encode);
}

static void start_v2(struct laz_part *p, const unsigned char *first, uint32_t *channel)
{
    struct state_v2 *s = p->state;
    (void)channel;
    unpack(s->last, first, COLOURS);
}

LAZ_INLINE void code_v2(struct laz_part *p, unsigned char *bytes, uint32_t *channel, bool encode)
{
    (void)channel;
    struct state_v2 *s = p->state;
    uint16_t now[COLOURS] = {0};
    if (encode)
        unpack(now, bytes, COLOURS);
    code_rgb(p->coders, &s->models, now, s->last, encode);
    memcpy(s->last, now, sizeof now);
    if (!encode)
        pack(bytes, now, COLOURS);
}

LAZ_DIRECTIONS(_v2)

const struct laz_kind laz_item_colour_v2 = {.type = LAZ_RGB12,
                                            .version = 2,
                                            .size = 6,
                                            .bind = bind_v2,
                                            .state = sizeof(struct state_v2),
                                            .start = start_v2,
                                            .decode = decode_v2,
                                            .encode = encode_v2};

/* --- RGB12, version 1: every byte predicted by its last value --- */

struct state_v1 {
    struct laz_model *changed; /* (1) */
    struct laz_integer value;
    unsigned char last[6];
};

static void bind_v1(void *state, struct arena *a, size_t size, bool encode)
{
    struct state_v1 *s = state;
    (void)size;
    s->changed = laz_model_array(a, 1, 64, encode);
    laz_integer_bind(&s->value, a, 8, 6, encode);
}

static void start_v1(struct laz_part *p, const unsigned char *first, uint32_t *channel)
{
    struct state_v1 *s = p->state;
    (void)channel;
    memcpy(s->last, first, sizeof s->last);
}

LAZ_INLINE void code_v1(struct laz_part *p, unsigned char *bytes, uint32_t *channel, bool encode)
{
    (void)channel;
    struct state_v1 *s = p->state;
    uint32_t changed = 0;
    for (int i = 0; encode && i < 6; i++)
        changed |= (uint32_t)(bytes[i] != s->last[i]) << i;
    changed = laz_symbol_lazy(p->coders, s->changed, changed, encode);
    for (uint32_t i = 0; i < 6; i++)
        if (changed & 1u << i)
            s->last[i] = (unsigned char)laz_integer(p->coders, &s->value, s->last[i],
                                                    encode ? bytes[i] : 0, i, encode);
    memcpy(bytes, s->last, sizeof s->last);
}

LAZ_DIRECTIONS(_v1)

const struct laz_kind laz_item_colour_v1 = {.type = LAZ_RGB12,
                                            .version = 1,
                                            .size = 6,
                                            .bind = bind_v1,
                                            .state = sizeof(struct state_v1),
                                            .start = start_v1,
                                            .decode = decode_v1,
                                            .encode = encode_v1};

/* --- RGB14 and RGBNIR14 --- */

struct channel {
    bool used;
    struct rgb rgb;
    struct laz_model *nir_changed, *nir[2]; /* (1) each */
    uint16_t last[COLOURS + 1];
};

struct state14 {
    uint32_t current;
    struct channel channels[LAZ_CHANNELS];
};

static void bind14(void *state, struct arena *a, size_t size, bool encode)
{
    struct state14 *s = state;
    for (int i = 0; i < LAZ_CHANNELS; i++) {
        struct channel *x = &s->channels[i];
        bind_rgb(&x->rgb, a, encode);
        if (size == 6)
            continue;
        x->nir_changed = laz_model_array(a, 1, 4, encode);
        for (int k = 0; k < 2; k++)
            x->nir[k] = laz_model_array(a, 1, 256, encode);
    }
}

static void start14(struct laz_part *p, const unsigned char *first, uint32_t *channel)
{
    struct state14 *s = p->state;
    for (uint32_t i = 0; i < LAZ_CHANNELS; i++)
        s->channels[i].used = i == *channel;
    s->current = *channel;
    unpack(s->channels[*channel].last, first, (int)p->size / 2);
}

/* The colour that predicts the next one. For a channel seen before it is still that of the last
 * point, which also overwrites the channel's: a known bug of version 3, which all readers keep. */
static uint16_t *switch_channel(struct state14 *s, uint32_t channel)
{
    uint16_t *last = s->channels[s->current].last;
    if (s->current == channel)
        return last;
    struct channel *x = &s->channels[channel];
    s->current = channel;
    if (x->used)
        return last;
    x->used = true;
    memcpy(x->last, last, sizeof x->last);
    return x->last;
}

LAZ_INLINE void code_nir(struct laz_coder *c, struct channel *x, uint16_t *now, uint16_t last,
                         bool encode)
{
    int bytes[2] = {byte_of(last, 0), byte_of(last, 1)};
    uint32_t changed =
        (uint32_t)(byte_of(*now, 0) != bytes[0]) | (uint32_t)(byte_of(*now, 1) != bytes[1]) << 1;
    changed = laz_symbol_lazy(c, x->nir_changed, changed, encode);
    for (int k = 0; k < 2; k++)
        if (changed & 1u << k)
            bytes[k] = code_byte(c, x->nir[k], bytes[k], byte_of(*now, k), encode);
    *now = (uint16_t)(bytes[0] | bytes[1] << 8);
}

LAZ_INLINE void code14(struct laz_part *p, unsigned char *bytes, uint32_t *channel, bool encode)
{
    struct state14 *s = p->state;
    uint16_t now[COLOURS + 1] = {0}, *last = switch_channel(s, *channel);
    struct channel *x = &s->channels[*channel];
    int n = p->size == 6 ? COLOURS : COLOURS + 1;
    if (encode) {
        unpack(now, bytes, n);
        p->used[0] |= memcmp(now, last, COLOURS * sizeof *now) != 0;
        if (n > NIR)
            p->used[1] |= now[NIR] != last[NIR];
    } else {
        memcpy(now, last, sizeof now);
    }
    if (encode || p->used[0])
        code_rgb(&p->coders[0], &x->rgb, now, last, encode);
    if (n > NIR && (encode || p->used[1]))
        code_nir(&p->coders[1], x, &now[NIR], last[NIR], encode);
    memcpy(last, now, sizeof now);
    if (!encode)
        pack(bytes, now, n);
}

LAZ_DIRECTIONS(14)

const struct laz_kind laz_item_rgb14 = {.type = LAZ_RGB14,
                                        .version = 3,
                                        .size = 6,
                                        .layers = 1,
                                        .bind = bind14,
                                        .state = sizeof(struct state14),
                                        .start = start14,
                                        .decode = decode14,
                                        .encode = encode14};
const struct laz_kind laz_item_rgbnir14 = {.type = LAZ_RGBNIR14,
                                           .version = 3,
                                           .size = 8,
                                           .layers = 2,
                                           .bind = bind14,
                                           .state = sizeof(struct state14),
                                           .start = start14,
                                           .decode = decode14,
                                           .encode = encode14};
