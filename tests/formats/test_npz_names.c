/* NPZ: attributes that have the names of its own arrays (xyz, scale, origin), and axes that are no
 * array together; as many attributes as there may be, in all formats. */
#include "core/memory.h"
#include "errors.h"
#include "io_cloud.h"

/* Axes of several kinds have no scale together: what is scaled becomes double. */
static void axes_of_several_kinds_become_double(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(3000, GLT_I32, 0, 3), *back;
    for (int d = 0; d < 3; d++) {
        c->columns[d].scale = 0.001 * (d + 1);
        c->columns[d].offset = 1e6 * d;
    }
    float *y = memory_alloc((size_t)c->n, sizeof *y);
    for (int64_t i = 0; i < c->n; i++)
        y[i] = (float)i / 4;
    assert_int_equal(glt_cloud_set(c, "y", GLT_F32, y, 0), 0);
    memory_free(y);
    back = read_back(c, "mixed.npz", NULL);
    for (int d = 0; d < 3; d++)
        for (int64_t i = 0; i < c->n; i++)
            assert_true(column_value(&c->columns[d], i) == column_value(&back->columns[d], i));
    cloud_free(back);
    cloud_free(c);
}

/* Attributes that have the names of arrays: the coordinates and colours are what they were. */
static void attributes_named_like_arrays_change_no_coordinate(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int width;
    } rivals[] = {{"position", 3}, {"points", 4}, {"xyz", 1}, {"xyz", 3},    {"XYZ", 3},
                  {"rgb", 1},      {"rgb", 3},    {"a/b", 1}, {"normals", 3}};
    for (int i = 0; i < 18; i++) {
        struct glt_cloud *c, *back, *again;
        struct random r = random_start(random_stream(9, 0, 0, RANDOM_TEST), 0);
        struct column *x;
        const char *names[] = {"x", "y", "z", "red", "green", "blue", "nx", "ny", "nz", "a_b"};
        assert_int_equal(cloud_new(&c, 6), 0);
        const char *rival = rivals[i / 2].name;
        assert_int_equal(cloud_add_wide(&x, c, rival, GLT_F32, rivals[i / 2].width), 0);
        fill_column(x, c->n, &r);
        for (int k = 0; k < 10; k++) { /* every other time the axes are no array together */
            enum glt_type type = i % 2 && k == 1 ? GLT_F64 : k < 3 ? GLT_F32 : GLT_U8;
            assert_int_equal(cloud_add_attribute(&x, c, names[k], type), 0);
            fill_column(x, c->n, &r);
        }
        back = read_back(c, "rival.npz", NULL);
        again = read_back(back, "again.npz", NULL);
        assert_int_equal(again->n_columns, c->n_columns);
        for (int k = 0; k < 9; k++)
            assert_same_column(cloud_attribute(c, names[k]), cloud_attribute(again, names[k]), 6);
        size_t bytes = 6 * sizeof(float) * (size_t)rivals[i / 2].width;
        assert_memory_equal(c->columns[0].data, again->columns[0].data, bytes);
        cloud_free(again);
        cloud_free(back);
        cloud_free(c);
    }
    assert_int_equal(memory_stats().bytes, 0);
}

/* Attributes called scale and origin are attributes, and the coordinates stay where they are. */
static void attributes_named_scale_and_origin_are_attributes(void **state)
{
    (void)state;
    static const char *const names[] = {"scale", "origin"};
    static const int sizes[] = {1, 3, 4};
    for (int i = 0; i < 12; i++) {
        struct glt_cloud *c = made_cloud(sizes[i % 3], GLT_I32, 0, 3), *back, *again;
        struct column *x;
        assert_int_equal(cloud_add_attribute(&x, c, names[i / 3 % 2], GLT_F32), 0);
        for (int64_t k = 0; k < c->n; k++)
            ((float *)x->data)[k] = 0.5f;
        for (int d = 0; d < 3 && i >= 6; d++) { /* and there is a true scale too */
            c->columns[d].scale = 0.25;
            c->columns[d].offset = 500000;
        }
        back = read_back(c, "named.npz", NULL);
        again = read_back(back, "again.npz", NULL);
        assert_int_equal(again->n_columns, 4);
        assert_same_column(x, cloud_attribute(again, names[i / 3 % 2]), c->n);
        for (int d = 0; d < 3; d++)
            for (int64_t k = 0; k < c->n; k++)
                assert_true(column_value(&c->columns[d], k) == column_value(&again->columns[d], k));
        if (i % 3 == 2 && i < 6) /* neither one number nor three: nothing to mistake */
            assert_int_equal(again->columns[0].type, GLT_I32);
        cloud_free(again);
        cloud_free(back);
        cloud_free(c);
    }
}

