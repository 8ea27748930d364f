/* Random numbers without state: Philox 4x32-10 keyed by (seed, epoch, sample, purpose).
 *
 * A stream is derived from its four words by one Philox block, so no two streams share counters.
 * Number (lane, index) of a stream is a pure function: it does not depend on threads, order or
 * resumes. Everything here gives the same bits on every platform (no libm). */
#ifndef CORE_RANDOM_H
#define CORE_RANDOM_H

#include <stdint.h>

/* One enum for all purposes; values never change, new ones go to the end. */
enum random_purpose {
    RANDOM_INIT = 1,    /* initial weights; sample = index of the tensor */
    RANDOM_DROPOUT = 2, /* lane = op, index = element */
    RANDOM_NEIGHBOURS =
        3,               /* + 2 * (level - 1) + (block - 1), up to 10: lane = rank of the centre */
    RANDOM_SHUFFLE = 16, /* order of an epoch's samples */
    RANDOM_BLOCK = 17,   /* which block, which points */
    RANDOM_AUGMENT = 18,
    RANDOM_SPLIT = 19,   /* validation split */
    RANDOM_SYNTH = 20,   /* synthetic scenes */
    RANDOM_MESH = 21,    /* surface sampling */
    RANDOM_CONVERT = 22, /* subsampling in convert */
    RANDOM_TEST = 23,
    RANDOM_THIN = 24, /* which points of a thinned cloud stay; lane = row */
    RANDOM_TILE = 25, /* seed of a tile; epoch, sample = its coordinates */
    RANDOM_CHANNEL =
        26, /* of an attention score to draw; lane = 4 (level - 1) + 2 (block - 1) + head */
    RANDOM_REVIEWED = 27, /* whether a reviewed tile is held out; epoch, sample as above */
    RANDOM_TURN = 28      /* by how much a cloud is turned before it is scored */
};

/* The key of all random choices of one sample. */
struct random_key {
    uint64_t seed;
    uint32_t epoch, sample;
};

struct random_stream {
    uint32_t key[2], base[2];
};

/* Reads one lane of a stream. */
struct random {
    struct random_stream stream;
    uint32_t lane, index; /* index of the next block of four */
    uint32_t word[4];
    int left; /* words not yet returned */
};

struct random_stream random_stream(uint64_t seed, uint32_t epoch, uint32_t sample,
                                   uint32_t purpose);
/* Words 4 index .. 4 index + 3 of a lane. */
void random_block(uint32_t word[4], const struct random_stream *s, uint32_t lane, uint32_t index);

struct random random_start(struct random_stream s, uint32_t lane);
uint32_t random_u32(struct random *r);
uint32_t random_below(struct random *r, uint32_t n); /* uniform in [0, n), exactly; n > 0 */
double random_uniform(struct random *r);             /* in [0, 1), 53 bits */
double random_normal(struct random *r);              /* mean 0, deviation 1 */
void random_shuffle(struct random *r, int32_t *items, int32_t n);
/* k of 0 .. n-1 without replacement, ascending, every set with the same chance; k <= n. Takes
 * O(k log k) time and no memory but out. */
void random_sample(struct random *r, int32_t *out, int32_t k, int32_t n);

#endif
