/* Rows: conversion between fixed-size records in a file and columns in memory. */
#ifndef FORMATS_ROWS_H
#define FORMATS_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct call;
struct column;
struct file;

/* `size` bytes at `offset` of each record are the next `size` bytes of data; with a mask, size is 1
 * and only the bits `byte >> shift & mask` are split off (joining leaves the mask alone). */
struct field {
    unsigned char *data;
    size_t offset, size;
    unsigned char shift, mask;
};

/* The fields of a record that holds n columns one after the other, and its size; NULL without
 * memory. */
struct field *rows_fields(struct call *call, size_t *row_size, const struct column *columns,
                          int32_t n);
/* Splits the next n records of row_size > 0 bytes with all threads; the caller has compared n with
 * file_left. */
int rows_read(struct file *f, const struct field *fields, int32_t n_fields, size_t row_size,
              int64_t n);
/* Joins them again; bytes of a record that no field covers are 0. */
int rows_write(struct file *f, const struct field *fields, int32_t n_fields, size_t row_size,
               int64_t n);
/* One block: n records at `rows`, and items first .. first + n - 1 of the fields. */
void rows_split(const struct field *fields, int32_t n_fields, const unsigned char *rows,
                size_t row_size, int64_t first, int64_t n);
void rows_join(unsigned char *rows, const struct field *fields, int32_t n_fields, size_t row_size,
               int64_t first, int64_t n);

#endif
