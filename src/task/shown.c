/* Shown points: see shown.h. */
#include "task/shown.h"

#include "cloud/column.h"
#include "cloud/names.h"
#include "core/error.h"
#include "geometry/subset.h"

#include <math.h>

enum { BLOCK = 512 };

int shown_find(struct shown *out, struct call *call, const struct glt_cloud *c, int64_t max)
{
    int64_t capacity = c->n < max ? c->n : max;
    out->xyz = call_alloc(call, (size_t)c->n + 1, 3 * sizeof *out->xyz);
    out->rows = call_alloc(call, (size_t)capacity + 1, sizeof *out->rows);
    if (!out->xyz || !out->rows)
        return GLT_ENOMEM;
    TRY(cloud_local(out->origin, out->xyz, c));
    out->m = subset_rows(out->rows, capacity, call, out->xyz, c->n);
    return out->m < 0 ? (int)out->m : 0;
}

int shown_digest(char hex[DIGEST_SIZE], const struct glt_cloud *c)
{
    struct digest *x;
    const struct column *column;
    TRY(digest_begin(&x));
    int code = 0;
    digest_add(x, &c->n, sizeof c->n);
    for (int d = 0; d < 3 && code == 0; d++) {
        double p[BLOCK];
        code = cloud_single(&column, c, names_xyz[d]);
        for (int64_t i = 0; i < c->n && code == 0; i += BLOCK) {
            int64_t n = c->n - i < BLOCK ? c->n - i : BLOCK;
            column_convert(p, GLT_F64, 0, column, i, n);
            for (int64_t j = 0; j < n; j++)
                p[j] = isnan(p[j]) ? (double)NAN : p[j] + 0.0; /* one NaN, one zero */
            digest_add(x, p, (size_t)n * sizeof *p);
        }
    }
    digest_end(hex, x);
    return code;
}
