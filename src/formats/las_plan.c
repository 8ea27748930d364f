/* Planning a LAS file: the point format, which column fills which field, and what becomes extra
 * bytes. A column takes a field of its name only when every value fits it exactly. */
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "formats/las_out.h"

#include <math.h>
#include <string.h>

struct needs {
    bool gps, rgb, nir, wave, wide;
};

void las_plan_free(struct las_out *o)
{
    for (int32_t i = 0; i < o->n_columns; i++)
        if (o->columns[i].owned)
            memory_free(o->columns[i].data);
    memory_free(o->columns);
    *o = (struct las_out){0};
}

const struct las_column *las_find(const struct las_out *o, const char *name)
{
    for (int32_t i = 0; i < o->n_fields; i++)
        if (strcmp(o->columns[i].name, name) == 0)
            return &o->columns[i];
    return NULL;
}

/* Whether all values are whole numbers in [min, max]. */
static bool fits(const struct column *x, int64_t n, double min, double max)
{
    if (!x || x->start || x->width != 1)
        return false;
    for (int64_t i = 0; i < n; i++) {
        double v = column_value(x, i);
        if (!(v >= min && v <= max) || v != floor(v))
            return false;
    }
    return true;
}

/* Whether a double holds every item; 64-bit integers may have more digits. */
static bool fits_double(const struct column *x, int64_t n)
{
    if (!x || x->start || x->width != 1)
        return false;
    for (int64_t i = 0; i < n && (x->type == GLT_I64 || x->type == GLT_U64); i++) {
        uint64_t v = ((const uint64_t *)x->data)[i];
        if (x->type == GLT_I64 && (int64_t)v < 0)
            v = 0 - v;
        if (v > (uint64_t)1 << 53)
            return false;
    }
    return true;
}

/* The column that will be the classification: a prediction, or what is called so, or a label. */
static const struct column *classes_of(const struct glt_cloud *c)
{
    const struct column *label = cloud_attribute(c, "label"),
                        *old = cloud_attribute(c, "classification");
    if (label && fits(label, c->n, 0, 255) && (cloud_note(c, "labels") || !old))
        return label;
    return fits(old, c->n, 0, 255) ? old : NULL;
}

static struct needs find_needs(const struct glt_cloud *c)
{
    static const char *const small[] = {"return_number", "number_of_returns", "class_flags"};
    const struct column *classes = classes_of(c), *channel = cloud_attribute(c, "scanner_channel"),
                        *angle = cloud_attribute(c, "scan_angle");
    struct needs need = {
        .gps = fits_double(cloud_attribute(c, "gps_time"), c->n),
        .rgb = cloud_colour_scale(c) > 0,
        .nir = fits(cloud_attribute(c, "nir"), c->n, 0, UINT16_MAX),
        .wave =
            cloud_attribute(c, "waveform") && cloud_attribute(c, "waveform")->width == LAS_WAVEFORM,
    };
    need.wide = c->n > UINT32_MAX || (classes && !fits(classes, c->n, 0, 31)) || need.nir ||
                (channel && !fits(channel, c->n, 0, 0)) ||
                (angle && angle->type == GLT_I16); /* units of 0.006 degrees, not whole ones */
    for (int i = 0; i < 3; i++) {
        const struct column *x = cloud_attribute(c, small[i]);
        need.wide = need.wide || (fits(x, c->n, 0, 15) && !fits(x, c->n, 0, 7));
    }
    return need;
}

static bool supports(int format, struct needs need)
{
    struct las_out o = {0};
    struct las_field fields[LAS_FIELDS];
    struct las_column columns[LAS_FIELDS];
    size_t size;
    o.n_fields = las_fields(fields, format, &size);
    o.columns = columns;
    for (int32_t i = 0; i < o.n_fields; i++)
        columns[i].name = fields[i].name;
    return !(need.wide && format < 6) && !(need.gps && !las_find(&o, "gps_time")) &&
           !(need.rgb && !las_find(&o, "red")) && !(need.nir && !las_find(&o, "nir")) &&
           !(need.wave && !las_find(&o, "waveform"));
}

static void choose_format(struct las_out *o, const struct glt_cloud *c)
{
    const struct note *head = cloud_note(c, "las.header");
    struct needs need = find_needs(c);
    int origin = head && head->len > 104 ? head->bytes[104] : -1;
    o->format = origin;
    o->minor = origin >= 0 ? head->bytes[25] : 2;
    o->came = origin >= 0 && supports(origin, need);
    if (!o->came) {
        o->format = origin >= 6 || need.wide ? 6 : 0;
        while (!supports(o->format, need) && o->format < LAS_FORMATS - 1)
            o->format++;
    }
    int least = o->format >= 6 ? 4 : o->format >= 4 ? 3 : o->format >= 2 ? 2 : 0;
    o->minor = o->minor < least ? least : o->minor;
}