/* An array that was no scale beside real coordinates becomes none beside whole ones. */
static void an_array_that_was_no_scale_becomes_none(void **state)
{
    (void)state;
    struct glt_cloud *real = made_cloud(5, GLT_F32, 0, 3), *back;
    const double scale[3] = {7, 7, 7};
    char npy[128 + sizeof scale] = "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, "
                                   "'shape': (3,), }";
    memset(npy + strlen(npy + 10) + 10, ' ', 128 - strlen(npy + 10) - 10);
    npy[127] = '\n';
    memcpy(npy + 128, scale, sizeof scale);
    assert_int_equal(cloud_set_note(real, "npz.scale", npy, sizeof npy), 0);
    int32_t steps[5] = {1, 2, 3, 4, 5};
    for (int d = 0; d < 3; d++)
        assert_int_equal(glt_cloud_set(real,
                                       d == 0   ? "x"
                                       : d == 1 ? "y"
                                                : "z",
                                       GLT_I32, steps, 0),
                         0);
    back = read_back(real, "kept.npz", NULL);
    assert_true(column_value(cloud_attribute(back, "y"), 4) == 5);
    assert_non_null(cloud_note(back, "npz.scale"));
    cloud_free(back);
    cloud_free(real);
    assert_int_equal(memory_stats().bytes, 0);
}

/* As many attributes as can be read can be written, in every format, or a warning says so. */
static void as_many_attributes_are_written_as_are_read(void **state)
{
    (void)state;
    static const char *const names[] = {"m.npz", "m.npy", "m.pcd", "m.ply", "m.csv", "m.xyz"};
    for (int i = 0; i < 6; i++) {
        struct glt_cloud *c = made_cloud(2, GLT_F64, 0, 3), *back;
        struct column *x;
        for (int k = 3; k < 4096; k++) {
            char name[32];
            snprintf(name, sizeof name, "an_attribute_%d", k);
            assert_int_equal(cloud_add_attribute(&x, c, name, GLT_U8), 0);
            memset(x->data, k % 256, 2);
        }
        back = read_back(c, names[i], NULL);
        assert_same_cloud(c, back);
        cloud_free(back);
        assert_int_equal(cloud_add_attribute(&x, c, "more", GLT_U8), 0);
        assert_int_equal(format_write(c, scratch(names[i]), NULL), GLT_ELIMIT);
        assert_error("SIZE_LIMIT");
        cloud_remove_attribute(c, "more");
        cloud_remove_attribute(c, "an_attribute_4095");
        assert_int_equal(cloud_add_wide(&x, c, "wide", GLT_U8, 65000), 0);
        bool holds = i == 0 || i == 3; /* npz, and ply as a list */
        assert_int_equal(format_write(c, scratch(names[i]), NULL), holds ? 0 : GLT_ELIMIT);
        cloud_free(c);
    }
    assert_int_equal(memory_stats().bytes, 0);
}

/* Names that differ only where a member's name is cut: all come back. */
static void names_that_differ_only_at_their_end_come_back(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(2, GLT_F64, 0, 3), *back;
    struct column *x;
    for (int k = 3; k < 3000; k++) {
        char name[256];
        snprintf(name, sizeof name, "%0*d", 245, k);
        assert_int_equal(cloud_add_attribute(&x, c, name, GLT_U16), 0);
        ((uint16_t *)x->data)[0] = (uint16_t)k;
    }
    back = read_back(c, "alike.npz", NULL);
    assert_int_equal(back->n_columns, c->n_columns);
    for (int32_t k = 3; k < c->n_columns; k++)
        assert_int_equal(((const uint16_t *)back->columns[k].data)[0], k);
    cloud_free(back);
    cloud_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_of_several_kinds_become_double),
        cmocka_unit_test(attributes_named_like_arrays_change_no_coordinate),
        cmocka_unit_test(attributes_named_scale_and_origin_are_attributes),
        cmocka_unit_test(an_array_that_was_no_scale_becomes_none),
        cmocka_unit_test(as_many_attributes_are_written_as_are_read),
        cmocka_unit_test(names_that_differ_only_at_their_end_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
