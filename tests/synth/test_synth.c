/* labels: quick threads
 * Synthetic rooms and shapes: the same bytes for every number of threads and every compiler, valid
 * labels, all classes; deterministic trigonometry; refused arguments. */
#include "cloud/cloud.h"
#include "config/config.h"
#include "core/angle.h"
#include "core/frame3.h"
#include "core/memory.h"
#include "core/vec3.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "errors.h"
#include "formats/format.h"
#include "own_folder.h"
#include "synth/parts.h"
#include "synth/scene.h"
#include "synth/synth_rooms.h"
#include "synth/synth_shapes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t digest(const struct glt_cloud *c)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < c->n_columns; i++)
        sum = XXH3_64bits_withSeed(c->columns[i].data, (size_t)c->n * type_size(c->columns[i].type),
                                   sum);
    return sum;
}

static uint64_t room_digest(int threads, uint64_t seed, int area, int index)
{
    struct synth_rooms o = {.seed = seed, .rooms = 10, .points = 5000};
    struct glt_cloud *c;
    assert_int_equal(glt_threads_set(threads), 0);
    assert_int_equal(synth_rooms_cloud(&c, &o, area, index), 0);
    assert_int_equal(c->n, 5000);
    uint64_t d = digest(c);
    cloud_free(c);
    glt_threads_set(0);
    return d;
}

/* Values of this build's compilers and of any other: they change only when the rooms change. */
static void rooms_are_the_same_bits_for_ever(void **state)
{
    (void)state;
    static const uint64_t golden[5] = {0xad693b08ae0069c9, 0xa4e72fb09c0bbab0, 0xf8cf537eadc7b119,
                                       0x8286786f02097d67, 0xcacc354d49fdfe9c};
    bool same = true;
    for (int i = 0; i < 5; i++) {
        uint64_t one = room_digest(1, 1, 1 + i, i), three = room_digest(3, 1, 1 + i, i);
        assert_true(one == three);
        if (one != golden[i])
            print_message("room %d of area %d: 0x%016llx\n", i, 1 + i, (unsigned long long)one);
        same &= one == golden[i];
    }
    assert_true(same);
    assert_true(room_digest(0, 2, 1, 0) != room_digest(0, 1, 1, 0));
}

static struct glt_cloud *real_room(int threads, int area, int index)
{
    struct synth_rooms o = {.seed = 1, .rooms = 10, .points = 5000, .real = true};
    struct glt_cloud *c;
    assert_int_equal(glt_threads_set(threads), 0);
    assert_int_equal(synth_rooms_cloud(&c, &o, area, index), 0);
    glt_threads_set(0);
    return c;
}

static void real_rooms_are_the_same_bits_for_ever(void **state)
{
    (void)state;
    static const uint64_t golden[3] = {0xd05751e2f7136c8a, 0x9d6c607138bc6d7c, 0xbd8bc72942999bbd};
    bool same = true;
    for (int i = 0; i < 3; i++) {
        struct glt_cloud *one = real_room(1, 1 + i, i), *three = real_room(3, 1 + i, i);
        uint64_t found = digest(one);
        assert_true(found == digest(three));
        if (found != golden[i])
            print_message("real room %d: 0x%016llx\n", i, (unsigned long long)found);
        same &= found == golden[i];
        cloud_free(one);
        cloud_free(three);
    }
    assert_true(same);
}

/* Reconstructions of depth cameras rarely show a ceiling, and much that has no class of its own. */
static void real_rooms_have_few_ceilings_and_much_clutter(void **state)
{
    (void)state;
    int64_t seen[2][SYNTH_CLASSES] = {{0}};
    for (int i = 0; i < 24; i++) {
        struct synth_rooms o = {.seed = 5, .rooms = 4, .points = 3000, .real = i % 2};
        struct glt_cloud *c;
        assert_int_equal(synth_rooms_cloud(&c, &o, 1 + i / 2 % 6, i / 12), 0);
        const uint8_t *label = cloud_attribute(c, "label")->data;
        const float *x = cloud_attribute(c, "x")->data, *z = cloud_attribute(c, "z")->data;
        for (int64_t k = 0; k < c->n; k++) {
            assert_true(isfinite(x[k]) && z[k] > -1.5f && z[k] < 5);
            seen[o.real][label[k]]++;
        }
        cloud_free(c);
    }
    assert_true(2 * seen[1][0] < seen[0][0]);     /* ceiling */
    assert_true(seen[1][12] > seen[0][12] * 1.2); /* clutter */
}

