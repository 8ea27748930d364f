/* Writing LAS: see las_write.h.
 *
 * A cloud that was read from LAS keeps its header, its records and the bytes after the points; only
 * what depends on the points is set anew. The point format is that of the file, or the smallest
 * that holds the attributes; classes above 31 need formats 6 and up (LAS 1.4). A column fills the
 * field of its name only if every value fits exactly; the others become extra bytes. Labels are
 * written as classification, class names as the lookup record. */
#include "formats/las_write.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "cloud/provenance.h"
#include "core/call.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/log.h"
#include "core/string.h"
#include "formats/las_layout.h"
#include "formats/las_renumber.h"
#include "formats/laz_chunk.h"
#include "formats/laz_write.h"
#include "formats/little.h"
#include "formats/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LAS_USER "LASF_Spec" /* the user of records that the specification describes */

enum { HEAD_BYTES_MAX = 4096, BLOCK = 1 << 10 };

/* --- the plan: point format, the column of each field, and the extra bytes --- */

struct out_column {
    const char *name;
    unsigned char *data; /* of the cloud or the call; NULL: zeros */
    size_t offset, size; /* bytes in the record */
    unsigned char shift, mask;
    double scale, offset_value;               /* of x, y, z */
    unsigned char descriptor[LAS_DESCRIPTOR]; /* of extra attributes */
};

struct plan {
    int minor, format;
    bool came;      /* the cloud was read from a LAS file of this point format */
    bool fresh;     /* it was read from another format */
    bool described; /* extra bytes that the file it was read from did not describe */
    size_t record;
    struct out_column *columns; /* the fields of the format, then the extra attributes */
    int32_t n_fields, n_columns;
    bool packed; /* LAZ */
    struct laz_layout layout;
    struct string provenance; /* lines; empty: none */
    struct field *whole;      /* (n_whole): the columns that are not bits */
    int32_t n_whole;
};

struct needs {
    bool gps, rgb, nir, wave, wide;
};

static const struct out_column *find_field(const struct plan *o, const char *name)
{
    for (int32_t i = 0; i < o->n_fields; i++)
        if (strcmp(o->columns[i].name, name) == 0)
            return &o->columns[i];
    return NULL;
}

/* Whether all values are whole numbers in [min, max]. */
static bool fits(const struct column *x, int64_t n, double min, double max)
{
    if (!column_is_single(x))
        return false;
    for (int64_t i = 0; i < n; i++) {
        double v = column_value(x, i);
        if (!(v >= min && v <= max) || v != floor(v))
            return false;
    }
    return true;
}

static bool fits_double(const struct column *x, int64_t n)
{
    return column_is_single(x) && column_fits_double(x, n);
}

/* Whether a prediction leaves the classification alone. */
static bool keeps_classification(const struct glt_cloud *c)
{
    const struct note *x = cloud_note(c, "las.classification");
    return x && x->len;
}

/* The column that becomes the classification: a prediction, the attribute of that name, or a
 * label. */
static const struct column *classes_of(const struct glt_cloud *c)
{
    const struct column *label = cloud_attribute(c, "label"),
                        *old = cloud_attribute(c, "classification");
    if (!keeps_classification(c) && label && fits(label, c->n, 0, 255) &&
        (cloud_note(c, "labels") || !old ||
         (cloud_attribute(c, "confidence") && !cloud_note(c, "las.header"))))
        return label;
    return fits(old, c->n, 0, 255) ? old : NULL;
}

/* Whether all values are angles in degrees that point formats 6 and up hold. */
static bool are_angles(const struct column *x, int64_t n)
{
    if (!column_is_single(x))
        return false;
    for (int64_t i = 0; i < n; i++) {
        double v = column_value(x, i) / LAS_ANGLE;
        if (!(fabs(v) <= INT16_MAX) || fabs(v - round(v)) > 0.01)
            return false;
    }
    return true;
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
                (angle && !fits(angle, c->n, INT8_MIN, INT8_MAX) && are_angles(angle, c->n));
    for (int i = 0; i < 3; i++) {
        const struct column *x = cloud_attribute(c, small[i]);
        need.wide = need.wide || (fits(x, c->n, 0, 15) && !fits(x, c->n, 0, 7));
    }
    return need;
}

