/* labels: quick
 * NULL where a pointer must be given is refused, by name, in every function of the public header;
 * the header itself says which there are. */
#include "core/file.h"
#include "core/memory.h"
#include "gelatto_tool.h"
#include "settings.h"

#include <stdlib.h>
#include <unistd.h>

static struct glt_config *config;
static struct glt_model *model;
static struct glt_predictor *predictor;
static struct glt_trainer *trainer;
static struct glt_cloud *cloud;

enum { POINTS = 50 };
static float xyz[3 * POINTS];
static int32_t labels[POINTS];
static const struct glt_points points = {
    .size = sizeof points, .n = POINTS, .xyz = xyz, .type = GLT_F32, .labels = labels};

/* The calls that were tried, for every_function_of_the_header_is_tried: their text begins with the
 * function's name. */
static const char *tried[256];
static int n_tried;

#define REFUSED(call, name) refused(#call, (call), name)

static void refused(const char *call, int64_t code, const char *name)
{
    if (code != GLT_EARGUMENT || glt_error_topic() != GLT_TOPIC_ARGUMENT ||
        strcmp(glt_error_name(), name))
        fail_msg("%s: %lld %s", call, (long long)code, glt_error_message());
    tried[n_tried++] = call;
}

static int set_up(void **state)
{
    (void)state;
    glt_threads_set(1);
    for (int i = 0; i < 3 * POINTS; i++)
        xyz[i] = (float)(i * 37 % 101) / 101;
    config = settings_config("inputs=xyz levels=32,16,8,4 width=4,4,4,4 stem=4 k=4 head_hidden=4 "
                             "decoder=4,4,4,4,4,4,4,4",
                             "");
    return glt_model_create(&model, config, 3) || glt_predictor_create(&predictor, model, POINTS) ||
           glt_trainer_create(&trainer, model, 2, POINTS) || glt_cloud_create(&cloud, POINTS) ||
           glt_cloud_set(cloud, "x", GLT_F32, xyz, 12) ||
           glt_cloud_set(cloud, "y", GLT_F32, xyz + 1, 12) ||
           glt_cloud_set(cloud, "z", GLT_F32, xyz + 2, 12) ||
           glt_cloud_set(cloud, "label", GLT_I32, labels, 0);
}

static int tear_down(void **state)
{
    (void)state;
    glt_cloud_free(cloud);
    glt_trainer_free(trainer);
    glt_predictor_free(predictor);
    glt_model_free(model);
    glt_config_free(config);
    return 0;
}

static void finding(void *user, const struct glt_finding *f)
{
    (void)user, (void)f;
}

static int file(void *user, const char *path, const char *under)
{
    (void)user, (void)path, (void)under;
    return 0;
}

static void functions_of_options_refuse_null(void **state)
{
    (void)state;
    char text[64];
    REFUSED(glt_option_at(0, NULL), "out");
    REFUSED(glt_word_distance(NULL, "a"), "a");
    REFUSED(glt_word_distance("a", NULL), "b");
    REFUSED(glt_context_create(NULL, NULL), "out");
    REFUSED(glt_config_create(NULL), "out");
    REFUSED(glt_config_set(NULL, "lr", "1"), "config");
    REFUSED(glt_config_set(config, NULL, "1"), "key");
    REFUSED(glt_config_set(config, "lr", NULL), "value");
    REFUSED(glt_config_set(config, "inputs", NULL), "value");
    REFUSED(glt_config_read(NULL, "a.yaml"), "config");
    REFUSED(glt_config_read(config, NULL), "path");
    REFUSED(glt_config_get(NULL, "lr", text, sizeof text), "config");
    REFUSED(glt_config_get(config, NULL, text, sizeof text), "key");
    REFUSED(glt_config_get(config, "lr", NULL, 0), "text");
    REFUSED(glt_config_line(NULL, "lr", text, sizeof text), "config");
    REFUSED(glt_config_line(config, NULL, text, sizeof text), "key");
    REFUSED(glt_config_line(config, "lr", NULL, 0), "text");
    assert_non_null(glt_preset_at(0, NULL));
}

