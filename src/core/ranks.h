/* Ranks: processes that make the same calls and share their work (struct glt_ranks). To the library
 * they are a few collective operations over an exchange of messages; every rank calls the same ones
 * in the same order.
 *
 * Whatever can fail on one rank alone is followed by ranks_agree, at which all ranks learn of it. A
 * rank that leaves early with an error calls ranks_settle, which meets the others in their next
 * ranks_agree, so nobody waits for a rank that has given up. If `r` is NULL there is one rank, and
 * nothing is exchanged. */
#ifndef CORE_RANKS_H
#define CORE_RANKS_H

#include "core/error.h"
#include "gelatto_tool.h"

#include <stdbool.h>

struct ranks {
    struct glt_ranks face;
    struct ranks_status *all; /* (count) of ranks_agree */
    struct glt_message *list; /* (2 count) */
    bool lost;                /* a rank is lost: no further exchange is possible */
    bool failed;              /* all ranks know of an error of this call */
    int64_t bytes, messages;  /* sent */
    double seconds;           /* in exchanges */
};

int ranks_open(struct ranks *r, const struct glt_ranks *face);
void ranks_close(struct ranks *r);
struct ranks *ranks_current(void);       /* of the current context; NULL: alone */
int ranks_number(const struct ranks *r); /* of this rank; 0: alone, or the one that writes */
int ranks_count(const struct ranks *r);

void ranks_begin(struct ranks *r); /* at the start of a shared public call */
/* GLT_EIO, topic RANKS "lost", if a rank is gone. */
int ranks_exchange(struct ranks *r, const struct glt_message *list, int n);
/* code: 0 or the error of this rank. Returns 0 if all have 0, else the same error on all ranks:
 * that of the lowest rank, but a request to stop (GLT_EINTERRUPTED) comes last. flags: in: those of
 * this rank, out: those set by any rank; may be NULL. */
int ranks_agree(struct ranks *r, int code, unsigned *flags);
/* The same at the end of a call, unless all ranks know the error already. */
int ranks_settle(struct ranks *r, int code);
/* Rank 0's bytes on all ranks. */
int ranks_broadcast(struct ranks *r, void *data, size_t bytes);
/* Sums over all ranks, in their order, on all ranks. */
int ranks_sum(struct ranks *r, int64_t *x, int64_t n);
int ranks_sum_reals(struct ranks *r, double *x, int64_t n);

#endif