static bool supports(int format, struct needs need)
{
    struct plan o = {0};
    struct las_field fields[LAS_FIELDS];
    struct out_column columns[LAS_FIELDS];
    size_t size;
    o.n_fields = las_layout_fields(fields, format, &size);
    o.columns = columns;
    for (int32_t i = 0; i < o.n_fields; i++)
        columns[i].name = fields[i].name;
    return !(need.wide && format < 6) && !(need.gps && !find_field(&o, "gps_time")) &&
           !(need.rgb && !find_field(&o, "red")) && !(need.nir && !find_field(&o, "nir")) &&
           !(need.wave && !find_field(&o, "waveform"));
}

static void choose_format(struct plan *o, const struct glt_cloud *c)
{
    const struct note *head = cloud_note(c, "las.header");
    struct needs need = find_needs(c);
    int origin = head && head->len > 104 ? head->bytes[104] : -1;
    o->format = origin;
    o->minor = origin >= 0 ? head->bytes[25] : 2;
    o->came = origin >= 0 && supports(origin, need);
    o->fresh = origin < 0;
    if (!o->came) {
        o->format = origin >= 6 || need.wide ? 6 : 0;
        while (!supports(o->format, need) && o->format < LAS_FORMATS - 1)
            o->format++;
    }
    int least = o->format >= 6 ? 4 : o->format >= 4 ? 3 : o->format >= 2 ? 2 : 0;
    o->minor = o->minor < least ? least : o->minor;
}

static int plan_whole_axis(struct call *call, struct out_column *x, const struct column *from,
                           int64_t n)
{
    struct column plain = *from;
    int32_t *v = call_alloc(call, (size_t)n, sizeof *v);
    if (!v)
        return GLT_ENOMEM;
    x->data = (unsigned char *)v;
    x->scale = plain.scale;
    x->offset_value = plain.offset;
    plain.scale = 1;
    plain.offset = 0;
    column_convert(v, GLT_I32, 0, &plain, 0, n);
    return 0;
}

/* The finest decimal step with which [min, max] fits 32 bits. */
static int plan_real_axis(struct call *call, struct out_column *x, const struct column *from,
                          int64_t n, double min, double max)
{
    double range = n ? max - min : 0, steps = 1e8; /* 1 / steps: repeated multiplication of 1e-8 by
                                                    * 10 misses 1e-5 */
    if (!isfinite(range))
        return error_topic(
            error_set(GLT_EDATA,
                      "LAS cannot hold %s from %g to %g: remove the points that are far away "
                      "first, or write PLY or PCD",
                      from->name, min, max),
            GLT_TOPIC_COORDINATES, NULL);
    x->scale = 1e-8;
    x->offset_value = n ? floor(min) : 0;
    while ((range + 1) / x->scale > 2e9) {
        x->scale = steps > 1 ? 10 / steps : 10 * x->scale;
        steps /= 10;
    }
    if (x->scale > 1e-3)
        log_warning(GLT_TOPIC_COORDINATES, from->name,
                    "LAS holds %s in steps of %g, as it extends over %g: remove the points that "
                    "are far away first to keep more",
                    from->name, x->scale, range);
    int32_t *v = call_alloc(call, (size_t)n, sizeof *v);
    if (!v)
        return GLT_ENOMEM;
    x->data = (unsigned char *)v;
    for (int64_t i = 0; i < n; i++)
        v[i] = (int32_t)llround((column_value(from, i) - x->offset_value) / x->scale);
    return 0;
}

/* Integer coordinates are kept; for reals each axis has a step of its own. */
static int plan_axes(struct call *call, struct plan *o, const struct glt_cloud *c)
{
    const struct column *xyz[3];
    struct bounds b;
    bool whole = true;
    TRY(cloud_bounds(&b, c));
    for (int d = 0; d < 3; d++) {
        xyz[d] = cloud_attribute(c, names_xyz[d]);
        struct column plain = *xyz[d];
        plain.scale = 1;
        plain.offset = 0;
        whole = whole && !type_is_real(xyz[d]->type) && fits(&plain, c->n, INT32_MIN, INT32_MAX);
    }
    if (!whole && b.finite < c->n)
        return error_topic(
            error_set(GLT_EDATA,
                      "LAS cannot hold points that are not finite, and %lld of %lld are not: "
                      "remove them first, or write PLY or PCD",
                      (long long)(c->n - b.finite), (long long)c->n),
            GLT_TOPIC_COORDINATES, NULL);
    for (int d = 0; d < 3; d++)
        TRY(whole ? plan_whole_axis(call, &o->columns[d], xyz[d], c->n)
                  : plan_real_axis(call, &o->columns[d], xyz[d], c->n, b.min[d], b.max[d]));
    return 0;
}

