/* Evaluation: the scored labels are those that prediction gives, with shifted tilings too.
 * labels: quick */
#include "data_folder.h"
#include "errors.h"

#include "core/file_folder.h"
#include "core/memory.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "datasets/rooms.h"
#include "io_cloud.h"
#include "model/model.h"
#include "settings.h"
#include "synth/synth_rooms.h"

#include "core/json.h"
#include "core/json_parse.h"
#include <math.h>

static struct glt_model *make_model(void)
{
    static const uint8_t grey[3] = {128, 128, 128};
    struct glt_model *m =
        settings_glt_model("points=256 levels=128,64,16,8 width=8 stem=8 k=8",
                           "decoder=16,16,12,12,8,8,8,8 head_hidden=8", ROOMS_CLASSES);
    for (int i = 0; i < ROOMS_CLASSES; i++)
        assert_int_equal(glt_model_set_class(m, i, rooms_classes[i], grey), 0);
    return m;
}

static struct glt_cloud *make_room(void)
{
    struct glt_cloud *c = NULL;
    struct synth_rooms o = synth_rooms_default();
    o.points = 6000;
    o.seed = 3;
    assert_int_equal(synth_rooms_cloud(&c, &o, 1, 0), 0);
    return c;
}

static void read_labels(int32_t *labels, const struct glt_cloud *c, const char *name)
{
    assert_int_equal(cloud_attribute_as_i32(labels, c, name), 0);
}

/* Share of the points a prediction labels as the file does. */
static double predicted_share(const char *model, const char *file, int overlap,
                              const char *protocol)
{
    struct glt_model *m = NULL;
    struct glt_cloud *c = NULL;
    char words[64];
    int64_t same = 0;
    assert_int_equal(glt_model_load(&m, model), 0);
    assert_int_equal(glt_cloud_read(&c, file, NULL), 0);
    int32_t *truth = memory_alloc((size_t)c->n, sizeof *truth);
    int32_t *label = memory_alloc((size_t)c->n, sizeof *label);
    read_labels(truth, c, "label");
    snprintf(words, sizeof words, "overlap=%d protocol=%s", overlap, protocol);
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

static double evaluated_share(int64_t *samples, const char *model, const char *file, int overlap,
                              const char *protocol)
{
    struct glt_eval_options o = {
        .size = sizeof o, .json = 1, .overlap = overlap, .protocol = protocol};
    char *report = NULL;
    if (glt_evaluate(&report, model, file, NULL, &o) < 0)
        fail_msg("%s", glt_error_message());
    struct json *card = NULL;
    assert_int_equal(json_parse(&card, "card", report, strlen(report)), 0);
    double oa = json_number_value(json_get(card, "oa"));
    *samples = json_integer_value(json_get(card, "samples"));
    assert_int_equal(json_integer_value(json_get(card, "overlap")), overlap);
    assert_string_equal(json_string_value(json_get(card, "protocol")), protocol);
    json_free(card);
    glt_free(report);
    return oa;
}

static void what_is_scored_is_what_is_predicted(void **state)
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
    for (int i = 0; i < 2; i++) {
        const char *protocol = i ? "product" : "paper";
        double plain = evaluated_share(&once, model, file, 0, protocol);
        assert_true(fabs(plain - predicted_share(model, file, 0, protocol)) < 1e-12);
        double cut = evaluated_share(&samples, model, file, 2, protocol);
        assert_true(fabs(cut - predicted_share(model, file, 2, protocol)) < 1e-12);
        assert_true(samples > 2 * once);
        assert_true(cut != plain);
    }
    struct glt_eval_options wrong = {.size = sizeof wrong, .protocol = "own"};
    char *report = NULL;
    assert_int_equal(glt_evaluate(&report, model, file, NULL, &wrong), GLT_EARGUMENT);
    assert_int_equal(file_remove(model), 0);
    assert_int_equal(file_remove(file), 0);
    glt_cloud_free(room);
    glt_model_free(m);
}

static char heard[1024];

static void listen(void *user, enum glt_log_level level, const char *message)
{
    (void)user, (void)message;
    if (level == GLT_LOG_WARNING)
        snprintf(heard, sizeof heard, "%s", glt_log_name());
}

/* A number of the card that an evaluation with these settings gives. */
static double evaluated(const char *model, const char *data, const char *settings, const char *key,
                        const char *split)
{
    struct glt_eval_options o = {.size = sizeof o, .json = 1, .split = split};
    struct glt_config *c = settings_config(settings, "");
    char *report = NULL;
    if (glt_evaluate(&report, model, data, c, &o) < 0)
        fail_msg("%s", glt_error_message());
    struct json *card = NULL;
    assert_int_equal(json_parse(&card, "card", report, strlen(report)), 0);
    double value = json_number_value(json_get(card, key));
    json_free(card);
    glt_free(report);
    glt_config_free(c);
    return value;
}

/* Which clouds were held out the training's seed decides, whatever seed draws the samples; rooms of
 * another area than the one held out are warned of. */
