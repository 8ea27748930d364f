/* From the engine's structs to the oracle's plain arrays. Only struct fields are read: no function
 * of the engine is called, and what the oracle then computes is its own. */
#ifndef ORACLE_BRIDGE_H
#define ORACLE_BRIDGE_H

#include "config/config.h"
#include "geometry/pyramid.h"
#include "oracle.h"

struct oracle_batch {
    struct oracle_cloud *clouds; /* (count), to be given to oracle_run */
    int32_t count;
    int32_t blocks;
    void **block; /* what the clouds point to */
};

struct oracle_config oracle_config_of(const struct config *c, int32_t inputs, int32_t classes);
/* features (n[0], inputs) in network rows, label (n[0]) in network rows, (clouds) for
 * classification, or NULL; both must outlive the batch. */
void oracle_batch_make(struct oracle_batch *out, const struct pyramid *p, const double *features,
                       int32_t inputs, const int32_t *label, int classification);
void oracle_batch_free(struct oracle_batch *b);

#endif
