/* Writing PLY, and what its reader shares with it. */
#ifndef FORMATS_PLY_WRITE_H
#define FORMATS_PLY_WRITE_H

#include "formats/format.h"

#define PLY_COPY "ply.copy" /* the note that labels were also written as scalar_label */
enum ply_encoding { PLY_ASCII, PLY_LITTLE, PLY_BIG };
extern const char *const ply_write_encodings[3]; /* as the header spells them */

int ply_write(struct call *call, const struct glt_cloud *c, struct file *f,
              const struct format_options *o);

#endif
