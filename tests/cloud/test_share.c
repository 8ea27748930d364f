/* Clouds that share values, attributes that are removed, names of classes.
 * labels: quick threads */
#include "core/memory.h"
#include "io_cloud.h"

#include <pthread.h>

static const float xyz[6] = {0, 1, 2, 3, 4, 5};
static const uint8_t label[2] = {7, 9};

static struct glt_cloud *make(void)
{
    static const char *const names[] = {"x", "y", "z"};
    struct glt_cloud *c = NULL;
    assert_int_equal(glt_cloud_create(&c, 2), 0);
    for (int d = 0; d < 3; d++)
        assert_int_equal(glt_cloud_borrow(c, names[d], GLT_F32, xyz + d, 3 * sizeof *xyz), 0);
    assert_int_equal(glt_cloud_set(c, "label", GLT_U8, label, 0), 0);
    assert_int_equal(glt_cloud_set_class(c, 7, "table"), 0);
    assert_int_equal(cloud_set_note(c, "key", "value", 5), 0);
    return c;
}

static struct glt_column column_of(const struct glt_cloud *c, const char *name)
{
    struct glt_column x = {.size = sizeof x};
    assert_int_equal(glt_cloud_column(c, name, &x), 0);
    return x;
}

static void a_shared_cloud_has_the_values_and_no_copy_of_them(void **state)
{
    (void)state;
    struct glt_cloud *c = make(), *s = NULL;
    assert_int_equal(glt_cloud_share(&s, c), 0);
    assert_ptr_equal(column_of(s, "label").data, column_of(c, "label").data);
    assert_ptr_equal(column_of(s, "y").data, xyz + 1);
    assert_int_equal(column_of(s, "y").stride, 12);
    assert_string_equal(cloud_note(s, "key")->bytes, "value");
    const char *name = NULL;
    int32_t number = 0;
    assert_int_equal(glt_cloud_class(s, 0, &number, &name), 0);
    assert_int_equal(number, 7);
    assert_string_equal(name, "table");
    glt_cloud_free(s);
    glt_cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

static void a_change_of_a_shared_cloud_leaves_the_other_alone(void **state)
{
    (void)state;
    static const uint8_t other[2] = {1, 2};
    struct glt_cloud *c = make(), *s = NULL;
    assert_int_equal(glt_cloud_share(&s, c), 0);
    assert_int_equal(glt_cloud_set(s, "label", GLT_U8, other, 0), 0);
    assert_int_equal(glt_cloud_remove(s, "x"), 0);
    assert_int_equal(glt_cloud_set_class(s, 7, NULL), 0);
    assert_memory_equal(column_of(c, "label").data, label, 2);
    assert_memory_equal(column_of(s, "label").data, other, 2);
    assert_ptr_equal(column_of(c, "x").data, xyz);
    assert_int_equal(glt_cloud_class(c, 0, NULL, NULL), 0);
    assert_int_equal(glt_cloud_class(s, 0, NULL, NULL), GLT_EARGUMENT);
    glt_cloud_free(s);
    glt_cloud_free(c);
}

static void a_change_of_the_original_leaves_its_shares_alone(void **state)
{
    (void)state;
    static const uint8_t other[2] = {1, 2};
    struct glt_cloud *c = make(), *s = NULL, *t = NULL;
    assert_int_equal(glt_cloud_share(&s, c), 0);
    assert_int_equal(glt_cloud_share(&t, s), 0);
    assert_int_equal(glt_cloud_set(c, "label", GLT_U8, other, 0), 0);
    assert_memory_equal(column_of(s, "label").data, label, 2);
    assert_int_equal(glt_cloud_remove(s, "label"), 0);
    assert_memory_equal(column_of(t, "label").data, label, 2);
    glt_cloud_free(c);
    glt_cloud_free(s);
    assert_memory_equal(column_of(t, "label").data, label, 2);
    assert_ptr_equal(column_of(t, "x").data, xyz);
    glt_cloud_free(t);
    assert_int_equal(memory_stats().bytes, 0);
}

/* Two points and a face: a scaled coordinate, a list, a wide attribute, another spelling. */
static struct glt_cloud *read_rich(void)
{
    static const char ply[] = "ply\nformat ascii 1.0\nelement vertex 2\n"
                              "property float x\nproperty float y\nproperty float z\n"
                              "property list uchar int near\nproperty uchar scalar_Label\n"
                              "element face 1\nproperty list uchar int vertex_indices\n"
                              "end_header\n0 1 2 3 7 8 9 5\n3 4 5 1 6 6\n3 0 1 0\n";
    struct glt_cloud *c = NULL;
    struct column *x;
    assert_int_equal(glt_cloud_read_buffer(&c, ply, sizeof ply - 1, "vertices"), 0);
    cloud_attribute(c, "x")->scale = 0.5;
    cloud_attribute(c, "x")->offset = 10;
    assert_int_equal(cloud_add_wide(&x, c, "wide", GLT_I16, 3), 0);
    ((int16_t *)x->data)[5] = -3;
    return c;
}

static void columns_of_all_kinds_are_shared(void **state)
{
    (void)state;
    struct glt_cloud *c = read_rich(), *same = read_rich(), *s = NULL;
    int64_t alive = memory_stats().bytes;
    assert_int_equal(glt_cloud_share(&s, c), 0);
    assert_ptr_equal(column_of(s, "near").data, column_of(c, "near").data);
    while (c->n_columns > 0)
        assert_int_equal(glt_cloud_remove(c, c->columns[0].name), 0);
    glt_cloud_free(c);
    assert_same_cloud(s, same);
    assert_string_equal(cloud_attribute(s, "label")->source, "scalar_Label");
    assert_int_equal(s->n_elements, 1);
    glt_cloud_free(s);
    assert_true(memory_stats().bytes < alive);
    glt_cloud_free(same);
    assert_int_equal(memory_stats().bytes, 0);
}

static void *share_and_change(void *user)
{
    static const uint8_t other[2] = {1, 2};
    const struct glt_cloud *c = user;
    for (int i = 0; i < 500; i++) {
        struct glt_cloud *s = NULL;
        if (glt_cloud_share(&s, c) || memcmp(column_of(s, "label").data, label, 2) != 0 ||
            glt_cloud_set(s, "label", GLT_U8, other, 0) ||
            memcmp(column_of(s, "label").data, other, 2) != 0)
            return user;
        glt_cloud_free(s);
    }
    return NULL;
}

static void threads_may_share_one_cloud(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct glt_cloud *c = make();
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, share_and_change, c), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(thread[i], &failed), 0);
        assert_null(failed);
    }
    assert_memory_equal(column_of(c, "label").data, label, 2);
    glt_cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

