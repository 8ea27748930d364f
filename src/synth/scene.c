/* A scene's storage and its bounding volume tree: halves by the median centre along the longest
 * axis, two solids to a leaf, children side by side. */
#include "synth/scene.h"

#include "core/array.h"
#include "core/error.h"
#include "core/frame3.h"
#include "core/memory.h"
#include "synth/solid.h"

#include <string.h>

enum { LEAF = 2, DEPTH = 64, SOLIDS_MAX = 200000, PAINTS_MAX = 60000 };

void scene_free(struct scene *s)
{
    memory_free(s->solids);
    memory_free(s->paints);
    memory_free(s->nodes);
    memset(s, 0, sizeof *s);
}

void scene_add(struct scene *s, const struct solid *solid)
{
    if (!s->error && s->solids_n >= SOLIDS_MAX)
        s->error = error_topic(
            error_set(GLT_ELIMIT, "a synthetic scene of more than %d solids", SOLIDS_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    if (!s->error)
        s->error = array_reserve(&s->solids, s->solids_n, 1, sizeof *s->solids);
    if (!s->error)
        s->solids[s->solids_n++] = *solid;
}

uint16_t scene_paint(struct scene *s, const struct paint *paint)
{
    if (!s->error && s->paints_n >= PAINTS_MAX)
        s->error = error_topic(
            error_set(GLT_ELIMIT, "a synthetic scene of more than %d paints", PAINTS_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    if (!s->error)
        s->error = array_reserve(&s->paints, s->paints_n, 1, sizeof *s->paints);
    if (s->error)
        return 0;
    s->paints[s->paints_n] = *paint;
    return (uint16_t)s->paints_n++;
}

static void bounds_of(const struct scene *s, int32_t first, int32_t count, struct scene_node *node)
{
    solid_bounds(&s->solids[first], &node->low, &node->high);
    for (int32_t i = first + 1; i < first + count; i++) {
        struct vec3 low, high;
        solid_bounds(&s->solids[i], &low, &high);
        node->low.x = low.x < node->low.x ? low.x : node->low.x;
        node->low.y = low.y < node->low.y ? low.y : node->low.y;
        node->low.z = low.z < node->low.z ? low.z : node->low.z;
        node->high.x = high.x > node->high.x ? high.x : node->high.x;
        node->high.y = high.y > node->high.y ? high.y : node->high.y;
        node->high.z = high.z > node->high.z ? high.z : node->high.z;
    }
}

static double centre(const struct solid *s, int axis)
{
    return axis == 0 ? s->frame.o.x : axis == 1 ? s->frame.o.y : s->frame.o.z;
}

/* Quickselect: afterwards solids before `middle` have centres no greater than those after. */
static void split(struct solid *s, int32_t low, int32_t high, int32_t middle, int axis)
{
    while (low < high) {
        double pivot = centre(&s[(low + high) / 2], axis);
        int32_t i = low, j = high;
        while (i <= j) {
            while (centre(&s[i], axis) < pivot)
                i++;
            while (centre(&s[j], axis) > pivot)
                j--;
            if (i <= j) {
                struct solid swap = s[i];
                s[i++] = s[j];
                s[j--] = swap;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static void build(struct scene *s, int32_t node, int32_t first, int32_t count)
{
    struct scene_node *n = &s->nodes[node];
    bounds_of(s, first, count, n);
    if (count <= LEAF) {
        n->first = first;
        n->count = count;
        return;
    }
    struct vec3 extent = vec3_sub(n->high, n->low);
    int axis = extent.x > extent.y ? (extent.x > extent.z ? 0 : 2) : (extent.y > extent.z ? 1 : 2);
    int32_t half = count / 2, children = s->nodes_n;
    split(s->solids, first, first + count - 1, first + half, axis);
    n->first = children;
    n->count = 0;
    s->nodes_n += 2;
    build(s, children, first, half);
    build(s, children + 1, first + half, count - half);
}

int scene_finish(struct scene *s)
{
    TRY(s->error);
    if (s->solids_n == 0)
        return error_set(GLT_EDATA, "a synthetic scene without a solid");
    s->nodes = memory_alloc((size_t)s->solids_n * 2, sizeof *s->nodes);
    if (!s->nodes)
        return GLT_ENOMEM;
    s->nodes_n = 1;
    build(s, 0, 0, s->solids_n);
    return 0;
}

/* Where the ray enters the node's box, or a huge number when it does not before `farthest`. */
static double enter(const struct scene_node *n, struct vec3 from, struct vec3 inverse,
                    double farthest)
{
    double ax = (n->low.x - from.x) * inverse.x, bx = (n->high.x - from.x) * inverse.x;
    double ay = (n->low.y - from.y) * inverse.y, by = (n->high.y - from.y) * inverse.y;
    double az = (n->low.z - from.z) * inverse.z, bz = (n->high.z - from.z) * inverse.z;
    double low = ax < bx ? ax : bx, high = ax < bx ? bx : ax;
    double ylow = ay < by ? ay : by, yhigh = ay < by ? by : ay;
    double zlow = az < bz ? az : bz, zhigh = az < bz ? bz : az;
    low = ylow > low ? ylow : low;
    low = zlow > low ? zlow : low;
    high = yhigh < high ? yhigh : high;
    high = zhigh < high ? zhigh : high;
    return low <= high + 1e-9 && high >= 0 && low < farthest ? low : 1e30;
}

static double inverse_of(double x)
{
    if (x > -1e-12 && x < 1e-12)
        return x < 0 ? -1e12 : 1e12;
    return 1 / x;
}

bool scene_cast(const struct scene *s, struct ray_hit *hit, const struct ray *ray, double nearest,
                double farthest)
{
    struct vec3 inverse =
        vec3(inverse_of(ray->along.x), inverse_of(ray->along.y), inverse_of(ray->along.z));
    int32_t stack[DEPTH];
    double when[DEPTH];
    int top = 0;
    stack[0] = 0;
    when[top++] = enter(&s->nodes[0], ray->from, inverse, farthest);
    bool any = false;
    while (top > 0) {
        const struct scene_node *n = &s->nodes[stack[--top]];
        if (when[top] >= farthest)
            continue;
        for (int32_t i = n->first; i < n->first + n->count; i++) {
            if (solid_cast(&s->solids[i], hit, ray, nearest, farthest)) {
                hit->solid = i;
                farthest = hit->t;
                any = true;
            }
        }
        if (n->count > 0)
            continue;
        double a = enter(&s->nodes[n->first], ray->from, inverse, farthest);
        double b = enter(&s->nodes[n->first + 1], ray->from, inverse, farthest);
        int32_t near = a <= b ? n->first : n->first + 1;
        int32_t far = a <= b ? n->first + 1 : n->first;
        stack[top] = far;
        when[top++] = a <= b ? b : a;
        stack[top] = near;
        when[top++] = a <= b ? a : b;
    }
    return any;
}

bool scene_blocked(const struct scene *s, const struct ray *ray, double nearest, double farthest)
{
    struct vec3 inverse =
        vec3(inverse_of(ray->along.x), inverse_of(ray->along.y), inverse_of(ray->along.z));
    int32_t stack[DEPTH];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const struct scene_node *n = &s->nodes[stack[--top]];
        if (enter(n, ray->from, inverse, farthest) >= farthest)
            continue;
        for (int32_t i = n->first; i < n->first + n->count; i++) {
            struct ray_hit hit;
            const struct paint *paint = &s->paints[s->solids[i].paint];
            if (paint->opacity >= 1 && paint->glow <= 0 &&
                solid_cast(&s->solids[i], &hit, ray, nearest, farthest))
                return true;
        }
        if (n->count == 0) {
            stack[top++] = n->first;
            stack[top++] = n->first + 1;
        }
    }
    return false;
}
