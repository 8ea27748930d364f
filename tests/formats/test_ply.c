/* PLY: everything a header may say, round trips in all three encodings, refusals. */
#include "core/file.h"
#include "core/memory.h"
#include "errors.h"
#include "io_cloud.h"

static const char mixed[] = "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nobj_info a b\r\n"
                            "element camera 1\r\nproperty double fov\r\n"
                            "element vertex 3\r\nproperty float32 x\r\nproperty float y\r\n"
                            "property double z\r\nproperty uchar diffuse_red\r\n"
                            "property list uchar short neighbours\r\n"
                            "element face 1\r\nproperty list uchar int vertex_indices\r\n"
                            "end_header\r\n0.25\r\n"
                            "1 2 3 255 0\r\n\r\n0.1 -2e3 3.5 7.0 2 -1 5\r\n7 8 9 0 1 3\r\n"
                            "3 0 1 2\r\n";

static void check_mixed(const struct glt_cloud *c)
{
    assert_int_equal(c->n, 3);
    assert_int_equal(c->n_before, 1);
    assert_string_equal(c->elements[0].name, "camera");
    assert_string_equal(c->elements[1].name, "face");
    assert_int_equal(c->elements[1].columns[0].start[1], 3);
    assert_string_equal(c->comments[0], "made by hand");
    assert_string_equal(cloud_note(c, "ply.obj_info")->bytes, "a b\n");
    assert_true(((float *)cloud_attribute(c, "x")->data)[1] == 0.1f);
    assert_true(((double *)cloud_attribute(c, "z")->data)[1] == 3.5);
    assert_int_equal(((uint8_t *)cloud_attribute(c, "red")->data)[1], 7);
    assert_string_equal(cloud_attribute(c, "red")->source, "diffuse_red");
    const struct column *list = cloud_attribute(c, "neighbours");
    assert_int_equal(list->start[3], 3);
    assert_int_equal(((int16_t *)list->data)[0], -1);
}

