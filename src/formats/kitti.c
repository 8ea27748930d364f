/* SemanticKITTI scans: records of four floats x, y, z, remission in NAME.bin, and 32 bits per point
 * in NAME.label (beside it, or in ../labels/): the class in the low half, the instance in the high.
 *
 * Other datasets use the same extension for records of three, five, six or seven floats and one
 * byte per label. The label file, the `columns` option or the size of the file gives the number of
 * floats. If several numbers divide the size, the values decide: see judge_width. */
#include "formats/kitti.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/log.h"
#include "core/option_string.h"
#include "core/string.h"
#include "formats/columns.h"
#include "formats/rows.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOK = 1 << 16, WIDTHS = 5 }; /* floats examined to judge a width */

/* Floats per record, the usual ones first. */
static const int32_t widths[WIDTHS] = {4, 6, 3, 5, 7};

/* The path at which the labels of a scan are read or written. */
static bool label_path(char dst[PATH_MAX], const char *path, bool beside)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int stem = (int)(dot ? dot - name : (ptrdiff_t)strlen(name));
    int folder = (int)(name - path), n;
    if (beside) {
        n = snprintf(dst, PATH_MAX, "%.*s%.*s.label", folder, path, stem, name);
    } else {
        bool whole = folder == 9 || (folder > 9 && path[folder - 10] == '/');
        if (!whole || strncmp(path + folder - 9, "velodyne/", 9) != 0)
            return false;
        n = snprintf(dst, PATH_MAX, "%.*slabels/%.*s.label", folder - 9, path, stem, name);
    }
    return n > 0 && n < PATH_MAX;
}

static bool find_labels(char dst[PATH_MAX], const char *path)
{
    for (int beside = 0; beside < 2; beside++)
        if (label_path(dst, path, beside) && file_exists(dst))
            return true;
    return false;
}

bool kitti_label_file(char dst[PATH_MAX], const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot && string_compare_nocase(dot, ".bin") == 0 && find_labels(dst, path);
}

static int open_labels(struct file **out, const char *path)
{
    char name[PATH_MAX];
    *out = NULL;
    for (int beside = 0; beside < 2; beside++)
        if (label_path(name, path, beside))
            TRY(file_check_pair(path, name));
    return find_labels(name, path) ? file_open(out, name) : 0;
}

/* The average difference between floats `lag` apart: smallest if `lag` is the width, when it
 * compares the same field of two points. */
static double roughness(const float *x, int64_t n, int32_t lag)
{
    double sum = 0;
    int64_t counted = 0;
    for (int64_t i = 0; i + lag < n; i++) {
        double step = fabs((double)x[i + lag] - (double)x[i]);
        sum += isfinite(step) ? step : 0;
        counted += isfinite(step);
    }
    return counted ? sum / (double)counted : INFINITY;
}

/* Measurements are neither tiny nor huge; arbitrary bytes read as floats mostly are. */
static bool are_measurements(const float *x, int64_t n)
{
    int64_t strange = 0;
    for (int64_t i = 0; i < n; i++) {
        double size = fabs((double)x[i]);
        strange += size > 0 && (size < 1e-20 || (size > 1e12 && isfinite(size)));
    }
    return 2 * strange <= n;
}

/* Several widths may divide the size of a file: the usual one is taken unless another fits the
 * values clearly better. Points of three floats fit a width of six just as well, except for
 * noise. */
