/* Writing clouds as .npz archives. */
#ifndef FORMATS_NPZ_WRITE_H
#define FORMATS_NPZ_WRITE_H

#include "formats/format.h"

int npz_write(struct call *call, const struct glt_cloud *c, struct file *f,
              const struct format_options *o);

#endif
