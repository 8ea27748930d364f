/* gelatto check: whether block, points, levels and radius suit the clouds.
 * labels: quick */
#include "data_folder.h"

#include "core/parallel.h"

enum { ROOMS = 4, POINTS = 2000 };

/* What the last check proposed for each topic, as "key=value"; "-" if it said nothing of it. */
static char tiles[256], levels[256], radius[256];

static void listen(void *user, const struct glt_finding *f)
{
    (void)user;
    char *heard = !strcmp(f->topic, "tiles")    ? tiles
                  : !strcmp(f->topic, "levels") ? levels
                  : !strcmp(f->topic, "radius") ? radius
                                                : NULL;
    if (heard)
        snprintf(heard, sizeof tiles, "%s", f->options);
}

static void check_by(const char *pairs)
{
    char path[DATA_PATH];
    struct config c;
    data_config(&c, pairs);
    strcpy(tiles, strcpy(levels, strcpy(radius, "-")));
    data_check(glt_check(data_file(path, "set.yaml"), (const struct glt_config *)&c, listen, NULL));
}

static int make_set(void **state)
{
    (void)state;
    char name[64];
    parallel_serial(true);
    for (uint32_t i = 0; i < ROOMS; i++) {
        snprintf(name, sizeof name, "%s/room_%u.ply", i ? "train" : "test", i);
        data_write_room(name, POINTS, 4 + 0.3 * i, 3 + 0.2 * i, i + 1);
    }
    data_text("set.yaml", "train: train\ntest: test\nnames: [ceiling, floor, wall, box]\n"
                          "map: {7: box}\n");
    return 0;
}

/* Tiles that hold far less than a sample: the proposed edge holds one. */
static void an_edge_that_holds_a_sample_is_proposed(void **state)
{
    (void)state;
    double edge = 0;
    int end = 0;
    check_by("");
    assert_string_equal(tiles, "");
    check_by("block=0.5");
    if (sscanf(tiles, "block=%lf%n", &edge, &end) != 1 || !(edge > 0.5 && edge < 4) || tiles[end])
        fail_msg("%s", tiles);
    assert_string_equal(levels, "-");
    check_by(tiles);
    assert_string_equal(tiles, "");
    /* more than the scenes have in all, in tiles or as a whole */
    check_by("points=20000 block=100");
    assert_string_equal(tiles, "points=2000");
    check_by("points=20000 block_min=2500");
    end = 0;
    if (sscanf(tiles, "block=%lf points=2000 block_min=1000%n", &edge, &end) != 1 || !end ||
        tiles[end])
        fail_msg("%s", tiles);
}

static void levels_that_leave_nothing_out_are_reported(void **state)
{
    (void)state;
    check_by("levels=4096,2048,512,128");
    assert_string_equal(levels, "levels=160");
}

/* No radii are proposed that do not grow. */
static void radii_that_do_not_grow_are_not_proposed(void **state)
{
    (void)state;
    double r[4];
    check_by("");
    assert_int_equal(sscanf(radius, "radius=%lf,%lf,%lf,%lf", &r[0], &r[1], &r[2], &r[3]), 4);
    assert_true(r[0] > 0 && r[0] < r[1] && r[1] < r[2] && r[2] < r[3]);
    check_by("levels=4096,2048,512,4");
    assert_string_equal(radius, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_that_holds_a_sample_is_proposed),
        cmocka_unit_test(levels_that_leave_nothing_out_are_reported),
        cmocka_unit_test(radii_that_do_not_grow_are_not_proposed),
    };
    return cmocka_run_group_tests(tests, make_set, NULL);
}
