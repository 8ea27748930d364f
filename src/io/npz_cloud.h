/* NPZ clouds, shared by reader and writer. */
#ifndef IO_NPZ_CLOUD_H
#define IO_NPZ_CLOUD_H

#include "io/format.h"

int npz_write(const struct glt_cloud *c, struct file *f, const struct cloud_options *o);

#endif
