/* The oracle's layer, symmetries and normalisation against facts that need no other implementation.
 * labels: quick */
#include "oracle_check.h"

/* --- the layer --- */

static void attention_weights_sum_to_one(void **state)
{
    (void)state;
    for (int m = 0; m < 5; m++)
        for (int pad = 0; pad < 2; pad++)
            for (int training = 0; training < 2; training++) {
                struct oracle_config c = toy_config();
                c.maps = all_maps[m];
                c.pad = pad;
                struct toy_params p = {.seed = 3};
                struct toy_cloud a;
                toy_cloud_make(&a, &c, 96, 5);
                struct oracle_result r = run(&c, &p, &a.cloud, 1, training);
                const char *names[2] = {"enc1/block1/attention_geometric",
                                        "enc1/block1/attention_latent"};
                for (int h = 0; h < 2; h++) {
                    const struct oracle_tensor *t = oracle_tensor(&r, names[h]);
                    assert_int_equal(t->rows, a.start[0][0][64]);
                    for (int32_t i = 0; i < 64; i++)
                        for (int64_t k = 0; k < t->cols; k++) {
                            double sum = 0;
                            for (int32_t e = a.start[0][0][i]; e < a.start[0][0][i + 1]; e++)
                                sum += t->at[e * t->cols + k];
                            assert_true(fabs(sum - 1) < 1e-12);
                        }
                }
                oracle_result_free(&r);
                toy_cloud_free(&a);
                toy_params_free(&p);
            }
}

/* Largest relative spread of w_ij / w_ik over the centres that list both j and k. */
static double ratio_spread(const struct toy_cloud *a, const struct oracle_tensor *t, int *pairs)
{
    double max = 0;
    const int32_t *start = a->start[0][0], *index = a->index[0][0];
    double *seen = calloc(96 * 96, sizeof *seen);
    assert_non_null(seen);
    *pairs = 0;
    for (int32_t i = 0; i < 64; i++)
        for (int32_t e = start[i]; e < start[i + 1]; e++)
            for (int32_t f = start[i]; f < e; f++) {
                double *s = &seen[index[e] * 96 + index[f]];
                double ratio = t->at[e * t->cols] / t->at[f * t->cols];
                if (*s != 0) {
                    max = fmax(max, fabs(ratio / *s - 1));
                    ++*pairs;
                }
                *s = ratio;
            }
    free(seen);
    return max;
}

static void the_collapse_theorem_holds(void **state)
{
    (void)state;
    for (int m = 0; m < 5; m++) {
        struct oracle_config c = toy_config();
        c.maps = all_maps[m];
        struct toy_params p = {.seed = 11};
        struct toy_cloud a;
        toy_cloud_make(&a, &c, 96, 7);
        struct oracle_result r = run(&c, &p, &a.cloud, 1, 1);
        int affine = c.maps == ORACLE_LINEAR || c.maps == ORACLE_BN, pairs;
        double geometric =
            ratio_spread(&a, oracle_tensor(&r, "enc1/block1/attention_geometric"), &pairs);
        double latent = ratio_spread(&a, oracle_tensor(&r, "enc1/block1/attention_latent"), &pairs);
        assert_true(pairs > 50);
        assert_true(affine ? geometric < 1e-10 && latent < 1e-10
                           : geometric > 1e-3 && latent > 1e-3);
        oracle_result_free(&r);
        toy_cloud_free(&a);
        toy_params_free(&p);
    }
}

/* Repeats every row of all score maps D' times: D' = 1 with equal scores is D' > 1. */
static void repeat_rows(struct toy_params *to, struct toy_params *from, int32_t times)
{
    for (int32_t i = 0; i < from->count; i++) {
        struct toy_entry *e = &from->entry[i];
        int score = strstr(e->name, "att.weight") || strstr(e->name, "att.out.weight");
        int64_t count = score ? e->count * times : e->count;
        int64_t found = count;
        double *at = (double *)(uintptr_t)toy_param(to, e->name, &found);
        assert_int_equal(found, count);
        if (!score) {
            memcpy(at, e->at, (size_t)count * sizeof *at);
            continue;
        }
        int64_t d = 0; /* inputs of the map: D of its level */
        struct oracle_config c = toy_config();
        d = c.inner[e->name[3] - '1'];
        for (int64_t o = 0; o < count / d; o++)
            memcpy(at + o * d, e->at + o / times * d, (size_t)d * sizeof *at);
    }
}

