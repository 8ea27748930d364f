/* Text clouds: sniffing of delimiter, header and columns; round trips; refusals. */
#include "core/file.h"
#include "core/memory.h"
#include "errors.h"
#include "io_cloud.h"

static struct glt_cloud *text(const char *name, const char *content)
{
    return read_text(name, content, strlen(content), NULL, 0);
}

static void expect(const char *name, const char *content, int64_t n, const char *columns)
{
    struct glt_cloud *c = text(name, content);
    char names[256] = "";
    for (int32_t i = 0; i < c->n_columns; i++)
        sprintf(names + strlen(names), "%s%s:%s", i ? " " : "", c->columns[i].name,
                type_name(c->columns[i].type));
    assert_int_equal(c->n, n);
    assert_string_equal(names, columns);
    cloud_free(c);
}

static void delimiter_header_and_columns_are_found(void **state)
{
    (void)state;
    expect("a.xyz", "1 2 3\n4 5 6\n", 2, "x:f64 y:f64 z:f64");
    expect("a.txt", "1,2,3\r\n\r\n4 , 5,6", 2, "x:f64 y:f64 z:f64");
    expect("a.csv", "\"X\",\"Y\",\"Z\",\"My Field\"\n1,2,3,-4\n", 1,
           "x:f64 y:f64 z:f64 My_Field:i32");
    expect("a.asc", "//X Y Z R G B\n# note\n1 2 3 4 5 6\n", 1,
           "x:f64 y:f64 z:f64 red:u8 green:u8 blue:u8");
    expect("a.xyz",
           "\xef\xbb\xbf"
           "1 2 3 0.6 0 0.8\n9 9 9 0 1 0\n",
           2, "x:f64 y:f64 z:f64 nx:f64 ny:f64 nz:f64");
    expect("a.txt", "0.1 2 3 255 0 17 12\n4 5 6 254 3 1 0\n", 2,
           "x:f64 y:f64 z:f64 red:u8 green:u8 blue:u8 label:u8");
    expect("a.txt", "1 2 3 0 0 1 40\n4 5 6 0 1 0 41\n", 2,
           "x:f64 y:f64 z:f64 nx:f64 ny:f64 nz:f64 label:u8");
    expect("a.pts", "2\n1 2 3 -7 10 20 30\n4 5 6 300 40 50 60\n", 2,
           "x:f64 y:f64 z:f64 intensity:i32 red:u8 green:u8 blue:u8");
    expect("a.txt", "1 2 3 70000 20 30 40\n4 5 6 300 50 60 70\n", 2,
           "x:f64 y:f64 z:f64 intensity:i32 red:u8 green:u8 blue:u8");
    expect("a.xyz", "1;2;3;0.25\n", 1, "x:f64 y:f64 z:f64 intensity:f64");
    expect("a.txt", "1 2 3 70000 9e15\n4 5 6 1 1e16\n", 2,
           "x:f64 y:f64 z:f64 label:i32 "
           "intensity:i64");
    expect("a.xyz", "# columns: x y z in metres\n1 2 3\n", 1, "x:f64 y:f64 z:f64");
    expect("a.xyz", "# x y z in metres\n# x y z t\n1 2 3 4.5\n", 1, "x:f64 y:f64 z:f64 t:f64");
    expect("a.xyz", "1 2 3\r4 5 6\r", 2, "x:f64 y:f64 z:f64");
    /* the stray byte 16 inside a line of some S3DIS editions */
    expect("a.txt",
           "1 2 3 185\x10"
           "187 12\n4 5 6 1 2 3\n",
           2, "x:f64 y:f64 z:f64 red:u8 green:u8 blue:u8");
}

static void count_warnings(void *user, enum glt_log_level level, const char *message)
{
    *(int *)user += level == GLT_LOG_WARNING && strstr(message, "line 2: byte 16") != NULL;
}

static void a_stray_byte_is_reported(void **state)
{
    (void)state;
    int logged = 0;
    glt_log_set(count_warnings, &logged);
    expect("a.txt",
           "4 5 6 1 2 3\n1 2 3 185\x10"
           "187 12\n",
           2, "x:f64 y:f64 z:f64 red:u8 green:u8 blue:u8");
    glt_log_set(NULL, NULL);
    assert_int_equal(logged, 1);
}

