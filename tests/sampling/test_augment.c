/* Augmentation: every kind does what it says, keyed by seed, epoch and sample alone.
 * labels: quick */
#include "data_folder.h"

#include "sampling/augment.h"

#include <math.h>

enum { N = 200, EXTRA = 6 };

struct points {
    float xyz[N * 3], features[N * EXTRA]; /* rgb, normals */
};

static struct inputs inputs;

static void make_points(struct points *p)
{
    struct random r = random_start(random_stream(1, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < N * 3; i++)
        p->xyz[i] = (float)random_normal(&r);
    for (int i = 0; i < N; i++) {
        float *f = p->features + EXTRA * i, length = 0;
        for (int k = 0; k < 3; k++) {
            f[k] = (float)random_uniform(&r);
            f[3 + k] = (float)random_normal(&r);
            length += f[3 + k] * f[3 + k];
        }
        for (int k = 0; k < 3; k++)
            f[3 + k] /= sqrtf(length);
    }
}

#define OFF                                                                                        \
    "augment.scale=0 augment.flip_x=0 augment.rotate=0 augment.jitter=0 augment.rgb_permute=0 "    \
    "augment.rgb_noise=0 "

static void run(struct points *p, const char *pairs, uint32_t epoch, uint32_t sample)
{
    struct config c;
    data_config(&c, pairs);
    make_points(p);
    augment_sample(p->xyz, p->features, N, &inputs, false, &c.augment,
                   (struct random_key){(uint64_t)c.seed, epoch, sample});
}

static double length_of(const float *p)
{
    return sqrt((double)p[0] * (double)p[0] + (double)p[1] * (double)p[1] +
                (double)p[2] * (double)p[2]);
}

static void augmentation_that_is_off_changes_nothing(void **state)
{
    (void)state;
    struct points a, b;
    make_points(&a);
    run(&b, OFF, 3, 4);
    assert_memory_equal(a.xyz, b.xyz, sizeof a.xyz);
    for (int i = 0; i < N * EXTRA; i++) /* normals are made unit length again */
        assert_true(fabsf(a.features[i] - b.features[i]) < 1e-6f);
}

static void augmentation_is_keyed_by_seed_epoch_and_sample(void **state)
{
    (void)state;
    struct points a, b;
    run(&a, "", 3, 4);
    run(&b, "", 3, 4);
    assert_memory_equal(&a, &b, sizeof a);
    run(&b, "", 3, 5);
    assert_memory_not_equal(a.xyz, b.xyz, sizeof a.xyz);
    run(&b, "", 4, 4);
    assert_memory_not_equal(a.xyz, b.xyz, sizeof a.xyz);
    run(&b, "seed=1", 3, 4);
    assert_memory_not_equal(a.xyz, b.xyz, sizeof a.xyz);
}

static void scales_stay_within_their_range(void **state)
{
    (void)state;
    struct points a, b;
    double low = 9, high = 0;
    make_points(&a);
    for (uint32_t s = 0; s < 100; s++) {
        run(&b, OFF "augment.scale=0.1", 1, s);
        double factor = (double)b.xyz[0] / (double)a.xyz[0];
        for (int i = 0; i < N * 3; i++)
            assert_true(fabs((double)b.xyz[i] - factor * (double)a.xyz[i]) < 1e-5);
        low = fmin(low, factor);
        high = fmax(high, factor);
        run(&b, OFF "augment.scale=0.2 augment.scale_axes=on", 1, s);
        double x = (double)b.xyz[0] / (double)a.xyz[0], y = (double)b.xyz[1] / (double)a.xyz[1];
        assert_true(fabs(x - y) > 1e-9 && fabs(y - 1) <= 0.2000001);
    }
    assert_true(low >= 0.9 && low < 0.92 && high <= 1.1 && high > 1.08);
}

static void flips_come_with_their_chance(void **state)
{
    (void)state;
    struct points a, b;
    int flipped = 0;
    make_points(&a);
    for (uint32_t s = 0; s < 200; s++) {
        run(&b, OFF "augment.flip_y=0.5", 1, s);
        int now = b.xyz[1] == -a.xyz[1];
        for (int i = 0; i < N; i++) {
            assert_true(b.xyz[3 * i] == a.xyz[3 * i]);
            assert_true(b.xyz[3 * i + 1] == (now ? -1 : 1) * a.xyz[3 * i + 1]);
            assert_true(fabsf(b.features[EXTRA * i + 4] -
                              (now ? -1 : 1) * a.features[EXTRA * i + 4]) < 1e-6f);
        }
        flipped += now;
    }
    assert_in_range(flipped, 70, 130);
}

static void turns_are_about_the_up_axis(void **state)
{
    (void)state;
    struct points a, b;
    double max = 0;
    make_points(&a);
    for (uint32_t s = 0; s < 100; s++) {
        run(&b, OFF "augment.rotate=30 augment.up=y", 1, s);
        const float *p = a.xyz, *q = b.xyz;
        double angle =
            atan2((double)(p[2] * q[0] - p[0] * q[2]), (double)(p[0] * q[0] + p[2] * q[2]));
        max = fmax(max, fabs(angle));
        for (int i = 0; i < N; i++) {
            const float *n = a.features + EXTRA * i + 3, *m = b.features + EXTRA * i + 3;
            assert_true(b.xyz[3 * i + 1] == a.xyz[3 * i + 1]);
            assert_true(fabs(length_of(b.xyz + 3 * i) - length_of(a.xyz + 3 * i)) < 1e-5);
            /* normals turn with the points: the angle between the two stays */
            double before = 0, after = 0;
            for (int k = 0; k < 3; k++) {
                before += (double)a.xyz[3 * i + k] * (double)n[k];
                after += (double)b.xyz[3 * i + k] * (double)m[k];
            }
            assert_true(fabs(before - after) < 1e-5);
        }
    }
    assert_true(max <= 30 * 3.14159266 / 180 && max > 25 * 3.14159 / 180);
}

static void a_shift_moves_all_points_alike(void **state)
{
    (void)state;
    struct points a, b;
    double max[3] = {0};
    make_points(&a);
    for (uint32_t s = 0; s < 100; s++) {
        run(&b, OFF "augment.shift=0.2", 1, s);
        for (int k = 0; k < 3; k++) {
            double move = (double)b.xyz[k] - (double)a.xyz[k];
            max[k] = fmax(max[k], fabs(move));
            for (int i = 0; i < N; i++)
                assert_true(fabs((double)b.xyz[3 * i + k] - (double)a.xyz[3 * i + k] - move) <
                            1e-6);
        }
    }
    for (int k = 0; k < 3; k++)
        assert_true(max[k] <= 0.200001 && max[k] > 0.18);
}

/* Heights change by a plane that is 0 where it is lowest, plan coordinates not at all; a normal
 * stays at right angles to what was a surface. */
static void a_slope_lifts_points_by_a_plane(void **state)
{
    (void)state;
    struct points a, b;
    double steepest = 0;
    make_points(&a);
    for (uint32_t s = 0; s < 60; s++) {
        double rise[2] = {0}, lowest = INFINITY;
        run(&b, OFF "augment.slope=0.3", 1, s);
        const float *p = a.xyz, *q = a.xyz + 3, *r = a.xyz + 6;
        double lift[3], ux = (double)(q[0] - p[0]), uy = (double)(q[1] - p[1]);
        double vx = (double)(r[0] - p[0]), vy = (double)(r[1] - p[1]), det = ux * vy - uy * vx;
        for (int i = 0; i < 3; i++)
            lift[i] = (double)b.xyz[3 * i + 2] - (double)a.xyz[3 * i + 2];
        rise[0] = ((lift[1] - lift[0]) * vy - (lift[2] - lift[0]) * uy) / det;
        rise[1] = ((lift[2] - lift[0]) * ux - (lift[1] - lift[0]) * vx) / det;
        for (int i = 0; i < N; i++) {
            const float *x = a.xyz + 3 * i, *y = b.xyz + 3 * i;
            double dx = (double)(x[0] - p[0]), dy = (double)(x[1] - p[1]);
            double here = (double)y[2] - (double)x[2];
            assert_true(x[0] == y[0] && x[1] == y[1]);
            assert_true(fabs(here - lift[0] - rise[0] * dx - rise[1] * dy) < 1e-4);
            lowest = fmin(lowest, here);
            /* a direction along the surface, before and after */
            const float *n = a.features + EXTRA * i + 3, *m = b.features + EXTRA * i + 3;
            double along[3] = {-(double)n[1], (double)n[0], 0};
            double lifted = rise[0] * along[0] + rise[1] * along[1];
            assert_true(fabs((double)m[0] * along[0] + (double)m[1] * along[1] +
                             (double)m[2] * lifted) < 1e-4);
        }
        assert_true(fabs(lowest) < 1e-5);
        steepest = fmax(steepest, hypot(rise[0], rise[1]));
    }
    assert_true(steepest <= 0.3001 && steepest > 0.25);
}

static void three_in_ten_samples_are_raised(void **state)
{
    (void)state;
    struct points a, b;
    double highest = 0;
    int raised = 0;
    make_points(&a);
    for (uint32_t s = 0; s < 1000; s++) {
        run(&b, OFF "augment.lift=40", 1, s);
        double lift = (double)b.xyz[2] - (double)a.xyz[2];
        for (int i = 0; i < N; i++) {
            assert_true(b.xyz[3 * i] == a.xyz[3 * i] && b.xyz[3 * i + 1] == a.xyz[3 * i + 1]);
            assert_true(fabs((double)b.xyz[3 * i + 2] - (double)a.xyz[3 * i + 2] - lift) < 1e-5);
        }
        assert_true(lift >= 0);
        raised += lift > 0;
        highest = fmax(highest, lift);
    }
    assert_true(raised > 250 && raised < 350);
    assert_true(highest <= 40 && highest > 36);
}

static void dropped_colours_are_those_of_a_cloud_without(void **state)
{
    (void)state;
    struct points a, b;
    int dropped = 0;
    make_points(&a);
    for (uint32_t s = 0; s < 200; s++) {
        run(&b, OFF "augment.rgb_drop=0.3", 1, s);
        bool grey = b.features[0] == INPUTS_GREY;
        dropped += grey;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 3; k++)
                assert_true(b.features[EXTRA * i + k] ==
                            (grey ? INPUTS_GREY : a.features[EXTRA * i + k]));
    }
    assert_in_range(dropped, 40, 80);
}

