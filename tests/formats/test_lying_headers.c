/* Headers that lie: counts, sizes and offsets up to 2^64 - 1 in every format, in files of a few
 * megabytes on the disk. Each is refused with the right kind of error after reading less than 1 MiB
 * and asking for less than 16 MiB.
 * labels: quick */
#include "errors.h"
#include "io_cloud.h"

#include "core/file.h"
#include "core/file_syscall.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "model/model_file.h"

#include <unistd.h>

enum { PAD = 3 << 20, READ_MAX = 1 << 20, MEMORY_MAX = 16 << 20, POINTS = 150000 };

static int refused; /* cases so far */

static int read_cloud(const char *path)
{
    struct glt_cloud *c = NULL;
    int code = format_read(&c, path, NULL);
    if (code == 0)
        cloud_free(c);
    return code;
}

static int read_model(const char *path)
{
    struct model *m = NULL;
    int code = model_load(&m, path);
    if (code == 0)
        model_free(m);
    return code;
}

/* Reads scratch(name) and checks how it is refused. */
static void refuse(const char *name, const char *what, int want)
{
    const char *path = scratch(name), *dot = strrchr(name, '.');
    int64_t bytes = file_bytes_read(), before = memory_stats().bytes;
    memory_peak_reset();
    int code = strcmp(dot, ".safetensors") ? read_cloud(path) : read_model(path);
    bytes = file_bytes_read() - bytes;
    int64_t peak = memory_stats().peak - before;
    if (code != want || bytes >= READ_MAX || peak >= MEMORY_MAX)
        fail_msg("%s, %s: code %d instead of %d (%s), %lld bytes read, %lld asked for", name, what,
                 code, want, code < 0 ? glt_error_message() : "it was read", (long long)bytes,
                 (long long)peak);
    assert_int_equal(memory_stats().bytes, before);
    assert_true(glt_error_topic() != GLT_TOPIC_NONE);
    assert_true(*glt_error_file());
    refused++;
}

static void store(const char *name, const void *bytes, size_t len, int64_t pad)
{
    struct file *f;
    assert_int_equal(file_create_as(&f, scratch(name), FILE_MODEL), 0);
    assert_int_equal(file_write(f, bytes, len), 0);
    assert_int_equal(file_commit(f), 0);
    assert_int_equal(truncate(scratch(name), (off_t)len + pad), 0);
}

#define PLY_XYZ "property float x\nproperty float y\nproperty float z\n"
#define PCD     "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"

/* Counts as text, in every place where one stands. */
static void lying_counts_in_texts_are_refused(void **state)
{
    (void)state;
    static const char *const counts[] = {"2147483648",          "4294967295",
                                         "1099511627776",       "9223372036854775807",
                                         "9223372036854775808", "18446744073709551615"};
    static const struct {
        const char *name, *text;
    } places[] = {
        {"a.ply", "ply\nformat ascii 1.0\nelement vertex %s\n" PLY_XYZ "end_header\n1 2 3\n"},
        {"b.ply",
         "ply\nformat binary_little_endian 1.0\nelement vertex %s\n" PLY_XYZ "end_header\n"},
        {"c.ply", "ply\nformat binary_big_endian 1.0\nelement face %s\nproperty list uchar int "
                  "vertex_indices\nelement vertex 1\n" PLY_XYZ "end_header\n"},
        {"d.ply", "ply\nformat ascii 1.0\nelement camera %s\nproperty float f\n"
                  "element vertex 1\n" PLY_XYZ "end_header\n1\n1 2 3\n"},
        {"a.pcd", PCD "WIDTH %s\nHEIGHT 1\nDATA ascii\n1 2 3\n"},
        {"b.pcd", PCD "POINTS %s\nDATA binary\n"},
        {"c.pcd", PCD "WIDTH 3\nHEIGHT %s\nDATA binary\n"},
        {"d.pcd", PCD "POINTS %s\nDATA binary_compressed\n\1\1\1\1\1\1\1\1"},
        {"e.pcd", "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 %s\n"
                  "POINTS 7\nDATA binary\n"},
        {"a.off", "OFF\n%s 1 0\n0 0 0\n"},
        {"b.off", "OFF%s 1 0\n0 0 0\n"},
        {"c.off", "OFF\n1 %s 0\n0 0 0\n"},
        {"a.ptx", "%s\n1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n"},
        {"b.ptx", "9\n%s\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n"},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            char text[512];
            int len = 0;
            const char *at = strstr(places[i].text, "%s");
            len = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - places[i].text),
                           places[i].text, counts[k], at + 2);
            store(places[i].name, text, (size_t)len, PAD);
            refuse(places[i].name, counts[k], GLT_EFORMAT);
        }
}

