/* Folders described by a YAML file: which files are taken, and what their labels become.
 * labels: quick */
#include "errors.h"
#include "folder_set.h"

#include "core/file_write.h"
#include "datasets/dataset_fingerprint.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "datasets/digest.h"
#include "formats/format.h"

#include <math.h>

#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define PLY(comments, n, more, rows)                                                               \
    "ply\nformat ascii 1.0\n" comments "element vertex " #n "\n" XYZ more "end_header\n" rows

/* --- labels --- */

static void a_folder_is_no_number(void **state)
{
    (void)state;
    static const char text[] = "0 0 0\n1 0 0\n0 1 0\n";
    data_text("digits/0/a.xyz", text);
    data_text("digits/1/b.xyz", text);
    data_text("digits/two/c.xyz", text);
    struct dataset *d = open_set("digits", "task: classify\ntrain: .\nnames: [zero, one, two]\n"
                                           "map: {0: zero, 1: one}\n");
    data_count(d, SPLIT_TRAIN, "zero", 1);
    data_count(d, SPLIT_TRAIN, "one", 1);
    data_count(d, SPLIT_TRAIN, "two", 1);
    dataset_close(d);
}

static void ignored_shapes_are_left_out(void **state)
{
    (void)state;
    static const char text[] = "0 0 0\n1 0 0\n0 1 0\n";
    data_text("some/a/a.xyz", text);
    data_text("some/b/b.xyz", text);
    data_text("some/c/c.xyz", text);
    struct dataset *d = open_set("some", "task: classify\ntrain: .\nnames: [a, b]\nignore: [c]\n");
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 2);
    for (int32_t i = 0; i < 2; i++)
        assert_true(d->split[SPLIT_TRAIN].list[i].category >= 0);
    dataset_close(d);
}

static void the_first_rule_counts(void **state)
{
    (void)state;
    data_text("rules/a.ply", PLY("comment class 1 Shrub\ncomment class 1 rock\n", 3,
                                 "property int label\n", "0 0 0 0\n1 0 0 1\n2 0 0 -7\n"));
    struct dataset *d = open_set("rules", "test: a.ply\nnames: [ground, tree]\n"
                                          "map: {shrub: tree, 1: ground, -7: tree}\n"
                                          "ignore: [SHRUB, 1]\n");
    data_count(d, SPLIT_TEST, "ground", 1);
    data_count(d, SPLIT_TEST, "tree", 2);
    dataset_close(d);
}

/* rgb? is grey where a cloud has no colours, or where they are not to be seen. */
static void colours_may_be_missing(void **state)
{
    (void)state;
    char path[DATA_PATH];
    const struct item *x;
    struct config c;
    struct dataset *refused = NULL;
    data_text("grey/a.ply", PLY("", 1, "property int label\n", "0 0 0 0\n"));
    data_text("grey/b.ply", PLY("", 1,
                                "property uchar red\nproperty uchar green\n"
                                "property uchar blue\nproperty int label\n",
                                "0 0 0 255 0 51 0\n"));
    data_text("grey/set.yaml", "train: .\nnames: [a]\n");
    data_file(path, "grey/set.yaml");
    struct dataset *d = data_open(path, "inputs=xyz,rgb? validation=off");
    for (int32_t i = 0; i < 2; i++) {
        data_check(dataset_take(&x, d, SPLIT_TRAIN, i));
        assert_int_equal(x->extra, 3);
        assert_true(x->grey == (i == 0));
        assert_true(x->features[0] == (i ? 1 : 0.5f) && x->features[1] == (i ? 0 : 0.5f));
        dataset_give(d, SPLIT_TRAIN, i);
    }
    dataset_close(d);
    d = data_open(path, "inputs=xyz,rgb? validation=off colours=off");
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 1));
    assert_true(x->grey && x->features[0] == 0.5f && x->features[2] == 0.5f);
    dataset_give(d, SPLIT_TRAIN, 1);
    dataset_close(d);
    data_config(&c, "inputs=xyz,rgb colours=off");
    assert_int_equal(dataset_open(&refused, path, &c.data, c.seed), GLT_EARGUMENT);
    assert_error("OPTION colours");
}

