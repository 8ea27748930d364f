/* LAS: all point formats bit for bit, extra bytes, records, upgrades, labels, refusals. */
#include "errors.h"
#include "io_cloud.h"

#include "core/file.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "formats/las_layout.h"
#include "formats/little.h"

#include <math.h>

enum { POINTS = 40, EXTRA = 8 + 2 + 5 };

/* A file of random points: one coordinate system record, one of extra bytes (a scaled i64 and a
 * u16; five more bytes nobody describes), and 60 bytes behind the points. */
static unsigned char *build(size_t *len, int format, int minor)
{
    struct las_field fields[LAS_FIELDS];
    struct random r = random_start(random_stream((uint64_t)format, 0, 0, RANDOM_TEST), 0);
    size_t base, head = minor == 4 ? LAS_HEADER_14 : minor == 3 ? LAS_HEADER_13 : LAS_HEADER_12;
    las_layout_fields(fields, format, &base);
    size_t record = base + EXTRA, vlrs = LAS_VLR + 10 + LAS_VLR + 2 * LAS_DESCRIPTOR;
    size_t points = head + vlrs + 2, end = points + POINTS * record;
    *len = end + 60;
    unsigned char *p = memory_alloc(*len, 1), *v = p + head;
    assert_non_null(p);
    for (size_t i = 0; i < *len; i++)
        p[i] = i < points ? 0 : (unsigned char)random_u32(&r);
    memcpy(p, "LASF", 4);
    little_put(p + 6, minor == 4 ? 0x11 : 0, 2);
    p[24] = 1;
    p[25] = (unsigned char)minor;
    little_put(p + 94, head, 2);
    little_put(p + 96, points, 4);
    little_put(p + 100, 2, 4);
    p[104] = (unsigned char)format;
    little_put(p + 105, record, 2);
    little_put(p + 107, format < 6 ? POINTS : 0, 4);
    for (int d = 0; d < 3; d++) {
        las_layout_put_double(p + 131 + 8 * d, 0.01);
        las_layout_put_double(p + 155 + 8 * d, 1000 * d);
    }
    if (minor == 4) {
        little_put(p + 247, POINTS, 8);
        little_put(p + 235, end, 8);
        little_put(p + 243, 1, 4);
    }
    memcpy(v + 2, "LASF_Projection", 15);
    little_put(v + 18, 2112, 2);
    little_put(v + 20, 10, 2);
    memcpy(v + LAS_VLR, "some WKT..", 10);
    v += LAS_VLR + 10;
    memcpy(v + 2, "LASF_Spec", 9);
    little_put(v + 18, 4, 2);
    little_put(v + 20, 2 * LAS_DESCRIPTOR, 2);
    struct las_extra a = {"Deviation", GLT_I64, 1, 0.001, 5, 8}, b = {"range", GLT_U16, 1, 1, 0, 2};
    las_layout_write_descriptor(v + LAS_VLR, &a);
    las_layout_write_descriptor(v + LAS_VLR + LAS_DESCRIPTOR, &b);
    v[LAS_VLR + 160] = 'd'; /* a description, to be kept */
    return p;
}

static void every_point_format_comes_back_bit_for_bit(void **state)
{
    (void)state;
    for (int format = 0; format < LAS_FORMATS; format++) {
        size_t len, back_len;
        int minor = format >= 6 ? 4 : format >= 4 ? 3 : format >= 2 ? 2 : format;
        unsigned char *bytes = build(&len, format, minor);
        char *back;
        struct glt_cloud *c = read_text("a.las", (char *)bytes, len, NULL, 0);
        assert_int_equal(c->n, POINTS);
        assert_int_equal(cloud_attribute(c, "x")->type, GLT_I32);
        assert_true(cloud_attribute(c, "Deviation")->scale == 0.001);
        assert_int_equal(cloud_attribute(c, "extra_bytes")->width, 5);
        assert_int_equal(format_write(c, scratch("a.las"), NULL), 0);
        assert_int_equal(file_read_all(&back, &back_len, scratch("a.las"), 1 << 20), 0);
        assert_int_equal(back_len, len);
        size_t head = (size_t)little_get(bytes + 94, 2);
        /* the header's bounds and counts by return were left empty and are now right */
        assert_memory_equal(back + head, bytes + head, len - head);
        assert_memory_equal(back, bytes, 111);
        assert_memory_equal(back + 131, bytes + 131, 48);
        if (minor == 4)
            assert_memory_equal(back + 227, bytes + 227, 28);
        /* a second trip changes nothing at all */
        struct glt_cloud *again = read_text("b.las", back, back_len, NULL, 0);
        char *twice;
        assert_same_cloud(c, again);
        assert_int_equal(format_write(again, scratch("b.las"), NULL), 0);
        assert_int_equal(file_read_all(&twice, &back_len, scratch("b.las"), 1 << 20), 0);
        assert_memory_equal(twice, back, len);
        memory_free(twice);
        memory_free(back);
        memory_free(bytes);
        cloud_free(again);
        cloud_free(c);
    }
    assert_int_equal(memory_stats().bytes, 0);
}

