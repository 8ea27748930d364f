/* Byte sources: see source.h. */
#include "formats/source.h"

#include "core/error.h"
#include "core/file.h"

#include <inttypes.h>

int source_take(struct source *s, void *dst, size_t len)
{
    if (len > s->left)
        return error_topic(error_in(GLT_EFORMAT, s->name,
                                    "%zu bytes are needed, but only %" PRIu64
                                    " are left: the array is cut short or damaged",
                                    len, s->left),
                           GLT_TOPIC_TRUNCATED, NULL);
    TRY(s->read(s, dst, len));
    s->left -= len;
    return 0;
}

static int read_file(struct source *s, void *dst, size_t len)
{
    return file_read(((struct source_file *)s)->f, dst, len);
}

struct source_file source_of_file(struct file *f)
{
    return (struct source_file){{read_file, (uint64_t)file_left(f), file_name(f)}, f};
}