/* Values of a column times factor, as the field's type. */
static int plan_values(struct call *call, struct out_column *to, const struct column *x,
                       enum glt_type type, double factor, int64_t n)
{
    struct column scaled = *x;
    scaled.scale *= factor;
    scaled.offset *= factor;
    to->data = call_alloc(call, (size_t)(n * x->width), type_size(type));
    if (!to->data)
        return GLT_ENOMEM;
    column_convert(to->data, type, 0, &scaled, 0, n * x->width);
    return 0;
}

/* Fills one field from the cloud if a column fits it; marks the column as used. */
static int plan_field(struct call *call, struct out_column *to, const struct glt_cloud *c,
                      const struct las_field *from, bool *used)
{
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
            return 0; /* red without green and blue is not a colour */
        factor = x->type == GLT_U16 ? 1 : scale * UINT16_MAX;
    } else if (strcmp(from->name, "scan_angle") == 0 && from->type == GLT_I16) {
        if (!fits(x, c->n, INT8_MIN, INT8_MAX) && !are_angles(x, c->n))
            return 0; /* whole degrees are rounded to the unit */
        factor = 1 / LAS_ANGLE;
    } else if (!fits(x, c->n, from->mask ? 0 : type_min(from->type),
                     from->mask ? from->mask : type_max(from->type))) {
        return 0;
    }
    used[x - c->columns] = true;
    return plan_values(call, to, x, from->type, factor, c->n);
}

/* The descriptor of the file that was read, if it describes exactly this column. */
static bool old_descriptor(unsigned char *dst, const struct glt_cloud *c, const struct las_extra *x)
{
    const struct note *vlrs = cloud_note(c, "las.vlrs");
    struct las_vlr v;
    size_t at = 0;
    while (vlrs && las_layout_next_vlr(&v, vlrs->bytes, vlrs->len, &at))
        for (size_t d = LAS_VLR; las_layout_is_extra(&v) && d + LAS_DESCRIPTOR <= v.len;
             d += LAS_DESCRIPTOR) {
            struct las_extra y;
            las_layout_read_descriptor(&y, v.bytes + d);
            if (!strcmp(x->name, y.name) && x->type == y.type && x->width == y.width &&
                x->scale == y.scale && x->offset == y.offset) {
                memcpy(dst, v.bytes + d, LAS_DESCRIPTOR);
                return true;
            }
        }
    return false;
}

/* A name that no field and no earlier attribute has. */
static void name_apart(struct las_extra *e, const struct plan *o)
{
    enum { LENGTH = 32 };
    size_t ending = strlen(LAS_EXTRA_ENDING), len = strlen(e->name);
    if (las_layout_is_field(e->name)) {
        len = len < LENGTH - ending ? len : LENGTH - ending;
        memcpy(e->name + len, LAS_EXTRA_ENDING, ending + 1);
    }
    for (int32_t k = o->n_fields, number = 1; k < o->n_columns; k++) {
        if (strncmp((const char *)o->columns[k].descriptor + 4, e->name, LENGTH) != 0)
            continue;
        char digits[16];
        snprintf(digits, sizeof digits, "_%d", ++number);
        len = strlen(e->name);
        len = len < LENGTH - strlen(digits) ? len : LENGTH - strlen(digits);
        strcpy(e->name + len, digits);
        k = o->n_fields - 1; /* again from the first */
    }
}

/* Bytes that had no descriptor when they were read; they must follow the described ones. */
static bool is_undescribed(const struct plan *o, const struct column *x)
{
    return o->came && strcmp(x->name, "extra_bytes") == 0 && x->type == GLT_U8;
}

