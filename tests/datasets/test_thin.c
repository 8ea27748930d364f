/* Thinned clouds: how many points stay, which ones, and that nothing else decides it.
 * labels: quick */
#include "data_folder.h"

#include "core/memory.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "faults.h"

#include <math.h>

enum { POINTS = 20000 };

/* Points in a box of 6 x 4 x 2.5; a feature and a label identify the row. */
static void make_item(struct item *x, int64_t n, bool unit_sphere)
{
    static const double size[] = {6, 4, 2.5};
    struct random r = random_start(random_stream(3, 0, 0, RANDOM_TEST), 0);
    data_check(item_new(x, n, 1, true));
    for (int32_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            x->xyz[3 * i + k] = (float)(random_uniform(&r) * size[k]);
        x->features[i] = (float)i;
        x->labels[i] = i;
    }
    data_check(item_finish(x, unit_sphere));
}

/* stays[row]: whether it does. Returns how many do. */
static int32_t thinned(bool stays[POINTS], const struct thinning *t, uint32_t number, bool scene)
{
    struct item x;
    make_item(&x, POINTS, !scene);
    data_check(thin_item(&x, t, number, scene, 2));
    int32_t n = x.n;
    memset(stays, 0, POINTS * sizeof *stays);
    for (int32_t i = 0; i < n; i++) {
        assert_int_equal(x.labels[i], x.row[i]);
        assert_true(x.features[i] == (float)x.row[i]);
        assert_false(stays[x.row[i]]);
        stays[x.row[i]] = true;
    }
    assert_int_equal(x.rows, POINTS);
    item_clear(&x);
    return n;
}

/* The box has 20000 / 24 points per square unit. */
static void scenes_are_thinned_to_a_density(void **state)
{
    (void)state;
    static bool stays[POINTS];
    for (double wanted = 10; wanted < 2000; wanted *= 5) {
        struct thinning t = {.keep = 1, .density = wanted, .seed = 1};
        double n = thinned(stays, &t, 0, true), expected = fmin(wanted * 24, POINTS);
        assert_true(fabs(n - expected) <= 4 * sqrt(expected));
        assert_true(expected < POINTS || n == POINTS);
    }
}

static bool first[POINTS], second[POINTS];

static void shares_are_kept(void **state)
{
    (void)state;
    static const double shares[] = {0.9, 0.5, 0.25, 0.1, 0.01};
    memset(second, 1, sizeof second);
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        struct thinning t = {.keep = shares[k], .seed = 1};
        double n = thinned(first, &t, 0, true), want = shares[k] * POINTS;
        assert_true(fabs(n - want) < 4 * sqrt(want * (1 - shares[k])));
        for (int i = 0; i < POINTS; i++) /* a smaller share keeps a part of a larger one */
            assert_true(!first[i] || second[i]);
        memcpy(second, first, sizeof second);
    }
}

static void seeds_and_items_differ(void **state)
{
    (void)state;
    struct thinning t = {.keep = 0.5, .seed = 1}, other = {.keep = 0.5, .seed = 2};
    int same = 0;
    thinned(first, &t, 0, true);
    thinned(second, &t, 0, true);
    assert_memory_equal(first, second, sizeof first);
    thinned(second, &t, 1, true);
    for (int i = 0; i < POINTS; i++)
        same += first[i] == second[i];
    assert_true(abs(same - POINTS / 2) < 4 * 71);
    thinned(second, &other, 0, true);
    same = 0;
    for (int i = 0; i < POINTS; i++)
        same += first[i] == second[i];
    assert_true(abs(same - POINTS / 2) < 4 * 71);
}

/* All points within the range stay; beyond it their number falls with the square of the distance,
 * shell by shell. at: the scanner, in the coordinates of the item. */
static void check_scanner(const struct thinning *t, bool scene, const double at[3])
{
    enum { SHELLS = 12 };
    double want[SHELLS] = {0}, spread[SHELLS] = {0};
    int have[SHELLS] = {0}, far = 0;
    struct item x;
    thinned(first, t, 0, scene);
    make_item(&x, POINTS, !scene);
    for (int32_t i = 0; i < x.n; i++) {
        double d = 0;
        for (int k = 0; k < 3; k++)
            d += pow((double)x.xyz[3 * i + k] - at[k], 2);
        double p = t->keep * fmin(1, t->range * t->range / d);
        int shell = (int)fmin(SHELLS - 1, 3 * sqrt(d));
        if (p == 1)
            assert_true(first[x.row[i]]);
        far += p < 1;
        want[shell] += p;
        spread[shell] += p * (1 - p);
        have[shell] += first[x.row[i]];
    }
    assert_true(far > POINTS / 10);
    for (int s = 0; s < SHELLS; s++)
        assert_true(fabs(have[s] - want[s]) <= 4 * sqrt(spread[s]) + 1e-9);
    item_clear(&x);
}