static void georeferenced_coordinates_keep_their_digits(void **state)
{
    (void)state;
    struct glt_cloud *c = text("utm.xyz", "665187.522077 5648349.895035 241.767693\n");
    double x;
    assert_int_equal(cloud_attribute_as_f64(&x, c, "y"), 0);
    assert_true(x == 5648349.895035);
    cloud_free(c);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"1 2 3\n4 5\n", "VALUE line 2"},
        {"1 2 3\n\n4 5 6 7\n", "SHAPE line 3"},
        {"1 2 3\n4 x 6\n", "VALUE line 2"},
        {"1 2 3\n4 5.6.7 6\n", "VALUE line 2"},
        {"hello world\n", "SYNTAX line 1"},
        {"<html>\n1 2 3\n", "SYNTAX line 1"},
        {"x y\n1 2\n", "SYNTAX line 1"},
        {"a b c\n1 2 3\n", "SYNTAX line 1"},
        {"# only a comment\n", "MISSING"},
        {"1,,3\n", "SYNTAX line 1"},
        {"1 2 3\n\n#c\n4 5 6\n7 8 9,\n", "VALUE line 5"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        read_text("bad.xyz", bad[i].text, strlen(bad[i].text), NULL, GLT_EFORMAT);
        assert_error(bad[i].message);
        assert_int_equal(memory_stats().bytes, 0);
    }
    read_text("zero.xyz", "1 2\0 3\n", 7, NULL, GLT_EFORMAT);
    read_text("empty.xyz", "", 0, NULL, GLT_EFORMAT);
    struct format_options o = {.columns = "x,y,z,a"};
    read_text("few.xyz", "1 2 3\n", 6, &o, GLT_EDATA);
}

/* More names than are kept, all of them empty: no names for a comment, no header for a line. */
static void more_names_than_are_kept_are_no_names(void **state)
{
    (void)state;
    static char text[40010];
    struct format_options o = {.format = "text"};
    for (size_t n = 8000; n <= 40000; n += 16) {
        memset(text, ',', n);
        text[0] = '#';
        strcpy(text + n, "\n1 2 3\n");
        struct glt_cloud *c = read_text("a.xyz", text, n + 7, &o, 0);
        assert_int_equal(c->n_columns, 3);
        cloud_free(c);
        text[0] = ',';
        read_text("a.csv", text, n + 7, &o, GLT_EFORMAT);
    }
}

/* Values survive; types become double or the smallest integer. */
static void values_survive_a_round_trip(void **state)
{
    (void)state;
    const char *names[] = {"r.xyz", "r.csv", "r.asc"};
    for (uint32_t seed = 0; seed < 12; seed++) {
        struct glt_cloud *c = made_cloud(1 + seed * 53, GLT_F64, 0x23f, seed), *back, *again;
        assert_int_equal(cloud_add_comment(c, "class 0 wall"), 0);
        back = read_back(c, names[seed % 3], NULL);
        assert_int_equal(back->n, c->n);
        assert_int_equal(back->n_comments, seed % 3 != 1); /* csv has none */
        assert_string_equal(back->n_comments ? back->comments[0] : "class 0 wall", "class 0 wall");
        for (int32_t k = 0; k < c->n_columns; k++)
            for (int64_t i = 0; i < c->n; i++)
                assert_true(column_value(&back->columns[k], i) == column_value(&c->columns[k], i));
        again = read_back(back, names[seed % 3], NULL);
        assert_same_cloud(back, again);
        cloud_free(again);
        cloud_free(back);
        cloud_free(c);
    }
    assert_int_equal(memory_stats().bytes, 0);
}

/* An untouched file comes back with its delimiter and header, byte for byte. */
static void an_untouched_file_comes_back_byte_for_byte(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {"s.xyz", "1.5 2 3 7\n4 5 6 8\n"},
        {"s.txt", "X;Y;Z;Temp\n1.5;2;3;-7\n"},
        {"s.csv", "x,y,z\n1.5,2,3\n"},
        {"s.txt", "x\ty\tz\n1.5\t2\t3\n"},
        {"s.pts", "1\n1.5 2 3 -9\n"},
        {"s.asc", "# made by hand\n# x y z quality\n1.5 2 3 0.25\n"},
        {"s.asc", "# by hand\n# x y z q\n# class 0 wall\n# mine\n1.5 2 3 0.25\n"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct glt_cloud *c = text(files[i][0], files[i][1]);
        assert_int_equal(format_write(c, scratch(files[i][0]), NULL), 0);
        char *bytes;
        size_t len;
        assert_int_equal(file_read_all(&bytes, &len, scratch(files[i][0]), 1000), 0);
        assert_string_equal(bytes, files[i][1]);
        memory_free(bytes);
        cloud_free(c);
    }
}

