/* Formats: one file each, one row in format.c's table.
 *
 * A reader fills a cloud whose n and columns it sets itself; on failure the caller frees what is
 * there. Sizes from the file are compared with file_left before they are multiplied or allocated.
 */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include "cloud/cloud.h"

enum { COLUMNS_MOST = 4096, VALUES_MOST = 65536 }; /* a point's attributes, and values in them */

struct format {
    const char *name;
    const char *extensions; /* lower case, separated by blanks */
    /* Whether the first bytes can only be this format; NULL if its content has no mark. */
    bool (*probe)(const unsigned char *bytes, size_t len);
    int (*read)(struct glt_cloud *c, struct file *f, const struct cloud_options *o);
    int (*write)(const struct glt_cloud *c, struct file *f, const struct cloud_options *o);
    const char *encodings; /* that it is written in, separated by blanks */
    bool mesh;             /* it may have a surface to draw points on */
    bool unnamed;          /* it may have no names for its columns: they can be given */
};

/* By content, then by the extension of name; GLT_EUNSUPPORTED names what was found. */
int format_find(const struct format **out, struct file *f);
int format_by_extension(const struct format **out, const char *path);
const struct format *format_by_name(const char *name); /* NULL if there is none */
const struct format *format_at(size_t i);              /* NULL after the last */

/* A column named as in the file, not yet allocated: readers that learn names before counts finish
 * with cloud_allocate. */
int cloud_declare(struct column **out, struct glt_cloud *c, const char *source, enum glt_type type,
                  int32_t width);
int cloud_allocate(struct glt_cloud *c); /* data of all declared columns that are no lists */
/* Gives every column its canonical name, keeping the spelling as source. */
int cloud_canonicalise(struct glt_cloud *c);
/* Canonical name of a field; itself if it has none. */
const char *canonical_name(const char *source);
/* The name a writer of `format` gives the column. */
const char *column_spelling(const struct glt_cloud *c, const struct column *x, const char *format);
/* A column without data at the end of an array of columns. */
int columns_append(struct column **out, struct column **columns, int32_t *n, const char *name,
                   enum glt_type type);
void column_clear(struct column *x);
/* The integers of 64 bits that n doubles may stand for; 2^63 and 2^64 are also what the largest of
 * them round to. GLT_F64 if doubles hold their digits, or nothing does. */
enum glt_type column_large_type(const struct column *x, int64_t n);
/* A column of doubles that are all whole becomes one of the smallest integers that hold them. */
int column_shrink(struct column *x, int64_t n);

#endif