static void plan_extra(struct plan *o, const struct glt_cloud *c, const struct column *x)
{
    struct las_extra e = {.type = x->type, .width = x->width, .scale = x->scale};
    e.offset = x->offset;
    e.size = type_size(x->type) * (size_t)x->width;
    const char *name = cloud_spelling(c, x, "las");
    memcpy(e.name, name, strnlen(name, 32));
    bool full = o->n_columns - o->n_fields >= LAS_EXTRAS && !is_undescribed(o, x);
    if (x->start) {
        log_warning(GLT_TOPIC_ATTRIBUTE, x->name, "LAS has no lists: %s is left out", x->name);
        return;
    }
    if (full || (x->width > 3 && e.size > 255) || o->record + e.size > UINT16_MAX) {
        log_warning(GLT_TOPIC_ATTRIBUTE, x->name,
                    "LAS has no room for attribute %s: it is left out", x->name);
        return;
    }
    if (x->width > 3 && x->type != GLT_U8)
        log_warning(GLT_TOPIC_ATTRIBUTE, x->name,
                    "LAS has no type for %d values per point: %s is kept as %zu bytes without one "
                    "(ply and npz keep it)",
                    x->width, x->name, e.size);
    struct out_column *to = &o->columns[o->n_columns++];
    *to =
        (struct out_column){.name = x->name, .data = x->data, .offset = o->record, .size = e.size};
    o->record += e.size;
    if (is_undescribed(o, x))
        return; /* they stay so: an all-zero descriptor marks them */
    if (old_descriptor(to->descriptor, c, &e))
        return;
    name_apart(&e, o);
    if (old_descriptor(to->descriptor, c, &e))
        return;
    las_layout_write_descriptor(to->descriptor, &e);
    o->described = true;
}

/* All columns that fill no field, in two passes: first those with a descriptor, then the others. */
static void plan_extras(struct plan *o, const struct glt_cloud *c, const bool *used)
{
    for (int32_t k = 0; k < 2 * c->n_columns; k++) {
        const struct column *x = &c->columns[k % c->n_columns];
        bool axis = strlen(x->name) == 1 && strchr("xyz", x->name[0]);
        bool replaced = !strcmp(x->name, "classification") && cloud_note(c, "labels") &&
                        !keeps_classification(c);
        bool turn = is_undescribed(o, x) == (k >= c->n_columns);
        if (turn && !used[k % c->n_columns] && !axis && !replaced)
            plan_extra(o, c, x);
    }
}

/* Points of other sources are the only return of their pulse: returns are counted from 1. */
static int plan_returns(struct call *call, struct plan *o, const struct glt_cloud *c)
{
    if (cloud_attribute(c, "return_number") || cloud_attribute(c, "number_of_returns"))
        return 0;
    unsigned char *ones = call_alloc(call, (size_t)c->n, 1);
    if (!ones)
        return GLT_ENOMEM;
    memset(ones, 1, (size_t)c->n);
    for (int32_t i = 0; i < o->n_fields; i++)
        if (!strcmp(o->columns[i].name, "return_number") ||
            !strcmp(o->columns[i].name, "number_of_returns"))
            o->columns[i].data = ones;
    return 0;
}

static int make_plan(struct call *call, struct plan *o, const struct glt_cloud *c)
{
    struct las_field fields[LAS_FIELDS];
    *o = (struct plan){0};
    for (int d = 0; d < 3; d++)
        if (!cloud_attribute(c, names_xyz[d]))
            return error_topic(error_set(GLT_EDATA, "LAS needs the coordinates x, y and z"),
                               GLT_TOPIC_COORDINATES, NULL);
    choose_format(o, c);
    o->n_fields = las_layout_fields(fields, o->format, &o->record);
    o->columns = call_alloc(call, (size_t)(o->n_fields + c->n_columns), sizeof *o->columns);
    bool *used = call_alloc(call, (size_t)c->n_columns, sizeof *used);
    if (!o->columns || !used)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < o->n_fields; i++, o->n_columns++)
        o->columns[i] =
            (struct out_column){.name = fields[i].name,
                                .offset = fields[i].offset,
                                .size = type_size(fields[i].type) * (size_t)fields[i].width,
                                .shift = fields[i].shift,
                                .mask = fields[i].mask};
    TRY(plan_axes(call, o, c));
    for (int32_t i = 3; i < o->n_fields; i++)
        TRY(plan_field(call, &o->columns[i], c, &fields[i], used));
    plan_extras(o, c, used);
    if (o->described)
        o->minor = 4; /* the first version that describes extra bytes; programs look no earlier */
    return o->fresh ? plan_returns(call, o, c) : 0;
}