static int warnings;

static void count_projection(void *user, enum glt_log_level level, const char *message)
{
    (void)user;
    warnings += level == GLT_LOG_WARNING && strstr(message, "coordinate system") != NULL;
}

/* Georeferencing is kept; if the points were moved, a warning says so. */
static void where_on_earth_points_are_is_kept_unless_they_moved(void **state)
{
    (void)state;
    static const struct {
        const char *edit;
        int warnings;
    } cases[] = {{"crop=-1e9,-1e9,-1e9,1e9,1e9,1e9", 0},
                 {"scale=1,1,0.001", 1},
                 {"shift=1,0,0", 1},
                 {"up=y", 1}};
    size_t len;
    unsigned char *bytes = build(&len, 0, 0);
    struct glt_cloud *c = read_text("a.las", (char *)bytes, len, NULL, 0), *e = NULL;
    glt_log_set(count_projection, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        warnings = 0;
        assert_int_equal(glt_cloud_edit(&e, c, cases[i].edit), 0);
        assert_int_equal(format_write(e, scratch("e.ply"), NULL), 0);
        assert_int_equal(warnings, 0); /* PLY has no such records */
        assert_int_equal(format_write(e, scratch("e.las"), NULL), 0);
        assert_int_equal(warnings, cases[i].warnings);
        cloud_free(e);
    }
    glt_log_set(NULL, NULL);
    memory_free(bytes);
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

static void clouds_of_other_formats_become_las(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(100, GLT_F64, 0x3ff, 4), *back;
    back = read_back(c, "other.las", NULL);
    for (int d = 0; d < 3; d++)
        for (int64_t i = 0; i < c->n; i++) {
            double want = column_value(&c->columns[d], i), got = column_value(&back->columns[d], i);
            assert_true(want - got < 0.011 && got - want < 0.011);
        }
    for (int32_t k = 3; k < c->n_columns; k++)
        assert_same_column(&c->columns[k], cloud_attribute(back, c->columns[k].name), c->n);
    cloud_free(back);
    ((double *)c->columns[1].data)[7] = 0.0 / 0.0;
    assert_int_equal(format_write(c, scratch("nan.las"), NULL), GLT_EDATA);
    assert_false(file_exists(scratch("nan.las")));
    cloud_free(c);
}

/* What does not fit its field is found under its name all the same, also on a second trip. */
static void values_beyond_their_field_keep_their_name(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(20, GLT_F32, 0, 4), *back, *again;
    float v[20];
    for (int i = 0; i < 20; i++)
        v[i] = (float)i / 32;
    assert_int_equal(glt_cloud_set(c, "intensity", GLT_F32, v, 0), 0);
    assert_int_equal(glt_cloud_set(c, "user_data", GLT_F32, v, 0), 0);
    back = read_back(c, "beyond.las", NULL);
    assert_same_column(cloud_attribute(c, "intensity"), cloud_attribute(back, "intensity"), 20);
    assert_same_column(cloud_attribute(c, "user_data"), cloud_attribute(back, "user_data"), 20);
    again = read_back(back, "again.las", NULL);
    assert_same_cloud(back, again);
    cloud_free(again);
    cloud_free(back);
    cloud_free(c);
}

/* What other programs insist on in files that are not copies of LAS. */
static void programs_accept_what_is_written(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(3, GLT_F64, 0, 4), *back;
    const float part[] = {0.25f, 0.5f, 0.75f};
    const double time[] = {1e9, 1e9 + 1, 1e9 + 2};
    const uint8_t high[] = {64, 65, 66};
    static const char longer[] = "an_attribute_of_more_than_32_letters_a";
    char other[sizeof longer];
    char *bytes;
    size_t len;
    memcpy(other, longer, sizeof longer);
    other[sizeof longer - 2] = 'b';
    assert_int_equal(glt_cloud_set(c, "intensity", GLT_F32, part, 0), 0);
    assert_int_equal(glt_cloud_set(c, "withheld", GLT_F32, part, 0), 0);
    assert_int_equal(glt_cloud_set(c, longer, GLT_F32, part, 0), 0);
    assert_int_equal(glt_cloud_set(c, other, GLT_F32, part, 0), 0);
    assert_int_equal(glt_cloud_set(c, "gps_time", GLT_F64, time, 0), 0);
    back = read_back(c, "accepted.las", NULL);
    const unsigned char *head = cloud_note(back, "las.header")->bytes;
    assert_int_equal(head[25], 4);   /* the version that has extra bytes */
    assert_int_equal(head[6], 0x01); /* satellite time */
    assert_non_null(cloud_attribute(back, "withheld"));
    for (int i = 0; i < 3; i++) { /* the only return */
        assert_true(column_value(cloud_attribute(back, "return_number"), i) == 1);
        assert_true(column_value(cloud_attribute(back, "number_of_returns"), i) == 1);
    }
    assert_int_equal(little_get(head + 111, 4), 3);
    assert_int_equal(file_read_all(&bytes, &len, scratch("accepted.las"), 1 << 20), 0);
    static const char *const names[] = {"intensity_extra", "withheld_extra",
                                        "an_attribute_of_more_than_32_let",
                                        "an_attribute_of_more_than_32_l_2"};
    for (int i = 0; i < 4; i++)
        assert_non_null(memmem(bytes, len, names[i], strlen(names[i]) + (i < 2)));
    memory_free(bytes);
    cloud_free(back);
    assert_int_equal(glt_cloud_set(c, "classification", GLT_U8, high, 0), 0);
    back = read_back(c, "accepted6.las", NULL);
    head = cloud_note(back, "las.header")->bytes;
    assert_true(head[104] >= 6);
    assert_int_equal(head[6], 0x11); /* a coordinate system would be WKT */
    cloud_free(back);
    cloud_free(c);
}

/* 8 bits in 16 are bytes in formats whose readers expect these; they come back to LAS exactly. */
static void colours_become_bytes_where_nothing_is_lost(void **state)
{
    (void)state;
    static const char *const names[] = {"colour.ply", "colour.pcd"};
    for (int wide = 0; wide < 2; wide++)
        for (int i = 0; i < 2; i++) {
            struct glt_cloud *c = made_cloud(2, GLT_F32, 0, 4), *las, *other, *back;
            const uint16_t red[] = {257 * 200, (uint16_t)(257 * 3 + wide)}, none[] = {0, 0};
            assert_int_equal(glt_cloud_set(c, "red", GLT_U16, red, 0), 0);
            assert_int_equal(glt_cloud_set(c, "green", GLT_U16, none, 0), 0);
            assert_int_equal(glt_cloud_set(c, "blue", GLT_U16, none, 0), 0);
            las = read_back(c, "colour.las", NULL);
            other = read_back(las, names[i], NULL);
            assert_int_equal(cloud_attribute(other, "red")->type, wide ? GLT_U16 : GLT_U8);
            back = read_back(other, "colour2.las", NULL);
            assert_same_column(cloud_attribute(las, "red"), cloud_attribute(back, "red"), 2);
            cloud_free(back);
            cloud_free(other);
            cloud_free(las);
            cloud_free(c);
        }
}

/* A descriptor of a type that LAS does not have is as long as its options say, and no longer. */
static void descriptors_without_a_type_are_read(void **state)
{
    (void)state;
    unsigned char bytes[LAS_DESCRIPTOR] = {0};
    struct las_extra x;
    bytes[2] = 31;
    bytes[3] = 0xff;
    assert_false(las_layout_is_uneven(bytes));
    las_layout_read_descriptor(&x, bytes);
    assert_int_equal(x.size, 255);
}

/* Names of classes that were changed replace the record they were read from. */
static void names_that_were_changed_are_written(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(2, GLT_F32, 0, 4), *las, *back;
    const int32_t labels[] = {2, 3};
    const char *names[] = {"", "", "ground", "bush"};
    assert_int_equal(labels_set(c, labels, NULL, names, 4), 0);
    las = read_back(c, "named.las", NULL);
    back = read_back(las, "same.las", NULL);
    assert_string_equal(classes_name(&back->classes, 2), "ground");
    cloud_free(back);
    assert_int_equal(glt_cloud_set_class(las, 2, "soil"), 0);
    back = read_back(las, "soil.las", NULL);
    assert_string_equal(classes_name(&back->classes, 2), "soil");
    assert_int_equal(back->classes.n, las->classes.n);
    cloud_free(back);
    cloud_free(las);
    cloud_free(c);
}

/* Predictions that went through PLY win over the classes of the file they were made from. */
static void predictions_win_over_old_classes(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(2, GLT_F32, 0, 4), *ply, *back;
    const uint8_t old[] = {1, 1};
    const int32_t labels[] = {2, 6};
    const float confidence[] = {0.5f, 0.75f};
    assert_int_equal(glt_cloud_set(c, "classification", GLT_U8, old, 0), 0);
    assert_int_equal(labels_set(c, labels, confidence, NULL, 7), 0);
    ply = read_back(c, "through.ply", NULL);
    back = read_back(ply, "through.las", NULL);
    assert_true(column_value(cloud_attribute(back, "classification"), 0) == 2);
    assert_true(column_value(cloud_attribute(back, "classification"), 1) == 6);
    cloud_free(back);
    cloud_free(ply);
    cloud_free(c);
}

/* A time in nanoseconds has more digits than a double: it keeps them, in extra bytes. */
static void times_in_nanoseconds_keep_their_digits(void **state)
{
    (void)state;
    for (int signs = 0; signs < 2; signs++) {
        struct glt_cloud *c = made_cloud(2, GLT_F32, 0, 4), *back, *again;
        const int64_t times[] = {9007199254740993, 1700000000123456789}, few[] = {-5, 1 << 20};
        enum glt_type type = signs ? GLT_I64 : GLT_U64;
        assert_int_equal(glt_cloud_set(c, "gps_time", type, times, 0), 0);
        back = read_back(c, "time.las", NULL);
        assert_same_column(cloud_attribute(c, "gps_time"), cloud_attribute(back, "gps_time"), 2);
        again = read_back(back, "again.las", NULL);
        assert_same_cloud(back, again);
        cloud_free(again);
        cloud_free(back);
        assert_int_equal(glt_cloud_set(c, "gps_time", GLT_I64, few, 0), 0); /* these are exact */
        back = read_back(c, "time.las", NULL);
        assert_int_equal(cloud_attribute(back, "gps_time")->type, GLT_F64);
        assert_true(column_value(cloud_attribute(back, "gps_time"), 0) == -5);
        cloud_free(back);
        cloud_free(c);
    }
}

/* One record has room for 341 descriptors. */
static void more_attributes_than_one_record_holds_come_back(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(3, GLT_F32, 0, 4), *back;
    struct column *x;
    for (int i = 0; i < 400; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", i);
        assert_int_equal(cloud_add_attribute(&x, c, name, GLT_U8), 0);
        memset(x->data, i % 256, 3);
    }
    back = read_back(c, "many.las", NULL);
    assert_int_equal(((uint8_t *)cloud_attribute(back, "a340")->data)[2], 340 % 256);
    assert_null(cloud_attribute(back, "a341"));
    assert_null(cloud_attribute(back, "extra_bytes"));
    cloud_free(back);
    cloud_free(c);
}

/* The step for real coordinates is the double nearest to its power of ten. */
static void the_step_is_the_double_nearest_to_its_power_of_ten(void **state)
{
    (void)state;
    static const double steps[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100};
    double range = 10;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++, range *= 10) {
        struct glt_cloud *c = made_cloud(2, GLT_F64, 0, 4), *back;
        for (int d = 0; d < 3; d++)
            ((double *)c->columns[d].data)[0] = ((double *)c->columns[d].data)[1] = 0;
        ((double *)c->columns[0].data)[1] = range;
        back = read_back(c, "step.las", NULL);
        assert_true(back->columns[0].scale == steps[i]);
        cloud_free(back);
        cloud_free(c);
    }
}

