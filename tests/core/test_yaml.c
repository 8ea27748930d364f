/* labels: quick
 * YAML: the tree, its lines, everything that is refused, every allocation and file call failing. */
#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/yaml.h"
#include "errors.h"
#include "faults.h"
#include "own_folder.h"

#include <unistd.h>

static const char sample[] = "# a dataset\n"
                             "name: rooms\n"
                             "classes: [wall, \"floor: tiles\", 'chair']\n"
                             "labels:\n"
                             "  0: wall\n"
                             "  1: floor\n"
                             "split:\n"
                             "  - train\n"
                             "  - radius: 0.5\n"
                             "    on: yes\n"
                             "text: |\n"
                             "  two\n"
                             "  lines\n"
                             "empty:\n";

static void a_yaml_becomes_its_tree(void **state)
{
    (void)state;
    struct yaml *root;
    assert_int_equal(yaml_parse(&root, "sample", sample, sizeof sample - 1), 0);
    assert_int_equal(root->kind, YAML_MAP);
    assert_int_equal(root->n, 6);
    const struct yaml *node;
    assert_int_equal(yaml_want(&node, root, "classes", YAML_LIST), 0);
    assert_int_equal(node->n, 3);
    assert_int_equal(node->line, 3);
    const char *text;
    assert_int_equal(yaml_string(&text, node->item[1]), 0);
    assert_string_equal(text, "floor: tiles");
    assert_true(node->item[0]->plain);
    assert_false(node->item[1]->plain);
    node = yaml_find(root, "labels");
    assert_string_equal(node->key[1]->text, "1");
    assert_string_equal(yaml_find(node, "1")->text, "floor");
    int64_t number = 0;
    assert_int_equal(yaml_int(&number, node->key[1], 0, 10), 0);
    assert_int_equal(number, 1);
    node = yaml_find(root, "split")->item[1];
    double real = 0;
    assert_int_equal(yaml_double(&real, yaml_find(node, "radius")), 0);
    assert_true(real == 0.5);
    assert_non_null(yaml_find(node, "on"));
    assert_string_equal(yaml_find(root, "text")->text, "two\nlines\n");
    assert_string_equal(yaml_find(root, "empty")->text, "");
    assert_null(yaml_find(root, "nothing"));
    assert_null(yaml_find(node->item[0], "nothing"));
    yaml_release(root);
    yaml_release(NULL);
    assert_int_equal(memory_stats().bytes, 0);
}

static void expect_message(const char *part)
{
    assert_error(part);
}

static void getters_refuse_other_kinds(void **state)
{
    (void)state;
    struct yaml *root;
    const struct yaml *node;
    const char *text;
    int64_t number = 7;
    double real = 7;
    assert_int_equal(yaml_parse(&root, "sample", sample, sizeof sample - 1), 0);
    assert_int_equal(yaml_want(&node, root, "nothing", YAML_MAP), GLT_EFORMAT);
    expect_message("MISSING nothing line 2");
    assert_int_equal(yaml_want(&node, root, "split", YAML_MAP), GLT_EFORMAT);
    expect_message("VALUE line 8");
    assert_int_equal(yaml_want(&node, yaml_find(root, "name"), "x", YAML_MAP), GLT_EFORMAT);
    node = yaml_find(root, "name");
    assert_int_equal(yaml_int(&number, node, 0, 5), GLT_EFORMAT);
    expect_message("VALUE line 2");
    assert_int_equal(yaml_double(&real, node), GLT_EFORMAT);
    assert_int_equal(yaml_string(&text, root), GLT_EFORMAT);
    assert_int_equal(yaml_int(&number, root, 0, 5), GLT_EFORMAT);
    assert_int_equal(yaml_int(&number, yaml_find(root, "labels")->key[1], 2, 5), GLT_EFORMAT);
    expect_message("VALUE line 6");
    assert_true(number == 7 && real == 7);
    yaml_release(root);
}

static void refuse(const char *text, int code, const char *part)
{
    struct yaml *root = NULL;
    int64_t before = memory_stats().bytes;
    assert_int_equal(yaml_parse(&root, "text", text, strlen(text)), code);
    assert_null(root);
    expect_message(part);
    assert_int_equal(memory_stats().bytes, before);
}

