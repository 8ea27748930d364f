/* labels: quick
 * Presets after one another: the last leaves nothing of those before it, and every key that was
 * given stays. */
#include "config/config.h"
#include "config/options.h"
#include "config/presets.h"
#include "core/error.h"
#include "settings.h"

#include <stdlib.h>

/* Every option. */
static void assert_same(const struct config *a, const struct config *b)
{
    char x[256], y[256];
    for (int i = 0; i < options_count; i++) {
        assert_int_equal(config_get(a, options[i].key, x, sizeof x), 0);
        assert_int_equal(config_get(b, options[i].key, y, sizeof y), 0);
        if (strcmp(x, y))
            fail_msg("%s: %s = %s, wanted %s", b->preset, options[i].key, x, y);
    }
}

static void set(struct config *c, const char *key, const char *value)
{
    if (config_set(c, key, value) < 0)
        fail_msg("%s = %s: %s", key, value, glt_error_message());
}

static void a_preset_is_all_its_pairs(void **state)
{
    (void)state;
    for (int i = 0; presets_at(i); i++)
        for (int k = 0; presets_at(k); k++) {
            struct config two = settings_of("", ""), one = two;
            set(&two, "preset", presets_at(i)->name);
            set(&two, "preset", presets_at(k)->name);
            set(&one, "preset", presets_at(k)->name);
            assert_same(&two, &one);
            assert_memory_equal(two.given, one.given, sizeof one.given);
        }
}

/* What was given before, between or after stays; the preset is below it. */
static void a_preset_is_below_what_was_given(void **state)
{
    (void)state;
    for (int when = 0; when < 3; when++)
        for (int i = 0; presets_at(i); i++) {
            struct config two = settings_of("", ""), one = two;
            for (int at = 0; at < 3; at++) {
                if (at == when)
                    settings_apply(&two, "dropout=0.3 k=7 epochs=5");
                if (at < 2)
                    set(&two, "preset", at ? presets_at(i)->name : "shapes");
            }
            set(&one, "preset", presets_at(i)->name);
            settings_apply(&one, "dropout=0.3 k=7 epochs=5");
            assert_same(&two, &one);
        }
}

/* No preset again is what the defaults are; an unknown one changes nothing. */
static void no_preset_is_the_defaults_and_an_unknown_one_changes_nothing(void **state)
{
    (void)state;
    struct config c = settings_of("", ""), plain = c, before;
    for (int i = 0; presets_at(i); i++) {
        set(&c, "preset", presets_at(i)->name);
        before = c;
        assert_int_equal(config_set(&c, "preset", "nobody"), GLT_EARGUMENT);
        assert_memory_equal(&c, &before, sizeof c);
        set(&c, "preset", "");
        assert_same(&c, &plain);
    }
}

/* A preset that a dataset proposes gives way to one that was given, and replaces a proposed one. */
static void a_proposed_preset_gives_way_to_a_given_one(void **state)
{
    (void)state;
    struct config c = settings_of("", ""), one = c;
    assert_int_equal(config_propose(&c, "preset", "shapes"), 0);
    assert_int_equal(config_propose(&c, "preset", "paper-cls"), 0);
    set(&one, "preset", "paper-cls");
    assert_same(&c, &one);
    assert_int_equal(config_propose(&one, "preset", "tiny"), 0);
    assert_same(&one, &c);
}

static void the_environment_may_name_a_preset(void **state)
{
    (void)state;
    struct glt_config *two, *one;
    assert_int_equal(setenv("GELATTO_PRESET", "shapes", 1), 0);
    assert_int_equal(glt_config_create(&two), 0);
    assert_int_equal(unsetenv("GELATTO_PRESET"), 0);
    assert_int_equal(glt_config_create(&one), 0);
    assert_int_equal(glt_config_set(two, "preset", "paper-cls"), 0);
    assert_int_equal(glt_config_set(one, "preset", "paper-cls"), 0);
    assert_same((struct config *)two, (struct config *)one);
    glt_config_free(one);
    glt_config_free(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_preset_is_all_its_pairs),
        cmocka_unit_test(a_preset_is_below_what_was_given),
        cmocka_unit_test(no_preset_is_the_defaults_and_an_unknown_one_changes_nothing),
        cmocka_unit_test(a_proposed_preset_gives_way_to_a_given_one),
        cmocka_unit_test(the_environment_may_name_a_preset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
