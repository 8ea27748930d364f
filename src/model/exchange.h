/* The exchange of a step between ranks: the partial sums of all ranks become the mean gradient on
 * all ranks, bit for bit as on a single rank.
 *
 * Every rank owns a part of the gradient. It receives all partial sums of that part, adds them in
 * the order of the tree (accumulate.h) and sends the result to the others. So each rank sends and
 * receives about twice the gradient, whatever the number of ranks. */
#ifndef MODEL_EXCHANGE_H
#define MODEL_EXCHANGE_H

#include "core/ranks.h"
#include "model/accumulate.h"

struct exchange {
    struct ranks *ranks;
    int32_t leaves;              /* of a whole step; the number of ranks divides it */
    int64_t size;                /* of the gradient */
    int nodes;                   /* maximum number of partial sums of a rank */
    real *inbox;                 /* partial sums of the own part, or of a piece of it */
    struct accumulate_node *all; /* (ranks, nodes) */
    struct glt_message *list;
    int64_t bytes, messages; /* sent by exchange_run */
    double seconds;          /* spent in exchange_run */
};

int exchange_create(struct exchange *x, struct ranks *r, int64_t size, int32_t leaves);
void exchange_free(struct exchange *x);                     /* accepts an empty one */
size_t exchange_bytes(const struct ranks *r, int64_t size); /* approximate */

/* The leaves of a rank: first to end - 1. */
void exchange_share(int32_t *first, int32_t *end, const struct ranks *r, int32_t leaves);

/* Exchanges a step of the first `leaves` leaves. own: the partial sums of this rank's share, which
 * are changed; gradient: (size) becomes the mean. records: (leaves, record) with the own rows set;
 * afterwards all rows are. */
int exchange_run(struct exchange *x, real *gradient, const struct accumulate *own, int32_t leaves,
                 double *records, int64_t record);

#endif
