/* LAZ: every item and version of a chunk, every point format of a file, missing chunk tables,
 * truncation at every length, damage, salvage. tests/peers/laz compares with other programs.
 * `test_laz --corpus FOLDER` writes the inputs of fuzz_laz. */
#include "io_cloud.h"

#include "core/file.h"
#include "core/file_syscall.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "formats/laz_chunk.h"
#include "las_bytes.h"

enum { POINTS = 3000, EXTRA = 5, SMALL = 24 };

/* Encodes n random records of a layout and decodes them again. */
static void round_trip(const struct laz_layout *l, int format, int64_t n)
{
    unsigned char *records = memory_alloc((size_t)n, l->record), *packed,
                  *back = memory_alloc((size_t)n, l->record);
    struct laz_chunk *c;
    size_t len, used;
    las_bytes_records(records, n, l->record, format, (uint64_t)n);
    assert_int_equal(laz_chunk_encode(&packed, &len, l, records, n), 0);
    assert_int_equal(laz_chunk_open(&c, l, packed, len), 0);
    int64_t half = n / 2; /* in two pieces */
    laz_chunk_read(c, back, half);
    laz_chunk_read(c, back + (size_t)half * l->record, n - half);
    assert_int_equal(laz_chunk_close(c, &used), 0);
    assert_int_equal(used, len);
    assert_memory_equal(back, records, (size_t)n * l->record);
    memory_free(records);
    memory_free(packed);
    memory_free(back);
}

static void every_item_of_every_version_comes_back(void **state)
{
    (void)state;
    for (int format = 0; format < LAS_FORMATS; format++)
        for (unsigned version = 1; version <= 3; version++) {
            struct las_field fields[LAS_FIELDS];
            struct laz_layout l;
            size_t base;
            las_layout_fields(fields, format, &base);
            assert_int_equal(laz_chunk_layout(&l, format, base + EXTRA), 0);
            if (l.layered != (version == 3))
                continue;
            for (int i = 0; i < l.n; i++)
                assert_int_equal(laz_chunk_version(&l.items[i], version), 0);
            round_trip(&l, format, 1);
            round_trip(&l, format, 2);
            round_trip(&l, format, POINTS);
        }
}

static void equal_points_take_next_to_nothing(void **state)
{
    (void)state;
    struct laz_layout l;
    enum { N = 50000 };
    unsigned char *records = memory_alloc(N, 30), *packed;
    size_t len;
    assert_int_equal(laz_chunk_layout(&l, 6, 30), 0);
    assert_int_equal(laz_chunk_encode(&packed, &len, &l, records, N), 0);
    assert_true(len < 1000);
    memory_free(records);
    memory_free(packed);
}

static struct glt_cloud *read_bytes(const char *name, const unsigned char *bytes, size_t len)
{
    return read_text(name, (const char *)bytes, len, NULL, 0);
}

/* Writes a cloud as LAZ and returns the bytes. */
static unsigned char *packed_bytes(size_t *len, const struct glt_cloud *c)
{
    char *bytes;
    assert_int_equal(format_write(c, scratch("a.laz"), NULL), 0);
    assert_int_equal(file_read_all(&bytes, len, scratch("a.laz"), 64 << 20), 0);
    return (unsigned char *)bytes;
}

static unsigned char *pack_file(size_t *len, int format, int64_t n, size_t extra)
{
    size_t las_len;
    unsigned char *las = las_bytes(&las_len, format, n, extra);
    struct glt_cloud *c = read_bytes("a.las", las, las_len);
    unsigned char *packed = packed_bytes(len, c);
    cloud_free(c);
    memory_free(las);
    return packed;
}

static void las_to_laz_and_back_is_the_same_file(void **state)
{
    (void)state;
    for (int format = 0; format < LAS_FORMATS; format++) {
        size_t len, packed_len, direct_len, back_len;
        unsigned char *las = las_bytes(&len, format, format % 4 == 3 ? 100001 : 500, 3);
        char *direct, *back;
        struct glt_cloud *c = read_bytes("a.las", las, len), *d;
        assert_int_equal(format_write(c, scratch("direct.las"), NULL), 0);
        unsigned char *packed = packed_bytes(&packed_len, c);
        assert_true(packed_len < len);
        d = read_bytes("a.laz", packed, packed_len);
        assert_int_equal(d->n, c->n);
        assert_int_equal(format_write(d, scratch("back.las"), NULL), 0);
        assert_int_equal(file_read_all(&direct, &direct_len, scratch("direct.las"), 64 << 20), 0);
        assert_int_equal(file_read_all(&back, &back_len, scratch("back.las"), 64 << 20), 0);
        assert_int_equal(back_len, direct_len);
        assert_memory_equal(back, direct, back_len);
        cloud_free(c);
        cloud_free(d);
        memory_free(las);
        memory_free(packed);
        memory_free(direct);
        memory_free(back);
    }
}