static void heads_share_scores_among_their_features(void **state)
{
    (void)state;
    static const enum oracle_maps kinds[2] = {ORACLE_LINEAR, ORACLE_SCORE_MLP};
    for (int m = 0; m < 2; m++) {
        struct oracle_config c = toy_config();
        c.maps = kinds[m];
        c.features_per_head = 4;
        struct toy_params p = {.seed = 2}, q = {.seed = 2};
        struct toy_cloud a;
        toy_cloud_make(&a, &c, 96, 9);
        struct oracle_result few = run(&c, &p, &a.cloud, 1, 0);
        assert_int_equal(oracle_tensor(&few, "enc2/block2/attention_latent")->cols, 2);
        repeat_rows(&q, &p, 4);
        c.features_per_head = 1;
        struct oracle_result many = run(&c, &q, &a.cloud, 1, 0);
        assert_close(&few, &many, "out/main", 1e-12);
        assert_close(&few, &many, "out/aux1", 1e-12);
        oracle_result_free(&few);
        oracle_result_free(&many);
        c.features_per_head = 0; /* all: one score a head */
        toy_params_free(&q);
        few = run(&c, &q, &a.cloud, 1, 0);
        assert_int_equal(oracle_tensor(&few, "enc4/block1/attention_geometric")->cols, 1);
        oracle_result_free(&few);
        toy_cloud_free(&a);
        toy_params_free(&p);
        toy_params_free(&q);
    }
}

static void set(struct toy_params *p, const char *name, double value)
{
    int64_t count = 1;
    double *at = (double *)(uintptr_t)toy_param(p, name, &count);
    for (int64_t i = 0; i < count; i++)
        at[i] = value;
}

static void set3(struct toy_params *p, const char *name, double a, double b, double c)
{
    int64_t count = 3;
    double *at = (double *)(uintptr_t)toy_param(p, name, &count);
    at[0] = a;
    at[1] = b;
    at[2] = c;
}

/* Stem and `in` are identities, the maps are the numbers in
 * a_layer_of_two_points_is_that_worked_out_by_hand. */
static void set_layer_by_hand(struct toy_params *p)
{
    static const char *const plain[2] = {"stem", "enc1.block1.in"};
    char name[96];
    for (int i = 0; i < 2; i++) { /* identities: x is the feature itself */
        static const char *const leaf[5] = {"weight", "bn.weight", "bn.bias", "bn.running_mean",
                                            "bn.running_var"};
        const double value[5] = {1, 1, 0, 0, 1 - 1e-5};
        for (int k = 0; k < 5; k++) {
            snprintf(name, sizeof name, "%s.%s", plain[i], leaf[k]);
            set(p, name, value[k]);
        }
    }
    static const char *const map[8] = {"f_r",  "f_rs", "f_s",  "f_hg",
                                       "f_gh", "f_gg", "f_hh", "f_gatt"};
    static const double w[8] = {2, 3, -1, 0.5, 0.25, 1.5, -2, 0.7};
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "enc1.block1.attention.%s.weight", map[i]);
        set(p, name, w[i]);
    }
    set(p, "enc1.block1.attention.f_hatt.weight", -0.3);
    set3(p, "enc1.block1.attention.f_p.weight", 1, 2, 3);
    set3(p, "enc1.block1.attention.f_pq.weight", 4, -5, 6);
    set3(p, "enc1.block1.attention.f_q.weight", -1, 0.5, 2);
}

