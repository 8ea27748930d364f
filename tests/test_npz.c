/* NPZ clouds and archives: stored and deflated, scale and origin, what is no attribute, lies. */
#include "io_cloud.h"

#include "io/npy.h"

static struct glt_cloud *rich(void)
{
    struct glt_cloud *c = made_cloud(3000, GLT_I32, 0x3ff, 3);
    struct column *x;
    struct random r = random_start(random_stream(9, 0, 0, RANDOM_TEST), 0);
    for (int d = 0; d < 3; d++) {
        c->columns[d].scale = 0.001 * (d + 1);
        c->columns[d].offset = 1e6 * d;
    }
    const char *names[] = {"red", "green", "blue", "nx", "label"};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(cloud_add_attribute(&x, c, names[i], i < 3 ? GLT_U8 : GLT_F32), 0);
        fill_column(x, c->n, &r);
    }
    assert_int_equal(cloud_add_wide(&x, c, "feature", GLT_I16, 4), 0);
    fill_column(x, c->n, &r);
    return c;
}

static void test_round_trip(void **state)
{
    (void)state;
    const char *encodings[] = {NULL, "compressed"};
    for (int i = 0; i < 2; i++) {
        struct cloud_options o = {.encoding = encodings[i]};
        struct glt_cloud *c = rich(), *back = read_back(c, "round.npz", &o), *again;
        assert_same_cloud(c, back);
        again = read_back(back, "again.npz", &o); /* now with "xyz[0]" and the like remembered */
        assert_same_cloud(c, again);
        cloud_free(again);
        cloud_free(back);
        cloud_free(c);
    }
    assert_int_equal(memory_stats().bytes, 0);
}

static void test_arrays_of_a_cloud(void **state)
{
    (void)state;
    struct glt_cloud *c = rich();
    struct arrays a;
    assert_int_equal(cloud_write(c, scratch("arrays.npz"), NULL), 0);
    assert_int_equal(arrays_read(&a, scratch("arrays.npz")), 0);
    const struct array *xyz = arrays_find(&a, "xyz"), *rgb = arrays_find(&a, "rgb");
    assert_non_null(xyz);
    assert_int_equal(xyz->shape[1], 3);
    assert_int_equal(rgb->fields[0].type, GLT_U8);
    assert_non_null(arrays_find(&a, "nx")); /* alone, so no "normals" */
    assert_null(arrays_find(&a, "normals"));
    double origin[3];
    assert_int_equal(array_values(origin, GLT_F64, arrays_find(&a, "origin"), 0, 3), 0);
    assert_true(origin[2] == 2e6);
    arrays_free(&a);
    cloud_free(c);
}

/* An array that is no attribute comes back as it was. */
static void test_other_arrays_survive(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(5, GLT_F64, 0, 1), *back, *again;
    char npy[128 + 3] = "\x93NUMPY\x01\x00v\x00{'descr': '|S3', 'fortran_order': False, "
                        "'shape': (1,), }";
    memset(npy + strlen(npy + 10) + 10, ' ', 128 - strlen(npy + 10) - 10);
    npy[127] = '\n';
    memcpy(npy + 128, "abc", 3);
    assert_int_equal(cloud_set_note(c, "npz.names", npy, sizeof npy), 0);
    back = read_back(c, "names.npz", NULL);
    assert_memory_equal(cloud_note(back, "npz.names")->bytes + 128, "abc", 3);
    again = read_back(back, "names.npz", NULL);
    assert_memory_equal(cloud_note(again, "npz.names")->bytes + 128, "abc", 3);
    cloud_free(again);
    cloud_free(back);
    cloud_free(c);
}

/* Every field of the archive's records that counts bytes or names a place, set to huge values. */
static void test_lies(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(50, GLT_F32, 0, 1);
    char *bytes;
    size_t len;
    for (int packed = 0; packed < 2; packed++) {
        struct cloud_options o = {.encoding = packed ? "compressed" : NULL};
        assert_int_equal(cloud_write(c, scratch("lie.npz"), &o), 0);
        assert_int_equal(file_read_all(&bytes, &len, scratch("lie.npz"), 1 << 20), 0);
        for (size_t at = 0; at + 8 <= len; at++) {
            char saved[8];
            struct file *f;
            struct glt_cloud *read = NULL;
            memcpy(saved, bytes + at, 8);
            memset(bytes + at, 0xff, 8);
            memory_peak_reset();
            int64_t before = memory_stats().bytes;
            assert_int_equal(file_open_memory(&f, "lie.npz", bytes, len), 0);
            int code = cloud_read_file(&read, f, NULL);
            file_close(f);
            cloud_free(code == 0 ? read : NULL);
            assert_true(memory_stats().peak < 16 << 20);
            assert_int_equal(memory_stats().bytes, before);
            memcpy(bytes + at, saved, 8);
        }
        memory_free(bytes);
    }
    cloud_free(c);
}

static void put32(char *dst, size_t v)
{
    for (int i = 0; i < 4; i++)
        dst[i] = (char)(v >> 8 * i);
}

/* One packed member that the directory names a hundred times: 9 kB that would become 240 MB. */
static void test_bomb(void **state)
{
    (void)state;
    enum { TIMES = 100, END = 22 };
    struct cloud_options o = {.encoding = "compressed"};
    struct glt_cloud *c;
    struct column *x;
    char *bytes;
    size_t len, entry = 0;
    assert_int_equal(cloud_new(&c, 300000), 0);
    assert_int_equal(cloud_add_attribute(&x, c, "x", GLT_F64), 0);
    assert_int_equal(cloud_write(c, scratch("bomb.npz"), &o), 0);
    cloud_free(c);
    assert_int_equal(file_read_all(&bytes, &len, scratch("bomb.npz"), 1 << 20), 0);
    while (memcmp(bytes + entry, "PK\1\2", 4) != 0)
        entry++;
    size_t size = 46 + (size_t)bytes[entry + 28] + (size_t)bytes[entry + 30], at = entry;
    char *bomb = memory_alloc(entry + TIMES * size + END, 1);
    assert_non_null(bomb);
    memcpy(bomb, bytes, entry);
    for (int i = 0; i < TIMES; i++, at += size)
        memcpy(bomb + at, bytes + entry, size);
    memcpy(bomb + at, "PK\5\6", 4);
    bomb[at + 8] = bomb[at + 10] = TIMES;
    put32(bomb + at + 12, TIMES * size);
    put32(bomb + at + 16, entry);
    memory_peak_reset();
    read_text("bomb.npz", bomb, at + END, NULL, GLT_EFORMAT);
    assert_non_null(strstr(glt_error_message(), "overlap"));
    assert_true(memory_stats().peak < 32 << 20);
    memory_free(bomb);
    memory_free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_arrays_of_a_cloud),
        cmocka_unit_test(test_other_arrays_survive),
        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_bomb),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clear);
}