static void a_scanner_in_a_scene_sees_less_far_away(void **state)
{
    (void)state;
    struct item x;
    double high[3] = {0};
    make_item(&x, POINTS, false);
    for (int64_t i = 0; i < 3 * POINTS; i++)
        high[i % 3] = fmax(high[i % 3], (double)x.xyz[i]);
    double at[3] = {((double)x.low[0] + high[0]) / 2, ((double)x.low[1] + high[1]) / 2,
                    (double)x.low[2] + 1.5};
    item_clear(&x);
    check_scanner(&(struct thinning){.keep = 1, .range = 1.5, .seed = 4}, true, at);
    check_scanner(&(struct thinning){.keep = 0.5, .range = 1, .seed = 4}, true, at);
}

static void a_scanner_beside_a_shape_sees_less_far_away(void **state)
{
    (void)state;
    const double at[3] = {2, 0, 0};
    check_scanner(&(struct thinning){.keep = 1, .range = 1, .seed = 4}, false, at);
    check_scanner(&(struct thinning){.keep = 0.5, .range = 1.5, .seed = 4}, false, at);
}

static void some_always_stay(void **state)
{
    (void)state;
    struct thinning t = {.keep = 1e-6, .range = 1e-3};
    static const int32_t sizes[] = {1, 15, 16, 17, 1000};
    assert_int_equal(thinned(first, &t, 0, true), THIN_LEAST);
    assert_int_equal(thinned(first, &t, 0, false), THIN_LEAST);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct item x;
        make_item(&x, sizes[i], false);
        data_check(thin_item(&x, &t, 0, false, 2));
        assert_int_equal(x.n, sizes[i] < THIN_LEAST ? sizes[i] : THIN_LEAST);
        item_clear(&x);
    }
}

/* --- datasets --- */

static struct dataset *open_room(const char *name, const char *pairs)
{
    char path[DATA_PATH];
    struct config c;
    struct dataset *d;
    data_config(&c, pairs);
    data_check(dataset_open(&d, data_file(path, name), &c.data, c.seed));
    return d;
}

static void same_points(const struct item *a, const struct item *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->xyz, b->xyz, (size_t)a->n * 12);
    assert_memory_equal(a->features, b->features, (size_t)a->n * 12);
    assert_memory_equal(a->labels, b->labels, (size_t)a->n * 4);
    assert_memory_equal(a->low, b->low, sizeof a->low);
}

static void write_reversed(const char *from, const char *to)
{
    char path[DATA_PATH];
    struct glt_cloud *c, *other;
    data_check(glt_cloud_read(&c, data_file(path, from), NULL));
    int64_t n = glt_cloud_count(c), *rows = memory_alloc((size_t)n, sizeof *rows);
    for (int64_t i = 0; i < n; i++)
        rows[i] = n - 1 - i;
    data_check(glt_cloud_select(&other, c, rows, n));
    data_check(glt_cloud_write(other, data_file(path, to), NULL));
    memory_free(rows);
    cloud_free(c);
    cloud_free(other);
}

/* The file's order and the cache change nothing; what is set last counts. */
static void data_sets_are_thinned(void **state)
{
    (void)state;
    struct thinning t = {.keep = 0.5, .range = 1.2, .seed = 7}, none = {0};
    const struct item *x, *y;
    char pairs[DATA_PATH];
    data_write_room("a/Area_5/room.ply", 3000, 4, 3, 1);
    write_reversed("a/Area_5/room.ply", "b/Area_5/room.ply");
    snprintf(pairs, sizeof pairs, "cache=%s/cache", data_folder());
    struct dataset *a = open_room("a", pairs), *b = open_room("b", "");
    const struct entry *e = &a->split[SPLIT_TEST].list[0];
    dataset_thin(b, &t);
    data_check(dataset_take(&y, b, SPLIT_TEST, 0));
    for (int i = 0; i < 2; i++) { /* from the file, then from the cache, whole in between */
        data_check(dataset_take(&x, a, SPLIT_TEST, 0));
        assert_int_equal(x->n, 3000);
        dataset_give(a, SPLIT_TEST, 0);
        dataset_thin(a, &t);
        data_check(dataset_take(&x, a, SPLIT_TEST, 0));
        same_points(x, y);
        assert_true(x->n > 300 && x->n < 1500);
        assert_int_equal(e->n, 3000);
        assert_int_equal(e->kept, x->n);
        dataset_give(a, SPLIT_TEST, 0);
        dataset_thin(a, &none);
    }
    dataset_give(b, SPLIT_TEST, 0);
    dataset_close(a);
    dataset_close(b);
}