/* Two points, D = 1: every number of the layer worked out with the equations beside it. */
static void a_layer_of_two_points_is_that_worked_out_by_hand(void **state)
{
    (void)state;
    struct oracle_config c = toy_config();
    c.inputs = c.stem = c.inner[0] = 1;
    struct toy_params p = {.seed = 4};
    set_layer_by_hand(&p);
    struct toy_cloud a;
    toy_cloud_make(&a, &c, 2, 1);
    const double xyz[6] = {0, 0, 0, 0.1, 0.2, 0.1}, x[2] = {1, 3};
    const int32_t start[3] = {0, 2, 3}, index[3] = {0, 1, 1};
    a.cloud.xyz = xyz;
    a.cloud.features = x;
    a.cloud.start[0][0] = start;
    a.cloud.index[0][0] = index;
    struct oracle_result r = run(&c, &p, &a.cloud, 1, 0);
    double value_g[2], value_h[2];
    for (int j = 0; j < 2; j++) { /* centre 0, p_0 = 0, neighbours 0 and 1 */
        double h = 2 * x[0] + 3 * (x[j] - x[0]);
        double pq = 4 * xyz[3 * j] - 5 * xyz[3 * j + 1] + 6 * xyz[3 * j + 2];
        double q = -xyz[3 * j] + 0.5 * xyz[3 * j + 1] + 2 * xyz[3 * j + 2];
        double g = 0 + pq + q + 0.5 * h;
        value_g[j] = 1.5 * g;
        value_h[j] = -2 * (h - x[j] + 0.25 * g);
    }
    double a0 = exp(0.7 * value_g[0]), a1 = exp(0.7 * value_g[1]);
    double b0 = exp(-0.3 * value_h[0]), b1 = exp(-0.3 * value_h[1]);
    const struct oracle_tensor *g = oracle_tensor(&r, "enc1/block1/geometric");
    const struct oracle_tensor *h = oracle_tensor(&r, "enc1/block1/latent");
    const struct oracle_tensor *t = oracle_tensor(&r, "enc1/block1/attention_geometric");
    assert_true(fabs(t->at[0] - a0 / (a0 + a1)) < 1e-13);
    assert_true(fabs(g->at[0] - (a0 * value_g[0] + a1 * value_g[1]) / (a0 + a1)) < 1e-13);
    assert_true(fabs(h->at[0] - (b0 * value_h[0] + b1 * value_h[1]) / (b0 + b1)) < 1e-12);
    /* centre 1 lists itself alone: weight 1, so G_1 = 1.5 (f_p p + f_q p + 0.5 * 2 * 3) */
    double g1 = 1.5 * ((0.1 + 0.4 + 0.3) + (-0.1 + 0.1 + 0.2) + 0.5 * 6);
    assert_true(fabs(g->at[1] - g1) < 1e-13);
    oracle_result_free(&r);
    toy_cloud_free(&a);
    toy_params_free(&p);
}

/* --- symmetries --- */

/* Another order of the same cloud: rows are swapped inside every level's own band only. */
static void permuted_clouds_give_permuted_outputs(void **state)
{
    (void)state;
    enum { N = 96 };
    static const int32_t band[6] = {0, 8, 16, 32, 64, 96};
    struct oracle_config c = toy_config();
    struct toy_params p = {.seed = 21};
    struct toy_cloud a, b;
    toy_cloud_make(&a, &c, N, 13);
    toy_cloud_make(&b, &c, N, 13);
    int32_t to[N]; /* row of b that is row i of a: reversed inside each band */
    for (int k = 0; k < 5; k++)
        for (int32_t i = band[k]; i < band[k + 1]; i++)
            to[i] = band[k + 1] - 1 - (i - band[k]);
    for (int32_t i = 0; i < N; i++) {
        memcpy(b.xyz_double + 3 * to[i], a.xyz_double + 3 * i, 3 * sizeof(double));
        memcpy(b.features + 6 * to[i], a.features + 6 * i, 6 * sizeof(double));
        for (int l = 0; l < 4; l++)
            for (int t = 0; t < 3 && i < a.cloud.n[l]; t++) {
                b.up[l][3 * to[i] + t] = to[a.up[l][3 * i + t]];
                b.weight[l][3 * to[i] + t] = a.weight[l][3 * i + t];
            }
    }
    for (int l = 0; l < 4; l++)
        for (int k = 0; k < 2; k++) {
            int32_t from[N], n = a.cloud.n[l + 1], edges = 0;
            for (int32_t i = 0; i < n; i++)
                from[to[i]] = i;
            for (int32_t i = 0; i < n; i++) {
                const int32_t *s = a.start[l][k];
                b.start[l][k][i] = edges;
                for (int32_t e = s[from[i] + 1] - 1; e >= s[from[i]]; e--)
                    b.index[l][k][edges++] = to[a.index[l][k][e]];
            }
            b.start[l][k][n] = edges;
        }
    for (int m = 0; m < 5; m++) {
        c.maps = all_maps[m];
        struct oracle_result x = run(&c, &p, &a.cloud, 1, 1), y = run(&c, &p, &b.cloud, 1, 1);
        const struct oracle_tensor *s = oracle_tensor(&x, "out/main");
        const struct oracle_tensor *t = oracle_tensor(&y, "out/main");
        for (int32_t i = 0; i < N; i++)
            assert_true(difference(s->at + 5 * i, t->at + 5 * to[i], 5) < 1e-9);
        oracle_result_free(&x);
        oracle_result_free(&y);
        toy_params_free(&p);
    }
    toy_cloud_free(&a);
    toy_cloud_free(&b);
}

