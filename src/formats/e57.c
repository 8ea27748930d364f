/* E57: scans of terrestrial scanners and their poses, all in one cloud.
 *
 * Reference: ASTM E2807-11. Fields of the same name make one column over all scans: in the file's
 * type where the scans agree, else wide enough for all of them; a scan without the field has zeros.
 * Coordinates are cartesian, or computed from spherical ones, and moved by the pose in double, and
 * so are normals. Records whose coordinates are marked as invalid are left out and counted. Colours
 * with limits other than 0 to 255 (or 0 to 1 for real numbers) are scaled to 16 bits. */
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/print.h"
#include "formats/e57_pages.h"
#include "formats/e57_records.h"
#include "formats/e57_xml.h"
#include "formats/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns are at most RATIO times as long as the file, plus BASE, so that a small file cannot take
 * all memory. */
enum { RATIO = 1000, BASE = 4 << 20 };
/* Sections do not overlap. Their declared lengths may add up to this many times the file: ignored
 * packets cost time, and every scan could name the same ones. */
enum { SECTIONS = 8 };

/* A column over all scans, and the range it must hold. */
struct e57_column {
    const char *name;
    bool used;
    enum e57_kind kind;
    int64_t low, high; /* of integers, without their scale */
    double scale, offset;
};

struct e57 {
    struct e57_pages pages;
    struct e57_scan *scans;
    int32_t n_scans;
    struct e57_column *columns;
    int32_t n_columns;
    bool colour_bytes, colour_reals; /* true if all scans have such colours */
    int64_t n, invalid;              /* records kept so far, and dropped */
};

enum { X, Y, Z, RED, NX = RED + 3, FIXED = NX + 3 }; /* the first columns; x, y, z always exist */

static const char *const fixed[FIXED] = {"x", "y", "z", "red", "green", "blue", "nx", "ny", "nz"};
/* Spellings of the file for the first columns, and of spherical coordinates for x, y, z. */
static const char *const spellings[FIXED] = {"cartesianX",  "cartesianY",  "cartesianZ",
                                             "colorRed",    "colorGreen",  "colorBlue",
                                             "nor:normalX", "nor:normalY", "nor:normalZ"};
static const char *const spherical[3] = {"sphericalRange", "sphericalAzimuth",
                                         "sphericalElevation"};

/* --- contents of a scan --- */

static int32_t find_field(const struct e57_scan *s, const char *name)
{
    for (int32_t i = 0; i < s->n_fields; i++)
        if (strcmp(s->fields[i].name, name) == 0)
            return s->fields[i].kind == E57_STRING ? -1 : i;
    return -1;
}

static bool has_three(const struct e57_scan *s, const char *const names[3])
{
    return find_field(s, names[0]) >= 0 && find_field(s, names[1]) >= 0 &&
           find_field(s, names[2]) >= 0;
}

static bool is_spherical(const struct e57_scan *s)
{
    return !has_three(s, spellings) && has_three(s, spherical);
}

static bool is_turned(const struct e57_scan *s)
{
    const double *q = s->rotation;
    return q[1] != 0 || q[2] != 0 || q[3] != 0;
}

static bool is_posed(const struct e57_scan *s)
{
    return is_turned(s) || s->translation[0] != 0 || s->translation[1] != 0 ||
           s->translation[2] != 0;
}

/* The index of the field that says whether a record's coordinates are valid; -1: all are. */
static int32_t find_flags(const struct e57_scan *s)
{
    return find_field(s, is_spherical(s) ? "sphericalInvalidState" : "cartesianInvalidState");
}

static void colour_limits(double limits[2], const struct e57_scan *s, int d)
{
    const struct e57_field *x = &s->fields[find_field(s, spellings[RED + d])];
    limits[0] = s->limits[E57_RED + d][0];
    limits[1] = s->limits[E57_RED + d][1];
    if (limits[0] < limits[1])
        return;
    limits[0] = x->low < x->high ? x->low : 0;
    limits[1] = x->low < x->high ? x->high : 1;
}

