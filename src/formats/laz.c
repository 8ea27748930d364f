/* LAZ files: see laz.h.
 *
 * Reference: M. Isenburg, "LASzip: lossless compression of LiDAR data", 2013. The record of user
 * "laszip encoded" names compressor, chunk size and items. The points begin with the offset of the
 * chunk table, which follows the chunks: the size of each, and the number of points if these
 * differ, as a stream of differences. A writer that was interrupted leaves no table; the chunks
 * then follow each other. */
#include "formats/laz.h"

#include "core/arena.h"
#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "formats/las_layout.h"
#include "formats/laz_arith.h"
#include "formats/laz_items.h"
#include "formats/little.h"
#include "formats/rows.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

enum {
    RECORD = 22204,   /* of user "laszip encoded" */
    RECORD_HEAD = 34, /* its bytes before the items */
    ITEM = 6,         /* bytes of an item there */
    POINTWISE = 1,    /* compressors */
    CHUNKED = 2,
    LAYERED = 3,
    TABLE_HEAD = 8,        /* version and number of chunks */
    TABLE_ENTRY = 16,      /* bytes of an entry at most */
    BLOCK_BYTES = 1 << 16, /* records decoded at a time */
    EXPANSION = 4          /* a chunk is at most this many times as long as its records, */
};
#define CHUNK_SPARE 65536 /* and a little */

/* --- the record --- */

bool laz_is_record(const struct las_vlr *v)
{
    return v->record == RECORD && strncmp(v->user, "laszip encoded", 16) == 0;
}

/* The items must be those of the point format, so that their records are LAS records. */
static int read_items(struct laz *z, const unsigned char *bytes, unsigned n, int format,
                      const char *name)
{
    for (int i = 0; i < z->layout.n; i++) {
        struct laz_item *item = &z->layout.items[i];
        const unsigned char *p = bytes + ITEM * i;
        if (i >= (int)n || little_get16(p) != item->type || little_get16(p + 2) != item->size)
            return error_in(GLT_EFORMAT, name,
                            "the LAZ items do not fit point format %d with records of %zu "
                            "bytes: the header is damaged",
                            format, z->layout.record);
        int code = laz_chunk_version(item, little_get16(p + 4));
        if (code < 0)
            return error_prefix_file(code, name);
    }
    if ((int)n != z->layout.n)
        return error_in(GLT_EFORMAT, name, "%u LAZ items instead of %d for point format %d", n,
                        z->layout.n, format);
    return 0;
}

static int read_record(struct laz *z, const struct las_vlr *v, int format, size_t record,
                       const char *name)
{
    const unsigned char *bytes = v->bytes + LAS_VLR;
    size_t len = v->len - LAS_VLR;
    unsigned n = len >= RECORD_HEAD ? little_get16(bytes + 32) : 0;
    if (len < RECORD_HEAD || len < RECORD_HEAD + (size_t)n * ITEM)
        return error_in(GLT_EFORMAT, name, "the record of the LAZ compression is cut short");
    z->compressor = little_get16(bytes);
    z->chunk_points = little_get32(bytes + 12);
    if (z->chunk_points == UINT32_MAX || z->compressor == POINTWISE)
        z->chunk_points = 0;
    if (z->compressor < POINTWISE || z->compressor > LAYERED)
        return error_in(GLT_EFORMAT, name, "LAZ compressor %u is not known; 1 to 3 are read",
                        z->compressor);
    if (little_get16(bytes + 2) != 0)
        return error_in(GLT_EFORMAT, name, "LAZ coder %d is not known; 0, the range coder, is read",
                        little_get16(bytes + 2));
    int code = laz_chunk_layout(&z->layout, format, record);
    if (code < 0)
        return error_prefix_file(code, name);
    if (z->layout.layered != (z->compressor == LAYERED))
        return error_in(GLT_EFORMAT, name, "LAZ compressor %u does not fit point format %d",
                        z->compressor, format);
    return read_items(z, bytes + RECORD_HEAD, n, format, name);
}

