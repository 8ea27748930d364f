/* The limits of point-cloud files that SECURITY.md states: at each a file is read, and with one
 * more it is refused by a message that names the limit. labels: quick */
#include "core/memory.h"
#include "core/string.h"
#include "io_cloud.h"

struct limit {
    const char *name;                          /* of the file */
    void (*make)(struct string *s, int64_t n); /* a file with n of what is limited */
    int64_t read, refused;
    const char *named; /* in the message */
};

static void add_blanks(struct string *s, int64_t n)
{
    char blanks[4096];
    memset(blanks, ' ', sizeof blanks);
    for (; n > 0; n -= (int64_t)sizeof blanks)
        string_add_bytes(s, blanks, n < (int64_t)sizeof blanks ? (size_t)n : sizeof blanks);
}

/* A line of n bytes: the text, then blanks. */
static void add_line(struct string *s, const char *text, int64_t n)
{
    string_add(s, "%s", text);
    add_blanks(s, n - (int64_t)strlen(text));
    string_add(s, "\n");
}

static void text_line(struct string *s, int64_t n)
{
    add_line(s, "1 2 3", n);
}

static const char VERTEX[] =
    "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n";

static void ply_line(struct string *s, int64_t n)
{
    string_add(s, "ply\nformat ascii 1.0\n");
    add_line(s, "comment a", n);
    string_add(s, "%send_header\n1 2 3\n", VERTEX);
}

static void ply_elements(struct string *s, int64_t n)
{
    string_add(s, "ply\nformat ascii 1.0\n%s", VERTEX);
    for (int64_t i = 1; i < n; i++)
        string_add(s, "element e%d 0\nproperty float a\n", (int)i);
    string_add(s, "end_header\n1 2 3\n");
}

static void pcd_head(struct string *s, const char *more, const char *size, const char *type,
                     const char *count)
{
    string_add(s,
               "VERSION .7\nFIELDS x y z%s\nSIZE 4 4 4%s\nTYPE F F F%s\nCOUNT 1 1 1%s\nWIDTH 1\n"
               "HEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 1\n",
               more, size, type, count);
}

static void pcd_line(struct string *s, int64_t n)
{
    add_line(s, "# a comment", n);
    pcd_head(s, "", "", "", "");
    string_add(s, "DATA ascii\n1 2 3\n");
}

static void pcd_values(struct string *s, int64_t n)
{
    char count[32];
    snprintf(count, sizeof count, " %d", (int)n - 3);
    pcd_head(s, " many", " 1", " U", count);
    string_add(s, "DATA ascii\n1 2 3");
    for (int64_t i = 3; i < n; i++)
        string_add_bytes(s, " 1", 2);
    string_add(s, "\n");
}

static void obj_joined(struct string *s, int64_t n)
{
    string_add(s, "v 1 2 3");
    add_blanks(s, n - 7);
    string_add(s, "\\\n\n");
}

static void obj_corners(struct string *s, int64_t n)
{
    string_add(s, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf");
    for (int64_t i = 0; i < n; i++)
        string_add(s, " %d", (int)(i % 3) + 1);
    string_add(s, "\n");
}

static void off_corners(struct string *s, int64_t n)
{
    string_add(s, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n%d", (int)n);
    for (int64_t i = 0; i < n; i++)
        string_add(s, " %d", (int)(i % 3));
    string_add(s, "\n");
}

static void ptx_scans(struct string *s, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        string_add(s, "1\n1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n"
                      "1 2 3 0.5\n");
}

/* Version 2, whose header has four bytes of length. */
static void npy_header(struct string *s, int64_t n)
{
    static const char dict[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3)}";
    unsigned char head[12] = "\x93NUMPY\2";
    for (int k = 0; k < 4; k++)
        head[8 + k] = (unsigned char)(n >> 8 * k);
    string_add_bytes(s, (const char *)head, sizeof head);
    add_line(s, dict, n - 1);
    string_add_bytes(s, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
}

static const struct limit limits[] = {
    {"line.txt", text_line, 16777216, 16777217, "16777216"},
    {"line.ply", ply_line, 65536, 65537, "65536"},
    {"elements.ply", ply_elements, 256, 257, "256"},
    {"line.pcd", pcd_line, 1048576, 1048577, "1048576"},
    {"values.pcd", pcd_values, 65536, 65537, "65536"},
    {"joined.obj", obj_joined, 65534, 65536, "65536"},
    {"corners.obj", obj_corners, 4096, 4097, "4096"},
    {"corners.off", off_corners, 65536, 65537, "65536"},
    {"scans.ptx", ptx_scans, 65535, 65536, "65535"},
    {"header.npy", npy_header, 1048576, 1048577, "1048576"},
};

/* The message of a file with n; "" if it is read. */
static const char *problem(const struct limit *l, int64_t n)
{
    struct string s = {0};
    struct glt_cloud *c = NULL;
    struct file *f;
    l->make(&s, n);
    assert_int_equal(s.code, 0);
    assert_int_equal(file_open_memory(&f, l->name, s.bytes, (size_t)s.len), 0);
    int code = format_read_file(&c, f, NULL);
    file_close(f);
    cloud_free(c);
    string_free(&s);
    return code < 0 ? glt_error_message() : "";
}

static void a_file_at_each_limit_is_read_and_one_beyond_it_refused(void **state)
{
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct limit *l = &limits[i];
        const char *text = problem(l, l->read);
        if (*text)
            print_error("%s: refused at the limit: %s\n", l->name, text);
        bad += *text != 0;
        text = problem(l, l->refused);
        if (!strstr(text, l->named) || !strstr(text, l->name))
            print_error("%s: beyond the limit: '%s'\n", l->name, text);
        bad += !strstr(text, l->named) || !strstr(text, l->name);
    }
    assert_int_equal(bad, 0);
    assert_int_equal(memory_stats().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_at_each_limit_is_read_and_one_beyond_it_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
