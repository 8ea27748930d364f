/* Meshes: see mesh.h. Uniform sampling by area: R. Osada et al., "Shape distributions", 2002,
 * equation 1: P = (1 - sqrt(a)) A + sqrt(a) (1 - b) B + sqrt(a) b C. */
#include "formats/mesh.h"

#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 10000 };

int mesh_add_vertex(struct mesh *m, const double xyz[3])
{
    TRY(array_reserve(&m->xyz, m->n, 1, 3 * sizeof *xyz));
    memcpy(m->xyz + 3 * m->n++, xyz, 3 * sizeof *xyz);
    return 0;
}

int mesh_add_face(struct mesh *m, const int64_t *corners, int64_t n)
{
    for (int64_t i = 2; i < n; i++) {
        TRY(array_reserve(&m->triangles, m->n_triangles, 1, 3 * sizeof(int32_t)));
        int32_t *t = m->triangles + 3 * m->n_triangles++;
        t[0] = (int32_t)corners[0];
        t[1] = (int32_t)corners[i - 1];
        t[2] = (int32_t)corners[i];
    }
    return 0;
}

void mesh_clear(struct mesh *m)
{
    memory_free(m->xyz);
    memory_free(m->triangles);
    memory_free(m->normals);
    memory_free(m->colours);
    *m = (struct mesh){0};
}

/* Returns twice the area; n is the unit normal if the area is not zero. */
static double normal_of(double n[3], const double *a, const double *b, const double *c)
{
    double u[3], v[3];
    for (int d = 0; d < 3; d++) {
        u[d] = b[d] - a[d];
        v[d] = c[d] - a[d];
    }
    for (int d = 0; d < 3; d++)
        n[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
    double len = sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
    for (int d = 0; d < 3; d++)
        n[d] = len > 0 ? n[d] / len : 0;
    return isfinite(len) ? len : 0;
}

static double corners_of(double n[3], const double *corner[3], const struct mesh *m, int64_t i)
{
    for (int k = 0; k < 3; k++)
        corner[k] = m->xyz + 3 * (int64_t)m->triangles[3 * i + k];
    return normal_of(n, corner[0], corner[1], corner[2]);
}

/* Three columns from rows (n, 3). */
static int add_three(struct glt_cloud *c, const char *const names[3], const double *rows,
                     enum glt_type type)
{
    size_t size = type_size(type);
    for (int d = 0; d < 3; d++) {
        struct column *x, from = {.type = GLT_F64, .width = 1, .scale = 1};
        TRY(cloud_add_attribute(&x, c, names[d], type));
        for (int64_t i = 0; i < c->n; i++) {
            from.data = (void *)(uintptr_t)(rows + 3 * i + d);
            column_convert((unsigned char *)x->data + (size_t)i * size, type, 0, &from, 0, 1);
        }
    }
    return 0;
}

static bool are_bytes(const double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!(v[i] >= 0 && v[i] <= 255) || v[i] != (double)(int)v[i])
            return false;
    return true;
}

/* The triangle whose share of the summed area contains u. */
static int64_t find_triangle(const double *sum, int64_t n, double u)
{
    int64_t low = 0, high = n - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (sum[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int draw(struct glt_cloud *c, const struct mesh *m, const double *sum, uint64_t seed)
{
    struct column *x;
    for (int d = 0; d < 3; d++)
        TRY(cloud_add_attribute(&x, c, names_xyz[d], GLT_F64));
    for (int d = 0; d < 3; d++)
        TRY(cloud_add_attribute(&x, c, names_normal[d], GLT_F32));
    struct random r = random_start(random_stream(seed, 0, 0, RANDOM_MESH), 0);
    for (int64_t i = 0; i < c->n; i++) {
        double u = random_uniform(&r) * sum[m->n_triangles - 1];
        double a = sqrt(random_uniform(&r)), b = random_uniform(&r), n[3];
        const double *corner[3];
        corners_of(n, corner, m, find_triangle(sum, m->n_triangles, u));
        for (int d = 0; d < 3; d++) {
            ((double *)c->columns[d].data)[i] =
                ((1 - a) * corner[0][d] + a * (1 - b) * corner[1][d]) + a * b * corner[2][d];
            ((float *)c->columns[3 + d].data)[i] = (float)n[d];
        }
    }
    return 0;
}

int mesh_sample(struct call *call, struct glt_cloud *c, const struct mesh *m,
                const struct format_options *o)
{
    double *sum = call_alloc(call, (size_t)m->n_triangles, sizeof *sum), total = 0;
    if (!sum)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < m->n_triangles; i++) {
        double n[3];
        const double *corner[3];
        total += corners_of(n, corner, m, i);
        sum[i] = total;
    }
    if (total > 0) {
        c->n = o->sample ? o->sample : SAMPLES;
        return draw(c, m, sum, o->seed);
    }
    log_warning(GLT_TOPIC_SHAPE, NULL, "the mesh has no surface: its %lld vertices are taken",
                (long long)m->n);
    c->n = m->n;
    return add_three(c, names_xyz, m->xyz, GLT_F64);
}

int mesh_cloud(struct call *call, struct glt_cloud *c, const struct mesh *m,
               const struct format_options *o)
{
    if (!o->vertices && m->n_triangles > 0)
        return mesh_sample(call, c, m, o);
    c->n = m->n;
    TRY(add_three(c, names_xyz, m->xyz, GLT_F64));
    if (m->normals)
        TRY(add_three(c, names_normal, m->normals, GLT_F64));
    if (!m->colours)
        return 0;
    bool bytes = m->bytes && are_bytes(m->colours, 3 * m->n);
    return add_three(c, names_rgb, m->colours, bytes ? GLT_U8 : GLT_F32);
}