/* An attribute with ? is 0 where a cloud lacks it, where all points have the same, or if hidden. */
static void attributes_may_be_missing(void **state)
{
    (void)state;
    static const float expected[] = {0, 0, 2};
    char path[DATA_PATH];
    const struct item *x;
    data_text("lacking/a.ply", PLY("", 2, "property int label\n", "0 0 0 0\n1 0 0 0\n"));
    data_text("lacking/b.ply",
              PLY("", 2, "property uchar returns\nproperty int label\n", "0 0 0 1 0\n1 0 0 1 0\n"));
    data_text("lacking/c.ply",
              PLY("", 2, "property uchar returns\nproperty int label\n", "0 0 0 2 0\n1 0 0 1 0\n"));
    data_text("lacking/set.yaml", "train: .\nnames: [a]\n");
    data_file(path, "lacking/set.yaml");
    for (int hidden = 0; hidden < 2; hidden++) {
        struct dataset *d =
            data_open(path, hidden ? "inputs=xyz,returns? validation=off attributes=off"
                                   : "inputs=xyz,returns? validation=off");
        for (int32_t i = 0; i < 3; i++) {
            data_check(dataset_take(&x, d, SPLIT_TRAIN, i));
            assert_int_equal(x->extra, 1);
            assert_true(x->features[0] == (hidden ? 0 : expected[i]));
            dataset_give(d, SPLIT_TRAIN, i);
        }
        dataset_close(d);
    }
}

/* The rules of the first pattern that matches come before those of all files. */
static void some_files_have_rules_of_their_own(void **state)
{
    (void)state;
    static const char text[] =
        PLY("", 4, "property int label\n", "0 0 0 1\n1 0 0 2\n2 0 0 6\n3 0 0 9\n");
    data_text("surveys/nl/a.ply", text);
    data_text("surveys/fr/a.ply", text);
    data_text("surveys/us/b/a.ply", text);
    static const char yaml[] = "train: [fr, nl]\ntest: us\nnames: [ground, building, other]\n"
                               "map: {2: ground, 6: building, 1: other}\nignore: rest\n"
                               "files:\n  \"nl/*\": {ignore: [1], weight: 0.5}\n"
                               "  \"**\": {map: {9: other}, weight: 3}\n";
    struct dataset *d = open_set("surveys", yaml);
    data_count(d, SPLIT_TRAIN, "ground", 2);
    data_count(d, SPLIT_TRAIN, "other", 2); /* 1 and 9 of fr */
    data_count(d, SPLIT_TEST, "other", 2);
    struct item_source items;
    data_check(dataset_items(&items, d, SPLIT_TRAIN));
    assert_true(items.weight(items.user, 0) == 3 && items.weight(items.user, 1) == 0.5);
    char all[DIGEST_SIZE], other[DIGEST_SIZE];
    data_check(dataset_fingerprint(all, d));
    dataset_close(d);
    d = open_set("surveys", "train: [fr, nl]\ntest: us\nnames: [ground, building, other]\n"
                            "map: {2: ground, 6: building, 1: other}\nignore: rest\n"
                            "files:\n  \"nl/*\": {ignore: [1], weight: 0.5}\n"
                            "  \"**\": {map: {9: ground}, weight: 3}\n");
    data_check(dataset_fingerprint(other, d));
    assert_string_not_equal(all, other);
    dataset_close(d);
}

static void wrong_rules_of_files_are_refused(void **state)
{
    (void)state;
    data_text("rules/a.ply", PLY("", 1, "property int label\n", "0 0 0 1\n"));
#define SET "train: .\nnames: [a, b]\n"
    expect_error("rules", SET "files: [a]\n", "VALUE line 3");
    expect_error("rules", SET "files: {\"*\": 3}\n", "VALUE line 3");
    expect_error("rules", SET "files: {\"*\": {names: [c]}}\n", "VALUE line 3");
    expect_error("rules", SET "files: {\"*\": {weight: 0}}\n", "VALUE line 3");
    expect_error("rules", SET "files: {\"*\": {map: {1: c}}}\n", "CLASSES c line 3");
    expect_error("rules", "task: classify\n" SET "files: {\"*\": {weight: 2}}\n", "VALUE line 4");
#undef SET
}

