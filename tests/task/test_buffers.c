/* Memory to memory: clouds and models in buffers, columns that are borrowed, features as arrays.
 * labels: quick */
#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"
#include "errors.h"
#include "io_cloud.h"
#include "model/model.h"
#include "model/safetensors.h"
#include "settings.h"
#include "synth/synth_rooms.h"

#include <stdlib.h>

enum { POINTS = 1200 };

static struct glt_cloud *make_room(void)
{
    struct glt_cloud *c = NULL;
    struct synth_rooms o = synth_rooms_default();
    o.points = POINTS;
    o.seed = 7;
    assert_int_equal(synth_rooms_cloud(&c, &o, 1, 0), 0);
    return c;
}

static struct glt_model *make_model(const char *settings)
{
    return settings_glt_model("points=256 levels=128,64,16,8 width=8 stem=8 k=8 "
                              "decoder=16,16,12,12,8,8,8,6 head_hidden=8 cls_hidden=16",
                              settings, 13);
}

static void a_cloud_in_a_buffer_is_the_file(void **state)
{
    (void)state;
    static const char *const formats[] = {"ply", "pcd", "las", "npy", "npz", "text"};
    struct glt_cloud *c = make_room();
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char name[32], words[32], *file;
        void *bytes = NULL;
        size_t len = 0, file_len;
        snprintf(name, sizeof name, "a.%s", formats[i]);
        snprintf(words, sizeof words, "format=%s", formats[i]);
        assert_int_equal(glt_cloud_write_buffer(&bytes, &len, c, words), 0);
        assert_int_equal(glt_cloud_write(c, scratch(name), words), 0);
        assert_int_equal(file_read_all(&file, &file_len, scratch(name), 1 << 24), 0);
        assert_int_equal(len, file_len);
        if (strcmp(formats[i], "npz")) /* whose members carry the time */
            assert_memory_equal(bytes, file, len);
        struct glt_cloud *a = NULL, *b = NULL;
        assert_int_equal(glt_cloud_read_buffer(&a, bytes, len, words), 0);
        assert_int_equal(glt_cloud_read(&b, scratch(name), words), 0);
        assert_same_cloud(b, a);
        cloud_free(a);
        cloud_free(b);
        memory_free(file);
        glt_free(bytes);
    }
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

static void wrong_buffers_are_refused(void **state)
{
    (void)state;
    struct glt_cloud *c = make_room(), *back = NULL;
    struct glt_model *m = NULL;
    void *bytes = NULL;
    size_t len = 0;
    assert_int_equal(glt_cloud_write_buffer(&bytes, &len, c, NULL), GLT_EARGUMENT);
    assert_error("OPTION format");
    assert_int_equal(glt_cloud_write_buffer(&bytes, &len, c, "format=obj"), GLT_EUNSUPPORTED);
    assert_error("FORMAT");
    assert_null(bytes);
    assert_int_equal(glt_cloud_read_buffer(&back, "ply\nformat", 10, NULL), GLT_EFORMAT);
    assert_error_file("buffer");
    assert_int_equal(glt_model_load_buffer(&m, "not a model at all", 18), GLT_EFORMAT);
    assert_error_file("buffer");
    for (int nth = 1; nth < 12; nth++) {
        memory_fail(nth, true);
        int code = glt_cloud_write_buffer(&bytes, &len, c, "format=ply");
        memory_fail(0, false);
        assert_true(code == 0 || code == GLT_ENOMEM);
        if (code == 0)
            glt_free(bytes);
        bytes = NULL;
    }
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

static void a_model_in_a_buffer_is_the_file(void **state)
{
    (void)state;
    struct glt_model *m = make_model("inputs=xyz,rgb"), *back = NULL;
    struct glt_cloud *a = make_room(), *b = make_room();
    for (int half = 0; half < 2; half++) {
        char *file;
        void *bytes = NULL;
        size_t len = 0, file_len;
        const char *words = half ? "half" : NULL;
        assert_int_equal(glt_model_save_buffer(&bytes, &len, m, words), 0);
        assert_int_equal(glt_model_save(m, scratch("m.safetensors"), words), 0);
        assert_int_equal(file_read_all(&file, &file_len, scratch("m.safetensors"), 1 << 24), 0);
        assert_int_equal(len, file_len);
        assert_memory_equal(bytes, file, len);
        assert_int_equal(glt_model_load_buffer(&back, bytes, len), 0);
        glt_free(bytes);
        memory_free(file);
        if (!half) {
            assert_int_equal(glt_cloud_predict(a, m, NULL, NULL, NULL), 0);
            assert_int_equal(glt_cloud_predict(b, back, NULL, NULL, NULL), 0);
            assert_int_equal(a->n_columns, b->n_columns); /* comments: m has no digest yet */
            for (int32_t i = 0; i < a->n_columns; i++)
                assert_same_column(&a->columns[i], &b->columns[i], a->n);
        }
        glt_model_free(back);
        back = NULL;
    }
    cloud_free(a);
    cloud_free(b);
    glt_model_free(m);
}

/* Points as a caller has them: records of coordinates and colours. */
struct record {
    double xyz[3];
    unsigned char rgb[3], rest[5];
};

static struct record *make_records(const struct glt_cloud *c)
{
    static const char *const axes[] = {"x", "y", "z"}, *const rgb[] = {"red", "green", "blue"};
    struct record *r = malloc((size_t)c->n * sizeof *r);
    assert_non_null(r);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(glt_cloud_get(c, axes[k], GLT_F64, &r->xyz[k], sizeof *r), 0);
        assert_int_equal(glt_cloud_get(c, rgb[k], GLT_U8, &r->rgb[k], sizeof *r), 0);
    }
    return r;
}

