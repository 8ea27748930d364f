/* OFF and OBJ: vertices with all they carry, sampling by area (of PLY too), refusals. */
#include "core/memory.h"
#include "errors.h"
#include "io_cloud.h"

#include <math.h>

static struct glt_cloud *vertices(const char *name, const char *text)
{
    struct format_options o = {.vertices = true};
    return read_text(name, text, strlen(text), &o, 0);
}

static void vertices_of_off_are_read(void **state)
{
    (void)state;
    static const char *const files[] = {
        "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "OFF3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", /* glued, as in ModelNet */
        "OFF # c\n#\n 3 1\n\n0 0 0 # a\n1 0 0\n#x\n0 1 0\n3 0 1 2 255 0 0\n",
        "3 1 0\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2\r\n",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct glt_cloud *c = vertices("a.off", files[i]);
        assert_int_equal(c->n, 3);
        assert_true(((double *)cloud_attribute(c, "y")->data)[2] == 1);
        cloud_free(c);
    }
    struct glt_cloud *c = vertices("a", "STCNOFF\n1 0 0\n1 2 3 0 0 1 255 7 0 1 0.5 0.5\n");
    assert_int_equal(((uint8_t *)cloud_attribute(c, "green")->data)[0], 7);
    assert_true(((double *)cloud_attribute(c, "nz")->data)[0] == 1);
    cloud_free(c);
}

static void binary_off_is_read(void **state)
{
    (void)state;
    static const char big[] =
        "OFF BINARY\n\0\0\0\1\0\0\0\0\0\0\0\0\x3f\x80\0\0\x40\0\0\0\x40\x40\0";
    struct format_options o = {.vertices = true};
    struct glt_cloud *c = read_text("b.off", big, sizeof big, &o, 0);
    assert_true(((double *)cloud_attribute(c, "z")->data)[0] == 3);
    cloud_free(c);
}

static size_t put_big(char *dst, size_t at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        dst[at++] = (char)(v >> (24 - 8 * i));
    return at;
}

/* Every vertex with a normal, a colour of four and a place in a texture; every face with a colour
 * of as many numbers as it says. */
static void binary_off_with_normals_and_colours_is_read(void **state)
{
    (void)state;
    enum { ONE = 0x3f800000, HALF = 0x3f000000 };
    static const uint32_t xyz[4][3] = {{0, 0, 0}, {ONE, 0, 0}, {ONE, ONE, 0}, {0, ONE, 0}};
    char text[512] = "STCNOFF BINARY\n";
    size_t at = put_big(text, put_big(text, put_big(text, strlen(text), 4), 2), 0);
    for (int i = 0; i < 4; i++) {
        const uint32_t behind[] = {0, 0, ONE, HALF, ONE, 0, ONE, HALF, HALF};
        for (int d = 0; d < 3; d++)
            at = put_big(text, at, xyz[i][d]);
        for (int k = 0; k < 9; k++)
            at = put_big(text, at, behind[k]);
    }
    size_t faces = at;
    const uint32_t words[] = {3, 0, 1, 2, 3, HALF, HALF, ONE, 3, 0, 2, 3, 0};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        at = put_big(text, at, words[k]);
    struct format_options o = {.vertices = true};
    struct glt_cloud *c = read_text("b.off", text, at, &o, 0);
    assert_int_equal(c->n, 4);
    assert_true(((double *)cloud_attribute(c, "y")->data)[2] == 1);
    assert_true(((double *)cloud_attribute(c, "nz")->data)[3] == 1);
    assert_true(((float *)cloud_attribute(c, "red")->data)[1] == 0.5f);
    assert_true(((float *)cloud_attribute(c, "green")->data)[3] == 1);
    cloud_free(c);
    o = (struct format_options){.sample = 4000};
    c = read_text("b.off", text, at, &o, 0); /* the whole square, so both faces were read */
    int64_t upper = 0;
    for (int64_t i = 0; i < c->n; i++)
        upper +=
            column_value(cloud_attribute(c, "y"), i) > column_value(cloud_attribute(c, "x"), i);
    assert_true(upper > 1800 && upper < 2200);
    cloud_free(c);
    put_big(text, faces + 16, 5);
    read_text("b.off", text, at, NULL, GLT_EFORMAT);
    assert_error("VALUE byte 239");
}

static void vertices_of_obj_are_read(void **state)
{
    (void)state;
    struct glt_cloud *c = vertices("a.obj", "# c\nmtllib x\nv 0 0 0 1 0 0\nv 1 0 \\\n0 0 1 0\n"
                                            "  v 0 1 0 0 0 0.5\nvn 0 0 1\nf 1//1 -2/1 3/1/1\n");
    assert_int_equal(c->n, 3);
    assert_true(((float *)cloud_attribute(c, "blue")->data)[2] == 0.5f);
    cloud_free(c);
}

/* A square of area 1 and one of area 3: a quarter of the points on the first; same seed, same
 * points; other seed, others. */