/* 40,000 rules for 100,000 points, 20,000 names of classes: each finds its own. */
static void many_rules_and_names_are_found_fast_and_right(void **state)
{
    (void)state;
    enum { RULES = 40000, POINTS = 100000, NAMES = 20000 };
    char path[DATA_PATH];
    struct glt_cloud *c;
    data_room(&c, POINTS, 4, 3, 1);
    cloud_remove_attribute(c, "label");
    data_check(format_write(c, data_file(path, "many/a.ply"), NULL));
    cloud_free(c);
    char *zeros = calloc(1, POINTS);
    data_check(file_put(data_file(path, "many/a.label"), zeros, POINTS));
    free(zeros);
    FILE *f = fopen(data_file(path, "many/set.yaml"), "wb");
    fputs("test: a.ply\nlabels: .label\nnames: [ground]\nmap:\n", f);
    for (int i = 0; i < RULES; i++)
        fprintf(f, "  %d: ground\n", i + 1);
    assert_int_equal(fclose(f), 0);
    struct dataset *d = data_open(path, "inputs=xyz");
    data_count(d, SPLIT_TEST, "ground", POINTS);
    dataset_close(d);
    f = fopen(data_file(path, "names/a.ply"), "wb");
    fputs("ply\nformat ascii 1.0\n", f);
    for (int i = 0; i < NAMES; i++)
        fprintf(f, "comment class %d ground\n", i);
    fputs("element vertex 1\n" XYZ "property int label\nend_header\n0 0 0 19999\n", f);
    assert_int_equal(fclose(f), 0);
    d = open_set("names", "test: a.ply\nnames: [ground]\n");
    data_count(d, SPLIT_TEST, "ground", 1);
    dataset_close(d);
}

static void a_label_cloud_names_its_labels(void **state)
{
    (void)state;
    data_text("beside/a.ply", PLY("", 3, "", "0 0 0\n1 0 0\n2 0 0\n"));
    data_text("beside/a.labels.ply", PLY("comment class 0 tree\ncomment class 1 ground\n", 3,
                                         "property uchar label\n", "0 0 0 0\n1 0 0 0\n2 0 0 1\n"));
    struct dataset *d =
        open_set("beside", "test: '*.ply'\nlabels: .labels.ply\nnames: [ground, tree]\n");
    data_count(d, SPLIT_TEST, "ground", 1);
    data_count(d, SPLIT_TEST, "tree", 2);
    dataset_close(d);
}

static void write_npy(const char *name, const float *values, int n)
{
    char head[128] = "\x93NUMPY\1", path[DATA_PATH];
    int len = snprintf(head + 10, sizeof head - 10,
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }\n", n);
    head[8] = (char)len;
    FILE *f = fopen(data_file(path, name), "wb");
    assert_int_equal(fwrite(head, 1, (size_t)len + 10, f), (size_t)len + 10);
    assert_int_equal(fwrite(values, sizeof *values, (size_t)n, f), (size_t)n);
    assert_int_equal(fclose(f), 0);
}

/* In the cloud, in an array, in a cloud and in lines beside it. */
static void labels_are_whole_numbers(void **state)
{
    (void)state;
    static const float missing[] = {0, NAN, 1}, rounded[] = {0, 1, 1.4f};
    static const char *const yaml[] = {
        "test: in.ply\nnames: [ground, tree]\n",
        "test: c.ply\nlabels: .npy\nnames: [ground, tree]\n",
        "test: c.ply\nlabels: .label.ply\nnames: [ground, tree]\n",
        "test: c.ply\nlabels: .lines\nnames: [ground, tree]\n",
    };
    data_text("whole/c.ply", PLY("", 3, "", "0 0 0\n1 0 0\n2 0 0\n"));
    for (int bad = 0; bad < 2; bad++) {
        const char *text =
            bad ? PLY("", 3, "property float label\n", "0 0 0 0\n1 0 0 1\n2 0 0 1.4\n")
                : PLY("", 3, "property float label\n", "0 0 0 0\n1 0 0 nan\n2 0 0 1\n");
        data_text("whole/in.ply", text);
        data_text("whole/c.label.ply", text);
        data_text("whole/c.lines", bad ? "0\n1\n1.4\n" : "0\nnan\n1\n");
        write_npy("whole/c.npy", bad ? rounded : missing, 3);
        for (size_t i = 0; i < sizeof yaml / sizeof *yaml; i++) {
            if (bad) {
                expect_error("whole", yaml[i], "LABELS point 2");
                continue;
            }
            struct dataset *d = open_set("whole", yaml[i]);
            data_count(d, SPLIT_TEST, "ground", 1);
            data_count(d, SPLIT_TEST, "tree", 1);
            dataset_close(d);
        }
    }
}

