/* PCD: header, the three forms of data, packed colours, organisation and viewpoint, refusals. */
#include "core/file.h"
#include "core/memory.h"
#include "errors.h"
#include "io_cloud.h"

#define HEAD                                                                                       \
    "# .PCD v.7 - Point Cloud Data file format\n# by hand\nVERSION .7\nFIELDS x y z rgb hist\n"    \
    "SIZE 4 4 8 4 2\nTYPE F F F F U\nCOUNT 1 1 1 1 3\nWIDTH 2\nHEIGHT 2\n"                         \
    "VIEWPOINT 1 2 3 1 0 0 0\nPOINTS 4\nDATA ascii\n"

static const char ascii[] = HEAD "1 2 3 4.2108e+06 1 2 3\n0.5 nan -1e300 0 4 5 6\n\n"
                                 "7 8 9 2.3418052e-38 7 8 9\n1 1 1 1 65535 0 1\n";

static void check(const struct glt_cloud *c)
{
    assert_int_equal(c->n, 4);
    assert_int_equal(((uint8_t *)cloud_attribute(c, "red")->data)[0], 0x80);
    assert_int_equal(((uint8_t *)cloud_attribute(c, "alpha")->data)[0], 0x4a);
    assert_int_equal(((uint8_t *)cloud_attribute(c, "red")->data)[2], 0xff);
    assert_int_equal(cloud_attribute(c, "hist")->width, 3);
    assert_int_equal(((uint16_t *)cloud_attribute(c, "hist")->data)[9], 65535);
    assert_true(((double *)cloud_attribute(c, "z")->data)[1] == -1e300);
    assert_string_equal(cloud_note(c, "pcd.viewpoint")->bytes, "1 2 3 1 0 0 0");
    assert_string_equal(c->comments[0], "by hand");
    int64_t area[2];
    memcpy(area, cloud_note(c, "pcd.area")->bytes, sizeof area);
    assert_int_equal(area[0], 2);
}

static void all_three_forms_of_data_are_read(void **state)
{
    (void)state;
    struct glt_cloud *c = read_text("a", ascii, sizeof ascii - 1, NULL, 0), *back;
    check(c);
    const char *encodings[] = {NULL, "ascii", "binary", "compressed"};
    for (int i = 0; i < 4; i++) {
        struct format_options o = {.encoding = encodings[i]};
        back = read_back(c, "a.pcd", &o);
        check(back);
        assert_same_cloud(c, back);
        cloud_free(back);
    }
    cloud_free(c);
}

/* A float of four colour bytes is no number when alpha is 255 and red bright: in text it becomes an
 * integer. */
static void packed_colours_that_are_no_number_become_integers(void **state)
{
    (void)state;
    static const char opaque[] =
        "VERSION .7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 1\n"
        "HEIGHT 1\nPOINTS 1\nDATA binary\n\0\0\0\0\0\0\0\0\0\0\0\0\x1e\x14\x8a\xff";
    struct format_options o = {.encoding = "ascii"};
    struct glt_cloud *c = read_text("o.pcd", opaque, sizeof opaque - 1, NULL, 0);
    struct glt_cloud *back = read_back(c, "o.pcd", &o);
    assert_int_equal(((uint8_t *)cloud_attribute(back, "red")->data)[0], 138);
    assert_same_cloud(c, back);
    cloud_free(back);
    cloud_free(c);
}

/* An attribute called rgb beside red, green and blue: none is lost, and no name comes twice. */
static void an_attribute_named_rgb_stays_beside_the_colours(void **state)
{
    (void)state;
    static const char *const names[] = {"rgb", "rgba"}, *const colours[] = {"red", "green", "blue"};
    static const enum glt_type types[] = {GLT_F32, GLT_U32, GLT_F64};
    for (int i = 0; i < 12; i++) {
        struct glt_cloud *c = made_cloud(5, GLT_F32, 0, 1), *back, *again;
        struct random r = random_start(random_stream(9, 0, 0, RANDOM_TEST), 0);
        struct column *x;
        for (int k = 0; k < 4; k++) {
            bool packed = k == (i < 6 ? 0 : 3);
            const char *name = packed ? names[i % 2] : colours[i < 6 ? k - 1 : k];
            assert_int_equal(cloud_add_attribute(&x, c, name, packed ? types[i / 2 % 3] : GLT_U8),
                             0);
            fill_column(x, c->n, &r);
        }
        back = read_back(c, "rgb.pcd", NULL);
        assert_same_cloud(c, back);
        again = read_back(back, "again.pcd", NULL);
        assert_same_cloud(c, again);
        cloud_free(again);
        cloud_free(back);
        cloud_free(c);
    }
}

/* Padding is spelled alike; numpy, which wants every name once, gets numbers. */
static void padding_comes_back_as_padding(void **state)
{
    (void)state;
    static const char padded[] =
        "VERSION .7\nFIELDS x y z _ i _\nSIZE 4 4 4 1 4 1\nTYPE F F F U F U\nCOUNT 1 1 1 4 1 1\n"
        "WIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3 0 0 0 0 5 7\n";
    struct glt_cloud *c = read_text("p.pcd", padded, sizeof padded - 1, NULL, 0), *back, *numpy;
    char *bytes;
    size_t len;
    assert_string_equal(c->columns[5].name, "__2");
    back = read_back(c, "p.pcd", NULL);
    assert_same_cloud(c, back);
    assert_int_equal(file_read_all(&bytes, &len, scratch("p.pcd"), 1000), 0);
    assert_non_null(strstr(bytes, "FIELDS x y z _ i _\n"));
    memory_free(bytes);
    const char *names[] = {"p.npy", "p.npz"};
    for (int i = 0; i < 2; i++) {
        numpy = read_back(c, names[i], NULL);
        assert_int_equal(numpy->n_columns, 6);
        assert_int_equal(((uint8_t *)cloud_attribute(numpy, "__2")->data)[0], 7);
        cloud_free(numpy);
    }
    cloud_free(back);
    cloud_free(c);
}