static void labels_above_31_upgrade_the_point_format(void **state)
{
    (void)state;
    size_t len;
    unsigned char *bytes = build(&len, 1, 2);
    struct glt_cloud *c = read_text("a.las", (char *)bytes, len, NULL, 0), *back;
    int32_t labels[POINTS];
    float confidence[POINTS];
    const char *names[] = {"zero", "one", "a very long name of a class", "three"};
    for (int i = 0; i < POINTS; i++) {
        labels[i] = i % 4;
        confidence[i] = (float)i / 64;
    }
    assert_int_equal(labels_set(c, labels, confidence, names, 4), 0);
    back = read_back(c, "l.las", NULL);
    assert_int_equal(cloud_note(back, "las.header")->bytes[104], 6); /* 64 .. 67: free for users */
    assert_int_equal(((uint8_t *)cloud_attribute(back, "classification")->data)[6], 66);
    assert_int_equal(cloud_attribute(back, "confidence")->type, GLT_F32);
    assert_string_equal(classes_name(&back->classes, 66), "a very long nam");
    cloud_free(back);
    labels[5] = 200;
    assert_int_equal(labels_set(c, labels, NULL, NULL, 201), 0);
    back = read_back(c, "u.las", NULL);
    assert_int_equal(cloud_note(back, "las.header")->bytes[104], 6);
    assert_int_equal(cloud_note(back, "las.header")->bytes[25], 4);
    assert_int_equal(((uint8_t *)cloud_attribute(back, "classification")->data)[5], 200);
    assert_memory_equal(cloud_attribute(back, "gps_time")->data,
                        cloud_attribute(c, "gps_time")->data, POINTS * 8);
    assert_memory_equal(cloud_attribute(back, "Deviation")->data,
                        cloud_attribute(c, "Deviation")->data, POINTS * 8);
    /* whole degrees became units of 0.006 */
    double before = column_value(cloud_attribute(c, "scan_angle"), 3);
    double after = column_value(cloud_attribute(back, "scan_angle"), 3);
    assert_true(after - before < 0.0031 && before - after < 0.0031);
    cloud_free(back);
    cloud_free(c);
    memory_free(bytes);
}