int laz_read_record(struct laz *z, const struct las_vlr *v, int format, size_t record,
                    const char *name)
{
    int code = read_record(z, v, format, record, name);
    return code == GLT_EFORMAT ? error_topic(code, GLT_TOPIC_VALUE, NULL) : code;
}

/* --- chunks without a table --- */

/* The bytes of a layered chunk, from its head, and its points if chunks differ. GLT_EFORMAT if
 * bytes are missing. */
static int measure_layers(struct laz *z, struct laz_span *s, struct file *f)
{
    size_t layers = 0, head;
    for (int i = 0; i < z->layout.n; i++) {
        const struct laz_kind *kind = z->layout.items[i].kind;
        layers +=
            kind->layers == LAZ_LAYER_PER_BYTE ? z->layout.items[i].size : (size_t)kind->layers;
    }
    head = z->layout.record + 4 + 4 * layers;
    s->bytes = (int64_t)head;
    uint32_t value;
    TRY(file_seek(f, s->offset));
    TRY(file_skip(f, (int64_t)z->layout.record));
    TRY(file_read_u32le(f, &value));
    if (!z->chunk_points)
        s->n = value;
    for (size_t i = 0; i < layers; i++) {
        TRY(file_read_u32le(f, &value));
        s->bytes += value;
    }
    bool fits = s->n > 0 && s->n <= z->n - s->first && s->bytes <= file_size(f) - s->offset;
    return fits ? 0 : GLT_EFORMAT;
}

/* Adds the place to the stored error: chunk i (from 0) and a byte. */
static int in_chunk(int code, int64_t i, int64_t offset, const struct file *f)
{
    error_prefix(code, "chunk %" PRId64 " (from byte %" PRId64 "): ", i, offset);
    error_prefix_file(code, file_name(f));
    error_topic(code, GLT_TOPIC_TRUNCATED, "chunks");
    error_place(code, GLT_PLACE_BYTE, offset);
    return error_place(code, GLT_PLACE_CHUNK, i);
}

/* Finds chunks without a table: all of them if they are layered, else only the first; decoding
 * finds the others. */
static int scan_chunks(struct call *call, struct laz *z, struct file *f)
{
    struct laz_span *spans = NULL;
    int64_t at = z->points_at + (z->compressor == POINTWISE ? 0 : 8), first = 0, n = 0;
    int code = 0;
    while (code == 0 && first < z->n) {
        int64_t left = z->n - first;
        int64_t points = z->chunk_points && z->chunk_points < left ? z->chunk_points : left;
        code = array_reserve(&spans, n, 1, sizeof *spans);
        if (code < 0)
            break;
        spans[n] = (struct laz_span){.offset = at, .first = first, .n = points};
        /* at least its first point is stored */
        if (at + (n + 1) * (int64_t)z->layout.record > file_size(f))
            code = GLT_EFORMAT;
        else if (z->layout.layered)
            code = measure_layers(z, &spans[n], f);
        if (code == GLT_EFORMAT)
            in_chunk(error_set(code, "it is cut short or damaged"), n, at, f);
        at += spans[n].bytes;
        first += spans[n].n;
        n += code == 0;
    }
    z->spans = call_keep(call, spans);
    z->n_spans = n;
    z->end = at;
    if (code == GLT_EFORMAT && z->salvage)
        code = 0;
    return code < 0 ? code : n && !z->spans ? GLT_ENOMEM : 0;
}

/* --- the chunk table --- */

static int bad_table(const struct file *f, const char *why)
{
    return error_topic(error_in(GLT_EFORMAT, file_name(f), "chunk table: %s", why),
                       GLT_TOPIC_TRUNCATED, "chunks");
}

/* The offset of the table, which the 8 bytes before the points hold or, from a writer that could
 * not seek back, the last 8 bytes of the file. 0: there is none. */
