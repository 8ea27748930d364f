/* The parts of ShapeNetPart have names, those of other datasets stay numbers. */
#include "cloud/part_names.h"
#include "io_cloud.h"

#include <string.h>

enum { CATEGORIES = 16 };

static const char *const names[CATEGORIES] = {
    "Airplane", "Bag",    "Cap",       "Car", "Chair",  "Earphone", "Guitar",     "Knife",
    "Lamp",     "Laptop", "Motorbike", "Mug", "Pistol", "Rocket",   "Skateboard", "Table"};
static const int32_t parts[CATEGORIES] = {4, 2, 2, 4, 4, 3, 3, 2, 4, 2, 6, 2, 3, 3, 3, 3};

static struct classes numbered(int32_t n)
{
    struct classes c = {0};
    for (int32_t i = 0; i < n; i++)
        assert_int_equal(classes_add_parts(&c, names[i], parts[i]), 0);
    return c;
}

static void every_part_of_shapenetpart_has_a_name_of_its_own(void **state)
{
    (void)state;
    struct classes c = numbered(CATEGORIES);
    assert_int_equal(part_names_apply(&c), 0);
    assert_int_equal(c.n, 50);
    for (int32_t i = 0; i < c.n; i++)
        assert_null(strpbrk(c.names[i], "0123456789"));
    assert_int_equal(classes_check_unique(&c), 0);
    assert_int_equal(classes_check(&c), 0);
    assert_string_equal(c.names[12], "chair back");
    assert_string_equal(c.names[13], "chair seat");
    assert_string_equal(c.names[14], "chair leg");
    assert_string_equal(c.names[15], "chair arm");
    assert_int_equal(part_names_apply(&c), 0); /* once more changes nothing */
    assert_string_equal(c.names[49], "table drawer");
    classes_free(&c);
}

static void parts_of_other_datasets_stay_numbers(void **state)
{
    (void)state;
    struct classes c = numbered(CATEGORIES - 1);
    assert_int_equal(part_names_apply(&c), 0);
    assert_string_equal(c.names[12], "Chair 1");
    assert_int_equal(classes_add_parts(&c, "Table", 4), 0);
    assert_int_equal(part_names_apply(&c), 0);
    assert_string_equal(c.names[12], "Chair 1");
    classes_free(&c);
    c = numbered(CATEGORIES);
    assert_int_equal(classes_change(&c, 12, "backrest", NULL), 0);
    assert_int_equal(part_names_apply(&c), 0);
    assert_string_equal(c.names[12], "backrest");
    assert_string_equal(c.names[13], "Chair 2");
    classes_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_of_shapenetpart_has_a_name_of_its_own),
        cmocka_unit_test(parts_of_other_datasets_stay_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