static void wrong_yaml_is_refused(void **state)
{
    (void)state;
    refuse("a: 1\nb: [1, 2\n", GLT_EFORMAT, "SYNTAX line 3");
    refuse("a: 1\n\tb: 2\n", GLT_EFORMAT, "SYNTAX line 2");
    refuse("a: 1\na: 2\n", GLT_EFORMAT, "DUPLICATE a line 2");
    refuse("a: 1\nb: 2\na: 3\n", GLT_EFORMAT, "DUPLICATE a line 3");
    refuse("a: 1\nb: *.txt\n", GLT_EFORMAT, "SYNTAX line 2");
    refuse("a: [1, *.txt]\n", GLT_EFORMAT, "SYNTAX line 1");
    refuse("a: 1\nb: {name}.npy\nc: 2\n", GLT_EFORMAT, "SYNTAX line 2");
    refuse("x: &anchor [1]\ny: 2\n", GLT_EUNSUPPORTED, "SYNTAX line 1");
    refuse("x: 1\ny: *anchor\n", GLT_EUNSUPPORTED, "SYNTAX line 2");
    refuse("x: &a 1\n", GLT_EUNSUPPORTED, "SYNTAX line 1");
    refuse("*a : 1\n", GLT_EUNSUPPORTED, "SYNTAX line 1");
    refuse("x: &a {b: 1}\n", GLT_EUNSUPPORTED, "SYNTAX line 1");
    refuse("x: !!python/object {}\n", GLT_EUNSUPPORTED, "SYNTAX line 1");
    refuse("x: !t [1]\n", GLT_EUNSUPPORTED, "SYNTAX line 1");
    refuse("a: 1\n---\nb: 2\n", GLT_EUNSUPPORTED, "SYNTAX line 2");
    refuse("? [1, 2]\n: 3\n", GLT_EUNSUPPORTED, "SYNTAX line 1");
    refuse("a: \"\\0\"\n", GLT_EFORMAT, "SYNTAX line 1");
    refuse("a: \xff\xfe\n", GLT_EFORMAT, "SYNTAX byte 3");
    refuse("a: \x01\n", GLT_EFORMAT, "SYNTAX byte 3");
    /* a billion laughs stops at the first anchor */
    refuse("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", GLT_EUNSUPPORTED, "SYNTAX line 1");
}

static void yaml_beyond_the_limits_is_refused(void **state)
{
    (void)state;
    enum { DEPTH = YAML_DEPTH_MAX };
    char text[3 * DEPTH] = {0};
    struct yaml *root;
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    assert_int_equal(yaml_parse(&root, "text", text, 2 * DEPTH), 0);
    yaml_release(root);
    memset(text, '[', DEPTH + 1);
    memset(text + DEPTH + 1, ']', DEPTH + 1);
    refuse(text, GLT_ELIMIT, "SIZE_LIMIT line 1");
    char *large = memory_alloc(YAML_MAX + 1, 1);
    memset(large, '[', YAML_MAX + 1);
    assert_int_equal(yaml_parse(&root, "text", large, YAML_MAX + 1), GLT_ELIMIT);
    assert_int_equal(yaml_parse(&root, "text", large, YAML_MAX), GLT_ELIMIT);
    for (size_t i = 1; i < YAML_MAX; i++)
        large[i] = ",a"[i % 2];
    assert_int_equal(yaml_parse(&root, "text", large, YAML_MAX), GLT_ELIMIT);
    expect_message("SIZE_LIMIT line 1");
    for (size_t i = 0; i < YAML_MAX; i++) /* each is compared with all before it */
        large[i] = "%TAG !a! b\n"[i % 11];
    assert_int_equal(yaml_parse(&root, "text", large, YAML_MAX), GLT_ELIMIT);
    expect_message("SIZE_LIMIT");
    memset(large, '%', 1003);
    large[0] = '#';
    large[1001] = 0; /* a comment of 1,000 of them */
    assert_int_equal(yaml_parse(&root, "text", large, 1001), 0);
    yaml_release(root);
    large[1001] = '%';
    large[1002] = 0;
    refuse(large, GLT_ELIMIT, "SIZE_LIMIT");
    memory_free(large);
    static const char *const empty[] = {"", "# nothing\n", "---\n...\n", "\n\n"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(yaml_parse(&root, "text", empty[i], strlen(empty[i])), 0);
        assert_true(root->kind == YAML_MAP ? root->line == 1 : root->text[0] == 0);
        yaml_release(root);
    }
    assert_int_equal(memory_stats().bytes, 0);
}

static int read_file(void *user)
{
    struct yaml *root;
    TRY(yaml_read(&root, user));
    size_t n = root->n;
    yaml_release(root);
    return n == 6 ? 0 : GLT_EFORMAT;
}

static void every_call_of_reading_yaml_may_fail(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s/sample.yaml", own_folder());
    struct file *f;
    assert_int_equal(file_create(&f, path), 0);
    assert_int_equal(file_write(f, sample, sizeof sample - 1), 0);
    assert_int_equal(file_commit(f), 0);
    assert_int_equal(read_file(path), 0);
    assert_true(faults_memory(read_file, path) > 30);
    assert_true(faults_file(read_file, path) >= 3);
    assert_int_equal(file_remove(path), 0);
    assert_int_equal(read_file(path), GLT_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_yaml_becomes_its_tree),
        cmocka_unit_test(getters_refuse_other_kinds),
        cmocka_unit_test(wrong_yaml_is_refused),
        cmocka_unit_test(yaml_beyond_the_limits_is_refused),
        cmocka_unit_test(every_call_of_reading_yaml_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
