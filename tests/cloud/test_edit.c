/* Edits of convert, and what info prints. */
#include "core/memory.h"
#include "errors.h"
#include "faults.h"
#include "io_cloud.h"

#include <math.h>

static struct glt_cloud *line_of(int n)
{
    struct glt_cloud *c;
    assert_int_equal(glt_cloud_create(&c, n), 0);
    float *v = memory_alloc((size_t)n, sizeof *v);
    for (int i = 0; i < n; i++)
        v[i] = (float)i / 4;
    glt_cloud_set(c, "x", GLT_F32, v, 0);
    glt_cloud_set(c, "label", GLT_F32, v, 0);
    memset(v, 0, (size_t)n * sizeof *v);
    glt_cloud_set(c, "y", GLT_F32, v, 0);
    glt_cloud_set(c, "z", GLT_F32, v, 0);
    memory_free(v);
    return c;
}

static void cropping_and_shifting_move_what_they_should(void **state)
{
    (void)state;
    struct glt_cloud *c = line_of(100), *e;
    assert_int_equal(glt_cloud_edit(&e, c, "crop=1,-1,-1,2,1,1 shift=5000000.125,0,-3"), 0);
    assert_int_equal(e->n, 5); /* 1, 1.25, 1.5, 1.75, 2 */
    assert_int_equal(cloud_attribute(e, "x")->type, GLT_F64);
    assert_true(((double *)cloud_attribute(e, "x")->data)[1] == 5000001.375);
    cloud_free(e);
    struct column *x = cloud_attribute(c, "x");
    int32_t whole[100] = {7};
    assert_int_equal(glt_cloud_set(c, "x", GLT_I32, whole, 0), 0);
    x->scale = 0.01;
    assert_int_equal(glt_cloud_edit(&e, c, "shift=1000,0,0"), 0);
    assert_int_equal(cloud_attribute(e, "x")->type, GLT_I32); /* integers stay what they are */
    assert_true(column_value(cloud_attribute(e, "x"), 0) == 7 * 0.01 + 1000);
    cloud_free(e);
    cloud_free(c);
}

