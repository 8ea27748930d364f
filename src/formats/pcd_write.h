/* Writing PCD, and what its reader shares with it. */
#ifndef FORMATS_PCD_WRITE_H
#define FORMATS_PCD_WRITE_H

#include "formats/format.h"

enum pcd_data { PCD_ASCII, PCD_BINARY, PCD_COMPRESSED };
extern const char *const pcd_write_data[3]; /* ascii, binary, binary_compressed */

int pcd_write(struct call *call, const struct glt_cloud *c, struct file *f,
              const struct format_options *o);

#endif
