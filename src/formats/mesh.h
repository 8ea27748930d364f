/* Meshes as clouds: their vertices, or points drawn on their surface. */
#ifndef FORMATS_MESH_H
#define FORMATS_MESH_H

#include "formats/format.h"

struct mesh {
    double *xyz; /* (n, 3) */
    int64_t n;
    int32_t *triangles; /* (n_triangles, 3) */
    int64_t n_triangles;
};

int mesh_add_vertex(struct mesh *m, const double xyz[3]);
/* A polygon of n corners as a fan of triangles; corners are vertices read so far. */
int mesh_add_face(struct mesh *m, const int64_t *corners, int64_t n);
void mesh_clear(struct mesh *m);
/* Points on the surface, uniform by area, with the normals of their faces; o->sample of them (or
 * 10,000), a function of o->seed alone. A mesh without area gives its vertices. */
int mesh_sample(struct glt_cloud *c, const struct mesh *m, const struct format_options *o);
int mesh_vertices(struct glt_cloud *c, const struct mesh *m);

#endif
