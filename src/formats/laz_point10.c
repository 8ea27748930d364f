/* LAZ item POINT10, versions 1 and 2: the 20 bytes that point formats 0 to 5 have in common.
 *
 * x and y are predicted by the median of the differences before them (version 2: of points of the
 * same return), z by the last height (version 2: of points as deep in their pulse), the other
 * fields by their last value. */
#include "core/arena.h"
#include "formats/laz_arith.h"
#include "formats/laz_items.h"
#include "formats/little.h"

#include <string.h>

enum { SIZE = 20, BYTES = 14 }; /* of the item; offset of its four single bytes */
enum { RETURNS, CLASS, ANGLE, USER };

/* Contexts by number of returns and return number. */
static const uint8_t return_map[8][8] = {
    {15, 14, 13, 12, 11, 10, 9, 8},  {14, 0, 1, 3, 6, 10, 10, 9},
    {13, 1, 2, 4, 7, 11, 11, 10},    {12, 3, 4, 5, 8, 12, 12, 11},
    {11, 6, 7, 8, 9, 13, 13, 12},    {10, 10, 11, 12, 13, 14, 14, 13},
    {9, 10, 11, 12, 13, 14, 15, 14}, {8, 9, 10, 11, 12, 13, 14, 15},
};

struct point {
    int32_t x, y, z;
    uint16_t intensity, source;
    uint8_t bytes[4]; /* of the returns, the class, the scan angle, the user data */
};

struct state {
    struct point last;
    struct laz_integer dx, dy, z, intensity, source;
    struct laz_model *changed;  /* (1) */
    struct laz_model *bytes[4]; /* (256) by the last value; of the angle (2) by its direction */
    struct laz_integer angle;   /* version 1 */
    int32_t differences[2][3];  /* version 1: the last three in x and y */
    int turn;                   /* index of the oldest */
    struct laz_median median[2][16]; /* version 2, by return_map */
    uint16_t last_intensity[16];     /* the same */
    int32_t last_z[8];               /* version 2, by depth in the pulse */
};

static struct point unpack(const unsigned char *from)
{
    struct point p = {.x = (int32_t)little_get32(from),
                      .y = (int32_t)little_get32(from + 4),
                      .z = (int32_t)little_get32(from + 8),
                      .intensity = little_get16(from + 12),
                      .source = little_get16(from + 18)};
    memcpy(p.bytes, from + BYTES, sizeof p.bytes);
    return p;
}

static void pack(unsigned char *to, const struct point *p)
{
    little_put32(to, (uint32_t)p->x);
    little_put32(to + 4, (uint32_t)p->y);
    little_put32(to + 8, (uint32_t)p->z);
    little_put16(to + 12, p->intensity);
    memcpy(to + BYTES, p->bytes, sizeof p->bytes);
    little_put16(to + 18, p->source);
}

