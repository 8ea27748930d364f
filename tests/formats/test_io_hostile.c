/* Every reader against damage: the small files of the fuzz corpus cut at every length, with every
 * bit flipped, with every allocation and every file call failing, once and for ever. The result is
 * a cloud or an error with a message, never a leak, a crash or a half-written file.
 * labels: quick */
#include "errors.h"
#include "io_cloud.h"

#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_syscall.h"
#include "core/memory.h"
#include "formats/format.h"
#include "formats/las_layout.h"
#include "formats/little.h"

static const char *const formats[] = {"ply", "npy", "npz", "text", "pcd", "las", "kitti",
                                      "off", "obj", "stl", "ptx",  "h5",  "laz", "e57"};

struct sample {
    const char *format;
    char path[512];
    char *bytes;
    size_t len;
};

/* Of what is a mesh and nothing else a few points on the surface are enough. */
static struct format_options options_of(const struct sample *s)
{
    bool surface =
        !strcmp(s->format, "off") || !strcmp(s->format, "obj") || !strcmp(s->format, "stl");
    return (struct format_options){.format = s->format, .sample = surface ? 8 : 0};
}

/* Reads bytes as the format; the code, after checking what every outcome must keep. */
static int attempt(const struct sample *s, const char *bytes, size_t len)
{
    struct format_options o = options_of(s);
    struct glt_cloud *c = NULL;
    struct file *f;
    int64_t before = memory_stats().bytes;
    memory_peak_reset();
    assert_int_equal(file_open_memory(&f, s->path, bytes, len), 0);
    int code = format_read_file(&c, f, &o);
    file_close(f);
    if (code == 0) {
        struct bounds b;
        assert_int_equal(cloud_bounds(&b, c), 0);
        cloud_free(c);
    } else {
        assert_true(code == GLT_EFORMAT || code == GLT_EUNSUPPORTED || code == GLT_EDATA ||
                    code == GLT_ELIMIT);
        assert_true(strlen(glt_error_message()) > 10);
    }
    assert_int_equal(memory_stats().bytes, before);
    if (code < 0) /* a chunk of HDF5 may have 36 MiB whatever the file says */
        assert_true(memory_stats().peak - before < 64 << 20);
    return code;
}

static void each_sample(void (*fn)(const struct sample *s))
{
    const char *root = getenv("GELATTO_SOURCE");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char folder[300];
        char **names;
        size_t n;
        snprintf(folder, sizeof folder, "%.200s/tests/fuzz/corpus/%s", root ? root : "..",
                 formats[i]);
        assert_int_equal(file_list(&names, &n, folder), 0);
        assert_true(n >= 2);
        for (size_t k = 0; k < n; k++) {
            struct sample s = {.format = formats[i]};
            assert_int_equal(file_join(s.path, sizeof s.path, folder, names[k]), 0);
            assert_int_equal(file_read_all(&s.bytes, &s.len, s.path, 1 << 20), 0);
            if (strchr(names[k], '.')) /* made by hand; those without an extension were found */
                fn(&s);
            memory_free(s.bytes);
        }
        file_free_names(names, n);
    }
}

/* Exact copies, so that a sanitizer sees one byte too many. */
static void cut(const struct sample *s)
{
    for (size_t len = 0; len < s->len; len++) {
        char *copy = memory_alloc(len, 1);
        assert_non_null(copy);
        memcpy(copy, s->bytes, len);
        attempt(s, copy, len);
        memory_free(copy);
    }
}

static void a_file_cut_at_any_length_is_read_or_refused(void **state)
{
    (void)state;
    each_sample(cut);
}

static void flip(const struct sample *s)
{
    for (size_t i = 0; i < 8 * s->len; i++) {
        s->bytes[i / 8] ^= (char)(1 << (i % 8));
        attempt(s, s->bytes, s->len);
        s->bytes[i / 8] ^= (char)(1 << (i % 8));
    }
}

static void a_file_with_any_bit_flipped_is_read_or_refused(void **state)
{
    (void)state;
    each_sample(flip);
}

static void starve(const struct sample *s)
{
    struct format_options o = options_of(s);
    struct glt_cloud *c = NULL;
    int64_t before = memory_stats().bytes;
    int plain = format_read(&c, s->path, &o);
    if (plain == 0)
        cloud_free(c);
    for (int forever = 0; forever < 2; forever++)
        for (int n = 1, code = GLT_ENOMEM; code == GLT_ENOMEM; n++) {
            assert_true(n < 10000);
            memory_fail(n, forever);
            code = format_read(&c, s->path, &o);
            memory_fail(0, false);
            if (code == 0)
                cloud_free(c);
            else if (code != GLT_ENOMEM && code != plain)
                fail_msg("%s: allocation %d: %d, %s", s->path, n, code, glt_error_message());
            assert_int_equal(memory_stats().bytes, before);
        }
}

