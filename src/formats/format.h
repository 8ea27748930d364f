/* Formats: one file each, one row in format.c's table.
 *
 * A reader fills a cloud whose n and columns it sets itself; on failure the caller frees what is
 * there. Readers and writers take temporary memory from a call, which their caller frees. Sizes
 * from the file are compared with file_left before they are multiplied or allocated.
 */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include "cloud/cloud.h"

struct call;
struct file;

enum { COLUMNS_MAX = 4096, VALUES_MAX = 65536 }; /* a point's attributes, and values in them */

/* How to read and write; all zero = the defaults. */
struct format_options {
    const char *format;  /* name of a format, or NULL: by content, then by extension */
    const char *columns; /* text: names of the columns, comma separated, "-" skips one */
    bool vertices;       /* meshes: the vertices themselves */
    int64_t sample;      /* meshes: points drawn on the surface; 0 = 10,000, of PLY the vertices */
    uint64_t seed;
    const double *box; /* keep points with x, y within x, y, X, Y; formats with an index read
                        * little else */
    bool salvage;      /* of a damaged file (LAZ) what is whole */
    const char *label_attribute; /* the attribute that holds the labels; NULL: by its name */
    const char *encoding; /* writing: "ascii", "binary", "big", "compressed"; NULL = as read */
    bool labels;          /* writing: only formats that hold them */
};

struct format {
    const char *name;
    const char *extensions; /* lower case, separated by blanks */
    /* Whether the first bytes can only be this format; NULL if its content has no mark. */
    bool (*probe)(const unsigned char *bytes, size_t len);
    int (*read)(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o);
    int (*write)(struct call *call, const struct glt_cloud *c, struct file *f,
                 const struct format_options *o);
    /* x, y, X, Y of all points by the header; false if it does not say. NULL: none does. */
    bool (*extent)(double box[4], struct file *f);
    const char *encodings;  /* that it is written in, separated by blanks */
    const char *unlabelled; /* those of its extensions that have no place for labels */
    bool mesh;              /* it may have a surface to draw points on */
    bool elements;          /* it keeps elements beside the points */
    bool unnamed;           /* it may have no names for its columns: they can be given */
};

/* By content, then by the extension of name; GLT_EUNSUPPORTED names what was found. */
int format_find(const struct format **out, struct file *f);
int format_by_extension(const struct format **out, const char *path);
const struct format *format_by_name(const char *name); /* NULL if there is none */

/* x, y, X, Y of all points from the file's header: 1, or 0 if only the points would say it. */
int format_extent(double box[4], const char *path);

int format_read(struct glt_cloud **out, const char *path, const struct format_options *o);
int format_read_file(struct glt_cloud **out, struct file *f, const struct format_options *o);
/* By the extension of path unless o names a format. Without a cloud (NULL) only these are judged.
 */
int format_write(const struct glt_cloud *c, const char *path, const struct format_options *o);
/* In memory, which is released with memory_free; o names the format. */
int format_write_memory(void **bytes, size_t *len, const struct glt_cloud *c,
                        const struct format_options *o);

#endif