/* --- records before the points --- */

/* The header of a record of `len` bytes. */
static int write_record(struct file *f, const char *user, unsigned record, const char *what,
                        size_t len)
{
    unsigned char head[LAS_VLR] = {0};
    memcpy(head + 2, user, strlen(user));
    little_put(head + 18, record, 2);
    little_put(head + 20, len, 2);
    memcpy(head + 22, what, strlen(what));
    return file_write(f, head, sizeof head);
}

/* Extra attributes with a descriptor; undescribed bytes have none and come last. */
static size_t count_described(const struct plan *o)
{
    size_t n = 0;
    for (int32_t k = o->n_fields; k < o->n_columns; k++)
        n += o->columns[k].descriptor[2] || o->columns[k].descriptor[3];
    return n;
}

static int write_extra_record(struct file *f, const struct plan *o)
{
    TRY(write_record(f, LAS_USER, 4, "Extra Bytes Record", count_described(o) * LAS_DESCRIPTOR));
    for (int32_t k = o->n_fields; k < o->n_columns; k++) {
        const unsigned char *d = o->columns[k].descriptor;
        if (d[2] || d[3])
            TRY(file_write(f, d, LAS_DESCRIPTOR));
    }
    return 0;
}

/* Whether the old record describes exactly these attributes: then it is kept with its own header.
 */
static bool same_extra(const struct las_vlr *v, const struct plan *o)
{
    size_t at = LAS_VLR;
    for (int32_t k = o->n_fields; k < o->n_columns; k++, at += LAS_DESCRIPTOR) {
        const unsigned char *d = o->columns[k].descriptor;
        if (!d[2] && !d[3])
            break;
        if (at + LAS_DESCRIPTOR > v->len || memcmp(v->bytes + at, d, LAS_DESCRIPTOR) != 0)
            return false;
    }
    return at == v->len;
}

static int write_class_record(struct file *f, const struct glt_cloud *c)
{
    unsigned char bytes[256 * 16] = {0};
    for (int32_t i = 0, number; i < c->classes.n; i++)
        if (classes_first_number(&number, &c->classes, i) && number > 255)
            log_warning(GLT_TOPIC_CLASSES, c->classes.names[i],
                        "LAS has no room for class %d: its name %s is left out", number,
                        c->classes.names[i]);
    for (int32_t i = 0; i < 256; i++) {
        const char *name = classes_name(&c->classes, i);
        bytes[16 * i] = (unsigned char)i;
        if (name)
            memcpy(bytes + 16 * i + 1, name, strnlen(name, 15));
    }
    TRY(write_record(f, LAS_USER, 0, "Classification", sizeof bytes));
    return file_write(f, bytes, sizeof bytes);
}

/* Whether an old record has just these names: then it is kept as it is. */
static bool same_classes(const struct las_vlr *v, const struct glt_cloud *c)
{
    enum { LETTERS = 15 };
    bool named[256] = {false};
    for (size_t at = LAS_VLR; at + 1 + LETTERS <= v->len; at += 1 + LETTERS) {
        const char *old = (const char *)v->bytes + at + 1;
        const char *name = classes_name(&c->classes, v->bytes[at]);
        if (*old && (!name || strncmp(old, name, LETTERS) != 0))
            return false;
        named[v->bytes[at]] = named[v->bytes[at]] || *old;
    }
    for (int32_t i = 0; i < 256; i++)
        if (!named[i] && classes_name(&c->classes, i))
            return false;
    return true;
}

static bool same_provenance(const struct las_vlr *v, const struct plan *o)
{
    return v->len - LAS_VLR == (size_t)o->provenance.len &&
           !memcmp(v->bytes + LAS_VLR, o->provenance.bytes, v->len - LAS_VLR);
}

static int write_provenance(struct file *f, const struct plan *o)
{
    TRY(write_record(f, "gelatto", 1, "Provenance", (size_t)o->provenance.len));
    return file_write(f, o->provenance.bytes, (size_t)o->provenance.len);
}