static void a_cloud_of_no_points_is_written_and_read(void **state)
{
    (void)state;
    size_t len;
    unsigned char *packed = pack_file(&len, 3, 0, 0);
    struct glt_cloud *c = read_bytes("a.laz", packed, len);
    assert_int_equal(c->n, 0);
    cloud_free(c);
    memory_free(packed);
}

/* Without a chunk table, or with one in a wrong place, chunks are read one after the other. */
static void chunks_without_a_table_are_read(void **state)
{
    (void)state;
    static const int formats[] = {3, 7};
    for (int i = 0; i < 2; i++) {
        size_t len;
        unsigned char *packed = pack_file(&len, formats[i], 120001, 0);
        uint64_t at = little_get(packed + 96, 4), places[] = {0, at, at + 8, 3};
        struct glt_cloud *c = read_bytes("a.laz", packed, len);
        for (int k = 0; k < 4; k++) {
            little_put(packed + at, places[k], 8);
            struct glt_cloud *d = read_bytes("b.laz", packed, len);
            assert_int_equal(c->n, d->n);
            for (int32_t x = 0; x < c->n_columns; x++)
                assert_same_column(&c->columns[x], &d->columns[x], c->n);
            cloud_free(d);
        }
        cloud_free(c);
        memory_free(packed);
    }
}

static int read_code(const unsigned char *bytes, size_t len)
{
    struct glt_cloud *c = NULL;
    struct file *f;
    assert_int_equal(file_open_memory(&f, "cut.laz", bytes, len), 0);
    int code = format_read_file(&c, f, NULL);
    file_close(f);
    if (code == 0)
        cloud_free(c);
    return code;
}

/* The bytes in memory of their own, so that a sanitizer sees every byte beyond. */
static int cut_code(const unsigned char *bytes, size_t len)
{
    unsigned char *copy = memory_alloc(len, 1);
    memcpy(copy, bytes, len);
    int code = read_code(copy, len);
    memory_free(copy);
    return code;
}

static void every_truncation_is_an_error_with_its_chunk(void **state)
{
    (void)state;
    static const int formats[] = {0, 5, 10};
    for (int i = 0; i < 3; i++) {
        size_t len;
        unsigned char *packed = pack_file(&len, formats[i], SMALL, 2);
        uint64_t points = little_get(packed + 96, 4);
        for (size_t cut = 5; cut < len; cut++) {
            assert_int_equal(cut_code(packed, cut), GLT_EFORMAT);
            /* in the header nothing says yet that there are chunks */
            enum glt_place kind = cut >= LAS_HEADER_14 ? GLT_PLACE_CHUNK : GLT_PLACE_BYTE;
            if (glt_error_place(kind) < 0)
                fail_msg("cut at %zu of %zu: %s", cut, len, glt_error_message());
            if (cut >= points)
                assert_int_equal(glt_error_topic(), GLT_TOPIC_TRUNCATED);
        }
        uint64_t table = little_get(packed + points, 8);
        little_put(packed + points, points, 8); /* as an interrupted writer leaves it */
        for (size_t cut = points; cut < table; cut++)
            assert_int_equal(cut_code(packed, cut), GLT_EFORMAT);
        memory_free(packed);
    }
}