static void put(unsigned char *dst, uint64_t v, int n)
{
    for (int i = 0; i < n; i++, v >>= 8)
        dst[i] = (unsigned char)v;
}

static void lying_npy_headers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        int want;
    } shapes[] = {
        {"(4294967295, 3)", GLT_EFORMAT},          {"(1099511627776, 3)", GLT_EFORMAT},
        {"(9223372036854775807, 3)", GLT_EFORMAT}, {"(18446744073709551615, 3)", GLT_EFORMAT},
        {"(3074457345618258603, 3)", GLT_EFORMAT}, {"(4294967296, 4294967296)", GLT_EFORMAT},
        {"(3, 1099511627776)", GLT_EDATA}, /* no table of points, whatever is in it */
        {"(2147483648, 2147483648)", GLT_EDATA},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char bytes[256] = "\x93NUMPY\1";
        int len = snprintf(bytes + 10, sizeof bytes - 10,
                           "{'descr': '<f4', 'fortran_order': %s, 'shape': %s, }\n",
                           i % 2 ? "True" : "False", shapes[i].shape);
        put((unsigned char *)bytes + 8, (uint64_t)len, 2);
        store("a.npy", bytes, (size_t)len + 10, PAD);
        refuse("a.npy", shapes[i].shape, shapes[i].want);
    }
    store("b.npy", "\x93NUMPY\2\0\xff\xff\xff\xff{", 13, PAD);
    refuse("b.npy", "a header of 2^32 - 1 bytes", GLT_ELIMIT);
    store("c.npy", "\x93NUMPY\3\0\xff\xff\xff\x7f{", 13, PAD);
    refuse("c.npy", "a header of 2^31 - 1 bytes", GLT_ELIMIT);
}

/* A good file of some megabytes, to be damaged in one place. */
static unsigned char *good_file(const char *name, size_t *len)
{
    struct glt_cloud *c = made_cloud(POINTS, GLT_F32, 0, 1);
    char *bytes;
    assert_int_equal(format_write(c, scratch(name), NULL), 0);
    cloud_free(c);
    assert_int_equal(file_read_all(&bytes, len, scratch(name), 1 << 24), 0);
    assert_true(*len > READ_MAX);
    return (unsigned char *)bytes;
}

/* n bytes at `at` become v, the file is refused, and they are what they were. */
static void lie(const char *name, unsigned char *bytes, size_t len, size_t at, uint64_t v, int n)
{
    unsigned char kept[8];
    char what[64];
    memcpy(kept, bytes + at, (size_t)n);
    put(bytes + at, v, n);
    store(name, bytes, len, 0);
    snprintf(what, sizeof what, "%llx at byte %zu", (unsigned long long)v, at);
    refuse(name, what, GLT_EFORMAT);
    memcpy(bytes + at, kept, (size_t)n);
}

