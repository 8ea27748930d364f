/* LAZ item POINT14, version 3: the 30 bytes that point formats 6 to 10 have in common, in nine
 * layers.
 *
 * The first layer holds flags for what changed, the channel, the returns, x and y; the others hold
 * a field each and may be absent. Every channel has models of its own, started with the point
 * before its first one. */
#include "core/arena.h"
#include "formats/laz_arith.h"
#include "formats/laz_items.h"
#include "formats/laz_time.h"
#include "formats/little.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 30 };
enum { XY, Z, CLASS, FLAGS, INTENSITY, ANGLE, USER, SOURCE, TIME, LAYERS };
/* Flags of the first symbol of a point: what changed. Its lowest two bits are the return number. */
enum {
    SAME_RETURN = 0,
    NEXT_RETURN = 1,
    PREVIOUS_RETURN = 2,
    OTHER_RETURN = 3,
    RETURNS_CHANGED = 1 << 2,
    ANGLE_CHANGED = 1 << 3,
    TIME_CHANGED = 1 << 4,
    SOURCE_CHANGED = 1 << 5,
    CHANNEL_CHANGED = 1 << 6
};

/* Contexts by number of returns and return number. */
static const uint8_t return_map[16][16] = {
    {0, 1, 2, 3, 4, 5, 3, 4, 4, 5, 5, 5, 5, 5, 5, 5},
    {1, 0, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3},
    {2, 1, 2, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3},
    {3, 3, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
    {4, 3, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
    {5, 3, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
    {3, 3, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4},
    {4, 3, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4},
    {4, 3, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4},
    {5, 3, 4, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4},
    {5, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4},
    {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 4, 4, 4},
    {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 4, 4},
    {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 4},
    {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5},
    {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5},
};

struct point {
    int32_t x, y, z;
    uint16_t intensity, source;
    int16_t angle;
    uint8_t r, n; /* return number, number of returns */
    uint8_t flags, classification, user;
    uint64_t time;
};

struct channel {
    bool used, time_changed; /* of its last point */
    struct point last;
    struct laz_median median[2][12];
    int32_t last_z[8];
    uint16_t last_intensity[8];
    struct laz_model *changed;                       /* (8) */
    struct laz_model *next_channel, *r_at_same_time; /* (1) */
    struct laz_model *n, *r;                         /* (16) */
    struct laz_model *classification, *flags, *user; /* (64) */
    struct laz_integer dx, dy, z, intensity, angle, source;
    struct laz_time time;
};

struct state {
    uint32_t current;
    struct channel channels[LAZ_CHANNELS];
};

/* The flags as coded: those of the class, the scan direction, the edge; the channel is between. */
static struct point unpack(const unsigned char *from)
{
    return (struct point){.x = (int32_t)little_get32(from),
                          .y = (int32_t)little_get32(from + 4),
                          .z = (int32_t)little_get32(from + 8),
                          .intensity = little_get16(from + 12),
                          .r = from[14] & 15,
                          .n = from[14] >> 4,
                          .flags = (uint8_t)((from[15] & 15) | (from[15] >> 6) << 4),
                          .classification = from[16],
                          .user = from[17],
                          .angle = (int16_t)little_get16(from + 18),
                          .source = little_get16(from + 20),
                          .time = little_get64(from + 22)};
}

static void pack(unsigned char *to, const struct point *p, uint32_t channel)
{
    little_put32(to, (uint32_t)p->x);
    little_put32(to + 4, (uint32_t)p->y);
    little_put32(to + 8, (uint32_t)p->z);
    little_put16(to + 12, p->intensity);
    to[14] = (unsigned char)(p->r | p->n << 4);
    to[15] = (unsigned char)((p->flags & 15) | channel << 4 | (p->flags >> 4) << 6);
    to[16] = p->classification;
    to[17] = p->user;
    little_put16(to + 18, (uint16_t)p->angle);
    little_put16(to + 20, p->source);
    little_put64(to + 22, p->time);
}

static void bind_channel(struct channel *x, struct arena *a, bool encode)
{
    x->changed = laz_model_array(a, 8, 128, encode);
    x->next_channel = laz_model_array(a, 1, 3, encode);
    x->r_at_same_time = laz_model_array(a, 1, 13, encode);
    x->n = laz_model_array(a, 16, 16, encode);
    x->r = laz_model_array(a, 16, 16, encode);
    x->classification = laz_model_array(a, 64, 256, encode);
    x->flags = laz_model_array(a, 64, 64, encode);
    x->user = laz_model_array(a, 64, 256, encode);
    laz_integer_bind(&x->dx, a, 32, 2, encode);
    laz_integer_bind(&x->dy, a, 32, 22, encode);
    laz_integer_bind(&x->z, a, 32, 20, encode);
    laz_integer_bind(&x->intensity, a, 16, 4, encode);
    laz_integer_bind(&x->angle, a, 16, 2, encode);
    laz_integer_bind(&x->source, a, 16, 1, encode);
    laz_time_bind(&x->time, a, false, encode);
}

static void bind(void *state, struct arena *a, size_t size, bool encode)
{
    struct state *s = state;
    (void)size;
    for (int i = 0; i < LAZ_CHANNELS; i++)
        bind_channel(&s->channels[i], a, encode);
}

/* Starts a channel's models with the point before its first one. */
static void begin(struct channel *x, const struct point *last)
{
    x->used = true;
    x->time_changed = false;
    x->last = *last;
    memset(x->median, 0, sizeof x->median);
    for (int i = 0; i < 8; i++) {
        x->last_z[i] = last->z;
        x->last_intensity[i] = last->intensity;
    }
    laz_time_start(&x->time, last->time);
}

static void start(struct laz_part *p, const unsigned char *first, uint32_t *channel)
{
    struct state *s = p->state;
    struct point last = unpack(first);
    for (int i = 0; i < LAZ_CHANNELS; i++)
        s->channels[i].used = false;
    s->current = first[15] >> 4 & 3;
    *channel = s->current;
    begin(&s->channels[s->current], &last);
}

static int32_t minus(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

static int32_t plus(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static uint32_t changes(const struct point *now, const struct point *last)
{
    uint32_t step = (now->r - last->r) & 15u;
    uint32_t returned = step == 0    ? SAME_RETURN
                        : step == 1  ? NEXT_RETURN
                        : step == 15 ? PREVIOUS_RETURN
                                     : OTHER_RETURN;
    return returned | (now->n != last->n ? RETURNS_CHANGED : 0u) |
           (now->angle != last->angle ? ANGLE_CHANGED : 0u) |
           (now->time != last->time ? TIME_CHANGED : 0u) |
           (now->source != last->source ? SOURCE_CHANGED : 0u);
}

/* The channel of the next point, started if it is new; its last point predicts the next. Encoding:
 * `to` is the channel. */
LAZ_INLINE uint32_t code_channel(struct state *s, struct laz_coder *c, uint32_t to, bool encode)
{
    struct channel *from = &s->channels[s->current];
    uint32_t step = (to - s->current - 1) & 3;
    to = (s->current + laz_symbol_lazy(c, from->next_channel, step, encode) + 1) & 3;
    if (!s->channels[to].used)
        begin(&s->channels[to], &from->last);
    s->current = to;
    return to;
}

LAZ_INLINE void code_returns(struct channel *x, struct laz_coder *c, struct point *now,
                             uint32_t changed, bool encode)
{
    uint8_t last_n = x->last.n, last_r = x->last.r;
    if (changed & RETURNS_CHANGED)
        now->n = (uint8_t)laz_symbol_lazy(c, &x->n[last_n], now->n, encode);
    uint32_t how = changed & 3;
    if (how == OTHER_RETURN && changed & TIME_CHANGED) {
        now->r = (uint8_t)laz_symbol_lazy(c, &x->r[last_r], now->r, encode);
    } else if (how == OTHER_RETURN) {
        uint32_t step = (now->r - last_r - 2) & 15u;
        now->r = (last_r + laz_symbol_lazy(c, x->r_at_same_time, step, encode) + 2) & 15;
    } else {
        now->r = (last_r + (how == NEXT_RETURN ? 1 : how == PREVIOUS_RETURN ? 15 : 0)) & 15;
    }
}

LAZ_INLINE void code_xyz(struct laz_part *p, struct channel *x, struct point *now, bool timed,
                         bool encode)
{
    uint32_t map = return_map[now->n][now->r] * 2u + timed, single = now->n == 1;
    struct laz_median *mx = &x->median[0][map], *my = &x->median[1][map];
    int32_t dx = minus(now->x, x->last.x), dy = minus(now->y, x->last.y);
    dx = laz_integer(&p->coders[XY], &x->dx, mx->values[2], dx, single, encode);
    laz_median_add(mx, dx);
    uint32_t k = x->dx.k;
    dy = laz_integer(&p->coders[XY], &x->dy, my->values[2], dy, single + (k < 20 ? k & ~1u : 20),
                     encode);
    laz_median_add(my, dy);
    now->x = plus(x->last.x, dx);
    now->y = plus(x->last.y, dy);
    if (!encode && !p->used[Z])
        return;
    p->used[Z] = true; /* always written */
    int depth = abs(now->n - now->r);
    int32_t *last_z = &x->last_z[depth < 7 ? depth : 7];
    k = (k + x->dy.k) / 2;
    *last_z = laz_integer(&p->coders[Z], &x->z, *last_z, now->z, single + (k < 18 ? k & ~1u : 18),
                          encode);
    now->z = *last_z;
}

/* Fields of one symbol, predicted by the last value; classes also by whether there is a single
 * return. */
LAZ_INLINE void code_bytes(struct laz_part *p, struct channel *x, struct point *now, bool single,
                           bool encode)
{
    const struct point *last = &x->last;
    if (encode) {
        p->used[CLASS] |= now->classification != last->classification;
        p->used[FLAGS] |= now->flags != last->flags;
        p->used[USER] |= now->user != last->user;
    }
    if (encode || p->used[CLASS]) {
        struct laz_model *m = &x->classification[(last->classification & 31) * 2 + single];
        now->classification =
            (uint8_t)laz_symbol_lazy(&p->coders[CLASS], m, now->classification, encode);
    }
    if (encode || p->used[FLAGS])
        now->flags =
            (uint8_t)laz_symbol_lazy(&p->coders[FLAGS], &x->flags[last->flags], now->flags, encode);
    if (encode || p->used[USER])
        now->user =
            (uint8_t)laz_symbol_lazy(&p->coders[USER], &x->user[last->user / 4], now->user, encode);
}

LAZ_INLINE void code_intensity(struct laz_part *p, struct channel *x, struct point *now,
                               uint32_t place, bool timed, bool encode)
{
    uint16_t *last = &x->last_intensity[place * 2 + timed];
    p->used[INTENSITY] |= encode && now->intensity != x->last.intensity;
    if (!encode && !p->used[INTENSITY])
        return;
    *last = (uint16_t)laz_integer(&p->coders[INTENSITY], &x->intensity, *last, now->intensity,
                                  place, encode);
    now->intensity = *last;
}

/* Fields that are coded only if the first layer says that they changed. */
LAZ_INLINE void code_changed(struct laz_part *p, struct channel *x, struct point *now,
                             uint32_t changed, bool encode)
{
    if (encode) {
        p->used[ANGLE] |= (changed & ANGLE_CHANGED) != 0;
        p->used[SOURCE] |= (changed & SOURCE_CHANGED) != 0;
        p->used[TIME] |= (changed & TIME_CHANGED) != 0;
    }
    if (changed & ANGLE_CHANGED && p->used[ANGLE])
        now->angle = (int16_t)laz_integer(&p->coders[ANGLE], &x->angle, x->last.angle, now->angle,
                                          (changed & TIME_CHANGED) != 0, encode);
    if (changed & SOURCE_CHANGED && p->used[SOURCE])
        now->source = (uint16_t)laz_integer(&p->coders[SOURCE], &x->source, x->last.source,
                                            now->source, 0, encode);
    if (changed & TIME_CHANGED && p->used[TIME]) {
        if (encode)
            laz_time_encode(&p->coders[TIME], &x->time, now->time);
        else
            now->time = laz_time_decode(&p->coders[TIME], &x->time);
    }
}

LAZ_INLINE void code14(struct laz_part *p, unsigned char *bytes, uint32_t *channel, bool encode)
{
    struct state *s = p->state;
    struct laz_coder *c = &p->coders[XY];
    struct channel *x = &s->channels[s->current];
    uint32_t context =
        (x->last.r == 1) + (x->last.r >= x->last.n ? 2u : 0u) + (x->time_changed ? 4u : 0u);
    uint32_t changed = 0, to = encode ? bytes[15] >> 4 & 3u : 0;
    struct point now = {0};
    if (encode) {
        now = unpack(bytes);
        changed = changes(&now, s->channels[to].used ? &s->channels[to].last : &x->last);
        changed |= to != s->current ? CHANNEL_CHANGED : 0u;
    }
    changed = laz_symbol_lazy(c, &x->changed[context], changed, encode);
    if (changed & CHANNEL_CHANGED)
        x = &s->channels[ *channel = code_channel(s, c, to, encode)];
    if (!encode)
        now = x->last;
    bool timed = changed & TIME_CHANGED;
    code_returns(x, c, &now, changed, encode);
    code_xyz(p, x, &now, timed, encode);
    uint32_t place = (now.r == 1 ? 2u : 0u) + (now.r >= now.n);
    code_bytes(p, x, &now, place == 3, encode);
    code_intensity(p, x, &now, place, timed, encode);
    code_changed(p, x, &now, changed, encode);
    x->last = now;
    x->time_changed = timed;
    if (!encode)
        pack(bytes, &now, s->current);
}

LAZ_DIRECTIONS(14)

const struct laz_kind laz_item_point14 = {.type = LAZ_POINT14,
                                          .version = 3,
                                          .size = SIZE,
                                          .layers = LAYERS,
                                          .bind = bind,
                                          .state = sizeof(struct state),
                                          .start = start,
                                          .decode = decode14,
                                          .encode = encode14};
