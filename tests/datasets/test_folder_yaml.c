/* What the YAML of a folder says: classes and their numbers, rules, label files, columns; and what
 * is said of one that cannot be read.
 * labels: quick */
#include "errors.h"
#include "folder_set.h"

#include "core/file_folder.h"
#include "datasets/dataset_fingerprint.h"
#include "datasets/dataset_open.h"
#include "datasets/digest.h"

#define NAMES "names: [ground, tree]\n"

static void expect_counts(const char *folder, const char *yaml, int64_t ground, int64_t tree)
{
    struct dataset *d = open_set(folder, yaml);
    data_count(d, SPLIT_TEST, "ground", ground);
    data_count(d, SPLIT_TEST, "tree", tree);
    dataset_close(d);
}

/* named/a.ply: a cloud that names its labels. */
static void write_named(void)
{
    data_text("named/a.ply", "ply\nformat ascii 1.0\ncomment class 0 ground\ncomment class 2 tree\n"
                             "element vertex 3\nproperty float x\nproperty float y\n"
                             "property float z\nproperty int label\nend_header\n"
                             "0 0 0 0\n1 0 0 2\n2 0 0 2\n");
}

/* --- numbers of classes --- */

/* Any numbers, as ASPRS and SemanticKITTI have them: classes in their order. */
static void class_numbers_may_have_gaps(void **state)
{
    (void)state;
    data_text("gaps/a.xyz", "0 0 0 2\n1 0 0 6\n2 0 0 6\n3 0 0 -1\n");
    data_text("gaps/zero.xyz", "0 0 0 0\n1 0 0 6\n");
    struct dataset *d = open_set("gaps", "test: a.xyz\nnames: {6: tree, 2: ground}\n");
    assert_int_equal(d->classes.n, 2);
    assert_string_equal(d->classes.names[0], "ground");
    assert_string_equal(d->classes.names[1], "tree");
    data_count(d, SPLIT_TEST, "ground", 1);
    data_count(d, SPLIT_TEST, "tree", 2);
    dataset_close(d);
    /* 0 is no class, and not the first one either */
    expect_error("gaps", "test: zero.xyz\nnames: {2: ground, 6: tree}\n", "LABELS");
    expect_counts("gaps", "test: zero.xyz\nnames: {2: ground, 6: tree}\nmap: {0: ground}\n", 1, 1);
    expect_counts("gaps", "test: a.xyz\nnames: {2: ground, 6: tree}\nignore: 6\n", 1, 0);
    expect_counts("gaps", "test: zero.xyz\nnames: {0: ground, 6: tree}\n", 1, 1);
    expect_error("gaps", "test: a.xyz\nnames: {2: ground, 02: tree}\n", "VALUE line 2");
    expect_error("gaps", "test: a.xyz\nnames: {-2: ground, 3: tree}\n", "VALUE line 2");
}

/* A file that names its labels is read by their names, whatever numbers it has for them. */
static void names_of_labels_go_before_their_numbers(void **state)
{
    (void)state;
    write_named();
    expect_counts("named", "test: a.ply\nnames: {2: ground, 6: tree}\n", 1, 2);
}

/* --- all other labels --- */

static void rest_takes_all_other_labels(void **state)
{
    (void)state;
    data_text("rest/a.xyz", "0 0 0 0\n1 0 0 1\n2 0 0 2\n3 0 0 7\n4 0 0 7\n5 0 0 -1\n");
    expect_counts("rest", "test: a.xyz\n" NAMES "map: {rest: tree}\n", 1, 4);
    expect_counts("rest", "test: a.xyz\n" NAMES "ignore: rest\n", 1, 1);
    expect_counts("rest", "test: a.xyz\n" NAMES "ignore: [1, rest]\n", 1, 0);
    expect_counts("rest", "test: a.xyz\n" NAMES "map: {rest: tree}\nignore: [7]\n", 1, 2);
    /* numbers that map gives are the files': 0 is not the first of names then */
    expect_counts("rest", "test: a.xyz\n" NAMES "map: {1: ground, 2: tree}\nignore: rest\n", 1, 1);
    expect_counts("rest", "test: a.xyz\nnames: {1: ground, 2: tree}\nignore: rest\n", 1, 1);
    expect_counts("rest", "test: a.xyz\nnames: {1: ground, 2: tree}\nmap: {rest: tree}\n", 1, 4);
}

