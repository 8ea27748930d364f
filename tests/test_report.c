/* The page about a predicted cloud: its numbers against a count by hand, and every allocation
 * failing in turn.
 * labels: quick */
#include "faults.h"
#include "io_cloud.h"

enum { POINTS = 8 };

/* Truth 0 0 0 0 1 1 1 and one point without; three zeros found, one one taken for a zero. */
static struct glt_cloud *make_cloud(void)
{
    static const int32_t label[POINTS] = {0, 0, 0, 1, 1, 1, 0, 1};
    static const int32_t truth[POINTS] = {0, 0, 0, 0, 1, 1, 1, -1};
    static const char *const names[] = {"floor", "a<b"};
    float confidence[POINTS], at[POINTS];
    struct glt_cloud *c = NULL;
    assert_int_equal(glt_cloud_create(&c, POINTS), 0);
    for (int i = 0; i < POINTS; i++) {
        confidence[i] = 0.5f;
        at[i] = (float)(i * i % 5);
    }
    assert_int_equal(glt_cloud_set(c, "x", GLT_F32, at, 0), 0);
    assert_int_equal(glt_cloud_set(c, "y", GLT_F32, confidence, 0), 0);
    assert_int_equal(glt_cloud_set(c, "z", GLT_F32, at, 0), 0);
    assert_int_equal(glt_cloud_set(c, "truth", GLT_I32, truth, 0), 0);
    assert_int_equal(cloud_set_labels(c, label, confidence, names, 2), 0);
    return c;
}

static void test_numbers(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    char *text = NULL;
    size_t n;
    assert_int_equal(glt_cloud_report(c, scratch("a.html"), "page"), 0);
    assert_int_equal(file_read_all(&text, &n, scratch("a.html"), 1 << 24), 0);
    /* IoU 3/5 and 2/4, accuracies 3/4 and 2/3, 5 of 7 right */
    assert_non_null(strstr(text, "<tr><td>floor</td><td>4</td><td>50.0</td><td>0.500</td>"
                                 "<td>60.0</td><td>75.0</td></tr>"));
    assert_non_null(strstr(text, "<tr><td>a&lt;b</td><td>4</td><td>50.0</td><td>0.500</td>"
                                 "<td>50.0</td><td>66.7</td></tr>"));
    assert_non_null(strstr(text, "mIoU 55.0 %, mean accuracy 70.8 %, overall accuracy 71.4 % over "
                                 "7 labelled points"));
    assert_false(file_exists(scratch("a.html.png")));
    memory_free(text);
    cloud_remove_attribute(c, "label");
    assert_int_equal(glt_cloud_report(c, scratch("b.html"), "page"), GLT_EDATA);
    glt_cloud_free(c);
}

static int report_again(void *user)
{
    return glt_cloud_report(user, scratch("c.html"), "page");
}

static void test_memory_faults(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    assert_true(faults_memory(report_again, c) > 5);
    assert_false(file_exists(scratch("c.html.png")));
    glt_cloud_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_memory_faults),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clear);
}