/* --- columns --- */

static struct e57_column *find_column(const struct e57 *e, const char *name)
{
    for (int32_t i = 0; i < e->n_columns; i++)
        if (strcmp(e->columns[i].name, name) == 0)
            return &e->columns[i];
    return NULL;
}

/* The name of the column that a field of a scan belongs to; NULL if to none. */
static const char *column_name(const struct e57_scan *s, int32_t i)
{
    const char *name = s->fields[i].name;
    if (s->fields[i].kind == E57_STRING || i == find_flags(s) || i != find_field(s, name))
        return NULL;
    for (int k = 0; k < FIXED; k++)
        if (strcmp(name, spellings[k]) == 0)
            return k >= RED || has_three(s, spellings) ? fixed[k] : NULL;
    for (int k = 0; k < 3; k++)
        if (strcmp(name, spherical[k]) == 0)
            return is_spherical(s) ? fixed[k] : name;
    return name;
}

/* The largest integer a field can have, whatever its limits say. */
static int64_t highest(const struct e57_field *x)
{
    if (x->bits == 64)
        return INT64_MAX;
    uint64_t room = (uint64_t)INT64_MAX - (uint64_t)x->min;
    uint64_t range = ((uint64_t)1 << x->bits) - 1;
    return range < room ? (int64_t)((uint64_t)x->min + range) : INT64_MAX;
}

static void widen(struct e57_column *c, const struct e57_field *x)
{
    int64_t high = x->kind == E57_INTEGER ? highest(x) : 0;
    if (!c->used) {
        *c = (struct e57_column){c->name, true, x->kind, x->min, high, x->scale, x->offset};
        return;
    }
    if (c->kind != x->kind || c->scale != x->scale || c->offset != x->offset)
        c->kind = E57_DOUBLE;
    c->low = x->min < c->low ? x->min : c->low;
    c->high = high > c->high ? high : c->high;
}

/* Columns of a scan's fields. Computed ones are real. */
static int plan_scan(struct e57 *e, const struct e57_scan *s)
{
    for (int32_t i = 0; i < s->n_fields; i++) {
        const char *name = column_name(s, i);
        struct e57_column *c = name ? find_column(e, name) : NULL;
        if (!name)
            continue;
        if (!c && e->n_columns == COLUMNS_MAX)
            return error_topic(error_in(GLT_ELIMIT, file_name(e->pages.f),
                                        "the scans have more than %d different fields",
                                        COLUMNS_MAX),
                               GLT_TOPIC_SIZE_LIMIT, NULL);
        if (!c) {
            c = &e->columns[e->n_columns++];
            *c = (struct e57_column){.name = name};
        }
        widen(c, &s->fields[i]);
        bool place = c < e->columns + RED, normal = c >= e->columns + NX && c < e->columns + FIXED;
        if ((place && (is_posed(s) || is_spherical(s))) ||
            (normal && is_turned(s) && c->kind == E57_INTEGER))
            c->kind = E57_DOUBLE;
    }
    return 0;
}

/* The type that all colours share. */
static void plan_colours(struct e57 *e)
{
    e->colour_bytes = e->colour_reals = true;
    for (int32_t i = 0; i < e->n_scans; i++) {
        const struct e57_scan *s = &e->scans[i];
        for (int d = 0; d < 3; d++) {
            int32_t k = find_field(s, spellings[RED + d]);
            double limits[2];
            if (k < 0)
                continue;
            colour_limits(limits, s, d);
            bool real = s->fields[k].kind != E57_INTEGER;
            e->colour_bytes = e->colour_bytes && !real && limits[0] == 0 && limits[1] == 255;
            e->colour_reals = e->colour_reals && real && limits[0] == 0 && limits[1] == 1;
        }
    }
}

