/* LAZ items of waveform packets: WAVEPACKET13 (version 1) and WAVEPACKET14. */
#include "core/arena.h"
#include "formats/laz_arith.h"
#include "formats/laz_items.h"
#include "formats/little.h"

#include <string.h>

enum { SIZE = 29, NUMBERS = 5 }; /* packet size, return point, x, y, z */

struct packet {
    uint8_t index;
    uint64_t offset;
    int32_t numbers[NUMBERS];
};

struct channel {
    bool used;
    struct packet last;
    int32_t difference;              /* of the last offset that did not follow the one before */
    uint32_t step;                   /* how the last offset was coded */
    struct laz_model *index, *steps; /* (1), (4) by the last step */
    struct laz_integer differences, size, point, xyz;
};

struct state {
    uint32_t current;
    struct channel channels[LAZ_CHANNELS];
};

static struct packet unpack(const unsigned char *from)
{
    struct packet p = {.index = from[0], .offset = little_get64(from + 1)};
    for (int i = 0; i < NUMBERS; i++)
        p.numbers[i] = (int32_t)little_get32(from + 9 + 4 * i);
    return p;
}

static void pack(unsigned char *to, const struct packet *p)
{
    to[0] = p->index;
    little_put64(to + 1, p->offset);
    for (int i = 0; i < NUMBERS; i++)
        little_put32(to + 9 + 4 * i, (uint32_t)p->numbers[i]);
}

static void bind(void *state, struct arena *a, bool encode, int channels)
{
    struct state *s = state;
    for (int i = 0; i < channels; i++) {
        struct channel *x = &s->channels[i];
        x->index = laz_model_array(a, 1, 256, encode);
        x->steps = laz_model_array(a, 4, 4, encode);
        laz_integer_bind(&x->differences, a, 32, 1, encode);
        laz_integer_bind(&x->size, a, 32, 1, encode);
        laz_integer_bind(&x->point, a, 32, 1, encode);
        laz_integer_bind(&x->xyz, a, 32, 3, encode);
    }
}

static void bind13(void *state, struct arena *a, size_t size, bool encode)
{
    (void)size;
    bind(state, a, encode, 1);
}

static void bind14(void *state, struct arena *a, size_t size, bool encode)
{
    (void)size;
    bind(state, a, encode, LAZ_CHANNELS);
}

static void begin(struct channel *x, const struct packet *last)
{
    x->used = true;
    x->difference = 0;
    x->step = 0;
    x->last = *last;
}

static void start(struct laz_part *p, const unsigned char *first, uint32_t *channel)
{
    struct state *s = p->state;
    struct packet last = unpack(first);
    for (int i = 0; i < LAZ_CHANNELS; i++)
        s->channels[i].used = false;
    s->current = p->used ? *channel : 0; /* WAVEPACKET13 has one channel */
    begin(&s->channels[s->current], &last);
}

/* 0: the same offset, 1: after the last packet, 2: a difference of 32 bits, 3: any. */
static uint32_t step_of(const struct packet *now, const struct packet *last)
{
    int64_t difference = (int64_t)(now->offset - last->offset);
    if (difference != (int32_t)difference)
        return 3;
    return difference == 0 ? 0 : difference == last->numbers[0] ? 1 : 2;
}

LAZ_INLINE void code_offset(struct laz_coder *c, struct channel *x, struct packet *now,
                            const struct packet *last, bool encode)
{
    x->step = laz_symbol_lazy(c, &x->steps[x->step], encode ? step_of(now, last) : 0, encode);
    if (x->step == 0) {
        now->offset = last->offset;
    } else if (x->step == 1) {
        now->offset = last->offset + (uint32_t)last->numbers[0];
    } else if (x->step == 2) {
        int32_t difference = (int32_t)(now->offset - last->offset);
        x->difference = laz_integer(c, &x->differences, x->difference, difference, 0, encode);
        now->offset = last->offset + (uint64_t)(int64_t)x->difference;
    } else {
        now->offset = laz_raw64(c, now->offset, encode);
    }
}

LAZ_INLINE void code_packet(struct laz_coder *c, struct channel *x, struct packet *now,
                            const struct packet *last, bool encode)
{
    now->index = (uint8_t)laz_symbol_lazy(c, x->index, now->index, encode);
    code_offset(c, x, now, last, encode);
    int32_t *to = now->numbers;
    const int32_t *from = last->numbers;
    to[0] = laz_integer(c, &x->size, from[0], to[0], 0, encode);
    to[1] = laz_integer(c, &x->point, from[1], to[1], 0, encode);
    for (uint32_t i = 0; i < 3; i++)
        to[2 + i] = laz_integer(c, &x->xyz, from[2 + i], to[2 + i], i, encode);
}

static void decode13(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    struct channel *x = &((struct state *)p->state)->channels[0];
    struct packet now = x->last;
    (void)channel;
    code_packet(p->coders, x, &now, &x->last, false);
    x->last = now;
    pack(bytes, &now);
}

static void encode13(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    struct channel *x = &((struct state *)p->state)->channels[0];
    struct packet now = unpack(bytes);
    (void)channel;
    code_packet(p->coders, x, &now, &x->last, true);
    x->last = now;
}

/* As for colours: a channel seen before keeps the bug of version 3. */
static struct packet *switch_channel(struct state *s, uint32_t channel)
{
    struct packet *last = &s->channels[s->current].last;
    if (s->current == channel)
        return last;
    struct channel *x = &s->channels[channel];
    s->current = channel;
    if (x->used)
        return last;
    begin(x, last);
    return &x->last;
}

static void decode14(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    struct state *s = p->state;
    struct packet *last = switch_channel(s, *channel), now = *last;
    if (p->used[0])
        code_packet(p->coders, &s->channels[*channel], &now, last, false);
    *last = now;
    pack(bytes, &now);
}

static void encode14(struct laz_part *p, unsigned char *bytes, uint32_t *channel)
{
    struct state *s = p->state;
    struct packet *last = switch_channel(s, *channel), now = unpack(bytes);
    unsigned char before[SIZE];
    pack(before, last);
    p->used[0] |= memcmp(before, bytes, SIZE) != 0;
    code_packet(p->coders, &s->channels[*channel], &now, last, true);
    *last = now;
}

const struct laz_kind laz_item_wave13 = {.type = LAZ_WAVEPACKET13,
                                         .version = 1,
                                         .size = SIZE,
                                         .bind = bind13,
                                         .state = sizeof(struct state),
                                         .start = start,
                                         .decode = decode13,
                                         .encode = encode13};
/* lazrs calls the same code version 2 */
const struct laz_kind laz_item_wave13_v2 = {.type = LAZ_WAVEPACKET13,
                                            .version = 2,
                                            .size = SIZE,
                                            .bind = bind13,
                                            .state = sizeof(struct state),
                                            .start = start,
                                            .decode = decode13,
                                            .encode = encode13};
const struct laz_kind laz_item_wave14 = {.type = LAZ_WAVEPACKET14,
                                         .version = 3,
                                         .size = SIZE,
                                         .layers = 1,
                                         .bind = bind14,
                                         .state = sizeof(struct state),
                                         .start = start,
                                         .decode = decode14,
                                         .encode = encode14};
