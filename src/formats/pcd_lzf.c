/* LZF through liblzf: see pcd_lzf.h. */
#include "formats/pcd_lzf.h"

#include "core/error.h"

#ifdef GELATTO_LZF
#include <lzf.h>

int pcd_lzf_unpack(void *dst, size_t len, const void *src, size_t packed, const char *name)
{
    if (lzf_decompress(src, (unsigned)packed, dst, (unsigned)len) != len)
        return error_topic(error_in(GLT_EFORMAT, name, "the packed points are damaged"),
                           GLT_TOPIC_SYNTAX, NULL);
    return 0;
}

int pcd_lzf_pack(void *dst, size_t *len, const void *src, size_t size)
{
    *len = lzf_compress(src, (unsigned)size, dst, (unsigned)*len);
    return 0;
}
#else
int pcd_lzf_unpack(void *dst, size_t len, const void *src, size_t packed, const char *name)
{
    (void)dst, (void)len, (void)src, (void)packed;
    return error_topic(
        error_set(GLT_EUNSUPPORTED,
                  "%s is packed with LZF, and this build has no liblzf: convert it to binary, "
                  "or build with liblzf-dev",
                  name),
        GLT_TOPIC_FORMAT, NULL);
}

int pcd_lzf_pack(void *dst, size_t *len, const void *src, size_t size)
{
    (void)dst, (void)len, (void)src, (void)size;
    return error_topic(
        error_set(GLT_EUNSUPPORTED,
                  "this build has no liblzf: write binary, or build with liblzf-dev"),
        GLT_TOPIC_FORMAT, NULL);
}
#endif