static void every_area_has_every_class(void **state)
{
    (void)state;
    struct synth_rooms o = {.seed = 3, .rooms = 5, .points = 20000};
    for (int area = 1; area <= SYNTH_AREAS; area++) {
        int64_t seen[SYNTH_CLASSES] = {0};
        for (int room = 0; room < o.rooms; room++) {
            struct glt_cloud *c;
            assert_int_equal(synth_rooms_cloud(&c, &o, area, room), 0);
            const uint8_t *label = cloud_attribute(c, "label")->data;
            const float *z = cloud_attribute(c, "z")->data;
            for (int64_t i = 0; i < c->n; i++) {
                assert_true(label[i] < SYNTH_CLASSES);
                assert_true(z[i] > -0.5f && z[i] < 4.0f);
                seen[label[i]]++;
            }
            cloud_free(c);
        }
        for (int k = 0; k < SYNTH_CLASSES; k++)
            assert_true(seen[k] > 20);
        assert_true(seen[0] > 5000 && seen[1] > 5000 && seen[2] > 10000);
    }
}

static void rooms_are_named_by_kind_and_number(void **state)
{
    (void)state;
    static const char *const expected[7] = {"office_1", "conferenceRoom_1", "hallway_1",
                                            "lounge_1", "storage_1",        "office_2",
                                            "office_3"};
    for (int i = 0; i < 7; i++) {
        char name[64];
        synth_rooms_name(name, sizeof name, i);
        assert_string_equal(name, expected[i]);
    }
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    struct glt_cloud *c = NULL;
    struct synth_rooms o = {.seed = 1, .rooms = 2, .points = 100};
    assert_int_equal(synth_rooms_cloud(&c, &o, 0, 0), GLT_EARGUMENT);
    assert_int_equal(synth_rooms_cloud(&c, &o, 7, 0), GLT_EARGUMENT);
    assert_int_equal(synth_rooms_cloud(&c, &o, 1, 2), GLT_EARGUMENT);
    o.points = 0;
    assert_int_equal(synth_rooms_cloud(&c, &o, 1, 0), GLT_EARGUMENT);
    assert_null(c);
    assert_int_equal(glt_synth_rooms("/nonexistent/folder", "rooms=0"), GLT_EARGUMENT);
    assert_int_equal(glt_synth_rooms("/nonexistent/folder", "real=maybe"), GLT_EARGUMENT);
    assert_int_equal(glt_synth_rooms("x", "romms=1"), GLT_EARGUMENT);
    assert_error("UNKNOWN_OPTION romms");
    assert_int_equal(glt_synth_shapes("x", "points=many"), GLT_EARGUMENT);
    assert_int_equal(glt_synth_rooms("/proc/nothing/here", "rooms=1 points=50"), GLT_EIO);
}

/* Every request for memory may fail; nothing leaks and nothing is returned. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct synth_rooms o = {.seed = 1, .rooms = 2, .points = 200};
    int64_t before = memory_stats().bytes;
    int failures = 0;
    for (int nth = 1;; nth++) {
        struct glt_cloud *c = NULL;
        memory_fail(nth, false);
        int code = synth_rooms_cloud(&c, &o, 1, 1);
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

static void shapes_have_all_their_parts_and_the_same_bits_for_ever(void **state)
{
    (void)state;
    struct synth_shapes o = {.seed = 5, .shapes = 3, .points = 600};
    uint64_t all = 0;
    for (int k = 0; k < parts_categories_n; k++) {
        int first, n = synth_shapes_parts(k, &first);
        uint32_t seen = 0;
        for (int i = 0; i < 6; i++) {
            struct glt_cloud *c;
            assert_int_equal(synth_shapes_cloud(&c, &o, k, i), 0);
            const uint8_t *label = cloud_attribute(c, "label")->data;
            const float *x = cloud_attribute(c, "x")->data, *nx = cloud_attribute(c, "nx")->data;
            const float *ny = cloud_attribute(c, "ny")->data, *nz = cloud_attribute(c, "nz")->data;
            for (int64_t j = 0; j < c->n; j++) {
                assert_true(label[j] >= first && label[j] < first + n);
                seen |= 1u << (label[j] - first);
                assert_true(fabsf(x[j]) <= 1.001f);
                assert_true(fabsf(nx[j] * nx[j] + ny[j] * ny[j] + nz[j] * nz[j] - 1) < 1e-4f);
            }
            all = all * 31 + digest(c);
            cloud_free(c);
        }
        assert_int_equal(seen, (1u << n) - 1);
    }
    const uint64_t golden = 0xadad5ee82212c676;
    if (all != golden)
        print_message("shapes: 0x%016llx\n", (unsigned long long)all);
    assert_true(all == golden);
    char name[64];
    synth_shapes_part_name(name, sizeof name, 4);
    assert_string_equal(name, "bottle.body");
}

/* The dataset reader understands what was written; every point or shape has a class. */
static void check_opens(const char *folder, const char *name, int classes, int categories)
{
    char file[160];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    struct config config;
    struct dataset *d;
    config_default(&config);
    assert_int_equal(config_set(&config, "inputs", "xyz,normals"), 0);
    if (dataset_open(&d, file, &config.data, config.seed) < 0)
        fail_msg("%s", glt_error_message());
    assert_int_equal(d->classes.n, classes);
    assert_int_equal(d->classes.n_categories, categories);
    for (int s = 0; s < SPLITS; s++) {
        int64_t counts[64], sum = 0;
        assert_int_equal(dataset_count(d, (enum split)s), 12);
        if (dataset_histogram(counts, d, (enum split)s) < 0)
            fail_msg("%s", glt_error_message());
        assert_int_equal(counts[classes], 0);
        for (int i = 0; i < classes; i++)
            sum += counts[i];
        assert_int_equal(sum, categories ? 12 * 64 : 12);
    }
    dataset_close(d);
}

