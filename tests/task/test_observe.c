/* Attention under observation: entropy and saturation of known weights; what an engine sees of a
 * pass is what its trace says, for every kind of maps and heads; what a run writes down.
 * labels: quick */
#include "core/file.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "core/random.h"
#include "faults.h"
#include "io_cloud.h"
#include "kernels/attention_statistics.h"
#include "model/attention.h"
#include "model/engine.h"
#include "settings.h"
#include "task/observe.h"
#include "task/run.h"
#include "task/run_curves.h"

#include <math.h>

enum { POINTS = 300, CLASSES = 4 };

static void close_to(double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%.9g instead of %.9g", found, wanted);
}

/* --- known weights --- */

static void known_weights_have_known_statistics(void **state)
{
    (void)state;
    /* one score each: a mean, one neighbour, two equal ones, one just above the limit */
    const real weights[8][6] = {{.125f, 1, .5f, .991f, 9, 9}, {.125f, 0, .5f, .009f, 9, 9},
                                {.125f, 0, 0, 0, 9, 9},       {.125f, 0, 0, 0, 9, 9},
                                {.125f, 0, 0, 0, 9, 9},       {.125f, 0, 0, 0, 9, 9},
                                {.125f, 0, 0, 0, 9, 9},       {.125f, 0, 0, 0, 9, 9}};
    const double sharp = -(.991 * log(.991) + .009 * log(.009)) / log(8);
    const double entropy[] = {1, 0, 1.0 / 3, sharp}, saturation[] = {0, 1, 0, 1};
    const int32_t index[8] = {2, 3, 5, 7, 11, 13, 17, 19};
    for (int c = 0; c < 4; c++) {
        struct attention_statistics one = attention_statistics(&weights[0][c], index, 8, 1, 6);
        close_to(one.entropy, entropy[c], 1e-6);
        close_to(one.saturation, saturation[c], 0);
    }
    struct attention_statistics all = attention_statistics(weights[0], index, 8, 4, 6);
    close_to(all.entropy, (1 + 1.0 / 3 + sharp) / 4, 1e-6);
    close_to(all.saturation, 0.5, 0);
}

/* A list of twelve: the first five are one neighbour. */
static void a_repeated_neighbour_counts_once(void **state)
{
    (void)state;
    const int32_t index[12] = {4, 4, 4, 4, 4, 5, 6, 7, 8, 9, 10, 11};
    real even[12], one[12] = {.2f, .2f, .2f, .2f, .2f};
    for (int k = 0; k < 12; k++)
        even[k] = k < 5 ? .025f : .125f;
    struct attention_statistics a = attention_statistics(even, index, 12, 1, 1);
    close_to(a.entropy, 1, 1e-6);
    close_to(a.saturation, 0, 0);
    a = attention_statistics(one, index, 12, 1, 1);
    close_to(a.entropy, 0, 1e-6);
    close_to(a.saturation, 1, 0);
    a = attention_statistics(even, index, 11, 1, 1); /* seven neighbours are too few */
    close_to(a.entropy, -1, 0);
    close_to(a.saturation, -1, 0);
}

static void rows_are_means_over_centres(void **state)
{
    (void)state;
    struct glt_attention rows[GLT_ATTENTION_ROWS];
    attention_start(rows);
    for (int i = 0; i < GLT_ATTENTION_ROWS; i++) {
        assert_int_equal(rows[i].level, i / 4 + 1);
        assert_int_equal(rows[i].block, i / 2 % 2 + 1);
        assert_string_equal(rows[i].head, i % 2 ? "latent" : "geometric");
        assert_int_equal(rows[i].centres, 0);
    }
    attention_add(&rows[5], 1, 0);
    attention_add(&rows[5], 0.5, 0.75);
    assert_int_equal(rows[5].centres, 2);
    close_to(rows[5].entropy, 0.75, 0);
    close_to(rows[5].saturation, 0.375, 0);
}

static void expect_description(const struct glt_attention *rows, bool uniform, const char *wanted)
{
    struct string text = {0};
    char *found;
    attention_describe(&text, rows, uniform);
    assert_int_equal(string_take(&found, &text), 0);
    assert_string_equal(found, wanted);
    memory_free(found);
}

