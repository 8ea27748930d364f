/* The layout of a cloud in an .npz archive: names with a meaning, and arrays that are kept
 * unchanged. */
#ifndef FORMATS_NPZ_LAYOUT_H
#define FORMATS_NPZ_LAYOUT_H

#include "cloud/cloud.h"
#include "formats/arrays.h"

struct call;

/* Names of classes, text (classes), which clouds have as comments. A longer array is not names. */
#define NPZ_CLASSES "class_name"
enum { NPZ_CLASSES_MAX = 4096, NPZ_CLASS_NAME = 256 };

/* Lines of cloud/provenance.h, text (lines). */
#define NPZ_PROVENANCE "provenance"

/* The rank of an array name that can hold coordinates: in an archive the lowest rank wins.
 * NPZ_RANKS for other names. */
enum { NPZ_RANKS = 6 };
int npz_layout_rank(const char *name);
/* The names of the columns that an array of colours or normals is cut into; NULL for any other. */
const char *const *npz_layout_columns(const char *name);

/* Whether an array is the scale or origin of integer coordinates: one number for all axes or one
 * for each. Beside real coordinates such an array is an attribute. */
bool npz_layout_is_scale(const char *name, int64_t count);

/* Arrays that are no attributes are notes under "npz.NAME", each the bytes of an .npy file. */
#define NPZ_NOTE "npz."
int npz_layout_keep(struct call *call, struct glt_cloud *c, const struct array *a);
/* The name of the array that a note keeps; NULL for other notes. */
const char *npz_layout_kept(const struct note *note);
/* Whether a reader would take it for a scale; true also if it cannot be read. */
bool npz_layout_is_kept_scale(const struct note *note);

#endif
