/* SemanticKITTI scans with their labels beside them or in the layout of the benchmark. */
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_syscall.h"
#include "core/file_write.h"
#include "errors.h"
#include "io_cloud.h"

#include <unistd.h>

static void check(const char *path)
{
    struct glt_cloud *c = made_cloud(70, GLT_F32, 0, 5), *back;
    struct random r = random_start(random_stream(1, 0, 0, RANDOM_TEST), 0);
    const char *names[] = {"intensity", "label", "instance"};
    struct column *x;
    for (int k = 0; k < 3; k++) {
        assert_int_equal(cloud_add_attribute(&x, c, names[k], k ? GLT_U16 : GLT_F32), 0);
        fill_column(x, c->n, &r);
    }
    back = read_back(c, path, NULL);
    assert_same_cloud(c, back);
    cloud_free(back);
    cloud_free(c);
}

static void a_scan_comes_back_with_its_labels(void **state)
{
    (void)state;
    check("000000.bin");
    assert_true(file_exists(scratch("000000.label")));
    assert_int_equal(file_make_folder(scratch("velodyne")), 0);
    check("velodyne/000001.bin");
    assert_true(file_exists(scratch("labels/000001.label")));
    remove(scratch("velodyne/000001.bin"));
    remove(scratch("labels/000001.label"));
    rmdir(scratch("velodyne"));
    rmdir(scratch("labels"));
}

static void six_floats_per_point_are_read(void **state)
{
    (void)state;
    float rows[] = {1, 2, 3, 0.5f, 0.25f, 1, 4, 5, 6, 0, 0, 0, 7, 8, 9, 1, 1, 0.75f};
    struct glt_cloud *c = read_text("a.bin", (char *)rows, sizeof rows, NULL, 0);
    assert_int_equal(c->n, 3); /* 72 bytes are no multiple of 16 */
    assert_true(((float *)cloud_attribute(c, "green")->data)[0] == 0.25f);
    cloud_free(c);
    struct format_options o = {.columns = "x,y,z"};
    c = read_text("a.bin", (char *)rows, sizeof rows, &o, 0);
    assert_int_equal(c->n, 6);
    cloud_free(c);
    read_text("a.bin", (char *)rows, 71, NULL, GLT_EFORMAT);
}

/* Labels beside the scan: a column the caller named label stays, a guessed one gives way. */
static void a_named_label_column_stays_and_a_guessed_one_gives_way(void **state)
{
    (void)state;
    float rows[] = {1, 2, 3, 0.5f, 300, 4, 5, 6, 0.25f, 301}; /* the fifth looks like a label */
    struct file *f;
    struct glt_cloud *c;
    assert_int_equal(file_create(&f, scratch("five.bin")), 0);
    assert_int_equal(file_write(f, rows, sizeof rows), 0);
    assert_int_equal(file_commit(f), 0);
    assert_int_equal(file_create(&f, scratch("five.label")), 0);
    assert_int_equal(file_write(f, "\7\0\1\0\6\0\2\0", 8), 0);
    assert_int_equal(file_commit(f), 0);
    assert_int_equal(format_read(&c, scratch("five.bin"), NULL), 0);
    assert_true(column_value(cloud_attribute(c, "label"), 0) == 7);
    assert_true(column_value(cloud_attribute(c, "instance"), 1) == 2);
    assert_true(column_value(cloud_attribute(c, "c4"), 1) == 301);
    cloud_free(c);
    struct format_options o = {.columns = "x,y,z,intensity,label"};
    assert_int_equal(format_read(&c, scratch("five.bin"), &o), 0);
    assert_int_equal(c->n_columns, 5);
    assert_true(column_value(cloud_attribute(c, "label"), 1) == 301);
    cloud_free(c);
}

static void count_losses(void *user, enum glt_log_level level, const char *message)
{
    *(int *)user += level == GLT_LOG_WARNING && (strstr(message, "holds x as float") != NULL ||
                                                 strstr(message, "holds label as 16") != NULL);
}

