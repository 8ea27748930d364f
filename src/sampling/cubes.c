/* Cubes: see cubes.h. The table of slots is at most half full and grows by doubling. */
#include "sampling/cubes.h"

#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { FIRST_SIZE = 1024 };

void cubes_begin(struct cubes *c, const float *xyz, const double low[3], double edge)
{
    c->xyz = xyz;
    memcpy(c->low, low, sizeof c->low);
    c->edge = edge;
    c->per_length = 1 / edge;
    for (int axis = 0; axis < 3; axis++)
        c->first[axis] = floor(-low[axis] * c->per_length);
    c->n = 0;
    if (c->slot)
        memset(c->slot, 0, c->size * sizeof *c->slot);
}

void cubes_free(struct cubes *c)
{
    memory_free(c->cube);
    memory_free(c->row);
    memory_free(c->slot);
    *c = (struct cubes){0};
}

/* How far a row is from the origin along one axis. Points of the same place in two pieces of a scan
 * get the same distance, because coordinates are exact on a world grid. */
static double distance(const struct cubes *c, int32_t row, int axis)
{
    return (double)c->xyz[3 * (int64_t)row + axis] - c->low[axis];
}

/* The number along one axis, counted from `first` so that it fits. The outermost cubes are
 * unbounded: floats so far away are coarser than the cubes. */
static int32_t cube_at(const struct cubes *c, int32_t row, int axis)
{
    const double far = 2147483647;
    double at = floor(distance(c, row, axis) * c->per_length) - c->first[axis];
    return (int32_t)(at < -far ? -far : at < far ? at : far);
}

static struct cube cube_of(const struct cubes *c, int32_t row)
{
    return (struct cube){{cube_at(c, row, 0), cube_at(c, row, 1), cube_at(c, row, 2)}};
}

static uint64_t hash(const struct cube *q)
{
    uint64_t h = 0;
    for (int axis = 0; axis < 3; axis++) {
        h = (h ^ (uint32_t)q->at[axis]) * 0x9e3779b97f4a7c15;
        h ^= h >> 32;
    }
    return h;
}

/* The slot of a cube, empty if the cube is new. */
static uint32_t *find_slot(const struct cubes *c, const struct cube *q)
{
    uint64_t at = hash(q) & (c->size - 1);
    while (c->slot[at] && memcmp(&c->cube[c->slot[at] - 1], q, sizeof *q) != 0)
        at = (at + 1) & (c->size - 1);
    return &c->slot[at];
}

static int grow(struct cubes *c)
{
    struct cubes larger = *c;
    larger.size = c->size ? 2 * c->size : FIRST_SIZE;
    larger.cube = memory_alloc_raw(larger.size / 2, sizeof *larger.cube);
    larger.row = memory_alloc_raw(larger.size / 2, sizeof *larger.row);
    larger.slot = memory_alloc(larger.size, sizeof *larger.slot);
    if (!larger.cube || !larger.row || !larger.slot) {
        memory_free(larger.cube);
        memory_free(larger.row);
        memory_free(larger.slot);
        return GLT_ENOMEM;
    }
    for (int32_t i = 0; i < c->n; i++) {
        larger.cube[i] = c->cube[i];
        larger.row[i] = c->row[i];
        *find_slot(&larger, &c->cube[i]) = (uint32_t)i + 1;
    }
    memory_free(c->cube);
    memory_free(c->row);
    memory_free(c->slot);
    *c = larger;
    return 0;
}

int32_t cubes_find(struct cubes *c, int32_t row)
{
    if ((uint64_t)c->n >= c->size / 2)
        TRY(grow(c));
    struct cube q = cube_of(c, row);
    uint32_t *slot = find_slot(c, &q);
    if (*slot == 0) {
        c->cube[c->n] = q;
        c->row[c->n++] = row;
        *slot = (uint32_t)c->n;
    }
    return (int32_t)(*slot - 1);
}

double cubes_off_centre(const struct cubes *c, int32_t row)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double centre = (c->first[axis] + (double)cube_at(c, row, axis) + 0.5) * c->edge;
        double d = distance(c, row, axis) - centre;
        sum += d * d;
    }
    return sum;
}
