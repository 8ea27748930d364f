/* Meshes as clouds: their vertices, or points drawn on their surface. */
#ifndef FORMATS_MESH_H
#define FORMATS_MESH_H

#include "formats/format.h"

struct mesh {
    double *xyz; /* (n, 3) */
    int64_t n;
    int32_t *triangles; /* (n_triangles, 3) */
    int64_t n_triangles;
    double *normals, *colours; /* (n, 3), or NULL if not every vertex has one */
    bool bytes;                /* colours are whole numbers up to 255 */
};

int mesh_add_vertex(struct mesh *m, const double xyz[3]);
/* A polygon of n corners as a fan of triangles; corners are vertices read so far. */
int mesh_add_face(struct mesh *m, const int64_t *corners, int64_t n);
void mesh_clear(struct mesh *m);
/* The vertices if o asks for them or there are no faces, else mesh_sample. */
int mesh_cloud(struct call *call, struct glt_cloud *c, const struct mesh *m,
               const struct format_options *o);
/* Points on the surface, uniform by area, with the normals of their faces; o->sample of them (or
 * 10,000), which depend only on o->seed. A mesh without area gives the coordinates of its vertices.
 */
int mesh_sample(struct call *call, struct glt_cloud *c, const struct mesh *m,
                const struct format_options *o);

#endif