static enum glt_type integer_type(int64_t low, int64_t high)
{
    if (low >= 0 && high <= UINT32_MAX)
        return high <= UINT8_MAX ? GLT_U8 : high <= UINT16_MAX ? GLT_U16 : GLT_U32;
    if (low >= INT32_MIN && high <= INT32_MAX)
        return low >= INT8_MIN && high <= INT8_MAX     ? GLT_I8
               : low >= INT16_MIN && high <= INT16_MAX ? GLT_I16
                                                       : GLT_I32;
    return GLT_I64;
}

static enum glt_type type_of(const struct e57 *e, const struct e57_column *c)
{
    if (c >= e->columns + RED && c < e->columns + NX)
        return e->colour_bytes ? GLT_U8 : e->colour_reals ? GLT_F32 : GLT_U16;
    return c->kind == E57_INTEGER  ? integer_type(c->low, c->high)
           : c->kind == E57_SINGLE ? GLT_F32
                                   : GLT_F64;
}

/* Declares the columns in use, and always x, y, z, so that a file without scans is an empty
 * cloud. */
static int declare(struct e57 *e, struct glt_cloud *c)
{
    struct column *x;
    for (int32_t i = 0; i < e->n_columns; i++) {
        const struct e57_column *from = &e->columns[i];
        if (!from->used && i >= RED)
            continue;
        TRY(cloud_declare(&x, c, from->name, from->used ? type_of(e, from) : GLT_F64, 1));
        if (from->used && from->kind == E57_INTEGER && !type_is_real(x->type) &&
            (i < RED || i >= NX)) {
            x->scale = from->scale;
            x->offset = from->offset;
        }
    }
    return e->n_scans > 1 ? cloud_declare(&x, c, "scan", GLT_U16, 1) : 0;
}

static int plan(struct call *call, struct e57 *e, struct glt_cloud *c)
{
    e->columns = call_alloc(call, COLUMNS_MAX, sizeof *e->columns);
    if (!e->columns)
        return GLT_ENOMEM;
    for (int k = 0; k < FIXED; k++)
        e->columns[e->n_columns++].name = fixed[k];
    for (int32_t i = 0; i < e->n_scans; i++)
        TRY(plan_scan(e, &e->scans[i]));
    plan_colours(e);
    return declare(e, c);
}

/* --- records --- */