/* Whole numbers beyond 2^53 keep every digit; comments between the points come once. */
static void large_integers_keep_every_digit(void **state)
{
    (void)state;
    struct glt_cloud *c =
                         text("a.csv", "x,y,z,time,id\n1,2,3,1700000000123456789,9007199254740993\n"
                                       "# a\n4,5,6,-4611686018427387905,7\n"),
                     *back;
    assert_int_equal(cloud_attribute(c, "time")->type, GLT_I64);
    assert_int_equal(((int64_t *)cloud_attribute(c, "time")->data)[0], 1700000000123456789);
    assert_int_equal(((int64_t *)cloud_attribute(c, "time")->data)[1], -4611686018427387905);
    assert_int_equal(((int64_t *)cloud_attribute(c, "id")->data)[0], 9007199254740993);
    assert_int_equal(((int64_t *)cloud_attribute(c, "id")->data)[1], 7);
    assert_int_equal(c->n_comments, 1);
    back = read_back(c, "large.txt", NULL);
    assert_same_cloud(c, back);
    cloud_free(back);
    cloud_free(c);
}

/* The largest integers round to 2^63 and 2^64 as doubles, which are none themselves. */
static void the_largest_integers_are_not_rounded_away(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        enum glt_type type;
        uint64_t bits[2];
    } cases[] = {
        {"9223372036854775807", "7", GLT_I64, {INT64_MAX, 7}},
        {"9223372036854775807", "-9223372036854775808", GLT_I64, {INT64_MAX, (uint64_t)1 << 63}},
        {"18446744073709551615", "5.0", GLT_U64, {UINT64_MAX, 5}},
        {"9223372036854775808", "1e18", GLT_U64, {(uint64_t)1 << 63, 1000000000000000000}},
        {"9223372036854775808", "-1", GLT_F64, {0x43e0000000000000, 0xbff0000000000000}},
        {"18446744073709551616", "1", GLT_F64, {0x43f0000000000000, 0x3ff0000000000000}},
        {"1e300", "1", GLT_F64, {0x7e37e43c8800759c, 0x3ff0000000000000}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[256];
        snprintf(file, sizeof file, "x,y,z,id,big\n1,2,3,%s,9007199254740993\n4,5,6,%s,8\n",
                 cases[i].a, cases[i].b);
        struct glt_cloud *c = text("a.csv", file), *back;
        const struct column *id = cloud_attribute(c, "id");
        assert_int_equal(id->type, cases[i].type);
        assert_memory_equal(id->data, cases[i].bits, 16);
        assert_int_equal(((int64_t *)cloud_attribute(c, "big")->data)[0], 9007199254740993);
        back = read_back(c, "largest.csv", NULL);
        assert_same_cloud(c, back);
        cloud_free(back);
        cloud_free(c);
    }
    assert_int_equal(memory_stats().bytes, 0);
}

/* A delimiter after the last value ends it, as one does in a header. */
static void a_trailing_delimiter_adds_no_column(void **state)
{
    (void)state;
    expect("a.csv", "1,2,3,\n4,5,6,\n", 2, "x:f64 y:f64 z:f64");
    expect("a.txt", "1;2;3;\n4;5;6 ; \n", 2, "x:f64 y:f64 z:f64");
    expect("a.csv", "x,y,z,label,\n1,2,3,4,\n5,6,7,8\n", 2, "x:f64 y:f64 z:f64 label:u8");
    read_text("bad.csv", "1,2,3,\n4,5,6,,\n", 15, NULL, GLT_EFORMAT);
    assert_error("SHAPE line 2");
}