/* Writes the old records; new ones for extra bytes and classes replace old ones or are appended. */
static int write_records(const struct glt_cloud *c, struct file *f, const struct plan *o,
                         uint32_t *count)
{
    const struct note *old = cloud_note(c, "las.vlrs");
    bool extra = count_described(o) > 0, classes = false, provenance = o->provenance.len > 0;
    struct las_vlr v;
    size_t at = 0;
    for (int32_t i = 0; i < 256; i++)
        classes = classes || classes_name(&c->classes, i);
    *count = 0;
    while (old && las_layout_next_vlr(&v, old->bytes, old->len, &at)) {
        if (las_layout_is_extra(&v)) {
            if (!extra)
                continue;
            TRY(same_extra(&v, o) ? file_write(f, v.bytes, v.len) : write_extra_record(f, o));
            extra = false;
        } else if (las_layout_is_classes(&v)) {
            bool same = same_classes(&v, c);
            if (!same && !classes)
                continue;
            TRY(same ? file_write(f, v.bytes, v.len) : write_class_record(f, c));
            classes = false;
        } else if (las_layout_is_provenance(&v)) {
            if (!provenance)
                continue;
            TRY(same_provenance(&v, o) ? file_write(f, v.bytes, v.len) : write_provenance(f, o));
            provenance = false;
        } else {
            TRY(file_write(f, v.bytes, v.len));
        }
        ++*count;
    }
    if (extra) {
        TRY(write_extra_record(f, o));
        ++*count;
    }
    if (classes) {
        TRY(write_class_record(f, c));
        ++*count;
    }
    if (provenance) {
        TRY(write_provenance(f, o));
        ++*count;
    }
    if (o->packed) {
        TRY(laz_write_record(f, &o->layout));
        ++*count;
    }
    return old ? file_write(f, old->bytes + at, old->len - at) : 0;
}

/* Joins records first .. first + n - 1. */
static void join_points(unsigned char *rows, int64_t first, int64_t n, const void *user)
{
    const struct plan *o = user;
    memset(rows, 0, (size_t)n * o->record);
    rows_join(rows, o->whole, o->n_whole, o->record, first, n);
    for (int32_t k = 0; k < o->n_columns; k++) {
        const struct out_column *x = &o->columns[k];
        for (int64_t i = 0; x->mask && x->data && i < n; i++)
            rows[(size_t)i * o->record + x->offset] |=
                (unsigned char)((x->data[first + i] & x->mask) << x->shift);
    }
}

static int write_points(struct call *call, struct file *f, struct plan *o, int64_t n)
{
    unsigned char *rows = call_alloc(call, BLOCK, o->record);
    o->whole = call_alloc(call, (size_t)o->n_columns, sizeof *o->whole);
    if (!o->whole || !rows)
        return GLT_ENOMEM;
    for (int32_t k = 0; k < o->n_columns; k++) {
        const struct out_column *x = &o->columns[k];
        if (!x->mask && x->data)
            o->whole[o->n_whole++] = (struct field){x->data, x->offset, x->size, 0, 0};
    }
    if (o->packed)
        return laz_write_points(f, &o->layout, n, join_points, o);
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t now = n - i < BLOCK ? n - i : BLOCK;
        join_points(rows, i, now, o);
        TRY(file_write(f, rows, (size_t)now * o->record));
    }
    return 0;
}

/* --- header --- */

static void put_bounds(unsigned char *head, const struct plan *o, int64_t n)
{
    for (int d = 0; d < 3; d++) {
        const struct out_column *x = &o->columns[d];
        const int32_t *v = (const int32_t *)x->data;
        int32_t min = n ? v[0] : 0, max = min;
        for (int64_t i = 1; i < n; i++) {
            min = v[i] < min ? v[i] : min;
            max = v[i] > max ? v[i] : max;
        }
        double low = min * x->scale + x->offset_value, high = max * x->scale + x->offset_value;
        unsigned char *place = head + 179 + 16 * d;
        /* the old value is kept if it differs only by rounding */
        bool same = fabs(las_layout_get_double(place) - high) <= x->scale / 2 &&
                    fabs(las_layout_get_double(place + 8) - low) <= x->scale / 2;
        if (!same) {
            las_layout_put_double(place, high);
            las_layout_put_double(place + 8, low);
        }
    }
}