static void heads_that_do_not_attend_are_counted(void **state)
{
    (void)state;
    struct glt_attention rows[GLT_ATTENTION_ROWS];
    attention_start(rows);
    expect_description(rows, true, "");
    for (int i = 0; i < GLT_ATTENTION_ROWS; i += 2)
        attention_add(&rows[i], 0.98, 0.2);
    expect_description(rows, true, "");
    rows[4].entropy = 0.981;
    rows[6].entropy = 0.99;
    rows[14].saturation = 0.21;
    rows[12].saturation = 1;
    rows[2].saturation = 0.5;
#define SHARP                                                                                      \
    "saturated (one weight above 0.99 in more than 20 % of the scores) in 3 of 8 heads, at "       \
    "levels 1 4"
    expect_description(rows, false, SHARP);
    expect_description(
        rows, true,
        SHARP "; uniform (entropy above 0.98 of that of a mean) in 2 of 8 heads, at level 2");
}

/* --- a pass --- */

static const char small[] = "levels=150,80,40,20 width=8 stem=8 k=12 radius=0.4 "
                            "decoder=16,16,12,12,8,8,8,8 head_hidden=8 cls_hidden=16 inputs=xyz";

static void make_points(float *xyz)
{
    struct random r = random_start(random_stream(7, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < POINTS * 3; i++)
        xyz[i] = (float)random_uniform(&r);
}

/* Scores that are far apart, so that there is something to see. */
static void sharpen(struct model *m)
{
    for (int32_t i = 0; i < m->count; i++) {
        const struct parameter *p = &m->parameters[i];
        bool scores = strstr(p->name, "att.weight") || strstr(p->name, "att.out.weight") ||
                      strstr(p->name, "att.bn.weight");
        for (int64_t k = 0; scores && k < p->rows * p->cols; k++)
            m->block[p->offset + k] *= 12;
    }
}

/* The rows of an engine that looks at its attention; its logits are those of any other. */
static void observe(struct glt_attention *rows, struct model *m, const float *xyz)
{
    static float seen[POINTS * CLASSES], plain[POINTS * CLASSES];
    struct sampler_cloud c = {.n = POINTS, .xyz = xyz, .key = {.seed = (uint64_t)m->config.seed}};
    struct engine *e;
    assert_int_equal(engine_create(&e, m, POINTS, ENGINE_ATTENTION), 0);
    assert_int_equal(engine_run(e, seen, &c), 0);
    attention_start(rows);
    attention_add_pass(rows, e);
    engine_free(e);
    assert_int_equal(engine_create(&e, m, POINTS, ENGINE_LOGITS), 0);
    assert_int_equal(engine_run(e, plain, &c), 0);
    engine_free(e);
    for (int i = 0; i < POINTS * CLASSES; i++)
        close_to(seen[i], plain[i], 2e-4 * (1 + fabs((double)plain[i])));
}

static void compare(const char *settings, int heads)
{
    static float xyz[POINTS * 3];
    struct glt_attention seen[GLT_ATTENTION_ROWS],
        traced[GLT_ATTENTION_ROWS] = {{.size = sizeof *traced}};
    struct model *m = settings_model(small, settings, CLASSES);
    int n = 0;
    make_points(xyz);
    sharpen(m);
    observe(seen, m, xyz);
    struct glt_points p = {.size = sizeof p, .n = POINTS, .xyz = xyz, .type = GLT_F32, .placed = 1};
    remove(scratch("pass.trace"));
    assert_int_equal(glt_model_explain((struct glt_model *)m, &p, scratch("pass.trace")), 0);
    int code = glt_trace_attention(traced, scratch("pass.trace"));
    model_free(m);
    assert_int_equal(code, heads ? 0 : GLT_EDATA);
    for (int i = 0; i < GLT_ATTENTION_ROWS; i++) {
        n += seen[i].centres > 0;
        assert_int_equal(seen[i].centres, traced[i].centres);
        close_to(seen[i].entropy, traced[i].entropy, 1e-5);
        close_to(seen[i].saturation, traced[i].saturation, 2e-3);
    }
    if (n != heads * 8)
        fail_msg("%s: %d rows instead of %d", settings, n, heads * 8);
}

static void an_engine_sees_what_its_trace_says(void **state)
{
    (void)state;
    static const char *const maps[] = {"linear", "bn", "value-relu", "bn-relu", "score-mlp"};
    char settings[128];
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        snprintf(settings, sizeof settings, "maps=%s", maps[i]);
        compare(settings, 2);
        snprintf(settings, sizeof settings, "maps=%s heads=geometric", maps[i]);
        compare(settings, 1);
        snprintf(settings, sizeof settings, "maps=%s heads=latent features_per_head=2", maps[i]);
        compare(settings, 1);
    }
    compare("path=direct", 2);
    compare("underfull=pad", 2);
    compare("underfull=pad maps=bn-relu radius=0.2", 2);
    compare("heads=pool", 0);
    compare("heads=mean", 0);
    compare("heads=none", 0);
}