static void functions_of_clouds_refuse_null(void **state)
{
    (void)state;
    struct glt_cloud *c = NULL;
    enum glt_type type;
    const char *name;
    char *text = NULL;
    int width;
    int64_t rows[1] = {0};
    REFUSED(glt_cloud_read(NULL, "a.ply", NULL), "out");
    REFUSED(glt_cloud_read(&c, NULL, NULL), "path");
    REFUSED(glt_cloud_write(NULL, NULL, NULL), "path");
    REFUSED(glt_cloud_write(cloud, NULL, NULL), "path");
    REFUSED(glt_cloud_create(NULL, 1), "out");
    REFUSED(glt_cloud_count(NULL), "c");
    REFUSED(glt_cloud_attribute(NULL, 0, &name, &type, &width), "c");
    REFUSED(glt_cloud_attribute(cloud, 0, NULL, &type, &width), "name");
    REFUSED(glt_cloud_attribute(cloud, 0, &name, NULL, &width), "type");
    REFUSED(glt_cloud_attribute(cloud, 0, &name, &type, NULL), "width");
    REFUSED(glt_cloud_read_buffer(NULL, "", 0, NULL), "out");
    REFUSED(glt_cloud_read_buffer(&cloud, NULL, 0, NULL), "bytes");
    REFUSED(glt_cloud_write_buffer(NULL, NULL, NULL, NULL), "bytes");
    REFUSED(glt_cloud_borrow(NULL, "x", GLT_F32, xyz, 0), "c");
    REFUSED(glt_cloud_column(NULL, "x", NULL), "c");
    REFUSED(glt_model_load_buffer(NULL, "", 0), "out");
    REFUSED(glt_model_save_buffer(NULL, NULL, NULL, NULL), "bytes");
    REFUSED(glt_model_feature_channels(NULL), "m");
    REFUSED(glt_model_features(NULL, NULL, NULL), "m");
    REFUSED(glt_cloud_get(NULL, "x", GLT_F32, xyz, 0), "c");
    REFUSED(glt_cloud_get(cloud, NULL, GLT_F32, xyz, 0), "name");
    REFUSED(glt_cloud_get(cloud, "x", GLT_F32, NULL, 0), "dst");
    REFUSED(glt_cloud_set(NULL, "x", GLT_F32, xyz, 0), "c");
    REFUSED(glt_cloud_set(cloud, NULL, GLT_F32, xyz, 0), "name");
    REFUSED(glt_cloud_set(cloud, "x", GLT_F32, NULL, 0), "src");
    REFUSED(glt_cloud_select(NULL, cloud, rows, 1), "out");
    REFUSED(glt_cloud_select(&c, NULL, rows, 1), "c");
    REFUSED(glt_cloud_select(&c, cloud, NULL, 1), "rows");
    REFUSED(glt_cloud_share(NULL, cloud), "out");
    REFUSED(glt_cloud_share(&c, NULL), "c");
    REFUSED(glt_cloud_remove(NULL, "x"), "c");
    REFUSED(glt_cloud_remove(cloud, NULL), "name");
    REFUSED(glt_cloud_class(NULL, 0, NULL, NULL), "c");
    REFUSED(glt_cloud_provenance(NULL, cloud), "out");
    REFUSED(glt_cloud_provenance(&text, NULL), "c");
    REFUSED(glt_cloud_set_class(NULL, 0, "a"), "c");
    REFUSED(glt_cloud_edit(NULL, cloud, NULL), "out");
    REFUSED(glt_cloud_info(NULL, cloud, 0), "out");
    REFUSED(glt_cloud_info(&text, NULL, 0), "c");
    REFUSED(glt_cloud_render(NULL, NULL, "a.png", NULL), "c");
    REFUSED(glt_cloud_render(cloud, NULL, NULL, NULL), "path");
    REFUSED(glt_cloud_report(NULL, "a.html", "a"), "c");
    REFUSED(glt_cloud_report(cloud, NULL, "a"), "path");
    REFUSED(glt_cloud_report(cloud, "a.html", NULL), "title");
    REFUSED(glt_view(NULL, 1, "a.html", NULL), "clouds");
    REFUSED(glt_view((const struct glt_cloud *const *)&cloud, 1, NULL, NULL), "path");
    REFUSED(glt_patch(NULL, "a.json", NULL, NULL), "c");
    REFUSED(glt_patch(cloud, NULL, NULL, NULL), "path");
    REFUSED(glt_cloud_files(NULL, file, NULL), "word");
    REFUSED(glt_cloud_files("a", NULL, NULL), "fn");
    REFUSED(glt_csv_cell(NULL, "a"), "cell");
    REFUSED(glt_csv_cell(&text, NULL), "text");
    assert_int_equal(glt_same_file(NULL, "."), 0);
    assert_int_equal(glt_same_file(".", NULL), 0);
}

