/* E57: fields of every kind and width, poses, several scans, limits of colours, invalid records;
 * truncation at every length, damage of every page, XML and sections that lie. tests/peers/e57
 * compares with other programs. `test_e57 --corpus FOLDER` writes the inputs of fuzz_e57. */
#include "io_cloud.h"

#include "core/file.h"
#include "core/file_syscall.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "e57_bytes.h"
#include "faults.h"

#include <math.h>

enum { N = 700, FEW = 20 };

#define INTEGER(name, min, bits)                                                                   \
    {                                                                                              \
        name, E57_INTEGER, min, bits, 1, 0, 1, 0                                                   \
    }
#define SCALED(name, min, bits, scale)                                                             \
    {                                                                                              \
        name, E57_INTEGER, min, bits, 1, 0, scale, 0.5                                             \
    }
#define SINGLE(name)                                                                               \
    {                                                                                              \
        name, E57_SINGLE, 0, 32, 1, 0, 1, 0                                                        \
    }
#define DOUBLE(name)                                                                               \
    {                                                                                              \
        name, E57_DOUBLE, 0, 64, 1, 0, 1, 0                                                        \
    }
#define COUNT(fields) (int)(sizeof(fields) / sizeof *(fields))

static const struct e57_field places[] = {DOUBLE("cartesianX"), SINGLE("cartesianY"),
                                          SCALED("cartesianZ", -262144, 19, 0.001)};
static const struct e57_field sphere[] = {DOUBLE("sphericalRange"), SINGLE("sphericalAzimuth"),
                                          DOUBLE("sphericalElevation")};
static const struct e57_field normals[] = {
    DOUBLE("cartesianX"),  DOUBLE("cartesianY"),  DOUBLE("cartesianZ"),
    SINGLE("nor:normalX"), DOUBLE("nor:normalY"), SCALED("nor:normalZ", -100, 8, 0.01)};

#define POSE                                                                                       \
    "<pose type=\"Structure\"><rotation type=\"Structure\"><w type=\"Float\">1.0</w>"              \
    "<x type=\"Float\">\n 2 \n</x><y type=\"Float\"/><z type=\"Float\">-0.5e0</z></rotation>"      \
    "<translation type=\"Structure\"><x type=\"Float\">1000000</x><y>-7.25</y><z>0.125</z>"        \
    "</translation></pose>"

static int read_code(struct glt_cloud **out, const void *bytes, size_t len)
{
    struct file *f;
    int code = file_open_memory(&f, "a.e57", bytes, len);
    if (code < 0)
        return code;
    code = format_read_file(out, f, NULL);
    file_close(f);
    return code;
}

static struct glt_cloud *read_file(struct e57_file *f)
{
    struct glt_cloud *c = read_text("a.e57", (const char *)f->bytes, f->len, NULL, 0);
    memory_free(f->bytes);
    return c;
}

static struct glt_cloud *read_scan(const struct e57_field *fields, int n_fields, int64_t n,
                                   const char *more)
{
    struct e57_file f;
    e57_begin(&f, 1024);
    e57_scan_of(&f, fields, n_fields, n, 100, more);
    e57_finish(&f);
    return read_file(&f);
}

static double at(const struct glt_cloud *c, const char *name, int64_t i)
{
    assert_non_null(cloud_attribute(c, name));
    return column_value(cloud_attribute(c, name), i);
}

