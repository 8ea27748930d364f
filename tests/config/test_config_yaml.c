/* labels: quick
 * Options from YAML text: values, lists, nesting, and what is refused with its line. */
#include "config/config.h"
#include "config/config_yaml.h"
#include "core/error.h"
#include "errors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int read_text(struct config *c, const char *text)
{
    return config_read_yaml(c, "a.yaml", text, strlen(text));
}

static void values_of_a_yaml_are_taken(void **state)
{
    (void)state;
    struct config c;
    config_default(&c);
    assert_int_equal(read_text(&c, "# a comment\nlr: 1e-3\nbatch: 7\nmaps: 'bn'\n"
                                   "levels: [100, 50, 20, 10]\nk:\n  - 8\n  - 8\n  - 8\n  - 4\n"
                                   "augment:\n  jitter: 0.25\n"),
                     0);
    assert_true(c.training.lr == 1e-3);
    assert_int_equal(c.training.batch, 7);
    assert_int_equal(c.network.maps, MAPS_BN);
    assert_int_equal(c.network.levels[0], 100);
    assert_int_equal(c.network.levels[3], 10);
    assert_int_equal(c.network.k[3], 4);
    assert_true(c.augment.jitter == 0.25);
}

/* Runs before the presets took maps=bn wrote their own maps down. */
static void the_maps_of_an_earlier_run_are_kept(void **state)
{
    (void)state;
    struct config c;
    config_default(&c);
    assert_int_equal(read_text(&c, "preset: tiny\nmaps: linear\nepochs: 3\n"), 0);
    assert_int_equal(c.network.maps, MAPS_LINEAR);
    config_default(&c);
    assert_int_equal(read_text(&c, "preset: tiny\n"), 0);
    assert_int_equal(c.network.maps, MAPS_BN);
}

/* A preset is less than a key beside it, in whatever order they stand. */
static void a_preset_is_below_the_keys_beside_it(void **state)
{
    (void)state;
    static const char *const texts[] = {"lr: 0.01\nstem: 12\npreset: tiny\n",
                                        "preset: tiny\nstem: 12\nlr: 0.01\n"};
    struct config c[2];
    for (int i = 0; i < 2; i++) {
        config_default(&c[i]);
        assert_int_equal(read_text(&c[i], texts[i]), 0);
        assert_true(c[i].training.lr == 0.01);
        assert_int_equal(c[i].network.stem, 12);
        assert_int_equal(c[i].network.width[0], 32);
        assert_string_equal(c[i].preset, "tiny");
    }
    assert_memory_equal(&c[0], &c[1], sizeof c[0]);
    assert_int_equal(config_set(&c[0], "preset", "small"), 0);
    assert_int_equal(c[0].network.stem, 12);
    assert_int_equal(c[0].network.width[0], 64);
}

/* Configurations of earlier commits name values that are no choices any more. */
static void retired_values_are_read_but_not_set(void **state)
{
    (void)state;
    static const char *const texts[] = {"path: collapsed\n", "path: fused\nmaps: bn-relu\n"};
    for (int i = 0; i < 2; i++) {
        struct config c;
        config_default(&c);
        assert_int_equal(read_text(&c, "path: direct\n"), 0);
        assert_int_equal(read_text(&c, texts[i]), 0);
        assert_int_equal(c.network.path, PATH_AUTO);
    }
    struct config c;
    config_default(&c);
    assert_int_equal(config_set(&c, "path", "collapsed"), GLT_EARGUMENT);
}

static void inputs_are_a_list_of_names(void **state)
{
    (void)state;
    static const struct {
        const char *inputs;
        int channels; /* -1: refused */
    } rows[] = {{"xyz", 3},
                {"xyz,rgb", 6},
                {"xyz,normals,intensity,rgb", 10},
                {"xyz,xyz", -1},
                {"xyzq,xyz", -1},
                {"rgb,xyz", -1},
                {"xyz,rgb,rgb", -1},
                {"xyz,,intensity", -1},
                {"xyz,", -1},
                {"", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config c;
        int channels = -1;
        config_default(&c);
        assert_int_equal(config_set(&c, "inputs", rows[i].inputs), 0);
        int code = config_channels(&c, &channels);
        assert_int_equal(code, rows[i].channels < 0 ? GLT_EARGUMENT : 0);
        assert_int_equal(channels, rows[i].channels);
    }
}

static void an_empty_yaml_changes_nothing(void **state)
{
    (void)state;
    struct config c, before;
    config_default(&c);
    before = c;
    assert_int_equal(read_text(&c, ""), 0);
    assert_int_equal(read_text(&c, "# nothing\n"), 0);
    assert_int_equal(read_text(&c, "---\n"), 0);
    assert_memory_equal(&c, &before, sizeof c);
}

static void a_wrong_yaml_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"lr: 1\nbatsh: 3\n", "UNKNOWN_OPTION batsh line 2"},
        {"lr: fast\n", "OPTION lr line 1"},
        {"- lr\n- 1\n", "SYNTAX line 1"},
        {"lr: [1, [2]]\n", "VALUE line 1"},
        {"lr: {rate: 1}\n", "UNKNOWN_OPTION lr.rate line 1"},
        {"lr: 1\nlr: [\n", "SYNTAX line 3"},
        {"lr: 1\nlr: 2\n", "DUPLICATE lr line 2"},
        {"just text\n", "SYNTAX line 1"},
        {"x: &a 1\nlr: *a\n", "SYNTAX line 1"},
        {"lr: 1\n---\nlr: 2\n", "SYNTAX line 2"},
        {"batch: 9\nlr: -5\n", "OPTION lr line 2"},
        {"eps: 0\n", "OPTION eps line 1"},
        {"bn_eps: 0\n", "OPTION bn_eps line 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config c, before;
        config_default(&c);
        before = c;
        assert_true(read_text(&c, rows[i].text) < 0);
        assert_error(rows[i].says);
        assert_error_file("a.yaml");
        assert_memory_equal(&c, &before, sizeof c);
    }
}

static void a_yaml_cut_anywhere_is_taken_or_refused(void **state)
{
    (void)state;
    static const char text[] = "lr: 1e-3\nlevels: [100, 50, 20, 10]\naugment: {jitter: 0.1}\n";
    for (size_t len = 0; len < sizeof text; len++) {
        struct config c;
        config_default(&c);
        config_read_yaml(&c, "cut.yaml", text, len); /* either result is right, a crash is not */
    }
}

static void a_yaml_file_is_read(void **state)
{
    (void)state;
    struct glt_config *c;
    assert_int_equal(glt_config_create(&c), 0);
    assert_int_equal(glt_config_read(c, "/nowhere/at/all.yaml"), GLT_EIO);
    assert_error("NOT_FOUND");
    glt_config_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_a_yaml_are_taken),
        cmocka_unit_test(an_empty_yaml_changes_nothing),
        cmocka_unit_test(a_wrong_yaml_is_refused),
        cmocka_unit_test(a_yaml_cut_anywhere_is_taken_or_refused),
        cmocka_unit_test(a_yaml_file_is_read),
        cmocka_unit_test(the_maps_of_an_earlier_run_are_kept),
        cmocka_unit_test(a_preset_is_below_the_keys_beside_it),
        cmocka_unit_test(inputs_are_a_list_of_names),
        cmocka_unit_test(retired_values_are_read_but_not_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
