/* Writing LAS.
 *
 * A cloud that came from LAS keeps its header, records and what stood behind the points; only what
 * the points themselves decide is set anew. The point format is the one it came in, or the smallest
 * that holds its attributes; classes above 31 need formats 6 and up (LAS 1.4). Attributes LAS does
 * not know become extra bytes. Labels are written as classification, class names as the lookup
 * record. */
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/log.h"
#include "core/memory.h"
#include "formats/las_out.h"
#include "formats/rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 1 << 10 };

static int write_record(struct file *f, const char *user, unsigned record, const char *what,
                        const void *bytes, size_t len)
{
    unsigned char head[LAS_VLR] = {0};
    memcpy(head + 2, user, strlen(user));
    little_put(head + 18, record, 2);
    little_put(head + 20, len, 2);
    memcpy(head + 22, what, strlen(what));
    TRY(file_write(f, head, sizeof head));
    return file_write(f, bytes, len);
}

/* Extra attributes with a descriptor; undescribed bytes have none and stand last. */
static size_t count_described(const struct las_out *o)
{
    size_t n = 0;
    for (int32_t k = o->n_fields; k < o->n_columns; k++)
        n += o->columns[k].descriptor[2] || o->columns[k].descriptor[3];
    return n;
}

static int write_extra_record(struct file *f, const struct las_out *o)
{
    size_t n = count_described(o), at = 0;
    unsigned char *bytes = memory_alloc(n, LAS_DESCRIPTOR);
    if (!bytes)
        return GLT_ENOMEM;
    for (int32_t k = o->n_fields; k < o->n_columns; k++) {
        const unsigned char *d = o->columns[k].descriptor;
        if (d[2] || d[3])
            memcpy(bytes + LAS_DESCRIPTOR * at++, d, LAS_DESCRIPTOR);
    }
    int code = write_record(f, "LASF_Spec", 4, "Extra Bytes Record", bytes, n * LAS_DESCRIPTOR);
    memory_free(bytes);
    return code;
}

/* Whether the old record describes exactly these attributes: then it is kept with its own header.
 */
static bool same_extra(const struct las_vlr *v, const struct las_out *o)
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
    for (int32_t i = 0; i < 256; i++) {
        const char *name = classes_name(&c->classes, i);
        bytes[16 * i] = (unsigned char)i;
        if (name)
            memcpy(bytes + 16 * i + 1, name, strnlen(name, 15));
    }
    return write_record(f, "LASF_Spec", 0, "Classification", bytes, sizeof bytes);
}

