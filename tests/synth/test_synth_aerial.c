/* labels: quick threads
 * Synthetic aerial scenes: the same bytes for every number of threads and every compiler, finite
 * points within the area, sensible echoes, all classes; the dataset and the written folder;
 * refused arguments. */
#include "cloud/cloud.h"
#include "config/config.h"
#include "core/memory.h"
#include "core/random.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "formats/format.h"
#include "own_folder.h"
#include "synth/solid.h"
#include "synth/synth_aerial.h"
#include "synth/terrain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { KINDS = 8, COAST = 6 };

static uint64_t scene_digest(int threads, uint64_t seed, int area, int index)
{
    struct synth_aerial o = {.seed = seed, .scenes = KINDS, .size = 60, .density = 2};
    struct glt_cloud *c;
    uint64_t sum = 0;
    assert_int_equal(glt_threads_set(threads), 0);
    assert_int_equal(synth_aerial_cloud(&c, &o, area, index), 0);
    for (int32_t i = 0; i < c->n_columns; i++)
        sum = XXH3_64bits_withSeed(c->columns[i].data, (size_t)c->n * type_size(c->columns[i].type),
                                   sum);
    cloud_free(c);
    glt_threads_set(0);
    return sum;
}

/* Values of this build's compilers and of any other: they change only when the scenes change. */
static void scenes_are_the_same_bits_for_ever(void **state)
{
    (void)state;
    static const uint64_t golden[KINDS] = {
        0x60d170e4f14d07c2, 0x7d1e87cd7cdb4afa, 0xa5325712355805df, 0x7d0d75efecf925ca,
        0xe5eba29cbd6079ba, 0x3e0c1c0ae942a686, 0x417447d37d6c2dca, 0x1aed7488d883bb5b};
    bool same = true;
    for (int i = 0; i < KINDS; i++) {
        int area = 1 + i % SYNTH_AERIAL_AREAS;
        uint64_t one = scene_digest(1, 1, area, i), three = scene_digest(3, 1, area, i);
        assert_true(one == three);
        if (one != golden[i])
            print_message("scene %d of area %d: 0x%016llx\n", i, area, (unsigned long long)one);
        same &= one == golden[i];
    }
    assert_true(same);
    assert_true(scene_digest(0, 2, 1, 0) != scene_digest(0, 1, 1, 0));
}

struct tally {
    int64_t of_label[256], points, several;
};

static void check_cloud(struct tally *t, const struct glt_cloud *c, float size)
{
    const float *x = cloud_attribute(c, "x")->data, *y = cloud_attribute(c, "y")->data;
    const float *z = cloud_attribute(c, "z")->data;
    const uint8_t *number = cloud_attribute(c, "return_number")->data;
    const uint8_t *of = cloud_attribute(c, "number_of_returns")->data;
    const uint8_t *label = cloud_attribute(c, "label")->data;
    for (int64_t i = 0; i < c->n; i++) {
        assert_true(x[i] >= 0 && x[i] <= size && y[i] >= 0 && y[i] <= size);
        assert_true(isfinite(z[i]) && z[i] > -50 && z[i] < 300);
        assert_true(number[i] >= 1 && number[i] <= of[i] && of[i] <= 7);
        t->of_label[label[i]]++;
        t->several += of[i] > 1;
    }
    t->points += c->n;
}

static void areas_show_every_class_and_several_returns(void **state)
{
    (void)state;
    static const uint8_t labels[] = {1, 2, 5, 6, 9, 17};
    struct synth_aerial o = {.seed = 3, .scenes = KINDS, .size = 120, .density = 2};
    struct tally all = {0};
    for (int area = 1; area <= 3; area++)
        for (int i = 0; i < KINDS; i++) {
            struct glt_cloud *c;
            assert_int_equal(synth_aerial_cloud(&c, &o, area, i), 0);
            check_cloud(&all, c, 120);
            double density = (double)c->n / (120 * 120);
            assert_true(density > (i == COAST ? 0.1 : 1) && density < 8); /* water returns little */
            cloud_free(c);
        }
    int64_t known = 0;
    for (size_t i = 0; i < sizeof labels; i++) {
        assert_true(all.of_label[labels[i]] > 50);
        known += all.of_label[labels[i]];
    }
    assert_int_equal(known, all.points); /* no other label */
    assert_true(all.of_label[2] > all.points / 4 && all.of_label[5] > all.points / 20);
    assert_true(all.of_label[6] > all.points / 20);
    assert_true(all.several > all.points / 25 && all.several < all.points / 2);
}

