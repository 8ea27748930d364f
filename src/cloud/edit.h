/* Changes to a cloud on its way from one file to another. */
#ifndef CLOUD_EDIT_H
#define CLOUD_EDIT_H

#include "cloud/cloud.h"

enum { EDIT_MAP = 256 };

struct edit {
    bool has_crop, has_scale, has_shift;
    int up;         /* the axis that points up, 0 x or 1 y, becomes z; 2: it is */
    double crop[6]; /* smallest x, y, z, then largest */
    double scale[3], shift[3];
    int64_t subsample; /* so many points at random; 0 = all */
    uint64_t seed;
    int32_t map[EDIT_MAP][2], n_map; /* labels: old, new */
};

struct edit edit_start(void); /* nothing changes */
int edit_option(struct edit *e, const char *key, const char *value);
/* A new cloud; other elements (faces), which name points by number, stay while all points do. */
int edit_cloud(struct glt_cloud **out, const struct glt_cloud *c, const struct edit *e);

#endif