/* Names without points are a cloud of none, which comes back from every kind of text. */
static void names_without_points_are_an_empty_cloud(void **state)
{
    (void)state;
    expect("a.csv", "x,y,z,label\n", 0, "x:f64 y:f64 z:f64 label:u8");
    expect("a.xyz", "# x y z\n", 0, "x:f64 y:f64 z:f64");
    expect("a.pts", "0\n", 0, "x:f64 y:f64 z:f64");
    static const char *const names[] = {"e.csv", "e.xyz", "e.txt", "e.pts", "e.asc"};
    static const char *const files[] = {"1.5 2 3\n", "x,y,z\n1.5,2,3\n", "1\n1.5 2 3\n",
                                        "# x y z\n1.5 2 3\n"};
    for (int i = 0; i < 20; i++) {
        struct glt_cloud *c = text("a.txt", files[i / 5]), *none, *back;
        assert_int_equal(glt_cloud_edit(&none, c, "crop=9,9,9,9,9,9"), 0);
        back = read_back(none, names[i % 5], NULL);
        assert_int_equal(back->n, 0);
        assert_int_equal(back->n_columns, 3);
        cloud_free(back);
        cloud_free(none);
        cloud_free(c);
    }
    read_text("five.pts", "5\n", 2, NULL, GLT_EFORMAT);
}

/* A file without names gets them when a reader would find others, and only then. */
static void names_are_added_only_when_needed(void **state)
{
    (void)state;
    struct glt_cloud *c = text("n.xyz", "1.5 2 3 7\n4 5 6 8\n"), *back;
    uint8_t truth[] = {7, 8}, label[] = {1, 0};
    cloud_remove_attribute(c, "label");
    assert_int_equal(glt_cloud_set(c, "truth", GLT_U8, truth, 0), 0);
    assert_int_equal(glt_cloud_set(c, "label", GLT_U8, label, 0), 0);
    back = read_back(c, "n.xyz", NULL);
    assert_same_column(cloud_attribute(c, "truth"), cloud_attribute(back, "truth"), 2);
    assert_same_column(cloud_attribute(c, "label"), cloud_attribute(back, "label"), 2);
    cloud_free(back);
    cloud_free(c);
}

/* Readers of tables look for names in the first line, and those of CSV know no comments. */
static void names_stand_in_the_first_line(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {"f.txt", "# x y z label\n# class 0 wall\n# class 1 floor\n# mine\n1.5 2 3 1\n"},
        {"f.csv", "x,y,z,label\n1.5,2,3,1\n"},
    };
    struct glt_cloud *old = text("o.txt", "# class 0 wall\n# class 1 floor\n# x y z label\n"
                                          "# mine\n1.5 2 3 1\n");
    struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_CLASSES, NULL, 0};
    glt_log_set(count_messages, &logged);
    for (int i = 0; i < 2; i++) {
        char *bytes;
        size_t len;
        assert_int_equal(classes_number_end(&old->classes), 2);
        assert_int_equal(format_write(old, scratch(files[i][0]), NULL), 0);
        assert_int_equal(file_read_all(&bytes, &len, scratch(files[i][0]), 1000), 0);
        assert_string_equal(bytes, files[i][1]);
        memory_free(bytes);
        assert_int_equal(logged.times, i);
        struct glt_cloud *back = read_back(old, files[i][0], NULL);
        assert_int_equal(classes_number_end(&back->classes), i ? 0 : 2);
        assert_same_column(cloud_attribute(old, "label"), cloud_attribute(back, "label"), 1);
        cloud_free(back);
    }
    glt_log_set(NULL, NULL);
    cloud_free(old);
}

static void count_left_out(void *user, enum glt_log_level level, const char *message)
{
    *(int *)user += level == GLT_LOG_WARNING && strstr(message, "no place for label") != NULL;
}