static void fields_of_every_kind_come_back(void **state)
{
    (void)state;
    static const struct e57_field fields[] = {
        INTEGER("bit", 0, 1),       INTEGER("none", 7, 0),
        INTEGER("rowIndex", 0, 13), DOUBLE("cartesianX"),
        SINGLE("cartesianY"),       SCALED("cartesianZ", -262144, 19, 1e-3),
        SINGLE("intensity"),        INTEGER("wide", -9, 57),
        INTEGER("wider", -5, 61),   INTEGER("widest", INT64_MIN, 64),
        DOUBLE("timeStamp"),        INTEGER("byte", -128, 8),
        INTEGER("word", -200, 9),   INTEGER("long", -70000, 18),
        INTEGER("u32", 1, 31)};
    static const enum glt_type types[] = {GLT_U8,  GLT_U8,  GLT_U16, GLT_F64, GLT_F32,
                                          GLT_I32, GLT_F32, GLT_I64, GLT_I64, GLT_I64,
                                          GLT_F64, GLT_I8,  GLT_I16, GLT_I32, GLT_U32};
    static const size_t pieces[] = {1, 3, 37, 4000};
    for (size_t m = 0; m < sizeof pieces / sizeof *pieces; m++)
        for (int64_t page = 1024; page <= 4096; page *= 4) {
            struct e57_file f;
            e57_begin(&f, page);
            e57_scan_of(&f, fields, COUNT(fields), N, pieces[m], "");
            e57_finish(&f);
            struct glt_cloud *c = read_file(&f);
            assert_int_equal(c->n, N);
            assert_int_equal(c->n_columns, COUNT(fields));
            for (int k = 0; k < COUNT(fields); k++) {
                const char *name = fields[k].name;
                char letter[2] = {(char)(name[9] + 'x' - 'X'), 0};
                name = strncmp(name, "cartesian", 9) ? name : letter;
                assert_int_equal(cloud_attribute(c, name)->type, types[k]);
                for (int64_t i = 0; i < N; i++)
                    assert_true(at(c, name, i) == e57_value(&fields[k], k, i));
            }
            cloud_free(c);
        }
}

static void spherical_coordinates_become_cartesian(void **state)
{
    (void)state;
    struct glt_cloud *c = read_scan(sphere, COUNT(sphere), N, "");
    for (int64_t i = 0; i < N; i++) {
        double range = e57_value(&sphere[0], 0, i), azimuth = e57_value(&sphere[1], 1, i);
        double elevation = e57_value(&sphere[2], 2, i);
        assert_true(fabs(at(c, "x", i) - range * cos(elevation) * cos(azimuth)) < 1e-12);
        assert_true(fabs(at(c, "y", i) - range * cos(elevation) * sin(azimuth)) < 1e-12);
        assert_true(fabs(at(c, "z", i) - range * sin(elevation)) < 1e-12);
    }
    assert_int_equal(c->n_columns, 3);
    cloud_free(c);
}

