/* A set of ranks that is read in ascending order: one bit per rank and one summary bit per word, so
 * that filling and emptying cost depends on its size, not its capacity. Empty between uses. */
#ifndef GEOMETRY_RANKSET_H
#define GEOMETRY_RANKSET_H

#include <stdint.h>

struct rankset {
    uint64_t *word, *summary;
    int32_t summaries;
};

static inline int32_t rankset_words(int32_t n)
{
    return (int32_t)(((int64_t)n + 63) / 64);
}

/* Words of memory for ranks 0 .. n-1. */
static inline size_t rankset_size(int32_t n)
{
    return (size_t)rankset_words(n) + (size_t)rankset_words(rankset_words(n));
}

static inline struct rankset rankset_bind(uint64_t *memory, int32_t n)
{
    int32_t words = rankset_words(n);
    return (struct rankset){memory, memory + words, rankset_words(words)};
}

static inline void rankset_add(const struct rankset *s, int32_t rank)
{
    s->word[rank >> 6] |= 1ull << (rank & 63);
    s->summary[rank >> 12] |= 1ull << (rank >> 6 & 63);
}

/* Writes the ranks ascending, at most the first k, empties the set, returns how many it wrote. */
static inline int32_t rankset_drain_first(const struct rankset *s, int32_t *out, int32_t k)
{
    int32_t n = 0;
    for (int32_t i = 0; i < s->summaries; i++) {
        for (uint64_t top = s->summary[i]; top; top &= top - 1) {
            int32_t w = i * 64 + __builtin_ctzll(top);
            for (uint64_t bits = s->word[w]; bits && n < k; bits &= bits - 1)
                out[n++] = w * 64 + __builtin_ctzll(bits);
            s->word[w] = 0;
        }
        s->summary[i] = 0;
    }
    return n;
}

static inline int32_t rankset_drain(const struct rankset *s, int32_t *out)
{
    return rankset_drain_first(s, out, INT32_MAX);
}

/* The same for the ranks at the marked positions of the ascending order. */
static inline int32_t rankset_drain_places(const struct rankset *s, int32_t *out,
                                           const uint64_t *places)
{
    int32_t n = 0, at = 0;
    for (int32_t i = 0; i < s->summaries; i++) {
        for (uint64_t top = s->summary[i]; top; top &= top - 1) {
            int32_t w = i * 64 + __builtin_ctzll(top);
            for (uint64_t bits = s->word[w]; bits; bits &= bits - 1, at++) {
                if (places[at >> 6] >> (at & 63) & 1)
                    out[n++] = w * 64 + __builtin_ctzll(bits);
            }
            s->word[w] = 0;
        }
        s->summary[i] = 0;
    }
    return n;
}

#endif