/* Every LAS point has a class; where all have none, nobody said which. */
static void las_without_classes_has_no_labels(void **state)
{
    (void)state;
    char path[DATA_PATH];
    struct glt_cloud *c;
    struct column *x;
    data_room(&c, 50, 4, 3, 1);
    cloud_remove_attribute(c, "label");
    data_check(format_write(c, data_file(path, "las/a.las"), NULL));
    expect_error("las", "test: a.las\nnames: [ground, tree]\n", "LABELS");
    struct dataset *d = open_set("las", "test: a.las\nnames: [ground, tree]\nmap: {0: tree}\n");
    data_count(d, SPLIT_TEST, "tree", 50);
    dataset_close(d);
    data_check(cloud_add_attribute(&x, c, "classification", GLT_U8));
    memset(x->data, 1, 50);
    data_check(format_write(c, path, NULL));
    d = open_set("las", "test: a.las\nnames: [ground, tree]\n");
    data_count(d, SPLIT_TEST, "tree", 50);
    dataset_close(d);
    cloud_free(c);
}

static void parts_stay_in_their_category(void **state)
{
    (void)state;
    static const char yaml[] = "task: parts\ntest: .\nparts: {chair: 2, mug: 2}\n";
    data_text("own/mug/a.txt", "x y z label\n0 0 0 2\n1 0 0 3\n2 0 0 1\n3 0 1 -1\n");
    expect_error("own", yaml, "LABELS point 2");
    data_text("own/mug/a.txt", "x y z label\n0 0 0 2\n1 0 0 3\n2 0 0 3\n3 0 1 -1\n");
    struct dataset *d = open_set("own", yaml);
    data_count(d, SPLIT_TEST, "mug 2", 2);
    dataset_close(d);
}

static void names_differ_in_more_than_case(void **state)
{
    (void)state;
    data_text("case/a.xyz", "0 0 0\n");
    expect_error("case", "test: a.xyz\nnames: [Tree, tree]\n", "VALUE line 2");
    expect_error("case", "test: a.xyz\ntask: parts\nparts: {Mug: 1, mug: 1}\n", "VALUE line 3");
    expect_error("case", "test: a.xyz\ntask: parts\nnames: [Mug.a, cup.b, mug.c]\n",
                 "VALUE line 3");
    expect_error("case", "test: a.xyz\ntask: parts\nnames: ['x 1.a', 'X 1.a']\n", "VALUE line 3");
}

/* --- files --- */

static void expect_files(const char *folder, const char *yaml, const char *files)
{
    char found[512] = "";
    struct dataset *d = open_set(folder, yaml);
    for (int32_t i = 0; i < dataset_count(d, SPLIT_TRAIN); i++) {
        size_t at = strlen(found);
        snprintf(found + at, sizeof found - at, "%s%s", i ? " " : "",
                 d->split[SPLIT_TRAIN].list[i].name);
    }
    assert_int_equal(d->missing.n, 0);
    assert_string_equal(found, files);
    dataset_close(d);
}

#define NAMES "names: [ground, tree]\n"

