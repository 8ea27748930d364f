/* E57 is recognised only to say what to do with it. */
#include "core/error.h"
#include "core/file.h"
#include "formats/format.h"

#include <string.h>

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o)
{
    (void)call, (void)c, (void)o;
    return error_topic(
        error_in(GLT_EUNSUPPORTED, file_name(f),
                 "E57 is not read yet: convert it first, for example with CloudCompare (save as "
                 "PLY or LAS) or `pdal translate in.e57 out.las`"),
        GLT_TOPIC_FORMAT, NULL);
}

static bool probe(const unsigned char *bytes, size_t len)
{
    return len >= 8 && memcmp(bytes, "ASTM-E57", 8) == 0;
}

const struct format format_e57 = {.name = "e57", .extensions = "e57", .probe = probe, .read = read};
