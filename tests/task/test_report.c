/* The reports of a predicted cloud and of a run: their numbers against a count by hand, and
 * every allocation failing in turn.
 * labels: quick full slow */
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/string.h"
#include "draw/image.h"
#include "draw/svg.h"
#include "errors.h"
#include "faults.h"
#include "io_cloud.h"
#include "task/confusion_file.h"
#include "tier.h"

#include <math.h>
#include <unistd.h>

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
    assert_int_equal(labels_set(c, label, confidence, names, 2), 0);
    return c;
}

static void numbers_of_a_report_are_those_counted_by_hand(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    char *text = NULL;
    size_t n;
    assert_int_equal(glt_cloud_report(c, scratch("a.html"), "page"), 0);
    assert_int_equal(file_read_all(&text, &n, scratch("a.html"), 1 << 24), 0);
    /* IoU 3/5 and 2/4, accuracies 3/4 and 2/3, 5 of 7 right */
    assert_non_null(strstr(text, "</span>floor</td><td>4</td><td>50.0</td><td>0.500</td>"
                                 "<td>4</td><td>75.0</td><td class=\"bar\" style=\"--w:60.0%\">"
                                 "60.0</td></tr>"));
    assert_non_null(strstr(text, "</span>a&lt;b</td><td>4</td><td>50.0</td><td>0.500</td>"
                                 "<td>3</td><td>66.7</td><td class=\"bar\" style=\"--w:50.0%\">"
                                 "50.0</td></tr>"));
    assert_non_null(strstr(text, "mIoU <b>55.0 %</b> mean accuracy <b>70.8 %</b> overall accuracy "
                                 "<b>71.4 %</b>"));
    assert_non_null(strstr(text, "over 7 labelled points"));
    assert_false(file_exists(scratch("a.html.png")));
    memory_free(text);
    ((int32_t *)cloud_attribute(c, "truth")->data)[7] = 1; /* two that nobody answered */
    uint8_t *label = cloud_attribute(c, "label")->data;
    assert_int_equal(cloud_attribute(c, "label")->type, GLT_U8);
    label[6] = label[7] = 255;
    assert_int_equal(glt_cloud_report(c, scratch("a.html"), "page"), 0);
    assert_int_equal(file_read_all(&text, &n, scratch("a.html"), 1 << 24), 0);
    assert_non_null(strstr(text, "2 points have ground truth but no label"));
    assert_non_null(strstr(text, "over 6 labelled points"));
    memory_free(text);
    cloud_remove_attribute(c, "label");
    assert_int_equal(glt_cloud_report(c, scratch("b.html"), "page"), GLT_EDATA);
    glt_cloud_free(c);
}

/* NaN is no class, a number above 255 is one, and a cloud with red alone has no colours. */
static void every_class_of_a_report_counts(void **state)
{
    (void)state;
    static const float label[POINTS] = {0, 0, 1, 1, 700, 700, NAN, -1};
    static const float truth[POINTS] = {0, NAN, 1, 1, 700, 0, 0, -1};
    struct glt_cloud *c = make_cloud();
    char *text = NULL;
    size_t n;
    cloud_remove_attribute(c, "confidence");
    assert_int_equal(glt_cloud_set(c, "label", GLT_F32, label, 0), 0);
    assert_int_equal(glt_cloud_set(c, "truth", GLT_F32, truth, 0), 0);
    assert_int_equal(glt_cloud_set(c, "red", GLT_F32, truth, 0), 0);
    if (glt_cloud_report(c, scratch("d.html"), "page") < 0)
        fail_msg("%s", glt_error_message());
    assert_int_equal(file_read_all(&text, &n, scratch("d.html"), 1 << 24), 0);
    assert_non_null(strstr(text, "</span>class 700</td><td>2</td>"));
    assert_non_null(strstr(text, "</span>floor</td><td>2</td>"));
    assert_non_null(strstr(text, "2 points have no class"));
    assert_non_null(strstr(text, "points have ground truth but no label"));
    assert_non_null(strstr(text, "over 5 labelled points"));
    memory_free(text);
    ((float *)cloud_attribute(c, "label")->data)[3] = 2.5f;
    assert_int_equal(glt_cloud_report(c, scratch("d.html"), "page"), GLT_EDATA);
    assert_error("LABELS point 3");
    glt_cloud_free(c);
}

static int report_again(void *user)
{
    return glt_cloud_report(user, scratch("c.html"), "page");
}

static void every_allocation_of_a_report_may_fail(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    assert_true(faults_memory(report_again, c) > 5);
    assert_false(file_exists(scratch("c.html.png")));
    glt_cloud_free(c);
}