static int32_t *axis_values(struct las_column *x, int64_t n)
{
    int32_t *v = memory_alloc((size_t)n, sizeof *v);
    x->data = (unsigned char *)v;
    x->owned = true;
    return v;
}

static int plan_whole_axis(struct las_column *x, const struct column *from, int64_t n)
{
    struct column plain = *from;
    int32_t *v = axis_values(x, n);
    if (!v)
        return GLT_ENOMEM;
    x->scale = plain.scale;
    x->offset_value = plain.offset;
    plain.scale = 1;
    plain.offset = 0;
    column_convert(v, GLT_I32, 0, &plain, 0, n);
    return 0;
}

/* The finest decimal step with which [min, max] fits 32 bits. */
static int plan_real_axis(struct las_column *x, const struct column *from, int64_t n, double min,
                          double max)
{
    double range = n ? max - min : 0, steps = 1e8; /* 1 / steps: tenfold 1e-8 drifts off 1e-5 */
    if (!isfinite(range))
        return error_set(GLT_EDATA,
                         "LAS cannot hold %s from %g to %g: remove the points that are far away "
                         "first, or write PLY or PCD",
                         from->name, min, max);
    x->scale = 1e-8;
    x->offset_value = n ? floor(min) : 0;
    while ((range + 1) / x->scale > 2e9) {
        x->scale = steps > 1 ? 10 / steps : 10 * x->scale;
        steps /= 10;
    }
    if (x->scale > 1e-3)
        log_message(GLT_LOG_WARNING,
                    "LAS holds %s in steps of %g, as it extends over %g: remove the points that "
                    "are far away first to keep more",
                    from->name, x->scale, range);
    int32_t *v = axis_values(x, n);
    if (!v)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        v[i] = (int32_t)llround((column_value(from, i) - x->offset_value) / x->scale);
    return 0;
}

/* Coordinates that are integers already keep them; for reals each axis has a step of its own. */
static int plan_axes(struct las_out *o, const struct glt_cloud *c)
{
    static const char *const axes[] = {"x", "y", "z"};
    const struct column *xyz[3];
    struct bounds b;
    bool whole = true;
    TRY(cloud_bounds(&b, c));
    for (int d = 0; d < 3; d++) {
        xyz[d] = cloud_attribute(c, axes[d]);
        bool real = xyz[d]->type == GLT_F32 || xyz[d]->type == GLT_F64;
        struct column plain = *xyz[d];
        plain.scale = 1;
        plain.offset = 0;
        whole = whole && !real && fits(&plain, c->n, INT32_MIN, INT32_MAX);
    }
    if (!whole && b.finite < c->n)
        return error_set(GLT_EDATA,
                         "LAS cannot hold points that are not finite, and %lld of %lld are not: "
                         "remove them first, or write PLY or PCD",
                         (long long)(c->n - b.finite), (long long)c->n);
    for (int d = 0; d < 3; d++)
        TRY(whole ? plan_whole_axis(&o->columns[d], xyz[d], c->n)
                  : plan_real_axis(&o->columns[d], xyz[d], c->n, b.min[d], b.max[d]));
    return 0;
}

/* Values of a column times factor, as the field's type. */
static int plan_values(struct las_column *to, const struct column *x, enum glt_type type,
                       double factor, int64_t n)
{
    struct column scaled = *x;
    scaled.scale *= factor;
    scaled.offset *= factor;
    to->data = memory_alloc((size_t)(n * x->width), type_size(type));
    if (!to->data)
        return GLT_ENOMEM;
    to->owned = true;
    column_convert(to->data, type, 0, &scaled, 0, n * x->width);
    return 0;
}

/* Fills one field from the cloud if a column fits it; marks the column as used. */
static int plan_field(struct las_column *to, const struct glt_cloud *c,
                      const struct las_field *from, bool *used)
{
    static const double min[] = {INT8_MIN, 0, INT16_MIN, 0},
                        max[] = {INT8_MAX, UINT8_MAX, INT16_MAX, UINT16_MAX};
    const struct column *x = cloud_attribute(c, from->name);
    bool colour = from->name[0] == 'r'
                      ? !strcmp(from->name, "red")
                      : !strcmp(from->name, "green") || !strcmp(from->name, "blue");
    double factor = 1, scale = colour && x ? cloud_colour_scale(c) : 0;
    if (strcmp(from->name, "classification") == 0)
        x = classes_of(c);
    if (!x || x->start)
        return 0;
    if (from->width > 1 || from->type == GLT_F64) {
        if (x->width != from->width || (from->width > 1 && x->type != GLT_U8) ||
            (from->width == 1 && !fits_double(x, c->n)))
            return 0;
    } else if (colour) {
        if (!(scale > 0))
            return 0; /* a red without green and blue is no colour */
        factor = x->type == GLT_U16 ? 1 : scale * UINT16_MAX;
    } else if (strcmp(from->name, "scan_angle") == 0 && from->type == GLT_I16 &&
               x->type == GLT_I8) {
        factor = 1 / 0.006; /* whole degrees before LAS 1.4 */
    } else if (!fits(x, c->n, from->mask ? 0 : min[from->type],
                     from->mask ? from->mask : max[from->type])) {
        return 0;
    }
    used[x - c->columns] = true;
    return plan_values(to, x, from->type, factor, c->n);
}

