/* Growing arrays: the one way to make an array longer.
 *
 * An array is a pointer, a count and a capacity of its owner. The owner reserves before it writes,
 * and counts its items itself:
 *
 *     TRY(array_reserve(&s->list, &s->capacity, s->n, 1, sizeof *s->list));
 *     s->list[s->n++] = item;
 *
 * The array is released with memory_free. */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Makes *capacity at least n + more items of `size` bytes; array is the address of the owner's
 * pointer (of any type; NULL before the first item). Items behind n that no one wrote are zero.
 * GLT_ENOMEM, and nothing changes, if there is no memory. */
int array_reserve(void *array, int64_t *capacity, int64_t n, int64_t more, size_t size);

#endif
