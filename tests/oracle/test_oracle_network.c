/* The oracle's network: the counts of the paper, every variant, missing parameters.
 * labels: quick */
#include "oracle_check.h"

/* --- the parameter counts of the paper's network --- */

struct counter {
    int64_t trainable;
    double *zeros;
};

static const double *count_param(void *user, const char *name, int64_t *count)
{
    struct counter *c = user;
    if (!strstr(name, "running_"))
        c->trainable += *count;
    return c->zeros;
}

static int64_t count_of(struct oracle_config c, int32_t divisor)
{
    static const int32_t width[4] = {128, 256, 512, 1024};
    static const int32_t decoder[4][2] = {{128, 128}, {256, 128}, {512, 256}, {1024, 512}};
    c.stem = 64 / divisor;
    for (int l = 0; l < 4; l++) {
        c.width[l] = width[l] / divisor;
        c.inner[l] = width[l] / divisor / 2;
        c.decoder[l][0] = decoder[l][0] / divisor;
        c.decoder[l][1] = decoder[l][1] / divisor;
    }
    c.head_hidden = 128 / divisor;
    c.cls_hidden = 512 / divisor;
    struct counter counter = {0, calloc(1536 * 1024, sizeof(double))};
    assert_non_null(counter.zeros);
    struct toy_cloud m;
    toy_cloud_make(&m, &c, 1, 1);
    struct oracle_result r;
    assert_int_equal(oracle_run(&r, &c, count_param, &counter, &m.cloud, 1, 0), 0);
    oracle_result_free(&r);
    toy_cloud_free(&m);
    free(counter.zeros);
    return counter.trainable;
}

static void the_network_has_the_papers_counts(void **state)
{
    (void)state;
    struct oracle_config s3dis = toy_config();
    s3dis.classes = 13;
    struct oracle_config c = s3dis;
    assert_int_equal(count_of(c, 1), 15297601);
    assert_int_equal(count_of(c, 2), 3838529);
    assert_int_equal(count_of(c, 4), 966721);
    c.identity = 1;
    assert_int_equal(count_of(c, 1), 13901121);
    c.maps = ORACLE_SCORE_MLP;
    assert_int_equal(count_of(c, 1), 15297601);
    c = s3dis;
    c.maps = ORACLE_BN;
    assert_int_equal(count_of(c, 1), 15320641);
    c.maps = ORACLE_VALUE_RELU;
    assert_int_equal(count_of(c, 1), 15305281);
    c.maps = ORACLE_BN_RELU;
    assert_int_equal(count_of(c, 1), 15336001);
    c = s3dis;
    c.heads = ORACLE_GEOMETRIC;
    assert_int_equal(count_of(c, 1), 11816001);
    c.heads = ORACLE_LATENT;
    assert_int_equal(count_of(c, 1), 13208641);
    c.heads = ORACLE_POOL;
    assert_int_equal(count_of(c, 1), 13904961);
    c = s3dis;
    c.inputs = 3;
    c.classes = 50;
    assert_int_equal(count_of(c, 1), 15321274);
    c.classes = 40;
    c.classification = 1;
    assert_int_equal(count_of(c, 1), 12772072);
    c.cls_bias = 1;
    assert_int_equal(count_of(c, 2), 3208328);
    assert_int_equal(count_of(c, 4), 809816);
}

/* --- variants --- */

static int asks(const struct oracle_config *c, const struct oracle_cloud *cloud, const char *part)
{
    struct toy_params p = {.seed = 1};
    struct oracle_result r = run(c, &p, cloud, 1, 0);
    int found = 0;
    for (int32_t i = 0; i < p.count; i++)
        found += strstr(p.entry[i].name, part) != NULL;
    oracle_result_free(&r);
    toy_params_free(&p);
    return found;
}

static void every_kind_of_heads_asks_for_its_maps(void **state)
{
    (void)state;
    static const char *const map[13] = {"f_r.",    "f_rs.",   "f_s.",  "f_p.",  "f_pq.",
                                        "f_q.",    "f_hg.",   "f_gh.", "f_gg.", "f_hh.",
                                        "f_gatt.", "f_hatt.", "f_o."};
    static const struct {
        enum oracle_heads heads;
        int cross;
        const char *present; /* of the 13 maps above */
    } rows[8] = {
        {ORACLE_BOTH, 1, "1111111111111"},      {ORACLE_BOTH, 0, "1111110011111"},
        {ORACLE_GEOMETRIC, 1, "1101111010101"}, {ORACLE_GEOMETRIC, 0, "0001110010101"},
        {ORACLE_LATENT, 1, "1111111101011"},    {ORACLE_LATENT, 0, "1110000001011"},
        {ORACLE_POOL, 1, "1111111111001"},      {ORACLE_POOL, 0, "1111110011001"},
    };
    struct oracle_config c = toy_config();
    struct toy_cloud a;
    toy_cloud_make(&a, &c, 40, 17);
    for (int i = 0; i < 8; i++) {
        c.heads = rows[i].heads;
        c.cross = rows[i].cross;
        for (int m = 0; m < 13; m++)
            if (asks(&c, &a.cloud, map[m]) != (rows[i].present[m] == '1' ? 8 : 0))
                fail_msg("heads %d cross %d map %s", c.heads, c.cross, map[m]);
    }
    toy_cloud_free(&a);
}

