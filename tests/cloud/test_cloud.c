/* Clouds: columns, conversion, bounds, local coordinates, colours, labels, selection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cloud/labels.h"
#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

static struct glt_cloud *make(const double *xyz, int64_t n)
{
    struct glt_cloud *c;
    assert_int_equal(glt_cloud_create(&c, n), 0);
    const char *name[] = {"x", "y", "z"};
    for (int d = 0; d < 3; d++)
        assert_int_equal(glt_cloud_set(c, name[d], GLT_F64, xyz + d, 3 * sizeof *xyz), 0);
    return c;
}

static void columns_are_added_found_and_removed(void **state)
{
    (void)state;
    struct glt_cloud *c;
    struct column *x;
    assert_int_equal(cloud_new(&c, 5), 0);
    for (int i = 0; i < 40; i++) {
        char name[8] = {'a', (char)('0' + i / 10), (char)('0' + i % 10), 0};
        assert_int_equal(cloud_add_attribute(&x, c, name, GLT_I16), 0);
        ((int16_t *)x->data)[4] = (int16_t)(i - 20);
    }
    cloud_remove_attribute(c, "a07");
    assert_null(cloud_attribute(c, "a07"));
    assert_int_equal(c->n_columns, 39);
    int32_t v[5];
    assert_int_equal(cloud_attribute_as_i32(v, c, "a03"), 0);
    assert_int_equal(v[4], -17);
    assert_int_equal(cloud_attribute_as_i32(v, c, "none"), GLT_EDATA);
    assert_int_equal(cloud_add_wide(&x, c, "wide", GLT_F32, 3), 0);
    assert_int_equal(cloud_attribute_as_i32(v, c, "wide"), GLT_EDATA);
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

static void conversion_saturates(void **state)
{
    (void)state;
    double v[] = {-1e300, -1.5, -0.0, 2.5, 300, 1e300, NAN, INFINITY};
    struct column x = {.type = GLT_F64, .width = 1, .scale = 1, .data = v};
    int8_t i8[8];
    uint8_t u8[8];
    int64_t i64[8];
    uint64_t u64[8];
    float f32[8];
    column_convert(i8, GLT_I8, 0, &x, 0, 8);
    column_convert(u8, GLT_U8, 0, &x, 0, 8);
    column_convert(i64, GLT_I64, 0, &x, 0, 8);
    column_convert(u64, GLT_U64, 0, &x, 0, 8);
    column_convert(f32, GLT_F32, 0, &x, 0, 8);
    const int8_t want_i8[] = {-128, -2, 0, 2, 127, 127, 0, 127};
    const uint8_t want_u8[] = {0, 0, 0, 2, 255, 255, 0, 255};
    assert_memory_equal(i8, want_i8, 8);
    assert_memory_equal(u8, want_u8, 8);
    assert_true(i64[0] == INT64_MIN && i64[5] > (int64_t)1 << 62);
    assert_true(u64[0] == 0 && u64[7] > (uint64_t)1 << 63);
    assert_true(signbit(f32[2]) && isinf(f32[5]) && isnan(f32[6]));
    /* the same type is a copy of the bytes, beyond 2^53 too */
    int64_t big[] = {INT64_MAX, INT64_MIN + 1}, same[2];
    struct column y = {.type = GLT_I64, .width = 1, .scale = 1, .data = big};
    column_convert(same, GLT_I64, 0, &y, 0, 2);
    assert_memory_equal(same, big, sizeof big);
    int32_t scaled[] = {123456789};
    struct column z = {.type = GLT_I32, .width = 1, .scale = 0.001, .offset = 4e6, .data = scaled};
    assert_true(column_value(&z, 0) == 123456789 * 0.001 + 4e6);
}

/* Between integers no digit is lost, and what does not fit saturates. */
static void conversion_between_integers_loses_no_digit(void **state)
{
    (void)state;
    const int64_t wide[] = {9007199254740993, -9007199254740993, INT64_MAX, INT64_MIN};
    const uint64_t top[] = {9007199254740993, UINT64_MAX};
    const int8_t small[] = {-1, 7};
    uint64_t u64[4];
    int64_t i64[4];
    uint16_t u16[4];
    struct column x = {.type = GLT_I64, .width = 1, .scale = 1, .data = (void *)(uintptr_t)wide};
    column_convert(u64, GLT_U64, 0, &x, 0, 4);
    assert_true(u64[0] == 9007199254740993 && u64[1] == 0 && u64[2] == INT64_MAX && u64[3] == 0);
    column_convert(u16, GLT_U16, 0, &x, 0, 4);
    assert_true(u16[0] == UINT16_MAX && u16[1] == 0 && u16[2] == UINT16_MAX);
    x.type = GLT_U64;
    x.data = (void *)(uintptr_t)top;
    column_convert(i64, GLT_I64, 0, &x, 0, 2);
    assert_true(i64[0] == 9007199254740993 && i64[1] == INT64_MAX);
    x.type = GLT_I8;
    x.data = (void *)(uintptr_t)small;
    column_convert(u64, GLT_U64, 0, &x, 0, 2);
    column_convert(i64, GLT_I64, 0, &x, 0, 2);
    assert_true(u64[0] == 0 && u64[1] == 7 && i64[0] == -1 && i64[1] == 7);
}

