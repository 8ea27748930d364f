/* Arenas: see arena.h. */
#include "core/arena.h"

#include "core/error.h"
#include "core/memory.h"

int arena_init(struct arena *a, size_t size)
{
    unsigned char *base = memory_alloc_raw(size, 1);
    if (!base)
        return GLT_ENOMEM;
    *a = (struct arena){base, size, 0, 0};
    return 0;
}

int arena_reserve(struct arena *a, size_t size)
{
    if (a->base && a->size >= size) {
        arena_reset(a, 0);
        return 0;
    }
    arena_free(a);
    return arena_init(a, size + size / 8 + MEMORY_ALIGNMENT);
}

struct arena arena_measuring(void)
{
    return (struct arena){NULL, SIZE_MAX, 0, 0};
}

void *arena_take(struct arena *a, size_t count, size_t size)
{
    size_t bytes;
    bool fits =
        !__builtin_mul_overflow(count, size, &bytes) && bytes <= SIZE_MAX - MEMORY_ALIGNMENT &&
        (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT <= a->size - a->used;
    ASSERT(fits);
    unsigned char *block = a->base ? a->base + a->used : NULL;
    a->used += (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    if (a->used > a->peak)
        a->peak = a->used;
    return block;
}

size_t arena_mark(const struct arena *a)
{
    return a->used;
}

void arena_reset(struct arena *a, size_t mark)
{
    ASSERT(mark <= a->used);
    a->used = mark;
}

void arena_free(struct arena *a)
{
    memory_free(a->base);
    *a = (struct arena){0};
}