static void functions_of_models_refuse_null(void **state)
{
    (void)state;
    struct glt_model *m = NULL;
    char text[64], *text_out = NULL;
    REFUSED(glt_model_create(NULL, config, 3), "out");
    REFUSED(glt_model_create(&m, NULL, 3), "config");
    REFUSED(glt_model_load(NULL, "rooms"), "out");
    REFUSED(glt_model_load(&m, NULL), "path");
    REFUSED(glt_model_path(NULL, 0, "rooms"), "path");
    REFUSED(glt_model_path(text, sizeof text, NULL), "name");
    REFUSED(glt_model_save(NULL, "a.safetensors", NULL), "m");
    REFUSED(glt_model_save(model, NULL, NULL), "path");
    REFUSED(glt_model_classes(NULL), "m");
    REFUSED(glt_model_channels(NULL), "m");
    REFUSED(glt_model_parameters(NULL), "m");
    REFUSED(glt_model_option(NULL, "lr", text, sizeof text), "m");
    REFUSED(glt_model_option(model, NULL, text, sizeof text), "key");
    REFUSED(glt_model_option(model, "lr", NULL, 0), "text");
    REFUSED(glt_model_class(NULL, 0, NULL, NULL), "m");
    REFUSED(glt_model_set_class(NULL, 0, "a", NULL), "m");
    REFUSED(glt_model_category(NULL, 0, NULL, NULL, NULL), "m");
    REFUSED(glt_model_add_category(NULL, "a", 0, 1), "m");
    REFUSED(glt_model_add_category(model, NULL, 0, 1), "name");
    REFUSED(glt_model_info(NULL, model, NULL), "out");
    REFUSED(glt_model_info(&text_out, NULL, NULL), "model");
    REFUSED(glt_models(NULL, NULL), "fn");
    REFUSED(glt_model_note(NULL, "use", "a"), "m");
    REFUSED(glt_model_note(model, NULL, "a"), "key");
    REFUSED(glt_model_note(model, "use", NULL), "text");
    REFUSED(glt_model_propose(NULL, 1, NULL), "name");
    REFUSED(glt_model_propose(text, sizeof text, NULL), "c");
    assert_int_equal(glt_model_class(model, 0, NULL, NULL), 0);
    assert_int_equal(glt_model_set_class(model, 0, NULL, NULL), 0);
    assert_int_equal(glt_model_add_category(model, "a", 0, 1), 0);
    assert_int_equal(glt_model_category(model, 0, NULL, NULL, NULL), 0);
}

