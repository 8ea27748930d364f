/* Reading LAS 1.0 to 1.4, point formats 0 to 10, and LAZ.
 *
 * Coordinates stay the integers of the file, with their scale and offset. The header, the variable
 * length records and everything after the points are kept byte for byte, so that coordinate systems
 * and waveforms survive. LAZ differs in how the records of the points are read; the rest is kept as
 * a LAS file of the same points would have it. */
#include "cloud/asprs.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "cloud/provenance.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/string.h"
#include "formats/copc.h"
#include "formats/format.h"
#include "formats/las_layout.h"
#include "formats/las_unpacked.h"
#include "formats/las_write.h"
#include "formats/laz.h"
#include "formats/little.h"
#include "formats/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

extern const struct format format_las, format_laz;

struct las {
    unsigned char head[LAS_HEADER_14];
    size_t head_size; /* as the file says; head holds the first LAS_HEADER_14 of them */
    int minor, format;
    uint64_t points_at, n;
    size_t record;
    struct las_field fields[LAS_FIELDS];
    int32_t n_fields;
    size_t base; /* bytes of a record before the extra ones */
    bool packed; /* LAZ */
    struct laz laz;
    struct field *columns; /* the targets of the fields of a record */
};

static int damaged(const struct file *f, const char *what, uint64_t found)
{
    int code = error_in(GLT_EFORMAT, file_name(f),
                        "LAS header: %s %" PRIu64 " does not fit a file of %" PRId64 " bytes", what,
                        found, file_size(f));
    error_place(code, GLT_PLACE_BYTE, file_size(f));
    return error_topic(code, GLT_TOPIC_TRUNCATED, NULL);
}

static int read_header(struct las *l, struct file *f)
{
    int64_t size = file_size(f);
    if (size < LAS_HEADER_12)
        return damaged(f, "a header of", LAS_HEADER_12);
    TRY(file_read(f, l->head, size < LAS_HEADER_14 ? (size_t)size : LAS_HEADER_14));
    const unsigned char *h = l->head;
    if (memcmp(h, "LASF", 4) != 0)
        return error_topic(
            error_file(error_set(GLT_EFORMAT, "%s does not begin with LASF", file_name(f)),
                       file_name(f)),
            GLT_TOPIC_FORMAT, NULL);
    if (h[24] != 1 || h[25] > 4)
        return error_topic(
            error_file(error_set(GLT_EUNSUPPORTED, "%s is LAS %d.%d; 1.0 to 1.4 are read",
                                 file_name(f), h[24], h[25]),
                       file_name(f)),
            GLT_TOPIC_FORMAT, NULL);
    l->minor = h[25];
    l->packed = h[104] & LAS_PACKED;
    l->format = h[104] & ~LAS_PACKED;
    if (l->format >= LAS_FORMATS)
        return error_topic(
            error_file(error_set(GLT_EUNSUPPORTED, "%s has point format %d; 0 to 10 are read",
                                 file_name(f), l->format),
                       file_name(f)),
            GLT_TOPIC_FORMAT, NULL);
    l->head_size = (size_t)little_get(h + 94, 2);
    l->points_at = little_get(h + 96, 4);
    l->record = (size_t)little_get(h + 105, 2);
    l->n = little_get(h + 107, 4);
    size_t least = las_layout_header_size(l->minor);
    if (l->head_size < least || l->head_size > (uint64_t)size)
        return damaged(f, "header size", l->head_size);
    if (l->points_at < l->head_size || l->points_at > (uint64_t)size)
        return damaged(f, "points at byte", l->points_at);
    if (l->minor == 4 && little_get(h + 247, 8) > 0)
        l->n = little_get(h + 247, 8);
    l->n_fields = las_layout_fields(l->fields, l->format, &l->base);
    if (l->record < l->base)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "records of %zu bytes are too short for point format %d, "
                                    "which needs %zu",
                                    l->record, l->format, l->base),
                           GLT_TOPIC_VALUE, NULL);
    if (!l->packed && l->n > ((uint64_t)size - l->points_at) / l->record)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "the header declares %" PRIu64
                                    " points of %zu bytes, but only %" PRIu64
                                    " bytes follow: the file is cut short or damaged",
                                    l->n, l->record, (uint64_t)size - l->points_at),
                           GLT_TOPIC_TRUNCATED, NULL);
    return 0;
}

/* Keeps a part of the file as a note. */
static int keep(struct call *call, struct glt_cloud *c, struct file *f, const char *key,
                uint64_t from, uint64_t to)
{
    size_t len = (size_t)(to - from);
    unsigned char *bytes = call_alloc(call, len, 1);
    if (!bytes)
        return GLT_ENOMEM;
    TRY(file_seek(f, (int64_t)from));
    TRY(file_read(f, bytes, len));
    return cloud_set_note(c, key, bytes, len);
}