static void up_and_scale_turn_and_scale_the_points(void **state)
{
    (void)state;
    struct glt_cloud *c, *e;
    assert_int_equal(glt_cloud_create(&c, 1), 0);
    static const char *const axes[] = {"x", "y", "z", "nx", "ny", "nz"};
    const float v[] = {1, 2, 3, 0, 1, 0};
    for (int k = 0; k < 6; k++)
        glt_cloud_set(c, axes[k], GLT_F32, &v[k], 0);
    int16_t steps = 7; /* scaled integers go with their scale */
    glt_cloud_set(c, "x", GLT_I16, &steps, 0);
    cloud_attribute(c, "x")->scale = 0.5;
    static const struct {
        const char *options;
        double want[6];
    } cases[] = {{"up=y", {3, 3.5, 2, 0, 0, 1}},
                 {"up=x", {2, 3, 3.5, 1, 0, 0}},
                 {"up=z", {3.5, 2, 3, 0, 1, 0}},
                 {"scale=0.5", {1.75, 1, 1.5, 0, 1, 0}},
                 {"scale=1,0.5,2", {3.5, 1, 6, 0, 1, 0}},
                 {"shift=1,0,0 scale=2 up=y crop=3,1,1,4,9,9", {7, 7, 4, 0, 0, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(glt_cloud_edit(&e, c, cases[i].options), 0);
        assert_int_equal(e->n, 1);
        for (int k = 0; k < 6; k++)
            assert_true(column_value(cloud_attribute(e, axes[k]), 0) == cases[i].want[k]);
        cloud_free(e);
    }
    /* a slope of 1 in 1 becomes one of 2 in 1: its normal leans over */
    const float slope[] = {-0.70710678f, 0, 0.70710678f};
    for (int k = 0; k < 3; k++)
        glt_cloud_set(c, axes[3 + k], GLT_F32, &slope[k], 0);
    assert_int_equal(glt_cloud_edit(&e, c, "scale=1,1,2"), 0);
    assert_float_equal(column_value(cloud_attribute(e, "nx"), 0), -2 / sqrt(5), 1e-6);
    assert_float_equal(column_value(cloud_attribute(e, "nz"), 0), 1 / sqrt(5), 1e-6);
    cloud_free(e);
    cloud_remove_attribute(c, "y");
    assert_int_equal(glt_cloud_edit(&e, c, "up=y"), GLT_EDATA);
    assert_int_equal(glt_cloud_edit(&e, c, "scale=2"), GLT_EDATA);
    cloud_free(c);
}

static void subsampling_keeps_the_number_asked_for(void **state)
{
    (void)state;
    struct glt_cloud *c = line_of(1000), *a, *b, *d;
    assert_int_equal(glt_cloud_edit(&a, c, "subsample=100 seed=3"), 0);
    assert_int_equal(glt_cloud_edit(&b, c, "subsample=100 seed=3"), 0);
    assert_int_equal(glt_cloud_edit(&d, c, "subsample=5000"), 0);
    assert_same_cloud(a, b);
    assert_int_equal(a->n, 100);
    assert_int_equal(d->n, 1000);
    const float *x = cloud_attribute(a, "x")->data;
    for (int i = 1; i < 100; i++)
        assert_true(x[i] > x[i - 1]); /* the order of the file, nothing twice */
    cloud_free(a);
    cloud_free(b);
    cloud_free(d);
    cloud_free(c);
}

static void mapped_labels_become_their_classes(void **state)
{
    (void)state;
    struct glt_cloud *c = line_of(9), *e;
    int8_t labels[9] = {0, 1, 2, 3, -1, 5, 1, 1, 1};
    glt_cloud_set(c, "label", GLT_I8, labels, 0);
    assert_int_equal(glt_cloud_edit(&e, c, "map=1:0,0:1,-1:255"), 0);
    const uint8_t want[9] = {1, 0, 2, 3, 255, 5, 0, 0, 0};
    assert_int_equal(cloud_attribute(e, "label")->type, GLT_U8);
    assert_memory_equal(cloud_attribute(e, "label")->data, want, 9);
    cloud_free(e);
    assert_int_equal(glt_cloud_edit(&e, c, "map=1:1000"), 0);
    assert_int_equal(cloud_attribute(e, "label")->type, GLT_I32);
    cloud_free(e);
    cloud_attribute(c, "label")->scale = 2; /* as LAS may describe extra bytes */
    assert_int_equal(glt_cloud_edit(&e, c, "map=4:7"), 0);
    assert_true(column_value(cloud_attribute(e, "label"), 2) == 7);
    assert_true(column_value(cloud_attribute(e, "label"), 3) == 6);
    cloud_free(e);
    cloud_free(c);
}

/* Numbers that the map does not name stay, in a type that holds them beside the new ones. */
static void numbers_that_a_map_does_not_name_stay(void **state)
{
    (void)state;
    struct glt_cloud *c = line_of(2), *e;
    const uint32_t large[] = {3000000000, 5};
    const float halves[] = {1.5f, 5};
    const int64_t longs[] = {9007199254740993, 5};
    const uint64_t top[] = {UINT64_MAX, 5};
    const uint8_t small[] = {200, 5};
    static const struct {
        const char *map;
        enum glt_type before, after;
        double kept, mapped;
    } cases[] = {
        {"map=5:6", GLT_U32, GLT_U32, 3000000000, 6},
        {"map=5:-1", GLT_U32, GLT_I64, 3000000000, -1},
        {"map=5:6", GLT_F32, GLT_F32, 1.5, 6},
        {"map=5:16777217", GLT_F32, GLT_F64, 1.5, 16777217},
        {"map=2:7", GLT_F32, GLT_F32, 1.5, 5}, /* 1.5 is no 2 */
        {"map=5:-6", GLT_I64, GLT_I64, 0x1p53, -6},
        {"map=5:6", GLT_U64, GLT_U64, 0x1p64, 6},
        {"map=5:300", GLT_U8, GLT_I32, 200, 300},
        {"map=9:300", GLT_U8, GLT_U8, 200, 5}, /* nobody has it */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum glt_type type = cases[i].before;
        const void *values = type == GLT_U32   ? (const void *)large
                             : type == GLT_F32 ? (const void *)halves
                             : type == GLT_I64 ? (const void *)longs
                             : type == GLT_U64 ? (const void *)top
                                               : (const void *)small;
        assert_int_equal(glt_cloud_set(c, "label", type, values, 0), 0);
        assert_int_equal(glt_cloud_edit(&e, c, cases[i].map), 0);
        const struct column *x = cloud_attribute(e, "label");
        assert_int_equal(x->type, cases[i].after);
        assert_true(column_value(x, 0) == cases[i].kept);
        assert_true(column_value(x, 1) == cases[i].mapped);
        if (type == cases[i].after)
            assert_memory_equal(x->data, values, type_size(type));
        cloud_free(e);
    }
    e = NULL;
    assert_int_equal(glt_cloud_set(c, "label", GLT_U64, top, 0), 0);
    assert_int_equal(glt_cloud_edit(&e, c, "map=5:-1"), GLT_EDATA);
    assert_null(e);
    assert_error("VALUE label");
    cloud_free(c);
}

/* CloudCompare's name for the label, once and twice: the mapped one stays, the old numbers go. */
static void a_mapped_label_replaces_the_one_of_cloudcompare(void **state)
{
    (void)state;
    static const char *const files[] = {
        "x y z scalar_label\n1 2 3 5\n",
        "x y z label scalar_label label\n1 2 3 5 5 5\n",
    };
    for (int i = 0; i < 2; i++) {
        struct glt_cloud *c = read_text("a.xyz", files[i], strlen(files[i]), NULL, 0), *e;
        assert_int_equal(glt_cloud_edit(&e, c, "map=5:7"), 0);
        assert_true(column_value(cloud_attribute(e, "label"), 0) == 7);
        cloud_free(e);
        cloud_remove_attribute(c, "label");
        assert_null(cloud_attribute(c, "label"));
        assert_null(cloud_attribute(c, "label_2"));
        cloud_free(c);
    }
}

static void wrong_edits_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"crop=1,2,3",
                                      "crop=1,2,3,4,5,6,7",
                                      "shift=a,b,c",
                                      "map=1",
                                      "map=1:2:3",
                                      "map=1:99999999999",
                                      "subsample=0",
                                      "what=1",
                                      "subsample=x",
                                      "seed=-1",
                                      "scale=0",
                                      "scale=-1",
                                      "scale=inf",
                                      "scale=a",
                                      "scale=1,2",
                                      "scale=1,0,1",
                                      "scale=1,1,1,1",
                                      "scale=1,",
                                      "up=w",
                                      "up=",
                                      "shift=nan,0,0",
                                      "shift=0,inf,0",
                                      "crop=nan,0,0,1,1,1"};
    struct glt_cloud *c = line_of(3), *e = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(glt_cloud_edit(&e, c, bad[i]), GLT_EARGUMENT);
        assert_null(e);
    }
    cloud_remove_attribute(c, "label");
    assert_int_equal(glt_cloud_edit(&e, c, "map=1:2"), GLT_EDATA);
    assert_int_equal(glt_error_topic(), GLT_TOPIC_LABELS);
    assert_int_equal(glt_cloud_edit(&e, c, "crop=-inf,-1,-1,0.25,inf,1"), 0);
    assert_int_equal(e->n, 2);
    cloud_free(e);
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

