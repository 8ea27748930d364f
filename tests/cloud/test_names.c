/* Names and spellings, in any case and in every locale. */
#include "cloud/asprs.h"
#include "cloud/classes.h"
#include "cloud/names.h"

#include "made_locale.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check_all(void)
{
    assert_string_equal(names_canonical("INTENSITY"), "intensity");
    assert_string_equal(names_canonical("Scalar_Classification"), "classification");
    assert_string_equal(names_canonical("Scalar_I"), "Scalar_I");
    assert_int_equal(asprs_number("BUILDING"), 6);
    struct classes c = {0};
    assert_int_equal(classes_add(&c, "window sill"), 0);
    assert_int_equal(classes_find(&c, "WINDOW SILL"), 0);
    assert_int_equal(classes_find(&c, "window sills"), -1);
    classes_free(&c);
}

static void names_are_the_same_in_every_locale(void **state)
{
    (void)state;
    check_all();
    if (!turkish_locale_enter())
        return;
    check_all();
    made_locale_leave();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_the_same_in_every_locale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