/* --- normalisation --- */

/* A training pass equals an inference pass whose running statistics are that batch's own. */
static void training_is_inference_with_batch_statistics(void **state)
{
    (void)state;
    for (int m = 0; m < 5; m++)
        for (int cls = 0; cls < 2; cls++) {
            struct oracle_config c = toy_config();
            c.maps = all_maps[m];
            c.classification = cls;
            c.pad = m % 2;
            struct toy_params p = {.seed = 6};
            struct toy_cloud a[2];
            toy_cloud_make(&a[0], &c, 96, 41);
            toy_cloud_make(&a[1], &c, 80, 42);
            struct oracle_cloud both[2] = {a[0].cloud, a[1].cloud};
            struct oracle_result x = run(&c, &p, both, 2, 1);
            int replaced = 0;
            for (int32_t i = 0; i < p.count; i++) {
                struct toy_entry *e = &p.entry[i];
                char *dot = strstr(e->name, "running_");
                if (!dot)
                    continue;
                char name[96];
                snprintf(name, sizeof name, "%.*s%s", (int)(dot - e->name), e->name, dot + 8);
                const struct oracle_tensor *t = oracle_tensor(&x, name);
                assert_non_null(t);
                memcpy(e->at, t->at, (size_t)e->count * sizeof(double));
                replaced++;
            }
            assert_true(replaced > 60);
            struct oracle_result y = run(&c, &p, both, 2, 0);
            assert_close(&x, &y, "out/main", 1e-11);
            oracle_result_free(&x);
            oracle_result_free(&y);
            toy_cloud_free(&a[0]);
            toy_cloud_free(&a[1]);
            toy_params_free(&p);
        }
}

/* W' = (gamma / sigma) W, shift' = beta - gamma mean / sigma, statistics 0 and 1: the same. */
static void folded_normalisation_gives_the_same_output(void **state)
{
    (void)state;
    struct oracle_config c = toy_config();
    c.maps = ORACLE_BN_RELU;
    c.bn_eps = 1e-3;
    struct toy_params p = {.seed = 77};
    struct toy_cloud a;
    toy_cloud_make(&a, &c, 96, 3);
    struct oracle_result x = run(&c, &p, &a.cloud, 1, 0);
    int folded = 0;
    for (int32_t i = 0; i < p.count; i++) {
        char module[96];
        struct toy_entry *e = &p.entry[i];
        char *dot = strstr(e->name, ".bn.weight");
        if (!dot || strstr(e->name, "attention.bn"))
            continue;
        snprintf(module, sizeof module, "%.*s", (int)(dot - e->name), e->name);
        double *w = values(&p, module, "weight"), *beta = values(&p, module, "bn.bias");
        double *mean = values(&p, module, "bn.running_mean");
        double *var = values(&p, module, "bn.running_var");
        struct oracle_name weight = oracle_format("%s.weight", module);
        int64_t inputs = toy_find(&p, weight.text)->count / e->count;
        for (int64_t o = 0; o < e->count; o++) {
            double scale = e->at[o] / sqrt(var[o] + c.bn_eps);
            for (int64_t k = 0; k < inputs; k++)
                w[o * inputs + k] *= scale;
            beta[o] -= scale * mean[o];
            mean[o] = 0;
            var[o] = 1 - c.bn_eps;
            e->at[o] = 1;
        }
        folded++;
    }
    assert_true(folded > 60);
    struct oracle_result y = run(&c, &p, &a.cloud, 1, 0);
    assert_close(&x, &y, "out/main", 1e-10);
    assert_close(&x, &y, "enc4/block2/out", 1e-10);
    oracle_result_free(&x);
    oracle_result_free(&y);
    toy_cloud_free(&a);
    toy_params_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_weights_sum_to_one),
        cmocka_unit_test(the_collapse_theorem_holds),
        cmocka_unit_test(heads_share_scores_among_their_features),
        cmocka_unit_test(a_layer_of_two_points_is_that_worked_out_by_hand),
        cmocka_unit_test(permuted_clouds_give_permuted_outputs),
        cmocka_unit_test(training_is_inference_with_batch_statistics),
        cmocka_unit_test(folded_normalisation_gives_the_same_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
