/* A network and clouds small enough to be checked by hand: 96 points, levels 64/32/16/8, widths
 * 8/16/32/64, K 8. Parameters are numbers drawn from their own names, made when first asked for. */
#ifndef MINIATURE_H
#define MINIATURE_H

#include "oracle.h"

struct miniature_cloud {
    struct oracle_cloud cloud; /* what the oracle reads; points into the arrays below */
    float *xyz;                /* (n[0], 3), the same numbers as cloud.xyz */
    double *xyz_double, *features, *weight[ORACLE_LEVELS];
    int32_t *start[ORACLE_LEVELS][2], *index[ORACLE_LEVELS][2], *up[ORACLE_LEVELS], *label;
};

struct miniature_entry {
    char name[96];
    int64_t count;
    double *at;
};

struct miniature_params {
    uint64_t seed;
    int32_t count, capacity;
    struct miniature_entry *entry;
};

double miniature_random(uint64_t *state); /* uniform in -1 .. 1 */
struct oracle_config miniature_config(void);
/* Points on the faces of a unit cube, in farthest-point order with `first` and brute-force lists of
 * at most k neighbours; labels are 0 .. classes - 1. */
void miniature_cloud_make(struct miniature_cloud *out, const struct oracle_config *config,
                          int32_t n, uint64_t seed);
void miniature_cloud_free(struct miniature_cloud *c);

/* The oracle's callback over a struct miniature_params. */
const double *miniature_param(void *params, const char *name, int64_t *count);
struct miniature_entry *miniature_find(struct miniature_params *p, const char *name);
void miniature_params_free(struct miniature_params *p);

#endif