/* Without crossing, the latent head never sees a coordinate; with it, it does. */
static void the_latent_head_sees_coordinates_only_when_crossed(void **state)
{
    (void)state;
    struct oracle_config c = toy_config();
    c.heads = ORACLE_LATENT;
    struct toy_params p = {.seed = 12};
    struct toy_cloud a;
    toy_cloud_make(&a, &c, 96, 19);
    struct oracle_cloud moved = a.cloud;
    double *far = malloc(96 * 3 * sizeof *far);
    assert_non_null(far);
    for (int i = 0; i < 96 * 3; i++)
        far[i] = 2 - 3 * a.xyz_double[i];
    moved.xyz = far;
    for (int cross = 0; cross < 2; cross++) {
        c.cross = cross;
        struct oracle_result x = run(&c, &p, &a.cloud, 1, 0), y = run(&c, &p, &moved, 1, 0);
        assert_true(cross ? spread(&x, &y, "out/main") > 1e-3 : spread(&x, &y, "out/main") == 0);
        oracle_result_free(&x);
        oracle_result_free(&y);
    }
    free(far);
    toy_cloud_free(&a);
    toy_params_free(&p);
}

/* pad is mask on lists in which the first hit is written down again. */
static void padding_is_masking_of_lists_that_repeat_a_hit(void **state)
{
    (void)state;
    struct oracle_config c = toy_config();
    struct toy_cloud a;
    toy_cloud_make(&a, &c, 96, 23);
    struct oracle_cloud full = a.cloud;
    int32_t *memory = calloc(4 * 2 * 64 * 10, sizeof *memory), *at = memory;
    assert_non_null(memory);
    int underfull = 0;
    for (int l = 0; l < 4; l++)
        for (int b = 0; b < 2; b++) {
            int32_t n = a.cloud.n[l + 1], *start = at, *index = at + n + 1;
            for (int32_t i = 0; i < n; i++) {
                const int32_t *list = a.index[l][b] + a.start[l][b][i];
                int32_t count = a.start[l][b][i + 1] - a.start[l][b][i];
                underfull += count < 8;
                for (int32_t k = 0; k < 8; k++)
                    index[8 * i + k] = list[k < count ? k : 0];
                start[i + 1] = 8 * (i + 1);
            }
            full.start[l][b] = start;
            full.index[l][b] = index;
            at = index + 8 * n;
        }
    assert_true(underfull > 20);
    for (int m = 0; m < 5; m++) {
        struct toy_params p = {.seed = 50};
        c.maps = all_maps[m];
        c.pad = 1;
        struct oracle_result x = run(&c, &p, &a.cloud, 1, 1);
        c.pad = 0;
        struct oracle_result y = run(&c, &p, &full, 1, 1), z = run(&c, &p, &a.cloud, 1, 1);
        assert_close(&x, &y, "out/main", 1e-11);
        assert_true(spread(&x, &z, "out/main") > 1e-3);
        oracle_result_free(&x);
        oracle_result_free(&y);
        oracle_result_free(&z);
        toy_params_free(&p);
    }
    free(memory);
    toy_cloud_free(&a);
}

static void an_identity_shortcut_is_a_projection_by_the_identity(void **state)
{
    (void)state;
    struct oracle_config c = toy_config();
    struct toy_params p = {.seed = 61};
    struct toy_cloud a;
    toy_cloud_make(&a, &c, 96, 29);
    struct oracle_result x = run(&c, &p, &a.cloud, 1, 0);
    oracle_result_free(&x);
    for (int l = 0; l < 4; l++) { /* a projection that is the identity */
        char module[32];
        snprintf(module, sizeof module, "enc%d.block2.shortcut", l + 1);
        for (int32_t o = 0; o < c.width[l]; o++) {
            for (int32_t i = 0; i < c.width[l]; i++)
                values(&p, module, "weight")[o * c.width[l] + i] = o == i;
            values(&p, module, "bn.weight")[o] = 1;
            values(&p, module, "bn.bias")[o] = values(&p, module, "bn.running_mean")[o] = 0;
            values(&p, module, "bn.running_var")[o] = 1 - c.bn_eps;
        }
    }
    x = run(&c, &p, &a.cloud, 1, 0);
    c.identity = 1;
    struct oracle_result y = run(&c, &p, &a.cloud, 1, 0);
    assert_close(&x, &y, "out/main", 1e-12);
    oracle_result_free(&x);
    oracle_result_free(&y);
    toy_cloud_free(&a);
    toy_params_free(&p);
}