static void functions_of_passes_refuse_null(void **state)
{
    (void)state;
    struct glt_predictor *e = NULL;
    struct glt_trainer *t = NULL;
    struct glt_correlation rows[GLT_CORRELATIONS] = {0};
    struct glt_attention spread[GLT_ATTENTION_ROWS] = {0};
    REFUSED(glt_model_predict(NULL, &points, labels, NULL), "m");
    REFUSED(glt_model_predict(model, NULL, labels, NULL), "p");
    REFUSED(glt_model_explain(NULL, &points, "a"), "m");
    REFUSED(glt_model_explain(model, NULL, "a"), "p");
    REFUSED(glt_model_explain(model, &points, NULL), "path");
    REFUSED(glt_cloud_explain(NULL, model, "a", NULL), "c");
    REFUSED(glt_cloud_explain(cloud, NULL, "a", NULL), "m");
    REFUSED(glt_cloud_explain(cloud, model, NULL, NULL), "path");
    REFUSED(glt_trace_image(NULL, "a.png", NULL), "trace");
    REFUSED(glt_trace_image("a", NULL, NULL), "path");
    REFUSED(glt_trace_film(NULL, "a", NULL, NULL), "trace");
    REFUSED(glt_trace_film("a", NULL, NULL, NULL), "path");
    REFUSED(glt_trace_graph(NULL, "a.npz", NULL), "trace");
    REFUSED(glt_trace_graph("a", NULL, NULL), "path");
    REFUSED(glt_trace_correlation(NULL, "a"), "rows");
    REFUSED(glt_trace_correlation(rows, NULL), "trace");
    REFUSED(glt_trace_attention(NULL, "a"), "rows");
    REFUSED(glt_trace_attention(spread, NULL), "trace");
    REFUSED(glt_predictor_create(NULL, model, 10), "out");
    REFUSED(glt_predictor_create(&e, NULL, 10), "m");
    REFUSED(glt_predictor_run(NULL, &points, labels, NULL), "e");
    REFUSED(glt_predictor_run(predictor, NULL, labels, NULL), "p");
    REFUSED(glt_trainer_create(NULL, model, 1, 1), "out");
    REFUSED(glt_trainer_create(&t, NULL, 1, 1), "m");
    REFUSED(glt_trainer_step(NULL, &points, 1, 0, NULL), "t");
    REFUSED(glt_trainer_step(trainer, NULL, 1, 0, NULL), "clouds");
    struct glt_tile tile = {.size = sizeof tile};
    const struct glt_cloud *clouds = cloud;
    int tiles = 1;
    REFUSED(glt_next(NULL, &tiles, model, &clouds, 1, NULL), "tiles");
    REFUSED(glt_next(&tile, NULL, model, &clouds, 1, NULL), "n");
    REFUSED(glt_next(&tile, &tiles, NULL, &clouds, 1, NULL), "m");
    REFUSED(glt_next(&tile, &tiles, model, NULL, 1, NULL), "clouds");
    const char *files = "a.ply";
    struct glt_files_options job = {.size = sizeof job};
    REFUSED(glt_predict_files(NULL, &files, &files, 1, &job, NULL, NULL), "m");
    REFUSED(glt_predict_files(model, NULL, &files, 1, &job, NULL, NULL), "inputs");
    REFUSED(glt_predict_files(model, &files, NULL, 1, &job, NULL, NULL), "outputs");
    REFUSED(glt_predict_files(model, &files, &files, 1, NULL, NULL, NULL), "o");
    char *report;
    REFUSED(glt_gather(NULL, NULL, "folder", NULL, NULL), "report");
    REFUSED(glt_gather(&report, NULL, NULL, NULL, NULL), "folder");
    REFUSED(glt_cloud_predict(NULL, model, NULL, NULL, NULL), "c");
    REFUSED(glt_cloud_predict(cloud, NULL, NULL, NULL, NULL), "m");
    assert_int_equal(glt_predictor_run(predictor, &points, NULL, NULL), 0);
}

/* A struct of the caller whose size was not set is refused and stays as it is. */
static void structs_without_size_are_refused(void **state)
{
    (void)state;
    struct glt_correlation rows[GLT_CORRELATIONS] = {0};
    struct glt_attention spread[GLT_ATTENTION_ROWS] = {0};
    struct glt_option option = {0};
    struct glt_prediction prediction = {.label = 7};
    struct glt_speed speed = {.seconds = 7};
    REFUSED(glt_option_at(0, &option), "size");
    REFUSED(glt_cloud_predict(cloud, model, NULL, &prediction, NULL), "size");
    REFUSED(glt_speed_measure(&speed, config, 0, 1, 10, 1), "size");
    REFUSED(glt_trace_correlation(rows, "a"), "size");
    REFUSED(glt_trace_attention(spread, "a"), "size");
    assert_null(option.key);
    assert_int_equal(prediction.label, 7);
    assert_true(speed.seconds == 7);
}

