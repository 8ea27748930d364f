/* What a LAS file will hold: the plan its writer follows. */
#ifndef FORMATS_LAS_OUT_H
#define FORMATS_LAS_OUT_H

#include "formats/las.h"

enum { LAS_HEAD_MOST = 4096 };

struct las_column {
    const char *name;
    unsigned char *data; /* NULL: zeros */
    bool owned;
    size_t offset, size; /* bytes in the record */
    unsigned char shift, mask;
    double scale, offset_value;               /* of x, y, z */
    unsigned char descriptor[LAS_DESCRIPTOR]; /* of extra attributes */
};

struct las_out {
    int minor, format;
    bool came; /* from a LAS file of this point format */
    size_t record;
    struct las_column *columns; /* the fields of the format, then the extra attributes */
    int32_t n_fields, n_columns;
};

/* The cloud with its classes as LAS gets them, without copies of the rest: c must outlive it. */
int las_renumber(struct glt_cloud *own, const struct glt_cloud *c);
void las_renumber_free(struct glt_cloud *own, const struct glt_cloud *c);

int las_plan(struct las_out *o, const struct glt_cloud *c);
void las_plan_free(struct las_out *o);
const struct las_column *las_find(const struct las_out *o, const char *name); /* a field */

#endif