static void every_scene_has_a_density_of_its_own(void **state)
{
    (void)state;
    struct synth_aerial o = {.seed = 1, .scenes = KINDS, .size = 40};
    double low = 1e30, high = 0;
    for (int i = 0; i < KINDS; i++) {
        struct glt_cloud *c;
        assert_int_equal(synth_aerial_cloud(&c, &o, 2, i), 0);
        double density = (double)c->n / (40 * 40);
        low = density < low ? density : low;
        high = density > high ? density : high;
        cloud_free(c);
    }
    assert_true(low > 0.3 && high < 200 && high > 4 * low);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    struct glt_cloud *c = NULL;
    struct synth_aerial good = {.seed = 1, .scenes = 2, .size = 40, .density = 1}, o = good;
    assert_int_equal(synth_aerial_cloud(&c, &o, 0, 0), GLT_EARGUMENT);
    assert_int_equal(synth_aerial_cloud(&c, &o, 7, 0), GLT_EARGUMENT);
    assert_int_equal(synth_aerial_cloud(&c, &o, 1, 2), GLT_EARGUMENT);
    o.size = (double)NAN;
    assert_int_equal(synth_aerial_cloud(&c, &o, 1, 0), GLT_EARGUMENT);
    o = good;
    o.density = (double)NAN;
    assert_int_equal(synth_aerial_cloud(&c, &o, 1, 0), GLT_EARGUMENT);
    o.density = 1e9;
    assert_int_equal(synth_aerial_cloud(&c, &o, 1, 0), GLT_EARGUMENT);
    assert_null(c);
    static const char *const bad[] = {"scenes=0",     "size=1e30",   "size=nan", "density=-1",
                                      "density=0.01", "format=exe",  "sise=40",  "seed=x",
                                      "scenes=",      "density=101", "size=19"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(glt_synth_aerial("/nonexistent/folder", bad[i]), GLT_EARGUMENT);
    assert_int_equal(glt_synth_aerial("/proc/nothing/here", "scenes=1 size=20 density=1"), GLT_EIO);
}

/* Every request for memory may fail; nothing leaks and nothing is returned. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct synth_aerial o = {.seed = 1, .scenes = 2, .size = 20, .density = 0.2};
    int64_t before = memory_stats().bytes;
    int failures = 0, step = 1;
    for (int nth = 1;; nth += step) {
        struct glt_cloud *c = NULL;
        memory_fail(nth, false);
        int code = synth_aerial_cloud(&c, &o, 1, 1);
        memory_fail(0, false);
        if (code == 0) {
            cloud_free(c);
            break;
        }
        assert_int_equal(code, GLT_ENOMEM);
        assert_null(c);
        failures++;
    }
    assert_true(failures > 10);
    assert_true(memory_stats().bytes == before);
}

static void check_set(const char *path, int train, int test)
{
    struct config config;
    struct dataset *d;
    int64_t counts[8];
    config_default(&config);
    assert_int_equal(config_set(&config, "inputs", "xyz"), 0);
    if (dataset_open(&d, path, &config.data, config.seed) < 0)
        fail_msg("%s", glt_error_message());
    assert_int_equal(d->classes.n, SYNTH_AERIAL_CLASSES);
    assert_string_equal(d->classes.names[2], "building");
    assert_int_equal(classes_of_number(&d->classes, 17), 3);
    int32_t number;
    assert_true(classes_first_number(&number, &d->classes, 1) && number == 5);
    assert_int_equal(dataset_count(d, SPLIT_TRAIN) + dataset_count(d, SPLIT_VAL), train);
    assert_int_equal(dataset_count(d, SPLIT_TEST), test);
    if (dataset_histogram(counts, d, SPLIT_TEST) < 0)
        fail_msg("%s", glt_error_message());
    assert_true(counts[0] > 100 && counts[SYNTH_AERIAL_CLASSES] == 0); /* none without a class */
    dataset_close(d);
}