/* The lists of balls of three points are padded to twelve. */
static void padding_adds_no_centres(void **state)
{
    (void)state;
    static float xyz[POINTS * 3];
    static const char *const settings[] = {"radius=0.15", "radius=0.15 underfull=pad"};
    struct glt_attention rows[2][GLT_ATTENTION_ROWS];
    int64_t centres = 0;
    make_points(xyz);
    for (int i = 0; i < 2; i++) {
        struct model *m = settings_model(small, settings[i], CLASSES);
        observe(rows[i], m, xyz);
        model_free(m);
    }
    for (int i = 0; i < GLT_ATTENTION_ROWS; i++) {
        assert_int_equal(rows[0][i].centres, rows[1][i].centres);
        centres += rows[0][i].centres;
    }
    assert_true(centres > 0);
}

static void a_latent_head_alone_is_called_latent(void **state)
{
    (void)state;
    static float xyz[POINTS * 3];
    struct glt_attention rows[GLT_ATTENTION_ROWS];
    struct model *m = settings_model(small, "heads=latent", CLASSES);
    make_points(xyz);
    observe(rows, m, xyz);
    model_free(m);
    for (int i = 0; i < GLT_ATTENTION_ROWS; i++)
        assert_int_equal(rows[i].centres > 0, i % 2);
}

/* --- a run --- */

static void fill(struct glt_attention *rows)
{
    attention_start(rows);
    for (int i = 0; i < GLT_ATTENTION_ROWS; i++)
        attention_add(&rows[i], 1 - 0.01 * i, 0.02 * i);
}

static void a_validation_records_attention(void **state)
{
    (void)state;
    struct glt_attention rows[GLT_ATTENTION_ROWS];
    struct run r = {.lock = NULL};
    struct run_epoch e = {.epoch = 1, .step = 3, .metric = 0.5, .attention = rows};
    struct json *line, *list;
    char *text = NULL, path[RUN_PATH];
    size_t len;
    fill(rows);
    snprintf(r.folder, sizeof r.folder, "%s", scratch("attention-run"));
    assert_int_equal(file_make_folder(r.folder), 0);
    assert_int_equal(run_path(path, &r, "metrics.jsonl"), 0);
    remove(path);
    assert_int_equal(run_add_epoch(&r, &e), 0);
    assert_int_equal(file_read_all(&text, &len, path, 1 << 16), 0);
    assert_int_equal(json_parse(&line, "line", text, len - 1), 0);
    list = json_get(line, "attention");
    assert_int_equal(json_size(list), GLT_ATTENTION_ROWS);
    for (size_t i = 0; i < GLT_ATTENTION_ROWS; i++) {
        const struct json *row = json_at(list, i);
        assert_int_equal(json_integer_value(json_get(row, "level")), rows[i].level);
        assert_int_equal(json_integer_value(json_get(row, "block")), rows[i].block);
        assert_string_equal(json_string_value(json_get(row, "head")), rows[i].head);
        close_to(json_number_value(json_get(row, "entropy")), rows[i].entropy, 1e-9);
        close_to(json_number_value(json_get(row, "saturation")), rows[i].saturation, 1e-9);
    }
    json_free(line);
    memory_free(text);
    assert_int_equal(run_rewind(&r, 3, false), 0); /* the checkpoint is older than the validation */
    assert_int_equal(file_read_all(&text, &len, path, 1 << 16), 0);
    assert_int_equal(len, 0);
    memory_free(text);
}