static void sharing_without_memory_fails_and_leaks_nothing(void **state)
{
    (void)state;
    struct glt_cloud *c = make(), *s = NULL;
    int64_t alive = memory_stats().bytes;
    int code = GLT_ENOMEM;
    for (int n = 1; code == GLT_ENOMEM; n++) {
        memory_fail(n, false);
        code = glt_cloud_share(&s, c);
        memory_fail(0, false);
        if (code < 0)
            assert_int_equal(memory_stats().bytes, alive);
        assert_true(n < 100);
    }
    assert_int_equal(code, 0);
    glt_cloud_free(s);
    glt_cloud_free(c);
}

static void an_attribute_is_removed_once(void **state)
{
    (void)state;
    struct glt_cloud *c = make();
    assert_int_equal(glt_cloud_remove(c, "label"), 0);
    assert_int_equal(glt_cloud_remove(c, "label"), GLT_EDATA);
    assert_int_equal(glt_error_topic(), GLT_TOPIC_ATTRIBUTE);
    assert_string_equal(glt_error_name(), "label");
    glt_cloud_free(c);
}

static void classes_get_names_and_lose_them(void **state)
{
    (void)state;
    struct glt_cloud *c = make();
    const char *name = NULL;
    int32_t number = 0;
    assert_int_equal(glt_cloud_set_class(c, 9, "chair"), 0);
    assert_int_equal(glt_cloud_set_class(c, 7, "desk"), 0);
    assert_int_equal(glt_cloud_class(c, 1, &number, &name), 0);
    assert_int_equal(number, 7);
    assert_string_equal(name, "desk");
    assert_int_equal(glt_cloud_set_class(c, 9, NULL), 0);
    assert_int_equal(glt_cloud_class(c, 1, &number, &name), GLT_EARGUMENT);
    assert_int_equal(glt_cloud_set_class(c, -1, "a"), GLT_EARGUMENT);
    static const char *const bad[] = {"", " blank", "new\nline", "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(glt_cloud_set_class(c, 1, bad[i]), GLT_EARGUMENT);
        assert_int_equal(glt_error_topic(), GLT_TOPIC_CLASSES);
    }
    glt_cloud_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_cloud_has_the_values_and_no_copy_of_them),
        cmocka_unit_test(a_change_of_a_shared_cloud_leaves_the_other_alone),
        cmocka_unit_test(a_change_of_the_original_leaves_its_shares_alone),
        cmocka_unit_test(columns_of_all_kinds_are_shared),
        cmocka_unit_test(threads_may_share_one_cloud),
        cmocka_unit_test(sharing_without_memory_fails_and_leaks_nothing),
        cmocka_unit_test(an_attribute_is_removed_once),
        cmocka_unit_test(classes_get_names_and_lose_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