static int check_vlrs(const struct las *l, const struct glt_cloud *c, const struct file *f)
{
    const struct note *vlrs = cloud_note(c, "las.vlrs");
    uint64_t declared = little_get(l->head + 100, 4), found = 0;
    struct las_vlr v;
    size_t at = 0;
    if (declared > vlrs->len / LAS_VLR)
        return damaged(f, "a number of variable length records of", declared);
    while (found < declared && las_layout_next_vlr(&v, vlrs->bytes, vlrs->len, &at))
        found++;
    if (found < declared)
        log_warning(GLT_TOPIC_TRUNCATED, NULL,
                    "%s: only %" PRIu64 " of %" PRIu64 " variable length records are whole",
                    file_name(f), found, declared);
    return 0;
}

/* "class 2 ground" comments from the lookup record: pairs of a number and 15 letters. If they begin
 * the ASPRS's longer name of that number ("medium vegetati"), the full name is used. */
static int name_classes(struct glt_cloud *c, const struct las_vlr *v)
{
    enum { LETTERS = 15 };
    for (size_t at = LAS_VLR; at + 1 + LETTERS <= v->len; at += 1 + LETTERS) {
        const char *whole = asprs_name(v->bytes[at]);
        char name[LETTERS + 1] = "", text[64];
        memcpy(name, v->bytes + at + 1, LETTERS);
        bool cut = whole && strlen(name) == LETTERS && string_begins_nocase(whole, name);
        if (!*name)
            continue;
        snprintf(text, sizeof text, "class %d %s%s", v->bytes[at], name,
                 cut ? whole + LETTERS : "");
        TRY(cloud_add_comment(c, text));
    }
    return 0;
}

static int declare_extra(struct glt_cloud *c, const struct las_vlr *v, size_t *left,
                         const char *file)
{
    for (size_t at = LAS_VLR; at + LAS_DESCRIPTOR <= v->len; at += LAS_DESCRIPTOR) {
        struct las_extra x;
        struct column *y;
        las_layout_read_descriptor(&x, v->bytes + at);
        if (x.size > *left)
            break; /* it describes more bytes than a record has */
        *left -= x.size;
        if (x.size == 0)
            continue;
        if (las_layout_is_uneven(v->bytes + at))
            log_warning(GLT_TOPIC_ATTRIBUTE, x.name,
                        "%s: the values of %s have several scales, or a number that stands for "
                        "none: the first scale is used for all",
                        file, x.name);
        if (c->n_columns == COLUMNS_MAX)
            return error_topic(error_in(GLT_ELIMIT, file,
                                        "more than %d attributes: leave some extra bytes out",
                                        COLUMNS_MAX),
                               GLT_TOPIC_SIZE_LIMIT, NULL);
        TRY(cloud_declare(&y, c, x.name[0] ? x.name : "extra", x.type, x.width));
        y->scale = x.scale;
        y->offset = x.offset;
    }
    return 0;
}

static int declare(struct glt_cloud *c, const struct las *l, const char *file)
{
    struct column *x;
    for (int32_t i = 0; i < l->n_fields; i++) {
        TRY(cloud_declare(&x, c, l->fields[i].name, l->fields[i].type, l->fields[i].width));
        if (!strcmp(x->name, "scan_angle") && x->type == GLT_I16)
            x->scale = LAS_ANGLE;
        if (i < 3) {
            x->scale = las_layout_get_double(l->head + 131 + 8 * i);
            x->offset = las_layout_get_double(l->head + 155 + 8 * i);
        }
    }
    size_t left = l->record - l->base, at = 0;
    const struct note *vlrs = cloud_note(c, "las.vlrs");
    struct las_vlr v;
    while (las_layout_next_vlr(&v, vlrs->bytes, vlrs->len, &at)) {
        if (las_layout_is_extra(&v))
            TRY(declare_extra(c, &v, &left, file));
        if (las_layout_is_classes(&v))
            TRY(name_classes(c, &v));
        if (las_layout_is_provenance(&v))
            TRY(provenance_read(c, (const char *)v.bytes + LAS_VLR, v.len - LAS_VLR));
    }
    return left ? cloud_declare(&x, c, "extra_bytes", GLT_U8, (int32_t)left) : 0;
}