static void colours_of_a_cloud_without_any_stay(void **state)
{
    (void)state;
    struct inputs some;
    struct config c;
    assert_int_equal(inputs_parse(&some, "xyz,rgb?"), 0);
    data_config(&c, OFF "augment.rgb_noise=0.1 augment.rgb_permute=1");
    float xyz[3] = {0}, f[3] = {INPUTS_GREY, INPUTS_GREY, INPUTS_GREY};
    augment_sample(xyz, f, 1, &some, true, &c.augment, (struct random_key){0, 1, 1});
    for (int k = 0; k < 3; k++)
        assert_true(f[k] == INPUTS_GREY);
    augment_sample(xyz, f, 1, &some, false, &c.augment, (struct random_key){0, 1, 1});
    assert_true(f[0] != INPUTS_GREY);
}

/* Normals stay at right angles to their surface. */
static void normals_follow_unequal_scales(void **state)
{
    (void)state;
    static const char *const each[] = {
        OFF "augment.scale=0.5 augment.scale_axes=on", OFF "augment.slope=0.4",
        OFF "augment.slope=0.4 augment.up=y",
        OFF "augment.scale=0.5 augment.scale_axes=on augment.rotate=180 augment.slope=0.2"};
    struct inputs normal;
    struct config c;
    assert_int_equal(inputs_parse(&normal, "xyz,normals"), 0);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        for (uint32_t s = 0; s < 20; s++) {
            float xyz[9] = {0, 0, 0, 1, 0, -0.5f, 0, 1, 0.25f}, f[9] = {0};
            for (int p = 0; p < 3; p++) {
                f[3 * p] = 0.5f / 1.145644f;
                f[3 * p + 1] = -0.25f / 1.145644f;
                f[3 * p + 2] = 1 / 1.145644f;
            }
            data_config(&c, each[i]);
            augment_sample(xyz, f, 3, &normal, false, &c.augment, (struct random_key){0, 1, s});
            for (int p = 1; p < 3; p++) {
                double along = 0;
                for (int k = 0; k < 3; k++)
                    along += (double)(f[k] * (xyz[3 * p + k] - xyz[k]));
                assert_true(fabs(along) < 1e-5);
            }
            assert_true(fabs(length_of(f) - 1) < 1e-5);
        }
}