static void files_are_found_in_places_of_all_kinds(void **state)
{
    (void)state;
    char yaml[DATA_PATH];
    static const char text[] = "0 0 0 0\n1 0 0 1\n0 1 0 1\n";
    static const char *const files[] = {"top.xyz",        "sub/a.xyz",     "sub/deep/b.xyz",
                                        "scan [1]/c.xyz", ".hidden/d.xyz", "sub/._a.xyz"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[64];
        snprintf(name, sizeof name, "place/scans/%s", files[i]);
        data_text(name, text);
    }
    const char *all = "scan [1]/c.xyz sub/a.xyz sub/deep/b.xyz top.xyz";
    expect_files("place", "path: scans\ntrain: .\n" NAMES, all);
    expect_files("place", "path: scans\ntrain: ./\n" NAMES, all);
    expect_files("place", "path: scans\ntrain: '**/*.xyz'\n" NAMES, all);
    expect_files("place", "path: scans\ntrain: 'sub/**/*.xyz'\n" NAMES, "sub/a.xyz sub/deep/b.xyz");
    expect_files("place", "path: scans\ntrain: './*.xyz'\n" NAMES, "top.xyz");
    expect_files("place", "path: scans\ntrain: 'sub/./*.xyz'\n" NAMES, "sub/a.xyz");
    expect_files("place", "path: scans\ntrain: 'scan [1]'\n" NAMES, "scan [1]/c.xyz");
    expect_files("place", "path: scans\ntrain: 'scan [1]/c.xyz'\n" NAMES, "scan [1]/c.xyz");
    expect_files("place", "path: scans/sub\ntrain: '../*.xyz'\n" NAMES, "../top.xyz");
    expect_files("place", "path: scans\ntrain: '.hidden/*.xyz'\n" NAMES, ".hidden/d.xyz");
    /* "**" stands for any number of folders, "*" for what is in one */
    expect_files("place", "path: scans\ntrain: 's?b/**/*.xyz'\n" NAMES, "sub/a.xyz sub/deep/b.xyz");
    expect_files("place", "path: scans\ntrain: '**/s*/*.xyz'\n" NAMES, "scan [1]/c.xyz sub/a.xyz");
    expect_files("place", "path: scans\ntrain: '**/deep/**'\n" NAMES, "sub/deep/b.xyz");
    expect_files("place", "path: scans\ntrain: '**/sub/**/deep/**/b.*'\n" NAMES, "sub/deep/b.xyz");
    expect_files("place", "path: scans\ntrain: '**.xyz'\n" NAMES, all);
    expect_error("place", "path: scans\ntrain: '**/deep/*/b.xyz'\n" NAMES,
                 "NOT_FOUND **/deep/*/b.xyz line 2");
    snprintf(yaml, sizeof yaml, "path: scans\ntrain: '%s/place/scans/t*.xyz'\n" NAMES,
             data_folder());
    expect_files("place", yaml, "top.xyz");
    expect_error("place", "path: scans\ntrain: 'nowhere/*.xyz'\n" NAMES,
                 "NOT_FOUND nowhere/*.xyz line 2");
    expect_error("place", "path: scans\ntrain: ''\n" NAMES, "VALUE line 2");
    expect_error("place", "path: scans\ntrain: [sub, ]\ntest: [sub, '']\n" NAMES, "VALUE line 3");
}

static char heard[1024];

static void listen(void *user, enum glt_log_level level, const char *message)
{
    (void)user, (void)message;
    if (level == GLT_LOG_WARNING && glt_log_topic() == GLT_TOPIC_DUPLICATE)
        snprintf(heard, sizeof heard, "%s", glt_log_name());
}

/* Patterns may overlap: a cloud counts once in a split, and a second split is reported. */
static void files_that_are_named_twice_count_once(void **state)
{
    (void)state;
    data_text("twice/a.xyz", "0 0 0 0\n1 0 0 1\n");
    data_text("twice/b.xyz", "0 0 0 0\n1 0 0 1\n");
    glt_log_set(listen, NULL);
    expect_files("twice", "train: [b.xyz, '*.xyz', './a.xyz', .]\n" NAMES, "b.xyz a.xyz");
    assert_string_equal(heard, "");
    expect_files("twice", "train: '*.xyz'\nval: b.xyz\n" NAMES, "a.xyz b.xyz b.xyz");
    assert_string_equal(heard, "val");
    glt_log_set(NULL, NULL);
}

