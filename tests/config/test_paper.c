/* The paper's numbers: every constant it states, with the line of its LaTeX source that states it
 * (docs/network.md). A preset that departs from one of them fails here. labels: quick */
#include "config/config.h"
#include "config/options.h"
#include "config/settings.h"
#include "settings.h"

static const char *const papers[] = {"preset=paper", "preset=paper-cls", "preset=paper-cls-tuned",
                                     "preset=paper-parts"};
enum { PAPERS = sizeof papers / sizeof *papers };

static void equal(double found, double wanted, const char *what, const char *preset)
{
    if (found < wanted - 1e-15 || found > wanted + 1e-15)
        fail_msg("%s: %s is %.12g, the paper has %.12g", preset, what, found, wanted);
}

/* L220: "The number of neighbors is 32 for all the layers except for the last one which is 16." */
static void k_is_32_and_16_at_the_last_level(void **state)
{
    (void)state;
    for (int i = 0; i < PAPERS; i++) {
        struct config c = settings_of("", papers[i]);
        for (int l = 0; l < 4; l++)
            for (int block = 0; block < 2; block++)
                equal(config_k(&c, l, block), l < 3 ? 32 : 16, "k", papers[i]);
    }
    struct config one = settings_of("k=40", "");
    assert_int_equal(one.network.k[2], 40);
    assert_int_equal(one.network.k[3], 16);
}

/* L220: "The radius (receptive field) of the first encoder layer with ResNet blocks is 0.10m and
 * it doubles at every layer." L129: "doubling the radius at every layer". */
static void the_radius_is_a_tenth_and_doubles(void **state)
{
    (void)state;
    static const double radius[] = {0.1, 0.2, 0.4, 0.8};
    for (int i = 0; i < PAPERS; i++) {
        struct config c = settings_of("", papers[i]);
        for (int l = 0; l < 4; l++)
            equal(c.network.radius[l], radius[l], "radius", papers[i]);
        equal(c.network.radius2_factor, 2, "radius2_factor", papers[i]);
    }
}

/* L219: "learning rate 1e-4, beta1 = 0.9, beta2 = 0.98, and epsilon = 1e-9". */
static void adam_has_the_papers_constants(void **state)
{
    (void)state;
    for (int i = 0; i < PAPERS; i++) {
        struct config c = settings_of("", papers[i]);
        equal(c.training.lr, 1e-4, "lr", papers[i]);
        equal(c.training.beta1, 0.9, "beta1", papers[i]);
        equal(c.training.beta2, 0.98, "beta2", papers[i]);
        equal(c.training.eps / 1e-9, 1, "eps", papers[i]);
        assert_int_equal(c.training.schedule, SCHEDULE_CONSTANT);
        equal(c.training.clip, 0, "clip", papers[i]);
    }
}

/* L222: "a single RTX2080Ti with a batch size of 2". */
static void a_batch_has_two_samples(void **state)
{
    (void)state;
    for (int i = 0; i < PAPERS; i++)
        equal(settings_of("", papers[i]).training.batch, 2, "batch", papers[i]);
}

/* L220: "followed by a dropout with a probability of 0.5". */
static void half_of_the_hidden_units_are_dropped(void **state)
{
    (void)state;
    for (int i = 0; i < PAPERS; i++)
        equal(settings_of("", papers[i]).training.dropout, 0.5, "dropout", papers[i]);
}

/* L225: 6,144 points; L286: "4096 points are randomly picked"; L322: "7,168 points". */
static void samples_have_the_papers_points(void **state)
{
    (void)state;
    static const int points[] = {6144, 7168, 7168, 4096};
    static const int tasks[] = {TASK_SEGMENT, TASK_CLASSIFY, TASK_CLASSIFY, TASK_PARTS};
    for (int i = 0; i < PAPERS; i++) {
        struct config c = settings_of("", papers[i]);
        equal(c.sampling.points, points[i], "points", papers[i]);
        assert_int_equal(c.task, tasks[i]);
    }
}

/* L220: "4 layers with sizes: 4096, 2048, 512, and 128"; L361: "1024 > 512 > 256 > 64". */
static void levels_have_the_papers_sizes(void **state)
{
    (void)state;
    static const int common[] = {4096, 2048, 512, 128}, tuned[] = {1024, 512, 256, 64};
    for (int i = 0; i < PAPERS; i++) {
        struct config c = settings_of("", papers[i]);
        for (int l = 0; l < 4; l++)
            equal(c.network.levels[l], i == 2 ? tuned[l] : common[l], "levels", papers[i]);
    }
}

/* L220: "all the alpha_i = 0.4 in the experiments". L219: label smoothing; 0.1 is our choice. */
static void auxiliary_losses_weigh_four_tenths(void **state)
{
    (void)state;
    for (int i = 0; i < PAPERS; i++) {
        struct config c = settings_of("", papers[i]);
        for (int l = 0; l < 4; l++)
            equal(c.training.aux[l], 0.4, "aux", papers[i]);
        equal(c.training.label_smoothing, 0.1, "label_smoothing", papers[i]);
    }
}

/* L225: "each room was split into blocks of size [2m x 2m x height]". L226: Area 5 is held out. */
static void rooms_are_split_into_tiles_of_two_metres(void **state)
{
    (void)state;
    struct config c = settings_of("", "preset=paper");
    equal(c.sampling.block, 2, "block", "paper");
    equal(c.data.area, 5, "area", "paper");
}

/* L129: "K points inside the given radius are randomly picked"; L174 and L388: both heads, a score
 * per channel. L115: "only followed by batch normalization" (docs/network.md section 5). */
static void the_layer_is_the_papers(void **state)
{
    (void)state;
    for (int i = 0; i < PAPERS; i++) {
        struct config c = settings_of("", papers[i]);
        assert_int_equal(c.network.neighbours, CONFIG_RANDOM);
        assert_int_equal(c.network.heads, HEADS_BOTH);
        assert_int_equal(c.network.cross, 1);
        assert_int_equal(c.network.features_per_head, 1);
        assert_int_equal(c.network.maps, MAPS_BN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_is_32_and_16_at_the_last_level),
        cmocka_unit_test(the_radius_is_a_tenth_and_doubles),
        cmocka_unit_test(adam_has_the_papers_constants),
        cmocka_unit_test(a_batch_has_two_samples),
        cmocka_unit_test(half_of_the_hidden_units_are_dropped),
        cmocka_unit_test(samples_have_the_papers_points),
        cmocka_unit_test(levels_have_the_papers_sizes),
        cmocka_unit_test(auxiliary_losses_weigh_four_tenths),
        cmocka_unit_test(rooms_are_split_into_tiles_of_two_metres),
        cmocka_unit_test(the_layer_is_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
