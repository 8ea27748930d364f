/* NPY clouds and numpy arrays. The golden bytes are what numpy.save writes. */
#include "errors.h"
#include "io_cloud.h"

#include "core/file.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"
#include "formats/npy.h"
#include "formats/zip.h"

/* numpy.save of [[1, 2, 3], [4, 5, 6]], as >f4 in Fortran order */
static size_t golden(char *dst, const char *descr, const char *fortran, const char *shape,
                     const void *data, size_t len)
{
    size_t at = 10 + (size_t)sprintf(dst + 10, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }",
                                     descr, fortran, shape);
    while ((at + 1) % 64)
        dst[at++] = ' ';
    dst[at++] = '\n';
    memcpy(dst, "\x93NUMPY\x01\x00", 8);
    dst[8] = (char)(at - 10);
    dst[9] = (char)((at - 10) >> 8);
    memcpy(dst + at, data, len);
    return at + len;
}

static void arrays_of_coordinates_are_clouds(void **state)
{
    (void)state;
    char text[1024];
    static const unsigned char big[] = {0x3f, 0x80, 0, 0, 0x40, 0x80, 0, 0, 0x40, 0,    0, 0,
                                        0x40, 0xa0, 0, 0, 0x40, 0x40, 0, 0, 0x40, 0xc0, 0, 0};
    size_t len = golden(text, "'>f4'", "True", "(2, 3)", big, sizeof big);
    struct glt_cloud *c = read_text("plain", text, len, NULL, 0), *back;
    float v[2];
    assert_int_equal(cloud_attribute_as_f32(v, c, "z"), 0);
    assert_true(v[0] == 3 && v[1] == 6);
    back = read_back(c, "plain.npy", NULL);
    assert_same_cloud(c, back);
    assert_non_null(cloud_note(back, "npy.plain"));
    cloud_free(back);
    cloud_free(c);
}

static void columns_are_guessed_or_named(void **state)
{
    (void)state;
    char text[1024];
    double rows[] = {0, 1, 2, 255, 128, 7, 3, 5, 6, 7, 254, 128, 7, 12};
    size_t len = golden(text, "'<f8'", "False", "(2, 7)", rows, sizeof rows);
    struct glt_cloud *c = read_text("seven", text, len, NULL, 0);
    assert_non_null(cloud_attribute(c, "red"));
    assert_non_null(cloud_attribute(c, "label"));
    cloud_free(c);
    struct format_options o = {.columns = "y,x,z,-,-,nz,quality"};
    c = read_text("named", text, len, &o, 0);
    assert_int_equal(c->n_columns, 5);
    assert_true(((double *)cloud_attribute(c, "x")->data)[0] == 1);
    assert_true(((double *)cloud_attribute(c, "quality")->data)[1] == 12);
    cloud_free(c);
    o.columns = "x,y,z";
    read_text("few", text, len, &o, GLT_EDATA);
}

static void clouds_come_back(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 20; seed++) {
        struct glt_cloud *c = made_cloud(seed * 41, (enum glt_type)(seed % 10), 0x3ff, seed), *back;
        struct column *x;
        struct random r = random_start(random_stream(seed, 1, 0, RANDOM_TEST), 0);
        assert_int_equal(cloud_add_wide(&x, c, "feature", GLT_F32, 5), 0);
        fill_column(x, c->n, &r);
        back = read_back(c, "round.npy", NULL);
        assert_same_cloud(c, back);
        cloud_free(back);
        cloud_free(c);
    }
    assert_int_equal(memory_stats().bytes, 0);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *descr, *shape;
        int code;
    } bad[] = {
        {"'<f4'", "(18446744073709551615, 3)", GLT_EFORMAT},
        {"'<f4'", "(9223372036854775807, 3)", GLT_EFORMAT},
        {"'<f4'", "(4611686018427387904, 4)", GLT_EFORMAT},
        {"'<f4'", "(3, 3)", GLT_EFORMAT},
        {"'<f4'", "(2, 3", GLT_EFORMAT},
        {"'<f4'", "(1,1,1,1,1,1,1,1,1)", GLT_EFORMAT},
        {"'<f2'", "(2, 3)", GLT_EUNSUPPORTED},
        {"'|O'", "(2, 3)", GLT_EUNSUPPORTED},
        {"'<c8'", "(2, 3)", GLT_EUNSUPPORTED},
        {"[('x', '<f4', (2147483647, 2147483647))]", "(2,)", GLT_EFORMAT},
        {"[('x', [('a', '<f4')])]", "(2,)", GLT_EUNSUPPORTED},
        {"[('x', '<f4'), ('y', '<f4')]", "(2,)", GLT_EDATA},
        {"'<f4'", "(2,)", GLT_EDATA},
        {"[('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('a', '<f4', (2147483647,))]", "(0,)",
         GLT_EFORMAT},
        {"[('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('a', '|S2147483647')]", "(0,)", GLT_EFORMAT},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1024];
        float data[6] = {0};
        size_t len = golden(text, bad[i].descr, "False", bad[i].shape, data, sizeof data);
        memory_peak_reset();
        read_text("bad.npy", text, len, NULL, bad[i].code);
        assert_error_file("bad.npy");
        assert_true(memory_stats().peak < 1 << 20);
        assert_int_equal(memory_stats().bytes, 0);
    }
}