/* Bytes of the user behind a short header stay behind it when it grows: they are no places. */
static void bytes_of_the_user_stay_behind_the_header(void **state)
{
    (void)state;
    enum { USER = 200 };
    for (int minor = 2; minor < 4; minor++) {
        size_t len, head = minor == 3 ? LAS_HEADER_13 : LAS_HEADER_12;
        unsigned char *bytes = build(&len, 1, minor), *user = memory_alloc(len + USER, 1);
        memcpy(user, bytes, head);
        memset(user + head, 0xa5, USER);
        memcpy(user + head + USER, bytes + head, len - head);
        little_put(user + 94, head + USER, 2);
        little_put(user + 96, little_get(bytes + 96, 4) + USER, 4);
        struct glt_cloud *c = read_text("u.las", (char *)user, len + USER, NULL, 0), *back;
        const uint8_t classes[POINTS] = {40}; /* more than 31: LAS 1.4 */
        assert_int_equal(glt_cloud_set(c, "classification", GLT_U8, classes, 0), 0);
        back = read_back(c, "u.las", NULL);
        const struct note *header = cloud_note(back, "las.header");
        assert_int_equal(header->bytes[25], 4);
        assert_int_equal(header->len, LAS_HEADER_14 + USER);
        assert_true(little_get(header->bytes + 235, 8) == 0);
        assert_true(little_get(header->bytes + 243, 4) == 0);
        assert_memory_equal(header->bytes + LAS_HEADER_14, user + head, USER);
        assert_memory_equal(header->bytes + 26, user + 26, 68);
        cloud_free(back);
        cloud_free(c);
        memory_free(user);
        memory_free(bytes);
    }
}