static int judge_width(int32_t *width, struct call *call, struct file *f)
{
    size_t len = sizeof(float) * LOOK;
    len = file_size(f) < (int64_t)len ? (size_t)file_size(f) : len;
    float *x = call_alloc(call, len / sizeof *x + 1, sizeof *x);
    if (!x)
        return GLT_ENOMEM;
    TRY(file_read(f, x, len / sizeof *x * sizeof *x));
    TRY(file_seek(f, 0));
    int64_t n = (int64_t)(len / sizeof *x);
    if (file_host_is_big_endian())
        file_swap(x, (size_t)n, sizeof *x);
    if (!are_measurements(x, n))
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "its bytes are not the floats of a scan: most are tiny or huge "
                                    "as numbers"),
                           GLT_TOPIC_VALUE, NULL);
    int32_t usual = *width;
    double best = 0.9 * roughness(x, n, usual);
    for (int32_t w = 3; w <= 7; w++) {
        double r = w % usual && file_size(f) % (4 * w) == 0 ? roughness(x, n, w) : INFINITY;
        *width = r < best ? w : *width;
        best = fmin(r, best);
    }
    double noise = 0.02 + 2 / sqrt((double)n);
    if (*width == 6 && roughness(x, n, 3) <= (1 + noise) * roughness(x, n, 6))
        *width = 3;
    if (*width != usual)
        log_warning(GLT_TOPIC_SHAPE, "columns",
                    "%s is read as %d floats per point, which its values fit better than %d: name "
                    "the columns to decide (x,y,z,intensity,...)",
                    file_name(f), *width, usual);
    return 0;
}

static int wrong_size(const struct file *f, const char *floats)
{
    return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                "%" PRId64 " bytes are not a whole number of points of %s floats; "
                                "name the columns",
                                file_size(f), floats),
                       GLT_TOPIC_SHAPE, NULL);
}

/* The width for which the points match the number of labels; *wide = labels of four bytes. */
static int width_by_labels(int32_t *out, const struct file *f, const struct file *labels,
                           bool *wide)
{
    uint64_t size = (uint64_t)file_size(f), len = (uint64_t)file_size(labels);
    for (int k = 0; k < 2 * WIDTHS; k++) {
        uint64_t record = 4 * (uint64_t)widths[k % WIDTHS];
        if (size % record == 0 && size / record * (k < WIDTHS ? 4 : 1) == len) {
            *out = widths[k % WIDTHS];
            *wide = k < WIDTHS;
            return 0;
        }
    }
    return error_topic(error_file(error_set(GLT_EFORMAT,
                                            "%s holds %" PRIu64 " bytes and %s %" PRIu64
                                            ": they belong to different scans",
                                            file_name(f), size, file_name(labels), len),
                                  file_name(f)),
                       GLT_TOPIC_SHAPE, NULL);
}

/* Floats per record; *wide = labels of four bytes. */
static int find_width(int32_t *out, struct call *call, struct file *f, const struct file *labels,
                      const struct format_options *o, bool *wide)
{
    int32_t named = 0;
    size_t name_len;
    *wide = true;
    for (const char *rest = o->columns; option_string_item(&rest, &name_len, ',');)
        named++;
    if (labels && !named)
        return width_by_labels(out, f, labels, wide);
    if (named) {
        char text[16];
        snprintf(text, sizeof text, "%d", named);
        *out = named;
        *wide = !labels || file_size(labels) == file_size(f) / (4 * named) * 4;
        return file_size(f) % (4 * named) ? wrong_size(f, text) : 0;
    }
    for (int k = 0; k < WIDTHS; k++)
        if (file_size(f) % (4 * widths[k]) == 0) {
            *out = widths[k];
            return judge_width(out, call, f);
        }
    return wrong_size(f, "3 to 7");
}

/* The labels of a scan are in another file: a column guessed to be a label is only a number. */
static int forget_guess(struct glt_cloud *c, const char *name)
{
    struct column *x = cloud_attribute(c, name);
    char number[16];
    if (!x)
        return 0;
    snprintf(number, sizeof number, "c%d", (int)(x - c->columns));
    return column_rename(x, number);
}

/* Five floats are a scan of nuScenes, if the fifth can be the number of a laser. */
static bool has_rings(const struct glt_cloud *c)
{
    bool rings = c->n_columns == 5 && c->n > 0;
    for (int64_t i = 0; rings && i < c->n; i++) {
        double v = column_value(&c->columns[4], i);
        rings = v >= 0 && v < 256 && v == floor(v);
    }
    return rings;
}

