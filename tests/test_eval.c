/* Evaluation: what is scored is what prediction answers, with shifted cuts too.
 * labels: quick */
#include "data/synth.h"
#include "data/types.h"
#include "io_cloud.h"
#include "model/model.h"
#include "settings.h"

#include <jansson.h>
#include <math.h>

static struct glt_model *make_model(void)
{
    static const uint8_t grey[3] = {128, 128, 128};
    struct glt_model *m =
        settings_glt_model("points=256 levels=128,64,16,8 width=8 stem=8 k=8",
                           "decoder=16,16,12,12,8,8,8,8 head_hidden=8", S3DIS_CLASSES);
    for (int i = 0; i < S3DIS_CLASSES; i++)
        assert_int_equal(glt_model_set_class(m, i, s3dis_classes[i], grey), 0);
    return m;
}

static struct glt_cloud *make_room(void)
{
    struct glt_cloud *c = NULL;
    struct synth_rooms o = synth_rooms_default();
    o.points = 6000;
    o.seed = 3;
    assert_int_equal(synth_room(&c, &o, 1, 0), 0);
    return c;
}

static void read_labels(int32_t *labels, const struct glt_cloud *c, const char *name)
{
    assert_int_equal(cloud_attribute_as_i32(labels, c, name), 0);
}

/* Share of the points a prediction labels as the file does. */
static double predicted_share(const char *model, const char *file, int overlap)
{
    struct glt_model *m = NULL;
    struct glt_cloud *c = NULL;
    char words[32];
    int64_t same = 0;
    assert_int_equal(glt_model_load(&m, model), 0);
    assert_int_equal(glt_cloud_read(&c, file, NULL), 0);
    int32_t *truth = memory_alloc((size_t)c->n, sizeof *truth);
    int32_t *label = memory_alloc((size_t)c->n, sizeof *label);
    read_labels(truth, c, "label");
    snprintf(words, sizeof words, "overlap=%d", overlap);
    assert_int_equal(glt_cloud_predict(c, m, words, NULL, NULL), 0);
    read_labels(label, c, "label");
    for (int64_t i = 0; i < c->n; i++)
        same += label[i] == truth[i];
    double share = (double)same / (double)c->n;
    memory_free(truth);
    memory_free(label);
    glt_cloud_free(c);
    glt_model_free(m);
    return share;
}

static double evaluated_share(int64_t *samples, const char *model, const char *file, int overlap)
{
    struct glt_eval_options o = {.json = 1, .overlap = overlap};
    char *report = NULL;
    if (glt_evaluate(&report, model, file, NULL, &o) < 0)
        fail_msg("%s", glt_error_message());
    json_t *card = json_loads(report, 0, NULL);
    double oa = json_number_value(json_object_get(card, "oa"));
    *samples = json_integer_value(json_object_get(card, "samples"));
    assert_int_equal(json_integer_value(json_object_get(card, "overlap")), overlap);
    json_decref(card);
    glt_text_free(report);
    return oa;
}

static void test_scores_what_is_predicted(void **state)
{
    (void)state;
    struct glt_model *m = make_model();
    struct glt_cloud *room = make_room();
    char model[256], file[256];
    int64_t once, samples;
    snprintf(model, sizeof model, "%s", scratch("eval.safetensors"));
    snprintf(file, sizeof file, "%s", scratch("eval.ply"));
    assert_int_equal(glt_model_save(m, model, NULL), 0);
    assert_int_equal(glt_cloud_write(room, file, NULL), 0);
    double plain = evaluated_share(&once, model, file, 0);
    assert_true(fabs(plain - predicted_share(model, file, 0)) < 1e-12);
    double cut = evaluated_share(&samples, model, file, 2);
    assert_true(fabs(cut - predicted_share(model, file, 2)) < 1e-12);
    assert_true(samples > 2 * once);
    assert_true(cut != plain);
    assert_int_equal(file_remove(model), 0);
    assert_int_equal(file_remove(file), 0);
    glt_cloud_free(room);
    glt_model_free(m);
}

static void test_refused(void **state)
{
    (void)state;
    struct glt_model *m = make_model();
    char model[256], *report = NULL;
    struct glt_eval_options o = {.overlap = 16};
    snprintf(model, sizeof model, "%s", scratch("eval.safetensors"));
    assert_int_equal(glt_model_save(m, model, NULL), 0);
    assert_int_equal(glt_evaluate(&report, model, "synth:rooms rooms=1 points=3000", NULL, &o),
                     GLT_EARGUMENT);
    assert_non_null(strstr(glt_error_message(), "overlap"));
    assert_int_equal(file_remove(model), 0);
    glt_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_what_is_predicted),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
