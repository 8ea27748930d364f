/* Formats that are recognised only to say what to do with them. */
#include "core/error.h"
#include "core/file.h"
#include "formats/format.h"

#include <string.h>

static int read_e57(struct glt_cloud *c, struct file *f, const struct format_options *o)
{
    (void)c, (void)o;
    return error_set(GLT_EUNSUPPORTED,
                     "%s is E57, which is not read yet: convert it first, for example with "
                     "CloudCompare (save as PLY or LAS) or `pdal translate in.e57 out.las`",
                     file_name(f));
}

static bool probe_e57(const unsigned char *bytes, size_t len)
{
    return len >= 8 && memcmp(bytes, "ASTM-E57", 8) == 0;
}

const struct format format_e57 = {
    .name = "e57", .extensions = "e57", .probe = probe_e57, .read = read_e57};
