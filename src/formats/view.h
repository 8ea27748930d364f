/* What a writer sees: the columns of a cloud under the names its format gives them, scaled integers
 * as doubles. Data is borrowed from the cloud where it can be. */
#ifndef FORMATS_VIEW_H
#define FORMATS_VIEW_H

#include "formats/format.h"
#include "formats/rows.h"

struct view {
    struct column *columns; /* name, start and data are borrowed unless owned */
    bool *owned;            /* data is this view's */
    int32_t n;
    int64_t rows;
};

/* Without lists when they cannot be written (a warning names them). */
int view_make(struct view *v, const struct glt_cloud *c, const char *format, bool lists);
/* One more column: x as `type` under the name, which the caller keeps alive. */
int view_add(struct view *v, const struct column *x, const char *name, enum glt_type type);
void view_free(struct view *v);
/* The fields of a record that holds all columns one after the other; *row_size its bytes. */
int view_fields(struct field **out, size_t *row_size, const struct view *v);

#endif