static void fill(struct glt_cloud *c, const struct record *r, bool borrow)
{
    static const char *const axes[] = {"x", "y", "z"}, *const rgb[] = {"red", "green", "blue"};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(borrow ? glt_cloud_borrow(c, axes[k], GLT_F64, &r->xyz[k], sizeof *r)
                                : glt_cloud_set(c, axes[k], GLT_F64, &r->xyz[k], sizeof *r),
                         0);
        assert_int_equal(borrow ? glt_cloud_borrow(c, rgb[k], GLT_U8, &r->rgb[k], sizeof *r)
                                : glt_cloud_set(c, rgb[k], GLT_U8, &r->rgb[k], sizeof *r),
                         0);
    }
}

static void borrowed_columns_are_predicted_without_a_copy(void **state)
{
    (void)state;
    struct glt_model *m = make_model("inputs=xyz,rgb");
    struct glt_cloud *room = make_room(), *own = NULL, *borrowed = NULL, *back = NULL;
    struct record *r = make_records(room);
    assert_int_equal(glt_cloud_create(&own, room->n), 0);
    assert_int_equal(glt_cloud_create(&borrowed, room->n), 0);
    fill(own, r, false);
    int64_t before = memory_stats().bytes;
    fill(borrowed, r, true);
    assert_true(memory_stats().bytes - before < 2000); /* names and the table */
    struct glt_column x = {.size = sizeof x};
    assert_int_equal(glt_cloud_column(borrowed, "y", &x), 0);
    assert_ptr_equal(x.data, &r->xyz[1]);
    assert_int_equal(x.stride, sizeof *r);
    assert_int_equal(x.type, GLT_F64);
    assert_int_equal(glt_cloud_predict(own, m, NULL, NULL, NULL), 0);
    assert_int_equal(glt_cloud_predict(borrowed, m, NULL, NULL, NULL), 0);
    int32_t *a = memory_alloc(POINTS, 4), *b = memory_alloc(POINTS, 4);
    assert_int_equal(glt_cloud_get(own, "label", GLT_I32, a, 0), 0);
    assert_int_equal(glt_cloud_get(borrowed, "label", GLT_I32, b, 0), 0);
    assert_memory_equal(a, b, POINTS * 4);
    assert_int_equal(glt_cloud_write(borrowed, scratch("b.ply"), NULL), 0);
    assert_int_equal(glt_cloud_read(&back, scratch("b.ply"), NULL), 0);
    assert_int_equal(glt_cloud_get(back, "label", GLT_I32, b, 0), 0);
    assert_memory_equal(a, b, POINTS * 4);
    assert_int_equal(glt_cloud_column(back, "label", &x), 0);
    assert_ptr_equal(x.data, cloud_attribute(back, "label")->data);
    memory_free(a);
    memory_free(b);
    cloud_free(room);
    cloud_free(own);
    cloud_free(back);
    cloud_free(borrowed);
    glt_model_free(m);
    free(r);
}

static void a_prediction_leaves_clouds_with_the_same_values_alone(void **state)
{
    (void)state;
    static const uint8_t old[POINTS] = {1, 2, 3};
    struct glt_model *m = make_model("inputs=xyz");
    struct glt_cloud *c = make_room(), *s = NULL;
    uint8_t now[POINTS];
    assert_int_equal(glt_cloud_set(c, "label", GLT_U8, old, 0), 0);
    assert_int_equal(glt_cloud_share(&s, c), 0);
    assert_int_equal(glt_cloud_predict(c, m, NULL, NULL, NULL), 0);
    assert_int_equal(glt_cloud_get(s, "label", GLT_U8, now, 0), 0);
    assert_memory_equal(now, old, POINTS);
    assert_null(cloud_attribute(s, "confidence"));
    glt_cloud_free(c);
    glt_cloud_free(s);
    glt_model_free(m);
}

