/* The declaration table of all kernels: check_kernels.c compares every row with the reference,
 * check_bench.c times the same rows. */
#ifndef CHECK_KERNELS_H
#define CHECK_KERNELS_H

#include "kernels/kernels.h"

#include <stddef.h>

/* Sizes and switches of one call. Rows n, channels c, edges in lists of n rows, g channels a
 * score, taps of an interpolation; option bits choose NULL arguments, relu, add. */
struct check_size {
    int64_t n, c, edges, g, taps;
    unsigned option;
};

/* Every array a kernel may read or write; which and how is the row's business. */
enum check_array {
    CHECK_Y,  /* (n, c) */
    CHECK_X1, /* (n, c) */
    CHECK_X2, /* (n, c) */
    CHECK_Z,  /* (n, c), with ties and extremes */
    CHECK_V0, /* (c) each, up to V6 */
    CHECK_V1,
    CHECK_V2,
    CHECK_V3,
    CHECK_V4,
    CHECK_V5,
    CHECK_V6,
    CHECK_E,      /* (n, c), positive */
    CHECK_WEIGHT, /* (edges + n * taps) */
    CHECK_XS,     /* planes (n) */
    CHECK_YS,
    CHECK_ZS,
    CHECK_DIST, /* (n), positive */
    CHECK_FLOATS,
    CHECK_SUM = CHECK_FLOATS, /* double (c) */
    CHECK_DOT,
    CHECK_START, /* int32 (n + 1) */
    CHECK_INDEX, /* int32 (edges) */
    CHECK_TAPS,  /* int32 (n, taps) */
    CHECK_ARG,   /* int32 (n, c): one of the rows */
    CHECK_MASK,  /* uint64 (n / 64, rounded up) */
    CHECK_HALF,  /* uint16 (n * c) */
    CHECK_ARRAYS
};

struct check_work {
    struct check_size size;
    void *array[CHECK_ARRAYS];
    int64_t result;
};

struct check_case {
    const char *name;
    void (*run)(const struct kernels *k, struct check_work *w);
    /* allowed difference in units of 2^-23 of max(1, |value|), if negative of |value| itself
     * (below FLT_MIN anything goes); 0: the same bits */
    double slack;
    /* work of a call for the bench: bytes and operations per (row, channel), per (edge, channel),
     * per row */
    double bytes[3], flops[3];
};

extern const struct check_case check_cases[];
extern const int check_case_count;

/* Allocates and fills all arrays of a size with numbers that depend on seed alone; each array
 * starts off its natural alignment by `shift` elements and lies between guard zones. */
int check_work_make(struct check_work *w, struct check_size size, uint64_t seed, int shift);
/* The array whose guard zone was written to, or -1. */
int check_work_broken(const struct check_work *w);
void check_work_free(struct check_work *w);
size_t check_array_len(int array, struct check_size size);
size_t check_array_width(int array);

int check_bench(void);

#endif