static void sampled_points_are_spread_by_area(void **state)
{
    (void)state;
    static const char text[] =
        "OFF\n8 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 5\n3 0 5\n3 1 5\n0 1 5\n"
        "4 0 1 2 3\n4 4 5 6 7\n";
    struct format_options o = {.sample = 4000, .seed = 1};
    struct glt_cloud *a = read_text("a.off", text, sizeof text - 1, &o, 0);
    struct glt_cloud *b = read_text("a.off", text, sizeof text - 1, &o, 0);
    o.seed = 2;
    struct glt_cloud *d = read_text("a.off", text, sizeof text - 1, &o, 0);
    assert_int_equal(a->n, 4000);
    assert_same_cloud(a, b);
    assert_memory_not_equal(a->columns[0].data, d->columns[0].data, 4000 * 8);
    const double *x = cloud_attribute(a, "x")->data, *z = cloud_attribute(a, "z")->data;
    int64_t low = 0;
    for (int64_t i = 0; i < a->n; i++) {
        assert_true(x[i] >= 0 && x[i] <= (z[i] > 0 ? 3 : 1));
        low += z[i] == 0;
        assert_true(((float *)cloud_attribute(a, "nz")->data)[i] == 1);
    }
    assert_true(low > 900 && low < 1100);
    o = (struct format_options){0};
    struct glt_cloud *e = read_text("a.off", text, sizeof text - 1, &o, 0);
    assert_int_equal(e->n, 10000);
    cloud_free(a);
    cloud_free(b);
    cloud_free(d);
    cloud_free(e);
    assert_int_equal(memory_stats().bytes, 0);
}

