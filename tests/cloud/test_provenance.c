/* Provenance: comments that are lines of it and comments that are not. */
#include "cloud/provenance.h"
#include "io_cloud.h"

static void assert_lines(const struct glt_cloud *c, const char *wanted)
{
    char *text;
    assert_int_equal(glt_cloud_provenance(&text, c), 0);
    assert_string_equal(text, wanted);
    glt_free(text);
}

static void only_known_keys_with_a_text_are_provenance(void **state)
{
    (void)state;
    assert_string_equal(provenance_comment("gelatto model rooms"), "model rooms");
    assert_null(provenance_comment("gelatto model"));
    assert_null(provenance_comment("gelatto model "));
    assert_null(provenance_comment("gelatto models rooms"));
    assert_null(provenance_comment("gelatto is great"));
    assert_null(provenance_comment("model rooms"));
    assert_null(provenance_comment(""));
}

static void new_lines_replace_old_ones_and_nothing_else(void **state)
{
    (void)state;
    struct glt_cloud *c;
    assert_int_equal(glt_cloud_create(&c, 1), 0);
    assert_lines(c, "");
    assert_int_equal(cloud_add_comment(c, "gelatto is great"), 0);
    assert_int_equal(cloud_add_comment(c, "class 1 gelatto model"), 0);
    assert_int_equal(cloud_add_comment(c, "protocol plan B"), 0);
    assert_int_equal(provenance_set(c, "version 1\nmodel a\nwarning b\nwarning c\n", true), 0);
    assert_lines(c, "version 1\nmodel a\nwarning b\nwarning c\n");
    assert_int_equal(provenance_set(c, "version 2\nmodel d\n", true), 0);
    assert_lines(c, "version 2\nmodel d\n");
    assert_int_equal(c->n_comments, 5);
    assert_string_equal(c->comments[0], "gelatto is great");
    assert_string_equal(c->comments[1], "class 1 gelatto model");
    assert_string_equal(c->comments[2], "protocol plan B");
    glt_cloud_free(c);
}

static void the_lines_of_a_classification_are_written_nowhere(void **state)
{
    (void)state;
    struct glt_cloud *c;
    assert_int_equal(glt_cloud_create(&c, 1), 0);
    assert_int_equal(provenance_set(c, "model parts\n", true), 0);
    assert_int_equal(provenance_set(c, "model shapes\n", false), 0);
    assert_lines(c, "model shapes\n");
    struct string written = {0};
    provenance_print(&written, c);
    assert_string_equal(written.bytes, "model parts\n");
    string_free(&written);
    assert_int_equal(provenance_set(c, "model other\n", true), 0);
    assert_lines(c, "model other\n");
    glt_cloud_free(c);
}

static void lines_of_a_file_that_are_none_are_left_out(void **state)
{
    (void)state;
    struct glt_cloud *c;
    char long_line[2 * PROVENANCE_LINE] = "model ";
    memset(long_line + 6, 'a', sizeof long_line - 7);
    assert_int_equal(glt_cloud_create(&c, 1), 0);
    static const char bytes[] = "model a\n\nclass 1 wall\nwarning \033[2J\nmodel\0b\noptions none";
    assert_int_equal(provenance_read(c, bytes, sizeof bytes - 1), 0);
    assert_int_equal(provenance_read(c, long_line, strlen(long_line)), 0);
    assert_lines(c, "model a\noptions none\n");
    for (int i = 0; i < 2 * PROVENANCE_MAX; i++)
        assert_int_equal(provenance_read(c, "warning x", 9), 0);
    struct string written = {0};
    provenance_print(&written, c);
    assert_int_equal(written.len, 8 + 13 + 10 * (PROVENANCE_MAX - 2));
    string_free(&written);
    glt_cloud_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_known_keys_with_a_text_are_provenance),
        cmocka_unit_test(new_lines_replace_old_ones_and_nothing_else),
        cmocka_unit_test(the_lines_of_a_classification_are_written_nowhere),
        cmocka_unit_test(lines_of_a_file_that_are_none_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
