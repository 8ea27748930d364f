/* LZF, the compression of binary_compressed PCD; GLT_EUNSUPPORTED when built without liblzf. */
#ifndef FORMATS_PCD_LZF_H
#define FORMATS_PCD_LZF_H

#include <stddef.h>

/* `name` is for messages. */
int pcd_lzf_unpack(void *dst, size_t len, const void *src, size_t packed, const char *name);
/* *len: capacity in, bytes out. */
int pcd_lzf_pack(void *dst, size_t *len, const void *src, size_t size);

#endif