static void clouds_come_back(void **state)
{
    (void)state;
    const char *encodings[] = {"ascii", "binary", "compressed"};
    for (uint32_t seed = 0; seed < 24; seed++) {
        struct glt_cloud *c = made_cloud(seed * 43, seed & 1 ? GLT_F32 : GLT_F64, 0x3ff, seed);
        struct format_options o = {.encoding = encodings[seed % 3]};
        struct glt_cloud *back = read_back(c, "r.pcd", &o);
        assert_same_cloud(c, back);
        cloud_free(back);
        cloud_free(c);
    }
    assert_int_equal(memory_stats().bytes, 0);
}

static void old_versions_are_read(void **state)
{
    (void)state;
    static const char old[] = "# .PCD v.5\nVERSION .5\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n"
                              "POINTS 1\nDATA ascii\n1,2 3\n";
    struct glt_cloud *c = read_text("old", old, sizeof old - 1, NULL, 0);
    assert_int_equal(c->n, 1);
    cloud_free(c);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"FIELDS x y z\nPOINTS 9223372036854775807\nDATA ascii\n1 2 3\n", "TRUNCATED byte 51"},
        {"FIELDS x y z\nPOINTS 9223372036854775807\nDATA binary\n1 2 3\n", "TRUNCATED byte 52"},
        {"FIELDS x y z\nPOINTS 18446744073709551615\nDATA binary\n1 2 3\n", "SYNTAX line 2"},
        {"FIELDS x y z\nWIDTH 4294967296\nHEIGHT 4294967296\nDATA binary\n", "VALUE"},
        {"FIELDS x y z\nCOUNT 1 1 65534\nPOINTS 100000\nDATA ascii\n1 2 3\n", "TRUNCATED byte 54"},
        {"FIELDS x y z\nCOUNT 1 1 2147483647\nPOINTS 0\nDATA ascii\n", "VALUE"},
        {"FIELDS x y z\nCOUNT 1 1 65535\nPOINTS 0\nDATA ascii\n", "VALUE"},
        {"FIELDS x y z\nPOINTS 2\nDATA binary_compressed\n\xff\xff\xff\x7f\xff\xff\xff\x7f",
         "TRUNCATED byte 53"},
        {"FIELDS x y z\nSIZE 4 4\nPOINTS 2\nDATA ascii\n", "VALUE"},
        {"FIELDS x y z\nSIZE 4 4 3\nPOINTS 2\nDATA ascii\n", "VALUE"},
        {"FIELDS x y z\nTYPE F F Q\nPOINTS 2\nDATA ascii\n", "SYNTAX line 2"},
        {"FIELDS x y z\nFIELDS x y z\nPOINTS 0\nDATA ascii\n", "SYNTAX line 2"},
        {"FIELDS x y z\nSIZE 4 4\nSIZE 4\nPOINTS 0\nDATA ascii\n", "SYNTAX line 3"},
        {"FIELDS x y z\nTYPE F\nTYPE F F\nPOINTS 0\nDATA ascii\n", "SYNTAX line 3"},
        {"FIELDS x y z\nWIDTH 3\nHEIGHT 1\nPOINTS 2\nDATA ascii\n", "VALUE"},
        {"FIELDS x y z\nPOINTS 2\n", "TRUNCATED"},
        {"FIELDS x y z\nDATA ascii\n", "MISSING"},
        {"VERSION .7\nPOINTS 1\nDATA ascii\n", "MISSING"},
        {"FIELDS x y z\nPOINTS 1\nDATA ascii\n1 2 3 4\n", "SYNTAX line 4"},
        {"FIELDS x y z\nPOINTS 1\nDATA ascii\n1 2 three\n", "VALUE line 4"},
        {"FIELDS x y z\nPOINTS 2\nDATA ascii\n1 2 3\n#\n\n\n\n\n\n", "TRUNCATED"},
        {"FIELDS x y z\nPOINTS 1\nDATA gzip\n1 2 3\n", "SYNTAX line 3"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memory_peak_reset();
        read_text("bad.pcd", bad[i].text, strlen(bad[i].text), NULL, GLT_EFORMAT);
        assert_error(bad[i].message);
        assert_error_file("bad.pcd");
        assert_true(memory_stats().peak < 1 << 20);
        assert_int_equal(memory_stats().bytes, 0);
    }
}

static void damaged_compression_is_refused(void **state)
{
    (void)state;
    static const char wrong[] = "FIELDS x y z\nPOINTS 2\nDATA binary_compressed\n"
                                "\x01\0\0\0\x01\0\0\0\0";
    static const char rubbish[] = "FIELDS x y z\nPOINTS 2\nDATA binary_compressed\n"
                                  "\x04\0\0\0\x18\0\0\0\xff\xff\xff\xff";
    read_text("wrong.pcd", wrong, sizeof wrong - 1, NULL, GLT_EFORMAT);
    assert_error("TRUNCATED");
    read_text("rubbish.pcd", rubbish, sizeof rubbish - 1, NULL, GLT_EFORMAT);
    assert_error("SYNTAX");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_three_forms_of_data_are_read),
        cmocka_unit_test(clouds_come_back),
        cmocka_unit_test(padding_comes_back_as_padding),
        cmocka_unit_test(packed_colours_that_are_no_number_become_integers),
        cmocka_unit_test(old_versions_are_read),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(damaged_compression_is_refused),
        cmocka_unit_test(an_attribute_named_rgb_stays_beside_the_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
