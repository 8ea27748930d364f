/* NPZ clouds, shared by reader and writer. */
#ifndef IO_NPZ_CLOUD_H
#define IO_NPZ_CLOUD_H

#include "io/format.h"

/* Arrays that are no attributes are notes under "npz.NAME", each the bytes of an .npy file. */
#define NPZ_NOTE "npz."
/* Names of classes, text (classes); clouds have them as comments. More of them are no names. */
#define NPZ_CLASSES "class_name"
enum { NPZ_CLASSES_MOST = 4096, NPZ_CLASS_NAME = 256 };
/* Such a note of a cloud of n points for the `to` that has only the points `rows`: an array with a
 * row for each point keeps those alone. */
int npz_select(struct glt_cloud *to, const struct note *note, const int64_t *rows, int64_t n);
int npz_write(const struct glt_cloud *c, struct file *f, const struct cloud_options *o);

#endif