static int find_table(struct laz *z, struct file *f)
{
    uint64_t at;
    TRY(file_seek(f, z->points_at));
    TRY(file_read_u64le(f, &at));
    if (at == UINT64_MAX && file_left(f) >= 8) {
        TRY(file_seek(f, file_size(f) - 8));
        TRY(file_read_u64le(f, &at));
    }
    bool none = at < (uint64_t)z->points_at + 8 || at > INT64_MAX;
    z->table_at = none ? 0 : (int64_t)at;
    return 0;
}

static int decode_table(struct call *call, struct laz *z, const unsigned char *bytes, size_t *len,
                        uint32_t n)
{
    struct arena measure = arena_measuring(), arena;
    struct laz_integer value = {0};
    struct laz_coder c;
    laz_integer_bind(&value, &measure, 32, 2, false);
    TRY(arena_init(&arena, measure.used));
    laz_integer_bind(&value, &arena, 32, 2, false);
    z->spans = call_alloc(call, n, sizeof *z->spans);
    laz_coder_read(&c, bytes, *len);
    int32_t points = 0, size = 0;
    for (uint32_t i = 0; z->spans && i < n; i++) {
        if (!z->chunk_points)
            points = laz_integer(&c, &value, points, 0, 0, false);
        size = laz_integer(&c, &value, size, 0, 1, false);
        z->spans[i] = (struct laz_span){.bytes = (uint32_t)size, .n = (uint32_t)points};
    }
    arena_free(&arena);
    z->n_spans = n;
    *len = (size_t)(c.at - bytes);
    return !z->spans ? GLT_ENOMEM : c.missing || c.bad ? GLT_EFORMAT : 0;
}

/* Offsets and points of the chunks, which must fill the space before the table. */
static int place_chunks(struct laz *z, const struct file *f)
{
    int64_t at = z->points_at + 8, first = 0;
    for (int64_t i = 0; i < z->n_spans; i++) {
        struct laz_span *s = &z->spans[i];
        int64_t left = z->n - first;
        s->offset = at;
        s->first = first;
        if (z->chunk_points)
            s->n = left < z->chunk_points ? left : z->chunk_points;
        if (s->bytes > z->table_at - at || s->n > left || (s->n && !s->bytes) ||
            (!s->n && z->chunk_points))
            return error_topic(
                error_place(error_in(GLT_EFORMAT, file_name(f),
                                     "chunk table: chunk %" PRId64 " (of %" PRId64
                                     ") should have %" PRId64 " bytes and %" PRId64
                                     " points, but %" PRId64 " and %" PRId64
                                     " are left: the file is damaged",
                                     i, z->n_spans, s->bytes, s->n, z->table_at - at, left),
                            GLT_PLACE_CHUNK, i),
                GLT_TOPIC_VALUE, "chunks");
        at += s->bytes;
        first += s->n;
    }
    if (first != z->n)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "chunk table: the chunks have %" PRId64
                                    " points, but the header declares %" PRId64
                                    ": the file is damaged",
                                    first, z->n),
                           GLT_TOPIC_VALUE, "chunks");
    return 0;
}

static int without_table(struct call *call, struct laz *z, struct file *f)
{
    if (!z->chunk_points && !z->layout.layered)
        return bad_table(f, "it is missing, and chunks of different sizes cannot be read "
                            "without it: the file is cut short");
    return scan_chunks(call, z, f);
}

