/* PCD, shared by its reader and writer. */
#ifndef FORMATS_PCD_H
#define FORMATS_PCD_H

#include "formats/format.h"

extern const char *const pcd_data_names[3]; /* ascii, binary, binary_compressed */
enum pcd_data { PCD_ASCII, PCD_BINARY, PCD_COMPRESSED };

int pcd_write(const struct glt_cloud *c, struct file *f, const struct format_options *o);
/* LZF through liblzf; GLT_EUNSUPPORTED when built without it. *len: room in, bytes out. */
int pcd_unpack(void *dst, size_t len, const void *src, size_t packed, const char *name);
int pcd_pack(void *dst, size_t *len, const void *src, size_t size);
/* The packed colour rgb or rgba of point clouds split into red, green, blue and alpha. */
int pcd_split_colour(struct glt_cloud *c);

#endif