static void curves_show_the_heads_there_are(void **state)
{
    (void)state;
    struct glt_attention rows[GLT_ATTENTION_ROWS];
    struct run r = {.lock = NULL};
    char *text = NULL, path[RUN_PATH];
    size_t len;
    snprintf(r.folder, sizeof r.folder, "%s", scratch("curves-run"));
    assert_int_equal(file_make_folder(r.folder), 0);
    for (int heads = 0; heads < 3; heads++) {
        struct run_epoch e = {.epoch = 1, .step = 10, .metric = 0.5, .attention = rows};
        assert_int_equal(run_path(path, &r, "metrics.jsonl"), 0);
        remove(path);
        fill(rows);
        for (int i = 0; i < GLT_ATTENTION_ROWS; i++)
            if (heads == 0 || (heads == 1 && i % 2 == 0))
                rows[i].centres = 0;
        assert_int_equal(run_add_epoch(&r, &e), 0);
        assert_int_equal(run_write_curves(&r, "mIoU"), 0);
        assert_int_equal(run_path(path, &r, "curves.svg"), 0);
        assert_int_equal(file_read_all(&text, &len, path, 1 << 16), 0);
        assert_int_equal(strstr(text, "saturated attention, latent head") != NULL, heads > 0);
        assert_int_equal(strstr(text, "entropy of attention, geometric head") != NULL, heads > 1);
        memory_free(text);
    }
}

static struct {
    char text[4096];
} heard;

static void listen(void *user, enum glt_log_level level, const char *message)
{
    (void)user;
    if (level == GLT_LOG_WARNING)
        strncat(heard.text, message, sizeof heard.text - strlen(heard.text) - 1);
}

static int train(const char *settings, const char *folder)
{
    struct glt_config *c = settings_config(small, settings);
    struct glt_train_options o = {.size = sizeof o, .folder = folder, .steps = 2};
    int code = glt_train(c, "synth:rooms rooms=1 points=901 seed=3", &o, NULL, NULL);
    glt_config_free(c);
    return code;
}

static const char quick[] = "inputs=xyz,rgb points=256 block_min=8";

static void a_run_puts_attention_into_the_card_and_warns(void **state)
{
    (void)state;
    char folder[256], path[RUN_PATH], *card = NULL;
    struct glt_model *m;
    snprintf(folder, sizeof folder, "%s", scratch("observed"));
    glt_log_set(listen, NULL);
    assert_int_equal(train(quick, folder), 0);
    glt_log_set(NULL, NULL);
    assert_non_null(strstr(heard.text, "attention is uniform")); /* after two steps */
    snprintf(path, sizeof path, "%s/best.safetensors", folder);
    assert_int_equal(glt_model_load(&m, path), 0);
    assert_int_equal(glt_model_info(&card, m, "card"), 0);
    assert_non_null(strstr(card, "## Attention"));
    assert_non_null(strstr(card, "| 4 | 2 | latent | "));
    glt_free(card);
    glt_model_free(m);
}

static void without_attention_nothing_is_said_of_it(void **state)
{
    (void)state;
    char folder[256], settings[128];
    heard.text[0] = 0;
    snprintf(folder, sizeof folder, "%s", scratch("pooled"));
    snprintf(settings, sizeof settings, "%s heads=pool", quick);
    glt_log_set(listen, NULL);
    assert_int_equal(train(settings, folder), 0);
    glt_log_set(NULL, NULL);
    assert_null(strstr(heard.text, "attention"));
}

static int read_trace(void *user)
{
    struct glt_attention rows[GLT_ATTENTION_ROWS] = {{.size = sizeof *rows}};
    return glt_trace_attention(rows, user);
}

static void every_failure_of_a_trace_is_reported(void **state)
{
    (void)state;
    char path[256];
    compare("", 2);
    snprintf(path, sizeof path, "%s", scratch("pass.trace"));
    assert_true(faults_memory(read_trace, path) > 3);
    assert_true(faults_file(read_trace, path) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_weights_have_known_statistics),
        cmocka_unit_test(a_repeated_neighbour_counts_once),
        cmocka_unit_test(rows_are_means_over_centres),
        cmocka_unit_test(heads_that_do_not_attend_are_counted),
        cmocka_unit_test(an_engine_sees_what_its_trace_says),
        cmocka_unit_test(padding_adds_no_centres),
        cmocka_unit_test(a_latent_head_alone_is_called_latent),
        cmocka_unit_test(a_validation_records_attention),
        cmocka_unit_test(curves_show_the_heads_there_are),
        cmocka_unit_test(a_run_puts_attention_into_the_card_and_warns),
        cmocka_unit_test(without_attention_nothing_is_said_of_it),
        cmocka_unit_test(every_failure_of_a_trace_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