/* The old records with those of extra bytes and classes put anew in their places, or behind. */
static int write_records(const struct glt_cloud *c, struct file *f, const struct las_out *o,
                         uint32_t *count)
{
    const struct note *old = cloud_note(c, "las.vlrs");
    bool extra = count_described(o) > 0, classes = false;
    bool renamed = cloud_note(c, "labels") || cloud_note(c, "classes");
    struct las_vlr v;
    size_t at = 0;
    for (int32_t i = 0; i < 256; i++)
        classes = classes || classes_name(&c->classes, i);
    *count = 0;
    while (old && las_next_vlr(&v, old->bytes, old->len, &at)) {
        if (las_is_extra(&v)) {
            if (!extra)
                continue;
            TRY(same_extra(&v, o) ? file_write(f, v.bytes, v.len) : write_extra_record(f, o));
            extra = false;
        } else if (las_is_classes(&v) && renamed) {
            if (!classes)
                continue;
            TRY(write_class_record(f, c));
            classes = false;
        } else {
            TRY(file_write(f, v.bytes, v.len));
            classes = classes && !las_is_classes(&v);
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
    return old ? file_write(f, old->bytes + at, old->len - at) : 0;
}

static int write_points(struct file *f, const struct las_out *o, int64_t n)
{
    struct field *fields = memory_alloc((size_t)o->n_columns, sizeof *fields);
    unsigned char *rows = memory_alloc(BLOCK, o->record);
    int code = fields && rows ? 0 : GLT_ENOMEM;
    int32_t n_whole = 0;
    for (int32_t k = 0; code == 0 && k < o->n_columns; k++) {
        const struct las_column *x = &o->columns[k];
        if (!x->mask && x->data)
            fields[n_whole++] = (struct field){x->data, x->offset, x->size, 0, 0};
    }
    for (int64_t i = 0; i < n && code == 0; i += BLOCK) {
        int64_t now = n - i < BLOCK ? n - i : BLOCK;
        memset(rows, 0, (size_t)now * o->record);
        rows_join(rows, fields, n_whole, o->record, i, now);
        for (int32_t k = 0; k < o->n_columns; k++) {
            const struct las_column *x = &o->columns[k];
            for (int64_t j = 0; x->mask && x->data && j < now; j++)
                rows[(size_t)j * o->record + x->offset] |=
                    (unsigned char)((x->data[i + j] & x->mask) << x->shift);
        }
        code = file_write(f, rows, (size_t)now * o->record);
    }
    memory_free(fields);
    memory_free(rows);
    return code;
}

static void put_bounds(unsigned char *head, const struct las_out *o, int64_t n)
{
    for (int d = 0; d < 3; d++) {
        const struct las_column *x = &o->columns[d];
        const int32_t *v = (const int32_t *)x->data;
        int32_t min = n ? v[0] : 0, max = min;
        for (int64_t i = 1; i < n; i++) {
            min = v[i] < min ? v[i] : min;
            max = v[i] > max ? v[i] : max;
        }
        double low = min * x->scale + x->offset_value, high = max * x->scale + x->offset_value;
        unsigned char *place = head + 179 + 16 * d;
        /* what stands there is kept when it says the same but for rounding */
        bool same = fabs(las_get_double(place) - high) <= x->scale / 2 &&
                    fabs(las_get_double(place + 8) - low) <= x->scale / 2;
        if (!same) {
            las_put_double(place, high);
            las_put_double(place + 8, low);
        }
    }
}

/* Points and points by return, in the old fields where they fit and in the new ones. */
static void put_counts(unsigned char *head, const struct las_out *o, int64_t n)
{
    uint64_t by_return[16] = {0};
    const struct las_column *r = las_find(o, "return_number");
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

/* The old header in the size of the new version, then the bytes its user put behind it. */
static size_t take_header(unsigned char head[LAS_HEAD_MOST], const struct note *old, int minor)
{
    size_t size = las_header_size(minor);
    if (!old || old->len < 26)
        return size;
    size_t own = las_header_size(old->bytes[25]);
    own = own < old->len ? own : old->len;
    own = own < size ? own : size;
    size_t more = size + old->len - own > LAS_HEAD_MOST ? 0 : old->len - own;
    memcpy(head, old->bytes, own);
    memcpy(head + size, old->bytes + own, more);
    return size + more;
}

/* The header: as it came, or a new one, set to what is written. */
static void make_header(unsigned char head[LAS_HEAD_MOST], size_t *len, const struct glt_cloud *c,
                        const struct las_out *o)
{
    const struct note *old = cloud_note(c, "las.header");
    *len = take_header(head, old, o->minor);
    if (!old) {
        memcpy(head + 26, "OTHER", 5);
        memcpy(head + 58, "gelatto", 7);
    }
    memcpy(head, "LASF", 4);
    head[24] = 1;
    head[25] = (unsigned char)o->minor;
    little_put(head + 94, *len, 2);
    head[104] = (unsigned char)o->format;
    little_put(head + 105, o->record, 2);
    for (int d = 0; d < 3; d++) {
        las_put_double(head + 131 + 8 * d, o->columns[d].scale);
        las_put_double(head + 155 + 8 * d, o->columns[d].offset_value);
    }
    put_bounds(head, o, c->n);
    put_counts(head, o, c->n);
}

/* What stood behind the points moved: the places of EVLRs and waveforms move with it. */
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

static int write_all(const struct glt_cloud *c, struct file *f, const struct las_out *o)
{
    unsigned char head[LAS_HEAD_MOST] = {0};
    size_t len;
    uint32_t records;
    const struct note *behind = cloud_note(c, "las.behind");
    make_header(head, &len, c, o);
    TRY(file_write(f, head, len));
    TRY(write_records(c, f, o, &records));
    uint64_t points_at = (uint64_t)file_offset(f);
    if (points_at > UINT32_MAX)
        return error_set(GLT_ELIMIT, "the LAS records are longer than 4 GiB");
    const struct note *old = cloud_note(c, "las.header");
    /* a count that was wrong before is kept wrong when nothing else changed */
    const struct note *vlrs = cloud_note(c, "las.vlrs");
    if (!old || !vlrs || points_at != little_get(old->bytes + 96, 4))
        little_put(head + 100, records, 4);
    little_put(head + 96, points_at, 4);
    TRY(write_points(f, o, c->n));
    move_places(head, c, (uint64_t)file_offset(f));
    TRY(file_patch(f, 0, head, len));
    return behind ? file_write(f, behind->bytes, behind->len) : 0;
}

/* Records of a coordinate system (GeoTIFF keys or WKT, before the points or behind them) have one
 * user id. They are kept: what they should say instead, nobody knows. */
static void warn_of_projection(const struct glt_cloud *c)
{
    static const char *const places[] = {"las.vlrs", "las.behind"}, user[] = "LASF_Projection";
    bool found = false;
    for (int i = 0; i < 2; i++) {
        const struct note *note = cloud_note(c, places[i]);
        found = found || (note && memmem(note->bytes, note->len, user, sizeof user - 1));
    }
    if (found && cloud_note(c, "moved"))
        log_message(GLT_LOG_WARNING, "the records of the coordinate system are kept, but the "
                                     "coordinates were moved: they may not belong together any "
                                     "more");
}

int las_write(const struct glt_cloud *c, struct file *f, const struct format_options *options)
{
    struct las_out o;
    struct glt_cloud own;
    (void)options;
    warn_of_projection(c);
    TRY(las_renumber(&own, c));
    int code = las_plan(&o, &own);
    if (code == 0)
        code = write_all(&own, f, &o);
    las_plan_free(&o);
    las_renumber_free(&own, c);
    return code;
}
