/* The engine against the oracle, for every variant of the miniature network: every tensor of a pass
 * with a trace; outputs, losses and running statistics also without, where maps with a ReLU take
 * other ways; in double also gradients against differences of the oracle.
 * labels: quick */
#include "engine_check.h"
#include "miniature.h"
#include "tier.h"

#include "core/error.h"

struct fixture {
    struct miniature m;
    struct engine_case traced, plain; /* plain: the miniature's own network */
    double *features;
    real *gradient; /* of the traced network */
};

static void open_fixture(struct fixture *f, const char *settings, uint64_t seed, bool training)
{
    *f = (struct fixture){0};
    struct miniature *m = &f->m;
    mini_open(m, settings, seed, training);
    m->config = m->model->config;
    const struct pyramid *p = &m->batch.pyramid;
    int classify = m->config.task == TASK_CLASSIFY;
    for (int l = 1; l <= 4 && !classify; l++) /* labels of a level are a prefix */
        for (int32_t b = 0; b < p->clouds; b++)
            for (int32_t i = p->first[l][b]; i < p->first[l][b + 1]; i++)
                m->batch.labels[l][i] = m->batch.labels[0][p->first[0][b] + i - p->first[l][b]];
    f->gradient = oracle_memory(m->model->size, sizeof *f->gradient);
    struct network_options o = {.training = training,
                                .aux = true,
                                .trace = true,
                                .batch = MINI_CLOUDS,
                                .points = MINI_POINTS,
                                .gradient = f->gradient};
    remember(&f->traced, m->model);
    open_engine(&f->traced, &o, &m->batch);
    int64_t count = (int64_t)p->n[0] * m->model->channels;
    f->features = oracle_memory(count, sizeof(double));
    for (int64_t i = 0; i < count; i++)
        f->features[i] = m->batch.features[i];
    f->traced.config = oracle_config_of(&m->config, m->model->channels, m->model->classes.n);
    oracle_batch_make(&f->traced.batch, p, f->features, m->model->channels, m->batch.labels[0],
                      classify);
    f->plain = f->traced;
    f->plain.network = m->network;
}

static void close_fixture(struct fixture *f)
{
    oracle_batch_free(&f->traced.batch);
    close_engine(&f->traced);
    mini_close(&f->m);
    free(f->features);
    free(f->gradient);
    free(f->traced.block);
}

static void check_pass(const char *settings, bool training)
{
    struct fixture f;
    char all[256];
    snprintf(all, sizeof all, "dropout=0 %s", settings);
    open_fixture(&f, all, 5, training);
    struct oracle_result r = ask(&f.traced, training);
    print_message("%s: %s\n", training ? "training" : "inference", settings);
    int outputs = f.traced.config.classification ? 1 : 5, decoder = outputs == 5 ? 4 : 1;
    compare_pass(&f.traced, &r, 1 + 8 + decoder + outputs);
    compare_pass(&f.plain, &r, outputs);
    oracle_result_free(&r);
    close_fixture(&f);
}

static void every_tensor_of_inference_is_the_oracles(void **state)
{
    (void)state;
    for (int i = 0; mini_variants[i]; i++)
        check_pass(mini_variants[i], false);
}

static void every_tensor_of_training_is_the_oracles(void **state)
{
    (void)state;
    for (int i = 0; mini_variants[i]; i++)
        check_pass(mini_variants[i], true);
}

static double oracle_total(struct engine_case *f)
{
    struct oracle_result r = ask(f, true);
    struct oracle_losses loss;
    oracle_loss(&loss, &f->config, &r, f->batch.clouds, f->batch.count);
    oracle_result_free(&r);
    return loss.total;
}

static double slope(struct engine_case *f, double *w, double step)
{
    double old = *w;
    *w = old + step;
    double above = oracle_total(f);
    *w = old - step;
    double below = oracle_total(f);
    *w = old;
    return (above - below) / (2 * step);
}

static void run_both_ways(const struct engine_case *f)
{
    plan_forward(f->network.plan);
    plan_backward(f->network.plan);
}

/* Gradients of the engine against differences of the oracle's loss; kinks are recognised by two
 * steps that disagree. */
static int check_gradients(const char *settings, int coordinates, uint64_t seed)
{
    struct fixture f;
    char all[256];
    snprintf(all, sizeof all, "dropout=0 %s", settings);
    open_fixture(&f, all, seed, true);
    run_both_ways(&f.traced);
    run_both_ways(&f.plain);
    const struct model *m = f.m.model;
    double max = 0, worst = 0;
    for (int64_t i = 0; i < m->size; i++)
        max = fmax(max, fabs((double)f.m.gradient[i]));
    struct random random = random_start(random_stream(6, 2, 0, RANDOM_TEST), 0);
    int kinks = 0;
    struct oracle_name where = {""};
    for (int n = 0; n < coordinates;) {
        const struct parameter *p = &m->parameters[random_below(&random, (uint32_t)m->count)];
        if (p->statistic)
            continue;
        int64_t at = p->offset + random_below(&random, (uint32_t)(p->rows * p->cols));
        double *w = f.traced.block + at, fine = slope(&f.traced, w, 3e-7);
        double traced = f.gradient[at], plain = f.m.gradient[at];
        double g = fabs(fine - traced) > fabs(fine - plain) ? traced : plain;
        double error = fabs(fine - g) / fmax(fmax(fabs(fine), fabs(g)), 1e-2 * max);
        n++;
        if (error > 1e-6 && fabs(slope(&f.traced, w, 6e-7) - fine) > 1e-6 * max)
            kinks++;
        else if (error > worst) {
            worst = error;
            where = oracle_format("%s[%lld] %.9g, oracle %.9g", p->name,
                                  (long long)(at - p->offset), g, fine);
        }
    }
    print_message("%-40s worst %.1e at %s, %d kinks of %d\n", settings, worst, where.text, kinks,
                  coordinates);
    assert_true(worst <= 1e-6);
    close_fixture(&f);
    return kinks;
}

static void gradients_are_differences_of_the_oracles_loss(void **state)
{
    (void)state;
    int coordinates = (int)tier_pick(12, 12, 400);
    for (int i = 0; mini_variants[i]; i++)
        if (check_gradients(mini_variants[i], coordinates, 6) * 10 > coordinates)
            /* the draw itself sits on a kink: another one, once */
            assert_true(check_gradients(mini_variants[i], coordinates, 1006) * 10 <= coordinates);
}

int main(void)
{
    if (sizeof(real) != sizeof(double)) /* too coarse for differences */
        cmocka_set_skip_filter("gradients_are_differences_of_the_oracles_loss");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tensor_of_inference_is_the_oracles),
        cmocka_unit_test(every_tensor_of_training_is_the_oracles),
        cmocka_unit_test(gradients_are_differences_of_the_oracles_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
