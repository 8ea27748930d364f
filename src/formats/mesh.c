/* Meshes: see mesh.h. Uniform sampling by area: R. Osada et al., "Shape distributions", 2002,
 * equation 1: P = (1 - sqrt(a)) A + sqrt(a) (1 - b) B + sqrt(a) b C. */
#include "formats/mesh.h"

#include "core/array.h"
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
    *m = (struct mesh){0};
}

/* Twice the area, and the normal of length one if there is an area. */
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

int mesh_vertices(struct glt_cloud *c, const struct mesh *m)
{
    static const char *const names[] = {"x", "y", "z"};
    struct column *x;
    c->n = m->n;
    for (int d = 0; d < 3; d++) {
        TRY(cloud_add_attribute(&x, c, names[d], GLT_F64));
        for (int64_t i = 0; i < m->n; i++)
            ((double *)x->data)[i] = m->xyz[3 * i + d];
    }
    return 0;
}

/* The triangle whose share of the summed area holds u. */
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
    static const char *const names[] = {"x", "y", "z", "nx", "ny", "nz"};
    struct column *x;
    for (int k = 0; k < 6; k++)
        TRY(cloud_add_attribute(&x, c, names[k], k < 3 ? GLT_F64 : GLT_F32));
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

int mesh_sample(struct glt_cloud *c, const struct mesh *m, const struct format_options *o)
{
    double *sum = memory_alloc((size_t)m->n_triangles, sizeof *sum), total = 0;
    if (!sum)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < m->n_triangles; i++) {
        double n[3];
        const double *corner[3];
        total += corners_of(n, corner, m, i);
        sum[i] = total;
    }
    int code;
    if (total > 0) {
        c->n = o->sample ? o->sample : SAMPLES;
        code = draw(c, m, sum, o->seed);
    } else {
        log_message(GLT_LOG_WARNING, "the mesh has no surface: its %lld vertices are taken",
                    (long long)m->n);
        code = mesh_vertices(c, m);
    }
    memory_free(sum);
    return code;
}