static void classification_gives_one_row_per_cloud(void **state)
{
    (void)state;
    for (int bias = 0; bias < 2; bias++) {
        struct oracle_config c = toy_config();
        c.classification = 1;
        c.cls_bias = bias;
        struct toy_params p = {.seed = 70};
        struct toy_cloud a;
        toy_cloud_make(&a, &c, 96, 37);
        struct oracle_result r = run(&c, &p, &a.cloud, 1, 0);
        const struct oracle_tensor *top = oracle_tensor(&r, "enc4/block2/out");
        const struct oracle_tensor *pooled = oracle_tensor(&r, "pooled");
        for (int64_t k = 0; k < pooled->cols; k++) {
            double sum = 0;
            for (int64_t n = 0; n < top->rows; n++)
                sum += top->at[n * top->cols + k];
            assert_true(fabs(sum / (double)top->rows - pooled->at[k]) < 1e-12);
        }
        assert_int_equal(oracle_tensor(&r, "out/main")->rows, 1);
        assert_null(oracle_tensor(&r, "out/aux1"));
        assert_int_equal(toy_find(&p, "cls.hidden.bias") != NULL, bias);
        assert_int_equal(toy_find(&p, "cls.hidden.bn.weight") != NULL, !bias);
        assert_null(toy_find(&p, "dec4.0.weight"));
        oracle_result_free(&r);
        toy_cloud_free(&a);
        toy_params_free(&p);
    }
}

/* A batch of one pooled vector: its variance is 0, so BN gives beta, whatever the vector is. */
static void batch_normalisation_of_one_row_gives_beta(void **state)
{
    (void)state;
    struct oracle_config c = toy_config();
    c.classification = 1;
    struct toy_params p = {.seed = 71};
    struct toy_cloud a, b;
    toy_cloud_make(&a, &c, 96, 1);
    toy_cloud_make(&b, &c, 96, 2);
    struct oracle_result x = run(&c, &p, &a.cloud, 1, 1), y = run(&c, &p, &b.cloud, 1, 1);
    assert_true(spread(&x, &y, "pooled") > 1e-3);
    assert_close(&x, &y, "out/main", 1e-9);
    assert_true(oracle_tensor(&x, "cls.hidden.bn.rows")->at[0] == 1);
    oracle_result_free(&x);
    oracle_result_free(&y);
    toy_cloud_free(&a);
    toy_cloud_free(&b);
    toy_params_free(&p);
}

static const double *none(void *user, const char *name, int64_t *count)
{
    if (!strcmp(name, "dec2.1.weight"))
        return NULL;
    return toy_param(user, name, count);
}

static void a_missing_parameter_is_named(void **state)
{
    (void)state;
    struct oracle_config c = toy_config();
    struct toy_params p = {.seed = 1};
    struct toy_cloud a;
    toy_cloud_make(&a, &c, 20, 1);
    struct oracle_result r;
    assert_int_equal(oracle_run(&r, &c, none, &p, &a.cloud, 1, 0), -1);
    assert_string_equal(r.error, "dec2.1.weight: missing");
    oracle_result_free(&r);
    toy_cloud_free(&a);
    toy_params_free(&p);
}

/* In inference a cloud's batch mates change nothing. */
static void batch_mates_change_nothing_in_inference(void **state)
{
    (void)state;
    struct oracle_config c = toy_config();
    c.maps = ORACLE_BN_RELU;
    struct toy_params p = {.seed = 8};
    struct toy_cloud m[2];
    toy_cloud_make(&m[0], &c, 96, 31);
    toy_cloud_make(&m[1], &c, 50, 32);
    struct oracle_cloud both[2] = {m[0].cloud, m[1].cloud};
    struct oracle_result r = run(&c, &p, both, 2, 0);
    const struct oracle_tensor *t = oracle_tensor(&r, "out/main");
    assert_int_equal(t->rows, 146);
    for (int i = 0; i < 2; i++) {
        struct oracle_result one = run(&c, &p, &both[i], 1, 0);
        const struct oracle_tensor *s = oracle_tensor(&one, "out/main");
        assert_true(difference(s->at, t->at + (i ? 96 * 5 : 0), s->rows * 5) == 0);
        oracle_result_free(&one);
    }
    oracle_result_free(&r);
    toy_cloud_free(&m[0]);
    toy_cloud_free(&m[1]);
    toy_params_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_network_has_the_papers_counts),
        cmocka_unit_test(every_kind_of_heads_asks_for_its_maps),
        cmocka_unit_test(the_latent_head_sees_coordinates_only_when_crossed),
        cmocka_unit_test(padding_is_masking_of_lists_that_repeat_a_hit),
        cmocka_unit_test(an_identity_shortcut_is_a_projection_by_the_identity),
        cmocka_unit_test(classification_gives_one_row_per_cloud),
        cmocka_unit_test(batch_normalisation_of_one_row_gives_beta),
        cmocka_unit_test(a_missing_parameter_is_named),
        cmocka_unit_test(batch_mates_change_nothing_in_inference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