/* What is left of a shape is centred and scaled again; if all is left, not a bit changes. */
static void shapes_are_normalised(void **state)
{
    (void)state;
    char path[DATA_PATH];
    const struct item *x;
    struct thinning t = {.keep = 1, .range = 1, .seed = 1}, wide = {.keep = 1, .range = 100};
    data_check(glt_synth_shapes(data_file(path, "shapes"), "shapes=2 points=500"));
    struct dataset *d = open_room("shapes/shapes.yaml", "task=parts inputs=xyz");
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 0));
    size_t bytes = (size_t)x->n * 12;
    float *all = memory_alloc(bytes, 1);
    memcpy(all, x->xyz, bytes);
    dataset_give(d, SPLIT_TRAIN, 0);
    dataset_thin(d, &wide);
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 0));
    assert_memory_equal(x->xyz, all, bytes);
    dataset_give(d, SPLIT_TRAIN, 0);
    dataset_thin(d, &t);
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 0));
    assert_true(x->n > THIN_LEAST && x->n < 400);
    double mean[3] = {0}, max = 0;
    for (int64_t i = 0; i < x->n; i++) {
        double d2 = 0;
        for (int k = 0; k < 3; k++) {
            mean[k] += (double)x->xyz[3 * i + k] / x->n;
            d2 += pow((double)x->xyz[3 * i + k], 2);
        }
        max = fmax(max, d2);
    }
    assert_true(fabs(max - 1) < 1e-5 && fabs(mean[0]) + fabs(mean[1]) + fabs(mean[2]) < 1e-5);
    dataset_give(d, SPLIT_TRAIN, 0);
    dataset_close(d);
    memory_free(all);
}

/* Heights of a shape, sorted, and its largest distance from the up axis. */
static double turned_heights(double heights[500], struct dataset *d, double degrees, uint64_t seed)
{
    const struct item *x;
    double radius = 0;
    dataset_turn(d, degrees, seed);
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 0));
    assert_int_equal(x->n, 500);
    for (int32_t i = 0; i < 500; i++) {
        heights[x->row[i]] = (double)x->xyz[3 * i + d->up];
        radius = fmax(radius, hypot((double)x->xyz[3 * i + (d->up + 1) % 3],
                                    (double)x->xyz[3 * i + (d->up + 2) % 3]));
    }
    dataset_give(d, SPLIT_TRAIN, 0);
    return radius;
}

static void first_point(float xyz[3], struct dataset *d, double degrees, uint64_t seed)
{
    const struct item *x;
    dataset_turn(d, degrees, seed);
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 0));
    for (int32_t i = 0; i < x->n; i++)
        if (x->row[i] == 0)
            memcpy(xyz, x->xyz + 3 * (int64_t)i, 3 * sizeof *xyz);
    dataset_give(d, SPLIT_TRAIN, 0);
}

static void turned_shapes_keep_their_heights(void **state)
{
    (void)state;
    char path[DATA_PATH];
    static double as_is[500], turned[500];
    float a[3], b[3], again[3];
    data_check(glt_synth_shapes(data_file(path, "turned"), "shapes=2 points=500"));
    struct dataset *d = open_room("turned/shapes.yaml", "task=parts inputs=xyz");
    double radius = turned_heights(as_is, d, 0, 1);
    assert_true(fabs(turned_heights(turned, d, 180, 1) - radius) < 1e-6);
    assert_memory_equal(turned, as_is, sizeof as_is);
    first_point(a, d, 180, 1);
    first_point(b, d, 180, 2);
    first_point(again, d, 180, 1);
    assert_memory_equal(a, again, sizeof a);
    assert_memory_not_equal(a, b, sizeof a);
    first_point(b, d, 0, 1);
    assert_memory_not_equal(a, b, sizeof a);
    dataset_close(d);
}

static int take_one(void *user)
{
    struct thinning t = {.keep = 0.5, .range = 1};
    char path[DATA_PATH];
    struct config c;
    struct dataset *d;
    const struct item *x;
    (void)user;
    data_config(&c, "");
    TRY(dataset_open(&d, data_file(path, "a"), &c.data, c.seed));
    dataset_thin(d, &t);
    int code = dataset_take(&x, d, SPLIT_TEST, 0);
    if (code == 0)
        dataset_give(d, SPLIT_TEST, 0);
    dataset_close(d);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    data_write_room("a/Area_5/room.ply", 3000, 4, 3, 1);
    assert_true(faults_memory(take_one, NULL) > 10);
}

static void wrong_values_are_refused(void **state)
{
    (void)state;
    static const struct {
        double keep, range;
    } wrong[] = {{-0.5, 0}, {1.5, 0}, {NAN, 0}, {1e-9, 0}, {0, -1}, {0, NAN}, {0, INFINITY}};
    char *report = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct glt_eval_options o = {
            .size = sizeof o, .keep = wrong[i].keep, .range = wrong[i].range};
        assert_int_equal(glt_evaluate(&report, "no model", "no data", NULL, &o), GLT_EARGUMENT);
        assert_null(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_kept),
        cmocka_unit_test(scenes_are_thinned_to_a_density),
        cmocka_unit_test(seeds_and_items_differ),
        cmocka_unit_test(a_scanner_in_a_scene_sees_less_far_away),
        cmocka_unit_test(a_scanner_beside_a_shape_sees_less_far_away),
        cmocka_unit_test(some_always_stay),
        cmocka_unit_test(data_sets_are_thinned),
        cmocka_unit_test(shapes_are_normalised),
        cmocka_unit_test(turned_shapes_keep_their_heights),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(wrong_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