static void colours_of_8_and_16_bits_are_told_apart(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(256, GLT_F32, 0, 4), *back;
    const char *names[] = {"red", "green", "blue"};
    uint8_t ramp[256];
    for (int i = 0; i < 256; i++)
        ramp[i] = (uint8_t)i;
    for (int k = 0; k < 3; k++)
        assert_int_equal(glt_cloud_set(c, names[k], GLT_U8, ramp, 0), 0);
    back = read_back(c, "colour.las", NULL);
    float before[768], after[768];
    assert_int_equal(cloud_colours(before, c), 0);
    assert_int_equal(cloud_colours(after, back), 0);
    assert_memory_equal(before, after, sizeof before);
    cloud_free(back);
    cloud_free(c);
}

/* A red that is no colour is an attribute like others. */
static void a_red_that_is_no_colour_is_an_attribute(void **state)
{
    (void)state;
    for (int whole = 0; whole < 3; whole++) {
        struct glt_cloud *c = made_cloud(4, GLT_F32, 0, 4), *back, *again;
        const uint8_t bytes[] = {1, 200, 3, 4};
        const uint16_t words[] = {1, 200, 3, 40000};
        const float reals[] = {0.5f, 200, -1, 7};
        const void *values[] = {bytes, words, reals};
        static const enum glt_type types[] = {GLT_U8, GLT_U16, GLT_F32};
        assert_int_equal(glt_cloud_set(c, "red", types[whole], values[whole], 0), 0);
        /* with this the point format has a field for it */
        assert_int_equal(glt_cloud_set(c, "nir", GLT_U16, words, 0), 0);
        back = read_back(c, "red.las", NULL);
        assert_same_column(cloud_attribute(c, "red"), cloud_attribute(back, "red"), 4);
        again = read_back(back, "again.las", NULL);
        assert_same_cloud(back, again);
        cloud_free(again);
        cloud_free(back);
        cloud_free(c);
    }
    size_t len; /* in a file that has the field */
    unsigned char *file = build(&len, 2, 2);
    struct glt_cloud *c = read_text("a.las", (char *)file, len, NULL, 0), *back;
    cloud_remove_attribute(c, "green");
    back = read_back(c, "lone.las", NULL);
    assert_same_column(cloud_attribute(c, "red"), cloud_attribute(back, "red"), POINTS);
    cloud_free(back);
    cloud_free(c);
    memory_free(file);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        int n;
        uint64_t value;
        int code;
    } lies[] = {
        {0, 4, 0, GLT_EUNSUPPORTED}, /* no mark: the name decides, and it has no extension */
        {24, 1, 2, GLT_EUNSUPPORTED},
        {94, 2, 226, GLT_EFORMAT},
        {94, 2, 65535, GLT_EFORMAT},
        {96, 4, 0xffffffff, GLT_EFORMAT},
        {96, 4, 10, GLT_EFORMAT},
        {100, 4, 0xffffffff, GLT_EFORMAT},
        {104, 1, 11, GLT_EUNSUPPORTED},
        {104, 1, 0x86, GLT_EFORMAT}, /* LAZ without its record */
        {105, 2, 29, GLT_EFORMAT},
        {105, 2, 65535, GLT_EFORMAT},
        {247, 8, POINTS + 4, GLT_EFORMAT},
        {247, 8, UINT64_MAX, GLT_EFORMAT},
        {247, 8, (uint64_t)1 << 58, GLT_EFORMAT},
    };
    size_t len;
    unsigned char *bytes = build(&len, 7, 4), saved[8];
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        int64_t before = memory_stats().bytes;
        memcpy(saved, bytes + lies[i].at, 8);
        little_put(bytes + lies[i].at, lies[i].value, lies[i].n);
        memory_peak_reset();
        read_text("lie", (char *)bytes, len, NULL, lies[i].code);
        assert_true(memory_stats().peak < before + (1 << 20));
        assert_int_equal(memory_stats().bytes, before);
        memcpy(bytes + lies[i].at, saved, 8);
    }
    memory_free(bytes);
}

