/* What the YAML of a folder says: classes and their numbers, rules, label files, columns; and what
 * is said of one that cannot be read.
 * labels: quick */
#include "data_folder.h"

#define NAMES "names: [ground, tree]\n"

static struct dataset *open_set(const char *folder, const char *yaml)
{
    char name[64], path[DATA_PATH];
    snprintf(name, sizeof name, "%s/set.yaml", folder);
    data_text(name, yaml);
    return data_open(data_file(path, name), "inputs=xyz validation=off");
}

/* What opening it, or loading its first test cloud, says. */
static void expect_error(const char *folder, const char *yaml, const char *message)
{
    char name[64], path[DATA_PATH];
    struct config c;
    struct dataset *d = NULL;
    const struct item *x;
    snprintf(name, sizeof name, "%s/set.yaml", folder);
    data_text(name, yaml);
    data_config(&c, "inputs=xyz validation=off");
    int code = dataset_open(&d, data_file(path, name), &c);
    if (code == 0)
        code = dataset_take(&x, d, SPLIT_TEST, 0);
    assert_true(code < 0);
    dataset_close(d);
    if (!strstr(glt_error_message(), message))
        fail_msg("'%s' does not say '%s'", glt_error_message(), message);
}

static void expect_counts(const char *folder, const char *yaml, int64_t ground, int64_t tree)
{
    struct dataset *d = open_set(folder, yaml);
    data_count(d, SPLIT_TEST, "ground", ground);
    data_count(d, SPLIT_TEST, "tree", tree);
    dataset_close(d);
}

/* --- numbers of classes --- */

/* Any numbers, as ASPRS and SemanticKITTI have them: classes in their order. */
static void numbers_with_gaps(void **state)
{
    (void)state;
    data_text("gaps/a.xyz", "0 0 0 2\n1 0 0 6\n2 0 0 6\n3 0 0 -1\n");
    data_text("gaps/zero.xyz", "0 0 0 0\n1 0 0 6\n");
    struct dataset *d = open_set("gaps", "test: a.xyz\nnames: {6: tree, 2: ground}\n");
    assert_int_equal(d->n_classes, 2);
    assert_string_equal(d->class_names[0], "ground");
    assert_string_equal(d->class_names[1], "tree");
    data_count(d, SPLIT_TEST, "ground", 1);
    data_count(d, SPLIT_TEST, "tree", 2);
    dataset_close(d);
    /* 0 is no class, and not the first one either */
    expect_error("gaps", "test: zero.xyz\nnames: {2: ground, 6: tree}\n", "0");
    expect_counts("gaps", "test: zero.xyz\nnames: {2: ground, 6: tree}\nmap: {0: ground}\n", 1, 1);
    expect_counts("gaps", "test: a.xyz\nnames: {2: ground, 6: tree}\nignore: 6\n", 1, 0);
    expect_counts("gaps", "test: zero.xyz\nnames: {0: ground, 6: tree}\n", 1, 1);
    expect_error("gaps", "test: a.xyz\nnames: {2: ground, 02: tree}\n", "number stands twice");
    expect_error("gaps", "test: a.xyz\nnames: {-2: ground, 3: tree}\n", "-2, but 0 to");
}

/* A file that names its labels is read by their names, whatever numbers it has for them. */
static void names_before_numbers(void **state)
{
    (void)state;
    data_text("named/a.ply", "ply\nformat ascii 1.0\ncomment class 0 ground\ncomment class 2 tree\n"
                             "element vertex 3\nproperty float x\nproperty float y\n"
                             "property float z\nproperty int label\nend_header\n"
                             "0 0 0 0\n1 0 0 2\n2 0 0 2\n");
    expect_counts("named", "test: a.ply\nnames: {2: ground, 6: tree}\n", 1, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_with_gaps),
        cmocka_unit_test(names_before_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, data_teardown);
}