/* v turned by the quaternion of POSE: v + 2 w (u x v) + 2 u x (u x v), over its squared length. */
static void turn(double out[3], const double v[3])
{
    static const double w = 1, u[3] = {2, 0, -0.5}, square = 1 + 4 + 0.25;
    double a[3], b[3];
    for (int d = 0; d < 3; d++)
        a[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
    for (int d = 0; d < 3; d++)
        b[d] = u[(d + 1) % 3] * a[(d + 2) % 3] - u[(d + 2) % 3] * a[(d + 1) % 3];
    for (int d = 0; d < 3; d++)
        out[d] = v[d] + 2 * (w * a[d] + b[d]) / square;
}

static void a_pose_moves_points_and_turns_normals(void **state)
{
    (void)state;
    static const double shift[3] = {1e6, -7.25, 0.125};
    static const char *const xyz[] = {"x", "y", "z"}, *const nxyz[] = {"nx", "ny", "nz"};
    struct glt_cloud *c = read_scan(normals, COUNT(normals), N, POSE);
    for (int64_t i = 0; i < N; i++) {
        double v[6], point[3], normal[3];
        for (int k = 0; k < 6; k++)
            v[k] = e57_value(&normals[k], k, i);
        turn(point, v);
        turn(normal, v + 3);
        for (int d = 0; d < 3; d++) {
            assert_true(fabs(at(c, xyz[d], i) - (point[d] + shift[d])) < 1e-9);
            assert_true(fabs(at(c, nxyz[d], i) - normal[d]) < 1e-6);
        }
    }
    cloud_free(c);
}

static void several_scans_make_one_cloud(void **state)
{
    (void)state;
    static const struct e57_field a[] = {SCALED("cartesianX", 0, 10, 0.5),
                                         SCALED("cartesianY", 0, 10, 0.5), SINGLE("cartesianZ"),
                                         INTEGER("rowIndex", 0, 8), SINGLE("intensity")};
    static const struct e57_field b[] = {SCALED("cartesianX", -9, 20, 0.5),
                                         SCALED("cartesianY", 0, 10, 0.25), SINGLE("cartesianZ"),
                                         INTEGER("rowIndex", -3, 8), INTEGER("returnIndex", 0, 3)};
    struct e57_file f;
    e57_begin(&f, 1024);
    e57_scan_of(&f, a, COUNT(a), 30, 9, "<name type=\"String\"><![CDATA[north & east]]></name>");
    e57_scan_of(&f, b, COUNT(b), 50, 9,
                "<intensityLimits><intensityMinimum/><intensityMaximum>2</intensityMaximum>"
                "</intensityLimits>");
    e57_scan_of(&f, sphere, COUNT(sphere), 0, 9, "");
    e57_finish(&f);
    struct glt_cloud *c = read_file(&f);
    assert_int_equal(c->n, 80);
    assert_int_equal(cloud_attribute(c, "y")->type, GLT_F64); /* of two scales */
    assert_int_equal(cloud_attribute(c, "rowIndex")->type, GLT_I16);
    for (int64_t i = 0; i < 80; i++) {
        bool first = i < 30;
        int64_t row = first ? i : i - 30;
        assert_true(at(c, "scan", i) == !first);
        assert_true(at(c, "x", i) == e57_value(first ? &a[0] : &b[0], 0, row));
        assert_true(at(c, "y", i) == e57_value(first ? &a[1] : &b[1], 1, row));
        assert_true(at(c, "z", i) == e57_value(first ? &a[2] : &b[2], 2, row));
        assert_true(at(c, "rowIndex", i) == e57_value(first ? &a[3] : &b[3], 3, row));
        assert_true(at(c, "intensity", i) == (first ? e57_value(&a[4], 4, row) : 0));
        assert_true(at(c, "returnIndex", i) == (first ? 0 : e57_value(&b[4], 4, row)));
    }
    assert_int_equal(c->n_comments, 2);
    assert_string_equal(c->comments[0], "scan 0 north & east");
    assert_string_equal(c->comments[1], "scan 1  intensity 0 to 2");
    cloud_free(c);
}

static void invalid_records_are_dropped_and_counted(void **state)
{
    (void)state;
    static const struct e57_field fields[] = {DOUBLE("cartesianX"), DOUBLE("cartesianY"),
                                              DOUBLE("cartesianZ"), INTEGER("rowIndex", 0, 9),
                                              INTEGER("cartesianInvalidState", 0, 2)};
    struct log_count logged = {GLT_LOG_INFO, GLT_TOPIC_NONE, NULL, 0};
    glt_log_set(count_messages, &logged);
    struct glt_cloud *c = read_scan(fields, COUNT(fields), N, "");
    glt_log_set(NULL, NULL);
    assert_int_equal(logged.times, 1);
    int64_t n = 0;
    for (int64_t i = 0; i < N; i++)
        if (e57_raw(&fields[4], 4, i) == 0) {
            assert_true(at(c, "x", n) == e57_value(&fields[0], 0, i));
            assert_true(at(c, "rowIndex", n++) == e57_value(&fields[3], 3, i));
        }
    assert_int_equal(c->n, n);
    assert_true(n > 100 && n < 300);
    assert_null(cloud_attribute(c, "cartesianInvalidState"));
    cloud_free(c);
}

#define COLOUR_LIMITS(low, high)                                                                   \
    "<colorLimits><colorRedMinimum>" low "</colorRedMinimum><colorRedMaximum>" high                \
    "</colorRedMaximum><colorGreenMinimum>" low "</colorGreenMinimum><colorGreenMaximum>" high     \
    "</colorGreenMaximum><colorBlueMinimum>" low "</colorBlueMinimum><colorBlueMaximum>" high      \
    "</colorBlueMaximum></colorLimits>"

static void colours_follow_their_limits(void **state)
{
    (void)state;
    struct e57_field fields[] = {DOUBLE("cartesianX"),        DOUBLE("cartesianY"),
                                 DOUBLE("cartesianZ"),        INTEGER("colorRed", 0, 8),
                                 INTEGER("colorGreen", 0, 8), INTEGER("colorBlue", 0, 8)};
    struct glt_cloud *c = read_scan(fields, COUNT(fields), N, "");
    assert_int_equal(cloud_attribute(c, "red")->type, GLT_U8);
    for (int64_t i = 0; i < N; i++)
        assert_true(at(c, "green", i) == e57_value(&fields[4], 4, i));
    cloud_free(c);
    for (int k = 3; k < 6; k++)
        fields[k].bits = 10;
    c = read_scan(fields, COUNT(fields), N, COLOUR_LIMITS("0", "1023"));
    assert_int_equal(cloud_attribute(c, "red")->type, GLT_U16);
    for (int64_t i = 0; i < N; i++)
        assert_true(at(c, "red", i) == rint(e57_value(&fields[3], 3, i) * 65535 / 1023));
    cloud_free(c);
    for (int k = 3; k < 6; k++)
        fields[k] = (struct e57_field)SINGLE("");
    for (int k = 0; k < 3; k++)
        snprintf(fields[3 + k].name, E57_NAME, "color%s", k ? k == 1 ? "Green" : "Blue" : "Red");
    c = read_scan(fields, COUNT(fields), N, COLOUR_LIMITS("0.0", "1.0"));
    assert_int_equal(cloud_attribute(c, "blue")->type, GLT_F32);
    cloud_free(c);
    c = read_scan(fields, COUNT(fields), N, COLOUR_LIMITS("-4", "4"));
    for (int64_t i = 0; i < N; i++)
        assert_true(fabs(at(c, "blue", i) - (e57_value(&fields[5], 5, i) + 4) * 65535 / 8) <= 0.5);
    cloud_free(c);
}

static void a_file_without_records_is_an_empty_cloud(void **state)
{
    (void)state;
    struct e57_file f;
    e57_begin(&f, 1024);
    e57_finish(&f);
    struct glt_cloud *c = read_file(&f);
    assert_int_equal(c->n, 0);
    assert_int_equal(c->n_columns, 3);
    cloud_free(c);
    c = read_scan(places, COUNT(places), 0, "");
    assert_int_equal(c->n, 0);
    cloud_free(c);
}

static void texts_are_left_out(void **state)
{
    (void)state;
    static const struct e57_field fields[] = {{"title", E57_STRING, 0, 0, 1, 0, 1, 0},
                                              DOUBLE("cartesianX"),
                                              DOUBLE("cartesianY"),
                                              DOUBLE("cartesianZ")};
    struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_ATTRIBUTE, "title", 0};
    glt_log_set(count_messages, &logged);
    struct glt_cloud *c = read_scan(fields, COUNT(fields), N, "");
    glt_log_set(NULL, NULL);
    assert_int_equal(logged.times, 1);
    assert_int_equal(c->n_columns, 3);
    assert_true(at(c, "z", N - 1) == e57_value(&fields[3], 3, N - 1));
    cloud_free(c);
}

