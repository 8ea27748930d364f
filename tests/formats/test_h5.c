/* HDF5: files that h5py made (tests/peers/h5 --make), damaged ones, clouds of both layouts. */
#include "io_cloud.h"

#include "core/file.h"
#include "core/memory.h"
#include "faults.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"
#include "formats/little.h"

#include <math.h>

static const char *fixture(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/h5/%s", getenv("GELATTO_SOURCE"), name);
    return path;
}

static double value(const struct array *a, int64_t i)
{
    double v = NAN;
    assert_int_equal(arrays_values(&v, GLT_F64, a, i, 1), 0);
    return v;
}

/* What the maker of the files has put into an array, item by item. */
static double made(const char *name, int64_t i)
{
    static const double bits[] = {-5, 0, 7, 1023, -1024, 1}, few[] = {4, 5, 6};
    int number = 0;
    if (!strcmp(name, "bits"))
        return bits[i];
    if (!strcmp(name, "typed"))
        return few[i];
    if (!strcmp(name, "scalar"))
        return 2.5;
    if (!strcmp(name, "unwritten"))
        return 9;
    if (!strcmp(name, "holes"))
        return i >= 35 && i < 42 ? 7 : 1.5;
    if (sscanf(name, "group/set%d", &number) == 1)
        return (double)(i * 37 % 251 + number);
    if (name[0] == 'i' && name[1] == '1')
        return (int8_t)(i * 37 % 251);
    return (double)(i * 37 % 251);
}

static void check_file(const char *file, int32_t arrays)
{
    struct arrays all;
    assert_int_equal(arrays_read(&all, fixture(file)), 0);
    assert_int_equal(all.n, arrays);
    for (int32_t k = 0; k < all.n; k++)
        for (int64_t i = 0; i < all.items[k].count; i++)
            if (value(&all.items[k], i) != made(all.items[k].name, i))
                fail_msg("%s: %s: item %lld is %g", file, all.items[k].name, (long long)i,
                         value(&all.items[k], i));
    arrays_free(&all);
    assert_int_equal(memory_stats().bytes, 0);
}

static void every_number_type_is_read_in_both_byte_orders(void **state)
{
    (void)state;
    check_file("types_earliest", 26);
    check_file("types_latest", 26);
    struct arrays all;
    assert_int_equal(arrays_read(&all, fixture("types_latest")), 0);
    assert_int_equal(arrays_find(&all, "u2_be")->fields[0].type, GLT_U16);
    assert_int_equal(arrays_find(&all, "i8_le")->fields[0].type, GLT_I64);
    assert_int_equal(arrays_find(&all, "f2_be")->fields[0].type, GLT_F32);
    assert_int_equal(arrays_find(&all, "empty")->shape[1], 3);
    assert_null(arrays_find(&all, "text"));
    arrays_free(&all);
}

static void every_layout_and_index_of_chunks_is_read(void **state)
{
    (void)state;
    check_file("layouts_earliest", 37);
    check_file("layouts_latest", 37);
}

static void groups_of_both_kinds_are_walked_and_links_to_elsewhere_left_out(void **state)
{
    (void)state;
    check_file("groups_earliest", 64);
    check_file("groups_latest", 64);
    check_file("few_earliest", 9); /* with a user block before the superblock */
    check_file("few_latest", 9);
}

static void shapes_become_one_cloud(void **state)
{
    (void)state;
    struct glt_cloud *c;
    assert_int_equal(format_read(&c, fixture("modelnet.h5"), NULL), 0);
    assert_int_equal(c->n, 6);
    assert_true(((float *)cloud_attribute(c, "y")->data)[4] == 13 * 37 % 251);
    assert_int_equal(((int32_t *)cloud_attribute(c, "label")->data)[3], 9);
    assert_int_equal(((int32_t *)cloud_attribute(c, "shape")->data)[5], 1);
    assert_non_null(cloud_attribute(c, "nz"));
    cloud_free(c);
}

static void a_dataset_per_coordinate_becomes_a_cloud(void **state)
{
    (void)state;
    struct glt_cloud *c;
    assert_int_equal(format_read(&c, fixture("columns.h5"), NULL), 0);
    assert_int_equal(c->n, 4);
    assert_int_equal(cloud_attribute(c, "intensity")->type, GLT_U16);
    cloud_free(c);
}

static void what_is_not_in_this_file_is_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"refused_external", "refused_virtual", "refused_filter"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct arrays all;
        assert_int_equal(arrays_read(&all, fixture(files[i])), GLT_EUNSUPPORTED);
    }
    struct glt_cloud *c;
    assert_int_equal(format_read(&c, fixture("other.h5"), NULL), GLT_EDATA);
    assert_int_equal(memory_stats().bytes, 0);
}

/* Its chunks are read once for each name, which are more bytes than the file has. */
static void a_dataset_of_two_names_is_read_under_both(void **state)
{
    (void)state;
    struct arrays all;
    assert_int_equal(arrays_read(&all, fixture("linked.h5")), 0);
    assert_int_equal(all.n, 2);
    for (int32_t k = 0; k < 2; k++)
        for (int64_t i = 0; i < 1200; i++)
            assert_true(value(&all.items[k], i) == made("data", i));
    arrays_free(&all);
}

