/* Patches, in every format with a place for classes: the rows they name change, nothing else does.
 * And what is refused, leaving the cloud as it was.
 * labels: quick threads */
#include "io_cloud.h"

#include "core/file_write.h"
#include "core/memory.h"
#include "core/string.h"
#include "faults.h"
#include "geometry/subset.h"
#include "task/shown.h"

#include <math.h>

enum { N = 400 };

/* Points on a wavy sheet, whole colours, labels 0 to 4 that three names explain. */
static struct glt_cloud *make_cloud(bool labels)
{
    struct glt_cloud *c = NULL;
    double x[N], y[N], z[N];
    uint8_t red[N], label[N];
    assert_int_equal(glt_cloud_create(&c, N), 0);
    for (int i = 0; i < N; i++) {
        x[i] = i % 20 * 0.25;
        y[i] = (double)(i / 20) * 0.25;
        z[i] = i % 7 * 0.125;
        red[i] = (uint8_t)(i % 251);
        label[i] = (uint8_t)(i / 8 % 5);
    }
    assert_int_equal(glt_cloud_set(c, "x", GLT_F64, x, 0), 0);
    assert_int_equal(glt_cloud_set(c, "y", GLT_F64, y, 0), 0);
    assert_int_equal(glt_cloud_set(c, "z", GLT_F64, z, 0), 0);
    assert_int_equal(glt_cloud_set(c, "intensity", GLT_U8, red, 0), 0);
    if (labels)
        assert_int_equal(glt_cloud_set(c, "label", GLT_U8, label, 0), 0);
    assert_int_equal(cloud_add_comment(c, "class 0 floor"), 0);
    assert_int_equal(cloud_add_comment(c, "class 3 wall"), 0);
    return c;
}

static const char *put_patch(const struct glt_cloud *c, int maximum, const char *edits)
{
    char digest[DIGEST_SIZE];
    struct string s = {0};
    char *text;
    assert_int_equal(shown_digest(digest, c), 0);
    string_add(
        &s,
        "{\"gelatto\":\"patch\",\"version\":1,\"cloud\":\"a\",\"digest\":\"%s\",\"points\":%d,"
        "\"maximum\":%d,\"edits\":%s}\n",
        digest, (int)c->n, maximum, edits);
    assert_int_equal(string_take(&text, &s), 0);
    assert_int_equal(file_put(scratch("p.json"), text, strlen(text)), 0);
    memory_free(text);
    return scratch("p.json");
}

static double label_at(const struct glt_cloud *c, int64_t i)
{
    return column_value(labels_column(c), i);
}

static struct glt_cloud *open_cloud(const char *name)
{
    struct glt_cloud *c = NULL;
    assert_int_equal(glt_cloud_read(&c, scratch(name), NULL), 0);
    return c;
}

static void write_as(const struct glt_cloud *c, const char *name)
{
    assert_int_equal(glt_cloud_write(c, scratch(name), "labels"), 0);
}

static int64_t different_bytes(const char *a, const char *b)
{
    char *x, *y;
    size_t n, m;
    int64_t found = 0;
    assert_int_equal(file_read_all(&x, &n, scratch(a), 1 << 24), 0);
    assert_int_equal(file_read_all(&y, &m, scratch(b), 1 << 24), 0);
    assert_int_equal(n, m);
    for (size_t i = 0; i < n; i++)
        found += x[i] != y[i];
    memory_free(x);
    memory_free(y);
    return found;
}

struct kind {
    const char *extension;
    const char *beside; /* the labels are in this file */
    bool packed;        /* bytes are not those of the values */
    bool reviewed;      /* it can hold more attributes */
};

static const struct kind kinds[] = {
    {"ply", NULL, false, true}, {"pcd", NULL, false, true}, {"las", NULL, false, true},
    {"laz", NULL, true, true},  {"npy", NULL, false, true}, {"npz", NULL, true, true},
    {"txt", NULL, false, true}, {"csv", NULL, false, true}, {"bin", "label", false, false},
};

/* All columns but the labels and, if it was added, reviewed. */
static void assert_same_but_labels(const struct glt_cloud *a, const struct glt_cloud *b)
{
    assert_int_equal(a->n, b->n);
    for (int32_t i = 0; i < a->n_columns; i++) {
        const struct column *x = &a->columns[i], *y = cloud_attribute(b, x->name);
        assert_non_null(y);
        if (x != labels_column(a))
            assert_same_column(x, y, a->n);
    }
    bool added = cloud_attribute(b, "reviewed") && !cloud_attribute(a, "reviewed");
    assert_int_equal(b->n_columns, a->n_columns + added);
}

