/* STL: text and binary, binary that begins with "solid", equal corners; truncation at every
 * length, lines out of order, counts that lie. `test_stl --corpus FOLDER` writes the inputs of
 * fuzz_stl. */
#include "io_cloud.h"

#include "core/file_write.h"
#include "core/memory.h"
#include "errors.h"
#include "formats/little.h"

#include <math.h>

#define FACET(a, b, c)                                                                             \
    " facet normal 0 0 1\n  outer loop\n   vertex " a "\n   vertex " b "\n   vertex " c            \
    "\n  endloop\n endfacet\n"

/* A square of side 2 in two triangles, then another solid far away. */
static const char text[] = "solid a square\n" FACET("0 0 0", "2 0 0", "2 2 0")
    FACET("-0 0 0", "2 2 0",
          "0 2.0e0 0") "endsolid a square\n\nsolid\n" FACET("9 9 9", "9 9 8", "9 8 9") "endsolid\n";

enum { TRIANGLES = 2, BINARY = 84 + 50 * TRIANGLES };

/* The same square; head = the first bytes. */
static void make_binary(unsigned char bytes[BINARY], const char *head)
{
    static const float corners[TRIANGLES][9] = {{0, 0, 0, 2, 0, 0, 2, 2, 0},
                                                {0, 0, 0, 2, 2, 0, 0, 2, 0}};
    memset(bytes, 0, BINARY);
    memcpy(bytes, head, strlen(head));
    little_put32(bytes + 80, TRIANGLES);
    for (int i = 0; i < TRIANGLES; i++)
        for (int k = 0; k < 9; k++) {
            uint32_t bits;
            memcpy(&bits, &corners[i][k], 4);
            little_put32(bytes + 84 + 50 * i + 12 + 4 * k, bits);
        }
}

static struct glt_cloud *read_mesh(const void *bytes, size_t len, bool vertices, int code)
{
    struct format_options o = {.vertices = vertices, .sample = vertices ? 0 : 500};
    return read_text("a.stl", bytes, len, &o, code);
}

static void equal_corners_are_one_vertex(void **state)
{
    (void)state;
    static const char *const heads[] = {"", "solid made by a program that does not know better"};
    unsigned char bytes[BINARY];
    struct glt_cloud *c = read_mesh(text, sizeof text - 1, true, 0);
    assert_int_equal(c->n, 7);
    assert_int_equal(c->n_columns, 3);
    cloud_free(c);
    for (int i = 0; i < 2; i++) {
        make_binary(bytes, heads[i]);
        c = read_mesh(bytes, BINARY, true, 0);
        assert_int_equal(c->n, 4);
        assert_true(column_value(cloud_attribute(c, "y"), 3) == 2);
        cloud_free(c);
    }
}

static void points_are_drawn_on_the_surface(void **state)
{
    (void)state;
    unsigned char bytes[BINARY];
    make_binary(bytes, "");
    struct glt_cloud *c = read_mesh(bytes, BINARY, false, 0);
    assert_int_equal(c->n, 500);
    double mean = 0;
    for (int64_t i = 0; i < c->n; i++) {
        double x = column_value(cloud_attribute(c, "x"), i);
        assert_true(x >= 0 && x <= 2 && column_value(cloud_attribute(c, "z"), i) == 0);
        assert_true(column_value(cloud_attribute(c, "nz"), i) == 1);
        mean += x / 500;
    }
    assert_true(fabs(mean - 1) < 0.1);
    cloud_free(c);
    c = read_text("a.stl", text, sizeof text - 1, NULL, 0);
    assert_int_equal(c->n, 10000);
    cloud_free(c);
}

static void text_is_known_by_its_first_lines(void **state)
{
    (void)state;
    struct glt_cloud *c = read_text("a.txt", text, sizeof text - 1, NULL, 0);
    assert_string_equal(c->format, "stl");
    cloud_free(c);
    static const char other[] = "solid\nground\n";
    read_text("a.what", other, sizeof other - 1, NULL, GLT_EUNSUPPORTED);
}