/* One far point costs digits on its own axis only, and a warning says so. */
static void a_far_point_costs_only_its_own_axis_digits(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(3, GLT_F64, 0, 4), *back;
    struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_COORDINATES, "x", 0};
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < 3; i++)
            ((double *)c->columns[d].data)[i] = 0.125 * (i + d);
    ((double *)c->columns[0].data)[2] = 1e10;
    glt_log_set(count_messages, &logged);
    back = read_back(c, "far.las", NULL);
    glt_log_set(NULL, NULL);
    assert_int_equal(logged.times, 1);
    assert_true(back->columns[1].scale == 1e-8 && back->columns[2].scale == 1e-8);
    assert_true(column_value(&back->columns[0], 2) == 1e10);
    for (int d = 1; d < 3; d++)
        for (int i = 0; i < 3; i++)
            assert_true(column_value(&back->columns[d], i) == 0.125 * (i + d));
    cloud_free(back);
    ((double *)c->columns[0].data)[1] = -1.7e308;
    ((double *)c->columns[0].data)[2] = 1.7e308;
    assert_int_equal(format_write(c, scratch("endless.las"), NULL), GLT_EDATA);
    assert_error("COORDINATES");
    assert_false(file_exists(scratch("endless.las")));
    cloud_free(c);
}