static const char edits[] = "[{\"class\":3,\"name\":\"wall\",\"rows\":\"0-3 17 390-399\"},"
                            "{\"class\":4,\"rows\":\"40-47 5\"}]";

static bool is_named(int64_t i)
{
    return i <= 3 || i == 17 || i >= 390 || (i >= 40 && i <= 47) || i == 5;
}

static void check_labels(const struct glt_cloud *before, const struct glt_cloud *after)
{
    for (int64_t i = 0; i < N; i++) {
        double wanted = !is_named(i) ? label_at(before, i) : (i >= 40 && i <= 47) || i == 5 ? 4 : 3;
        assert_true(label_at(after, i) == wanted);
    }
}

static void only_the_rows_of_a_patch_change_in_every_format(void **state)
{
    (void)state;
    char from[32], plain[32], patched[32], a[32], b[32];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct glt_cloud *made = make_cloud(true), *c, *after;
        struct glt_patched done;
        snprintf(from, sizeof from, "from.%s", kinds[k].extension);
        snprintf(plain, sizeof plain, "plain.%s", kinds[k].extension);
        snprintf(patched, sizeof patched, "patched.%s", kinds[k].extension);
        write_as(made, from);
        c = open_cloud(from);
        write_as(c, plain);
        put_patch(c, N, edits);
        assert_int_equal(glt_patch(c, scratch("p.json"), "reviewed=false", &done), 0);
        write_as(c, patched);
        after = open_cloud(patched);
        glt_cloud_free(c);
        c = open_cloud(from);
        check_labels(c, after);
        assert_same_but_labels(c, after);
        assert_int_equal(done.rows, 24);
        assert_int_equal(done.points, 24);
        snprintf(a, sizeof a, "plain.%s", kinds[k].beside ? kinds[k].beside : kinds[k].extension);
        snprintf(b, sizeof b, "patched.%s", kinds[k].beside ? kinds[k].beside : kinds[k].extension);
        if (!kinds[k].packed)
            assert_int_equal(different_bytes(a, b), done.changed);
        if (kinds[k].beside)
            assert_int_equal(different_bytes(plain, patched), 0);
        glt_cloud_free(made);
        glt_cloud_free(c);
        glt_cloud_free(after);
    }
}

static void reviewed_is_set_where_the_format_holds_it(void **state)
{
    (void)state;
    char from[32], patched[32];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct glt_cloud *made = make_cloud(true), *c, *after;
        snprintf(from, sizeof from, "from.%s", kinds[k].extension);
        snprintf(patched, sizeof patched, "patched.%s", kinds[k].extension);
        write_as(made, from);
        c = open_cloud(from);
        put_patch(c, N, edits);
        assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), 0);
        write_as(c, patched);
        after = open_cloud(patched);
        const struct column *x = cloud_attribute(after, "reviewed");
        assert_int_equal(x != NULL, kinds[k].reviewed);
        for (int64_t i = 0; x && i < N; i++)
            assert_true(column_value(x, i) == is_named(i));
        check_labels(made, after);
        glt_cloud_free(made);
        glt_cloud_free(c);
        glt_cloud_free(after);
    }
}

/* Marks of an earlier review stay. */
static void a_second_patch_adds_to_reviewed(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud(true);
    put_patch(c, N, "[{\"class\":1,\"rows\":\"10\"}]");
    assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), 0);
    put_patch(c, N, "[{\"class\":2,\"rows\":\"11\"}]");
    assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), 0);
    const uint8_t *reviewed = cloud_attribute(c, "reviewed")->data;
    for (int i = 0; i < N; i++)
        assert_int_equal(reviewed[i], i == 10 || i == 11);
    glt_cloud_free(c);
}

static void shown_rows_stand_for_their_nearest_points(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud(true), *old = make_cloud(true);
    struct call call = {0};
    struct shown s;
    struct glt_patched done;
    int32_t owner[N];
    char text[64];
    assert_int_equal(shown_find(&s, &call, c, 40), 0);
    assert_int_equal(s.m, 40);
    assert_int_equal(subset_owners(owner, s.rows, s.m, &call, s.xyz, N), 0);
    snprintf(text, sizeof text, "[{\"class\":9,\"rows\":\"%d-%d\"}]", s.rows[7], s.rows[9]);
    put_patch(c, 40, text);
    assert_int_equal(glt_patch(c, scratch("p.json"), NULL, &done), 0);
    int64_t points = 0;
    for (int64_t i = 0; i < N; i++) {
        bool meant = owner[i] >= 7 && owner[i] <= 9;
        points += meant;
        assert_true(label_at(c, i) == (meant ? 9 : label_at(old, i)));
    }
    assert_int_equal(done.rows, 3);
    assert_int_equal(done.points, points);
    assert_true(points > 10);
    snprintf(text, sizeof text, "[{\"class\":9,\"rows\":\"%d\"}]", s.rows[7] + 1);
    put_patch(c, 40, text); /* a row that was not shown */
    assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), GLT_EFORMAT);
    call_free(&call);
    glt_cloud_free(c);
    glt_cloud_free(old);
}

