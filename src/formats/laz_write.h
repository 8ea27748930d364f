/* Writing compressed points. */
#ifndef FORMATS_LAZ_WRITE_H
#define FORMATS_LAZ_WRITE_H

#include "formats/laz_chunk.h"

#include <stddef.h>
#include <stdint.h>

struct file;

/* Fills rows with n LAS records from number `first` on; several threads call it at once. */
typedef void laz_rows_fn(unsigned char *rows, int64_t first, int64_t n, const void *user);

/* The record that describes the compression of points, with its variable length record header. */
int laz_write_record(struct file *f, const struct laz_layout *l);
/* n points from the file's offset on: chunks of 50,000, then their table. */
int laz_write_points(struct file *f, const struct laz_layout *l, int64_t n, laz_rows_fn *fn,
                     const void *user);

#endif
