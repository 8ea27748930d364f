/* Text of many windows, read on several threads: every row in its place, comments in the order of
 * the file, errors with the number of their line, the same for any number of threads.
 * labels: quick threads */
#include "errors.h"
#include "io_cloud.h"

#include "core/file.h"
#include "core/parallel.h"

enum { ROWS = 300000, LINE = 64, ROOM = ROWS * LINE }; /* several windows of 4 MiB */

static char *text;
static size_t len;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    len += (size_t)vsnprintf(text + len, ROOM - len, format, args);
    va_end(args);
    assert_true(len < ROOM);
}

static int setup(void **state)
{
    (void)state;
    text = malloc(ROOM);
    return text ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    free(text);
    return 0;
}

static void add_rows(int64_t begin, int64_t end, const char *line_end)
{
    for (int64_t i = begin; i < end; i++)
        add("%lld.25 -%lld %g%s", (long long)i, (long long)i * 3, (double)(i % 1000) / 8, line_end);
}

/* Read from the disk and from memory, by one thread and by three. */
static struct glt_cloud *read_ways(const char *name, int want)
{
    struct glt_cloud *first = NULL;
    FILE *out = fopen(scratch(name), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, len, out), len);
    assert_int_equal(fclose(out), 0);
    char message[512] = "";
    for (int way = 0; way < 4; way++) {
        struct glt_cloud *c = NULL;
        struct file *f;
        assert_int_equal(glt_threads_set(way % 2 ? 3 : 1), 0);
        if (way < 2)
            assert_int_equal(file_open(&f, scratch(name)), 0);
        else
            assert_int_equal(file_open_memory(&f, scratch(name), text, len), 0);
        int code = format_read_file(&c, f, NULL);
        file_close(f);
        if (code != want)
            fail_msg("%s: %d instead of %d: %s", name, code, want, glt_error_message());
        if (want < 0) {
            assert_true(way == 0 || strcmp(message, glt_error_message()) == 0);
            snprintf(message, sizeof message, "%s", glt_error_message());
        } else if (way == 0) {
            first = c;
        } else {
            assert_same_cloud(first, c);
            cloud_free(c);
        }
    }
    assert_int_equal(glt_threads_set(0), 0);
    return first;
}

static void check_rows(struct glt_cloud *c, int64_t n)
{
    const struct column *x = cloud_attribute(c, "x"), *y = cloud_attribute(c, "y"),
                        *z = cloud_attribute(c, "z");
    assert_int_equal(c->n, n);
    for (int64_t i = 0; i < n; i++)
        if (column_value(x, i) != (double)i + 0.25 || column_value(y, i) != -3.0 * (double)i ||
            column_value(z, i) != (double)(i % 1000) / 8)
            fail_msg("row %lld is not in its place", (long long)i);
}

static void every_row_stands_in_its_place(void **state)
{
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", "\r", " \n\n"};
    for (int i = 0; i < 4; i++) {
        len = 0;
        add_rows(0, ROWS, ends[i]);
        struct glt_cloud *c = read_ways("a.xyz", 0);
        check_rows(c, ROWS);
        cloud_free(c);
    }
    len -= 2; /* the last line has no end */
    struct glt_cloud *c = read_ways("a.xyz", 0);
    check_rows(c, ROWS);
    cloud_free(c);
}

static void comments_keep_their_order_and_long_lines_are_read(void **state)
{
    (void)state;
    len = 0;
    add("# first\n");
    for (int k = 0; k < 10; k++) {
        add_rows(k * 20000, (k + 1) * 20000, "\n");
        add("# behind %d\n", k);
    }
    memset(text + len, ' ', 5 << 20); /* longer than a window */
    len += 5 << 20;
    add_rows(200000, 200001, "\n");
    struct glt_cloud *c = read_ways("b.xyz", 0);
    check_rows(c, 200001);
    assert_int_equal(c->n_comments, 11);
    assert_string_equal(c->comments[0], "first");
    assert_string_equal(c->comments[10], "behind 9");
    cloud_free(c);
}

static void errors_name_their_line(void **state)
{
    (void)state;
    len = 0;
    add_rows(0, 250000, "\n");
    add("1 2 three\n");
    add_rows(0, 10, "\n");
    add("four\n"); /* not the first */
    read_ways("c.xyz", GLT_EFORMAT);
    assert_error("VALUE line 250001");
    len = 0;
    add_rows(0, 250000, "\n");
    add("1 2 3 4\n");
    read_ways("d.xyz", GLT_EFORMAT);
    assert_error("SHAPE line 250001");
}

/* Rows of another element follow in the same window, lists among them. */
static void rows_of_ply_elements_are_told_apart(void **state)
{
    (void)state;
    len = 0;
    add("ply\nformat ascii 1.0\nelement vertex 200000\nproperty double x\nproperty double y\n"
        "property float z\nelement face 2\nproperty list uchar int v\nelement edge 1\n"
        "property int a\nproperty int b\nend_header\n");
    add_rows(0, 200000, "\n");
    add("3 0 1 2\n4 4 3 2 1\n7 8\n");
    struct glt_cloud *c = read_ways("a.ply", 0);
    check_rows(c, 200000);
    assert_int_equal(c->n_elements, 2);
    assert_int_equal(c->elements[0].columns[0].start[2], 7);
    assert_true(column_value(&c->elements[1].columns[1], 0) == 8);
    cloud_free(c);
    len -= 4;
    add("7 x\n");
    c = read_ways("b.ply", 0); /* an edge that cannot be read does not lose the points */
    check_rows(c, 200000);
    assert_int_equal(c->n_elements, 1);
    cloud_free(c);
    len -= 14;
    c = read_ways("c.ply", 0); /* neither does a face that is cut short */
    check_rows(c, 200000);
    assert_int_equal(c->n_elements, 0);
    cloud_free(c);
}

static void rows_of_pcd_stand_in_their_places(void **state)
{
    (void)state;
    len = 0;
    add("VERSION .7\nFIELDS x y z\nSIZE 8 8 4\nTYPE F F F\nCOUNT 1 1 1\nPOINTS 200000\n"
        "DATA ascii\n");
    add_rows(0, 100000, "\n");
    add("# between\n\n");
    add_rows(100000, 200000, "\n");
    struct glt_cloud *c = read_ways("a.pcd", 0);
    check_rows(c, 200000);
    cloud_free(c);
    text[len - 2] = 'x';
    read_ways("b.pcd", GLT_EFORMAT);
    assert_error("VALUE line 200009");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_stands_in_its_place),
        cmocka_unit_test(comments_keep_their_order_and_long_lines_are_read),
        cmocka_unit_test(errors_name_their_line),
        cmocka_unit_test(rows_of_ply_elements_are_told_apart),
        cmocka_unit_test(rows_of_pcd_stand_in_their_places),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