/* --- runs --- */

static void put(const char *name, const char *text)
{
    struct file *f;
    assert_int_equal(file_create(&f, scratch(name)), 0);
    assert_int_equal(file_write(f, text, strlen(text)), 0);
    assert_int_equal(file_commit(f), 0);
}

/* As gelatto train and gelatto eval -o RUN/eval leave it; the last line of a record is torn. */
static void make_run(void)
{
    static const unsigned char image[30] = {3};
    assert_int_equal(file_make_folder(scratch("run/eval")), 0);
    assert_int_equal(file_make_folder(scratch("run/checkpoints")), 0);
    put("run/config.yaml", "preset: tiny\ntask: segment\nlr: 0.002\nepochs: 100\n");
    put("run/environment.json", "{\"gelatto\": \"0.1\", \"data\": \"a <b>\"}\n");
    put("run/log.txt", "2026-01-01T00:00:00Z x < y\n");
    put("run/metrics.jsonl",
        "{\"step\":1,\"epoch\":1,\"loss\":4,\"main\":2,\"lr\":0.001,\"seconds\":1}\n"
        "{\"step\":2,\"epoch\":1,\"loss\":2,\"main\":1,\"lr\":0.001,\"seconds\":2}\n"
        "{\"step\":2,\"epoch\":1,\"metric\":0.25,\"seconds\":2}\n{\"step\":3,\"epo");
    put("run/results.csv", "step,epoch,loss,metric,miou,macc,oa,lr,seconds\n"
                           "2,1,3,0.25,0.25,0.3,0.5,0.001,60\n4,2,1.5,0.75,0.75,0.8,0.9,0.001,120\n"
                           "6,3,1.25,,,,,0.001,180\n");
    put("run/confusion.csv",
        "truth\\predicted,floor,\"a,\"\"b\"\"\"\nfloor,3,1\n\"a,\"\"b\"\"\",1,2\n");
    put("run/eval/confusion.csv", "truth\\predicted,floor,wall\nfloor,9,1\nwall,0,10\n");
    put("run/eval/card.json", "{\"command\": \"gelatto eval\", \"mean\": 0.9045, \"classes\": []}");
    assert_int_equal(
        image_write(&(struct image){5, 2, (uint8_t *)(uintptr_t)image}, scratch("run/eval/p.png")),
        0);
}

static int report_run(void *user)
{
    char folder[256];
    (void)user;
    snprintf(folder, sizeof folder, "%s", scratch("run"));
    return glt_run_report(folder, scratch("r.html"), "run");
}

static void a_run_has_a_report(void **state)
{
    (void)state;
    char *text = NULL, *again = NULL;
    size_t n, m;
    make_run();
    assert_int_equal(report_run(NULL), 0);
    assert_int_equal(file_read_all(&text, &n, scratch("r.html"), 1 << 24), 0);
    static const char *const wanted[] = {
        "6 steps, 3 epochs, 3.0 minutes; loss 1.2500", "best mIoU <b>75.0 %</b> after step 4",
        /* the validation: 3/5 and 2/4, 5 of 7; the evaluation: 9/10 and 10/11 */
        "mIoU <b>55.0 %</b> mean accuracy <b>70.8 %</b> overall accuracy <b>71.4 %</b>",
        "a,&quot;b&quot;", "<h2>Evaluation: eval</h2>", "mIoU <b>90.5 %</b>",
        "<td>mean</td><td>0.9045</td>", "<figcaption>eval/p.png</figcaption>",
        "<tr class=\"own\"><td>lr</td><td>0.002</td></tr>", "<tr><td>epochs</td><td>100</td></tr>",
        "<td>a &lt;b&gt;</td>", "x &lt; y", "</html>"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("the page has no '%s'", wanted[i]);
    assert_null(strstr(text, "src=\"http"));
    assert_null(strstr(text, "<b>a"));
    assert_int_equal(report_run(NULL), 0);
    assert_int_equal(file_read_all(&again, &m, scratch("r.html"), 1 << 24), 0);
    assert_int_equal(n, m);
    assert_memory_equal(text, again, n);
    memory_free(text);
    memory_free(again);
}

/* Losses at both ends of what a double holds: a chart of a few lines, all numbers. */
static void extreme_losses_make_a_short_chart(void **state)
{
    (void)state;
    static const char *const losses[] = {"5e-324", "1e-310", "1e-300", "1.7e308"};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        char line[256], *text = NULL;
        size_t n;
        snprintf(line, sizeof line, "{\"step\":1,\"epoch\":1,\"loss\":%s,\"main\":%s,\"lr\":1}\n",
                 losses[i], losses[i]);
        make_run();
        put("run/metrics.jsonl", line);
        assert_int_equal(report_run(NULL), 0);
        assert_int_equal(file_read_all(&text, &n, scratch("r.html"), 1 << 20), 0);
        assert_null(strstr(text, "\"inf"));
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, ",inf"));
        memory_free(text);
    }
}