/* The descriptor the file came with, if it describes this very column. */
static bool old_descriptor(unsigned char *dst, const struct glt_cloud *c, const struct las_extra *x)
{
    const struct note *vlrs = cloud_note(c, "las.vlrs");
    struct las_vlr v;
    size_t at = 0;
    while (vlrs && las_next_vlr(&v, vlrs->bytes, vlrs->len, &at))
        for (size_t d = LAS_VLR; las_is_extra(&v) && d + LAS_DESCRIPTOR <= v.len;
             d += LAS_DESCRIPTOR) {
            struct las_extra y;
            las_read_descriptor(&y, v.bytes + d);
            if (!strcmp(x->name, y.name) && x->type == y.type && x->width == y.width &&
                x->scale == y.scale && x->offset == y.offset) {
                memcpy(dst, v.bytes + d, LAS_DESCRIPTOR);
                return true;
            }
        }
    return false;
}

/* Bytes that nobody described when they were read; they must stand behind those described. */
static bool is_undescribed(const struct las_out *o, const struct column *x)
{
    return o->came && strcmp(x->name, "extra_bytes") == 0 && x->type == GLT_U8;
}

static void plan_extra(struct las_out *o, const struct glt_cloud *c, const struct column *x)
{
    struct las_extra e = {.type = x->type, .width = x->width, .scale = x->scale};
    e.offset = x->offset;
    e.size = type_size(x->type) * (size_t)x->width;
    const char *name = cloud_spelling(c, x, "las");
    memcpy(e.name, name, strnlen(name, 32));
    bool full = o->n_columns - o->n_fields >= LAS_EXTRAS && !is_undescribed(o, x);
    if (x->start || full || (x->width > 3 && e.size > 255) || o->record + e.size > UINT16_MAX) {
        log_message(GLT_LOG_WARNING, "LAS has no room for attribute %s: it is left out", x->name);
        return;
    }
    if (x->width > 3 && x->type != GLT_U8)
        log_message(GLT_LOG_WARNING,
                    "LAS has no type for %d values per point: %s is kept as %zu bytes without one "
                    "(ply and npz keep it)",
                    x->width, x->name, e.size);
    struct las_column *to = &o->columns[o->n_columns++];
    *to =
        (struct las_column){.name = x->name, .data = x->data, .offset = o->record, .size = e.size};
    o->record += e.size;
    if (is_undescribed(o, x))
        return; /* they stay so: an all-zero descriptor marks them */
    if (!old_descriptor(to->descriptor, c, &e))
        las_write_descriptor(to->descriptor, &e);
}

int las_plan(struct las_out *o, const struct glt_cloud *c)
{
    struct las_field fields[LAS_FIELDS];
    *o = (struct las_out){0};
    if (!cloud_attribute(c, "x") || !cloud_attribute(c, "y") || !cloud_attribute(c, "z"))
        return error_set(GLT_EDATA, "LAS needs the coordinates x, y and z");
    choose_format(o, c);
    o->n_fields = las_fields(fields, o->format, &o->record);
    o->columns = memory_alloc((size_t)(o->n_fields + c->n_columns), sizeof *o->columns);
    bool *used = memory_alloc((size_t)c->n_columns, sizeof *used);
    int code = o->columns && used ? 0 : GLT_ENOMEM;
    for (int32_t i = 0; code == 0 && i < o->n_fields; i++, o->n_columns++)
        o->columns[i] =
            (struct las_column){.name = fields[i].name,
                                .offset = fields[i].offset,
                                .size = type_size(fields[i].type) * (size_t)fields[i].width,
                                .shift = fields[i].shift,
                                .mask = fields[i].mask};
    if (code == 0)
        code = plan_axes(o, c);
    for (int32_t i = 3; code == 0 && i < o->n_fields; i++)
        code = plan_field(&o->columns[i], c, &fields[i], used);
    for (int32_t k = 0; code == 0 && k < 2 * c->n_columns; k++) { /* twice: described, then not */
        const struct column *x = &c->columns[k % c->n_columns];
        bool axis = strlen(x->name) == 1 && strchr("xyz", x->name[0]);
        bool replaced = !strcmp(x->name, "classification") && cloud_note(c, "labels");
        bool turn = is_undescribed(o, x) == (k >= c->n_columns);
        if (turn && !used[k % c->n_columns] && !axis && !replaced)
            plan_extra(o, c, x);
    }
    memory_free(used);
    return code;
}
