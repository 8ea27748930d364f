/* The validation cloud of a run: see run_cloud.h. */
#include "task/run_cloud.h"

#include "cloud/classes.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "geometry/subset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 20000, EPOCHS = 64 };
static const char EPOCH[] = "epoch_", FILE_NAME[] = "validation.ply";

int64_t run_cloud_epoch(const struct column *x)
{
    size_t lead = sizeof EPOCH - 1;
    const char *digits = x->name + lead;
    if (strncmp(x->name, EPOCH, lead) != 0 || !*digits || strlen(digits) > 18 ||
        strspn(digits, "0123456789") != strlen(digits) || !column_is_single(x))
        return -1;
    return strtoll(digits, NULL, 10);
}

int run_cloud_read(struct glt_cloud **out, const struct run *r)
{
    char path[RUN_PATH];
    TRY(run_path(path, r, FILE_NAME));
    if (!run_has(path))
        return error_topic(error_in(GLT_EDATA, r->folder,
                                    "it has no validation.ply: training writes it when a cloud of "
                                    "the validation split has been labelled"),
                           GLT_TOPIC_MISSING, FILE_NAME);
    return glt_cloud_read(out, path, NULL);
}

/* Adds a class for every point, in the smallest type; -1 is none. */
static int add_classes(struct glt_cloud *c, const char *name, const int32_t *labels, int32_t n)
{
    struct column *x;
    TRY(cloud_add_attribute(&x, c, name, n > 255 ? GLT_I32 : GLT_U8));
    for (int64_t i = 0; i < c->n; i++)
        if (n > 255)
            ((int32_t *)x->data)[i] = labels[i];
        else
            ((uint8_t *)x->data)[i] = (uint8_t)labels[i];
    return 0;
}

static int add_places(struct glt_cloud *c, const struct item *x, const int32_t *rows)
{
    for (int d = 0; d < 3; d++) {
        struct column *one;
        TRY(cloud_add_attribute(&one, c, names_xyz[d], GLT_F64));
        for (int64_t i = 0; i < c->n; i++)
            ((double *)one->data)[i] = (double)x->xyz[3 * (int64_t)rows[i] + d] + x->origin[d];
    }
    return 0;
}

/* Adds the labels of earlier epochs. A file that is damaged or has other points is replaced. */
static int add_history(struct glt_cloud *c, const struct run *r, int64_t epoch)
{
    struct glt_cloud *old = NULL;
    int n = 0, kept = 0, code = 0;
    if (run_cloud_read(&old, r) < 0)
        return 0;
    for (int32_t i = 0; i < old->n_columns; i++) {
        int64_t at = run_cloud_epoch(&old->columns[i]);
        n += at >= 0 && at < epoch;
    }
    for (int32_t i = 0; i < old->n_columns && old->n == c->n && code == 0; i++) {
        const struct column *x = &old->columns[i];
        int64_t at = run_cloud_epoch(x);
        if (at < 0 || at >= epoch)
            continue;
        if (n < EPOCHS || kept % 2 == 0)
            code = column_append_rows(&c->columns, &c->n_columns, x, NULL, c->n);
        kept++;
    }
    cloud_free(old);
    return code;
}

static int add_labels(struct glt_cloud *c, const struct run *r, const int32_t *truth,
                      const int32_t *labels, const struct classes *classes, int64_t epoch)
{
    char name[32];
    TRY(labels_set(c, labels, NULL, (const char *const *)classes->names, classes->n));
    TRY(add_classes(c, "truth", truth, classes->n));
    TRY(add_history(c, r, epoch));
    snprintf(name, sizeof name, "%s%" PRId64, EPOCH, epoch);
    return add_classes(c, name, labels, classes->n);
}

static int write(const struct run *r, struct call *call, const struct item *x,
                 const int32_t *labels, const struct classes *classes, int64_t epoch)
{
    char path[RUN_PATH];
    struct glt_cloud *c = NULL;
    int32_t max = x->n < POINTS ? x->n : POINTS;
    int32_t *list = call_alloc(call, 3 * (size_t)max + 1, sizeof *list);
    if (!list)
        return GLT_ENOMEM;
    int32_t *rows = list, *truth = list + max, *label = truth + max;
    int64_t m = subset_rows(rows, max, call, x->xyz, x->n);
    int code = m < 0 ? (int)m : run_path(path, r, FILE_NAME);
    for (int64_t i = 0; i < m; i++) {
        truth[i] = x->labels[rows[i]];
        label[i] = labels[rows[i]];
    }
    if (code == 0)
        code = cloud_new(&c, m);
    if (code == 0)
        code = add_places(c, x, rows);
    if (code == 0)
        code = add_labels(c, r, truth, label, classes, epoch);
    if (code == 0)
        code = glt_cloud_write(c, path, NULL);
    cloud_free(c);
    return code;
}

int run_cloud_add(const struct run *r, const struct item *x, const int32_t *labels,
                  const struct classes *classes, int64_t epoch)
{
    struct call call = {0};
    int code = write(r, &call, x, labels, classes, epoch);
    call_free(&call);
    return code;
}
