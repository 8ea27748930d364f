/* Vegetation by height: three classes from the height above predicted ground.
 * labels: quick */
#include "data_folder.h"
#include "errors.h"

#include "core/memory.h"
#include "task/vegetation.h"

enum { SIDE = 40, N = SIDE * SIDE * 2 };

/* Ground on a slope of one in two, and a plant above every point of it. */
static void make_hill(struct item *x, int32_t *label)
{
    data_check(item_new(x, N, 0, false));
    for (int32_t i = 0; i < N; i++) {
        int32_t at = i / 2;
        float *p = x->xyz + 3 * (int64_t)i;
        p[0] = (float)(at % SIDE);
        p[1] = (float)(at / SIDE);
        p[2] = 0.5f * p[0] + (i % 2 ? 0.1f * (float)(at / SIDE) : 0);
        label[i] = i % 2;
    }
}

static void make_classes(struct classes *c)
{
    static const char *const names[] = {"ground", "vegetation", "building"};
    *c = (struct classes){0};
    data_check(classes_set(c, names, 3));
    data_check(classes_add_number(c, 5, 1));
}

static void heights_count_from_the_ground_below(void **state)
{
    (void)state;
    struct item x;
    struct classes model, all;
    int32_t label[N], number;
    const double limits[2] = {0.55, 2.05};
    make_hill(&x, label);
    make_classes(&model);
    data_check(vegetation_classes(&all, &model));
    assert_int_equal(all.n, 5);
    for (int k = 0; k < 3; k++) { /* numbers of the ASPRS */
        assert_true(classes_first_number(&number, &all, k == 2 ? 1 : 3 + k));
        assert_int_equal(number, 3 + k);
    }
    assert_string_equal(all.names[1], "high vegetation");
    data_check(vegetation_split(label, &x, &all, limits, "hill"));
    for (int32_t i = 0; i < N; i++) {
        int32_t line = i / 2 / SIDE; /* a tenth of a metre each */
        assert_int_equal(label[i], i % 2 == 0 ? 0 : line < 6 ? 3 : line < 21 ? 4 : 1);
    }
    classes_free(&all);
    classes_free(&model);
    item_clear(&x);
}

/* Numbers of the training data, and those of low, medium and high vegetation; 0: none. */
static void the_kinds_of_vegetation_take_its_numbers(void **state)
{
    (void)state;
    static const struct {
        int32_t vegetation[4], building, wanted[3];
    } cases[] = {
        {{3, 4, 5}, 6, {3, 4, 5}}, {{4, 3}, 6, {3, 4, 5}}, {{20, 4}, 6, {3, 4, 5}},
        {{3}, 5, {3, 4, 0}},       {{30}, 3, {0, 4, 5}},   {{1}, 2, {0, 0, 1}}, /* counted */
    };
    static const char *const kinds[] = {"low vegetation", "medium vegetation", "high vegetation"};
    static const char *const names[] = {"ground", "vegetation", "building"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct classes model = {0}, all;
        data_check(classes_set(&model, names, 3));
        bool counted = cases[i].building == 2;
        data_check(classes_add_number(&model, counted ? 0 : 2, 0));
        for (int k = 0; k < 4 && cases[i].vegetation[k]; k++)
            data_check(classes_add_number(&model, cases[i].vegetation[k], 1));
        data_check(classes_add_number(&model, cases[i].building, 2));
        data_check(vegetation_classes(&all, &model));
        for (int k = 0; k < 3; k++) {
            int32_t number = 0;
            classes_first_number(&number, &all, classes_find(&all, kinds[k]));
            assert_int_equal(number, cases[i].wanted[k]);
        }
        assert_int_equal(classes_of_number(&all, cases[i].building), 2);
        for (int k = 0; k < 4 && cases[i].vegetation[k]; k++)
            assert_int_equal(classes_of_number(&model, cases[i].vegetation[k]), 1);
        classes_free(&all);
        classes_free(&model);
    }
}

static void without_ground_vegetation_stays(void **state)
{
    (void)state;
    struct item x;
    struct classes model, all;
    int32_t label[N];
    make_hill(&x, label);
    for (int32_t i = 0; i < N; i++)
        label[i] = 1;
    make_classes(&model);
    data_check(vegetation_classes(&all, &model));
    data_check(vegetation_split(label, &x, &all, (const double[]){0.5, 2}, "hill"));
    for (int32_t i = 0; i < N; i++)
        assert_int_equal(label[i], 1);
    classes_free(&all);
    classes_free(&model);
    item_clear(&x);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "1", "2,1", "1,1", "-1,2", "a,b", "1,2,3"};
    double limits[2];
    struct classes out = {0}, few = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(vegetation_limits(limits, wrong[i]), GLT_EARGUMENT);
        assert_error("ARGUMENT vegetation_heights");
    }
    data_check(vegetation_limits(limits, "0.5,2"));
    assert_true(limits[0] == 0.5 && limits[1] == 2);
    data_check(classes_add(&few, "ground"));
    assert_int_equal(vegetation_classes(&out, &few), GLT_EMODEL);
    data_check(classes_add(&few, "vegetation"));
    data_check(classes_add(&few, "Low Vegetation"));
    assert_true(vegetation_classes(&out, &few) < 0);
    assert_int_equal(out.n, 0);
    classes_free(&few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_count_from_the_ground_below),
        cmocka_unit_test(the_kinds_of_vegetation_take_its_numbers),
        cmocka_unit_test(without_ground_vegetation_stays),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