/* Which bytes of a record go to which column. */
static int plan_columns(struct call *call, struct las *l, const struct glt_cloud *c)
{
    size_t extra = l->base;
    l->columns = call_alloc(call, (size_t)c->n_columns, sizeof *l->columns);
    if (!l->columns)
        return GLT_ENOMEM;
    for (int32_t k = 0; k < c->n_columns; k++) {
        const struct column *x = &c->columns[k];
        size_t size = type_size(x->type) * (size_t)x->width;
        l->columns[k] = (struct field){x->data, extra, size, 0, 0};
        if (k < l->n_fields) {
            l->columns[k].offset = l->fields[k].offset;
            l->columns[k].shift = l->fields[k].shift;
            l->columns[k].mask = l->fields[k].mask;
        } else {
            extra += size;
        }
    }
    return 0;
}

static int read_points(struct call *call, struct glt_cloud *c, struct file *f, struct las *l)
{
    TRY(plan_columns(call, l, c));
    if (l->packed) {
        TRY(laz_read(&l->laz, f, l->columns, c->n_columns));
    } else {
        TRY(file_seek(f, (int64_t)l->points_at));
        TRY(rows_read(f, l->columns, c->n_columns, l->record, c->n));
    }
    for (int32_t k = 0; k < c->n_columns && file_host_is_big_endian(); k++)
        column_swap(&c->columns[k], c->n);
    return 0;
}

static bool is_zero(const struct column *x, int64_t n)
{
    const unsigned char *bytes = x->data;
    size_t len = (size_t)column_items(x, n) * type_size(x->type);
    for (size_t i = 0; i < len; i++)
        if (bytes[i])
            return false;
    return true;
}

static void drop(struct glt_cloud *c, struct column *x)
{
    column_clear(x);
    column_take_out(c->columns, &c->n_columns, (int32_t)(x - c->columns));
}

/* Values that did not fit a field are in extra bytes of its name, with LAS_EXTRA_ENDING or, in
 * older files, without. */
static void field_of(char field[64], const char *name)
{
    size_t len = strlen(name), ending = strlen(LAS_EXTRA_ENDING);
    bool ends = len > ending && strcmp(name + len - ending, LAS_EXTRA_ENDING) == 0;
    snprintf(field, 64, "%.*s", (int)(ends ? len - ending : len), name);
    if (ends && !las_layout_is_field(field))
        snprintf(field, 64, "%s", name);
}

/* If the field is zero, such extra bytes replace it. If it is a colour, the other colours that are
 * zero are dropped too. */
static void drop_replaced(struct glt_cloud *c, int32_t n_fields)
{
    bool colour = false;
    for (int32_t k = n_fields; k < c->n_columns; k++) {
        char field[64];
        field_of(field, c->columns[k].name);
        struct column *x = cloud_attribute(c, field);
        if (!x && column_is_single(&c->columns[k])) /* a field of other point formats */
            strcpy(c->columns[k].name, field);
        if (!x || x - c->columns < 3 || x - c->columns >= n_fields ||
            !column_is_single(&c->columns[k]) || !is_zero(x, c->n))
            continue;
        for (int i = 0; i < 3; i++)
            colour = colour || !strcmp(x->name, names_rgb[i]);
        strcpy(c->columns[k].name, field); /* which is not longer */
        drop(c, x);
        n_fields--;
        k--;
    }
    for (int i = 0; i < 3 && colour; i++) {
        struct column *x = cloud_attribute(c, names_rgb[i]);
        if (!x || x - c->columns >= n_fields || !is_zero(x, c->n))
            continue;
        drop(c, x);
        n_fields--;
    }
}

/* Finds a record before the points. */
static bool find_record(struct las_vlr *v, const struct glt_cloud *c,
                        bool (*is)(const struct las_vlr *v))
{
    const struct note *vlrs = cloud_note(c, "las.vlrs");
    size_t at = 0;
    while (las_layout_next_vlr(v, vlrs->bytes, vlrs->len, &at))
        if (is(v))
            return true;
    return false;
}

/* The smallest and largest x and y in the header, as x, y, X, Y. */
static void read_box(double box[4], const struct las *l)
{
    enum { MAX_X = 179, MIN_X = 187, AXIS = 16 };
    for (int k = 0; k < 2; k++) {
        box[k] = las_layout_get_double(l->head + MIN_X + AXIS * k);
        box[k + 2] = las_layout_get_double(l->head + MAX_X + AXIS * k);
    }
}

/* The chunks of a COPC file that meet a box. */
static int find_nodes(struct call *call, struct las *l, struct file *f, const struct las_vlr *info,
                      const double box[4])
{
    struct laz *z = &l->laz;
    int64_t bytes = z->points_at;
    double all[4];
    TRY(laz_check_count(z, f));
    TRY(copc_find_chunks(call, z, f, info, box, &bytes));
    log_message(GLT_LOG_INFO,
                "%s: the box meets %" PRId64 " node%s: %" PRId64 " of %" PRId64 " bytes",
                file_name(f), z->n_spans, string_plural(z->n_spans), bytes, file_size(f));
    read_box(all, l);
    if (z->n == 0 && l->n > 0)
        log_warning(GLT_TOPIC_OPTION, "box",
                    "box leaves no point: the file reaches from %.10g,%.10g to %.10g,%.10g", all[0],
                    all[1], all[2], all[3]);
    return 0;
}

