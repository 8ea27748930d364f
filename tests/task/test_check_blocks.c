/* gelatto check: whether block, points, levels and radius suit the clouds.
 * labels: quick */
#include "data_folder.h"

#include "core/parallel.h"

enum { ROOMS = 4, POINTS = 2000 };

static char blocks[1024], levels[1024], radius[1024];

static void listen(void *user, const char *topic, const char *text, int fault)
{
    (void)user;
    (void)fault;
    char *heard = !strcmp(topic, "blocks")   ? blocks
                  : !strcmp(topic, "levels") ? levels
                  : !strcmp(topic, "radius") ? radius
                                             : NULL;
    if (heard)
        snprintf(heard, sizeof blocks, "%s", text);
}

static void check_by(const char *pairs)
{
    char path[DATA_PATH];
    struct config c;
    data_config(&c, pairs);
    blocks[0] = levels[0] = radius[0] = 0;
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

/* Columns that hold far less than a sample: the edge that is proposed holds one. */
static void an_edge_that_holds_a_sample_is_proposed(void **state)
{
    (void)state;
    char pairs[128];
    double edge = 0;
    check_by("");
    assert_non_null(strstr(blocks, "tiles of edge 2 hold"));
    assert_null(strstr(blocks, "gives"));
    check_by("block=0.5");
    if (!strstr(blocks, "block = ") ||
        sscanf(strstr(blocks, "block = "), "block = %lf", &edge) != 1 ||
        !(edge > 0.5 && edge < 4) || strstr(blocks, "points = "))
        fail_msg("%s", blocks);
    assert_string_equal(levels, "");
    snprintf(pairs, sizeof pairs, "block=%g", edge);
    check_by(pairs);
    assert_null(strstr(blocks, "gives"));
    /* more than the scenes have in all, in columns or as a whole */
    check_by("points=20000 block=100");
    if (strstr(blocks, "block = ") || !strstr(blocks, "20000: points = 2000 gives"))
        fail_msg("%s", blocks);
    check_by("points=20000 block_min=2500");
    if (!strstr(blocks, "points = 2000 block_min = 1000 gives samples of about 2000"))
        fail_msg("%s", blocks);
}

static void levels_that_leave_nothing_out_are_reported(void **state)
{
    (void)state;
    check_by("levels=4096,2048,512,128");
    if (!strstr(levels, "level 3 keeps 512 points, but a sample has 256") ||
        !strstr(levels, "set levels = 160"))
        fail_msg("%s", levels);
}

/* No radii are advised that do not grow. */
static void radii_that_do_not_grow_are_not_advised(void **state)
{
    (void)state;
    check_by("");
    assert_non_null(strstr(radius, "set radius = "));
    check_by("levels=4096,2048,512,4");
    if (strstr(radius, "--set") || !strstr(radius, "would not grow"))
        fail_msg("%s", radius);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_that_holds_a_sample_is_proposed),
        cmocka_unit_test(levels_that_leave_nothing_out_are_reported),
        cmocka_unit_test(radii_that_do_not_grow_are_not_advised),
    };
    return cmocka_run_group_tests(tests, make_set, NULL);
}
