/* Traces: shapes and names of docs/reference/model-files.md, weights sum to one, direct against
 * collapsed, and the finding that under affine maps w_ij / w_ik is the same for every centre i that
 * has both. labels: quick */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"
#include "faults.h"
#include "model/model_create.h"
#include "model/model_file.h"
#include "model/trace.h"
#include "own_file.h"
#include "settings.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { POINTS = 200, CLASSES = 5 };

static struct config configure(const char *settings)
{
    return settings_of("levels=100,50,20,8 width=8 stem=8 k=8 radius=0.3 "
                       "decoder=16,16,12,12,8,8,8,8 head_hidden=8 cls_hidden=16",
                       settings);
}

struct cloud {
    float xyz[POINTS * 3], features[POINTS * 3];
};

static void make_cloud(struct cloud *c)
{
    struct random r = random_start(random_stream(5, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < POINTS * 3; i++) {
        c->xyz[i] = (float)random_uniform(&r);
        c->features[i] = (float)random_uniform(&r);
    }
}

static struct glt_points points_of(const struct cloud *c, int channels)
{
    return (struct glt_points){.size = sizeof(struct glt_points),
                               .n = POINTS,
                               .xyz = c->xyz,
                               .type = GLT_F32,
                               .channels = channels,
                               .features = channels ? c->features : NULL,
                               .placed = 1};
}

/* An open trace. */
struct open {
    struct file *file;
    struct safetensors st;
};

static void open_trace(struct open *o, const struct config *config, double spread)
{
    struct model *m;
    struct cloud c;
    make_cloud(&c);
    assert_int_equal(model_create(&m, config, CLASSES), 0);
    for (int32_t i = 0; i < m->count; i++)
        for (int64_t k = 0; strstr(m->parameters[i].name, "att.weight") &&
                            k < m->parameters[i].rows * m->parameters[i].cols;
             k++)
            m->block[m->parameters[i].offset + k] *= (real)spread;
    struct glt_points p = points_of(&c, m->channels - 3);
    assert_int_equal(glt_model_explain((struct glt_model *)m, &p, path), 0);
    model_free(m);
    assert_int_equal(file_open(&o->file, path), 0);
    assert_int_equal(safetensors_open(&o->st, o->file), 0);
}

static void close_trace(struct open *o)
{
    safetensors_close(&o->st);
    file_close(o->file);
}

/* The items of a tensor that must be there; free it. */
static void *get(const struct open *o, const char *name, int64_t *rows, int64_t *cols)
{
    const struct st_tensor *t = safetensors_find(&o->st, name);
    if (!t)
        fail_msg("no tensor %s in the trace", name);
    void *items = memory_alloc((size_t)(t->end - t->begin) + 1, 1);
    assert_int_equal(safetensors_read(&o->st, t, items), 0);
    if (rows)
        *rows = t->shape[0];
    if (cols)
        *cols = t->dims > 1 ? t->shape[1] : 1;
    return items;
}

static void a_trace_has_the_documented_tensors(void **state)
{
    (void)state;
    struct open o;
    struct config c = configure("");
    open_trace(&o, &c, 1);
    static const struct {
        const char *name;
        int64_t rows, cols;
    } wanted[] = {
        {"input/xyz", POINTS, 3},      {"input/features", POINTS, 6}, {"order", POINTS, 1},
        {"stem", POINTS, 8},           {"enc1/block1/out", 100, 8},   {"enc4/block2/out", 8, 64},
        {"enc1/block1/start", 101, 1}, {"dec4/index", 20, 3},         {"dec1/weight", POINTS, 3},
        {"dec4/out", 20, 16},          {"dec1/out", POINTS, 8},       {"out/aux1", 8, CLASSES},
        {"out/aux4", 100, CLASSES},    {"out/main", POINTS, CLASSES},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        int64_t rows, cols;
        memory_free(get(&o, wanted[i].name, &rows, &cols));
        assert_int_equal(rows, wanted[i].rows);
        assert_int_equal(cols, wanted[i].cols);
    }
    int32_t *order = get(&o, "order", NULL, NULL), seen[POINTS] = {0};
    for (int i = 0; i < POINTS; i++)
        seen[order[i]]++;
    for (int i = 0; i < POINTS; i++)
        assert_int_equal(seen[i], 1);
    memory_free(order);
    assert_string_equal(safetensors_meta(&o.st, "gelatto.trace"), "1");
    assert_int_equal(o.st.count, 3 + 8 * 5 + 4 * 3 + 1 + 5);
    close_trace(&o);
}

/* Logits of the trace are those of a prediction, in the order that the trace names. */
static void logits_of_a_trace_are_those_of_a_prediction(void **state)
{
    (void)state;
    struct open o;
    struct config c = configure("");
    struct model *m;
    struct cloud cloud;
    float probabilities[POINTS * CLASSES];
    open_trace(&o, &c, 1);
    make_cloud(&cloud);
    assert_int_equal(model_create(&m, &c, CLASSES), 0);
    struct glt_points p = points_of(&cloud, 3);
    assert_int_equal(glt_model_predict((struct glt_model *)m, &p, NULL, probabilities), 0);
    float *logits = get(&o, "out/main", NULL, NULL);
    int32_t *order = get(&o, "order", NULL, NULL);
    for (int i = 0; i < POINTS; i++) {
        double sum = 0;
        for (int k = 0; k < CLASSES; k++)
            sum += exp(logits[i * CLASSES + k]);
        for (int k = 0; k < CLASSES; k++)
            assert_float_equal(exp(logits[i * CLASSES + k]) / sum,
                               probabilities[order[i] * CLASSES + k], 1e-5);
    }
    memory_free(logits);
    memory_free(order);
    model_free(m);
    close_trace(&o);
}

static void weights_of_a_trace_sum_to_one(void **state)
{
    (void)state;
    static const char *const settings[] = {"",
                                           "maps=bn",
                                           "maps=score-mlp",
                                           "maps=value-relu",
                                           "features_per_head=2",
                                           "path=direct",
                                           "underfull=pad"};
    static const char *const heads[] = {"geometric", "latent"};
    for (size_t s = 0; s < 2 * sizeof settings / sizeof settings[0]; s++) {
        struct open o;
        struct config c = configure(settings[s / 2]);
        open_trace(&o, &c, s % 2 ? 500 : 1);
        for (int i = 0; i < 16; i++) {
            char name[64];
            int64_t edges, width, n;
            snprintf(name, sizeof name, "enc%d/block%d/attention_%s", 1 + i / 4, 1 + i / 2 % 2,
                     heads[i % 2]);
            float *w = get(&o, name, &edges, &width);
            snprintf(name, sizeof name, "enc%d/block%d/start", 1 + i / 4, 1 + i / 2 % 2);
            int32_t *start = get(&o, name, &n, NULL);
            assert_int_equal(start[n - 1], edges);
            assert_int_equal(width, (4 << i / 4) / c.network.features_per_head);
            for (int64_t k = 0; k < (n - 1) * width; k++) {
                double sum = 0;
                for (int32_t e = start[k / width]; e < start[k / width + 1]; e++)
                    sum += w[e * width + k % width];
                assert_float_equal(sum, 1, 1e-5);
            }
            memory_free(w);
            memory_free(start);
        }
        close_trace(&o);
    }
}

static void compare(const char *settings)
{
    struct open a, b;
    char text[256];
    snprintf(text, sizeof text, "%s path=direct", settings);
    struct config direct = configure(text), other = configure(settings);
    open_trace(&a, &direct, 3);
    char *kept = strdup(path);
    strcpy(path + strlen(path) - 1, "Z");
    open_trace(&b, &other, 3);
    assert_int_equal(a.st.count, b.st.count);
    for (int i = 0; i < a.st.count; i++) {
        const struct st_tensor *t = &a.st.tensors[i];
        void *x = get(&a, t->name, NULL, NULL), *y = get(&b, t->name, NULL, NULL);
        double worst = 0, max = 0;
        for (int64_t k = 0; k < t->items && t->type == ST_F32; k++) {
            worst = fmax(worst, fabs(((float *)x)[k] - ((float *)y)[k]));
            max = fmax(max, fabs(((float *)x)[k]));
        }
        if (worst > 1e-4 * max || (t->type == ST_I32 && memcmp(x, y, t->end - t->begin)))
            fail_msg("%s: %s differs by %g of %g", settings, t->name, worst, max);
        memory_free(x);
        memory_free(y);
    }
    close_trace(&a);
    close_trace(&b);
    unlink(path);
    strcpy(path, kept);
    free(kept);
}

static void direct_and_collapsed_paths_have_the_same_trace(void **state)
{
    (void)state;
    compare("");
    compare("maps=bn");
    compare("heads=geometric");
    compare("heads=latent features_per_head=4");
    compare("task=classify inputs=xyz");
}

/* For sources j and k of score s, log (w_ij / w_ik) over all centres i that have both. */
static double ratio_spread(const struct open *o, int level, int block, const char *head)
{
    char name[64];
    int64_t n, edges, width;
    snprintf(name, sizeof name, "enc%d/block%d/start", level, block);
    int32_t *start = get(o, name, &n, NULL);
    snprintf(name, sizeof name, "enc%d/block%d/index", level, block);
    int32_t *index = get(o, name, &edges, NULL);
    snprintf(name, sizeof name, "enc%d/block%d/attention_%s", level, block, head);
    float *w = get(o, name, NULL, &width);
    double *first = memory_alloc((size_t)POINTS * POINTS, sizeof *first), worst = 0;
    int64_t met = 0;
    for (int64_t i = 0; i < n - 1; i++)
        for (int32_t e = start[i]; e < start[i + 1]; e++)
            for (int32_t f = e + 1; f < start[i + 1]; f++) {
                double *at = &first[(int64_t)index[e] * POINTS + index[f]];
                double ratio = log(w[e * width]) - log(w[f * width]);
                met += *at != 0;
                worst = *at != 0 ? fmax(worst, fabs(ratio - *at)) : worst;
                *at = *at != 0 ? *at : ratio;
            }
    assert_true(met > 100); /* pairs that several centres share */
    memory_free(first);
    memory_free(start);
    memory_free(index);
    memory_free(w);
    return worst;
}

static void the_ratio_of_the_paper_holds_in_a_trace(void **state)
{
    (void)state;
    static const char *const affine[] = {"path=direct k=16", "maps=bn path=direct k=16", "k=16"};
    static const char *const other[] = {"maps=value-relu k=16", "maps=score-mlp k=16"};
    struct open o;
    for (int i = 0; i < 3; i++) {
        struct config c = configure(affine[i]);
        open_trace(&o, &c, 3);
        assert_true(ratio_spread(&o, 1, 1, "geometric") < 1e-3);
        assert_true(ratio_spread(&o, 2, 2, "latent") < 1e-3);
        close_trace(&o);
    }
    for (int i = 0; i < 2; i++) { /* where the centre has a say it does not hold */
        struct config c = configure(other[i]);
        open_trace(&o, &c, 3);
        assert_true(ratio_spread(&o, 1, 1, "geometric") > 1e-2);
        close_trace(&o);
    }
}

static void other_tasks_have_traces_too(void **state)
{
    (void)state;
    struct open o;
    struct config c = configure("task=classify inputs=xyz");
    int64_t rows, cols;
    open_trace(&o, &c, 1);
    memory_free(get(&o, "pooled", &rows, &cols));
    assert_true(rows == 1 && cols == 64);
    memory_free(get(&o, "out/main", &rows, &cols));
    assert_true(rows == 1 && cols == CLASSES);
    assert_null(safetensors_find(&o.st, "dec4/index"));
    assert_null(safetensors_find(&o.st, "out/aux1"));
    close_trace(&o);
    c = configure("heads=pool");
    open_trace(&o, &c, 1);
    assert_null(safetensors_find(&o.st, "enc1/block1/attention_latent"));
    close_trace(&o);
    c = configure("heads=geometric");
    open_trace(&o, &c, 1);
    assert_null(safetensors_find(&o.st, "enc1/block1/attention_latent"));
    memory_free(get(&o, "enc1/block1/attention_geometric", NULL, &cols));
    assert_int_equal(cols, 4);
    close_trace(&o);
}

static int explain(void *user)
{
    struct cloud c;
    make_cloud(&c);
    struct glt_points p = points_of(&c, 3);
    return glt_model_explain(user, &p, path);
}

static void every_failure_of_a_trace_is_reported(void **state)
{
    (void)state;
    struct config c = configure("");
    struct model *m;
    assert_int_equal(model_create(&m, &c, CLASSES), 0);
    assert_true(faults_file(explain, m) > 3);
    model_free(m);
}

int main(void)
{
    glt_threads_set(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_has_the_documented_tensors),
        cmocka_unit_test(logits_of_a_trace_are_those_of_a_prediction),
        cmocka_unit_test(weights_of_a_trace_sum_to_one),
        cmocka_unit_test(direct_and_collapsed_paths_have_the_same_trace),
        cmocka_unit_test(the_ratio_of_the_paper_holds_in_a_trace),
        cmocka_unit_test(other_tasks_have_traces_too),
        cmocka_unit_test(every_failure_of_a_trace_is_reported),
    };
    return cmocka_run_group_tests(tests, path_make, NULL);
}
