/* SemanticKITTI scans with their labels beside them or in the layout of the benchmark. */
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

static void test_round_trip(void **state)
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

static void test_six_floats(void **state)
{
    (void)state;
    float rows[] = {1, 2, 3, 0.5f, 0.25f, 1, 4, 5, 6, 0, 0, 0, 7, 8, 9, 1, 1, 0.75f};
    struct glt_cloud *c = read_text("a.bin", (char *)rows, sizeof rows, NULL, 0);
    assert_int_equal(c->n, 3); /* 72 bytes are no multiple of 16 */
    assert_true(((float *)cloud_attribute(c, "green")->data)[0] == 0.25f);
    cloud_free(c);
    struct cloud_options o = {.columns = "x,y,z"};
    c = read_text("a.bin", (char *)rows, sizeof rows, &o, 0);
    assert_int_equal(c->n, 6);
    cloud_free(c);
    read_text("a.bin", (char *)rows, 71, NULL, GLT_EFORMAT);
}

/* Labels beside the scan: a column the caller named label stays, a guessed one gives way. */
static void test_labels_and_columns(void **state)
{
    (void)state;
    float rows[] = {1, 2, 3, 0.5f, 8, 4, 5, 6, 0.25f, 9}; /* the fifth looks like a label */
    struct file *f;
    struct glt_cloud *c;
    assert_int_equal(file_create(&f, scratch("five.bin")), 0);
    assert_int_equal(file_write(f, rows, sizeof rows), 0);
    assert_int_equal(file_commit(f), 0);
    assert_int_equal(file_create(&f, scratch("five.label")), 0);
    assert_int_equal(file_write(f, "\7\0\1\0\6\0\2\0", 8), 0);
    assert_int_equal(file_commit(f), 0);
    assert_int_equal(cloud_read(&c, scratch("five.bin"), NULL), 0);
    assert_true(column_value(cloud_attribute(c, "label"), 0) == 7);
    assert_true(column_value(cloud_attribute(c, "instance"), 1) == 2);
    assert_true(column_value(cloud_attribute(c, "c4"), 1) == 9);
    cloud_free(c);
    struct cloud_options o = {.columns = "x,y,z,intensity,label"};
    assert_int_equal(cloud_read(&c, scratch("five.bin"), &o), 0);
    assert_int_equal(c->n_columns, 5);
    assert_true(column_value(cloud_attribute(c, "label"), 1) == 9);
    cloud_free(c);
}

static void count_losses(void *user, enum glt_log_level level, const char *message)
{
    *(int *)user += level == GLT_LOG_WARNING && (strstr(message, "holds x as float") != NULL ||
                                                 strstr(message, "holds label as 16") != NULL);
}

static void test_loss_is_told(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(2, GLT_F64, 0, 1);
    struct column *x;
    int told = 0;
    for (int d = 0; d < 3; d++)
        memset(c->columns[d].data, 0, 16);
    assert_int_equal(cloud_add_attribute(&x, c, "label", GLT_I32), 0);
    glt_log_set(count_losses, &told);
    assert_int_equal(cloud_write(c, scratch("loss.bin"), NULL), 0);
    assert_int_equal(told, 0);
    ((double *)c->columns[0].data)[1] = 665187.522077;
    ((int32_t *)x->data)[1] = 70000;
    assert_int_equal(cloud_write(c, scratch("loss.bin"), NULL), 0);
    assert_int_equal(told, 2);
    glt_log_set(NULL, NULL);
    cloud_free(c);
}

static void test_labels_of_another_scan(void **state)
{
    (void)state;
    check("000002.bin");
    struct file *f;
    assert_int_equal(file_create(&f, scratch("000002.label")), 0);
    assert_int_equal(file_write(f, "1234", 4), 0);
    assert_int_equal(file_commit(f), 0);
    struct glt_cloud *c;
    assert_int_equal(cloud_read(&c, scratch("000002.bin"), NULL), GLT_EFORMAT);
    assert_non_null(strstr(glt_error_message(), "different scans"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_six_floats),
        cmocka_unit_test(test_labels_of_another_scan),
        cmocka_unit_test(test_labels_and_columns),
        cmocka_unit_test(test_loss_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clear);
}
