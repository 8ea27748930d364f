/* What a cloud keeps of a LAZ file: see las_unpacked.h. Records that only the compressed points
 * need are left out: that of LAZ, and the index of COPC, which holds offsets in the file. */
#include "formats/las_unpacked.h"

#include "cloud/cloud.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "formats/las_layout.h"
#include "formats/laz.h"
#include "formats/little.h"

#include <inttypes.h>
#include <string.h>

enum { AT_POINTS = 96, AT_RECORDS = 100, AT_WAVEFORMS = 227, AT_EXTENDED = 235, AT_COUNT = 243 };

/* Header and records while they are changed. */
struct notes {
    unsigned char *head; /* as the file has it, then as LAS */
    size_t head_len;
    int minor;
    uint64_t waveforms, extended; /* their offsets in the file; 0: there are none */
    uint32_t n_extended;
};

static bool is_copc(const unsigned char *user)
{
    return strncmp((const char *)user, "copc", 16) == 0;
}

static int read_head(struct call *call, struct notes *o, const struct glt_cloud *c)
{
    const struct note *note = cloud_note(c, "las.header");
    o->head = call_alloc(call, note->len, 1);
    if (!o->head)
        return GLT_ENOMEM;
    memcpy(o->head, note->bytes, note->len);
    o->head_len = note->len;
    o->minor = o->head[25];
    o->waveforms = o->minor >= 3 ? little_get64(o->head + AT_WAVEFORMS) : 0;
    o->n_extended = o->minor >= 4 ? little_get32(o->head + AT_COUNT) : 0;
    o->extended = o->n_extended ? little_get64(o->head + AT_EXTENDED) : 0;
    return 0;
}

/* The number of points read: fewer than in the file, if some were lost or not requested. */
static void put_count(struct notes *o, int64_t n)
{
    if (little_get32(o->head + 107) || o->minor < 4)
        little_put32(o->head + 107, (uint32_t)n);
    if (o->minor >= 4)
        little_put64(o->head + 247, (uint64_t)n);
}

/* The records before the points, without those of the compression. */
static int keep_records(struct call *call, struct notes *o, struct glt_cloud *c)
{
    const struct note *note = cloud_note(c, "las.vlrs");
    unsigned char *kept = call_alloc(call, note->len, 1);
    uint32_t count = little_get32(o->head + AT_RECORDS);
    struct las_vlr v;
    size_t at = 0, len = 0;
    if (!kept)
        return GLT_ENOMEM;
    while (las_layout_next_vlr(&v, note->bytes, note->len, &at)) {
        if (laz_is_record(&v) || is_copc((const unsigned char *)v.user)) {
            count -= count > 0;
            continue;
        }
        memcpy(kept + len, v.bytes, v.len);
        len += v.len;
    }
    memcpy(kept + len, note->bytes + at, note->len - at);
    len += note->len - at;
    little_put32(o->head + AT_RECORDS, count);
    little_put32(o->head + AT_POINTS, (uint32_t)(o->head_len + len));
    return cloud_set_note(c, "las.vlrs", kept, len);
}

/* The start of the bytes after the points that belong to LAS: a record or the waveforms. */
static uint64_t behind_from(const struct notes *o, uint64_t end, uint64_t size)
{
    uint64_t from = size;
    if (o->extended >= end && o->extended < from)
        from = o->extended;
    if (o->waveforms >= end && o->waveforms < from)
        from = o->waveforms;
    return from;
}

/* Every extended record must be whole; those of COPC are left out. Others keep their order and the
 * bytes between them. */
static int keep_extended(struct notes *o, unsigned char *bytes, size_t *len, uint64_t from,
                         const struct file *f)
{
    uint64_t at = o->extended - from;
    uint32_t declared = o->n_extended;
    for (uint32_t i = 0; i < declared; i++) {
        uint64_t left = at <= *len ? *len - at : 0;
        uint64_t size = left >= LAS_EVLR ? little_get64(bytes + at + 20) : 0;
        if (left < LAS_EVLR || size > left - LAS_EVLR)
            return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                        "after the chunks: extended record %" PRIu32 " of %" PRIu32
                                        " is cut short",
                                        i + 1, declared),
                               GLT_TOPIC_TRUNCATED, NULL);
        size += LAS_EVLR;
        if (!is_copc(bytes + at + 2)) {
            at += size;
            continue;
        }
        memmove(bytes + at, bytes + at + size, (size_t)(left - size));
        *len -= (size_t)size;
        o->n_extended--;
    }
    return 0;
}

static int keep_behind(struct call *call, struct notes *o, struct glt_cloud *c, struct file *f,
                       uint64_t end)
{
    uint64_t size = (uint64_t)file_size(f);
    if (o->extended && (o->extended < end || o->extended > size))
        return error_topic(
            error_in(GLT_EFORMAT, file_name(f),
                     "after the chunks: extended records should begin at byte %" PRIu64
                     ", but the chunks end at %" PRIu64 " and the file at %" PRIu64,
                     o->extended, end, size),
            GLT_TOPIC_TRUNCATED, NULL);
    uint64_t from = behind_from(o, end, size);
    size_t len = (size_t)(size - from);
    unsigned char *bytes = call_alloc(call, len, 1);
    if (!bytes)
        return GLT_ENOMEM;
    TRY(file_seek(f, (int64_t)from));
    TRY(file_read(f, bytes, len));
    if (o->extended)
        TRY(keep_extended(o, bytes, &len, from, f));
    uint64_t now = little_get32(o->head + AT_POINTS) +
                   (uint64_t)c->n * little_get16(o->head + 105); /* the end of the points as LAS */
    if (o->waveforms >= from && o->minor >= 3 && o->waveforms)
        little_put64(o->head + AT_WAVEFORMS, o->waveforms - from + now);
    if (o->minor >= 4 && o->head_len >= LAS_HEADER_14) {
        little_put64(o->head + AT_EXTENDED, o->n_extended ? o->extended - from + now : 0);
        little_put32(o->head + AT_COUNT, o->n_extended);
    }
    return cloud_set_note(c, "las.behind", bytes, len);
}

/* Salvaging: no record after the points. */
static int drop_behind(struct notes *o, struct glt_cloud *c)
{
    log_warning(GLT_TOPIC_MISSING, NULL, "%s: the records after the points are lost",
                cloud_name(c));
    if (o->minor >= 3)
        little_put64(o->head + AT_WAVEFORMS, 0);
    if (o->minor >= 4) {
        little_put64(o->head + AT_EXTENDED, 0);
        little_put32(o->head + AT_COUNT, 0);
    }
    return cloud_set_note(c, "las.behind", "", 0);
}

int las_unpacked_notes(struct call *call, struct glt_cloud *c, struct file *f, int64_t end,
                       bool salvage)
{
    struct notes o = {0};
    TRY(read_head(call, &o, c));
    o.head[104] &= (unsigned char)~LAS_PACKED;
    put_count(&o, c->n);
    TRY(keep_records(call, &o, c));
    int code = keep_behind(call, &o, c, f, (uint64_t)end);
    if (code == GLT_EFORMAT && salvage)
        code = drop_behind(&o, c);
    TRY(code);
    return cloud_set_note(c, "las.header", o.head, o.head_len);
}
