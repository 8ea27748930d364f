/* Numbers in what the library prints, in a locale with decimal commas. */
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/print.h"
#include "core/string.h"

#include "made_locale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

static void check_all(void)
{
    char text[40], path[200], *kept;
    struct string s = {0};
    struct call call = {0};
    struct file *f;
    size_t len;
    assert_int_equal(print_to(text, sizeof text, "%.1f", 1.5), 3);
    assert_string_equal(text, "1.5");
    assert_int_equal(print_to(text, 3, "%.1f", 1.5), 3);
    assert_string_equal(text, "1.");
    string_add(&s, "%g", 2.5);
    assert_string_equal(s.bytes, "2.5");
    string_free(&s);
    assert_string_equal(call_print(&call, "%g", 3.5), "3.5");
    call_free(&call);
    error_set(GLT_EARGUMENT, "%g", 4.5);
    assert_string_equal(glt_error_message(), "4.5");
    snprintf(path, sizeof path, "%s/number", own_folder());
    assert_int_equal(file_create(&f, path), 0);
    assert_int_equal(file_print(f, "%g", 5.5), 0);
    assert_int_equal(file_finish(f, 0), 0);
    assert_int_equal(file_read_all(&kept, &len, path, 100), 0);
    assert_string_equal(kept, "5.5");
    memory_free(kept);
    struct json *x = json_real(6.5);
    assert_int_equal(json_print(&kept, &len, x), 0);
    assert_string_equal(kept, "6.5");
    memory_free(kept);
    json_free(x);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    char text[40];
    check_all();
    if (!comma_locale_enter())
        return;
    check_all();
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5"); /* the program's own locale stays */
    made_locale_leave();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_have_a_point_in_every_locale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