/* A prediction beside its cloud is not ground truth, its `truth` is. */
static void a_prediction_beside_its_cloud_is_no_truth(void **state)
{
    (void)state;
    static const char *const yaml = "test: a.ply\nlabels: .done.ply\n" NAMES;
    const struct item *x;
    data_text("done/a.ply", PLY("", 2, "", "0 0 0\n1 0 0\n"));
    data_text("done/a.done.ply",
              PLY("", 2, "property uchar label\nproperty float confidence\nproperty uchar truth\n",
                  "0 0 0 0 1 1\n1 0 0 0 1 1\n"));
    struct dataset *d = open_set("done", yaml);
    data_count(d, SPLIT_TEST, "tree", 2);
    dataset_close(d);
    data_text("done/a.done.ply", PLY("", 2, "property uchar label\nproperty float confidence\n",
                                     "0 0 0 0 1\n1 0 0 0 1\n"));
    d = open_set("done", yaml);
    d->scored = true;
    assert_int_equal(dataset_take(&x, d, SPLIT_TEST, 0), GLT_EDATA);
    assert_error("LABELS");
    dataset_close(d);
}

static void a_split_may_be_blank(void **state)
{
    (void)state;
    data_text("blank/a/a.xyz", "0 0 0\n1 0 0\n");
    data_text("blank/b/b.xyz", "0 0 0\n1 0 0\n");
    struct dataset *d = open_set("blank", "train: a\nval: ~\ntest:   # none yet\n" NAMES);
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 1);
    assert_int_equal(dataset_count(d, SPLIT_VAL), 0);
    assert_int_equal(dataset_count(d, SPLIT_TEST), 0);
    dataset_close(d);
    expect_error("blank", "train:\ntest: null\n" NAMES, "MISSING");
}

static void label_files_are_no_clouds(void **state)
{
    (void)state;
    data_text("sides/clouds/a.xyz", "0 0 0\n1 0 0\n");
    data_text("sides/clouds/a_lab.txt", "0\n1\n");
    data_text("sides/labels/a.txt", "1\n1\n");
    expect_files("sides", "train: clouds\nlabels: '{name}_lab.txt'\n" NAMES, "clouds/a.xyz");
    expect_files("sides", "train: ['**/a.*']\nlabels: '../labels/{name}.txt'\n" NAMES,
                 "clouds/a.xyz");
}

/* The label file of a KITTI scan is part of the data, though no key names it. */
static void labels_that_a_reader_finds_are_part_of_the_data(void **state)
{
    (void)state;
    char path[DATA_PATH], before[DIGEST_SIZE], after[DIGEST_SIZE];
    static const unsigned char zeros[32], ones[8] = {1, 0, 0, 0, 1};
    data_check(file_put(data_file(path, "kitti/00/velodyne/0.bin"), zeros, 32));
    data_check(file_put(data_file(path, "kitti/00/labels/0.label"), zeros, 8));
    struct dataset *d = open_set("kitti", "test: '**/*.bin'\n" NAMES);
    data_count(d, SPLIT_TEST, "ground", 2);
    data_check(dataset_fingerprint(before, d));
    data_check(file_put(data_file(path, "kitti/00/labels/0.label"), ones, 8));
    data_check(dataset_fingerprint(after, d));
    assert_string_not_equal(before, after);
    dataset_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_no_number),
        cmocka_unit_test(ignored_shapes_are_left_out),
        cmocka_unit_test(the_first_rule_counts),
        cmocka_unit_test(colours_may_be_missing),
        cmocka_unit_test(attributes_may_be_missing),
        cmocka_unit_test(some_files_have_rules_of_their_own),
        cmocka_unit_test(wrong_rules_of_files_are_refused),
        cmocka_unit_test(a_label_cloud_names_its_labels),
        cmocka_unit_test(labels_are_whole_numbers),
        cmocka_unit_test(las_without_classes_has_no_labels),
        cmocka_unit_test(parts_stay_in_their_category),
        cmocka_unit_test(names_differ_in_more_than_case),
        cmocka_unit_test(files_are_found_in_places_of_all_kinds),
        cmocka_unit_test(a_split_may_be_blank),
        cmocka_unit_test(files_that_are_named_twice_count_once),
        cmocka_unit_test(a_prediction_beside_its_cloud_is_no_truth),
        cmocka_unit_test(label_files_are_no_clouds),
        cmocka_unit_test(labels_that_a_reader_finds_are_part_of_the_data),
        cmocka_unit_test(many_rules_and_names_are_found_fast_and_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