static void what_a_scan_cannot_hold_is_reported(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(2, GLT_F64, 0, 1);
    struct column *x;
    int logged = 0;
    for (int d = 0; d < 3; d++)
        memset(c->columns[d].data, 0, 16);
    assert_int_equal(cloud_add_attribute(&x, c, "label", GLT_I32), 0);
    glt_log_set(count_losses, &logged);
    assert_int_equal(format_write(c, scratch("loss.bin"), NULL), 0);
    assert_int_equal(logged, 0);
    ((double *)c->columns[0].data)[1] = 665187.522077;
    ((int32_t *)x->data)[1] = 70000;
    assert_int_equal(format_write(c, scratch("loss.bin"), NULL), 0);
    assert_int_equal(logged, 2);
    glt_log_set(NULL, NULL);
    cloud_free(c);
}

static void labels_of_another_scan_are_refused(void **state)
{
    (void)state;
    check("000002.bin");
    struct file *f;
    assert_int_equal(file_create(&f, scratch("000002.label")), 0);
    assert_int_equal(file_write(f, "1234", 4), 0);
    assert_int_equal(file_commit(f), 0);
    struct glt_cloud *c;
    assert_int_equal(format_read(&c, scratch("000002.bin"), NULL), GLT_EFORMAT);
    assert_error("SHAPE");
}

static void put_file(const char *name, const void *bytes, size_t len)
{
    assert_int_equal(file_put(scratch(name), bytes, len), 0);
}

/* A scan without labels beside labels of an older one, in both places they may stand. */
static void labels_of_an_older_scan_are_reported(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(2, GLT_F32, 0, 1);
    struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_LABELS, NULL, 0};
    assert_int_equal(file_make_folder(scratch("velodyne")), 0);
    assert_int_equal(file_make_folder(scratch("labels")), 0);
    put_file("labels/old.label", "12341234", 8);
    glt_log_set(count_messages, &logged);
    assert_int_equal(format_write(c, scratch("velodyne/old.bin"), NULL), 0);
    assert_int_equal(logged.times, 1);
    put_file("velodyne/old.label", "12341234", 8);
    assert_int_equal(format_write(c, scratch("velodyne/old.bin"), NULL), 0);
    assert_int_equal(logged.times, 3);
    glt_log_set(NULL, NULL);
    cloud_free(c);
    remove(scratch("velodyne/old.bin"));
    remove(scratch("velodyne/old.label"));
    remove(scratch("labels/old.label"));
    rmdir(scratch("velodyne"));
    rmdir(scratch("labels"));
}

/* Only a folder that is called velodyne has labels beside it. */
static void only_a_folder_called_velodyne_has_labels_beside_it(void **state)
{
    (void)state;
    assert_int_equal(file_make_folder(scratch("myvelodyne")), 0);
    check("myvelodyne/000003.bin");
    assert_true(file_exists(scratch("myvelodyne/000003.label")));
    assert_false(file_exists(scratch("mylabels")));
    remove(scratch("myvelodyne/000003.bin"));
    remove(scratch("myvelodyne/000003.label"));
    rmdir(scratch("myvelodyne"));
}

/* Whatever call fails: as long as the old scan stands there, so do its labels. */
static void a_failure_leaves_the_scan_and_its_labels(void **state)
{
    (void)state;
    static const float old[4] = {1, 2, 3, 4};
    struct glt_cloud *c = made_cloud(2, GLT_F32, 0, 1), *back;
    const uint8_t label[] = {7, 8};
    int code = GLT_EIO;
    assert_int_equal(glt_cloud_set(c, "label", GLT_U8, label, 0), 0);
    for (int n = 1; code != 0; n++) {
        assert_true(n < 100);
        put_file("pair.bin", old, sizeof old);
        put_file("pair.label", "\5\0\0\0", 4);
        file_fault(FILE_CALLS, n, false, FILE_FAULT_ERROR, 0);
        code = format_write(c, scratch("pair.bin"), NULL);
        file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
        struct file *f;
        assert_int_equal(file_open(&f, scratch("pair.bin")), 0);
        int64_t size = file_size(f);
        file_close(f);
        assert_int_equal(file_open(&f, scratch("pair.label")), 0);
        assert_true(file_size(f) == 4 || size == 32);
        file_close(f);
    }
    assert_int_equal(format_read(&back, scratch("pair.bin"), NULL), 0);
    assert_true(column_value(cloud_attribute(back, "label"), 1) == 8);
    cloud_free(back);
    cloud_free(c);
}