/* Items of no bytes fit any shape: refused before 2^62 of them are walked. */
static void items_of_no_bytes_are_refused(void **state)
{
    (void)state;
    static const char *const types[] = {"'|S0'", "'<U0'", "'|V0'", "[]"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[1024];
        struct file *f;
        struct arrays a;
        size_t len = golden(text, types[i], "True", "(2147483648, 2147483648)", "", 0);
        read_text("none.npy", text, len, NULL, GLT_EUNSUPPORTED);
        assert_int_equal(file_open_memory(&f, "none.npy", text, len), 0);
        assert_int_equal(arrays_read_file(&a, f), GLT_EUNSUPPORTED);
        file_close(f);
    }
}

static void arrays_are_read_and_written(void **state)
{
    (void)state;
    char text[1024], word[16];
    struct file *f;
    struct arrays a;
    static const uint32_t letters[] = {0xe4, 'b', 0, 0x1f600, 0, 0};
    size_t len = golden(text, "'<U3'", "False", "(2,)", letters, sizeof letters);
    assert_int_equal(file_open_memory(&f, "text.npy", text, len), 0);
    assert_int_equal(arrays_read_file(&a, f), 0);
    file_close(f);
    const struct array *x = arrays_find(&a, "");
    assert_int_equal(arrays_text(word, sizeof word, x, 0), 0);
    assert_string_equal(word, "\xc3\xa4"
                              "b");
    assert_int_equal(arrays_text(word, sizeof word, x, 1), 0);
    assert_string_equal(word, "\xf0\x9f\x98\x80");
    assert_int_equal(arrays_text(word, sizeof word, x, 2), GLT_EDATA);
    double v;
    assert_int_equal(arrays_values(&v, GLT_F64, x, 0, 1), GLT_EDATA);
    arrays_free(&a);
    int16_t numbers[] = {1, 2, 3, 4, 5, 6};
    len = golden(text, "'<i2'", "True", "(2, 3)", numbers, sizeof numbers);
    assert_int_equal(file_open_memory(&f, "turned.npy", text, len), 0);
    assert_int_equal(arrays_read_file(&a, f), 0);
    file_close(f);
    double row[6];
    assert_int_equal(arrays_values(row, GLT_F64, &a.items[0], 0, 6), 0);
    assert_true(row[0] == 1 && row[1] == 3 && row[2] == 5 && row[3] == 2);
    assert_int_equal(arrays_values(row, GLT_F64, &a.items[0], 1, 6), GLT_EDATA);
    arrays_free(&a);
    assert_int_equal(memory_stats().bytes, 0);
}

/* Names in UTF-8 are said to be: version 3 of npy, bit 11 in both headers of a zip. Those of
 * versions 1 and 2 are Latin-1. */