static void dropped_inputs_are_those_that_may_be_missing(void **state)
{
    (void)state;
    struct inputs some;
    struct config c;
    int dropped = 0;
    assert_int_equal(inputs_parse(&some, "xyz,a,rgb?,b?"), 0);
    data_config(&c, OFF "augment.input_drop=0.3");
    for (uint32_t s = 0; s < 200; s++) {
        float xyz[6] = {0}, f[10] = {7, 0.1f, 0.2f, 0.3f, 9, 7, 0.1f, 0.2f, 0.3f, 8};
        augment_sample(xyz, f, 2, &some, false, &c.augment, (struct random_key){0, 1, s});
        assert_true(f[0] == 7 && f[5] == 7 && f[1] == 0.1f && f[8] == 0.3f);
        assert_true((f[4] == 0 && f[9] == 0) || (f[4] == 9 && f[9] == 8));
        dropped += f[4] == 0;
    }
    assert_in_range(dropped, 40, 80);
}

static void dropped_points_are_left_out(void **state)
{
    (void)state;
    struct config c;
    int32_t min = 1000, max = 0;
    data_config(&c, "");
    assert_int_equal(augment_kept(1000, &c.augment, (struct random_key){0, 1, 1}), 1000);
    data_config(&c, "augment.drop=0.8");
    for (uint32_t s = 0; s < 200; s++) {
        struct random_key key = {0, 1, s};
        int32_t n = augment_kept(1000, &c.augment, key);
        min = n < min ? n : min;
        max = n > max ? n : max;
        assert_int_equal(augment_kept(1, &c.augment, key), 1);
    }
    assert_true(min >= 200 && min < 220 && max <= 1000 && max > 980);
}