static void everything_a_header_says_survives(void **state)
{
    (void)state;
    struct glt_cloud *c = read_text("mixed", mixed, sizeof mixed - 1, NULL, 0), *back;
    check_mixed(c);
    const char *encodings[] = {NULL, "ascii", "binary", "big"};
    for (int i = 0; i < 4; i++) {
        struct format_options o = {.encoding = encodings[i]};
        back = read_back(c, "mixed.ply", &o);
        check_mixed(back);
        assert_same_cloud(c, back);
        cloud_free(back);
    }
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

static void clouds_come_back(void **state)
{
    (void)state;
    const char *encodings[] = {"ascii", "binary", "big"};
    for (uint32_t seed = 0; seed < 30; seed++) {
        enum glt_type type = seed & 1 ? GLT_F64 : GLT_F32;
        /* 64-bit integers become doubles unless the cloud came from PLY */
        struct glt_cloud *c = made_cloud(seed * 37, type, 0x33f, seed), *back;
        struct format_options o = {.encoding = encodings[seed % 3]};
        back = read_back(c, "round.ply", &o);
        assert_same_cloud(c, back);
        cloud_free(back);
        cloud_free(c);
    }
}

static void integers_of_64_bits_come_back(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(20, GLT_F64, 0x2c0, 5), *back = read_back(c, "wide.ply", NULL);
    assert_same_cloud(c, back); /* random 64 bits do not fit a double */
    memset(cloud_attribute(c, "attr_u64")->data, 0, 20 * 8);
    cloud_free(back);
    back = read_back(c, "wide.ply", NULL);
    assert_int_equal(cloud_attribute(back, "attr_u64")->type, GLT_F64);
    cloud_free(back);
    cloud_free(c);
}

static const char *header_of(const char *name)
{
    static char text[2048];
    FILE *f = fopen(scratch(name), "rb");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

static void predicted_labels_come_back_with_their_names(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(4, GLT_F32, 0, 1), *back;
    int32_t labels[] = {0, 1, 2, 1};
    float confidence[] = {0.5f, 1, 0.25f, 0.75f};
    const char *names[] = {"floor", "wall", "big chair"};
    assert_int_equal(labels_set(c, labels, confidence, names, 3), 0);
    back = read_back(c, "labels.ply", NULL);
    assert_int_equal(cloud_attribute(back, "label")->type, GLT_U8);
    assert_null(cloud_attribute(back, "scalar_label"));
    assert_non_null(strstr(header_of("labels.ply"), "property float scalar_label"));
    assert_string_equal(cloud_attribute(back, "confidence")->source, "scalar_confidence");
    assert_string_equal(classes_name(&back->classes, 2), "big chair");
    /* the copy follows the labels, however they are changed */
    struct glt_cloud *again;
    const uint8_t other[] = {2, 1, 2, 1};
    assert_int_equal(glt_cloud_set(back, "label", GLT_U8, other, 0), 0);
    again = read_back(back, "again.ply", NULL);
    assert_int_equal(again->n_columns, back->n_columns);
    assert_null(cloud_attribute(again, "scalar_label"));
    assert_non_null(strstr(header_of("again.ply"), "property float scalar_label"));
    cloud_free(again);
    cloud_free(back);
    cloud_free(c);
}

static void a_header_with_old_mac_line_ends_is_read(void **state)
{
    (void)state;
    /* the body begins with the byte of a line feed, which belongs to x */
    static const char text[] = "ply\rformat binary_little_endian 1.0\relement vertex 1\r"
                               "property uchar x\rproperty uchar y\rproperty uchar z\r"
                               "end_header\r\n\x02\x03";
    struct glt_cloud *c = read_text("mac", text, sizeof text - 1, NULL, 0);
    assert_int_equal(((uint8_t *)cloud_attribute(c, "x")->data)[0], '\n');
    cloud_free(c);
}

#define HEAD "ply\nformat ascii 1.0\n"
#define XYZ  "property float x\nproperty float y\nproperty float z\n"

static void wrong_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {HEAD "element vertex 2\n" XYZ "end_header\n1 2 3\n4 5     \n", "SYNTAX line 9"},
        {HEAD "element vertex 1\n" XYZ "end_header\n1 2 3 4\n", "SYNTAX line 8"},
        {HEAD "element vertex 1\n" XYZ "end_header\n1 2 x3\n", "SYNTAX line 8"},
        {HEAD "element vertex 2\n" XYZ "end_header\n1 2 3\n\n\n\n\n\n\n", "TRUNCATED"},
        {HEAD "element vertex 18446744073709551615\n" XYZ "end_header\n1 2 3\n", "SYNTAX line 3"},
        {HEAD "element vertex 9223372036854775807\n" XYZ "end_header\n1 2 3\n", "TRUNCATED"},
        {HEAD "element vertex -3\n" XYZ "end_header\n1 2 3\n", "SYNTAX line 3"},
        {HEAD "element vertex 1\nproperty complex x\nend_header\n1\n", "SYNTAX line 4"},
        {HEAD "property float x\nelement vertex 1\nend_header\n", "SYNTAX line 3"},
        {HEAD "element vertex 1\nproperty list float int x\nend_header\n", "SYNTAX line 4"},
        {HEAD "element vertex 1\n" XYZ "end", "SYNTAX line 7"},
        {HEAD "element vertex 1\n" XYZ, "TRUNCATED"},
        {"ply\nelement vertex 0\n" XYZ "end_header\n", "MISSING"},
        {"ply\nformat ebcdic 1.0\n", "SYNTAX line 2"},
        {HEAD "element face 0\nproperty list uchar int vertex_indices\nend_header\n", "MISSING"},
        {HEAD "element vertex 1\nproperty uchar x\nend_header\n300\n", "SYNTAX line 6"},
        {HEAD "element vertex 1\nproperty list uchar int l\nend_header\n200 1 2\n",
         "SYNTAX line 6"},
        {"ply\nformat binary_big_endian 1.0\nelement vertex 2\n" XYZ "end_header\n1234567890123456",
         "TRUNCATED byte 112"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memory_peak_reset();
        read_text("bad.ply", bad[i].text, strlen(bad[i].text), NULL, GLT_EFORMAT);
        assert_error(bad[i].message);
        assert_error_file("bad.ply");
        assert_true(memory_stats().peak < 1 << 20);
        assert_int_equal(memory_stats().bytes, 0);
    }
    /* 300 items behind a length that ends at 255: it could not be written back */
    char many[1024] = HEAD "element vertex 1\nproperty list uchar uchar l\nend_header\n300";
    for (int i = 0; i < 300; i++)
        strcat(many, " 1");
    read_text("many.ply", strcat(many, "\n"), strlen(many), NULL, GLT_EFORMAT);
    assert_error("SYNTAX line 6");
    read_text("no.ply", HEAD "element vertex 0\nproperty float x\nend_header\n",
              strlen(HEAD "element vertex 0\nproperty float x\nend_header\n"), NULL, GLT_EDATA);
}

/* Names that repeat beside names that look numbered already: all differ. */
static void repeated_names_become_different(void **state)
{
    (void)state;
    enum { EACH = 2000 };
    static char text[64 * 2 * EACH] = HEAD "element vertex 0\n" XYZ;
    size_t at = strlen(text);
    for (int i = 0; i < EACH; i++)
        at += (size_t)sprintf(text + at, "property uchar a_%d\n", i + 1);
    for (int i = 0; i < EACH; i++)
        at += (size_t)sprintf(text + at, "property uchar a\n");
    at += (size_t)sprintf(text + at, "end_header\n");
    struct glt_cloud *c = read_text("many.ply", text, at, NULL, 0);
    assert_string_equal(c->columns[3 + EACH].name, "a");
    assert_string_equal(c->columns[3 + EACH + 1].name, "a_2001");
    assert_string_equal(c->columns[3 + 2 * EACH - 1].name, "a_3999");
    assert_string_equal(c->columns[3 + 2 * EACH - 1].source, "a");
    cloud_free(c);
}

/* Every line of a header comes back, empty ones too. */
static void every_line_of_a_header_comes_back(void **state)
{
    (void)state;
    enum { LINES = 150000 };
    static char text[16 * LINES] = HEAD;
    size_t at = strlen(text), len;
    for (int i = 0; i < LINES; i++)
        at += (size_t)sprintf(text + at, "obj_info %d\n", i % 10);
    at += (size_t)sprintf(text + at, "comment\ncomment a\nelement vertex 0\n" XYZ "end_header\n");
    struct glt_cloud *c = read_text("lines.ply", text, at, NULL, 0);
    assert_int_equal(cloud_note(c, "ply.obj_info")->len, 2 * LINES);
    assert_int_equal(format_write(c, scratch("lines.ply"), NULL), 0);
    cloud_free(c);
    char *bytes;
    assert_int_equal(file_read_all(&bytes, &len, scratch("lines.ply"), sizeof text), 0);
    assert_int_equal(len, at);
    assert_non_null(strstr(bytes, "ascii 1.0\ncomment\ncomment a\nobj_info 0\n"));
    memory_free(bytes);
}

/* A file of nothing but comments: some are kept, and one warning says that there were more. */
static void comments_beyond_the_maximum_are_left_out_and_reported(void **state)
{
    (void)state;
    struct glt_cloud *c;
    struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_SIZE_LIMIT, "comments", 0};
    assert_int_equal(cloud_new(&c, 0), 0);
    glt_log_set(count_messages, &logged);
    for (int i = 0; i < 70000; i++)
        assert_int_equal(cloud_add_comment(c, "a"), 0);
    glt_log_set(NULL, NULL);
    assert_int_equal(c->n_comments, 65536);
    assert_int_equal(logged.times, 1);
    cloud_free(c);
}