static int32_t minus(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

static int32_t plus(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static void bind(void *state, struct arena *a, bool encode, int version)
{
    struct state *s = state;
    laz_integer_bind(&s->dx, a, 32, version == 1 ? 1 : 2, encode);
    laz_integer_bind(&s->dy, a, 32, version == 1 ? 20 : 22, encode);
    laz_integer_bind(&s->z, a, 32, 20, encode);
    laz_integer_bind(&s->intensity, a, 16, version == 1 ? 1 : 4, encode);
    laz_integer_bind(&s->source, a, 16, 1, encode);
    laz_integer_bind(&s->angle, a, 8, 2, encode);
    s->changed = laz_model_array(a, 1, 64, encode);
    for (int i = 0; i < 4; i++)
        s->bytes[i] = laz_model_array(a, i == ANGLE ? 2 : 256, 256, encode);
}

static void bind_v1(void *state, struct arena *a, size_t size, bool encode)
{
    (void)size;
    bind(state, a, encode, 1);
}

static void bind_v2(void *state, struct arena *a, size_t size, bool encode)
{
    (void)size;
    bind(state, a, encode, 2);
}

static void start(struct laz_part *p, const unsigned char *first, uint32_t *channel)
{
    struct state *s = p->state;
    (void)channel;
    s->last = unpack(first);
    memset(s->differences, 0, sizeof s->differences);
    memset(s->median, 0, sizeof s->median);
    memset(s->last_intensity, 0, sizeof s->last_intensity);
    memset(s->last_z, 0, sizeof s->last_z);
    s->turn = 0;
    laz_model_start(s->changed);
}

/* The first intensity is not kept: like those of other returns, it starts at 0. */
static void start_v2(struct laz_part *p, const unsigned char *first, uint32_t *channel)
{
    struct state *s = p->state;
    start(p, first, channel);
    s->last.intensity = 0;
}

/* A byte, by the model of the value before it. */
LAZ_INLINE void code_byte(struct state *s, struct laz_coder *c, struct point *now, int i,
                          bool encode)
{
    uint8_t last = s->last.bytes[i];
    now->bytes[i] = (uint8_t)laz_symbol_lazy(c, &s->bytes[i][last], now->bytes[i], encode);
}

/* --- version 1 --- */

static int32_t median_of_3(const int32_t v[3])
{
    int32_t low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
    return v[2] < low ? low : v[2] < high ? v[2] : high;
}

LAZ_INLINE void code_xyz_v1(struct state *s, struct laz_coder *c, struct point *now, bool encode)
{
    int32_t dx = minus(now->x, s->last.x), dy = minus(now->y, s->last.y);
    dx = laz_integer(c, &s->dx, median_of_3(s->differences[0]), dx, 0, encode);
    uint32_t k = s->dx.k;
    dy = laz_integer(c, &s->dy, median_of_3(s->differences[1]), dy, k < 19 ? k : 19, encode);
    k = (k + s->dy.k) / 2;
    now->x = plus(s->last.x, dx);
    now->y = plus(s->last.y, dy);
    now->z = laz_integer(c, &s->z, s->last.z, now->z, k < 19 ? k : 19, encode);
    s->differences[0][s->turn] = dx;
    s->differences[1][s->turn] = dy;
    s->turn = (s->turn + 1) % 3;
}

LAZ_INLINE void code_v1(struct laz_part *p, unsigned char *bytes, uint32_t *channel, bool encode)
{
    (void)channel;
    struct state *s = p->state;
    struct laz_coder *c = p->coders;
    struct point *last = &s->last, now = encode ? unpack(bytes) : *last;
    code_xyz_v1(s, c, &now, encode);
    uint32_t changed = (uint32_t)(now.intensity != last->intensity) << 5 |
                       (uint32_t)(now.bytes[RETURNS] != last->bytes[RETURNS]) << 4 |
                       (uint32_t)(now.bytes[CLASS] != last->bytes[CLASS]) << 3 |
                       (uint32_t)(now.bytes[ANGLE] != last->bytes[ANGLE]) << 2 |
                       (uint32_t)(now.bytes[USER] != last->bytes[USER]) << 1 |
                       (uint32_t)(now.source != last->source);
    changed = laz_symbol(c, s->changed, changed, encode);
    if (changed & 32)
        now.intensity =
            (uint16_t)laz_integer(c, &s->intensity, last->intensity, now.intensity, 0, encode);
    if (changed & 16)
        code_byte(s, c, &now, RETURNS, encode);
    if (changed & 8)
        code_byte(s, c, &now, CLASS, encode);
    if (changed & 4)
        now.bytes[ANGLE] = (uint8_t)laz_integer(c, &s->angle, last->bytes[ANGLE], now.bytes[ANGLE],
                                                (s->dx.k + s->dy.k) / 2 < 3, encode);
    if (changed & 2)
        code_byte(s, c, &now, USER, encode);
    if (changed & 1)
        now.source = (uint16_t)laz_integer(c, &s->source, last->source, now.source, 0, encode);
    *last = now;
    if (!encode)
        pack(bytes, last);
}

/* --- version 2 --- */

/* The contexts of a point's returns, by which intensity and height are predicted. */
struct place {
    uint32_t map, depth, single;
};

static struct place place_of(uint8_t returns)
{
    uint32_t r = returns & 7, n = returns >> 3 & 7;
    return (struct place){return_map[n][r], n > r ? n - r : r - n, n == 1};
}

LAZ_INLINE void code_fields_v2(struct state *s, struct laz_coder *c, struct point *now,
                               uint32_t changed, bool encode)
{
    const struct point *last = &s->last;
    if (changed & 32)
        code_byte(s, c, now, RETURNS, encode);
    uint32_t map = place_of(now->bytes[RETURNS]).map;
    if (changed & 16)
        s->last_intensity[map] = (uint16_t)laz_integer(c, &s->intensity, s->last_intensity[map],
                                                       now->intensity, map < 3 ? map : 3, encode);
    now->intensity = s->last_intensity[map];
    if (changed & 8)
        code_byte(s, c, now, CLASS, encode);
    if (changed & 4) {
        struct laz_model *m = &s->bytes[ANGLE][now->bytes[RETURNS] >> 6 & 1];
        uint32_t difference = (uint8_t)(now->bytes[ANGLE] - last->bytes[ANGLE]);
        now->bytes[ANGLE] =
            (uint8_t)(last->bytes[ANGLE] + laz_symbol_lazy(c, m, difference, encode));
    }
    if (changed & 2)
        code_byte(s, c, now, USER, encode);
    if (changed & 1)
        now->source = (uint16_t)laz_integer(c, &s->source, last->source, now->source, 0, encode);
}

LAZ_INLINE void code_xyz_v2(struct state *s, struct laz_coder *c, struct point *now, bool encode)
{
    struct place at = place_of(now->bytes[RETURNS]);
    struct laz_median *x = &s->median[0][at.map], *y = &s->median[1][at.map];
    int32_t dx = minus(now->x, s->last.x), dy = minus(now->y, s->last.y);
    dx = laz_integer(c, &s->dx, x->values[2], dx, at.single, encode);
    laz_median_add(x, dx);
    uint32_t k = s->dx.k;
    dy = laz_integer(c, &s->dy, y->values[2], dy, at.single + (k < 20 ? k & ~1u : 20), encode);
    laz_median_add(y, dy);
    k = (k + s->dy.k) / 2;
    now->x = plus(s->last.x, dx);
    now->y = plus(s->last.y, dy);
    now->z = laz_integer(c, &s->z, s->last_z[at.depth], now->z, at.single + (k < 18 ? k & ~1u : 18),
                         encode);
    s->last_z[at.depth] = now->z;
}

LAZ_INLINE void code_v2(struct laz_part *p, unsigned char *bytes, uint32_t *channel, bool encode)
{
    (void)channel;
    struct state *s = p->state;
    struct laz_coder *c = p->coders;
    struct point *last = &s->last, now = encode ? unpack(bytes) : *last;
    uint32_t changed = 0;
    if (encode) {
        uint32_t map = place_of(now.bytes[RETURNS]).map;
        changed = (uint32_t)(now.bytes[RETURNS] != last->bytes[RETURNS]) << 5 |
                  (uint32_t)(now.intensity != s->last_intensity[map]) << 4 |
                  (uint32_t)(now.bytes[CLASS] != last->bytes[CLASS]) << 3 |
                  (uint32_t)(now.bytes[ANGLE] != last->bytes[ANGLE]) << 2 |
                  (uint32_t)(now.bytes[USER] != last->bytes[USER]) << 1 |
                  (uint32_t)(now.source != last->source);
    }
    changed = laz_symbol(c, s->changed, changed, encode);
    if (changed)
        code_fields_v2(s, c, &now, changed, encode);
    code_xyz_v2(s, c, &now, encode);
    *last = now;
    if (!encode)
        pack(bytes, last);
}

LAZ_DIRECTIONS(_v1)

LAZ_DIRECTIONS(_v2)

const struct laz_kind laz_item_point10_v1 = {.type = LAZ_POINT10,
                                             .version = 1,
                                             .size = SIZE,
                                             .bind = bind_v1,
                                             .state = sizeof(struct state),
                                             .start = start,
                                             .decode = decode_v1,
                                             .encode = encode_v1};
const struct laz_kind laz_item_point10_v2 = {.type = LAZ_POINT10,
                                             .version = 2,
                                             .size = SIZE,
                                             .bind = bind_v2,
                                             .state = sizeof(struct state),
                                             .start = start_v2,
                                             .decode = decode_v2,
                                             .encode = encode_v2};
