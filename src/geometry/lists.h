/* Lists of rows, made by geometry and used by the network. */
#ifndef GEOMETRY_LISTS_H
#define GEOMETRY_LISTS_H

#include <stdint.h>

enum neighbour_rule { NEIGHBOURS_RANDOM, NEIGHBOURS_FIRST, NEIGHBOURS_NEAREST, NEIGHBOURS_KNN };

/* Neighbour lists in CSR form: centre i has index[start[i] .. start[i+1]), candidate j is listed by
 * centres tindex[tstart[j] .. tstart[j+1]), as edge tedge[..] of `index`. */
struct neighbours {
    int32_t centres, candidates;
    int32_t *start, *index;           /* (centres + 1), (edges) */
    int32_t *tstart, *tindex, *tedge; /* (candidates + 1), (edges), (edges) */
};

/* Up-sampling from `coarse` to `fine` rows: three taps a row; unused slots are index 0 (of the
 * cloud), weight 0; a coarse point copies itself (own row, 1). Transpose for backward. */
struct upsampling {
    int32_t fine, coarse;
    int32_t *index;  /* (fine, 3) */
    float *weight;   /* (fine, 3) */
    int32_t *tstart; /* (coarse + 1) */
    int32_t *tindex; /* (taps): fine rows, ascending */
    float *tweight;  /* (taps) */
};

#endif