/* The chunks of a LAZ file; for COPC, those that meet the box, if there is one. */
static int find_chunks(struct call *call, const struct glt_cloud *c, struct file *f, struct las *l,
                       const struct format_options *o)
{
    struct las_vlr v;
    struct laz *z = &l->laz;
    if (!find_record(&v, c, laz_is_record))
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "it is compressed, but has no record that says how: the file "
                                    "is damaged"),
                           GLT_TOPIC_FORMAT, NULL);
    z->points_at = (int64_t)l->points_at;
    z->n = (int64_t)l->n;
    z->salvage = o->salvage;
    TRY(laz_read_record(z, &v, l->format, l->record, file_name(f)));
    if (!o->box || o->salvage || !find_record(&v, c, copc_is_record))
        return laz_find_chunks(call, z, f);
    return find_nodes(call, l, f, &v, o->box);
}

/* Salvaging: removes lost points from the columns. */
static int close_gaps(struct glt_cloud *c, const struct laz *z, const struct file *f)
{
    int64_t left = c->n;
    for (int32_t k = 0; k < c->n_columns; k++) {
        struct column *x = &c->columns[k];
        left = laz_close_gaps(z, x->data, type_size(x->type) * (size_t)x->width);
    }
    if (left == 0 && c->n > 0)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "none of its chunks is intact: there is nothing to salvage"),
                           GLT_TOPIC_TRUNCATED, NULL);
    laz_report_lost(z, left, f);
    c->n = left;
    return 0;
}

static int read_all(struct call *call, struct las *l, struct glt_cloud *c, struct file *f,
                    const struct format_options *o)
{
    TRY(read_header(l, f));
    TRY(keep(call, c, f, "las.header", 0, l->head_size));
    TRY(keep(call, c, f, "las.vlrs", l->head_size, l->points_at));
    TRY(check_vlrs(l, c, f));
    const struct note *vlrs = cloud_note(c, "las.vlrs");
    const char *unit = las_layout_unit(vlrs->bytes, vlrs->len);
    TRY(*unit ? cloud_set_note(c, "unit", unit, strlen(unit)) : 0);
    if (l->packed)
        TRY(find_chunks(call, c, f, l, o));
    TRY(declare(c, l, file_name(f)));
    c->n = l->packed ? l->laz.n : (int64_t)l->n;
    TRY(cloud_allocate(c));
    TRY(read_points(call, c, f, l));
    if (l->packed && o->salvage)
        TRY(close_gaps(c, &l->laz, f));
    if (l->packed)
        return las_unpacked_notes(call, c, f, l->laz.end, o->salvage);
    return keep(call, c, f, "las.behind", l->points_at + l->n * l->record, (uint64_t)file_size(f));
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o)
{
    struct las l = {0};
    int code = read_all(call, &l, c, f, o);
    c->format = l.packed ? format_laz.name : format_las.name; /* whatever its extension */
    /* for an error before, in the table of, or after the chunks, the place is the number of chunks
     * found */
    if (code == GLT_EFORMAT && l.packed && glt_error_place(GLT_PLACE_CHUNK) < 0)
        error_place(code, GLT_PLACE_CHUNK, l.laz.n_spans);
    TRY(code);
    drop_replaced(c, l.n_fields);
    return 0;
}

static bool probe(const unsigned char *bytes, size_t len)
{
    return len >= 4 && memcmp(bytes, "LASF", 4) == 0;
}

/* A header may have no box, or an invalid one. */
static bool extent(double box[4], struct file *f)
{
    struct las l = {0};
    if (read_header(&l, f) < 0)
        return false;
    read_box(box, &l);
    for (int k = 0; k < 2; k++)
        if (!isfinite(box[k]) || !isfinite(box[k + 2]) || box[k] >= box[k + 2])
            return false;
    return true;
}

const struct format format_las = {.name = "las",
                                  .extensions = "las",
                                  .probe = probe,
                                  .read = read,
                                  .extent = extent,
                                  .write = las_write,
                                  .encodings = "binary"};
const struct format format_laz = {.name = "laz",
                                  .extensions = "laz",
                                  .read = read,
                                  .extent = extent,
                                  .write = las_write_packed,
                                  .encodings = "binary"};