/* Points and points by return, in the old fields if they fit, and in the new ones. */
static void put_counts(unsigned char *head, const struct plan *o, int64_t n)
{
    uint64_t by_return[16] = {0};
    const struct out_column *r = find_field(o, "return_number");
    for (int64_t i = 0; r && r->data && i < n; i++)
        by_return[r->data[i] & 15]++;
    bool legacy = o->format < 6 && (uint64_t)n <= UINT32_MAX;
    bool was_zero = little_get(head + 111, 4) == 0 && little_get(head + 115, 4) == 0;
    bool unchanged = o->came && little_get(head + 107, 4) == (uint64_t)n && was_zero;
    little_put(head + 107, legacy ? (uint64_t)n : 0, 4);
    for (int i = 0; i < 5 && !unchanged; i++)
        little_put(head + 111 + 4 * i, legacy ? by_return[i + 1] : 0, 4);
    if (head[25] < 4)
        return;
    bool filled = little_get(head + 247, 8) == (uint64_t)n;
    for (int i = 0; i < 15; i++)
        filled = filled && little_get(head + 255 + 8 * i, 8) == 0;
    little_put(head + 247, (uint64_t)n, 8);
    for (int i = 0; i < 15 && !(o->came && filled); i++)
        little_put(head + 255 + 8 * i, by_return[i + 1], 8);
}

/* The old header in the size of the new version, then the user's bytes after it. */
static size_t take_header(unsigned char head[HEAD_BYTES_MAX], const struct note *old, int minor)
{
    size_t size = las_layout_header_size(minor);
    if (!old || old->len < 26)
        return size;
    size_t own = las_layout_header_size(old->bytes[25]);
    own = own < old->len ? own : old->len;
    own = own < size ? own : size;
    size_t more = size + old->len - own > HEAD_BYTES_MAX ? 0 : old->len - own;
    memcpy(head, old->bytes, own);
    memcpy(head + size, old->bytes + own, more);
    return size + more;
}

/* The generating software; the date only if the environment gives one. */
static void sign_header(unsigned char *head)
{
    char software[33] = "";
    struct tm date;
    snprintf(software, sizeof software, "gelatto %s", glt_version());
    memset(head + 58, 0, 32);
    memcpy(head + 58, software, strlen(software));
    if (!clock_source_date(&date))
        return;
    little_put(head + 90, (uint64_t)date.tm_yday + 1, 2);
    little_put(head + 92, (uint64_t)date.tm_year + 1900, 2);
}

/* The bits that say how coordinate system and time are encoded. LAS 1.4 demands that of WKT
 * for point formats 6 and up. */
static void set_encoding(unsigned char *head, const struct glt_cloud *c, const struct plan *o)
{
    enum { PLACE = 6, SATELLITE_TIME = 0x01, WKT = 0x10, WEEK = 604800 };
    const struct note *vlrs = cloud_note(c, "las.vlrs");
    const struct column *time = cloud_attribute(c, "gps_time");
    if (o->format >= 6 && !o->came) {
        head[PLACE] |= WKT;
        if (vlrs && las_layout_lacks_wkt(vlrs->bytes, vlrs->len))
            log_warning(GLT_TOPIC_COORDINATES, "coordinate system",
                        "point format %d wants the coordinate system as WKT, but the records are "
                        "GeoTIFF keys: some programs will ignore them",
                        o->format);
    }
    if (o->fresh && column_is_single(time))
        for (int64_t i = 0; i < c->n; i++) {
            double seconds = column_value(time, i);
            if (seconds < 0 || seconds > WEEK)
                head[PLACE] |= SATELLITE_TIME;
        }
}

/* The header that was read, or a new one, updated for the points to be written. */
static void make_header(unsigned char head[HEAD_BYTES_MAX], size_t *len, const struct glt_cloud *c,
                        const struct plan *o)
{
    const struct note *old = cloud_note(c, "las.header");
    *len = take_header(head, old, o->minor);
    if (!old)
        memcpy(head + 26, "OTHER", 5);
    if (!old || cloud_note(c, "labels") || cloud_note(c, "edited"))
        sign_header(head);
    memcpy(head, "LASF", 4);
    head[24] = 1;
    head[25] = (unsigned char)o->minor;
    little_put(head + 94, *len, 2);
    set_encoding(head, c, o);
    head[104] = (unsigned char)(o->packed ? o->format | LAS_PACKED_BIT : o->format);
    little_put(head + 105, o->record, 2);
    for (int d = 0; d < 3; d++) {
        las_layout_put_double(head + 131 + 8 * d, o->columns[d].scale);
        las_layout_put_double(head + 155 + 8 * d, o->columns[d].offset_value);
    }
    put_bounds(head, o, c->n);
    put_counts(head, o, c->n);
}