static void ignored_points_have_no_class(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud(true);
    put_patch(c, N, "[{\"class\":null,\"rows\":\"3\"}]");
    assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), 0);
    assert_true(label_at(c, 3) == 255);
    cloud_remove_attribute(c, "label");
    int32_t label[N] = {0};
    float real[N] = {0};
    assert_int_equal(glt_cloud_set(c, "label", GLT_I32, label, 0), 0);
    assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), 0);
    assert_true(label_at(c, 3) == -1);
    assert_int_equal(glt_cloud_borrow(c, "label", GLT_F32, real, 0), 0);
    assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), 0);
    assert_true(label_at(c, 3) == -1);
    assert_true(real[3] == 0); /* it belongs to the caller */
    glt_cloud_free(c);
}

/* LAS: 0 is no class until a class of that number has a name. */
static void points_without_class_stay_so_when_a_patch_names_class_0(void **state)
{
    (void)state;
    for (int number = 0; number < 2; number++) {
        uint8_t none[N] = {0};
        char edit[80];
        struct glt_cloud *c = make_cloud(false);
        while (c->n_comments)
            cloud_remove_comment(c, 0);
        assert_int_equal(cloud_read_classes(c), 0);
        assert_int_equal(glt_cloud_set(c, "classification", GLT_U8, none, 0), 0);
        snprintf(edit, sizeof edit, "[{\"class\":%d,\"name\":\"ground\",\"rows\":\"0-9\"}]",
                 number);
        put_patch(c, N, edit);
        assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), 0);
        for (int64_t i = 0; i < N; i++)
            assert_true(label_at(c, i) == (i < 10 ? number : number ? 0 : 255));
        glt_cloud_free(c);
    }
}

static void a_cloud_without_labels_gets_them(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud(false);
    put_patch(c, N,
              "[{\"class\":7,\"name\":\"tree\",\"rows\":\"0-9\"},"
              "{\"class\":null,\"rows\":\"20\"}]");
    assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), 0);
    for (int64_t i = 0; i < N; i++)
        assert_true(label_at(c, i) == (i < 10 ? 7 : 255));
    assert_string_equal(classes_name(&c->classes, 7), "tree");
    glt_cloud_free(c);
}

/* Classes that are merely counted get other numbers in LAS, with a class that a patch adds too:
 * after a prediction those of the model stay. */
static void las_gets_numbers_for_an_added_class(void **state)
{
    (void)state;
    static const uint8_t numbers[] = {66, 17};
    for (int predicted = 0; predicted < 2; predicted++) {
        struct glt_cloud *c = make_cloud(false), *las;
        int32_t label[N];
        for (int i = 0; i < N; i++)
            label[i] = i % 2;
        assert_int_equal(labels_set(c, label, NULL, (const char *const[]){"floor", "wall"}, 2), 0);
        if (predicted)
            assert_int_equal(cloud_set_note(c, "labels.numbers", numbers, 2), 0);
        put_patch(c, N, "[{\"class\":2,\"name\":\"Ground\",\"rows\":\"4-7\"}]");
        assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), 0);
        write_as(c, "numbers.las");
        las = open_cloud("numbers.las");
        for (int i = 0; i < N; i++)
            assert_int_equal(label_at(las, i), i >= 4 && i < 8 ? 2
                                               : predicted     ? numbers[i % 2]
                                                               : 64 + i % 2);
        assert_string_equal(classes_name(&las->classes, 2), "Ground");
        glt_cloud_free(las);
        glt_cloud_free(c);
    }
}

static void a_patch_leaves_clouds_with_the_same_values_alone(void **state)
{
    (void)state;
    struct glt_cloud *before = make_cloud(true), *c = make_cloud(true), *s = NULL;
    assert_int_equal(glt_cloud_share(&s, c), 0);
    assert_int_equal(glt_patch(c, put_patch(c, N, edits), NULL, NULL), 0);
    check_labels(before, c);
    for (int64_t i = 0; i < N; i++)
        assert_true(label_at(s, i) == label_at(before, i));
    assert_null(cloud_attribute(s, "reviewed"));
    cloud_free(c);
    cloud_free(s);
    cloud_free(before);
}