/* A coordinate that is a list, by its name. */
static void a_list_is_no_coordinate_to_crop_by(void **state)
{
    (void)state;
    static const char ply[] = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\n"
                              "property float y\nproperty float z\nproperty list uchar float w\n"
                              "end_header\n1 2 3 1 4\n1 2 3 0\n";
    struct glt_cloud *c = read_text("list.ply", ply, sizeof ply - 1, NULL, 0), *e, *none = NULL;
    assert_int_equal(glt_cloud_edit(&e, c, "rename=y:v,w:y"), 0);
    assert_int_equal(glt_cloud_edit(&none, e, "crop=0,0,0,9,9,9"), GLT_EDATA);
    assert_int_equal(glt_error_topic(), GLT_TOPIC_COORDINATES);
    assert_null(none);
    cloud_free(e);
    cloud_free(c);
}

static double first_of(const struct glt_cloud *c, const char *name)
{
    return column_value(cloud_attribute(c, name), 0);
}

/* The attribute that is the labels is mapped, whatever its name, and no other. */
static void a_map_changes_what_the_labels_are(void **state)
{
    (void)state;
    static const char text[] = "x y z %s\n1 2 3 5 5\n";
    static const struct {
        const char *names, *chosen, *other;
    } cases[] = {{"label gt", "gt", "label"},
                 {"category kind", "category", "kind"},
                 {"sem_label kind", "sem_label", "kind"},
                 {"gt scalar_label", "gt", "label"},
                 {"classification category", "category", "classification"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[80];
        int len = snprintf(file, sizeof file, text, cases[i].names);
        struct glt_cloud *c = read_text("a.xyz", file, (size_t)len, NULL, 0), *e;
        if (!strcmp(cases[i].chosen, "gt"))
            assert_int_equal(labels_choose(c, "gt"), 0);
        assert_int_equal(glt_cloud_edit(&e, c, "map=5:7"), 0);
        assert_true(first_of(e, cases[i].chosen) == 7);
        assert_true(first_of(e, cases[i].other) == 5);
        cloud_free(e);
        cloud_free(c);
    }
}

static void chosen_labels_stay_the_labels_when_they_are_renamed(void **state)
{
    (void)state;
    static const char text[] = "x y z label gt\n1 2 3 5 6\n";
    struct glt_cloud *c = read_text("a.xyz", text, sizeof text - 1, NULL, 0), *e;
    assert_int_equal(labels_choose(c, "gt"), 0);
    assert_int_equal(glt_cloud_edit(&e, c, "rename=gt:hand,x:w,w:x map=6:7"), 0);
    assert_string_equal(labels_column(e)->name, "hand");
    assert_true(first_of(e, "hand") == 7 && first_of(e, "label") == 5);
    assert_int_equal(glt_cloud_remove(e, "hand"), 0);
    assert_string_equal(labels_column(e)->name, "label"); /* no longer chosen */
    assert_string_equal(labels_find(e, NULL, false).column->name, "label");
    cloud_free(e);
    cloud_free(c);
}

static void names_of_classes_survive_a_map_whole(void **state)
{
    (void)state;
    char comment[400] = "class 1 ", name[400] = "";
    for (int i = 0; i < 120; i++)
        strcat(name, "\xc3\xa4");
    strcat(comment, name);
    struct glt_cloud *c = line_of(3), *e = NULL;
    assert_int_equal(cloud_add_comment(c, comment), 0);
    assert_int_equal(glt_cloud_edit(&e, c, "map=1:999999999"), 0);
    assert_string_equal(classes_name(&e->classes, 999999999), name);
    cloud_free(e);
    e = NULL;
    assert_int_equal(glt_cloud_edit(&e, c, "map=1:1000000000"), GLT_EARGUMENT);
    assert_int_equal(glt_error_topic(), GLT_TOPIC_OPTION);
    assert_null(e);
    assert_int_equal(glt_cloud_edit(&e, c, "map=2:1000000000"), 0); /* it has no name */
    cloud_free(e);
    cloud_free(c);
}

static void info_describes_the_cloud(void **state)
{
    (void)state;
    struct glt_cloud *c = line_of(100);
    char *text;
    int32_t labels[100] = {0};
    labels[7] = 1;
    const char *names[] = {"floor", "wall"};
    assert_int_equal(labels_set(c, labels, NULL, names, 2), 0);
    assert_int_equal(glt_cloud_info(&text, c, 0), 0);
    assert_non_null(strstr(text, "points      100\n"));
    assert_non_null(strstr(text, "max         24.75 0 0\n"));
    assert_non_null(strstr(text, "spacing     0.25 "));
    assert_non_null(strstr(text, "wall"));
    glt_free(text);
    assert_int_equal(glt_cloud_info(&text, c, 1), 0);
    assert_non_null(strstr(text, "\"points\":100,"));
    assert_non_null(strstr(text, "{\"label\":1,\"points\":1,\"name\":\"wall\"}"));
    glt_free(text);
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

/* Names go where their classes go; where different ones meet, nobody knows which is right. */
static void names_follow_their_classes_through_a_map(void **state)
{
    (void)state;
    struct glt_cloud *c = line_of(3), *e;
    static const char *const comments[] = {"class 0 floor", "class 1 wall",  "by hand",
                                           "class 2 chair", "class 3 chair", "class 4 noise"};
    struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_CLASSES, NULL, 0};
    for (int i = 0; i < 6; i++)
        assert_int_equal(cloud_add_comment(c, comments[i]), 0);
    assert_int_equal(glt_cloud_edit(&e, c, "map=0:1,1:0,2:7,3:7,4:-1"), 0);
    assert_string_equal(classes_name(&e->classes, 0), "wall");
    assert_string_equal(classes_name(&e->classes, 1), "floor");
    assert_string_equal(classes_name(&e->classes, 7), "chair");
    assert_int_equal(e->n_comments, 4);
    cloud_free(e);
    glt_log_set(count_messages, &logged);
    assert_int_equal(glt_cloud_edit(&e, c, "map=0:1"), 0);
    glt_log_set(NULL, NULL);
    assert_int_equal(logged.times, 1);
    assert_null(classes_name(&e->classes, 0));
    assert_null(classes_name(&e->classes, 1));
    assert_int_equal(e->n_comments, 4);
    cloud_free(e);
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

/* Faces name points by number: they stay while all points do, else a warning says so. */
static void faces_stay_while_all_points_do(void **state)
{
    (void)state;
    static const char mesh[] =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    struct glt_cloud *c = read_text("a.ply", mesh, sizeof mesh - 1, NULL, 0), *e;
    struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_ATTRIBUTE, "face", 0};
    glt_log_set(count_messages, &logged);
    assert_int_equal(glt_cloud_edit(&e, c, "crop=-9,-9,-9,9,9,9"), 0);
    assert_same_cloud(c, e);
    assert_int_equal(logged.times, 0);
    cloud_free(e);
    assert_int_equal(glt_cloud_edit(&e, c, "subsample=2"), 0);
    assert_int_equal(e->n_elements, 0);
    assert_int_equal(logged.times, 1);
    cloud_free(e);
    assert_int_equal(format_write(c, scratch("a.pcd"), NULL), 0);
    assert_int_equal(logged.times, 2);
    assert_int_equal(format_write(c, scratch("a.ply"), NULL), 0);
    assert_int_equal(logged.times, 2);
    glt_log_set(NULL, NULL);
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

/* Labels of 16 bits are counted one by one, what is beyond them together. */
static void info_counts_labels_of_16_bits_one_by_one(void **state)
{
    (void)state;
    struct glt_cloud *c = line_of(4);
    char *text;
    const int32_t labels[] = {259, 65535, 65536, -2};
    glt_cloud_set(c, "label", GLT_I32, labels, 0);
    assert_int_equal(cloud_add_comment(c, "class 259 moving bus"), 0);
    assert_int_equal(glt_cloud_info(&text, c, 1), 0);
    assert_non_null(strstr(text, "{\"label\":259,\"points\":1,\"name\":\"moving bus\"}"));
    assert_non_null(strstr(text, "{\"label\":65535,\"points\":1}"));
    assert_non_null(strstr(text, "\"other_labels\":2"));
    glt_free(text);
    cloud_free(c);
}

static void info_counts_only_whole_labels(void **state)
{
    (void)state;
    struct glt_cloud *c = line_of(4);
    char *text;
    const float labels[] = {1, 1.5F, -0.5F, NAN};
    glt_cloud_set(c, "label", GLT_F32, labels, 0);
    assert_int_equal(glt_cloud_info(&text, c, 1), 0);
    assert_non_null(strstr(text, "[{\"label\":1,\"points\":1}]"));
    assert_non_null(strstr(text, "\"other_labels\":3"));
    glt_free(text);
    cloud_free(c);
}

struct described {
    struct glt_cloud *cloud;
    char *text; /* with all the memory it needs */
};

static int describe(void *user)
{
    struct described *d = user;
    char *text;
    TRY(glt_cloud_info(&text, d->cloud, 1));
    bool whole = strcmp(text, d->text) == 0;
    glt_free(text);
    return whole ? 0 : GLT_EDATA;
}

static void info_is_whole_or_an_error(void **state)
{
    (void)state;
    struct described d = {.cloud = line_of(4)};
    static const char *const comments[] = {"gelatto model a", "gelatto warning b",
                                           "gelatto warning c", "class 0 floor"};
    for (int i = 0; i < 4; i++)
        assert_int_equal(cloud_add_comment(d.cloud, comments[i]), 0);
    assert_int_equal(glt_cloud_info(&d.text, d.cloud, 1), 0);
    assert_non_null(strstr(d.text, "{\"model\":\"a\",\"warnings\":[\"b\",\"c\"]}"));
    assert_true(faults_memory(describe, &d) > 50);
    glt_free(d.text);
    cloud_free(d.cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cropping_and_shifting_move_what_they_should),
        cmocka_unit_test(up_and_scale_turn_and_scale_the_points),
        cmocka_unit_test(subsampling_keeps_the_number_asked_for),
        cmocka_unit_test(mapped_labels_become_their_classes),
        cmocka_unit_test(numbers_that_a_map_does_not_name_stay),
        cmocka_unit_test(a_mapped_label_replaces_the_one_of_cloudcompare),
        cmocka_unit_test(wrong_edits_are_refused),
        cmocka_unit_test(info_describes_the_cloud),
        cmocka_unit_test(names_follow_their_classes_through_a_map),
        cmocka_unit_test(faces_stay_while_all_points_do),
        cmocka_unit_test(info_counts_labels_of_16_bits_one_by_one),
        cmocka_unit_test(a_list_is_no_coordinate_to_crop_by),
        cmocka_unit_test(a_map_changes_what_the_labels_are),
        cmocka_unit_test(chosen_labels_stay_the_labels_when_they_are_renamed),
        cmocka_unit_test(names_of_classes_survive_a_map_whole),
        cmocka_unit_test(info_counts_only_whole_labels),
        cmocka_unit_test(info_is_whole_or_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