/* PTS has an order but no names: what has no place in it is left out with a warning. */
static void pts_holds_what_has_a_place_in_it(void **state)
{
    (void)state;
    int logged = 0;
    struct glt_cloud *c = text("p.csv", "label,red,green,blue,x,y,z\n1,200,10,20,1.5,2,3\n"), *back;
    glt_log_set(count_left_out, &logged);
    back = read_back(c, "p.pts", NULL);
    glt_log_set(NULL, NULL);
    assert_int_equal(logged, 1);
    assert_int_equal(back->n_columns, 6);
    assert_true(column_value(cloud_attribute(back, "x"), 0) == 1.5);
    assert_true(column_value(cloud_attribute(back, "red"), 0) == 200);
    cloud_free(back);
    float intensity = 0.5f;
    assert_int_equal(glt_cloud_set(c, "intensity", GLT_F32, &intensity, 0), 0);
    back = read_back(c, "p.pts", NULL);
    assert_int_equal(back->n_columns, 7);
    assert_true(column_value(cloud_attribute(back, "intensity"), 0) == 0.5);
    assert_true(column_value(cloud_attribute(back, "blue"), 0) == 20);
    cloud_free(back);
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

/* Seven columns of whole numbers: few different values in the last are labels, whatever 255 stands
 * for; many are a colour, and a message says so. */
static void few_values_in_a_last_column_are_labels(void **state)
{
    (void)state;
    static const char *const columns[] = {"x:f64 y:f64 z:f64 red:u8 green:u8 blue:u8 label:u8",
                                          "x:f64 y:f64 z:f64 intensity:u8 red:u8 green:u8 blue:u8"};
    struct log_count logged = {GLT_LOG_INFO, GLT_TOPIC_NONE, NULL, 0};
    glt_log_set(count_messages, &logged);
    for (int shifted = 0; shifted < 2; shifted++) {
        char text[8192] = "";
        for (int i = 0; i < 200; i++)
            sprintf(text + strlen(text), "%d 2 3 %d 20 %d %d\n", i, i, 2 * i % 256,
                    shifted  ? i
                    : i % 20 ? i % 13
                             : 255);
        expect("a.txt", text, 200, columns[shifted]);
        assert_int_equal(logged.times, shifted);
    }
    glt_log_set(NULL, NULL);
}

static void decimal_commas_are_read(void **state)
{
    (void)state;
    static const char *const bad[] = {"1,5 2,5 3,5\n", "x y z\n-1,5\t2,5\t3,5\n", "1,5  2,5  3\n",
                                      "x;y;z\n1,5;2,5;3\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        read_text("bad.txt", bad[i], strlen(bad[i]), NULL, GLT_EFORMAT);
        assert_int_equal(glt_error_topic(), GLT_TOPIC_SYNTAX);
    }
    expect("a.txt", "1,2 ,3\n", 1, "x:f64 y:f64 z:f64");
    expect("a.txt", "1, 2, 3\n", 1, "x:f64 y:f64 z:f64");
}

/* Where something else stands between names, blanks are part of them. */
static void blanks_within_names_are_kept(void **state)
{
    (void)state;
    expect("a.csv", "x, y ,z,scan angle , label\n1,2,3,4,5\n", 1,
           "x:f64 y:f64 z:f64 scan_angle:u8 label:u8");
    expect("a.csv", "x;y;z;;my own field\n1;2;3;4;5\n", 1, "x:f64 y:f64 z:f64 my_own_field:u8");
    read_text("many.csv", "x,y,z,a,b\n1,2,3\n", 16, NULL, GLT_EFORMAT);
    assert_error("SHAPE");
    struct format_options o = {.columns = "x,y,z,a"};
    read_text("few.xyz", "1 2 3\n", 6, &o, GLT_EDATA);
    assert_error("OPTION columns");
    o.columns = "x, y, z"; /* one blank too many after each comma */
    read_text("few.xyz", "1 2 3\n", 6, &o, GLT_EARGUMENT);
    assert_error("OPTION columns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delimiter_header_and_columns_are_found),
        cmocka_unit_test(a_stray_byte_is_reported),
        cmocka_unit_test(georeferenced_coordinates_keep_their_digits),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(more_names_than_are_kept_are_no_names),
        cmocka_unit_test(values_survive_a_round_trip),
        cmocka_unit_test(an_untouched_file_comes_back_byte_for_byte),
        cmocka_unit_test(large_integers_keep_every_digit),
        cmocka_unit_test(names_stand_in_the_first_line),
        cmocka_unit_test(names_are_added_only_when_needed),
        cmocka_unit_test(pts_holds_what_has_a_place_in_it),
        cmocka_unit_test(few_values_in_a_last_column_are_labels),
        cmocka_unit_test(decimal_commas_are_read),
        cmocka_unit_test(blanks_within_names_are_kept),
        cmocka_unit_test(the_largest_integers_are_not_rounded_away),
        cmocka_unit_test(a_trailing_delimiter_adds_no_column),
        cmocka_unit_test(names_without_points_are_an_empty_cloud),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
