/* Growing arrays: see array.h. The capacity grows by half: adding an item takes constant time on
 * average, and no more than 2.5 times the items is allocated while they are copied. */
#include "core/array.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

enum { CAPACITY_MIN = 16 };

int array_reserve(void *array, int64_t n, int64_t more, size_t size)
{
    void *items; /* copied, not cast: the owner's pointer has a type of its own */
    memcpy(&items, array, sizeof items);
    size_t capacity = memory_size(items) / size;
    int64_t wanted;
    if (__builtin_add_overflow(n, more, &wanted) || wanted < 0)
        return error_topic(error_set(GLT_ENOMEM, "%lld and %lld items are more than can be counted",
                                     (long long)n, (long long)more),
                           GLT_TOPIC_MEMORY, NULL);
    if ((size_t)wanted <= capacity)
        return 0;
    size_t grown = capacity + capacity / 2;
    grown = grown > CAPACITY_MIN ? grown : CAPACITY_MIN;
    items = memory_resize(items, (size_t)wanted > grown ? (size_t)wanted : grown, size);
    if (!items)
        return GLT_ENOMEM;
    memcpy(array, &items, sizeof items);
    return 0;
}
