/* The cloud: the points of one file, without loss.
 *
 * Every per-point quantity is a named column in the file's own type, including x, y and z (float,
 * double, or integers with scale and offset as in LAS). Readers keep the file's spelling beside the
 * canonical name, so an untouched cloud is written back unchanged. Lists, other elements (faces),
 * comments and header bytes that only one format understands are kept. cloud_local derives what the
 * network sees: float coordinates around a double origin that depends on the set of coordinates
 * alone, never on the order of the rows or on a header.
 *
 * Canonical names: x y z, red green blue, intensity, nx ny nz, label, instance, confidence,
 * classification; all others verbatim. Public handle: struct glt_cloud. */
#ifndef CLOUD_CLOUD_H
#define CLOUD_CLOUD_H

#include "cloud/classes.h"
#include "cloud/column.h"

/* Another element of a PLY file (face, edge, ...), kept to be written back. */
struct element {
    char *name;
    int64_t n;
    struct column *columns;
    int32_t n_columns;
};

struct note;
/* Adds the note to `to`, whose points are the points `rows` (to->n) of a cloud of n points. */
typedef int note_select(struct glt_cloud *to, const struct note *note, const int64_t *rows,
                        int64_t n);

/* Bytes that one format keeps under "format.key" (VIEWPOINT, VLRs, the encoding, ...). The key
 * "unit" is the unit of the coordinates, if the file names it. */
struct note {
    char *key;
    unsigned char *bytes; /* followed by a NUL */
    size_t len;
    note_select *select; /* NULL: the note is copied */
};

struct glt_cloud {
    int64_t n;
    struct column *columns;
    int32_t n_columns;
    struct element *elements;
    int32_t n_elements, n_before; /* the first n_before stand before the vertices */
    char **comments;
    int32_t n_comments;
    bool more_comments;     /* the file had more than are kept */
    struct classes classes; /* named by comments: "class 7 table" */
    struct note *notes;
    int32_t n_notes;
    const char *format; /* name of the format it was read from; NULL if from none */
    char *path;         /* of the file; NULL if from none */
};

/* --- making and unmaking --- */
int cloud_new(struct glt_cloud **out, int64_t n); /* n points without columns */
void cloud_free(struct glt_cloud *c);             /* accepts NULL */
void cloud_clear_element(struct element *e);
const char *cloud_name(const struct glt_cloud *c); /* for messages: its path, or "the cloud" */
/* The points `rows` (n), in that order, with all columns, comments and notes. Other elements, which
 * refer to points by number, are kept only if these are all points in their order. */
int cloud_select(struct glt_cloud **out, const struct glt_cloud *c, const int64_t *rows, int64_t n);

/* --- columns; pointers stay valid until the next add or remove --- */
struct column *cloud_attribute(const struct glt_cloud *c, const char *name); /* NULL if absent */
/* The column of that name, if it has one value per point; the error lists the existing names. */
int cloud_single(const struct column **out, const struct glt_cloud *c, const char *name);
/* A zeroed column at the end; the name may repeat an existing one (the first is found). */
int cloud_add_attribute(struct column **out, struct glt_cloud *c, const char *name,
                        enum glt_type type);
int cloud_add_wide(struct column **out, struct glt_cloud *c, const char *name, enum glt_type type,
                   int32_t width);
/* A column without data: readers that learn names before counts finish with cloud_allocate. */
int cloud_declare(struct column **out, struct glt_cloud *c, const char *name, enum glt_type type,
                  int32_t width);
int cloud_allocate(struct glt_cloud *c); /* data of all declared columns that are no lists */
/* Removes all columns of that name, including repeated ones that were numbered. */
void cloud_remove_attribute(struct glt_cloud *c, const char *name);
bool cloud_is_strided(const struct glt_cloud *c); /* a column is borrowed and not packed */
bool cloud_is_las(const struct glt_cloud *c);     /* it was read from LAS or LAZ */
/* The name a writer of `format` gives the column: its spelling, if it was read from that format. */
const char *cloud_spelling(const struct glt_cloud *c, const struct column *x, const char *format);

/* --- columns as numbers --- */
/* Converts a column of width 1 as column_convert does; GLT_EDATA if absent or a list. */
int cloud_attribute_as_f32(float *dst, const struct glt_cloud *c, const char *name);   /* (n) */
int cloud_attribute_as_f64(double *dst, const struct glt_cloud *c, const char *name);  /* (n) */
int cloud_attribute_as_i32(int32_t *dst, const struct glt_cloud *c, const char *name); /* (n) */
struct bounds {
    double min[3], max[3]; /* of the finite points; min > max when there are none */
    int64_t finite;        /* points whose x, y and z are all finite */
};
int cloud_bounds(struct bounds *out, const struct glt_cloud *c);
/* xyz (n, 3) = coordinates - origin; origin = the centre of the bounds, rounded to whole units. */
int cloud_local(double origin[3], float *xyz, const struct glt_cloud *c);
/* The same on a lattice: coordinates are rounded to multiples of `step`, a power of two, and so is
 * the origin. So parts of a cloud have the same coordinates as the whole, whatever their origins,
 * as long as they are not wider than 2^25 steps. */
int cloud_local_steps(double origin[3], float *xyz, const struct glt_cloud *c, double step);
/* The distance between neighbouring values near the largest coordinate, if coordinates are 32-bit
 * floats and this is too coarse for the cloud; else 0. */
int cloud_step(double *step, const struct glt_cloud *c);
/* Factor that brings red, green and blue to 0..1, decided once for the whole cloud: 1/255 for 8-bit
 * values in any type, 1/65535 for 16-bit values, 1 for real numbers up to 1. 0 without colours. */
double cloud_colour_scale(const struct glt_cloud *c);
int cloud_colours(float *rgb, const struct glt_cloud *c); /* (n, 3) in 0..1 */

/* --- comments and notes --- */
int cloud_add_comment(struct glt_cloud *c, const char *text);
/* Call cloud_read_classes after comments that name classes were removed or changed. */
void cloud_remove_comment(struct glt_cloud *c, int32_t i);
int cloud_read_classes(struct glt_cloud *c);
int cloud_set_note(struct glt_cloud *c, const char *key, const void *bytes, size_t len);
/* The same for a note that changes with the points. */
int cloud_set_point_note(struct glt_cloud *c, const char *key, const void *bytes, size_t len,
                         note_select *select);
const struct note *cloud_note(const struct glt_cloud *c, const char *key); /* NULL if absent */

#endif