static void patches_that_do_not_fit_are_refused_and_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *edits;
        int code;
        enum glt_topic topic;
    } bad[] = {
        {"[{\"class\":3,\"name\":\"floor\",\"rows\":\"0\"}]", GLT_EDATA, GLT_TOPIC_CLASSES},
        {"[{\"class\":2,\"name\":\"a\\nb\",\"rows\":\"0\"}]", GLT_EFORMAT, GLT_TOPIC_CLASSES},
        {"[{\"class\":300,\"rows\":\"0\"}]", GLT_EDATA, GLT_TOPIC_LABELS},
        {"[{\"class\":2,\"name\":\"new\",\"rows\":\"0-400\"}]", GLT_EFORMAT, GLT_TOPIC_SYNTAX},
        {"[{\"class\":2,\"rows\":\"5-4\"}]", GLT_EFORMAT, GLT_TOPIC_SYNTAX},
        {"[{\"class\":2,\"rows\":\"1,2\"}]", GLT_EFORMAT, GLT_TOPIC_SYNTAX},
        {"[{\"class\":2,\"rows\":\"-1\"}]", GLT_EFORMAT, GLT_TOPIC_SYNTAX},
        {"[{\"class\":2,\"rows\":\"1-\"}]", GLT_EFORMAT, GLT_TOPIC_SYNTAX},
        {"[{\"class\":2,\"rows\":\"99999999999999999999\"}]", GLT_EFORMAT, GLT_TOPIC_SYNTAX},
    };
    struct glt_cloud *c = make_cloud(true), *old = make_cloud(true);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        put_patch(c, N, bad[k].edits);
        assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), bad[k].code);
        assert_int_equal(glt_error_topic(), bad[k].topic);
        assert_int_equal(c->n_columns, old->n_columns);
        assert_int_equal(c->n_comments, old->n_comments);
        assert_null(classes_name(&c->classes, 2));
        assert_null(cloud_note(c, "classes"));
        for (int32_t i = 0; i < c->n_columns; i++)
            assert_same_column(&c->columns[i], &old->columns[i], N);
    }
    /* a run is short, what it asks for is not */
    char many[70 * 32] = "[{\"class\":2,\"rows\":\"0-9\"}", whole[32];
    snprintf(whole, sizeof whole, ",{\"class\":2,\"rows\":\"0-%d\"}", N - 1);
    for (int i = 0; i < 63; i++)
        strcat(many, whole);
    put_patch(c, N, strcat(many, "]"));
    assert_int_equal(glt_patch(old, scratch("p.json"), NULL, NULL), 0);
    many[strlen(many) - 1] = 0;
    put_patch(c, N, strcat(strcat(many, whole), "]"));
    assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), GLT_EFORMAT);
    put_patch(c, N, "[]");
    ((double *)cloud_attribute(c, "x")->data)[0] += 1;
    assert_int_equal(glt_patch(c, scratch("p.json"), NULL, NULL), GLT_EDATA);
    assert_int_equal(glt_error_topic(), GLT_TOPIC_DIGEST);
    glt_cloud_free(c);
    glt_cloud_free(old);
}

/* Corrections outlive a new prediction: the digest is that of the points. */
static void other_labels_are_no_other_cloud(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud(true), *bare = make_cloud(false);
    char a[DIGEST_SIZE], b[DIGEST_SIZE];
    assert_int_equal(shown_digest(a, c), 0);
    assert_int_equal(shown_digest(b, bare), 0);
    assert_string_equal(a, b);
    glt_cloud_free(c);
    glt_cloud_free(bare);
}

static int patch_again(void *user)
{
    struct glt_cloud *c = NULL;
    TRY(glt_cloud_read(&c, scratch("from.ply"), NULL));
    int code = glt_patch(c, user, NULL, NULL);
    glt_cloud_free(c);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud(false);
    static char path[256];
    write_as(c, "from.ply");
    snprintf(path, sizeof path, "%s",
             put_patch(c, 40, "[{\"class\":7,\"name\":\"tree\",\"rows\":\"0-99\"}]"));
    glt_cloud_free(c);
    assert_true(faults_memory(patch_again, path) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_rows_of_a_patch_change_in_every_format),
        cmocka_unit_test(reviewed_is_set_where_the_format_holds_it),
        cmocka_unit_test(a_second_patch_adds_to_reviewed),
        cmocka_unit_test(shown_rows_stand_for_their_nearest_points),
        cmocka_unit_test(ignored_points_have_no_class),
        cmocka_unit_test(points_without_class_stay_so_when_a_patch_names_class_0),
        cmocka_unit_test(a_cloud_without_labels_gets_them),
        cmocka_unit_test(las_gets_numbers_for_an_added_class),
        cmocka_unit_test(a_patch_leaves_clouds_with_the_same_values_alone),
        cmocka_unit_test(patches_that_do_not_fit_are_refused_and_change_nothing),
        cmocka_unit_test(other_labels_are_no_other_cloud),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
