/* Points on the surface of a PLY: its faces and the coordinates of its vertices as a mesh. What
 * else the vertices have (colours, labels) is theirs, and not taken along. */
#include "cloud/names.h"
#include "core/error.h"
#include "formats/mesh.h"
#include "formats/ply.h"

#include <inttypes.h>
#include <string.h>

static const struct column *find_column(const struct element *e, const char *name)
{
    for (int32_t k = 0; k < e->n_columns; k++)
        if (strcmp(names_canonical(e->columns[k].name), name) == 0)
            return &e->columns[k];
    return NULL;
}

/* The corners of the faces, a list per face; NULL if there are none. */
static const struct column *find_corners(const struct ply *p, int64_t *faces)
{
    static const char *const names[] = {"vertex_indices", "vertex_index"};
    for (int32_t i = 0; i < p->n_elements; i++)
        for (int k = 0; k < 2; k++) {
            const struct column *x = find_column(&p->elements[i], names[k]);
            *faces = p->elements[i].n;
            if (x && x->start && *faces > 0 && strcmp(p->elements[i].name, "face") == 0)
                return x;
        }
    return NULL;
}

static int take_vertices(struct mesh *m, const struct element *v, const char *file)
{
    static const char *const axes[] = {"x", "y", "z"};
    const struct column *x[3];
    for (int d = 0; d < 3; d++) {
        x[d] = find_column(v, axes[d]);
        if (!x[d] || x[d]->start)
            return error_set(GLT_EDATA, "%s has no coordinates x, y, z of one number each", file);
    }
    for (int64_t i = 0; i < v->n; i++) {
        double xyz[3];
        for (int d = 0; d < 3; d++)
            xyz[d] = column_value(x[d], i);
        TRY(mesh_add_vertex(m, xyz));
    }
    return 0;
}

static int take_face(struct mesh *m, const struct column *x, int64_t face, const char *file)
{
    int64_t corner[3] = {0};
    for (int64_t i = x->start[face]; i < x->start[face + 1]; i++) {
        double v = column_value(x, i);
        if (!(v >= 0 && v < (double)m->n) || v >= INT32_MAX)
            return error_set(GLT_EFORMAT, "%s: face %" PRId64 " has a corner %g of %" PRId64, file,
                             face, v, m->n);
        int64_t k = i - x->start[face]; /* a fan around the first */
        corner[1] = corner[2];
        corner[k ? 2 : 0] = (int64_t)v;
        if (k >= 2)
            TRY(mesh_add_face(m, corner, 3));
    }
    return 0;
}

int ply_sample(struct glt_cloud *c, const struct ply *p, const char *file,
               const struct format_options *o)
{
    struct mesh m = {0};
    int64_t faces;
    const struct column *x = find_corners(p, &faces);
    if (!x)
        return error_set(GLT_EARGUMENT,
                         "%s: sample=%lld is of the surface of a mesh, and this has no faces; "
                         "subsample takes of its points",
                         file, (long long)o->sample);
    int code = take_vertices(&m, &p->elements[p->vertex], file);
    for (int64_t i = 0; i < faces && code == 0; i++)
        code = take_face(&m, x, i, file);
    if (code == 0)
        code = mesh_sample(c, &m, o);
    mesh_clear(&m);
    return code;
}