static void local_coordinates_depend_on_the_set_of_points_alone(void **state)
{
    (void)state;
    double a[] = {431000.123, 5412000.5, 300.25,  431010.001, 5412020.75,
                  NAN,        431020.5,  5412010, 310.125};
    double b[9];
    for (int i = 0; i < 3; i++)
        memcpy(b + 3 * i, a + 3 * (2 - i), 3 * sizeof *a);
    struct glt_cloud *c = make(a, 3), *d = make(b, 3);
    double oc[3], od[3];
    float pc[9], pd[9];
    assert_int_equal(cloud_local(oc, pc, c), 0);
    assert_int_equal(cloud_local(od, pd, d), 0);
    assert_memory_equal(oc, od, sizeof oc);
    assert_memory_equal(pc + 6, pd, 3 * sizeof *pc);
    assert_true(fabs(pc[0] + oc[0] - a[0]) < 1e-6 && fabs(pc[1] + oc[1] - a[1]) < 1e-6);
    assert_true(isnan(pc[5]));
    struct bounds bounds;
    assert_int_equal(cloud_bounds(&bounds, c), 0);
    assert_int_equal(bounds.finite, 2);
    assert_true(bounds.min[0] == a[0] && bounds.max[2] == a[8]);
    cloud_free(c);
    cloud_free(d);
}

static void colours_are_scaled_once_per_file(void **state)
{
    (void)state;
    double xyz[6] = {0};
    struct glt_cloud *c = make(xyz, 2);
    assert_true(cloud_colour_scale(c) == 0);
    uint16_t narrow[] = {255, 3}, wide[] = {256, 3};
    glt_cloud_set(c, "red", GLT_U16, narrow, 0);
    glt_cloud_set(c, "green", GLT_U16, narrow, 0);
    glt_cloud_set(c, "blue", GLT_U16, narrow, 0);
    assert_true(cloud_colour_scale(c) == 1.0 / 255);
    glt_cloud_set(c, "blue", GLT_U16, wide, 0);
    assert_true(cloud_colour_scale(c) == 1.0 / 65535);
    float real[] = {1, 0.5f}, rgb[6];
    glt_cloud_set(c, "red", GLT_F32, real, 0);
    glt_cloud_set(c, "green", GLT_F32, real, 0);
    glt_cloud_set(c, "blue", GLT_F32, real, 0);
    assert_true(cloud_colour_scale(c) == 1);
    assert_int_equal(cloud_colours(rgb, c), 0);
    assert_true(rgb[0] == 1 && rgb[5] == 0.5f);
    cloud_free(c);
}

static void labels_and_their_names_are_set_together(void **state)
{
    (void)state;
    double xyz[9] = {0};
    struct glt_cloud *c = make(xyz, 3);
    const char *names[] = {"ceiling", "dining table"};
    int32_t labels[] = {1, 0, 1};
    float confidence[] = {0.5f, 0.25f, 1};
    cloud_add_comment(c, "class 0 old");
    cloud_add_comment(c, "made by hand");
    assert_int_equal(labels_set(c, labels, confidence, names, 2), 0);
    assert_int_equal(labels_set(c, labels, confidence, names, 2), 0);
    assert_string_equal(classes_name(&c->classes, 1), "dining table");
    assert_null(classes_name(&c->classes, 2));
    assert_int_equal(c->n_comments, 3);
    assert_int_equal(cloud_attribute(c, "label")->type, GLT_U8);
    labels[0] = 300;
    assert_int_equal(labels_set(c, labels, NULL, NULL, 301), 0);
    assert_int_equal(cloud_attribute(c, "label")->type, GLT_I32);
    assert_null(cloud_attribute(c, "confidence"));
    cloud_free(c);
}

/* A grid of 40 x 40 points `spacing` apart from a corner on, in a type. */
static double step_of(double corner, double spacing, enum glt_type type)
{
    static const char *const name[] = {"x", "y", "z"};
    struct glt_cloud *c;
    double step = -1;
    assert_int_equal(glt_cloud_create(&c, 1600), 0);
    for (int d = 0; d < 3; d++) {
        double v[1600];
        float f[1600];
        for (int i = 0; i < 1600; i++) {
            v[i] = (d == 2 ? 0 : corner) + spacing * (d == 0 ? i % 40 : d == 1 ? i / 40 : i % 7);
            f[i] = (float)v[i];
        }
        const void *values = type == GLT_F32 ? (const void *)f : v;
        assert_int_equal(glt_cloud_set(c, name[d], type, values, 0), 0);
    }
    assert_int_equal(cloud_step(&step, c), 0);
    cloud_free(c);
    return step;
}

