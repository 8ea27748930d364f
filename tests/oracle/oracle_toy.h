/* A network and clouds small enough to be checked by hand: 96 points, levels 64/32/16/8, widths
 * 8/16/32/64, K 8. Parameters are numbers drawn from their own names, made when first asked for. */
#ifndef ORACLE_TOY_H
#define ORACLE_TOY_H

#include "oracle.h"

struct toy_cloud {
    struct oracle_cloud cloud; /* what the oracle reads; points into the arrays below */
    float *xyz;                /* (n[0], 3), the same numbers as cloud.xyz */
    double *xyz_double, *features, *weight[ORACLE_LEVELS];
    int32_t *start[ORACLE_LEVELS][2], *index[ORACLE_LEVELS][2], *up[ORACLE_LEVELS], *label;
};

struct toy_entry {
    char name[96];
    int64_t count;
    double *at;
};

struct toy_params {
    uint64_t seed;
    int32_t count, capacity;
    struct toy_entry *entry;
};

double toy_random(uint64_t *state); /* uniform in -1 .. 1 */
struct oracle_config toy_config(void);
/* Points on the faces of a unit cube, in farthest-point order with `first` and brute-force lists of
 * at most k neighbours; labels are 0 .. classes - 1. */
void toy_cloud_make(struct toy_cloud *out, const struct oracle_config *config, int32_t n,
                    uint64_t seed);
void toy_cloud_free(struct toy_cloud *c);

/* The oracle's callback over a struct toy_params. */
const double *toy_param(void *params, const char *name, int64_t *count);
struct toy_entry *toy_find(struct toy_params *p, const char *name);
void toy_params_free(struct toy_params *p);

#endif
