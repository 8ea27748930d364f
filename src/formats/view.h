/* A writer's view of a cloud: its columns under the names of the format, scaled integers as
 * doubles. Data is borrowed from the cloud if possible; the rest is memory of the call. */
#ifndef FORMATS_VIEW_H
#define FORMATS_VIEW_H

#include "cloud/cloud.h"
#include "cloud/column.h"

struct call;

struct view {
    struct column *columns; /* with space for VIEW_MORE more */
    int32_t n;
    int64_t rows;
};
enum { VIEW_MORE = 4 };

/* Leaves out lists if they cannot be written; a warning names them. */
int view_make(struct call *call, struct view *v, const struct glt_cloud *c, const char *format,
              bool lists);
/* Colours of LAS that are 8 bits in 16 (multiples of 257) become bytes, which all programs show
 * right. */
int view_narrow_colours(struct call *call, struct view *v, const struct glt_cloud *c);
/* Column y of a view: x as `type` under the name, which the caller keeps alive. */
int view_show(struct call *call, struct column *y, const struct view *v, const struct column *x,
              const char *name, enum glt_type type);

#endif