static void the_seed_of_the_training_decides_what_is_held_out(void **state)
{
    (void)state;
    char model[256], data[DATA_PATH], name[32];
    struct glt_model *m = make_model();
    struct dataset *d = NULL;
    snprintf(model, sizeof model, "%s", scratch("held.safetensors"));
    assert_int_equal(glt_model_save(m, model, NULL), 0);
    for (int i = 0; i < 10; i++) { /* rooms that their sizes tell apart */
        snprintf(name, sizeof name, "rooms/Area_%d/r%d.ply", i ? 1 : 5, i);
        data_write_room(name, 300 + i, 2, 2, (uint32_t)i);
    }
    data_file(data, "rooms");
    assert_int_equal(
        dataset_open(&d, data, &((struct model *)m)->config.data, ((struct model *)m)->config.seed),
        0);
    assert_int_equal(dataset_measure(d, SPLIT_VAL), 0);
    assert_int_equal(dataset_count(d, SPLIT_VAL), 1);
    double points = (double)d->split[SPLIT_VAL].list[0].n;
    dataset_close(d);
    for (int seed = 0; seed < 4; seed++) {
        char words[32];
        snprintf(words, sizeof words, "seed=%d", seed);
        assert_true(evaluated(model, data, words, "labelled", "val") == points);
        assert_true(evaluated(model, data, words, "seed", "val") == seed);
    }
    glt_log_set(listen, NULL);
    evaluated(model, data, "", "oa", NULL);
    assert_string_equal(heard, "");
    evaluated(model, data, "area=1", "oa", NULL);
    assert_string_equal(heard, "area");
    glt_log_set(NULL, NULL);
    assert_int_equal(file_remove(model), 0);
    glt_model_free(m);
}

/* The parts of a category are where the model says, in whatever order it lists categories. */
static void categories_have_the_parts_the_model_says(void **state)
{
    (void)state;
    double score[2];
    char model[256], file[256];
    struct glt_cloud *shape = made_cloud(200, GLT_F32, 0, 3);
    struct column *label;
    assert_int_equal(cloud_add_attribute(&label, shape, "label", GLT_I32), 0);
    for (int64_t i = 0; i < shape->n; i++)
        ((int32_t *)label->data)[i] = 2 + (int32_t)(i % 3);
    snprintf(model, sizeof model, "%s", scratch("parts.safetensors"));
    snprintf(file, sizeof file, "%s", scratch("shape.ply"));
    assert_int_equal(glt_cloud_write(shape, file, NULL), 0);
    for (int turned = 0; turned < 2; turned++) {
        struct glt_model *m =
            settings_glt_model("points=200 levels=128,64,16,8 width=8 stem=8 k=8 task=parts",
                               "decoder=16,16,12,12,8,8,8,8 head_hidden=8 inputs=xyz", 5);
        if (!turned)
            assert_int_equal(glt_model_add_category(m, "ball", 0, 2), 0);
        assert_int_equal(glt_model_add_category(m, "mug", 2, 3), 0);
        if (turned)
            assert_int_equal(glt_model_add_category(m, "ball", 0, 2), 0);
        assert_int_equal(glt_model_save(m, model, NULL), 0);
        glt_model_free(m);
        score[turned] = evaluated(model, file, "category=mug", "instance_miou", NULL);
    }
    assert_true(score[0] > 0 && score[0] == score[1]);
    struct glt_eval_options o = {.size = sizeof o, .density = 10};
    char *report = NULL;
    struct glt_config *c = settings_config("category=mug", "");
    assert_int_equal(glt_evaluate(&report, model, file, c, &o), GLT_EARGUMENT);
    assert_error("OPTION density");
    glt_config_free(c);
    assert_int_equal(file_remove(model), 0);
    assert_int_equal(file_remove(file), 0);
    glt_cloud_free(shape);
}

static void a_cloud_without_labelled_points_has_no_score(void **state)
{
    (void)state;
    struct glt_model *m = make_model();
    struct glt_cloud *room = make_room();
    struct column *label = cloud_attribute(room, "label");
    char model[256], file[256], *report = NULL;
    snprintf(model, sizeof model, "%s", scratch("eval.safetensors"));
    snprintf(file, sizeof file, "%s", scratch("none.ply"));
    assert_non_null(label);
    memset(label->data, 0xff, (size_t)room->n * type_size(label->type));
    assert_int_equal(glt_model_save(m, model, NULL), 0);
    assert_int_equal(glt_cloud_write(room, file, NULL), 0);
    assert_int_equal(glt_evaluate(&report, model, file, NULL, NULL), GLT_EDATA);
    assert_error("LABELS");
    assert_null(report);
    assert_int_equal(file_remove(model), 0);
    assert_int_equal(file_remove(file), 0);
    glt_cloud_free(room);
    glt_model_free(m);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    struct glt_model *m = make_model();
    char model[256], *report = NULL;
    struct glt_eval_options o = {.size = sizeof o, .overlap = 16};
    snprintf(model, sizeof model, "%s", scratch("eval.safetensors"));
    assert_int_equal(glt_model_save(m, model, NULL), 0);
    assert_int_equal(glt_evaluate(&report, model, "synth:rooms rooms=1 points=3000", NULL, &o),
                     GLT_EARGUMENT);
    assert_error("OPTION overlap");
    o = (struct glt_eval_options){.size = sizeof o, .folder = "/dev/null/eval"};
    assert_true(glt_evaluate(&report, model, "synth:rooms rooms=1 points=3000", NULL, &o) < 0);
    assert_int_equal(file_remove(model), 0);
    glt_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_scored_is_what_is_predicted),
        cmocka_unit_test(a_cloud_without_labelled_points_has_no_score),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(the_seed_of_the_training_decides_what_is_held_out),
        cmocka_unit_test(categories_have_the_parts_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