static int read_table(struct call *call, struct laz *z, struct file *f)
{
    uint32_t version, n;
    TRY(file_seek(f, z->table_at));
    if (file_left(f) < TABLE_HEAD)
        return bad_table(f, "it is cut short");
    TRY(file_read_u32le(f, &version));
    TRY(file_read_u32le(f, &n));
    if (version != 0) {
        log_warning(GLT_TOPIC_MISSING, NULL,
                    "%s: the chunk table is not where it should be: the chunks are read one after "
                    "the other",
                    file_name(f));
        z->table_at = 0;
        return without_table(call, z, f);
    }
    if (n > (uint64_t)(z->table_at - z->points_at) / z->layout.record + 1)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "chunk table: %" PRIu32 " chunks do not fit into %" PRId64
                                    " bytes",
                                    n, z->table_at - z->points_at),
                           GLT_TOPIC_VALUE, "chunks");
    z->end = z->table_at + TABLE_HEAD;
    if (n == 0)
        return z->n ? bad_table(f, "it is empty, though the header declares points") : 0;
    int64_t at = file_offset(f), left = file_left(f);
    size_t len = left < (int64_t)n * TABLE_ENTRY ? (size_t)left : (size_t)n * TABLE_ENTRY;
    void *space = call_alloc(call, len, 1);
    const unsigned char *bytes;
    if (!space)
        return GLT_ENOMEM;
    TRY(file_read_at(&bytes, space, f, at, len));
    int code = decode_table(call, z, bytes, &len, n);
    if (code == GLT_EFORMAT)
        return bad_table(f, "it is cut short or damaged");
    TRY(code);
    z->end = at + (int64_t)len;
    return place_chunks(z, f);
}

/* --- reading --- */