/* It takes what has its number or name; the others only a rule takes. */
static void a_class_called_rest_takes_only_its_own(void **state)
{
    (void)state;
    static const char set[] = "test: a.xyz\nnames: {1: ground, 5: tree, 8: Rest}\n";
    data_text("called/a.xyz", "0 0 0 1\n1 0 0 5\n2 0 0 7\n3 0 0 8\n");
    expect_error("called", set, "LABELS");
    expect_counts("called",
                  "test: a.xyz\nnames: {1: ground, 5: tree, 8: Rest}\nmap: {rest: tree}\n", 1, 2);
    data_text("called/a.xyz", "# class 1 rest\n# x y z label\n0 0 0 1\n1 0 0 5\n");
    expect_counts("called", set, 0, 1);
}

static void rest_takes_all_other_names(void **state)
{
    (void)state;
    data_text("others/ground/a.xyz", "0 0 0\n1 0 0\n");
    data_text("others/pole/b.xyz", "0 0 0\n1 0 0\n");
    expect_counts("others", "task: classify\ntest: .\n" NAMES "ignore: rest\n", 1, 0);
    expect_counts("others", "task: classify\ntest: .\n" NAMES "map: {rest: tree}\n", 1, 1);
}

static void all_unknown_labels_are_listed(void **state)
{
    (void)state;
    char text[512] = "";
    for (int i = 0; i < 14; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d 0 0 %d\n", i, i < 2 ? 50 : i);
    data_text("unmapped/a.xyz", text);
    expect_error("unmapped", "test: a.xyz\n" NAMES, "LABELS");
    expect_error("unmapped", "test: a.xyz\n" NAMES, "LABELS");
    expect_error("unmapped",
                 "test: a.xyz\nnames: {2: ground, 3: tree}\nignore: [4, 5, 6, 7, 8, 9, 10]\n",
                 "LABELS");
}

/* --- label files and columns --- */

/* The end of a cloud's name stands for that of its label file; what ends otherwise is no cloud. */
static void the_end_of_a_name_says_which_label_file_is_its_own(void **state)
{
    (void)state;
    data_text("ends/a_points.txt", "0 0 0\n1 0 0\n");
    data_text("ends/a_labels.txt", "0\n1\n");
    data_text("ends/a_normals.txt", "0 0 1\n0 0 1\n");
    data_text("ends/b.xyz", "0 0 0\n1 0 0\n");
    expect_counts("ends", "test: .\nlabels: {_points.txt: _labels.txt}\n" NAMES, 1, 1);
    expect_counts("ends", "test: .\nlabels: {_points.txt: _labels.txt, .xyz: .lab}\n" NAMES, 1, 1);
    data_text("ends/b.lab", "1\n1\n");
    expect_counts("ends", "test: .\nlabels: {_points.txt: _labels.txt, .xyz: .lab}\n" NAMES, 1, 3);
    expect_error("ends", "test: b.xyz\nlabels: {_points.txt: _labels.txt}\n" NAMES, "LABELS");
    expect_error("ends", "test: .\nlabels: {.xyz: .xyz}\n" NAMES, "VALUE labels line 2");
    write_named();
    expect_counts("named", "test: a.ply\nlabels:\n" NAMES, 1, 2);
    expect_error("ends", "test: .\nlabels: [.lab]\n" NAMES, "VALUE labels line 2");
}

/* One cloud's labels end like another one's points. */
static void label_files_may_end_like_clouds(void **state)
{
    (void)state;
    data_text("alike/a.txt", "0 0 0\n1 0 0\n");
    data_text("alike/a_gt.txt", "0\n1\n");
    expect_counts("alike", "test: .\nlabels: {.txt: _gt.txt}\n" NAMES, 1, 1);
    data_text("alike/b_in.xyz", "0 0 0\n1 0 0\n");
    data_text("alike/b.xyz", "1\n1\n");
    expect_counts("alike", "test: '*.xyz'\nlabels: {_in.xyz: .xyz}\n" NAMES, 0, 2);
}

static void a_missing_label_file_is_named(void **state)
{
    (void)state;
    data_text("lost/a.xyz", "0 0 0\n1 0 0\n");
    expect_error("lost", "test: .\nlabels: .lab\n" NAMES, "MISSING");
}

static char said[512];

static void listen(void *user, enum glt_log_level level, const char *message)
{
    (void)user;
    if (level == GLT_LOG_WARNING)
        snprintf(said, sizeof said, "%s", message);
}

static void rules_of_no_file_are_named(void **state)
{
    (void)state;
    data_text("rules/a.xyz", "0 0 0\n1 0 0\n");
    data_text("rules/a.lab", "0\n1\n");
    *said = 0;
    glt_log_set(listen, NULL);
    dataset_close(open_set("rules", "test: a.xyz\nlabels: .lab\n" NAMES
                                    "files: {'a*.xyz': {weight: 2}, 'b*.las': {weight: 2}}\n"));
    glt_log_set(NULL, NULL);
    assert_non_null(strstr(said, "files: b*.las matches no cloud"));
}

/* A guess would take the column of the labels for an intensity, or for colours. */
static void columns_are_named_by_the_yaml(void **state)
{
    (void)state;
    data_text("columns/a.txt", "0 0 0 1 10 200 30\n1 0 0 0 90 100 30\n2 0 0 1 7 8 9\n");
    struct dataset *d =
        open_set("columns", "test: a.txt\ncolumns: x,y,z,label,red,green,blue\n" NAMES);
    data_count(d, SPLIT_TEST, "ground", 1);
    data_count(d, SPLIT_TEST, "tree", 2);
    char named[DIGEST_SIZE], skipped[DIGEST_SIZE];
    data_check(dataset_fingerprint(named, d));
    dataset_close(d);
    d = open_set("columns", "test: a.txt\ncolumns: x,y,z,label,-,-,-\n" NAMES);
    data_check(dataset_fingerprint(skipped, d));
    dataset_close(d);
    assert_string_not_equal(named, skipped);
    write_named();
    expect_counts("named", "test: a.ply\ncolumns:   # none\n" NAMES, 1, 2);
    expect_error("columns", "test: a.txt\ncolumns: x,y,z,label\n" NAMES, "OPTION columns");
}

/* --- what is said of a file or folder that is none --- */

static void unknown_keys_are_refused_with_a_suggestion(void **state)
{
    (void)state;
    data_text("typo/a.xyz", "0 0 0 0\n1 0 0 1\n");
    expect_error("typo", "trian: a.xyz\n" NAMES, "UNKNOWN_OPTION trian line 1");
    expect_error("typo", "test: a.xyz\nlables: .txt\n" NAMES, "UNKNOWN_OPTION lables line 2");
    expect_error("typo", "learning_rate: 0.1\n", "UNKNOWN_OPTION learning_rate line 1");
    expect_error("typo", NAMES, "SPLIT train");
    expect_error("typo", "", "SPLIT train");
}

static void texts_that_need_quotes_are_refused_with_advice(void **state)
{
    (void)state;
    expect_error("quotes", "test: *.txt\n" NAMES, "SYNTAX line 1");
    expect_error("quotes", "test: *.txt\n" NAMES, "SYNTAX line 1");
    expect_error("quotes", "test: [a, *.txt]\n" NAMES, "SYNTAX line 1");
    expect_error("quotes", "test: a.txt\nlabels: {name}.npy\n" NAMES, "SYNTAX line 2");
}

/* The advice, written down as it stands, makes a dataset of the folder. */
static void advice_for_an_unknown_folder_makes_a_dataset_of_it(void **state)
{
    (void)state;
    char path[DATA_PATH], folder[DATA_PATH], text[1024];
    struct config c;
    struct dataset *d = NULL;
    data_text("plain/las/deep/a.xyz", "0 0 0 0\n1 0 0 1\n");
    data_file(path, "plain/las/x");
    snprintf(folder, sizeof folder, "%.*s", (int)strlen(path) - 2, path);
    data_config(&c, "inputs=xyz validation=off");
    assert_int_equal(dataset_open(&d, folder, &c.data, c.seed), GLT_EDATA);
    snprintf(text, sizeof text, "%s", glt_error_message());
    char *yaml = strchr(text, '\n');
    if (!yaml || !strstr(text, "docs/reference/datasets.md"))
        fail_msg("%s", text);
    assert_non_null(strstr(yaml, "train: \"**/*.xyz\""));
    d = open_set("plain", yaml);
    data_count(d, SPLIT_TRAIN, "class_1", 1);
    dataset_close(d);
    data_check(file_remove(data_file(path, "plain/las/deep/a.xyz")));
    assert_int_equal(dataset_open(&d, folder, &c.data, c.seed), GLT_EDATA);
    assert_error("MISSING");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(class_numbers_may_have_gaps),
        cmocka_unit_test(names_of_labels_go_before_their_numbers),
        cmocka_unit_test(rest_takes_all_other_labels),
        cmocka_unit_test(a_class_called_rest_takes_only_its_own),
        cmocka_unit_test(rest_takes_all_other_names),
        cmocka_unit_test(all_unknown_labels_are_listed),
        cmocka_unit_test(the_end_of_a_name_says_which_label_file_is_its_own),
        cmocka_unit_test(label_files_may_end_like_clouds),
        cmocka_unit_test(a_missing_label_file_is_named),
        cmocka_unit_test(rules_of_no_file_are_named),
        cmocka_unit_test(columns_are_named_by_the_yaml),
        cmocka_unit_test(unknown_keys_are_refused_with_a_suggestion),
        cmocka_unit_test(texts_that_need_quotes_are_refused_with_advice),
        cmocka_unit_test(advice_for_an_unknown_folder_makes_a_dataset_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
