/* The floor of a tile: see floor.h. */
#include "sampling/floor.h"

enum { ONE_IN = 100 };

static void swap(float *a, float *b)
{
    float x = *a;
    *a = *b;
    *b = x;
}

/* Hoare's selection: values up to `high` become at most the pivot, those from `low` on at least. */
static void divide(float *z, int32_t *low, int32_t *high)
{
    float pivot = z[*low + (*high - *low) / 2];
    while (*low <= *high) {
        while (z[*low] < pivot)
            ++*low;
        while (z[*high] > pivot)
            --*high;
        if (*low <= *high)
            swap(&z[(*low)++], &z[(*high)--]);
    }
}

float floor_height(float *z, int32_t n)
{
    int32_t wanted = n / ONE_IN, first = 0, last = n - 1;
    while (first < last) {
        int32_t low = first, high = last;
        divide(z, &low, &high);
        if (wanted > high && wanted < low)
            break; /* it is the pivot */
        if (wanted <= high)
            last = high;
        else
            first = low;
    }
    return z[wanted];
}