/* --- damage --- */

static void small_file(struct e57_file *f, int64_t n)
{
    e57_begin(f, 1024);
    e57_scan_of(f, normals, COUNT(normals), n, 50, POSE);
    e57_finish(f);
}

static void every_truncation_names_a_page(void **state)
{
    (void)state;
    struct e57_file f;
    struct glt_cloud *c = NULL;
    small_file(&f, 60);
    for (size_t cut = 1; cut < f.len; cut++) {
        unsigned char *copy = memory_alloc(cut, 1);
        memcpy(copy, f.bytes, cut);
        assert_int_equal(read_code(&c, copy, cut), GLT_EFORMAT);
        assert_int_equal(glt_error_place(GLT_PLACE_PAGE), cut / 1024);
        assert_int_equal(glt_error_topic(), GLT_TOPIC_TRUNCATED);
        assert_string_equal(glt_error_file(), "a.e57");
        memory_free(copy);
    }
    memory_free(f.bytes);
}

static void damage_names_its_page(void **state)
{
    (void)state;
    struct e57_file f;
    struct glt_cloud *c = NULL;
    small_file(&f, 60);
    for (size_t i = E57_HEADER; i < f.len; i += 7) {
        f.bytes[i] ^= 0x10;
        assert_int_equal(read_code(&c, f.bytes, f.len), GLT_EFORMAT);
        assert_int_equal(glt_error_place(GLT_PLACE_PAGE), i / 1024);
        f.bytes[i] ^= 0x10;
    }
    memory_free(f.bytes);
}