static void sparse_samples_keep_their_points(void **state)
{
    (void)state;
    struct config c;
    int32_t min = 1000;
    data_config(&c, "augment.drop=0.8 augment.least=500");
    for (uint32_t s = 0; s < 200; s++) {
        struct random_key key = {0, 1, s};
        int32_t n = augment_kept(1000, &c.augment, key);
        min = n < min ? n : min;
        assert_int_equal(augment_kept(400, &c.augment, key), 400);
        assert_in_range(augment_kept(10000, &c.augment, key), 2000, 10000);
    }
    assert_in_range(min, 500, 515); /* the range is narrower, nothing piles up at its end */
}

static void jitter_is_clipped(void **state)
{
    (void)state;
    struct points a, b;
    double sum = 0;
    make_points(&a);
    run(&b, OFF "augment.jitter=0.01 augment.jitter_clip=1.5", 1, 1);
    for (int i = 0; i < N * 3; i++) {
        double d = (double)b.xyz[i] - (double)a.xyz[i];
        assert_true(fabs(d) <= 0.01501);
        sum += d * d;
    }
    assert_true(sqrt(sum / (N * 3)) > 0.006 && sqrt(sum / (N * 3)) < 0.0105);
}

static void colours_are_switched_and_noisy(void **state)
{
    (void)state;
    struct points a, b;
    int switched = 0;
    make_points(&a);
    for (uint32_t s = 0; s < 200; s++) {
        run(&b, OFF "augment.rgb_permute=1", 1, s);
        double before = 0, after = 0;
        for (int k = 0; k < 3; k++) {
            before += (double)a.features[k];
            after += (double)b.features[k];
        }
        assert_true(fabs(before - after) < 1e-6);
        switched += a.features[0] != b.features[0];
    }
    assert_in_range(switched, 110, 160); /* two of three permutations move the first channel */
    run(&b, OFF "augment.rgb_noise=0.3", 1, 1);
    int changed = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            assert_true(b.features[EXTRA * i + k] >= 0 && b.features[EXTRA * i + k] <= 1);
            changed += b.features[EXTRA * i + k] != a.features[EXTRA * i + k];
        }
    assert_in_range(changed, N * 2, N * 3);
}

static int setup(void **state)
{
    (void)state;
    return inputs_parse(&inputs, "xyz,rgb,normals");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(augmentation_that_is_off_changes_nothing),
        cmocka_unit_test(augmentation_is_keyed_by_seed_epoch_and_sample),
        cmocka_unit_test(scales_stay_within_their_range),
        cmocka_unit_test(flips_come_with_their_chance),
        cmocka_unit_test(turns_are_about_the_up_axis),
        cmocka_unit_test(a_shift_moves_all_points_alike),
        cmocka_unit_test(a_slope_lifts_points_by_a_plane),
        cmocka_unit_test(three_in_ten_samples_are_raised),
        cmocka_unit_test(colours_of_a_cloud_without_any_stay),
        cmocka_unit_test(normals_follow_unequal_scales),
        cmocka_unit_test(dropped_inputs_are_those_that_may_be_missing),
        cmocka_unit_test(dropped_points_are_left_out),
        cmocka_unit_test(sparse_samples_keep_their_points),
        cmocka_unit_test(dropped_colours_are_those_of_a_cloud_without),
        cmocka_unit_test(jitter_is_clipped),
        cmocka_unit_test(colours_are_switched_and_noisy),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
