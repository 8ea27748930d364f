/* No dead options: changing each key of the groups network and training, in a configuration where
 * it applies, changes the plan, a parameter's shape or the result of a step.
 * labels: quick */
#include "config/options.h"
#include "core/error.h"
#include "core/random.h"
#include "model/engine.h"
#include "model/model_create.h"
#include "model/network.h"
#include "own_folder.h"
#include "settings.h"
#include "task/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <cmocka.h>

enum { POINTS = 150, CLOUDS = 2, CLASSES = 4, STEPS = 2 };

/* A key, another value for it, and the settings under which it applies. What the course of a whole
 * run decides (epochs, the schedule's shape, the share of classes) is marked: `run`. */
struct change {
    const char *key, *value, *where;
    bool run;
};

static const struct change changes[] = {
    {"preset", "tiny-cls", "", false},
    {"inputs", "xyz,normals,intensity", "", false},
    {"task", "classify", "", false},
    {"path", "direct", "", false},
    {"maps", "bn", "", false},
    {"maps.inner", "bn", "", false},
    {"maps.value", "bn-relu", "", false},
    {"maps.score", "mlp", "", false},
    {"maps.init", "kaiming", "", false},
    {"heads", "latent", "", false},
    {"cross", "off", "", false},
    {"features_per_head", "2", "", false},
    {"k", "5", "", false},
    {"k2", "3", "", false},
    {"radius", "0.11", "", false},
    {"radius2_factor", "1.5", "", false},
    {"levels", "64,32,16,7", "", false},
    {"stem", "6", "", false},
    {"width", "8,8,8,12", "", false},
    {"inner", "0.25", "", false},
    {"decoder", "8,8,8,8,8,8,8,6", "", false},
    {"head_hidden", "6", "", false},
    {"cls_hidden", "6", "task=classify", false},
    {"cls_norm", "bn", "task=classify", false},
    {"shortcut2", "identity", "", false},
    {"neighbours", "nearest", "", false},
    {"underfull", "pad", "maps=bn k=16", false},
    {"fps_start", "3", "", false},
    {"bn_eps", "1e-3", "", false},
    {"label_smoothing", "0.3", "", false},
    {"aux", "0.4,0.4,0.1,0.4", "", false},
    {"class_weights", "sqrt", "", true},
    {"part_loss", "all", "task=parts", false},
    {"clip", "1e-3", "eps=1e-3", false}, /* without an eps Adam is blind to a factor */
    {"lr", "0.02", "", false},
    {"beta1", "0.5", "", false},
    {"beta2", "0.5", "", false},
    {"eps", "0.1", "", false},
    {"batch", "3", "", true},
    {"accumulate", "3", "", true},
    {"dropout", "0.2", "", false},
    {"bn_momentum", "0.3", "", false},
    {"schedule", "cosine", "", true},
    {"warmup", "3", "", true},
    {"epochs", "7", "", true},
};

static void make_points(struct glt_points *p, float *xyz, float *features, int32_t *labels, int b,
                        int channels)
{
    struct random r = random_start(random_stream(31, 0, (uint32_t)b, RANDOM_TEST), 0);
    for (int i = 0; i < POINTS * 3; i++)
        xyz[i] = (float)random_uniform(&r);
    for (int i = 0; i < POINTS * channels; i++)
        features[i] = (float)random_uniform(&r);
    for (int i = 0; i < POINTS; i++)
        labels[i] = (int32_t)random_below(&r, CLASSES);
    *p = (struct glt_points){.size = sizeof(struct glt_points),
                             .n = POINTS,
                             .xyz = xyz,
                             .type = GLT_F32,
                             .channels = channels,
                             .features = channels ? features : NULL,
                             .labels = labels};
}

/* Parts: a shape of the first two classes, one of the other two. */
static const struct {
    const char *name;
    int32_t first, count;
} halves[] = {{"a", 0, 2}, {"b", 2, 2}};

static void make_parts(struct glt_points *p, int32_t *labels, int b)
{
    p->category = halves[b % 2].name;
    for (int i = 0; i < POINTS; i++)
        labels[i] = halves[b % 2].first + labels[i] % halves[b % 2].count;
}

/* A hash of the parameters after two steps: shapes, values, running statistics, and the ops. */
static uint64_t result(const struct config *c)
{
    static float xyz[CLOUDS][POINTS * 3], features[CLOUDS][POINTS * 8];
    static int32_t labels[CLOUDS][POINTS];
    struct glt_points clouds[CLOUDS];
    struct model *m;
    struct glt_trainer *t;
    struct network n;
    double losses[6];
    assert_int_equal(model_create(&m, c, CLASSES), 0);
    if (c->task == TASK_PARTS)
        for (int i = 0; i < 2; i++)
            assert_int_equal(
                classes_add_category(&m->classes, halves[i].name, halves[i].first, halves[i].count),
                0);
    assert_int_equal(glt_trainer_create(&t, (struct glt_model *)m, CLOUDS, POINTS), 0);
    for (int b = 0; b < CLOUDS; b++) {
        make_points(&clouds[b], xyz[b], features[b], labels[b], b, m->channels - 3);
        if (c->task == TASK_PARTS)
            make_parts(&clouds[b], labels[b], b);
    }
    for (int step = 0; step < STEPS; step++)
        assert_int_equal(glt_trainer_step(t, clouds, CLOUDS, 0, losses), 0);
    glt_trainer_free(t);
    XXH64_hash_t hash = XXH64(m->block, (size_t)m->size * sizeof(real), 0);
    hash = XXH64(losses, sizeof losses, hash);
    for (int32_t i = 0; i < m->count; i++)
        hash = XXH64(m->parameters[i].name, strlen(m->parameters[i].name), hash);
    struct network_options o = {.batch = 1, .points = POINTS};
    assert_int_equal(network_create(&n, m, &o, true), 0);
    for (int i = 0; i < n.plan->ops_count; i++)
        hash = XXH64(n.plan->ops[i]->kind, strlen(n.plan->ops[i]->kind), hash);
    /* what only inference sees stands in its constants, e.g. folded norms */
    for (int i = 0; i < n.plan->ops_count; i++) {
        const struct tensor *y = n.plan->ops[i]->out[0];
        if (n.plan->ops[i]->constant && y->root == y && y->x)
            hash = XXH64(y->x, (size_t)(y->fixed * y->cols) * sizeof(real), hash);
    }
    network_free(&n);
    model_free(m);
    return hash;
}