/* Bytes of small_file. */
static const struct {
    size_t at;
    int n;
    uint64_t value;
    int code;
} lies[] = {
    {0, 1, 'B', GLT_EFORMAT},
    {8, 4, 2, GLT_EUNSUPPORTED},
    {16, 8, 0, GLT_EFORMAT},
    {16, 8, UINT64_MAX, GLT_EFORMAT},
    {16, 8, 1025, GLT_EFORMAT},
    {24, 8, UINT64_MAX, GLT_EFORMAT},
    {24, 8, 1022, GLT_EFORMAT},
    {32, 8, UINT64_MAX, GLT_EFORMAT},
    {32, 8, 0, GLT_EFORMAT},
    {40, 8, 0, GLT_EFORMAT},
    {40, 8, 1000, GLT_EFORMAT},
    {40, 8, (uint64_t)1 << 40, GLT_EFORMAT},
    /* the section: its kind, length, first packet */
    {48, 1, 2, GLT_EFORMAT},
    {56, 8, 31, GLT_EFORMAT},
    {56, 8, UINT64_MAX, GLT_EFORMAT},
    {64, 8, UINT64_MAX, GLT_EFORMAT},
    {64, 8, 48, GLT_EFORMAT},
    {64, 8, 1021, GLT_EFORMAT},
    /* its first packet: kind, length, streams, the length of one */
    {80, 1, 3, GLT_EFORMAT},
    {82, 2, 0, GLT_EFORMAT},
    {82, 2, 4, GLT_EFORMAT},
    {82, 2, 65535, GLT_EFORMAT},
    {82, 2, 3, GLT_EFORMAT},
    {84, 2, 5, GLT_EFORMAT},
    {84, 2, 65535, GLT_EFORMAT},
    {86, 2, 65535, GLT_EFORMAT},
    {86, 2, 0, GLT_EFORMAT},
};

static void headers_that_lie_are_refused(void **state)
{
    (void)state;
    struct e57_file f;
    struct glt_cloud *c = NULL;
    small_file(&f, 60);
    unsigned char *copy = memory_alloc(f.len, 1);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        memcpy(copy, f.bytes, f.len);
        little_put(copy + lies[i].at, lies[i].value, lies[i].n);
        e57_sign(copy, f.len, 1024);
        int code = read_code(&c, copy, f.len);
        if (code != lies[i].code)
            fail_msg("lie %zu: %d", i, code);
        if (code == GLT_EFORMAT)
            assert_true(glt_error_place(GLT_PLACE_PAGE) >= 0);
    }
    memory_free(copy);
    memory_free(f.bytes);
}

/* A file of this XML and nothing else. */
static void xml_file(struct e57_file *f, const char *xml)
{
    e57_begin(f, 1024);
    string_free(&f->xml);
    f->xml = (struct string){0};
    string_add(&f->xml, "%s", xml);
    e57_pack(f);
}

static int read_xml(const char *xml)
{
    struct e57_file f;
    struct glt_cloud *c = NULL;
    xml_file(&f, xml);
    int code = read_code(&c, f.bytes, f.len);
    memory_free(f.bytes);
    cloud_free(c);
    return code;
}

#define SCAN(points) "<e57Root><data3D><vectorChild>" points "</vectorChild></data3D></e57Root>"
#define POINTS(n, fields)                                                                          \
    SCAN("<points type=\"CompressedVector\" fileOffset=\"48\" recordCount=\"" n                    \
         "\"><prototype type=\"Structure\">" fields "</prototype></points>")