static void functions_of_tasks_refuse_null(void **state)
{
    (void)state;
    struct glt_speed speed = {.size = sizeof speed};
    char *text = NULL;
    REFUSED(glt_doctor(NULL, NULL), "fn");
    REFUSED(glt_check(NULL, config, finding, NULL), "data");
    REFUSED(glt_check("synth:rooms", config, NULL, NULL), "fn");
    REFUSED(glt_speed_measure(NULL, config, 0, 1, 10, 1), "out");
    REFUSED(glt_speed_measure(&speed, NULL, 0, 1, 10, 1), "config");
    REFUSED(glt_run_report(NULL, "a.html", "a"), "folder");
    REFUSED(glt_run_report("a", NULL, "a"), "path");
    REFUSED(glt_run_report("a", "a.html", NULL), "title");
    REFUSED(glt_synth_rooms(NULL, NULL), "folder");
    REFUSED(glt_synth_shapes(NULL, NULL), "folder");
    REFUSED(glt_synth_aerial(NULL, NULL), "folder");
    REFUSED(glt_train(NULL, "synth:rooms", NULL, NULL, NULL), "config");
    REFUSED(glt_evaluate(NULL, "rooms", "synth:rooms", config, NULL), "report");
    REFUSED(glt_evaluate(&text, NULL, "synth:rooms", config, NULL), "model");
    REFUSED(glt_evaluate(&text, "rooms", NULL, config, NULL), "data");
    REFUSED(glt_kfold(NULL, config, "synth:rooms", NULL, NULL, NULL), "report");
    REFUSED(glt_kfold(&text, NULL, "synth:rooms", NULL, NULL, NULL), "config");
    REFUSED(glt_kfold(&text, config, NULL, NULL, NULL, NULL), "data");
    REFUSED(glt_ablate(NULL, config, "synth:rooms", "a", NULL, NULL, NULL), "report");
    REFUSED(glt_ablate(&text, NULL, "synth:rooms", "a", NULL, NULL, NULL), "config");
    REFUSED(glt_ablate(&text, config, NULL, "a", NULL, NULL, NULL), "data");
    REFUSED(glt_ablate(&text, config, "synth:rooms", NULL, NULL, NULL, NULL), "grid");
    assert_int_equal(glt_train(config, NULL, NULL, NULL, NULL), GLT_EARGUMENT);
    glt_grids(NULL, 0);
}

/* What takes no pointer, takes NULL for all it has, or was called above without a code. */
static const char free_of[] =
    " glt_version glt_commit glt_outputs_discard glt_error_message glt_error_text glt_error_code "
    "glt_error_topic "
    "glt_error_name glt_error_file glt_error_place glt_topic_text "
    "glt_context_use glt_context_cancel glt_context_free glt_log_set glt_log_topic glt_log_name "
    "glt_progress_set "
    "glt_threads_set glt_memory_limit glt_allocator_set glt_option_count glt_preset_at "
    "glt_config_free glt_free "
    "glt_cloud_free glt_model_free glt_predictor_free glt_trainer_free glt_same_file glt_grids ";

/* Every function of the header was tried, whatever is added to it. */
static void every_function_of_the_header_is_tried(void **state)
{
    (void)state;
    char path[512], *text, name[72];
    size_t len;
    const char *source = getenv("GELATTO_SOURCE");
    int found = 0;
    if (!source)
        skip();
    n_tried = 0;
    functions_of_options_refuse_null(state);
    functions_of_clouds_refuse_null(state);
    functions_of_models_refuse_null(state);
    functions_of_passes_refuse_null(state);
    functions_of_tasks_refuse_null(state);
    snprintf(path, sizeof path, "%s/include/gelatto.h", source);
    assert_int_equal(file_read_all(&text, &len, path, 1 << 20), 0);
    for (char *at = text; (at = strstr(at, "GLT_API ")); at++) {
        char *begin = strstr(at, "glt_");
        while (begin && begin[strcspn(begin, " (*,;\n")] != '(') /* a struct it returns */
            begin = strstr(begin + 1, "glt_");
        assert_non_null(begin);
        snprintf(name, sizeof name, " %.*s ", (int)strcspn(begin, "("), begin);
        bool known = strstr(free_of, name) != NULL;
        size_t size = strlen(name) - 2;
        for (int i = 0; i < n_tried && !known; i++)
            known = !strncmp(tried[i], name + 1, size) && tried[i][size] == '(';
        if (!known)
            fail_msg("%s: say in this test what NULL it refuses", name);
        found++;
    }
    assert_true(found > 60);
    memory_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(functions_of_options_refuse_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(functions_of_clouds_refuse_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(functions_of_models_refuse_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(functions_of_passes_refuse_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(structs_without_size_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(functions_of_tasks_refuse_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_function_of_the_header_is_tried, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
