/* A column: one named quantity of every point, in the type of its file. Columns of several clouds
 * may share their values (memory_share): those of a cloud that was not just made are changed only
 * after column_own. */
#ifndef CLOUD_COLUMN_H
#define CLOUD_COLUMN_H

#include "cloud/type.h"

struct column {
    char *name;            /* canonical */
    char *source;          /* the file's spelling; NULL if it is the name */
    enum glt_type type;    /* of one item */
    int32_t width;         /* items per point; nearly always 1; 0 for a list */
    double scale, offset;  /* value = item * scale + offset; 1 and 0 except for scaled integers */
    int64_t *start;        /* (n + 1) of a list: items start[i] .. start[i + 1] - 1; else NULL */
    enum glt_type counter; /* a list's length type in the file */
    void *data;            /* (n, width), or (start[n]) of a list */
    size_t stride;         /* bytes between items; 0: packed. Only borrowed data is not packed */
    bool borrowed;         /* data belongs to the caller and is only read */
};

/* One value per point; false for NULL. */
static inline bool column_is_single(const struct column *x)
{
    return x && x->width == 1;
}

static inline bool column_is_scaled(const struct column *x)
{
    return x->scale != 1 || x->offset != 0;
}

static inline int64_t column_items(const struct column *x, int64_t n) /* of n points */
{
    return x->start ? x->start[n] : n * x->width;
}

/* Appends a column without data to a growing array of columns. */
int column_append(struct column **out, struct column **columns, int32_t *n, const char *name,
                  enum glt_type type);
/* The same, with the points `rows` (n) of x; NULL: its first n. */
int column_append_rows(struct column **columns, int32_t *n_columns, const struct column *x,
                       const int64_t *rows, int64_t n);
/* The same with all points of x, whose values are shared instead of copied. */
int column_append_shared(struct column **columns, int32_t *n_columns, const struct column *x);
/* Makes the values of n points, not of a list, packed and the column's own: they may be changed. */
int column_own(struct column *x, int64_t n);
int column_rename(struct column *x, const char *name); /* the spelling is kept */
void column_clear(struct column *x);
/* Takes new, packed data and frees the old unless it was borrowed. */
void column_replace(struct column *x, void *data);
/* A pointer to item i. */
static inline const void *column_item(const struct column *x, int64_t i)
{
    return (const unsigned char *)x->data +
           (size_t)i * (x->stride ? x->stride : type_size(x->type));
}
/* Removes column i from an array of *n without freeing its contents. */
void column_take_out(struct column *columns, int32_t *n, int32_t i);

/* Reverses the bytes of each item, for the other byte order. */
void column_swap(struct column *x, int64_t n);
double column_value(const struct column *x, int64_t item); /* scale and offset applied */
/* Items begin .. begin + n - 1, converted to `type`, `stride` bytes apart (0 = packed). Scale and
 * offset are applied, integers saturate, reals round to nearest even, NaN becomes 0 in an integer.
 */
void column_convert(void *dst, enum glt_type type, size_t stride, const struct column *x,
                    int64_t begin, int64_t n);
/* Whether doubles hold the items of n points exactly; 64-bit integers may have more digits. */
bool column_fits_double(const struct column *x, int64_t n);
/* The 64-bit integer type that n doubles were converted from, if they are too large to be exact;
 * 2^63 and 2^64 are also the largest integers, rounded. GLT_F64 if doubles are exact, or no type
 * fits. */
enum glt_type column_large_type(const struct column *x, int64_t n);
/* A column of doubles that are all whole becomes one of the smallest integers that hold them. */
int column_shrink(struct column *x, int64_t n);

#endif