static const struct {
    const char *xml;
    int code;
} cases[] = {
    {"<e57Root/>", 0},
    {"", GLT_EFORMAT},
    {"<e57Root>", GLT_EFORMAT},
    {"<html></html>", GLT_EFORMAT},
    {"<!DOCTYPE e57Root [<!ENTITY a \"b\">]><e57Root>&a;</e57Root>", GLT_EFORMAT},
    {"<!DOCTYPE e57Root SYSTEM \"file:///etc/passwd\"><e57Root/>", GLT_EFORMAT},
    {"<e57Root>&a;</e57Root>", GLT_EFORMAT},
    {SCAN("<points type=\"Vector\"/>"), GLT_EFORMAT},
    {SCAN("<points type=\"CompressedVector\" fileOffset=\"-1\"/>"), GLT_EFORMAT},
    {SCAN("<points type=\"CompressedVector\" recordCount=\"x\"/>"), GLT_EFORMAT},
    {SCAN("<pose><rotation><w>one</w></rotation></pose>"), GLT_EFORMAT},
    {SCAN("<points type=\"CompressedVector\"><codecs><vectorChild><lzmaCodec/></vectorChild>"
          "</codecs></points>"),
     GLT_EUNSUPPORTED},
    {SCAN("<points type=\"CompressedVector\"><codecs><vectorChild><inputs/><bitPackCodec/>"
          "</vectorChild></codecs></points>"),
     0},
    {POINTS("0", "<a type=\"Blob\"/>"), GLT_EFORMAT},
    {POINTS("0", "<a/>"), GLT_EFORMAT},
    {POINTS("0", "<a type=\"Integer\" minimum=\"2\" maximum=\"1\"/>"), GLT_EFORMAT},
    {POINTS("0", "<a type=\"Integer\" minimum=\"two\"/>"), GLT_EFORMAT},
    {POINTS("0", "<a type=\"ScaledInteger\" scale=\"two\"/>"), GLT_EFORMAT},
    {POINTS("0", "<a type=\"Float\" minimum=\"a\" maximum=\"b\"/>"), GLT_EFORMAT},
    {POINTS("0", "<s type=\"Structure\"><a type=\"Float\"/></s>"), 0},
    {POINTS("5", "<a type=\"Float\"/>"), GLT_EDATA},
    {POINTS("9000000000000000000", "<cartesianX type=\"Float\"/><cartesianY type=\"Float\"/>"
                                   "<cartesianZ type=\"Float\"/>"),
     GLT_EFORMAT},
};

static void xml_that_lies_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = read_xml(cases[i].xml);
        if (code != cases[i].code)
            fail_msg("%s: %d, %s", cases[i].xml, code, glt_error_message());
        if (code == GLT_EFORMAT)
            assert_true(glt_error_place(GLT_PLACE_PAGE) >= 0);
    }
}

/* Elements, fields and scans beyond the limits. */
static void xml_is_bounded(void **state)
{
    (void)state;
    struct string s = {0};
    for (int i = 0; i < 40; i++)
        string_add(&s, "<e57Root>");
    assert_int_equal(read_xml(s.bytes), GLT_ELIMIT);
    string_free(&s);
    s = (struct string){0};
    string_add(&s, "<e57Root><%0600d/>", 1);
    memset(s.bytes + 10, 'a', 600);
    assert_int_equal(read_xml(s.bytes), GLT_ELIMIT);
    string_free(&s);
    s = (struct string){0};
    string_add(&s, "<e57Root><data3D><vectorChild><points type=\"CompressedVector\"><prototype>");
    for (int i = 0; i < 257; i++)
        string_add(&s, "<a%d type=\"Float\"/>", i);
    assert_int_equal(read_xml(s.bytes), GLT_ELIMIT);
    string_free(&s);
    s = (struct string){0};
    string_add(&s, "<e57Root><data3D>");
    for (int i = 0; i < 65536; i++)
        string_add(&s, "<vectorChild/>");
    assert_int_equal(read_xml(s.bytes), GLT_ELIMIT);
    string_free(&s);
}

/* 17 scans of 256 fields each have more columns than a cloud. */
static void columns_are_bounded(void **state)
{
    (void)state;
    struct string s = {0};
    string_add(&s, "<e57Root><data3D>");
    for (int i = 0; i < 17 * 256; i++)
        string_add(&s, "%s<a%d type=\"Float\"/>%s",
                   i % 256 ? "" : "<vectorChild><points type=\"CompressedVector\"><prototype>", i,
                   i % 256 < 255 ? "" : "</prototype></points></vectorChild>");
    string_add(&s, "</data3D></e57Root>");
    assert_int_equal(read_xml(s.bytes), GLT_ELIMIT);
    string_free(&s);
}