/* Splits, names and a second run over what is there. */
static void written_shapes_make_two_datasets(void **state)
{
    (void)state;
    const char *folder = own_folder();
    char path[400];
    assert_int_equal(glt_synth_shapes(folder, "shapes=3 points=64"), 0);
    assert_int_equal(glt_synth_shapes(folder, "shapes=3 points=64"), GLT_EEXISTS);
    assert_int_equal(glt_synth_shapes(folder, "shapes=3 points=64 replace"), 0);
    const char *const splits[3] = {"train", "val", "test"};
    for (int i = 0; i < 3; i++) {
        struct glt_cloud *c;
        snprintf(path, sizeof path, "%s/%s/mug/mug_%04d.ply", folder, splits[i], i + 1);
        assert_int_equal(format_read(&c, path, NULL), 0);
        assert_int_equal(c->n, 64);
        assert_non_null(classes_name(&c->classes, 22));
        cloud_free(c);
    }
    check_opens(folder, "shapes.yaml", 34, 12);
    check_opens(folder, "classes.yaml", 12, 0);
}

static void angles_are_those_of_the_c_library(void **state)
{
    (void)state;
    for (int i = -4000; i <= 4000; i++) {
        double x = i * 0.0137, s, c;
        angle_sincos(x, &s, &c);
        assert_true(fabs(s - sin(x)) < 4e-15 && fabs(c - cos(x)) < 4e-15);
    }
}

/* Rays against each shape: a hit lies on the surface and its normal faces the ray; a ray that hits
 * nothing passes through nothing. */
static void rays_hit_solids_on_their_surface(void **state)
{
    (void)state;
    struct random r = random_start(random_stream(1, 0, 0, RANDOM_TEST), 0);
    int hits[6] = {0};
    for (int i = 0; i < 20000; i++) {
        double u[9];
        for (int k = 0; k < 9; k++)
            u[k] = random_uniform(&r);
        struct solid s = {.frame = frame3_at(vec3(u[0], u[1], u[2]), 6 * u[3], 6 * u[4], 6 * u[5]),
                          .size = vec3(0.5 + u[6], 0.5 + u[7], 0.2 + u[8]),
                          .round = 0.1,
                          .slope = {0.4 * (i / 6 % 2), 0, 1.2, 0.3 + u[0]},
                          .shape = (uint8_t)(i % 6)};
        if (s.shape == SOLID_TORUS)
            s.size.z *= 0.2;
        struct vec3 from = vec3(8 * u[3] - 4, 8 * u[5] - 4, 5);
        struct ray ray = {from, vec3_unit(vec3_sub(vec3(u[8], u[7], u[6]), from))};
        struct ray_hit hit;
        if (!solid_cast(&s, &hit, &ray, 0, 100)) {
            for (double t = 0; t < 16; t += 0.05)
                assert_false(solid_inside(&s, vec3_along(ray.from, ray.along, t), 0.02));
            continue;
        }
        hits[s.shape]++;
        struct vec3 p = vec3_along(ray.from, ray.along, hit.t);
        assert_true(vec3_dot(hit.normal, ray.along) < 1e-6);
        assert_false(solid_inside(&s, vec3_along(p, ray.along, -2e-3), 0));
        assert_true(fabs(vec3_length(hit.normal) - 1) < 1e-9);
        if (-vec3_dot(hit.normal, ray.along) > 0.2) {
            struct vec3 in = vec3_along(p, hit.normal, -1e-3);
            /* a roof has no thickness at its eaves */
            assert_true(solid_inside(&s, in, s.shape == SOLID_ROOF ? -3e-3 : 0));
        }
    }
    for (int k = 0; k < 6; k++)
        assert_true(hits[k] > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_are_those_of_the_c_library),
        cmocka_unit_test(rays_hit_solids_on_their_surface),
        cmocka_unit_test(rooms_are_the_same_bits_for_ever),
        cmocka_unit_test(real_rooms_are_the_same_bits_for_ever),
        cmocka_unit_test(real_rooms_have_few_ceilings_and_much_clutter),
        cmocka_unit_test(every_area_has_every_class),
        cmocka_unit_test(rooms_are_named_by_kind_and_number),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(shapes_have_all_their_parts_and_the_same_bits_for_ever),
        cmocka_unit_test(written_shapes_make_two_datasets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
