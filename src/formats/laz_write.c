/* Writing compressed points: see laz_write.h; laz.c describes the file. A few chunks at a time are
 * encoded by all threads and written in order. */
#include "formats/laz_write.h"

#include "core/arena.h"
#include "core/array.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "formats/las_layout.h"
#include "formats/laz_arith.h"
#include "formats/little.h"

#include <string.h>

enum {
    CHUNK_POINTS = 50000,
    BATCH = 16, /* chunks encoded before they are written */
    RECORD = 22204,
    RECORD_HEAD = 34,
    ITEM = 6
};

int laz_write_record(struct file *f, const struct laz_layout *l)
{
    unsigned char bytes[LAS_VLR + RECORD_HEAD + LAZ_ITEMS_MAX * ITEM] = {0};
    unsigned char *p = bytes + LAS_VLR;
    size_t len = RECORD_HEAD + (size_t)l->n * ITEM;
    memcpy(bytes + 2, "laszip encoded", 14);
    little_put16(bytes + 18, RECORD);
    little_put16(bytes + 20, (uint16_t)len);
    memcpy(bytes + 22, "LAZ compression", 15);
    little_put16(p, l->layered ? 3 : 2); /* the compressor: in chunks, in layers or not */
    p[4] = 3;                            /* as LASzip 3.4 writes */
    p[5] = 4;
    little_put32(p + 12, CHUNK_POINTS);
    little_put64(p + 16, UINT64_MAX); /* no special records */
    little_put64(p + 24, UINT64_MAX);
    little_put16(p + 32, (uint16_t)l->n);
    for (int i = 0; i < l->n; i++) {
        unsigned char *item = p + RECORD_HEAD + ITEM * i;
        little_put16(item, l->items[i].type);
        little_put16(item + 2, l->items[i].size);
        little_put16(item + 4, l->items[i].version);
    }
    return file_write(f, bytes, LAS_VLR + len);
}

struct job {
    const struct laz_layout *layout;
    laz_rows_fn *fn;
    const void *user;
    int64_t first, n; /* points of the batch, and of all */
    unsigned char *bytes[BATCH];
    size_t lens[BATCH];
    int codes[BATCH];
};

/* Chunk i of the batch. */
static int encode_chunk(struct job *j, int64_t i)
{
    int64_t first = j->first + i * CHUNK_POINTS;
    int64_t n = j->n - first < CHUNK_POINTS ? j->n - first : CHUNK_POINTS;
    unsigned char *rows = memory_alloc_raw((size_t)n, j->layout->record);
    if (!rows)
        return GLT_ENOMEM;
    j->fn(rows, first, n, j->user);
    int code = laz_chunk_encode(&j->bytes[i], &j->lens[i], j->layout, rows, n);
    memory_free(rows);
    return code;
}

static void encode_chunks(void *user, int64_t begin, int64_t end)
{
    struct job *j = user;
    for (int64_t i = begin; i < end; i++)
        j->codes[i] = encode_chunk(j, i);
}

/* Writes the next chunks and appends their sizes to *sizes (*n_sizes). */
static int write_batch(struct file *f, struct job *j, uint32_t **sizes, int64_t *n_sizes)
{
    int64_t chunks = parallel_chunks(j->n - j->first, CHUNK_POINTS);
    int code = 0;
    chunks = chunks < BATCH ? chunks : BATCH;
    memset(j->bytes, 0, sizeof j->bytes);
    parallel_for(chunks, 1, encode_chunks, j);
    for (int64_t i = 0; i < chunks; i++) {
        if (code == 0)
            code = j->codes[i] == GLT_ENOMEM /* the message may be in another thread */
                       ? error_set(GLT_ENOMEM, "out of memory for a chunk of LAZ")
                       : j->codes[i];
        if (code == 0)
            code = array_reserve(sizes, *n_sizes, 1, sizeof **sizes);
        if (code == 0) {
            (*sizes)[(*n_sizes)++] = (uint32_t)j->lens[i];
            code = file_write(f, j->bytes[i], j->lens[i]);
        }
        memory_free(j->bytes[i]);
    }
    j->first += chunks * CHUNK_POINTS;
    return code;
}

static int encode_table(struct laz_coder *c, const uint32_t *sizes, int64_t n)
{
    struct arena measure = arena_measuring(), arena;
    struct laz_integer value = {0};
    laz_integer_bind(&value, &measure, 32, 2, true);
    TRY(arena_init(&arena, measure.used));
    laz_integer_bind(&value, &arena, 32, 2, true);
    laz_coder_write(c);
    for (int64_t i = 0; i < n; i++)
        laz_integer(c, &value, i ? (int32_t)sizes[i - 1] : 0, (int32_t)sizes[i], 1, true);
    laz_coder_finish(c);
    arena_free(&arena);
    return c->bad ? GLT_ENOMEM : 0;
}

static int write_table(struct file *f, const uint32_t *sizes, int64_t n, int64_t points_at)
{
    unsigned char head[8] = {0}, place[8];
    struct laz_coder c = {0};
    if (n > UINT32_MAX)
        return error_topic(error_set(GLT_ELIMIT, "LAZ has no place for more than 2^32 chunks"),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    little_put64(place, (uint64_t)file_offset(f));
    little_put32(head + 4, (uint32_t)n);
    TRY(file_write(f, head, sizeof head));
    int code = n ? encode_table(&c, sizes, n) : 0;
    if (code == 0 && n)
        code = file_write(f, c.bytes, (size_t)(c.at - c.bytes));
    laz_coder_free(&c);
    return code < 0 ? code : file_patch(f, points_at, place, sizeof place);
}

int laz_write_points(struct file *f, const struct laz_layout *l, int64_t n, laz_rows_fn *fn,
                     const void *user)
{
    struct job j = {.layout = l, .fn = fn, .user = user, .n = n};
    int64_t points_at = file_offset(f), n_sizes = 0;
    uint32_t *sizes = NULL;
    unsigned char place[8] = {0};
    int code = file_write(f, place, sizeof place);
    while (code == 0 && j.first < n)
        code = write_batch(f, &j, &sizes, &n_sizes);
    if (code == 0)
        code = write_table(f, sizes, n_sizes, points_at);
    memory_free(sizes);
    return code;
}
