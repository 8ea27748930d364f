/* Links and link messages: see h5_links.h. */
#include "formats/h5_links.h"

#include "core/array.h"
#include "core/error.h"

#include <string.h>

int h5_links_add(struct h5_links *to, struct h5 *f, const unsigned char *name, size_t len,
                 uint64_t address)
{
    if (to->n == H5_OBJECTS_MAX)
        return error_topic(
            error_in(GLT_ELIMIT, f->name, "a group of more than %d objects", H5_OBJECTS_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    char *copy = call_alloc(f->call, len + 1, 1);
    if (!copy)
        return GLT_ENOMEM;
    memcpy(copy, name, len);
    TRY(array_reserve(&to->list, to->n, 1, sizeof *to->list));
    to->list[to->n++] = (struct h5_link){copy, address};
    return 0;
}

int h5_link_parse(struct h5_links *to, struct h5_cursor *c, struct h5 *f)
{
    int version = (int)h5_take(c, 1), flags = (int)h5_take(c, 1);
    int kind = flags & 8 ? (int)h5_take(c, 1) : 0;
    h5_skip(c, (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0));
    size_t len = (size_t)h5_take(c, 1 << (flags & 3));
    const unsigned char *name = h5_bytes(c, len);
    c->bad |= version != 1 || len == 0;
    if (c->bad || kind != 0)
        return 0;
    uint64_t address = h5_address(c, f);
    return c->bad ? 0 : h5_links_add(to, f, name, len, address);
}