static void every_failure_of_a_runs_report_is_reported(void **state)
{
    (void)state;
    assert_true(faults_memory(report_run, NULL) > 10);
}

static char heard[1024];

static void listen(void *user, enum glt_log_level level, const char *message)
{
    (void)user;
    if (level == GLT_LOG_WARNING)
        snprintf(heard, sizeof heard, "%s", message);
}

/* A run that somebody else has packed must not carry files of the reader into the page. */
static void links_in_a_run_are_not_followed(void **state)
{
    (void)state;
    static const char *const names[] = {"p.png",         "log.txt",       "environment.json",
                                        "confusion.csv", "metrics.jsonl", "results.csv",
                                        "eval/card.json"};
    char path[600], name[64], *text;
    size_t n;
    make_run();
    assert_int_equal(file_make_folder(scratch("private")), 0);
    put("private/secret", "SECRET");
    put("private/card.json", "{\"command\": \"SECRET\"}");
    put("private/p.png", "SECRET PICTURE");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "run/%s", names[i]);
        snprintf(path, sizeof path, "%s", scratch(name));
        remove(path);
        assert_int_equal(symlink(strchr(names[i], '/') ? "../../private/card.json"
                                 : i == 2              ? "../private/card.json"
                                                       : "../private/secret",
                                 path),
                         0);
    }
    snprintf(path, sizeof path, "%s", scratch("run/linked"));
    assert_int_equal(symlink("../private", path), 0);
    glt_log_set(listen, NULL);
    heard[0] = 0;
    assert_int_equal(report_run(NULL), 0);
    glt_log_set(NULL, NULL);
    assert_non_null(strstr(heard, "left out: "));
    assert_int_equal(file_read_all(&text, &n, scratch("r.html"), 1 << 24), 0);
    assert_null(strstr(text, "SECRET"));
    assert_null(strstr(text, "U0VDUkVU")); /* the same in base64 */
    memory_free(text);
    own_folder_remove(scratch("run"));
    make_run();
}

static void what_is_no_run_is_refused(void **state)
{
    (void)state;
    assert_int_equal(glt_run_report(scratch("nowhere"), "x.html", "x"), GLT_EDATA);
    put("run/config.yaml", "- a\n");
    assert_int_equal(report_run(NULL), GLT_EFORMAT);
    assert_error("SYNTAX line 1");
    put("run/config.yaml", "---\n");
    assert_int_equal(report_run(NULL), GLT_EFORMAT);
    put("run/config.yaml", "preset: tiny\n");
    /* what is damaged of the rest is left out, with a warning */
    static const char *const damaged[] = {
        "truth\\predicted,floor\n", "truth\\predicted,floor\nfloor,-1\n", "",
        "truth\\predicted,a,b\na,9223372036854775807,1\nb,1,9223372036854775807\n"};
    glt_log_set(listen, NULL);
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        heard[0] = 0;
        put("run/confusion.csv", damaged[i]);
        assert_int_equal(report_run(NULL), 0);
        assert_non_null(strstr(heard, "left out: "));
        assert_non_null(strstr(heard, "confusion.csv"));
    }
    heard[0] = 0;
    put("run/environment.json", "{\"gelatto\": ");
    assert_int_equal(report_run(NULL), 0);
    assert_non_null(strstr(heard, "left out: "));
    glt_log_set(NULL, NULL);
    assert_int_equal(file_remove(scratch("run/environment.json")), 0);
    assert_int_equal(file_remove(scratch("run/confusion.csv")), 0);
    put("run/eval/card.json", "[]");
    assert_int_equal(report_run(NULL), 0);
    char folder[256];
    snprintf(folder, sizeof folder, "%s", scratch("run"));
    assert_int_equal(glt_run_report(folder, scratch("run/eval/card.json"), "x"), GLT_EARGUMENT);
    assert_int_equal(file_remove(scratch("run/eval/card.json")), 0);
    assert_int_equal(file_remove(scratch("run/results.csv")), 0);
    assert_int_equal(file_remove(scratch("run/metrics.jsonl")), 0);
    assert_int_equal(report_run(NULL), 0); /* a run that has just begun */
}