static void wrong_meshes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *message;
        int code;
    } bad[] = {
        {"a.off", "OFF\n353535235358 6 0\n0 0 0\n", "TRUNCATED", GLT_EFORMAT},
        {"a.off", "OFF\n18446744073709551615 6 0\n0 0 0\n", "TRUNCATED", GLT_EFORMAT},
        {"a.off", "OFF\n1 18446744073709551615 0\n0 0 0\n", "TRUNCATED", GLT_EFORMAT},
        {"a.off", "OFF\n2 0 0\n0 0 0 0 0 0\n", "TRUNCATED", GLT_EFORMAT},
        {"a.off", "OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "VALUE line 4", GLT_EFORMAT},
        {"a.off", "OFF\n1 1 0\n0 0 0\n99999999 0 0 1\n", "SIZE_LIMIT line 4", GLT_ELIMIT},
        {"a.off", "NOFF\n1 0 0\n0 0 0\n", "SYNTAX line 3", GLT_EFORMAT},
        {"a.off", "OFF\n1 0 0\n0 x 0\n", "SYNTAX line 3", GLT_EFORMAT},
        {"a.off", "4OFF\n1 0 0\n0 0 0 0\n", "FORMAT", GLT_EUNSUPPORTED},
        {"a.obj", "v 1 2\n", "SYNTAX line 1", GLT_EFORMAT},
        {"a.obj", "v 1 2 3\nf 1 2 3\n", "VALUE line 2", GLT_EFORMAT},
        {"a.obj", "v 1 2 3\nf 1 1 a\n", "SYNTAX line 2", GLT_EFORMAT},
        {"a.obj", "v 1 2 3\nf 0 1 1\n", "VALUE line 2", GLT_EFORMAT},
        {"a.obj", "# nothing\n", "MISSING", GLT_EFORMAT},
        {"a.what", "1 2 3\n", "FORMAT", GLT_EUNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memory_peak_reset();
        read_text(bad[i].name, bad[i].text, strlen(bad[i].text), NULL, bad[i].code);
        assert_error(bad[i].message);
        assert_true(memory_stats().peak < 2 << 20);
        assert_int_equal(memory_stats().bytes, 0);
    }
    struct glt_cloud *c = made_cloud(3, GLT_F32, 0, 1);
    assert_int_equal(format_write(c, scratch("a.off"), NULL), GLT_EUNSUPPORTED);
    assert_int_equal(format_write(c, scratch("a.what"), NULL), GLT_EUNSUPPORTED);
    cloud_free(c);
}

/* Joined lines around the longest that is kept: the last byte of room may go to the blank that
 * stands for the backslash. */
static void joined_lines_up_to_the_longest_are_read(void **state)
{
    (void)state;
    enum { LINE = 1 << 16, BEHIND = 1 << 20 };
    char *text = memory_alloc(LINE + BEHIND + 16, 1);
    assert_non_null(text);
    for (size_t n = LINE - 4; n <= LINE + 2; n++) {
        memset(text, '1', LINE + BEHIND + 16);
        memcpy(text, "v ", 2);
        memcpy(text + n, "\\\n", 2);
        read_text("long.obj", text, LINE + BEHIND, NULL, GLT_EFORMAT);
        assert_int_equal(glt_error_topic(), GLT_TOPIC_SYNTAX);
    }
    memset(text, ' ', LINE);
    memcpy(text, "v 1 2", 5);
    memcpy(text + LINE - 3, "\\\n3\n", 5);
    struct glt_cloud *c = read_text("long.obj", text, LINE + 1, NULL, 0);
    assert_int_equal(c->n, 1);
    cloud_free(c);
    memory_free(text);
}

/* Cut in its faces, binary OFF is as little a mesh as text would be. */
static void binary_off_cut_in_its_faces_is_refused(void **state)
{
    (void)state;
    char text[128] = "OFF BINARY\n";
    static const uint32_t words[] = {3, 2, 0, 0, 0, 0, 0x3f800000, 0, 0, 0, 0x3f800000,
                                     0, 3, 0, 1, 2, 0, 3,          0, 1, 2, 0};
    size_t at = strlen(text);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        at = put_big(text, at, words[k]);
    cloud_free(read_text("b.off", text, at, NULL, 0));
    for (size_t less = 4; less <= 40; less += 4) {
        read_text("b.off", text, at - less, NULL, GLT_EFORMAT);
        assert_error_file("b.off");
    }
}

/* Faces without even the count of their colour's numbers: all of them are read. */
static void faces_without_colours_are_all_read(void **state)
{
    (void)state;
    char text[128] = "OFF BINARY\n";
    static const uint32_t words[] = {4, 2,          0,          0, 0, 0,          0x3f800000, 0,
                                     0, 0x3f800000, 0x3f800000, 0, 0, 0x3f800000, 0,          3,
                                     0, 1,          2,          3, 0, 2,          3};
    size_t at = strlen(text);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        at = put_big(text, at, words[k]);
    struct glt_cloud *c = read_text("b.off", text, at, NULL, 0);
    int64_t upper = 0;
    for (int64_t i = 0; i < c->n; i++)
        upper +=
            column_value(cloud_attribute(c, "y"), i) > column_value(cloud_attribute(c, "x"), i);
    assert_true(upper > 4000 && upper < 6000);
    cloud_free(c);
    read_text("b.off", text, at - 4, NULL, GLT_EFORMAT);
}

/* The mark some editors put before UTF-8 belongs to no line. */
static void a_utf8_mark_belongs_to_no_line(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {"a.obj", "\xef\xbb\xbf"
                  "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
        {"a.off", "\xef\xbb\xbf"
                  "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"},
        {"a.xyz", "\xef\xbb\xbf"
                  "0 0 0\n1 0 0\n0 1 0\n"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct glt_cloud *c = vertices(files[i][0], files[i][1]);
        assert_int_equal(c->n, 3);
        assert_true(column_value(cloud_attribute(c, "x"), 1) == 1);
        cloud_free(c);
    }
}

#define PLY_HEADER(n, faces)                                                                       \
    "ply\nformat ascii 1.0\nelement vertex " n "\nproperty float x\nproperty float y\n"            \
    "property float z\nproperty uchar label\n" faces "end_header\n"
#define PLY_FACES(n) "element face " n "\nproperty list uchar int vertex_indices\n"

/* A square of two units at height 1, as one face of four corners, and a face without area. */
static void the_faces_of_ply_are_sampled(void **state)
{
    (void)state;
    static const char square[] = PLY_HEADER("4", PLY_FACES("2")) "0 0 1 5\n2 0 1 5\n2 2 1 5\n0 2 1 "
                                                                 "5\n4 0 1 2 3\n2 0 1\n";
    static const char bare[] = PLY_HEADER("1", "") "0 0 1 5\n";
    static const char wild[] = PLY_HEADER("1", PLY_FACES("1")) "0 0 1 5\n3 0 0 1\n";
    struct format_options o = {.sample = 1000};
    struct glt_cloud *c = read_text("s.ply", square, strlen(square), &o, 0);
    int beyond = 0; /* of the diagonal between the two triangles */
    assert_int_equal(c->n, 1000);
    assert_null(cloud_attribute(c, "label"));
    for (int64_t i = 0; i < c->n; i++) {
        double x = column_value(cloud_attribute(c, "x"), i);
        double y = column_value(cloud_attribute(c, "y"), i);
        assert_true(x >= 0 && x <= 2 && y >= 0 && y <= 2);
        assert_true(fabs(column_value(cloud_attribute(c, "z"), i) - 1) < 1e-12);
        assert_true(column_value(cloud_attribute(c, "nz"), i) == 1);
        beyond += y > x;
    }
    assert_in_range(beyond, 420, 580);
    cloud_free(c);
    read_text("b.ply", bare, strlen(bare), &o, GLT_EARGUMENT);
    read_text("w.ply", wild, strlen(wild), &o, GLT_EFORMAT);
    o.sample = 0;
    c = read_text("s.ply", square, strlen(square), &o, 0);
    assert_int_equal(c->n, 4);
    cloud_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_of_off_are_read),
        cmocka_unit_test(binary_off_is_read),
        cmocka_unit_test(binary_off_with_normals_and_colours_is_read),
        cmocka_unit_test(vertices_of_obj_are_read),
        cmocka_unit_test(sampled_points_are_spread_by_area),
        cmocka_unit_test(wrong_meshes_are_refused),
        cmocka_unit_test(joined_lines_up_to_the_longest_are_read),
        cmocka_unit_test(binary_off_cut_in_its_faces_is_refused),
        cmocka_unit_test(faces_without_colours_are_all_read),
        cmocka_unit_test(a_utf8_mark_belongs_to_no_line),
        cmocka_unit_test(the_faces_of_ply_are_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
