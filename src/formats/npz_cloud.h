/* NPZ clouds, shared by reader and writer. */
#ifndef FORMATS_NPZ_CLOUD_H
#define FORMATS_NPZ_CLOUD_H

#include "formats/format.h"

/* Arrays that are no attributes are notes under "npz.NAME", each the bytes of an .npy file. */
#define NPZ_NOTE "npz."
/* Names of classes, text (classes); clouds have them as comments. More of them are no names. */
#define NPZ_CLASSES "class_name"
enum { NPZ_CLASSES_MOST = 4096, NPZ_CLASS_NAME = 256 };
/* Names of arrays that hold coordinates, the first of them in an archive before the others: the
 * rank of this one, NPZ_RANKS of any other. */
enum { NPZ_RANKS = 6 };
int npz_rank(const char *name);
/* What integer coordinates mean, one number for all or one for each axis; such names and counts are
 * attributes only beside real coordinates. */
bool npz_is_scale(const char *name, int64_t count);
/* Whether such a note would be taken for one of them; true of one that cannot be read. */
bool npz_note_is_scale(const struct note *note);
int npz_write(const struct glt_cloud *c, struct file *f, const struct format_options *o);

#endif