static void coarse_floats_are_noticed(void **state)
{
    (void)state;
    assert_true(step_of(5.4e6, 0.1, GLT_F32) == 0.5); /* metres of a map */
    assert_true(step_of(5.4e6, 0.1, GLT_F64) == 0);
    assert_true(step_of(5.4e9, 100, GLT_F32) == 512); /* the same in millimetres */
    assert_true(step_of(-2000, 100, GLT_F32) == 0);   /* a room in millimetres */
    assert_true(step_of(-1, 0.05, GLT_F32) == 0);     /* a shape of size one */
    assert_true(step_of(1e4, 0.1, GLT_F32) == 0);     /* ten kilometres off: a millimetre */
    assert_true(step_of(-1e-9, 5e-11, GLT_F32) == 0);
    assert_true(step_of(0, 0, GLT_F32) == 0); /* all points at the origin */
    assert_true(step_of(0, 1e-12, GLT_F32) == 0);
    assert_true(step_of(3e38, 0, GLT_F32) > 1e30);
}

static void a_selection_has_the_rows_asked_for(void **state)
{
    (void)state;
    double xyz[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    struct glt_cloud *c = make(xyz, 3), *s;
    int64_t rows[] = {2, 0, 2, 1}, bad[] = {3};
    cloud_set_note(c, "key", "value", 5);
    assert_int_equal(glt_cloud_select(&s, c, bad, 1), GLT_EARGUMENT);
    assert_int_equal(glt_cloud_select(&s, c, rows, 4), 0);
    double y[4];
    assert_int_equal(cloud_attribute_as_f64(y, s, "y"), 0);
    assert_true(y[0] == 7 && y[1] == 1 && y[2] == 7 && y[3] == 4);
    assert_string_equal(cloud_note(s, "key")->bytes, "value");
    cloud_free(c);
    cloud_free(s);
    assert_int_equal(memory_stats().bytes, 0);
}

/* Each allocation of a selection fails once: the error is memory's, nothing leaks. */
static void a_selection_without_memory_fails_and_leaks_nothing(void **state)
{
    (void)state;
    double xyz[9] = {0};
    struct glt_cloud *c = make(xyz, 3), *s = NULL;
    cloud_add_comment(c, "a comment");
    cloud_set_note(c, "key", "value", 5);
    int64_t rows[] = {0, 1}, alive = memory_stats().bytes;
    int code = GLT_ENOMEM;
    for (int n = 1; code == GLT_ENOMEM; n++) {
        memory_fail(n, false);
        code = cloud_select(&s, c, rows, 2);
        memory_fail(0, false);
        if (code < 0)
            assert_int_equal(memory_stats().bytes, alive);
        assert_true(n < 100);
    }
    assert_int_equal(code, 0);
    cloud_free(s);
    cloud_free(c);
}

static void a_cloud_of_more_points_than_the_limit_is_refused(void **state)
{
    (void)state;
    struct glt_cloud *c = NULL;
    assert_int_equal(glt_cloud_create(&c, (int64_t)1 << 40), GLT_ELIMIT);
    assert_int_equal(glt_cloud_create(&c, (int64_t)1 << 31), GLT_ELIMIT);
    assert_int_equal(glt_error_topic(), GLT_TOPIC_SIZE_LIMIT);
    assert_int_equal(glt_cloud_create(&c, -1), GLT_EARGUMENT);
    assert_null(c);
    assert_int_equal(glt_cloud_create(&c, INT32_MAX), 0);
    glt_cloud_free(c);
}

static void errors_name_the_argument(void **state)
{
    (void)state;
    struct glt_cloud *c = NULL;
    const char *name;
    enum glt_type type;
    int width;
    assert_int_equal(glt_cloud_create(&c, 0), 0);
    assert_int_equal(glt_cloud_attribute(c, 0, &name, &type, &width), GLT_EARGUMENT);
    assert_string_equal(glt_error_name(), "i");
    assert_int_equal(glt_cloud_set(c, "", GLT_F32, NULL, 0), GLT_EARGUMENT);
    assert_string_equal(glt_error_name(), "name");
    assert_int_equal(glt_cloud_set(c, "a", (enum glt_type)99, NULL, 0), GLT_EARGUMENT);
    assert_string_equal(glt_error_name(), "type");
    glt_cloud_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_added_found_and_removed),
        cmocka_unit_test(conversion_saturates),
        cmocka_unit_test(conversion_between_integers_loses_no_digit),
        cmocka_unit_test(local_coordinates_depend_on_the_set_of_points_alone),
        cmocka_unit_test(colours_are_scaled_once_per_file),
        cmocka_unit_test(labels_and_their_names_are_set_together),
        cmocka_unit_test(coarse_floats_are_noticed),
        cmocka_unit_test(a_selection_has_the_rows_asked_for),
        cmocka_unit_test(a_selection_without_memory_fails_and_leaks_nothing),
        cmocka_unit_test(a_cloud_of_more_points_than_the_limit_is_refused),
        cmocka_unit_test(errors_name_the_argument),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
