/* PTX: scans with their matrices, colours, directions without an echo.
 * labels: quick */
#include "errors.h"
#include "io_cloud.h"

#define AXES  "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
#define PLAIN "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n"
/* a quarter turn about z, then a shift */
#define TURNED "0 1 0 0\n-1 0 0 0\n0 0 1 0\n100 200 300 1\n"

static struct glt_cloud *read_ptx(const char *text, int want)
{
    return read_text("a.ptx", text, strlen(text), NULL, want);
}

static void a_scan_is_read(void **state)
{
    (void)state;
    struct glt_cloud *c = read_ptx("2\n2\n" AXES PLAIN "1 2 3 0.5 1 2 3\n0 0 0 0.5 0 0 0\n"
                                   "4 5 6 0.25 255 254 253\r\n-1 -2 -3 1 0 0 0",
                                   0);
    assert_int_equal(c->n, 3);
    assert_int_equal(c->n_columns, 7);
    assert_true(column_value(cloud_attribute(c, "x"), 1) == 4);
    assert_true(column_value(cloud_attribute(c, "z"), 2) == -3);
    assert_true(column_value(cloud_attribute(c, "intensity"), 1) == 0.25);
    assert_true(column_value(cloud_attribute(c, "green"), 1) == 254);
    cloud_free(c);
}

static void scans_come_to_common_coordinates(void **state)
{
    (void)state;
    struct glt_cloud *c = read_ptx("1\n1\n" AXES PLAIN "1 2 3 0.5\n"
                                   "1\n2\n" AXES TURNED "1 2 3 0.5\n0 1 0 1\n",
                                   0);
    static const double want[3][3] = {{1, 2, 3}, {98, 201, 303}, {99, 200, 300}};
    static const char *const axes[] = {"x", "y", "z"};
    assert_int_equal(c->n, 3);
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 3; d++)
            assert_true(column_value(cloud_attribute(c, axes[d]), i) == want[i][d]);
    assert_true(column_value(cloud_attribute(c, "scan"), 0) == 0);
    assert_true(column_value(cloud_attribute(c, "scan"), 2) == 1);
    cloud_free(c);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1 2 3\n", "SYNTAX line 1"},
        {"1.5\n1\n", "SYNTAX line 1"},
        {"1\n1\n0 0\n", "SYNTAX line 3"},
        {"1\n1\n" AXES "1 0 0\n", "SYNTAX line 7"},
        {"1\n1\n" AXES PLAIN "1 2 3 4 5\n", "SYNTAX line 11"},
        {"1\n1\n" AXES PLAIN "1 2 three 4\n", "SYNTAX line 11"},
        {"2\n1\n" AXES PLAIN "1 2 3 4\n1 2 3 4 5 6 7\n", "SYNTAX line 12"},
        {"9\n9\n" AXES PLAIN "1 2 3 4\n", "TRUNCATED line 10"},
        {"3\n1\n" AXES PLAIN "1 2 3 4444444\n1 2 3 44444\n", "SYNTAX line 12"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read_ptx(cases[i].text, GLT_EFORMAT);
        assert_error(cases[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scan_is_read),
        cmocka_unit_test(scans_come_to_common_coordinates),
        cmocka_unit_test(wrong_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