static void every_allocation_of_a_reader_may_fail(void **state)
{
    (void)state;
    each_sample(starve);
}

static void break_files(const struct sample *s)
{
    struct format_options o = options_of(s);
    struct glt_cloud *c = NULL;
    int64_t before = memory_stats().bytes, start = file_calls();
    int plain = format_read(&c, s->path, &o);
    int64_t calls = file_calls() - start;
    if (plain == 0)
        cloud_free(c);
    for (int64_t n = 1; n <= calls; n++)
        for (int kind = 0; kind < 3; kind++) {
            file_fault(FILE_CALLS, n, kind == 1, kind == 2 ? FILE_FAULT_SHORT : FILE_FAULT_ERROR,
                       0);
            int code = format_read(&c, s->path, &o);
            file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
            if (code == 0)
                cloud_free(c); /* a short read is read again; closing may fail unheard */
            else
                assert_true(code == GLT_EIO || code == plain);
            assert_int_equal(memory_stats().bytes, before);
        }
}

static void every_file_call_of_a_reader_may_fail(void **state)
{
    (void)state;
    each_sample(break_files);
}

/* A cloud with all kinds of columns, written in every format with failing system calls: the old
 * file stays. */
static void a_writer_that_fails_leaves_the_old_file(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(30, GLT_F64, 0x33f, 1), *back;
    const char *names[] = {"w.ply", "w.npy", "w.npz", "w.pcd", "w.las", "w.bin", "w.csv"};
    const char *encodings[] = {"ascii", NULL, "compressed", "compressed", NULL, NULL, NULL};
    int32_t labels[30] = {0};
    const char *classes[] = {"floor"};
    assert_int_equal(labels_set(c, labels, NULL, classes, 1), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct format_options o = {.encoding = encodings[i]};
        int64_t before = memory_stats().bytes, start = file_calls();
        assert_int_equal(format_write(c, scratch(names[i]), &o), 0);
        int64_t calls = file_calls() - start;
        for (int n = 1, code = GLT_ENOMEM; code == GLT_ENOMEM; n++) {
            memory_fail(n, false);
            code = format_write(c, scratch(names[i]), &o);
            memory_fail(0, false);
            assert_true(code == 0 || code == GLT_ENOMEM);
            assert_int_equal(memory_stats().bytes, before);
        }
        for (int64_t n = 1; n <= calls; n++) {
            file_fault(FILE_CALLS, n, false, FILE_FAULT_ERROR, 0);
            int code = format_write(c, scratch(names[i]), &o);
            file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
            assert_true(code == 0 || code == GLT_EIO);
            assert_int_equal(memory_stats().bytes, before);
            assert_int_equal(format_read(&back, scratch(names[i]), NULL), 0);
            assert_int_equal(back->n, 30);
            cloud_free(back);
        }
    }
    cloud_free(c);
}

/* 64 KiB of records can hold more attributes than anybody looks through. */
static void more_attributes_than_fit_are_refused(void **state)
{
    (void)state;
    enum { EACH = 200, RECORDS = 25, HEAD = LAS_HEADER_12 };
    size_t vlr = LAS_VLR + EACH * LAS_DESCRIPTOR, record = 20 + RECORDS * EACH;
    size_t points = HEAD + RECORDS * vlr, len = points + record;
    unsigned char *p = memory_alloc(len, 1);
    assert_non_null(p);
    memcpy(p, "LASF", 4);
    p[24] = 1;
    p[25] = 2;
    little_put(p + 94, HEAD, 2);
    little_put(p + 96, points, 4);
    little_put(p + 100, RECORDS, 4);
    little_put(p + 105, record, 2);
    little_put(p + 107, 1, 4);
    for (size_t i = 0; i < RECORDS; i++) {
        unsigned char *v = p + HEAD + i * vlr;
        memcpy(v + 2, "LASF_Spec", 9);
        little_put(v + 18, 4, 2);
        little_put(v + 20, EACH * LAS_DESCRIPTOR, 2);
        for (size_t k = 0; k < EACH; k++) {
            struct las_extra x = {"a", GLT_U8, 1, 1, 0, 1};
            las_layout_write_descriptor(v + LAS_VLR + k * LAS_DESCRIPTOR, &x);
        }
    }
    read_text("many.las", (char *)p, len, NULL, GLT_ELIMIT);
    assert_error("SIZE_LIMIT");
    memory_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_cut_at_any_length_is_read_or_refused),
        cmocka_unit_test(a_file_with_any_bit_flipped_is_read_or_refused),
        cmocka_unit_test(every_allocation_of_a_reader_may_fail),
        cmocka_unit_test(every_file_call_of_a_reader_may_fail),
        cmocka_unit_test(a_writer_that_fails_leaves_the_old_file),
        cmocka_unit_test(more_attributes_than_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