/* Names that a spreadsheet would compute are kept from it, and come back; numbers stay numbers. */
static void a_confusion_matrix_comes_back_from_its_file(void **state)
{
    (void)state;
    enum { N = 9 };
    char *names[N] = {(char[]){"a,b"},  (char[]){"\"q\""}, (char[]){"=1+1"},
                      (char[]){"@SUM"}, (char[]){"+a,=b"}, (char[]){"-x"},
                      (char[]){"-5"},   (char[]){"'=2"},   (char[]){"'s"}};
    int64_t count[N * N] = {1, 2, 3, 4000000000};
    struct confusion c = {N, count};
    struct confusion_file m;
    char *text = NULL;
    size_t len;
    assert_int_equal(confusion_file_write(scratch("m.csv"), &c, names), 0);
    assert_int_equal(confusion_file_read(&m, scratch("m.csv")), 0);
    assert_int_equal(m.confusion.classes, N);
    assert_memory_equal(m.confusion.count, count, sizeof count);
    for (int i = 0; i < N; i++)
        assert_string_equal(m.classes.names[i], names[i]);
    confusion_file_free(&m);
    assert_int_equal(file_read_all(&text, &len, scratch("m.csv"), 1 << 20), 0);
    assert_non_null(strstr(text, ",'=1+1,'@SUM,\"'+a,=b\",'-x,-5,''=2,'s\n"));
    memory_free(text);
}

static void a_confusion_matrix_of_more_than_4096_classes_is_refused(void **state)
{
    (void)state;
    struct string s = {0};
    struct confusion_file m;
    string_add(&s, "truth\\predicted");
    for (int i = 0; i <= 4096; i++)
        string_add(&s, ",c%d", i);
    string_add(&s, "\n");
    assert_int_equal(s.code, 0);
    assert_int_equal(file_put(scratch("wide.csv"), s.bytes, (size_t)s.len), 0);
    assert_int_equal(confusion_file_read(&m, scratch("wide.csv")), GLT_ELIMIT);
    assert_error("SIZE_LIMIT");
    string_free(&s);
}

/* Of three classes one is neither true nor predicted: two rows of two cells, and that is said. */
static void absent_classes_are_left_out_of_the_matrix(void **state)
{
    (void)state;
    char *names[] = {(char[]){"first"}, (char[]){"nowhere"}, (char[]){"third"}, NULL}, *text = NULL;
    int64_t count[] = {3, 0, 1, 0, 0, 0, 0, 0, 4};
    size_t n;
    assert_int_equal(svg_matrix_file(scratch("m.svg"), &(struct confusion){3, count}, names), 0);
    assert_int_equal(file_read_all(&text, &n, scratch("m.svg"), 1 << 20), 0);
    assert_non_null(strstr(text, "1 of 3 classes do not occur"));
    assert_non_null(strstr(text, ">third<"));
    assert_null(strstr(text, "nowhere"));
    assert_non_null(strstr(text, ">75<"));
    assert_non_null(strstr(text, ">100<"));
    memory_free(text);
}

/* Names of classes, which may have 200 bytes, stand left of the cells, not left of the image. */
static void long_names_fit_beside_the_matrix(void **state)
{
    (void)state;
    char name[49], *names[] = {name, name}, *text = NULL;
    int64_t count[] = {3, 0, 1, 4};
    size_t n;
    int at = 0;
    memset(name, 'm', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(svg_matrix_file(scratch("m.svg"), &(struct confusion){2, count}, names), 0);
    assert_int_equal(file_read_all(&text, &n, scratch("m.svg"), 1 << 20), 0);
    const char *end = strstr(text, "\" text-anchor=\"end\">m"), *x = end;
    assert_non_null(end);
    while (strncmp(x, "x=\"", 3) != 0)
        x--;
    assert_int_equal(sscanf(x, "x=\"%d", &at), 1);
    assert_true(at >= 48 * 7);
    memory_free(text);
}

int main(void)
{
    faults_step = tier_pick(31, 1, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_report_are_those_counted_by_hand),
        cmocka_unit_test(every_class_of_a_report_counts),
        cmocka_unit_test(every_allocation_of_a_report_may_fail),
        cmocka_unit_test(a_confusion_matrix_comes_back_from_its_file),
        cmocka_unit_test(a_confusion_matrix_of_more_than_4096_classes_is_refused),
        cmocka_unit_test(a_run_has_a_report),
        cmocka_unit_test(every_failure_of_a_runs_report_is_reported),
        cmocka_unit_test(links_in_a_run_are_not_followed),
        cmocka_unit_test(what_is_no_run_is_refused),
        cmocka_unit_test(extreme_losses_make_a_short_chart),
        cmocka_unit_test(absent_classes_are_left_out_of_the_matrix),
        cmocka_unit_test(long_names_fit_beside_the_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