/* Units of 0.006 degrees: the point formats that have those hold them, and they are degrees to
 * everybody else. */
static void scan_angles_of_16_bits_are_kept(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(2, GLT_F32, 0, 4), *back;
    const double angle[] = {100 * 0.006, -2500 * 0.006};
    assert_int_equal(glt_cloud_set(c, "scan_angle", GLT_F64, angle, 0), 0);
    back = read_back(c, "angle.las", NULL);
    cloud_free(c);
    assert_true(cloud_note(back, "las.header")->bytes[104] >= 6);
    const struct column *x = cloud_attribute(back, "scan_angle");
    assert_int_equal(x->type, GLT_I16);
    assert_true(((int16_t *)x->data)[0] == 100 && ((int16_t *)x->data)[1] == -2500);
    assert_true(fabs(column_value(x, 1) + 15) < 1e-12);
    c = read_back(back, "angle.txt", NULL);
    cloud_free(back);
    back = read_back(c, "angle2.las", NULL);
    x = cloud_attribute(back, "scan_angle");
    assert_true(((int16_t *)x->data)[0] == 100 && ((int16_t *)x->data)[1] == -2500);
    cloud_free(back);
    cloud_free(c);
}

/* More than three values have no type in LAS: bytes keep theirs, others get a warning. */
static void attributes_of_many_values_are_kept_or_reported(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(2, GLT_F32, 0, 4), *back;
    struct column *x;
    struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_ATTRIBUTE, "feature", 0};
    assert_int_equal(cloud_add_wide(&x, c, "bytes", GLT_U8, 5), 0);
    assert_int_equal(cloud_add_wide(&x, c, "feature", GLT_F32, 4), 0);
    glt_log_set(count_messages, &logged);
    back = read_back(c, "values.las", NULL);
    glt_log_set(NULL, NULL);
    assert_int_equal(logged.times, 1);
    assert_int_equal(cloud_attribute(back, "bytes")->width, 5);
    cloud_free(back);
    cloud_free(c);
}