/* Twelve TiB that were never written. */
static void a_shape_larger_than_the_file_can_hold_is_refused(void **state)
{
    (void)state;
    struct glt_cloud *c;
    memory_peak_reset();
    assert_int_equal(format_read(&c, fixture("huge.h5"), NULL), GLT_EFORMAT);
    assert_true(memory_stats().peak < 1 << 20);
    assert_int_equal(memory_stats().bytes, 0);
}

/* A chunk of 480 MB in a file of 1 MB, for a dataset of 100 values. */
static void a_chunk_larger_than_the_file_can_hold_is_refused(void **state)
{
    (void)state;
    static const unsigned char chunk[] = {10, 0, 0, 0, 8, 0, 0, 0}; /* of dataset holes */
    enum { LEN = 1 << 20 };
    struct file *f;
    struct arrays all;
    size_t len;
    char *read, *bytes = memory_alloc(LEN, 1);
    assert_int_equal(file_read_all(&read, &len, fixture("layouts_earliest"), LEN), 0);
    memcpy(bytes, read, len);
    unsigned char *at = memmem(bytes, len, chunk, sizeof chunk);
    assert_non_null(at);
    little_put32(at, 60000000);
    assert_int_equal(file_open_memory(&f, "chunk.h5", bytes, LEN), 0);
    int64_t before = memory_stats().bytes;
    memory_peak_reset();
    assert_int_equal(arrays_read_file(&all, f), GLT_EFORMAT);
    assert_true(memory_stats().peak - before < 8 << 20);
    file_close(f);
    memory_free(bytes);
    memory_free(read);
}

/* The filter has items of 4 GB: to go through the bytes of each takes seconds for every chunk. */
static void items_larger_than_a_chunk_are_not_shuffled(void **state)
{
    (void)state;
    struct file *f;
    struct arrays all;
    size_t len, n = 0;
    char *bytes;
    assert_int_equal(file_read_all(&bytes, &len, fixture("layouts_earliest"), 1 << 20), 0);
    for (char *at = bytes; (at = memmem(at, len - (size_t)(at - bytes), "shuffle", 8)); n++) {
        at += 8;
        little_put32((unsigned char *)at, UINT32_MAX); /* its first value stands behind its name */
    }
    assert_true(n >= 6);
    assert_int_equal(file_open_memory(&f, "shuffle.h5", bytes, len), 0);
    assert_int_equal(arrays_read_file(&all, f), 0);
    arrays_free(&all);
    file_close(f);
    memory_free(bytes);
}

/* Every truncation, and every byte flipped: an error or a cloud, and nothing left behind. */
static void damaged_files_end_in_errors(void **state)
{
    (void)state;
    static const char *const files[] = {"modelnet.h5", "columns.h5", "few_latest"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char *bytes;
        size_t len;
        struct file *f;
        struct arrays all;
        assert_int_equal(file_read_all(&bytes, &len, fixture(files[k]), 1 << 20), 0);
        for (size_t n = 0; n < len; n++) {
            assert_int_equal(file_open_memory(&f, "cut.h5", bytes, n), 0);
            assert_true(arrays_read_file(&all, f) < 0);
            file_close(f);
        }
        for (size_t i = 0; i < len; i++) {
            bytes[i] ^= 0x41;
            assert_int_equal(file_open_memory(&f, "flipped.h5", bytes, len), 0);
            if (arrays_read_file(&all, f) == 0)
                arrays_free(&all);
            file_close(f);
            bytes[i] ^= 0x41;
        }
        memory_free(bytes);
        assert_int_equal(memory_stats().bytes, 0);
    }
}

static int read_once(void *user)
{
    struct arrays all;
    int code = arrays_read(&all, user);
    if (code == 0)
        arrays_free(&all);
    return code;
}

static void failed_allocations_and_reads_are_reported(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", fixture("few_latest"));
    assert_true(faults_memory(read_once, path) > 20);
    assert_true(faults_file(read_once, path) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_type_is_read_in_both_byte_orders),
        cmocka_unit_test(every_layout_and_index_of_chunks_is_read),
        cmocka_unit_test(groups_of_both_kinds_are_walked_and_links_to_elsewhere_left_out),
        cmocka_unit_test(shapes_become_one_cloud),
        cmocka_unit_test(a_dataset_per_coordinate_becomes_a_cloud),
        cmocka_unit_test(what_is_not_in_this_file_is_refused),
        cmocka_unit_test(a_dataset_of_two_names_is_read_under_both),
        cmocka_unit_test(a_shape_larger_than_the_file_can_hold_is_refused),
        cmocka_unit_test(a_chunk_larger_than_the_file_can_hold_is_refused),
        cmocka_unit_test(items_larger_than_a_chunk_are_not_shuffled),
        cmocka_unit_test(damaged_files_end_in_errors),
        cmocka_unit_test(failed_allocations_and_reads_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
