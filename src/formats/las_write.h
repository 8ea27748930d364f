/* Writing LAS and LAZ. */
#ifndef FORMATS_LAS_WRITE_H
#define FORMATS_LAS_WRITE_H

#include "formats/format.h"

int las_write(struct call *call, const struct glt_cloud *c, struct file *f,
              const struct format_options *o);
int las_write_packed(struct call *call, const struct glt_cloud *c, struct file *f,
                     const struct format_options *o);

#endif