/* Names follow their classes to other numbers, into the lookup record too. */
static void names_follow_their_classes_to_other_numbers(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(2, GLT_F32, 0, 4), *las, *mapped, *back;
    const int32_t labels[] = {2, 3};
    const char *names[] = {"", "", "ground", "bush"};
    assert_int_equal(labels_set(c, labels, NULL, names, 4), 0);
    las = read_back(c, "names.las", NULL);
    assert_int_equal(glt_cloud_edit(&mapped, las, "map=2:5"), 0);
    back = read_back(mapped, "mapped.las", NULL);
    assert_true(column_value(cloud_attribute(back, "classification"), 0) == 5);
    assert_null(classes_name(&back->classes, 2));
    assert_string_equal(classes_name(&back->classes, 3), "bush");
    assert_string_equal(classes_name(&back->classes, 5), "ground");
    cloud_free(back);
    cloud_free(mapped);
    cloud_free(las);
    cloud_free(c);
}

/* Two records of a coordinate system, one of keys and one of text; the unit they agree on. */
static const char *unit_of(unsigned horizontal, unsigned vertical, const char *text)
{
    unsigned char bytes[2 * LAS_VLR + 24 + 200] = {0}, *keys = bytes + LAS_VLR, *words = keys + 24;
    size_t len = text ? strlen(text) : 0, all = LAS_VLR + 24 + (text ? LAS_VLR + len : 0);
    memcpy(bytes + 2, "LASF_Projection", 15);
    little_put(bytes + 18, 34735, 2);
    little_put(bytes + 20, 24, 2);
    for (int i = 0; i < 2; i++) {
        little_put(keys + 8 + 8 * i, i ? 4099 : 3076, 2);
        little_put(keys + 8 + 8 * i + 4, 1, 2);
        little_put(keys + 8 + 8 * i + 6, i ? vertical : horizontal, 2);
    }
    if (text) {
        memcpy(words + 2, "LASF_Projection", 15);
        little_put(words + 18, 2112, 2);
        little_put(words + 20, len, 2);
        memcpy(words + LAS_VLR, text, len);
    }
    return las_layout_unit(bytes, all);
}

static void the_unit_is_that_of_the_coordinate_system(void **state)
{
    (void)state;
    assert_string_equal(las_layout_unit((const unsigned char *)"", 0), "");
    assert_string_equal(unit_of(0, 0, NULL), "");
    assert_string_equal(unit_of(9001, 0, NULL), "m");
    assert_string_equal(unit_of(9003, 9003, NULL), "ft");
    assert_string_equal(unit_of(9001, 9002, NULL), ""); /* feet high, metres wide */
    assert_string_equal(unit_of(0, 0, "PROJCS[\"a\",UNIT[\"metre\",1]]"), "m");
    assert_string_equal(unit_of(0, 0, "PROJCS[\"a\",UNIT[\"US survey foot\",0.3048006]]"), "ft");
    assert_string_equal(unit_of(9001, 0, "VERT_CS[\"a\",UNIT[\"foot\",0.3048]]"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unit_is_that_of_the_coordinate_system),
        cmocka_unit_test(every_point_format_comes_back_bit_for_bit),
        cmocka_unit_test(clouds_of_other_formats_become_las),
        cmocka_unit_test(where_on_earth_points_are_is_kept_unless_they_moved),
        cmocka_unit_test(labels_above_31_upgrade_the_point_format),
        cmocka_unit_test(values_beyond_their_field_keep_their_name),
        cmocka_unit_test(programs_accept_what_is_written),
        cmocka_unit_test(colours_become_bytes_where_nothing_is_lost),
        cmocka_unit_test(descriptors_without_a_type_are_read),
        cmocka_unit_test(names_that_were_changed_are_written),
        cmocka_unit_test(predictions_win_over_old_classes),
        cmocka_unit_test(times_in_nanoseconds_keep_their_digits),
        cmocka_unit_test(more_attributes_than_one_record_holds_come_back),
        cmocka_unit_test(the_step_is_the_double_nearest_to_its_power_of_ten),
        cmocka_unit_test(bytes_of_the_user_stay_behind_the_header),
        cmocka_unit_test(colours_of_8_and_16_bits_are_told_apart),
        cmocka_unit_test(a_red_that_is_no_colour_is_an_attribute),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(a_far_point_costs_only_its_own_axis_digits),
        cmocka_unit_test(scan_angles_of_16_bits_are_kept),
        cmocka_unit_test(attributes_of_many_values_are_kept_or_reported),
        cmocka_unit_test(names_follow_their_classes_to_other_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
