/* The axis up and the ceiling cut: see cutaway.h. */
#include "draw/cutaway.h"

#include "core/error.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int cutaway_axis(int *axis, const char *up)
{
    static const char axes[] = "xyz";
    const char *found = strlen(up) == 1 ? strchr(axes, up[0]) : NULL;
    if (!found)
        return error_topic(error_set(GLT_EARGUMENT, "up = '%s': give x, y or z", up),
                           GLT_TOPIC_OPTION, "up");
    *axis = (int)(found - axes);
    return 0;
}

void cutaway_turn(float *xyz, int64_t n, int up)
{
    for (int64_t i = 0; i < n && up != 2; i++) {
        const float p[3] = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
        for (int d = 0; d < 3; d++)
            xyz[3 * i + d] = p[(up + 1 + d) % 3];
    }
}

static int compare_float(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

int cutaway_heights(double range[2], struct call *call, const float *xyz, int64_t n)
{
    int64_t k = 0, mark = call_mark(call);
    float *z = call_alloc(call, (size_t)n, sizeof *z);
    if (!z)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(xyz[3 * i + 2]))
            z[k++] = xyz[3 * i + 2];
    qsort(z, (size_t)k, sizeof *z, compare_float);
    range[0] = k ? z[k / 200] : 0;
    range[1] = k ? z[k - 1 - k / 200] : 1;
    call_reset(call, mark);
    return 0;
}

/* A room by its size: walls as high as people build them, wider than high is tall. */
static bool looks_like_room(const struct cutaway *c, const float *xyz, int64_t n)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    double height = c->range[1] - c->range[0];
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 2; d++) {
            double x = xyz[3 * i + d];
            low[d] = isfinite(x) && x < low[d] ? x : low[d];
            high[d] = isfinite(x) && x > high[d] ? x : high[d];
        }
    double x = high[0] - low[0], y = high[1] - low[1];
    return height > 1.8 && height < 6 && x > 1.5 && y > 1.5 && x < 60 && y < 60;
}

void cutaway_hide(uint8_t *hidden, const struct cutaway *c, const float *xyz, int64_t n)
{
    double share = c->share;
    if (share < 0)
        share = c->elevation > 15 && looks_like_room(c, xyz, n) ? 0.85 : 1;
    double top = share < 1 ? c->range[0] + share * (c->range[1] - c->range[0]) : INFINITY;
    for (int64_t i = 0; i < n; i++)
        hidden[i] = xyz[3 * i + 2] > top;
}