/* Equal records take no bytes: a small file must not unpack to gigabytes. */
static void equal_records_are_bounded(void **state)
{
    (void)state;
    static const struct e57_field fields[] = {
        INTEGER("cartesianX", 1, 0), INTEGER("cartesianY", 2, 0), INTEGER("cartesianZ", 3, 0)};
    struct glt_cloud *c = read_scan(fields, COUNT(fields), 100, "");
    assert_int_equal(c->n, 100);
    assert_true(at(c, "z", 99) == 3);
    cloud_free(c);
    struct e57_file f;
    e57_begin(&f, 1024);
    e57_scan_of(&f, fields, COUNT(fields), 1 << 20, 100, "");
    e57_finish(&f);
    memory_peak_reset();
    int64_t before = memory_stats().bytes;
    assert_int_equal(read_code(&c, f.bytes, f.len), GLT_EFORMAT);
    assert_true(memory_stats().peak - before < 1 << 20);
    memory_free(f.bytes);
}

/* In a file of several megabytes on the disk. */
static void lies_are_refused_after_reading_little(void **state)
{
    (void)state;
    static const char *const counts[] = {"9000000000000000000", "4000000"};
    for (size_t i = 0; i < 2; i++) {
        struct e57_file f;
        struct glt_cloud *c = NULL;
        e57_begin(&f, 1024);
        e57_section(&f, places, COUNT(places), 1000, 900);
        unsigned char *space = memory_alloc(3 << 20, 1);
        e57_add(&f, space, 3 << 20);
        memory_free(space);
        string_free(&f.xml);
        f.xml = (struct string){0};
        string_add(&f.xml,
                   SCAN("<points type=\"CompressedVector\" fileOffset=\"48\" recordCount=\"%s\">"
                        "<prototype><cartesianX type=\"Float\"/><cartesianY type=\"Float\"/>"
                        "<cartesianZ type=\"Float\"/></prototype></points>"),
                   counts[i]);
        e57_pack(&f);
        assert_int_equal(file_put(scratch("lie.e57"), f.bytes, f.len), 0);
        memory_free(f.bytes);
        int64_t before = file_bytes_read(), memory = memory_stats().bytes;
        memory_peak_reset();
        assert_int_equal(format_read(&c, scratch("lie.e57"), NULL), GLT_EFORMAT);
        assert_true(file_bytes_read() - before < 1 << 20);
        assert_true(memory_stats().peak - memory < 1 << 20);
    }
}

/* Scans that share a section, most of which is to be ignored: each would read all of it. */
static void sections_on_top_of_each_other_are_refused_after_little(void **state)
{
    (void)state;
    enum { PACKETS = 48, PACKET = 1 << 16, SCANS = 40 };
    struct e57_file f;
    struct glt_cloud *c = NULL;
    unsigned char head[32] = {1}, *packet = memory_alloc(PACKET, 1), record[40] = {1, 0, 39, 0, 3};
    packet[0] = 2;
    little_put16(packet + 2, PACKET - 1);
    for (int k = 0; k < 3; k++)
        record[6 + 2 * k] = 8;
    little_put64(head + 8, sizeof head + PACKETS * PACKET + sizeof record);
    e57_begin(&f, 1024);
    little_put64(head + 16, e57_physical(&f, f.len + sizeof head));
    uint64_t at = e57_physical(&f, f.len);
    e57_add(&f, head, sizeof head);
    for (int i = 0; i < PACKETS; i++)
        e57_add(&f, packet, PACKET);
    e57_add(&f, record, sizeof record);
    for (int i = 0; i < SCANS; i++)
        string_add(&f.xml,
                   "<vectorChild><points type=\"CompressedVector\" fileOffset=\"%llu\" "
                   "recordCount=\"1\"><prototype><cartesianX type=\"Float\"/><cartesianY "
                   "type=\"Float\"/><cartesianZ type=\"Float\"/></prototype></points>"
                   "</vectorChild>",
                   (unsigned long long)at);
    e57_finish(&f);
    assert_int_equal(file_put(scratch("shared.e57"), f.bytes, f.len), 0);
    int64_t before = file_bytes_read();
    assert_int_equal(format_read(&c, scratch("shared.e57"), NULL), GLT_EFORMAT);
    assert_true(file_bytes_read() - before < 2 * (int64_t)f.len);
    memory_free(f.bytes);
    memory_free(packet);
}