/* Every scan with records must have coordinates, and a section that can hold them. */
static int check_scans(struct e57 *e, const struct glt_cloud *c)
{
    uint64_t n = 0, row = 0, max = (uint64_t)file_size(e->pages.f) * RATIO + BASE;
    int64_t bytes = 0;
    for (int32_t i = 0; i < e->n_scans; i++) {
        const struct e57_scan *s = &e->scans[i];
        if (s->n == 0)
            continue;
        if (!has_three(s, spellings) && !has_three(s, spherical))
            return error_topic(error_in(GLT_EDATA, file_name(e->pages.f),
                                        "scan %d has neither cartesianX, cartesianY, cartesianZ "
                                        "nor spherical coordinates",
                                        i),
                               GLT_TOPIC_COORDINATES, NULL);
        TRY(e57_records_check(&bytes, &e->pages, s));
        if (bytes / SECTIONS > file_size(e->pages.f))
            return error_topic(error_in(GLT_EFORMAT, file_name(e->pages.f),
                                        "scan %d: sections of records overlap: "
                                        "the file is damaged",
                                        i),
                               GLT_TOPIC_VALUE, NULL);
        n += s->n; /* up to 8 times the bytes of the file each */
        e->n += (int64_t)s->n;
    }
    for (int32_t k = 0; k < c->n_columns; k++)
        row += type_size(c->columns[k].type);
    if (n > max / row)
        return error_topic(error_in(GLT_ELIMIT, file_name(e->pages.f),
                                    "%" PRIu64 " records of %" PRIu64
                                    " bytes are declared: more than %d times the bytes of the "
                                    "file are not unpacked",
                                    n, row, RATIO),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    return 0;
}

/* The target of field i of a scan whose records begin at row `first`. */
static struct e57_target target_of(const struct e57 *e, const struct glt_cloud *c,
                                   const struct e57_scan *s, int32_t i, int64_t first)
{
    const struct e57_field *x = &s->fields[i];
    const char *name = column_name(s, i);
    const struct column *to = name ? cloud_attribute(c, name) : NULL;
    if (!to)
        return (struct e57_target){0};
    struct e57_target t = {(unsigned char *)to->data + (size_t)first * type_size(to->type),
                           to->type, x->scale, x->offset};
    for (int d = 0; d < 3 && !e->colour_bytes && !e->colour_reals; d++)
        if (strcmp(name, fixed[RED + d]) == 0) {
            double limits[2];
            colour_limits(limits, s, d);
            double factor = UINT16_MAX / (limits[1] - limits[0]);
            t.scale = x->scale * factor;
            t.offset = (x->offset - limits[0]) * factor;
            return t;
        }
    if (column_is_scaled(to)) { /* the scale is the column's */
        t.scale = 1;
        t.offset = 0;
    }
    return t;
}

/* The rotation of a quaternion of any length but 0. */
static void rotation_of(double m[3][3], const double q[4])
{
    double len = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double w = q[0] / len, x = q[1] / len, y = q[2] / len, z = q[3] / len;
    double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                         {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                         {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

static void to_cartesian(struct column *const xyz[3], int64_t first, int64_t n)
{
    double *x = xyz[0]->data, *y = xyz[1]->data, *z = xyz[2]->data;
    for (int64_t i = first; i < first + n; i++) {
        double range = x[i], azimuth = y[i], elevation = z[i];
        x[i] = range * cos(elevation) * cos(azimuth);
        y[i] = range * cos(elevation) * sin(azimuth);
        z[i] = range * sin(elevation);
    }
}

/* Moves rows by m v + t in double; the columns are real. */
static void move(struct column *const v[3], const double m[3][3], const double t[3], int64_t first,
                 int64_t n)
{
    for (int64_t i = first; i < first + n; i++) {
        double from[3];
        for (int d = 0; d < 3; d++)
            from[d] = column_value(v[d], i);
        for (int d = 0; d < 3; d++) {
            double to = m[d][0] * from[0] + m[d][1] * from[1] + m[d][2] * from[2] + t[d];
            if (v[d]->type == GLT_F32)
                ((float *)v[d]->data)[i] = (float)to;
            else
                ((double *)v[d]->data)[i] = to;
        }
    }
}

static void place(const struct glt_cloud *c, const struct e57_scan *s, int64_t first)
{
    static const double none[3] = {0};
    struct column *xyz[3], *normal[3];
    double m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int d = 0; d < 3; d++) {
        xyz[d] = cloud_attribute(c, fixed[d]);
        normal[d] = cloud_attribute(c, fixed[NX + d]);
    }
    if (is_spherical(s))
        to_cartesian(xyz, first, (int64_t)s->n);
    if (is_turned(s))
        rotation_of(m, s->rotation);
    if (is_posed(s))
        move(xyz, m, s->translation, first, (int64_t)s->n);
    if (is_turned(s) && has_three(s, spellings + NX))
        move(normal, m, none, first, (int64_t)s->n);
}

/* Closes the gaps that invalid records of a scan leave; returns how many are valid. */
static int64_t drop_invalid(struct glt_cloud *c, const unsigned char *flags, int64_t first,
                            int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        kept += flags[i] == 0;
    for (int32_t k = 0; k < c->n_columns && kept < n; k++) {
        size_t size = type_size(c->columns[k].type);
        unsigned char *to = (unsigned char *)c->columns[k].data + (size_t)first * size, *from = to;
        for (int64_t i = 0; i < n; i++, from += size)
            if (flags[i] == 0) {
                memmove(to, from, size);
                to += size;
            }
    }
    return kept;
}

static int read_scan(struct call *call, struct e57 *e, struct glt_cloud *c, int32_t number)
{
    const struct e57_scan *s = &e->scans[number];
    struct e57_target *targets = call_alloc(call, (size_t)s->n_fields, sizeof *targets);
    int32_t flagged = find_flags(s);
    unsigned char *flags = flagged < 0 ? NULL : call_alloc(call, (size_t)s->n, 1);
    struct column *scan = e->n_scans > 1 ? &c->columns[c->n_columns - 1] : NULL;
    if (!targets || (flagged >= 0 && !flags))
        return GLT_ENOMEM;
    for (int32_t i = 0; i < s->n_fields; i++)
        targets[i] = target_of(e, c, s, i, e->n);
    if (flags)
        targets[flagged] = (struct e57_target){flags, GLT_U8, 1, 0};
    TRY(e57_records_read(call, &e->pages, s, targets));
    place(c, s, e->n);
    for (uint64_t i = 0; scan && i < s->n; i++)
        ((uint16_t *)scan->data)[e->n + (int64_t)i] = (uint16_t)number;
    int64_t n = flags ? drop_invalid(c, flags, e->n, (int64_t)s->n) : (int64_t)s->n;
    e->invalid += (int64_t)s->n - n;
    e->n += n;
    return 0;
}

/* Names of scans, and the limits of their intensity. Intensities are not scaled, because limits are
 * often just the range of the values. */
static int comment(const struct e57 *e, struct glt_cloud *c)
{
    TRY(cloud_set_note(c, "unit", "m", 1));
    for (int32_t i = 0; i < e->n_scans; i++) {
        const struct e57_scan *s = &e->scans[i];
        const double *limits = s->limits[E57_BRIGHTNESS];
        char text[E57_TEXT + 128];
        int len = snprintf(text, sizeof text, "scan %d %s", i, s->name);
        if (limits[0] < limits[1])
            print_to(text + len, sizeof text - (size_t)len, " intensity %.9g to %.9g", limits[0],
                     limits[1]);
        if (s->name[0] || limits[0] < limits[1])
            TRY(cloud_add_comment(c, text));
    }
    return 0;
}

static void report(const struct e57 *e)
{
    const char *name = file_name(e->pages.f);
    for (int32_t i = 0; i < e->n_scans; i++)
        for (int32_t k = 0; k < e->scans[i].n_fields; k++)
            if (e->scans[i].fields[k].kind == E57_STRING)
                log_warning(GLT_TOPIC_ATTRIBUTE, e->scans[i].fields[k].name,
                            "%s: scan %d: texts are not read: %s is left out", name, i,
                            e->scans[i].fields[k].name);
    if (e->invalid)
        log_message(GLT_LOG_INFO, "%s: %" PRId64 " of %" PRId64 " records are marked as invalid",
                    name, e->invalid, e->invalid + e->n);
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o)
{
    struct e57 *e = call_alloc(call, 1, sizeof *e);
    (void)o;
    if (!e)
        return GLT_ENOMEM;
    TRY(e57_pages_open(call, &e->pages, f));
    TRY(e57_xml_read(call, &e->scans, &e->n_scans, &e->pages));
    TRY(plan(call, e, c));
    TRY(check_scans(e, c));
    c->n = e->n;
    TRY(cloud_allocate(c));
    e->n = 0;
    for (int32_t i = 0; i < e->n_scans; i++) {
        int64_t mark = call_mark(call);
        if (e->scans[i].n > 0)
            TRY(read_scan(call, e, c, i));
        call_reset(call, mark);
    }
    c->n = e->n;
    report(e);
    return comment(e, c);
}

static bool probe(const unsigned char *bytes, size_t len)
{
    return len >= 8 && memcmp(bytes, "ASTM-E57", 8) == 0;
}

const struct format format_e57 = {.name = "e57", .extensions = "e57", .probe = probe, .read = read};