static void every_option_of_the_network_changes_something(void **state)
{
    (void)state;
    glt_threads_set(1);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const struct change *k = &changes[i];
        struct config a, b;
        char pair[128], before[64], after[64];
        if (k->run)
            continue;
        config_default(&a);
        settings_apply(&a, "levels=64,32,16,8 width=8,8,8,8 stem=8 k=8 radius=0.15 head_hidden=8 "
                           "cls_hidden=8 decoder=8,8,8,8,8,8,8,8 points=150 lr=0.01");
        settings_apply(&a, k->where);
        b = a;
        snprintf(pair, sizeof pair, "%s=%s", k->key, k->value);
        settings_apply(&b, pair);
        if (!strcmp(k->key, "preset")) /* the preset's size is not the point here */
            settings_apply(&b, "levels=64,32,16,8 width=8,8,8,8 stem=8");
        assert_int_equal(config_get(&a, k->key, before, sizeof before), 0);
        assert_int_equal(config_get(&b, k->key, after, sizeof after), 0);
        assert_string_not_equal(before, after);
        uint64_t was = result(&a);
        assert_true(was == result(&a)); /* the same twice: a difference means something */
        if (was == result(&b))
            fail_msg("%s = %s changes nothing (%s)", k->key, k->value, k->where);
    }
}

/* The learning rates of the steps of a whole run. */
static uint64_t course(const struct config *c)
{
    XXH64_hash_t hash = 0;
    for (int64_t step = 0; step < 5 * c->training.epochs; step++) {
        double rate = schedule_rate(c, step / 5, step % 5, 5);
        assert_true(rate >= 0 && rate <= c->training.lr * (1 + 1e-12));
        hash = XXH64(&rate, sizeof rate, hash);
    }
    return hash;
}

static void every_option_of_the_schedule_changes_the_rate(void **state)
{
    (void)state;
    static const char *const pairs[] = {"lr=0.5", "schedule=cosine", "schedule=onecycle",
                                        "warmup=3", "epochs=11"};
    struct config a, b;
    config_default(&a);
    settings_apply(&a, "epochs=10");
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        b = a;
        settings_apply(&b, pairs[i]);
        if (course(&a) == course(&b))
            fail_msg("%s does not change the learning rates of a run", pairs[i]);
    }
}

/* --- what only a run on a dataset can show --- */

static int keep_loss(void *user, const struct glt_train_status *status)
{
    *(double *)user = status->loss;
    return 0;
}

static double run_loss(const char *folder, int number, const char *settings)
{
    char name[16];
    double loss = -1;
    struct glt_train_options o = {.size = sizeof o, .runs = folder, .name = name, .steps = 2};
    snprintf(name, sizeof name, "run%d_", number);
    struct glt_config *c =
        settings_config("levels=64,32,16,8 width=8,8,8,8 stem=8 k=8 head_hidden=8 "
                        "decoder=8,8,8,8,8,8,8,8 points=300 block_min=50 epochs=1",
                        settings);
    int code = glt_train(c, folder, &o, keep_loss, &loss);
    if (code < 0)
        fail_msg("%s: %s", settings, glt_error_message());
    glt_config_free(c);
    return loss;
}

static void options_of_a_run_change_its_loss(void **state)
{
    (void)state;
    const char *folder = own_folder();
    assert_int_equal(glt_synth_rooms(folder, "rooms=1 points=1500"), 0);
    double plain = run_loss(folder, 1, "");
    assert_true(plain > 0);
    assert_true(run_loss(folder, 2, "") == plain);
    assert_true(run_loss(folder, 3, "class_weights=sqrt") != plain);
    assert_true(run_loss(folder, 4, "batch=3") != plain);
}

/* Every key of the two groups stands in the list above. */
static void every_option_is_in_the_list_of_this_test(void **state)
{
    (void)state;
    for (int i = 0; i < options_count; i++) {
        bool found = options[i].group != GROUP_NETWORK && options[i].group != GROUP_TRAINING;
        for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++)
            found |= !strcmp(changes[k].key, options[i].key);
        if (!found)
            fail_msg("%s: say in this test where it makes a difference", options[i].key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_in_the_list_of_this_test),
        cmocka_unit_test(every_option_of_the_network_changes_something),
        cmocka_unit_test(every_option_of_the_schedule_changes_the_rate),
        cmocka_unit_test(options_of_a_run_change_its_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
