/* Text of anybody's inside Markdown is shown, not obeyed. */
#include "core/markdown.h"
#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void check(void (*add)(struct string *s, const char *text), const char *text,
                  const char *wanted)
{
    struct string s = {0};
    char *made = NULL;
    add(&s, text);
    assert_int_equal(string_take(&made, &s), 0);
    assert_string_equal(made, wanted);
    memory_free(made);
}

static void marks_in_text_are_escaped(void **state)
{
    (void)state;
    check(markdown_text, "plain metric_name, a-b (c) 100 %", "plain metric_name, a-b (c) 100 %");
    check(markdown_text, "a|b<img src=x>[l](u)*e*_f_`c`\\&amp;~~",
          "a\\|b\\<img src=x\\>\\[l\\](u)\\*e\\*\\_f\\_\\`c\\`\\\\\\&amp;\\~\\~");
    check(markdown_text, "a\n\n# b\r", "a  # b ");
}

static void code_stands_between_more_backticks_than_it_has(void **state)
{
    (void)state;
    check(markdown_code, "gelatto eval x", "`gelatto eval x`");
    check(markdown_code, "`a` ``b``\n", "``` `a` ``b``  ```");
}

static void a_block_is_not_ended_by_what_is_in_it(void **state)
{
    (void)state;
    check(markdown_block, "class  IoU\n", "```\nclass  IoU\n```\n");
    check(markdown_block, "`````  1\n<b>\n", "``````\n`````  1\n<b>\n``````\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_in_text_are_escaped),
        cmocka_unit_test(code_stands_between_more_backticks_than_it_has),
        cmocka_unit_test(a_block_is_not_ended_by_what_is_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