static int name_columns(struct glt_cloud *c, const struct file *f)
{
    if (c->n_columns == 4)
        return columns_name(c, "x,y,z,intensity", file_name(f));
    if (has_rings(c))
        return columns_name(c, "x,y,z,intensity,ring", file_name(f));
    TRY(columns_guess(c, 3, file_name(f)));
    TRY(forget_guess(c, "label"));
    return forget_guess(c, "instance");
}

static int read_points(struct call *call, struct glt_cloud *c, struct file *f,
                       const struct format_options *o, int32_t width)
{
    struct column *x;
    size_t row_size;
    c->n = file_size(f) / (4 * width);
    for (int32_t k = 0; k < width; k++)
        TRY(cloud_declare(&x, c, k < 3 ? names_xyz[k] : "-", GLT_F32, 1));
    TRY(cloud_allocate(c));
    struct field *fields = rows_fields(call, &row_size, c->columns, width);
    TRY(fields ? rows_read(f, fields, width, row_size, c->n) : GLT_ENOMEM);
    for (int32_t k = 0; k < width && file_host_is_big_endian(); k++)
        column_swap(&c->columns[k], c->n);
    return o->columns ? columns_name(c, o->columns, file_name(f)) : name_columns(c, f);
}

static int read_labels(struct glt_cloud *c, struct file *labels, bool wide)
{
    struct column *x, *y;
    if (file_size(labels) != c->n * (wide ? 4 : 1))
        return error_topic(
            error_file(error_set(GLT_EFORMAT, "%s holds %" PRId64 " bytes for %" PRId64 " points",
                                 file_name(labels), file_size(labels), c->n),
                       file_name(labels)),
            GLT_TOPIC_SHAPE, NULL);
    TRY(cloud_add_attribute(&x, c, "label", wide ? GLT_U16 : GLT_U8));
    if (!wide)
        return file_read(labels, x->data, (size_t)c->n);
    TRY(cloud_add_attribute(&y, c, "instance", GLT_U16));
    x = cloud_attribute(c, "label"); /* the table may have moved */
    struct field fields[] = {{x->data, 0, 2, 0, 0}, {y->data, 2, 2, 0, 0}};
    TRY(rows_read(labels, fields, 2, 4, c->n));
    for (int k = 0; k < 2 && file_host_is_big_endian(); k++)
        file_swap(fields[k].data, (size_t)c->n, 2);
    return 0;
}

int kitti_read(struct call *call, struct glt_cloud *c, struct file *f, struct file *labels,
               const struct format_options *o)
{
    int32_t width = 0;
    bool wide = true;
    TRY(find_width(&width, call, f, labels, o, &wide));
    TRY(read_points(call, c, f, o, width));
    if (labels && o->columns && (cloud_attribute(c, "label") || cloud_attribute(c, "instance"))) {
        log_warning(GLT_TOPIC_LABELS, NULL,
                    "%s is not read: the named columns already hold its values", file_name(labels));
        return 0;
    }
    return labels ? read_labels(c, labels, wide) : 0;
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o)
{
    struct file *labels;
    if (file_is_memory(f)) /* there is no label file beside it */
        return kitti_read(call, c, f, NULL, o);
    TRY(open_labels(&labels, file_name(f)));
    int code = kitti_read(call, c, f, labels, o);
    file_close(labels);
    return code;
}

/* LAS calls them classification. */
static const struct column *label_of(const struct glt_cloud *c)
{
    const struct column *x = cloud_attribute(c, "label");
    return x ? x : cloud_attribute(c, "classification");
}

static void warn_of_old_labels(const char *path)
{
    char name[PATH_MAX];
    for (int beside = 0; beside < 2; beside++)
        if (label_path(name, path, beside) && file_exists(name))
            log_warning(GLT_TOPIC_LABELS, NULL,
                        "%s belongs to an older scan: this one has no labels", name);
}