/* Every bit: a cloud or an error, no crash, and nothing left behind. */
static void damage_is_an_error_or_another_cloud(void **state)
{
    (void)state;
    static const int formats[] = {1, 8};
    for (int i = 0; i < 2; i++) {
        size_t len;
        unsigned char *packed = pack_file(&len, formats[i], SMALL, 2);
        int64_t before = memory_stats().bytes;
        for (size_t bit = 0; bit < 8 * len; bit++) {
            packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
            int code = read_code(packed, len);
            assert_true(code == 0 || strlen(glt_error_message()) > 10);
            packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        assert_int_equal(memory_stats().bytes, before);
        memory_free(packed);
    }
}

static void unknown_versions_and_many_extra_bytes_are_refused_by_name(void **state)
{
    (void)state;
    struct laz_layout l;
    assert_int_equal(laz_chunk_layout(&l, 6, 30), 0);
    assert_int_equal(laz_chunk_version(&l.items[0], 4), GLT_EUNSUPPORTED);
    assert_int_equal(laz_chunk_layout(&l, 6, 30 + LAZ_EXTRA_MAX + 1), GLT_ELIMIT);
}

/* Damage in chunk 1 of 3, then a cut in it: salvaging gives the others, and what stands before. */
static void salvaging_returns_the_whole_chunks(void **state)
{
    (void)state;
    static const int formats[] = {3, 7};
    for (int i = 0; i < 2; i++) {
        size_t len;
        struct format_options o = {.salvage = true};
        unsigned char *packed = pack_file(&len, formats[i], 120001, 0);
        uint64_t points = little_get(packed + 96, 4), table = little_get(packed + points, 8);
        struct glt_cloud *all = read_bytes("a.laz", packed, len);
        size_t middle = points + (table - points) / 2;
        memset(packed + middle, 0x55, 2000);
        assert_int_equal(read_code(packed, len), GLT_EFORMAT);
        assert_int_equal(glt_error_place(GLT_PLACE_CHUNK), 1);
        struct glt_cloud *c = read_text("b.laz", (char *)packed, len, &o, 0);
        assert_int_equal(c->n, 70001);
        for (int32_t k = 0; k < c->n_columns; k++) {
            size_t size = type_size(c->columns[k].type) * (size_t)c->columns[k].width;
            const unsigned char *a = all->columns[k].data, *b = c->columns[k].data;
            assert_memory_equal(b, a, 50000 * size);
            assert_memory_equal(b + 50000 * size, a + 100000 * size, 20001 * size);
        }
        cloud_free(c);
        c = read_text("b.laz", (char *)packed, middle, &o, 0);
        assert_int_equal(c->n, 50000);
        assert_int_equal(format_write(c, scratch("c.laz"), NULL), 0);
        cloud_free(c);
        cloud_free(all);
        memory_free(packed);
    }
}

/* What the disk does not give is no damage of the file, and nothing is lost of it. */
static void salvaging_reports_a_disk_that_fails(void **state)
{
    (void)state;
    size_t len;
    struct format_options o = {.salvage = true};
    unsigned char *packed = pack_file(&len, 6, 50001, 0);
    uint64_t points = little_get(packed + 96, 4);
    little_put(packed + points, points, 8); /* as an interrupted writer leaves it */
    assert_int_equal(file_put(scratch("disk.laz"), packed, len), 0);
    memory_free(packed);
    int code = GLT_EIO, failed = 0;
    for (; code == GLT_EIO; failed++) {
        struct glt_cloud *c = NULL;
        file_fault(FILE_CALLS, failed + 1, false, FILE_FAULT_ERROR, 0);
        code = format_read(&c, scratch("disk.laz"), &o);
        file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
        assert_true(code < 0 || c->n == 50001);
        cloud_free(c);
    }
    assert_int_equal(code, 0);
    assert_true(failed > 3);
}

/* A file whose items have version 1, as LASzip wrote them before 2011: one chunk, no table. */
static unsigned char *pack_version_1(size_t *len, int format)
{
    size_t newer_len, las_len, base, chunk_len;
    unsigned char *newer = pack_file(&newer_len, format, SMALL, 2), *chunk;
    unsigned char *las = las_bytes(&las_len, format, SMALL, 2);
    struct las_field fields[LAS_FIELDS];
    struct laz_layout l;
    uint64_t points = little_get(newer + 96, 4);
    las_layout_fields(fields, format, &base);
    assert_int_equal(laz_chunk_layout(&l, format, base + 2), 0);
    for (int i = 0; i < l.n; i++)
        assert_int_equal(laz_chunk_version(&l.items[i], 1), 0);
    assert_int_equal(laz_chunk_encode(&chunk, &chunk_len, &l, las + little_get(las + 96, 4), SMALL),
                     0);
    unsigned char *record = memmem(newer, points, "laszip encoded", 14);
    assert_non_null(record);
    for (int i = 0; i < l.n; i++) /* type, size and version of each item */
        little_put(record - 2 + LAS_VLR + 34 + 6 * i + 4, 1, 2);
    *len = points + 8 + chunk_len;
    unsigned char *out = memory_alloc(*len, 1);
    memcpy(out, newer, points);
    little_put(out + points, points, 8);
    memcpy(out + points + 8, chunk, chunk_len);
    memory_free(newer);
    memory_free(las);
    memory_free(chunk);
    return out;
}

static void files_of_item_version_1_are_read(void **state)
{
    (void)state;
    for (int format = 0; format < 6; format++) {
        size_t len, las_len;
        unsigned char *packed = pack_version_1(&len, format);
        unsigned char *las = las_bytes(&las_len, format, SMALL, 2);
        struct glt_cloud *c = read_bytes("a.laz", packed, len),
                         *d = read_bytes("a.las", las, las_len);
        assert_int_equal(c->n, SMALL);
        for (int32_t k = 0; k < c->n_columns; k++)
            assert_same_column(&c->columns[k], &d->columns[k], c->n);
        cloud_free(c);
        cloud_free(d);
        memory_free(packed);
        memory_free(las);
    }
}

/* Files with one number changed, counted from a place in them. */
static int write_lies(const char *folder)
{
    enum { HEAD, RECORD, POINTS_AT, TABLE, PLACES };
    static const struct {
        int format, place, at, n;
        uint64_t value;
    } lies[] = {
        {6, POINTS_AT, 0, 8, UINT64_MAX},
        {6, TABLE, 0, 4, 1},
        {6, TABLE, 4, 4, UINT32_MAX},
        {6, TABLE, 4, 4, 0},
        {6, TABLE, 4, 4, 2},
        {1, TABLE, 8, 4, UINT32_MAX},
        {1, TABLE, 8, 4, 0},
        {1, POINTS_AT, 40, 8, 0},
        {6, POINTS_AT, 60, 8, 0},
        {6, POINTS_AT, 42, 4, UINT32_MAX},
        {1, RECORD, 0, 2, 0},
        {1, RECORD, 0, 2, 1},
        {1, RECORD, 0, 2, 9},
        {1, RECORD, 2, 2, 1},
        {1, RECORD, 12, 4, 7},
        {1, RECORD, 32, 2, 0},
        {1, RECORD, 32, 2, 60000},
        {1, RECORD, 34, 2, 77},
        {1, RECORD, 36, 2, 3},
        {1, RECORD, 38, 2, 4},
        {6, RECORD, 12, 4, UINT32_MAX},
        {6, HEAD, 247, 8, (uint64_t)1 << 40},
        {6, HEAD, 247, 8, 7},
        {6, HEAD, 235, 8, 1},
        {6, HEAD, 243, 4, 9},
        {6, HEAD, 227, 8, 1},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        char path[1024];
        size_t len;
        unsigned char *packed = pack_file(&len, lies[i].format, SMALL, 2);
        uint64_t points = little_get(packed + 96, 4);
        unsigned char *record = memmem(packed, points, "laszip encoded", 14);
        unsigned char *places[PLACES] = {packed, record - 2 + LAS_VLR, packed + points,
                                         packed + little_get(packed + points, 8)};
        little_put(places[lies[i].place] + lies[i].at, lies[i].value, lies[i].n);
        snprintf(path, sizeof path, "%s/lie_%zu", folder, i);
        int code = file_put(path, packed, len);
        memory_free(packed);
        if (code < 0)
            return 1;
    }
    return 0;
}

static int write_corpus(const char *folder)
{
    char path[1024];
    size_t len;
    if (write_lies(folder))
        return 1;
    for (int format = 0; format < 6; format++) {
        unsigned char *packed = pack_version_1(&len, format);
        snprintf(path, sizeof path, "%s/version_1_format_%d", folder, format);
        if (file_put(path, packed, len) < 0)
            return 1;
        memory_free(packed);
    }
    static const int longer[] = {1, 3, 5, 6, 8, 10}; /* more points meet more cases of the models */
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        unsigned char *packed = pack_file(&len, longer[i], 20 * SMALL, 2);
        snprintf(path, sizeof path, "%s/long_format_%d", folder, longer[i]);
        if (file_put(path, packed, len) < 0)
            return 1;
        memory_free(packed);
    }
    for (int format = 0; format < LAS_FORMATS; format++)
        for (int k = 0; k < 3; k++) { /* as it is, without a table, cut */
            unsigned char *packed = pack_file(&len, format, SMALL, 2);
            uint64_t points = little_get(packed + 96, 4);
            if (k == 1)
                little_put(packed + points, points, 8);
            /* those with an extension are also for test_io_hostile */
            const char *end = k == 0 && (format == 1 || format == 7) ? ".laz" : "";
            snprintf(path, sizeof path, "%s/format_%d_%d%s", folder, format, k, end);
            if (file_put(path, packed, k == 2 ? len - 20 : len) < 0)
                return 1;
            memory_free(packed);
        }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_of_every_version_comes_back),
        cmocka_unit_test(equal_points_take_next_to_nothing),
        cmocka_unit_test(las_to_laz_and_back_is_the_same_file),
        cmocka_unit_test(a_cloud_of_no_points_is_written_and_read),
        cmocka_unit_test(chunks_without_a_table_are_read),
        cmocka_unit_test(every_truncation_is_an_error_with_its_chunk),
        cmocka_unit_test(files_of_item_version_1_are_read),
        cmocka_unit_test(damage_is_an_error_or_another_cloud),
        cmocka_unit_test(salvaging_returns_the_whole_chunks),
        cmocka_unit_test(salvaging_reports_a_disk_that_fails),
        cmocka_unit_test(unknown_versions_and_many_extra_bytes_are_refused_by_name),
    };
    if (argc == 3 && !strcmp(argv[1], "--corpus"))
        return write_corpus(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
