/* Arenas: one block of memory with mark and reset. In measuring mode an arena hands out NULL and
 * only counts, so the same code that lays out a structure also computes its size. */
#ifndef CORE_ARENA_H
#define CORE_ARENA_H

#include <stddef.h>

struct arena {
    unsigned char *base; /* NULL while measuring */
    size_t size, used, peak;
};

int arena_init(struct arena *a, size_t size);
/* An empty arena of at least this size, with an eighth to spare if it has to grow; its old content
 * is lost. */
int arena_reserve(struct arena *a, size_t size);
struct arena arena_measuring(void);
/* 64-byte aligned, not zeroed. NULL while measuring; otherwise the space was measured before, and
 * running out of it is a bug. */
void *arena_take(struct arena *a, size_t count, size_t size);
size_t arena_mark(const struct arena *a);
void arena_reset(struct arena *a, size_t mark);
void arena_free(struct arena *a);

#endif
