/* Ranks within one process: threads that exchange messages through queues. */
#ifndef TESTS_FAKE_RANKS_H
#define TESTS_FAKE_RANKS_H

#include "core/ranks.h"

enum { FAKE_RANKS_MAX = 8 };

/* The work of a rank, in its own thread and context, in which it is one of `count`. */
typedef int fake_rank_fn(int rank, void *user);

struct fake_result {
    int code;
    char topic[96]; /* "RANKS lr rank 2": topic, name and rank of its error */
    char message[1024];
    int64_t bytes, messages; /* sent */
};

/* Runs `count` ranks to their end. threads: of each. */
void fake_ranks_run(struct fake_result results[FAKE_RANKS_MAX], int count, int threads,
                    fake_rank_fn *fn, void *user);
/* Called by a rank: it stops exchanging messages, and the others lose it. */
void fake_ranks_die(void);

#endif