/* A point of `width` floats: coordinates, a reflectance from 0 to 1, whole numbers. */
static float raw_value(int64_t i, int width, struct random *r)
{
    float u = (float)random_uniform(r);
    int64_t k = i % width;
    return k < 2 ? 100 * u - 50 : k == 2 ? 3 * u : k == 3 ? u : (float)(int)(32 * u);
}

/* 840 floats are points of 3, 4, 5, 6 and 7: four are the usual case, others are reported. */
static void values_decide_how_many_floats_a_point_has(void **state)
{
    (void)state;
    struct random r = random_start(random_stream(3, 0, 0, RANDOM_TEST), 0);
    for (int width = 3; width <= 7; width++) {
        struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_SHAPE, "columns", 0};
        float rows[840];
        for (int64_t i = 0; i < 840; i++)
            rows[i] = raw_value(i, width, &r);
        glt_log_set(count_messages, &logged);
        struct glt_cloud *c = read_text("a.bin", (char *)rows, sizeof rows, NULL, 0);
        assert_int_equal(c->n, 840 / width);
        assert_int_equal(c->n_columns, width);
        assert_int_equal(logged.times, width != 4);
        assert_null(cloud_attribute(c, "label"));
        assert_true((cloud_attribute(c, "ring") != NULL) == (width == 5));
        cloud_free(c);
        struct format_options o = {.columns = "x,y,z,intensity,ring"};
        cloud_free(read_text("a.bin", (char *)rows, sizeof rows, &o, 0));
        assert_int_equal(logged.times, width != 4);
        glt_log_set(NULL, NULL);
    }
}

/* Only one number of floats divides the size: nothing is doubtful. */
static void a_size_that_fits_one_width_is_not_reported(void **state)
{
    (void)state;
    struct random r = random_start(random_stream(4, 0, 0, RANDOM_TEST), 0);
    struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_SHAPE, "columns", 0};
    float rows[11 * 7];
    glt_log_set(count_messages, &logged);
    for (int width = 5; width <= 7; width += 2) {
        for (int64_t i = 0; i < 11 * width; i++)
            rows[i] = raw_value(i, width, &r);
        struct glt_cloud *c = read_text("a.bin", (char *)rows, 11 * 4 * (size_t)width, NULL, 0);
        assert_int_equal(c->n, 11);
        cloud_free(c);
    }
    glt_log_set(NULL, NULL);
    assert_int_equal(logged.times, 0);
    read_text("a.bin", (char *)rows, 11 * 4, NULL, GLT_EFORMAT);
    assert_error("SHAPE");
}

static void bytes_that_are_no_floats_are_refused(void **state)
{
    (void)state;
    static const char text[] = "this text has as many bytes as points of four floats: 64 bytes.\n";
    read_text("a.bin", text, 64, NULL, GLT_EFORMAT);
    assert_error("VALUE");
    struct format_options o = {.columns = "x,y,z,intensity"};
    cloud_free(read_text("a.bin", text, 64, &o, 0));
}

static void class_names_that_are_lost_are_reported(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(2, GLT_F32, 0, 1);
    struct log_count logged = {GLT_LOG_WARNING, GLT_TOPIC_CLASSES, NULL, 0};
    assert_int_equal(cloud_add_comment(c, "class 1 car"), 0);
    glt_log_set(count_messages, &logged);
    assert_int_equal(format_write(c, scratch("names.bin"), NULL), 0);
    assert_int_equal(format_write(c, scratch("names.pts"), NULL), 0);
    glt_log_set(NULL, NULL);
    assert_int_equal(logged.times, 2);
    cloud_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scan_comes_back_with_its_labels),
        cmocka_unit_test(six_floats_per_point_are_read),
        cmocka_unit_test(labels_of_another_scan_are_refused),
        cmocka_unit_test(a_named_label_column_stays_and_a_guessed_one_gives_way),
        cmocka_unit_test(what_a_scan_cannot_hold_is_reported),
        cmocka_unit_test(labels_of_an_older_scan_are_reported),
        cmocka_unit_test(only_a_folder_called_velodyne_has_labels_beside_it),
        cmocka_unit_test(a_failure_leaves_the_scan_and_its_labels),
        cmocka_unit_test(values_decide_how_many_floats_a_point_has),
        cmocka_unit_test(a_size_that_fits_one_width_is_not_reported),
        cmocka_unit_test(bytes_that_are_no_floats_are_refused),
        cmocka_unit_test(class_names_that_are_lost_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