static void written_scenes_are_the_data_set(void **state)
{
    (void)state;
    char path[400], *folder = strcat(strcpy(path, own_folder()), "/aerial");
    assert_int_equal(glt_synth_aerial(folder, "scenes=2 size=40 density=1"), 0);
    assert_int_equal(glt_synth_aerial(folder, "scenes=2 size=40 density=1"), GLT_EEXISTS);
    assert_int_equal(glt_synth_aerial(folder, "scenes=1 size=40 density=1 format=las replace"), 0);
    char file[460];
    struct glt_cloud *c, *made;
    struct synth_aerial o = {.seed = 1, .scenes = 1, .size = 40, .density = 1};
    snprintf(file, sizeof file, "%s/train/area_1/suburb_1.ply", folder);
    assert_true(format_read(&c, file, NULL) < 0); /* replaced */
    snprintf(file, sizeof file, "%s/test/area_5/suburb_1.las", folder);
    assert_int_equal(format_read(&c, file, NULL), 0);
    assert_int_equal(synth_aerial_cloud(&made, &o, 5, 0), 0);
    assert_int_equal(c->n, made->n);
    assert_memory_equal(cloud_attribute(c, "classification")->data,
                        cloud_attribute(made, "label")->data, (size_t)c->n);
    assert_memory_equal(cloud_attribute(c, "intensity")->data,
                        cloud_attribute(made, "intensity")->data, (size_t)c->n * 2);
    cloud_free(c);
    cloud_free(made);
    snprintf(file, sizeof file, "%s/aerial.yaml", folder);
    check_set(file, 5, 1);
    check_set("synth:aerial scenes=1 size=40 density=1", 5, 1);
}

/* A ray ends where the ground is as high as the ray. */
/* Rays from all sides end on the surface. */
static void check_rays(const struct terrain *t)
{
    struct random r = random_start(random_stream(1, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < 2000; i++) {
        double u[4], hit;
        for (int k = 0; k < 4; k++)
            u[k] = random_uniform(&r);
        struct vec3 along = vec3_unit(vec3(u[2] - 0.5, u[3] - 0.5, -1.2));
        struct vec3 aim = vec3(60 * u[0] - 30, 60 * u[1] - 30, 0);
        struct ray ray = {vec3_along(aim, along, -100), along};
        assert_true(terrain_cast(t, &hit, &ray));
        struct vec3 p = vec3_along(ray.from, along, hit);
        double depth = terrain_depth(t, p.x, p.y), height = terrain_height(t, p.x, p.y);
        assert_true(fabs(p.z - (depth > 0 ? height + depth : height)) < 0.1);
    }
}

static void rays_meet_the_ground(void **state)
{
    (void)state;
    struct terrain t;
    struct terrain_strip river = {{0, 0, 0}, {0, 1, 0}, 6, 15, 0};
    assert_int_equal(terrain_create(&t, 60), 0);
    terrain_hills(&t, 5, 40, 3);
    terrain_river(&t, &river, -6, -5);
    terrain_finish(&t);
    assert_true(terrain_depth(&t, 0, 10) > 0.5 && terrain_depth(&t, 30, 0) < 0);
    check_rays(&t);
    terrain_free(&t);
}

static void rays_meet_cliffs(void **state)
{
    (void)state;
    struct terrain t;
    struct terrain_shore shore = {
        .way = {1, 0, 0}, .wave = 40, .bend = 20, .rise = 15, .depth = 2, .cliff = 1, .beach = 1};
    assert_int_equal(terrain_create(&t, 60), 0);
    terrain_hills(&t, 2, 40, 3);
    terrain_coast(&t, &shore, 5);
    terrain_finish(&t);
    assert_true(terrain_depth(&t, 0, -50) > 1 && terrain_depth(&t, 0, 50) < -10);
    assert_true(terrain_height(&t, 0, 50) - terrain_height(&t, 0, -50) > 15);
    check_rays(&t);
    terrain_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rays_meet_the_ground),
                                       cmocka_unit_test(rays_meet_cliffs),
                                       cmocka_unit_test(scenes_are_the_same_bits_for_ever),
                                       cmocka_unit_test(areas_show_every_class_and_several_returns),
                                       cmocka_unit_test(every_scene_has_a_density_of_its_own),
                                       cmocka_unit_test(wrong_options_are_refused),
                                       cmocka_unit_test(every_allocation_may_fail),
                                       cmocka_unit_test(written_scenes_are_the_data_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