int laz_check_count(const struct laz *z, const struct file *f)
{
    uint64_t bytes = (uint64_t)file_size(f), record = z->layout.record;
    uint64_t max = bytes < INT64_MAX / LAZ_RATIO ? bytes * LAZ_RATIO + LAZ_BASE : INT64_MAX;
    if ((uint64_t)z->n > max / record)
        return error_topic(error_in(GLT_ELIMIT, file_name(f),
                                    "the header declares %" PRId64
                                    " points of %zu bytes: more than %d "
                                    "times the bytes of the file are not unpacked",
                                    z->n, z->layout.record, LAZ_RATIO),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    return 0;
}

int laz_find_chunks(struct call *call, struct laz *z, struct file *f)
{
    TRY(laz_check_count(z, f));
    z->end = z->points_at;
    if (z->n == 0)
        return 0;
    if (z->compressor == POINTWISE)
        return scan_chunks(call, z, f);
    if (file_size(f) - z->points_at < 8)
        return in_chunk(error_set(GLT_EFORMAT, "it is missing"), 0, z->points_at + 8, f);
    TRY(find_table(z, f));
    if (z->table_at && z->table_at < file_size(f)) {
        int code = read_table(call, z, f);
        if (code != GLT_EFORMAT || !z->salvage)
            return code;
    }
    return without_table(call, z, f);
}

struct job {
    struct laz *z;
    const struct file *f;
    const struct field *fields;
    int32_t n_fields;
    _Atomic int64_t failed; /* the first chunk that failed */
};

static int decode_records(const struct job *j, struct laz_chunk *c, const struct laz_span *s)
{
    size_t record = j->z->layout.record;
    int64_t block = record < BLOCK_BYTES ? (int64_t)(BLOCK_BYTES / record) : 1;
    unsigned char *rows = memory_alloc_raw((size_t)block, record);
    if (!rows)
        return GLT_ENOMEM;
    /* a false count costs no more time than the bytes of the chunk */
    for (int64_t i = 0; i < s->n && !laz_chunk_is_damaged(c); i += block) {
        int64_t now = s->n - i < block ? s->n - i : block;
        laz_chunk_read(c, rows, now);
        rows_split(j->fields, j->n_fields, rows, record, s->first + i, now);
    }
    memory_free(rows);
    return 0;
}

static int decode_bytes(const struct job *j, struct laz_span *s, const unsigned char *bytes,
                        size_t len)
{
    struct laz_chunk *c;
    size_t used;
    TRY(laz_chunk_open(&c, &j->z->layout, bytes, len));
    int code = decode_records(j, c, s);
    int closed = laz_chunk_close(c, &used);
    TRY(code);
    TRY(closed);
    if (s->bytes && used != (size_t)s->bytes)
        return error_set(GLT_EFORMAT,
                         "its points end after %zu of %" PRId64 " bytes: it is damaged", used,
                         s->bytes);
    s->bytes = (int64_t)used;
    return 0;
}

/* Decodes chunk i. If its size is unknown, it is given the maximum number of bytes. */
static int decode_chunk(const struct job *j, int64_t i)
{
    struct laz_span *s = &j->z->spans[i];
    int64_t left = file_size(j->f) - s->offset, len = s->bytes;
    if (s->n == 0)
        return 0;
    if (len == 0)
        len = EXPANSION * s->n * (int64_t)j->z->layout.record + CHUNK_SPARE;
    len = len < left ? len : left;
    unsigned char *space = memory_alloc_raw((size_t)len, 1);
    const unsigned char *bytes;
    if (!space)
        return GLT_ENOMEM;
    int code = file_read_at(&bytes, space, j->f, s->offset, (size_t)len);
    if (code == 0) {
        code = decode_bytes(j, s, bytes, (size_t)len);
        if (code < 0)
            in_chunk(code, i, s->offset, j->f);
    }
    memory_free(space);
    return code;
}

static void decode_chunks(void *user, int64_t begin, int64_t end)
{
    struct job *j = user;
    for (int64_t i = begin; i < end; i++) {
        int code = decode_chunk(j, i);
        if (code == 0)
            continue;
        j->z->spans[i].lost = code == GLT_EFORMAT && j->z->salvage;
        if (j->z->spans[i].lost)
            continue;
        int64_t first = atomic_load(&j->failed);
        while (i < first && !atomic_compare_exchange_weak(&j->failed, &first, i))
            ;
    }
}

/* Chunks whose offsets are known only by decoding: after a lost one no other can be found. */
static int decode_in_turn(const struct job *j)
{
    struct laz *z = j->z;
    for (int64_t i = 0; i < z->n_spans; i++) {
        struct laz_span *s = &z->spans[i];
        if (i > 0)
            s->offset = s[-1].offset + s[-1].bytes;
        int code = decode_chunk(j, i);
        if (code == GLT_EFORMAT && z->salvage) {
            for (; i < z->n_spans; i++)
                z->spans[i].lost = true;
            return 0;
        }
        TRY(code);
        z->end = s->offset + s->bytes;
    }
    return 0;
}

int laz_read(struct laz *z, const struct file *f, const struct field *fields, int32_t n_fields)
{
    struct job j = {z, f, fields, n_fields, INT64_MAX};
    if (z->n_spans && z->spans[0].bytes == 0)
        TRY(decode_in_turn(&j));
    else
        parallel_for(z->n_spans, 1, decode_chunks, &j);
    if (j.failed < INT64_MAX) /* repeat it, so that this thread has the message */
        TRY(decode_chunk(&j, j.failed));
    if (z->table_at >= file_size(f) && !z->salvage)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "chunk table: it should begin at byte %" PRId64
                                    ", but the file ends at %" PRId64 ": it is cut short",
                                    z->table_at, file_size(f)),
                           GLT_TOPIC_TRUNCATED, "chunks");
    return 0;
}

int64_t laz_close_gaps(const struct laz *z, unsigned char *data, size_t size)
{
    int64_t left = 0;
    for (int64_t i = 0; i < z->n_spans; i++) {
        const struct laz_span *s = &z->spans[i];
        if (s->lost)
            continue;
        memmove(data + (size_t)left * size, data + (size_t)s->first * size, (size_t)s->n * size);
        left += s->n;
    }
    return left;
}

void laz_report_lost(const struct laz *z, int64_t left, const struct file *f)
{
    int64_t lost = 0, first = -1;
    for (int64_t i = 0; i < z->n_spans; i++) {
        lost += z->spans[i].lost;
        first = first < 0 && z->spans[i].lost ? i : first;
    }
    if (left == z->n)
        return;
    first = first < 0 ? z->n_spans : first;
    log_warning(GLT_TOPIC_TRUNCATED, NULL,
                "%s: %" PRId64 " of %" PRId64 " points are lost, the first with chunk %" PRId64
                " (whole chunks: %" PRId64 ")",
                file_name(f), z->n - left, z->n, first, z->n_spans - lost);
}