static void names_in_other_letters_come_back(void **state)
{
    (void)state;
    static const char *const names[] = {"gr\xc3\xb6\xc3\x9f"
                                        "e",
                                        "\xe9 t\xe9"};
    static const unsigned char versions[] = {3, 1}, flags[] = {8, 0};
    for (int i = 0; i < 2; i++) {
        struct glt_cloud *c = made_cloud(2, GLT_F32, 0, 1), *back;
        const uint8_t v[] = {7, 8};
        char *bytes;
        size_t len, at = 0;
        assert_int_equal(glt_cloud_set(c, names[i], GLT_U8, v, 0), 0);
        back = read_back(c, "l.npy", NULL);
        assert_non_null(cloud_attribute(back, i ? "\xc3\xa9 t\xc3\xa9" : names[0]));
        cloud_free(back);
        assert_int_equal(file_read_all(&bytes, &len, scratch("l.npy"), 1000), 0);
        assert_int_equal(bytes[6], versions[i]);
        memory_free(bytes);
        back = read_back(c, "l.npz", NULL);
        assert_non_null(cloud_attribute(back, names[i]));
        cloud_free(back);
        assert_int_equal(file_read_all(&bytes, &len, scratch("l.npz"), 2000), 0);
        assert_int_equal(bytes[7], 0); /* xyz is plain */
        for (int k = 0; k < 2; k++) {
            const char *name = memmem(bytes + at, len - at, names[i], strlen(names[i]));
            assert_non_null(name);
            assert_int_equal(k ? name[9 - 46] : name[7 - 30], flags[i]);
            at = (size_t)(name - bytes) + 1;
        }
        memory_free(bytes);
        cloud_free(c);
    }
    char text[1024];
    const float row[] = {1, 2, 3, 4};
    size_t len = golden(text, "[('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('h\xf6he', '<f4')]",
                        "False", "(1,)", row, sizeof row);
    struct glt_cloud *c = read_text("latin.npy", text, len, NULL, 0);
    assert_non_null(cloud_attribute(c, "h\xc3\xb6he"));
    cloud_free(c);
}

/* The bytes numpy puts between fields to align them are no attribute, alone or in an archive. */
static void padding_is_no_attribute(void **state)
{
    (void)state;
    char text[1024];
    static const unsigned char rows[] = {0, 1, 9, 9, 0, 2, 0, 3, 7, 9, 9, 9, 1, 0,
                                         0, 4, 9, 9, 0, 5, 0, 6, 8, 9, 9, 9, 2, 0};
    size_t len = golden(text,
                        "[('x', '>i2'), ('', '|V2'), ('y', '>i2'), ('z', '>i2'), ('label', '|u1'),"
                        " ('', '|V3'), ('', '<u2')]",
                        "False", "(2,)", rows, sizeof rows);
    struct file *f;
    struct zip *z;
    assert_int_equal(file_create(&f, scratch("pad.npz")), 0);
    assert_int_equal(zip_create(&z, f, false), 0);
    assert_int_equal(zip_begin(z, "points.npy"), 0);
    assert_int_equal(zip_put(z, text, len), 0);
    assert_int_equal(zip_end(z), 0);
    assert_int_equal(zip_finish(z), 0);
    zip_free(z);
    assert_int_equal(file_commit(f), 0);
    for (int i = 0; i < 2; i++) {
        struct glt_cloud *c = NULL, *back;
        if (i)
            assert_int_equal(format_read(&c, scratch("pad.npz"), NULL), 0);
        else
            c = read_text("pad.npy", text, len, NULL, 0);
        assert_int_equal(c->n_columns, 5);
        assert_true(column_value(cloud_attribute(c, "x"), 1) == 4);
        assert_true(column_value(cloud_attribute(c, "z"), 0) == 3);
        assert_true(column_value(cloud_attribute(c, "label"), 1) == 8);
        assert_true(column_value(cloud_attribute(c, "f6"), 1) == 2); /* a number is no padding */
        back = read_back(c, "pad.csv", NULL);
        assert_int_equal(back->n_columns, 5);
        cloud_free(back);
        cloud_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_coordinates_are_clouds),
        cmocka_unit_test(columns_are_guessed_or_named),
        cmocka_unit_test(clouds_come_back),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(arrays_are_read_and_written),
        cmocka_unit_test(items_of_no_bytes_are_refused),
        cmocka_unit_test(padding_is_no_attribute),
        cmocka_unit_test(names_in_other_letters_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
