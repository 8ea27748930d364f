/* Formats: one file each, one row in format.c's table.
 *
 * A reader sets n and the columns of a cloud and fills them; on failure the caller frees the cloud.
 * Readers and writers take temporary memory from a call, which their caller frees. Sizes from the
 * file are compared with file_left before they are multiplied or allocated. */
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
    int64_t sample;      /* meshes: points on the surface; 0: 10,000, for PLY the vertices */
    uint64_t seed;
    const double *box; /* keep points with x, y within x, y, X, Y; formats with an index read
                        * little else */
    bool salvage;      /* read the intact part of a damaged file (LAZ) */
    const char *label_attribute; /* the attribute that holds the labels; NULL: by its name */
    const char *encoding; /* writing: "ascii", "binary", "big", "compressed"; NULL = as read */
    bool labels;          /* writing: refuse formats that cannot hold them */
};

struct format {
    const char *name;
    const char *extensions; /* lower case, separated by blanks */
    /* Whether the first bytes can only be this format; NULL if its content has no signature. */
    bool (*probe)(const unsigned char *bytes, size_t len);
    int (*read)(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o);
    int (*write)(struct call *call, const struct glt_cloud *c, struct file *f,
                 const struct format_options *o);
    /* x, y, X, Y of all points by the header; false if it does not say. NULL: none does. */
    bool (*extent)(double box[4], struct file *f);
    const char *encodings;  /* in which it is written, separated by blanks */
    const char *unlabelled; /* those of its extensions that cannot hold labels */
    bool mesh;              /* it may have a surface to draw points on */
    bool elements;          /* it keeps elements beside the points */
    bool unnamed;           /* its columns may be unnamed: names can be given */
};

/* By content, then by the extension of name; GLT_EUNSUPPORTED names what was found. */
int format_find(const struct format **out, struct file *f);
int format_by_extension(const struct format **out, const char *path);
/* Whether the format of that extension is written, and holds labels. */
bool format_holds_labels(const char *path);
const struct format *format_by_name(const char *name); /* NULL if there is none */

/* x, y, X, Y of all points from the file's header. Returns 1, or 0 if the header does not have
 * them. */
int format_extent(double box[4], const char *path);

int format_read(struct glt_cloud **out, const char *path, const struct format_options *o);
int format_read_file(struct glt_cloud **out, struct file *f, const struct format_options *o);
/* By the extension of path unless o names a format. Without a cloud (NULL) only path and options
 * are checked. */
int format_write(const struct glt_cloud *c, const char *path, const struct format_options *o);
/* In memory, which is released with memory_free; o names the format. */
int format_write_memory(void **bytes, size_t *len, const struct glt_cloud *c,
                        const struct format_options *o);

#endif