/* The path of the label file; creates the folder of the benchmark's layout. */
static int place_labels(char name[PATH_MAX], const char *path)
{
    char folder[PATH_MAX];
    if (!label_path(name, path, true))
        return error_topic(error_in(GLT_EARGUMENT, path, "the path is too long"),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    if (!label_path(folder, path, false))
        return 0;
    strcpy(name, folder);
    *strrchr(folder, '/') = 0;
    return file_make_folder(folder);
}

/* Writes the label file, which appears together with the scan and not before. */
static int write_labels(const struct glt_cloud *c, struct file *scan)
{
    const struct column *label = label_of(c), *instance = cloud_attribute(c, "instance");
    char name[PATH_MAX];
    struct file *f;
    if (file_is_memory(scan)) {
        if (label)
            log_warning(GLT_TOPIC_LABELS, NULL,
                        "the labels of a KITTI scan are a second file, and a "
                        "buffer holds one: they are left out");
        return 0;
    }
    if (!column_is_single(label)) {
        warn_of_old_labels(file_name(scan));
        return 0;
    }
    TRY(place_labels(name, file_name(scan)));
    TRY(file_create(&f, name));
    file_join_output(scan, f);
    for (int64_t i = 0; i < c->n; i++) {
        uint16_t half[2] = {0};
        column_convert(&half[0], GLT_U16, 0, label, i, 1);
        if (column_is_single(instance))
            column_convert(&half[1], GLT_U16, 0, instance, i, 1);
        unsigned char bytes[4] = {(unsigned char)half[0], (unsigned char)(half[0] >> 8),
                                  (unsigned char)half[1], (unsigned char)(half[1] >> 8)};
        TRY(file_write(f, bytes, 4));
    }
    return 0;
}

/* Warns of values that the scan's floats, or the 16 bits of its labels, do not hold exactly. */
static void warn_of_loss(const struct glt_cloud *c, const struct column *x, enum glt_type type)
{
    for (int64_t i = 0; i < c->n; i++) {
        uint32_t bits;
        struct column y = {.type = type, .width = 1, .scale = 1, .data = &bits};
        column_convert(&bits, type, 0, x, i, 1);
        double was = column_value(x, i), is = column_value(&y, 0);
        if (is != was && was == was) {
            log_warning(GLT_TOPIC_VALUE, x->name,
                        "a KITTI scan holds %s as %s: point %" PRId64 " becomes %.9g instead of "
                        "%.17g",
                        x->name, type == GLT_F32 ? "float" : "16 bits", i, is, was);
            return;
        }
    }
}

static int write(struct call *call, const struct glt_cloud *c, struct file *f,
                 const struct format_options *o)
{
    static const char *const names[] = {"x", "y", "z", "intensity"};
    (void)call, (void)o;
    if (c->classes.n)
        log_warning(GLT_TOPIC_CLASSES, NULL,
                    "a KITTI scan has no place for names of classes: they are left "
                    "out (ply keeps them)");
    for (int32_t k = 0; k < c->n_columns; k++) {
        const struct column *x = &c->columns[k];
        bool kept = x == label_of(c) || x == cloud_attribute(c, "instance"), real = false;
        for (int d = 0; d < 4; d++)
            real = real || x == cloud_attribute(c, names[d]);
        if ((kept || real) && column_is_single(x))
            warn_of_loss(c, x, real ? GLT_F32 : GLT_U16);
        else
            log_warning(GLT_TOPIC_ATTRIBUTE, x->name,
                        "a KITTI scan has no place for %s: it is left out", x->name);
    }
    for (int64_t i = 0; i < c->n; i++) {
        float row[4] = {0};
        for (int d = 0; d < 4; d++) {
            const struct column *x = cloud_attribute(c, names[d]);
            if (column_is_single(x))
                column_convert(&row[d], GLT_F32, 0, x, i, 1);
        }
        if (file_host_is_big_endian())
            file_swap(row, 4, 4);
        TRY(file_write(f, row, sizeof row));
    }
    return write_labels(c, f);
}

const struct format format_kitti = {.name = "kitti",
                                    .extensions = "bin",
                                    .read = read,
                                    .write = write,
                                    .encodings = "binary",
                                    .unnamed = true};