static int read_again(void *user)
{
    const struct e57_file *f = user;
    struct glt_cloud *c = NULL;
    int code = read_code(&c, f->bytes, f->len);
    if (code == 0)
        cloud_free(c);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct e57_file f;
    small_file(&f, 60);
    assert_true(faults_memory(read_again, &f) > 20);
    memory_free(f.bytes);
}

/* --- inputs of fuzz_e57 --- */

static int put(const char *folder, const char *name, struct e57_file *f)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int code = file_put(path, f->bytes, f->len);
    memory_free(f->bytes);
    return code;
}

static int write_corpus(const char *folder)
{
    static const struct e57_field mixed[] = {SINGLE("cartesianX"),
                                             SINGLE("cartesianY"),
                                             SINGLE("cartesianZ"),
                                             SCALED("intensity", -10, 12, 0.1),
                                             INTEGER("colorRed", 0, 10),
                                             INTEGER("colorGreen", 0, 10),
                                             INTEGER("colorBlue", 0, 10),
                                             INTEGER("cartesianInvalidState", 0, 2),
                                             INTEGER("none", 7, 0),
                                             INTEGER("wide", -5, 61),
                                             {"title", E57_STRING, 0, 0, 1, 0, 1, 0}};
    static const struct e57_field bytes[] = {SCALED("cartesianX", -9, 20, 0.5),
                                             SCALED("cartesianY", 0, 10, 0.5),
                                             DOUBLE("cartesianZ"),
                                             INTEGER("colorRed", 0, 8),
                                             INTEGER("colorGreen", 0, 8),
                                             INTEGER("colorBlue", 0, 8),
                                             INTEGER("long", -70000, 18),
                                             INTEGER("byte", -128, 8),
                                             INTEGER("word", -200, 9)};
    struct e57_file f;
    small_file(&f, 9);
    if (put(folder, "pose.e57", &f) < 0)
        return 1;
    e57_begin(&f, 1024);
    e57_scan_of(
        &f, mixed, COUNT(mixed), FEW, 15,
        "<name>a</name>" COLOUR_LIMITS(
            "0",
            "1023") "<intensityLimits><intensityMaximum>2</intensityMaximum><intensityMinimum/>"
                    "</intensityLimits>");
    e57_scan_of(&f, sphere, COUNT(sphere), FEW, 40, "");
    e57_finish(&f);
    if (put(folder, "scans.e57", &f) < 0)
        return 1;
    e57_begin(&f, 1024);
    e57_scan_of(&f, bytes, COUNT(bytes), FEW, 40, "");
    e57_finish(&f);
    if (put(folder, "colours", &f) < 0)
        return 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[32];
        snprintf(name, sizeof name, "xml_%zu", i);
        xml_file(&f, cases[i].xml);
        if (put(folder, name, &f) < 0)
            return 1;
    }
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        char name[32];
        snprintf(name, sizeof name, "lie_%zu", i);
        small_file(&f, 9);
        little_put(f.bytes + lies[i].at, lies[i].value, lies[i].n);
        if (put(folder, name, &f) < 0)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_every_kind_come_back),
        cmocka_unit_test(spherical_coordinates_become_cartesian),
        cmocka_unit_test(a_pose_moves_points_and_turns_normals),
        cmocka_unit_test(several_scans_make_one_cloud),
        cmocka_unit_test(invalid_records_are_dropped_and_counted),
        cmocka_unit_test(colours_follow_their_limits),
        cmocka_unit_test(a_file_without_records_is_an_empty_cloud),
        cmocka_unit_test(texts_are_left_out),
        cmocka_unit_test(every_truncation_names_a_page),
        cmocka_unit_test(damage_names_its_page),
        cmocka_unit_test(headers_that_lie_are_refused),
        cmocka_unit_test(xml_that_lies_is_refused),
        cmocka_unit_test(xml_is_bounded),
        cmocka_unit_test(columns_are_bounded),
        cmocka_unit_test(equal_records_are_bounded),
        cmocka_unit_test(lies_are_refused_after_reading_little),
        cmocka_unit_test(sections_on_top_of_each_other_are_refused_after_little),
        cmocka_unit_test(every_allocation_may_fail),
    };
    if (argc == 3 && !strcmp(argv[1], "--corpus"))
        return write_corpus(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
