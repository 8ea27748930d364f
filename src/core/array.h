/* Growing arrays: the one way to make an array longer.
 *
 * An array is a pointer and a count that belong to its owner, who reserves before it writes:
 *
 *     TRY(array_reserve(&s->list, s->n, 1, sizeof *s->list));
 *     s->list[s->n++] = item;
 *
 * Its capacity needs no field: the block of memory knows how large it is. The array is NULL before
 * its first item, then a block of memory_alloc, and is released with memory_free. */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Makes space for n + more items of `size` bytes; array is the address of the owner's pointer, of
 * any type. Items not written yet are zero. On GLT_ENOMEM nothing changes. */
int array_reserve(void *array, int64_t n, int64_t more, size_t size);

#endif
