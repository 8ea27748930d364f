/* k nearest by boxes that double until nothing outside can be nearer: see nearest.h. */
#include "geometry/nearest.h"

#include <math.h>

static void sift_down(uint64_t *keys, int32_t n, uint64_t key)
{
    int32_t hole = 0;
    for (int32_t child = 1; child < n; child = 2 * hole + 1) {
        if (child + 1 < n && keys[child + 1] > keys[child])
            child++;
        if (keys[child] <= key)
            break;
        keys[hole] = keys[child];
        hole = child;
    }
    keys[hole] = key;
}

void nearest_offer(uint64_t *keys, int32_t *n, int32_t k, uint64_t key)
{
    if (*n == k) {
        if (key < keys[0])
            sift_down(keys, k, key);
        return;
    }
    int32_t hole = (*n)++;
    while (hole > 0 && keys[(hole - 1) / 2] < key) {
        keys[hole] = keys[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    keys[hole] = key;
}

static int32_t search_box(uint64_t *keys, const struct grid *g, const struct grid_box *box,
                          const float q[3], int32_t k, float r2)
{
    int32_t found = 0;
    for (int32_t z = box->low[2]; z <= box->high[2]; z++) {
        for (int32_t y = box->low[1]; y <= box->high[1]; y++) {
            int32_t row = grid_row(g, y, z), end = g->start[row + box->high[0] + 1];
            for (int32_t i = g->start[row + box->low[0]]; i < end; i++) {
                float p[3] = {g->x[i], g->y[i], g->z[i]}, d2 = grid_d2(p, q);
                if (d2 <= r2)
                    nearest_offer(keys, &found, k, nearest_key(d2, g->rank[i]));
                if (k == 1 && d2 == 0)
                    return found; /* of points at one place the first has the lowest rank */
            }
        }
    }
    return found;
}

static int box_is_all(const struct grid *g, const struct grid_box *box)
{
    for (int i = 0; i < 3; i++) {
        if (box->low[i] > 0 || box->high[i] < g->dims[i] - 1)
            return 0;
    }
    return 1;
}

int32_t nearest_search(uint64_t *keys, const struct grid *g, const float q[3], int32_t k, float r2,
                       double guess)
{
    /* below 1e-18 squares underflow, so reach does not bound d2 */
    double reach = guess > 1e-18 ? guess : 1e-18;
    double limit = grid_reach(sqrt((double)r2));
    for (;; reach *= 2) {
        if (reach > limit)
            reach = limit;
        struct grid_box box = grid_around(g, q, q, reach);
        int32_t found = search_box(keys, g, &box, q, k, r2);
        if (reach >= limit || box_is_all(g, &box))
            return found;
        /* points outside are farther than reach on one axis; 1e-5 covers the rounding of d2 */
        if (found == k && (double)nearest_d2(keys[0]) < reach * reach * (1 - 1e-5))
            return found;
    }
}