/* The bytes after the points have moved: updates the offsets of EVLRs and waveforms. */
static void move_places(unsigned char *head, const struct glt_cloud *c, uint64_t end)
{
    const struct note *old = cloud_note(c, "las.header"), *behind = cloud_note(c, "las.behind");
    if (!old || !behind || old->len < LAS_HEADER_12)
        return;
    uint64_t was = little_get(old->bytes + 96, 4), n = little_get(old->bytes + 107, 4);
    if (old->bytes[25] >= 4 && little_get(old->bytes + 247, 8))
        n = little_get(old->bytes + 247, 8);
    was += n * little_get(old->bytes + 105, 2);
    if (head[25] >= 3 && old->bytes[25] >= 3 && little_get(head + 227, 8) >= was)
        little_put(head + 227, little_get(head + 227, 8) - was + end, 8);
    if (head[25] >= 4 && old->bytes[25] >= 4 && little_get(head + 235, 8) >= was)
        little_put(head + 235, little_get(head + 235, 8) - was + end, 8);
}

static int write_all(struct call *call, const struct glt_cloud *c, struct file *f, struct plan *o)
{
    unsigned char head[HEAD_BYTES_MAX] = {0};
    size_t len;
    uint32_t records;
    const struct note *behind = cloud_note(c, "las.behind");
    make_header(head, &len, c, o);
    TRY(file_write(f, head, len));
    TRY(write_records(c, f, o, &records));
    uint64_t points_at = (uint64_t)file_offset(f);
    if (points_at > UINT32_MAX)
        return error_topic(error_set(GLT_ELIMIT, "the LAS records are longer than 4 GiB"),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    const struct note *old = cloud_note(c, "las.header");
    /* if nothing else changed, keep even a wrong count */
    const struct note *vlrs = cloud_note(c, "las.vlrs");
    if (!old || !vlrs || points_at != little_get(old->bytes + 96, 4))
        little_put(head + 100, records, 4);
    little_put(head + 96, points_at, 4);
    TRY(write_points(call, f, o, c->n));
    move_places(head, c, (uint64_t)file_offset(f));
    TRY(file_patch(f, 0, head, len));
    return behind ? file_write(f, behind->bytes, behind->len) : 0;
}

/* Records of a coordinate system (GeoTIFF keys or WKT, before or after the points) share one user
 * id. They are kept, because the right replacement is not known. */
static void warn_of_projection(const struct glt_cloud *c)
{
    static const char *const places[] = {"las.vlrs", "las.behind"}, user[] = "LASF_Projection";
    bool found = false;
    for (int i = 0; i < 2; i++) {
        const struct note *note = cloud_note(c, places[i]);
        found = found || (note && memmem(note->bytes, note->len, user, sizeof user - 1));
    }
    if (found && cloud_note(c, "moved"))
        log_warning(GLT_TOPIC_COORDINATES, "coordinate system",
                    "the records of the coordinate system are kept, but the "
                    "coordinates were moved: they may not belong together any "
                    "more");
}

static int write_cloud(struct call *call, const struct glt_cloud *c, struct file *f, bool packed)
{
    struct plan plan;
    struct glt_cloud own;
    warn_of_projection(c);
    TRY(las_renumber(&own, c));
    int code = make_plan(call, &plan, &own);
    plan.packed = packed;
    if (code == 0) {
        provenance_print(&plan.provenance, c);
        code = plan.provenance.code;
    }
    if (code == 0 && packed)
        code = laz_chunk_layout(&plan.layout, plan.format, plan.record);
    if (code == 0)
        code = write_all(call, &own, f, &plan);
    las_renumber_free(&own, c);
    string_free(&plan.provenance);
    return code;
}

int las_write(struct call *call, const struct glt_cloud *c, struct file *f,
              const struct format_options *o)
{
    (void)o;
    return write_cloud(call, c, f, false);
}

int las_write_packed(struct call *call, const struct glt_cloud *c, struct file *f,
                     const struct format_options *o)
{
    (void)o;
    return write_cloud(call, c, f, true);
}
