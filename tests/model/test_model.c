/* Parameter counts of docs/network.md section 3.
 * labels: quick */
#include "core/error.h"
#include "core/memory.h"
#include "errors.h"
#include "model/model.h"
#include "model/model_create.h"
#include "settings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *settings;
    int32_t classes;
    int64_t parameters;
} counts[] = {
    {"preset=paper maps=linear shortcut2=project", 13, 15297601},
    {"preset=paper maps=score-mlp shortcut2=identity", 13, 15297601},
    {"preset=paper maps=score-mlp", 13, 15297601},
    {"preset=paper maps=linear shortcut2=identity", 13, 13901121},
    {"preset=paper maps=bn", 13, 15320641},
    {"preset=paper maps=value-relu", 13, 15305281},
    {"preset=paper maps=bn-relu", 13, 15336001},
    {"preset=paper maps=linear heads=geometric", 13, 11816001},
    {"preset=paper maps=linear heads=latent", 13, 13208641},
    {"preset=paper maps=linear heads=pool", 13, 13904961},
    {"preset=paper-cls maps=linear", 40, 12772072},
    {"preset=paper-parts maps=linear", 50, 15321274},
    {"preset=small maps=linear", 13, 3838529},
    {"preset=tiny maps=linear", 13, 966721},
    {"preset=small-cls maps=linear", 40, 3208328},
    {"preset=tiny-cls maps=linear", 40, 809816},
    {"preset=paper", 13, 15320641}, /* maps=bn: 23,040 scales of norms more */
    {"preset=paper-cls", 40, 12795112},
    {"preset=paper-parts", 50, 15344314},
    {"preset=small", 13, 3850049},
    {"preset=tiny", 13, 972481},
    {"preset=tiny-cls", 40, 815576},
};

static void parameters_are_as_many_as_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct model *m = settings_model(counts[i].settings, "", counts[i].classes);
        if (model_trainable(m) != counts[i].parameters)
            fail_msg("%s: %lld parameters, expected %lld", counts[i].settings,
                     (long long)model_trainable(m), (long long)counts[i].parameters);
        model_free(m);
    }
}

/* Kaiming's normal distribution has the deviation sqrt(2 / inputs); the uniform one of the maps has
 * the range 1 / sqrt(inputs), hence the deviation of that over sqrt(3). No two tensors begin alike.
 */
static void weights_begin_with_the_documented_deviations(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double factor;
    } rows[] = {{"dec4.0.weight", 1.4142135623730951},
                {"enc4.block2.out.weight", 1.4142135623730951},
                {"enc4.block2.attention.f_gg.weight", 0.57735026918962576},
                {"enc4.block2.attention.f_hh.weight", 0.57735026918962576}};
    struct model *m = settings_model("preset=tiny", "", 13);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct parameter *p = model_find(m, rows[i].name);
        double squares = 0, n = (double)(p->rows * p->cols);
        for (int64_t k = 0; k < p->rows * p->cols; k++)
            squares += (double)m->block[p->offset + k] * m->block[p->offset + k];
        double share = sqrt(squares / n) / (rows[i].factor / sqrt((double)p->cols));
        if (!(share > 0.97 && share < 1.03))
            fail_msg("%s: %.3f times the deviation", rows[i].name, share);
    }
    const real *a = m->block + model_find(m, rows[2].name)->offset;
    const real *b = m->block + model_find(m, rows[3].name)->offset;
    assert_true(a[0] != b[0] || a[1] != b[1]);
    model_free(m);
}

static void the_same_seed_makes_the_same_model(void **state)
{
    (void)state;
    struct config c;
    struct model *a, *b, *other;
    config_default(&c);
    assert_int_equal(config_set(&c, "preset", "tiny"), 0);
    assert_int_equal(model_create(&a, &c, 13), 0);
    assert_int_equal(model_create(&b, &c, 13), 0);
    c.seed = 1;
    assert_int_equal(model_create(&other, &c, 13), 0);
    assert_memory_equal(a->block, b->block, (size_t)a->size * sizeof(real));
    assert_memory_not_equal(a->block, other->block, (size_t)a->size * sizeof(real));
    model_free(a);
    model_free(b);
    model_free(other);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    struct config c;
    struct model *m = NULL;
    config_default(&c);
    assert_int_equal(model_create(&m, &c, 1), GLT_EARGUMENT);
    c.network.features_per_head = 3;
    assert_int_equal(model_create(&m, &c, 13), GLT_EARGUMENT);
    assert_error("OPTION features_per_head");
    assert_null(m);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct config c;
    struct model *m = NULL;
    config_default(&c);
    assert_int_equal(config_set(&c, "preset", "tiny"), 0);
    int64_t before = memory_stats().bytes;
    for (int64_t nth = 1; nth < 100000; nth += 1 + nth / 8) {
        memory_fail(nth, false);
        int code = model_create(&m, &c, 13);
        memory_fail(0, false);
        if (code == 0)
            break;
        assert_int_equal(code, GLT_ENOMEM);
        assert_int_equal(memory_stats().bytes, before);
    }
    assert_non_null(m);
    model_free(m);
    assert_int_equal(memory_stats().bytes, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_as_many_as_documented),
        cmocka_unit_test(weights_begin_with_the_documented_deviations),
        cmocka_unit_test(the_same_seed_makes_the_same_model),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