static void lying_las_headers_are_refused(void **state)
{
    (void)state;
    size_t len;
    unsigned char *bytes = good_file("a.las", &len);
    lie("a.las", bytes, len, 94, 65535, 2); /* header size, with the points before its end */
    lie("a.las", bytes, len, 94, 3, 2);
    lie("a.las", bytes, len, 96, UINT32_MAX, 4); /* where the points begin */
    lie("a.las", bytes, len, 96, 1, 4);
    lie("a.las", bytes, len, 100, UINT32_MAX, 4); /* records */
    lie("a.las", bytes, len, 105, 65535, 2);      /* bytes of a point */
    lie("a.las", bytes, len, 105, 0, 2);
    lie("a.las", bytes, len, 107, UINT32_MAX, 4); /* points */
    lie("a.las", bytes, len, 107, POINTS + 1, 4);
    bytes[25] = 4; /* 1.4: the header is longer, and counts in 64 bits */
    put(bytes + 94, 375, 2);
    put(bytes + 96, 375, 4);
    put(bytes + 100, 0, 4);
    memset(bytes + 227, 0, 375 - 227);
    static const uint64_t counts[] = {UINT64_MAX, INT64_MAX,           1ull << 63,
                                      1ull << 40, UINT64_MAX / 20 + 1, POINTS + 1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        lie("a.las", bytes, len, 247, counts[i], 8);
    memory_free(bytes);
}

static size_t find(const unsigned char *bytes, size_t len, const char *word, size_t n)
{
    const unsigned char *at = memmem(bytes, len, word, n);
    assert_non_null(at);
    return (size_t)(at - bytes);
}

static void lying_laz_headers_are_refused(void **state)
{
    (void)state;
    size_t len;
    unsigned char *bytes = good_file("a.laz", &len);
    size_t points = bytes[96] | (size_t)bytes[97] << 8, record = points - 34 - 6;
    size_t table = bytes[points] | (size_t)bytes[points + 1] << 8 | (size_t)bytes[points + 2] << 16;
    lie("a.laz", bytes, len, 107, POINTS + 1, 4);
    lie("a.laz", bytes, len, 107, 10 * POINTS, 4);
    lie("a.laz", bytes, len, record, 9, 2);          /* the compressor */
    lie("a.laz", bytes, len, record + 2, 1, 2);      /* the coder */
    lie("a.laz", bytes, len, record + 12, 49999, 4); /* points of a chunk */
    lie("a.laz", bytes, len, record + 12, UINT32_MAX - 1, 4);
    lie("a.laz", bytes, len, record + 12, UINT32_MAX, 4);
    lie("a.laz", bytes, len, record + 32, 65535, 2); /* items */
    lie("a.laz", bytes, len, record + 34, 14, 2);
    lie("a.laz", bytes, len, record + 36, 65535, 2);
    lie("a.laz", bytes, len, record + 38, 5, 2);
    lie("a.laz", bytes, len, table + 4, UINT32_MAX, 4); /* chunks */
    lie("a.laz", bytes, len, table + 4, 2, 4);
    put(bytes + 107, UINT32_MAX, 4);
    store("a.laz", bytes, len, 0);
    refuse("a.laz", "2^32 points", GLT_ELIMIT);
    memory_free(bytes);
}

static void lying_npz_headers_are_refused(void **state)
{
    (void)state;
    size_t len;
    unsigned char *bytes = good_file("a.npz", &len);
    size_t entry = find(bytes, len, "PK\1\2", 4), end = find(bytes, len, "PK\5\6", 4);
    size_t wide = find(bytes, len, "PK\6\6", 4), locator = find(bytes, len, "PK\6\7", 4);
    for (size_t at = 32; at <= 48; at += 8) { /* members, bytes and place of the directory */
        lie("a.npz", bytes, len, wide + at, UINT64_MAX, 8);
        lie("a.npz", bytes, len, wide + at, INT64_MAX, 8);
    }
    lie("a.npz", bytes, len, locator + 8, UINT64_MAX, 8); /* where that record is */
    lie("a.npz", bytes, len, locator + 8, len, 8);
    /* the old end record, without that one */
    memset(bytes + locator, 0, 4);
    memcpy(bytes + end + 10, bytes + wide + 32, 2);
    memcpy(bytes + end + 12, bytes + wide + 40, 4);
    memcpy(bytes + end + 16, bytes + wide + 48, 4);
    store("a.npz", bytes, len, 0);
    assert_int_equal(read_cloud(scratch("a.npz")), 0);
    lie("a.npz", bytes, len, end + 10, 65535, 2);
    lie("a.npz", bytes, len, end + 12, UINT32_MAX, 4);
    lie("a.npz", bytes, len, end + 16, UINT32_MAX, 4);
    /* a member: packed and unpacked size, place, name, extra field */
    lie("a.npz", bytes, len, entry + 20, UINT32_MAX - 1, 4);
    lie("a.npz", bytes, len, entry + 24, UINT32_MAX - 1, 4);
    lie("a.npz", bytes, len, entry + 42, UINT32_MAX - 1, 4);
    lie("a.npz", bytes, len, entry + 28, 65535, 2);
    lie("a.npz", bytes, len, entry + 30, 65535, 2);
    bytes[entry + 10] = 8; /* deflated: so few bytes cannot inflate to this size */
    lie("a.npz", bytes, len, entry + 24, UINT32_MAX - 1, 4);
    bytes[entry + 10] = 0;
    size_t shape = find(bytes, len, "(150000,", 8);
    lie("a.npz", bytes, len, shape + 1, '9', 1);
    memory_free(bytes);
}

static void lying_lengths_in_bodies_are_refused(void **state)
{
    (void)state;
    static const char *const types[] = {"uint", "int", "int64", "uint64"};
    for (int i = 0; i < 4; i++) {
        char text[512];
        int len = snprintf(text, sizeof text,
                           "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list "
                           "%s float v\nelement vertex 1\n" PLY_XYZ "end_header\n",
                           types[i]);
        memset(text + len, 0xff, 8);
        memset(text + len + 8, 0, 12);
        if (i == 2)
            text[len + 7] = 0x7f;
        store("l.ply", text, (size_t)len + 20, PAD);
        refuse("l.ply", types[i], GLT_EFORMAT);
    }
    /* what LZF would have to do */
    static const uint32_t sizes[][2] = {{UINT32_MAX, 36}, {12, UINT32_MAX}, {12, 36000000}};
    for (int i = 0; i < 3; i++) {
        char text[256];
        int len = snprintf(text, sizeof text, PCD "POINTS %u\nDATA binary_compressed\n",
                           sizes[i][1] / 12);
        put((unsigned char *)text + len, sizes[i][0], 4);
        put((unsigned char *)text + len + 4, sizes[i][1], 4);
        store("l.pcd", text, (size_t)len + 8, PAD);
        refuse("l.pcd", "sizes of a packed body", GLT_EFORMAT);
    }
    /* a scan of 1000 points and labels of another */
    float none[4000] = {0};
    store("k.bin", none, sizeof none, 0);
    store("k.label", none, 999, 0);
    refuse("k.bin", "labels of another scan", GLT_EFORMAT);
    static const char *const meshes[] = {"f 1 2 9223372036854775807\n",
                                         "f 1 2 -9223372036854775808\n",
                                         "f 1 2 18446744073709551616\n"};
    for (int i = 0; i < 3; i++) {
        char text[128];
        int len = snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\n%s", meshes[i]);
        store("m.obj", text, (size_t)len, 0);
        refuse("m.obj", meshes[i], GLT_EFORMAT);
    }
}

static void lying_model_headers_are_refused(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {UINT64_MAX, INT64_MAX,  1ull << 63,
                                       1ull << 40, 1ull << 32, (8 << 20) + 1};
    unsigned char head[256] = {0};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        put(head, lengths[i], 8);
        store("a.safetensors", head, 16, PAD);
        refuse("a.safetensors", "length of the header", GLT_EFORMAT);
    }
    static const char *const tensors[] = {
        "\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]",
        "\"shape\":[9223372036854775807],\"data_offsets\":[0,9223372036854775804]",
        "\"shape\":[2305843009213693951],\"data_offsets\":[0,9223372036854775804]",
        "\"shape\":[18446744073709551615],\"data_offsets\":[0,4]",
        "\"shape\":[1,1,1,1,1],\"data_offsets\":[0,4]",
    };
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        int len = snprintf((char *)head + 8, sizeof head - 8, "{\"a\":{\"dtype\":\"F32\",%s}}",
                           tensors[i]);
        put(head, (uint64_t)len, 8);
        store("b.safetensors", head, (size_t)len + 8, PAD);
        refuse("b.safetensors", tensors[i], GLT_EFORMAT);
    }
}

static int there_were_many(void **state)
{
    (void)state;
    print_message("%d lying headers refused\n", refused);
    return refused >= 60 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lying_counts_in_texts_are_refused),
        cmocka_unit_test(lying_npy_headers_are_refused),
        cmocka_unit_test(lying_las_headers_are_refused),
        cmocka_unit_test(lying_laz_headers_are_refused),
        cmocka_unit_test(lying_npz_headers_are_refused),
        cmocka_unit_test(lying_model_headers_are_refused),
        cmocka_unit_test(lying_lengths_in_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, there_were_many);
}
