/* LAZ items of extra bytes: BYTE (versions 1 and 2) and BYTE14. Every byte is coded separately, as
 * the difference from its last value. */
#include "core/arena.h"
#include "formats/laz_arith.h"
#include "formats/laz_items.h"

#include <string.h>

struct state {
    uint32_t current;
    bool used[LAZ_CHANNELS];
    unsigned char *last[LAZ_CHANNELS];      /* (size) each */
    struct laz_model *models[LAZ_CHANNELS]; /* (size) each */
    struct laz_integer value;               /* version 1 */
};

static void bind(void *state, struct arena *a, size_t size, bool encode, int channels)
{
    struct state *s = state;
    for (int i = 0; i < channels; i++) {
        s->last[i] = arena_take(a, size, 1);
        s->models[i] = laz_model_array(a, (uint32_t)size, 256, encode);
    }
}

static void bind_v1(void *state, struct arena *a, size_t size, bool encode)
{
    struct state *s = state;
    s->last[0] = arena_take(a, size, 1);
    laz_integer_bind(&s->value, a, 8, (uint32_t)size, encode);
}

static void bind_v2(void *state, struct arena *a, size_t size, bool encode)
{
    bind(state, a, size, encode, 1);
}

static void bind14(void *state, struct arena *a, size_t size, bool encode)
{
    bind(state, a, size, encode, LAZ_CHANNELS);
}

static void start(struct laz_part *p, const unsigned char *first, uint32_t *channel)
{
    struct state *s = p->state;
    s->current = p->used ? *channel : 0; /* BYTE has one channel */
    for (uint32_t i = 0; i < LAZ_CHANNELS; i++)
        s->used[i] = i == s->current;
    memcpy(s->last[s->current], first, p->size);
}

/* --- BYTE --- */

static void decode_v1(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    struct state *s = p->state;
    (void)channel;
    for (size_t i = 0; i < p->size; i++)
        bytes[i] =
            (unsigned char)laz_integer(p->coders, &s->value, s->last[0][i], 0, (uint32_t)i, false);
    memcpy(s->last[0], bytes, p->size);
}

static void encode_v1(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    struct state *s = p->state;
    (void)channel;
    for (size_t i = 0; i < p->size; i++)
        laz_integer(p->coders, &s->value, s->last[0][i], bytes[i], (uint32_t)i, true);
    memcpy(s->last[0], bytes, p->size);
}

/* The next value of a byte. */
LAZ_INLINE unsigned char code_byte(struct laz_coder *c, struct laz_model *m, unsigned char last,
                                   unsigned char now, bool encode)
{
    uint32_t difference = (unsigned char)(now - last);
    return (unsigned char)(last + laz_symbol_lazy(c, m, difference, encode));
}

static void decode_v2(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    struct state *s = p->state;
    (void)channel;
    for (size_t i = 0; i < p->size; i++)
        bytes[i] = s->last[0][i] = code_byte(p->coders, &s->models[0][i], s->last[0][i], 0, false);
}

static void encode_v2(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    struct state *s = p->state;
    (void)channel;
    for (size_t i = 0; i < p->size; i++)
        s->last[0][i] = code_byte(p->coders, &s->models[0][i], s->last[0][i], bytes[i], true);
}

const struct laz_kind laz_item_bytes_v1 = {.type = LAZ_BYTE,
                                           .version = 1,
                                           .bind = bind_v1,
                                           .state = sizeof(struct state),
                                           .start = start,
                                           .decode = decode_v1,
                                           .encode = encode_v1};
const struct laz_kind laz_item_bytes_v2 = {.type = LAZ_BYTE,
                                           .version = 2,
                                           .bind = bind_v2,
                                           .state = sizeof(struct state),
                                           .start = start,
                                           .decode = decode_v2,
                                           .encode = encode_v2};

/* --- BYTE14: a layer for every byte --- */

/* As for colours: a channel seen before keeps the bug of version 3. */
static unsigned char *switch_channel(struct laz_part *p, uint32_t channel)
{
    struct state *s = p->state;
    unsigned char *last = s->last[s->current];
    if (s->current == channel)
        return last;
    s->current = channel;
    if (s->used[channel])
        return last;
    s->used[channel] = true;
    memcpy(s->last[channel], last, p->size);
    return s->last[channel];
}

static void decode14(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    unsigned char *last = switch_channel(p, *channel);
    struct laz_model *models = ((struct state *)p->state)->models[*channel];
    for (size_t i = 0; i < p->size; i++)
        if (p->used[i])
            last[i] = code_byte(&p->coders[i], &models[i], last[i], 0, false);
    memcpy(bytes, last, p->size);
}

static void encode14(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    unsigned char *last = switch_channel(p, *channel);
    struct laz_model *models = ((struct state *)p->state)->models[*channel];
    for (size_t i = 0; i < p->size; i++) {
        p->used[i] |= bytes[i] != last[i];
        last[i] = code_byte(&p->coders[i], &models[i], last[i], bytes[i], true);
    }
}

const struct laz_kind laz_item_bytes14 = {.type = LAZ_BYTE14,
                                          .version = 3,
                                          .layers = LAZ_LAYER_PER_BYTE,
                                          .bind = bind14,
                                          .state = sizeof(struct state),
                                          .start = start,
                                          .decode = decode14,
                                          .encode = encode14};