static void columns_that_cannot_be_borrowed_are_refused(void **state)
{
    (void)state;
    struct glt_cloud *c = NULL;
    struct glt_column x = {0};
    double values[4] = {0};
    assert_int_equal(glt_cloud_create(&c, 2), 0);
    assert_int_equal(glt_cloud_borrow(c, "x", GLT_F64, (char *)values + 1, 0), GLT_EARGUMENT);
    assert_error("ARGUMENT src");
    assert_int_equal(glt_cloud_borrow(c, "x", (enum glt_type)77, values, 0), GLT_EARGUMENT);
    assert_int_equal(glt_cloud_borrow(c, "x", GLT_F64, values, 16), 0);
    assert_int_equal(glt_cloud_column(c, "x", &x), GLT_EARGUMENT);
    assert_error("ARGUMENT size");
    x.size = sizeof x;
    assert_int_equal(glt_cloud_column(c, "y", &x), GLT_EDATA);
    assert_error("ATTRIBUTE y");
    assert_int_equal(glt_cloud_set(c, "x", GLT_F64, values, 0), 0); /* its own again */
    assert_int_equal(glt_cloud_column(c, "x", &x), 0);
    assert_ptr_not_equal(x.data, values);
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* A trace has them in the order of the network: as sets they are the same. */
static void assert_same_values(float *features, int64_t items, const char *trace, const char *name)
{
    struct file *f;
    struct safetensors st;
    assert_int_equal(file_open(&f, trace), 0);
    assert_int_equal(safetensors_open(&st, f), 0);
    const struct st_tensor *t = safetensors_find(&st, name);
    assert_non_null(t);
    assert_int_equal(t->items, items);
    float *all = memory_alloc((size_t)items, sizeof *all);
    assert_int_equal(safetensors_read_floats(&st, t, all), 0);
    qsort(all, (size_t)items, sizeof *all, compare);
    qsort(features, (size_t)items, sizeof *all, compare);
    assert_memory_equal(all, features, (size_t)items * sizeof *all);
    assert_true(all[0] != all[items - 1]);
    memory_free(all);
    safetensors_close(&st);
    file_close(f);
}

static void features_are_those_of_a_trace(void **state)
{
    (void)state;
    static float xyz[256 * 3], again[256 * 3];
    for (int i = 0; i < 256 * 3; i++) /* no two points alike */
        xyz[i] = (float)(i * 7919 % 9973) / 9973;
    for (int i = 0; i < 256; i++)
        memcpy(again + 3 * (255 - i), xyz + 3 * i, 3 * sizeof *xyz);
    for (int classify = 0; classify < 2; classify++) {
        struct glt_model *m = make_model(classify ? "task=classify inputs=xyz" : "inputs=xyz");
        struct glt_points p = {.size = sizeof p, .n = 256, .xyz = xyz, .type = GLT_F32};
        int channels = glt_model_feature_channels(m), rows = classify ? 1 : 256;
        assert_int_equal(channels, classify ? 64 : 6);
        float *a = memory_alloc((size_t)(rows * channels), sizeof *a);
        float *b = memory_alloc((size_t)(rows * channels), sizeof *b);
        assert_int_equal(glt_model_features(m, &p, a), 0);
        p.xyz = again;
        assert_int_equal(glt_model_features(m, &p, b), 0);
        for (int i = 0; i < rows; i++) /* turned round with the points */
            assert_memory_equal(a + i * channels, b + (rows - 1 - i) * channels,
                                (size_t)channels * sizeof *a);
        assert_int_equal(glt_model_explain(m, &p, scratch("t.safetensors")), 0);
        assert_same_values(a, rows * channels, scratch("t.safetensors"),
                           classify ? "pooled" : "dec1/out");
        memory_free(a);
        memory_free(b);
        glt_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cloud_in_a_buffer_is_the_file),
        cmocka_unit_test(wrong_buffers_are_refused),
        cmocka_unit_test(a_model_in_a_buffer_is_the_file),
        cmocka_unit_test(borrowed_columns_are_predicted_without_a_copy),
        cmocka_unit_test(a_prediction_leaves_clouds_with_the_same_values_alone),
        cmocka_unit_test(columns_that_cannot_be_borrowed_are_refused),
        cmocka_unit_test(features_are_those_of_a_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