/* Many triangles that share corners, so that the table of vertices grows. */
static void a_grid_has_the_vertices_of_a_grid(void **state)
{
    (void)state;
    enum { SIDE = 60, N = SIDE * SIDE };
    size_t len = 84 + 50 * (size_t)N;
    unsigned char *bytes = memory_alloc(len, 1);
    little_put32(bytes + 80, N);
    for (int i = 0; i < N; i++) {
        const float x = (float)(i % SIDE), y = (float)(i / SIDE);
        const float corners[9] = {x, y, 0, x + 1, y, 0, x, y + 1, 0};
        for (int k = 0; k < 9; k++) {
            uint32_t bits;
            memcpy(&bits, &corners[k], 4);
            little_put32(bytes + 84 + 50 * (size_t)i + 12 + 4 * k, bits);
        }
    }
    struct glt_cloud *c = read_mesh(bytes, len, true, 0);
    assert_int_equal(c->n, (SIDE + 1) * (SIDE + 1) - 1);
    cloud_free(c);
    memory_free(bytes);
}

static void every_truncation_is_an_error(void **state)
{
    (void)state;
    unsigned char bytes[BINARY];
    make_binary(bytes, "solid");
    for (size_t cut = 1; cut < BINARY; cut++) {
        unsigned char *copy = memory_alloc(cut, 1);
        memcpy(copy, bytes, cut);
        read_mesh(copy, cut, true, GLT_EFORMAT);
        if (cut >= 84)
            assert_int_equal(glt_error_place(GLT_PLACE_BYTE), 84 + (cut - 84) / 50 * 50);
        memory_free(copy);
    }
    static const char one[] = "solid\n" FACET("0 0 0", "2 0 0", "2 2 0") "endsolid";
    for (size_t cut = 1; cut < sizeof one - 1; cut++)
        read_mesh(one, cut, true, GLT_EFORMAT);
    cloud_free(read_mesh(one, sizeof one - 1, true, 0));
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"solid\nendsolid\n", "MISSING"},
        {"solid\nfacet\nvertex 1 2 3\n", "SYNTAX line 3"},
        {"solid\n outer loop\n", "SYNTAX line 2"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2\n", "SYNTAX line 4"},
        {"solid\nfacet\nouter loop\nvertex 1 2 3 4\n", "SYNTAX line 4"},
        {"solid\nfacet\nouter loop\nvertex 1 2 x\n", "SYNTAX line 4"},
        {"solid\n" FACET("1 2 3", "4 5 6", "7 8 9"), "TRUNCATED line 8"},
        {"solid\nfacets\n", "SYNTAX line 2"},
        {"nothing of this is a mesh, but it is long enough to have a header and a count of faces "
         "behind it",
         "TRUNCATED byte 84"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read_mesh(cases[i].text, strlen(cases[i].text), true, GLT_EFORMAT);
        assert_error(cases[i].message);
    }
}

static void bytes_behind_the_triangles_are_reported(void **state)
{
    (void)state;
    unsigned char bytes[BINARY + 3] = {0};
    struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_FORMAT, NULL, 0};
    make_binary(bytes, "");
    glt_log_set(count_messages, &logged);
    struct glt_cloud *c = read_mesh(bytes, sizeof bytes, true, 0);
    glt_log_set(NULL, NULL);
    assert_int_equal(logged.times, 1);
    assert_int_equal(c->n, 4);
    cloud_free(c);
}

static int write_corpus(const char *folder)
{
    char path[1024];
    unsigned char bytes[BINARY];
    const struct {
        const char *name;
        const void *bytes;
        size_t len;
    } files[] = {{"text.stl", text, sizeof text - 1},
                 {"binary.stl", bytes, BINARY},
                 {"short", bytes, BINARY - 1},
                 {"tiny", bytes, 50},
                 {"open", text, 60},
                 {"corner", "solid\nfacet\nouter loop\nvertex 1 2 x\n", 38},
                 {"none", "solid\nendsolid\n", 15}};
    make_binary(bytes, "solid");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        if (file_put(path, files[i].bytes, files[i].len) < 0)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_corners_are_one_vertex),
        cmocka_unit_test(points_are_drawn_on_the_surface),
        cmocka_unit_test(text_is_known_by_its_first_lines),
        cmocka_unit_test(a_grid_has_the_vertices_of_a_grid),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(bytes_behind_the_triangles_are_reported),
    };
    if (argc == 3 && !strcmp(argv[1], "--corpus"))
        return write_corpus(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
