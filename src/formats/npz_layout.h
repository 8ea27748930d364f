/* How a cloud lies in an .npz archive: which names mean what, and arrays that are kept as they are.
 */
#ifndef FORMATS_NPZ_LAYOUT_H
#define FORMATS_NPZ_LAYOUT_H

#include "cloud/cloud.h"
#include "formats/arrays.h"

struct call;

/* Names of classes, text (classes); clouds have them as comments. More of them are no names. */
#define NPZ_CLASSES "class_name"
enum { NPZ_CLASSES_MAX = 4096, NPZ_CLASS_NAME = 256 };

/* Lines of cloud/provenance.h, text (lines). */
#define NPZ_PROVENANCE "provenance"

/* Names of arrays that hold coordinates, the first of them in an archive before the others: the
 * rank of this one, NPZ_RANKS of any other. */
enum { NPZ_RANKS = 6 };
int npz_layout_rank(const char *name);
/* The names of the columns that an array of colours or normals is cut into; NULL of any other. */
const char *const *npz_layout_columns(const char *name);

/* What integer coordinates mean, one number for all or one for each axis; such names and counts are
 * attributes only beside real coordinates. */
bool npz_layout_is_scale(const char *name, int64_t count);

/* Arrays that are no attributes are notes under "npz.NAME", each the bytes of an .npy file. */
#define NPZ_NOTE "npz."
int npz_layout_keep(struct call *call, struct glt_cloud *c, const struct array *a);
/* The name of the array that a note keeps; NULL of notes of others. */
const char *npz_layout_kept(const struct note *note);
/* Whether it would be taken for a scale; true of one that cannot be read. */
bool npz_layout_is_kept_scale(const struct note *note);

#endif