/* Faces that are cut, wrong or of unknown types do not cost the points; those before them do. */
static void an_unreadable_element_does_not_lose_the_vertices(void **state)
{
    (void)state;
#define HEAD  "ply\nformat ascii 1.0\n"
#define POINT "element vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
#define FACE  "element face 1\nproperty list uchar int vertex_indices\n"
    static const struct {
        const char *text;
        bool read;
    } cases[] = {
        {HEAD POINT FACE "end_header\n0 0 0\n1 0 0\n3 0 1\n", true},
        {HEAD POINT FACE "end_header\n0 0 0\n1 0 0\n", true},
        {HEAD POINT FACE "end_header\n0 0 0\n1 0 0\nface\n", true},
        {HEAD POINT "element e 1\nproperty quaternion q\nproperty float f\n" FACE
                    "end_header\n0 0 0\n1 0 0\n1 2\n1 0\n",
         true},
        {HEAD FACE POINT "end_header\n3 0 1\n0 0 0\n1 0 0\n", false},
        {HEAD "element e 1\nproperty quaternion q\n" POINT "end_header\n1\n0 0 0\n1 0 0\n", false},
        {HEAD POINT FACE "end_header\n0 0 0\n1 0\n1 0\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_TRUNCATED, "face", 0};
        struct log_count unknown = {GLT_LOG_WARNING, GLT_TOPIC_SYNTAX, "e", 0};
        glt_log_set(count_messages, i == 3 ? &unknown : &logged);
        struct glt_cloud *c = read_text("a.ply", cases[i].text, strlen(cases[i].text), NULL,
                                        cases[i].read ? 0 : GLT_EFORMAT);
        glt_log_set(NULL, NULL);
        assert_int_equal(logged.times + unknown.times, cases[i].read);
        if (!cases[i].read)
            continue;
        assert_int_equal(c->n, 2);
        assert_int_equal(c->n_elements, 0);
        cloud_free(c);
        struct format_options o = {.sample = 4}; /* the faces are what is asked for */
        read_text("a.ply", cases[i].text, strlen(cases[i].text), &o,
                  i == 3 ? GLT_EARGUMENT : GLT_EFORMAT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unreadable_element_does_not_lose_the_vertices),
        cmocka_unit_test(everything_a_header_says_survives),
        cmocka_unit_test(clouds_come_back),
        cmocka_unit_test(integers_of_64_bits_come_back),
        cmocka_unit_test(predicted_labels_come_back_with_their_names),
        cmocka_unit_test(a_header_with_old_mac_line_ends_is_read),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(repeated_names_become_different),
        cmocka_unit_test(every_line_of_a_header_comes_back),
        cmocka_unit_test(comments_beyond_the_maximum_are_left_out_and_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
