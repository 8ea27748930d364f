/* The sampler: one batch for a cloud in any order, alone or beside others, on the unit sphere or
 * not; its memory is what was reserved.
 * labels: quick */
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "errors.h"
#include "sampling/item.h"
#include "sampling/sampler.h"
#include "settings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { N = 300, EXTRA = 2, CLOUDS = 3 };

struct points {
    float xyz[3 * N], features[EXTRA * N];
    int32_t labels[N];
};

static void make_points(struct points *p, uint32_t sample)
{
    struct random r = random_start(random_stream(5, 0, sample, RANDOM_TEST), 0);
    for (int i = 0; i < 3 * N; i++)
        p->xyz[i] = (float)random_uniform(&r);
    memcpy(p->xyz + 3, p->xyz, 3 * sizeof *p->xyz); /* two points at one place */
    for (int i = 0; i < EXTRA * N; i++)
        p->features[i] = (float)random_uniform(&r);
    for (int i = 0; i < N; i++)
        p->labels[i] = (int32_t)random_below(&r, 5) - 1;
}

static struct sampler open_sampler(const char *settings)
{
    struct config c = settings_of("levels=128,64,32,8 k=8 radius=0.2", settings);
    struct sampler s = {.pyramid = sampler_pyramid(&c.network, c.task, c.seed),
                        .channels = 3 + EXTRA};
    assert_int_equal(sampler_reserve(&s, CLOUDS, N), 0);
    return s;
}

static struct sampler_cloud cloud_of(const struct points *p, uint32_t sample)
{
    return (struct sampler_cloud){.n = N,
                                  .xyz = p->xyz,
                                  .features = p->features,
                                  .labels = p->labels,
                                  .key = {7, 1, sample},
                                  .item = (int32_t)sample,
                                  .category = 2,
                                  .class_first = 1,
                                  .class_count = 3};
}

static struct batch batch_of_one(struct sampler *s, const struct sampler_cloud *c)
{
    struct batch b;
    sampler_begin(s);
    assert_int_equal(sampler_add(s, c), 0);
    assert_int_equal(sampler_join(&b, s, NULL), 0);
    assert_int_equal(b.clouds, 1);
    return b;
}

static void shuffled_points_give_the_same_batch(void **state)
{
    (void)state;
    static const char *const settings[] = {"", "neighbours=nearest", "underfull=pad",
                                           "task=classify"};
    static struct points p, q;
    int32_t rows[N];
    make_points(&p, 0);
    struct random r = random_start(random_stream(6, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < N; i++)
        rows[i] = i;
    random_shuffle(&r, rows, N);
    for (int i = 0; i < N; i++) {
        memcpy(q.xyz + 3 * i, p.xyz + 3 * rows[i], 3 * sizeof *q.xyz);
        memcpy(q.features + EXTRA * i, p.features + EXTRA * rows[i], EXTRA * sizeof *q.features);
        q.labels[i] = p.labels[rows[i]];
    }
    for (int k = 0; k < 8; k++) {
        struct sampler s = open_sampler(settings[k / 2]), t = open_sampler(settings[k / 2]);
        struct sampler_cloud c = cloud_of(&p, 0), d = cloud_of(&q, 0);
        c.sphere = d.sphere = k % 2;
        struct batch a = batch_of_one(&s, &c), b = batch_of_one(&t, &d);
        assert_memory_equal(a.features, b.features, N * (3 + EXTRA) * sizeof *a.features);
        assert_memory_equal(a.labels[0], b.labels[0], N * sizeof *a.labels[0]);
        for (int i = 0; i < N; i++)
            assert_int_equal(a.row[i], rows[b.row[i]]);
        for (int l = 0; l < PYRAMID_LEVELS; l++) {
            const struct neighbours *x = &a.pyramid.block[l][1], *y = &b.pyramid.block[l][1];
            assert_memory_equal(x->index, y->index, (size_t)x->start[x->centres] * 4);
        }
        sampler_free(&s);
        sampler_free(&t);
    }
}

static void compare_lists(const struct neighbours *joined, const struct neighbours *own,
                          int32_t centre, int32_t candidate)
{
    for (int32_t i = 0; i < own->centres; i++) {
        int32_t n = own->start[i + 1] - own->start[i], at = joined->start[centre + i];
        assert_int_equal(joined->start[centre + i + 1] - at, n);
        for (int32_t k = 0; k < n; k++)
            assert_int_equal(joined->index[at + k], own->index[own->start[i] + k] + candidate);
    }
}

/* Cloud by cloud a joined batch is what each cloud is alone. */
static void a_joined_batch_is_its_clouds(void **state)
{
    (void)state;
    static struct points p[CLOUDS];
    struct sampler s = open_sampler(""), t = open_sampler("");
    struct arena slot = {0};
    struct batch all;
    sampler_begin(&s);
    for (uint32_t b = 0; b < CLOUDS; b++) {
        make_points(&p[b], b);
        struct sampler_cloud c = cloud_of(&p[b], b);
        c.n = N - 40 * (int32_t)b;
        assert_int_equal(sampler_add(&s, &c), 0);
    }
    assert_int_equal(sampler_join(&all, &s, &slot), 0);
    assert_int_equal(all.clouds, CLOUDS);
    for (uint32_t b = 0; b < CLOUDS; b++) {
        struct sampler_cloud c = cloud_of(&p[b], b);
        c.n = N - 40 * (int32_t)b;
        struct batch one = batch_of_one(&t, &c);
        const int32_t *first[PYRAMID_LEVELS + 1];
        for (int l = 0; l <= PYRAMID_LEVELS; l++) {
            first[l] = all.pyramid.first[l] + b;
            assert_int_equal(first[l][1] - first[l][0], one.pyramid.n[l]);
            assert_memory_equal(all.labels[l] + *first[l], one.labels[l],
                                (size_t)one.pyramid.n[l] * 4);
        }
        assert_memory_equal(all.features + *first[0] * all.channels, one.features,
                            (size_t)(c.n * all.channels) * sizeof *one.features);
        assert_memory_equal(all.row + *first[0], one.row, (size_t)c.n * 4);
        for (int l = 0; l < PYRAMID_LEVELS; l++) {
            compare_lists(&all.pyramid.block[l][0], &one.pyramid.block[l][0], *first[l + 1],
                          *first[l]);
            compare_lists(&all.pyramid.block[l][1], &one.pyramid.block[l][1], *first[l + 1],
                          *first[l + 1]);
        }
        assert_int_equal(all.item[b], (int32_t)b);
        assert_int_equal(all.category[b], 2);
        assert_int_equal(all.class_first[b], 1);
        assert_int_equal(all.class_count[b], 3);
    }
    arena_free(&slot);
    sampler_free(&s);
    sampler_free(&t);
}

static void rows_lead_back_to_the_item(void **state)
{
    (void)state;
    static struct points p;
    enum { FEW = 120 };
    int32_t row[FEW];
    make_points(&p, 0);
    float xyz[3 * FEW], features[EXTRA * FEW];
    for (int i = 0; i < FEW; i++) {
        row[i] = N - 1 - 2 * i;
        memcpy(xyz + 3 * i, p.xyz + 3 * row[i], 3 * sizeof *xyz);
        memcpy(features + EXTRA * i, p.features + EXTRA * row[i], EXTRA * sizeof *features);
    }
    struct sampler s = open_sampler("");
    struct sampler_cloud c = cloud_of(&p, 0);
    c.n = FEW;
    c.xyz = xyz;
    c.features = features;
    c.row = row;
    struct batch b = batch_of_one(&s, &c);
    for (int i = 0; i < FEW; i++) {
        const float *f = b.features + i * b.channels;
        assert_memory_equal(f, p.xyz + 3 * b.row[i], 3 * sizeof *f);
        assert_memory_equal(f + 3, p.features + EXTRA * b.row[i], EXTRA * sizeof *f);
        assert_int_equal(b.labels[0][i], p.labels[b.row[i]]);
    }
    sampler_free(&s);
}

/* As items are brought to it when they are loaded. */
static void the_unit_sphere_is_that_of_an_item(void **state)
{
    (void)state;
    static struct points p;
    make_points(&p, 0);
    struct item x;
    assert_int_equal(item_new(&x, N, EXTRA, true), 0);
    memcpy(x.xyz, p.xyz, sizeof p.xyz);
    memcpy(x.features, p.features, sizeof p.features);
    memcpy(x.labels, p.labels, sizeof p.labels);
    assert_int_equal(item_finish(&x, true), 0);
    struct sampler s = open_sampler(""), t = open_sampler("");
    struct sampler_cloud c = cloud_of(&p, 0), d = cloud_of(&p, 0);
    c.sphere = true;
    d.xyz = x.xyz;
    d.features = x.features;
    d.labels = x.labels;
    struct batch a = batch_of_one(&s, &c), b = batch_of_one(&t, &d);
    assert_memory_equal(a.features, b.features, N * (3 + EXTRA) * sizeof *a.features);
    assert_memory_equal(a.labels[0], b.labels[0], N * sizeof *a.labels[0]);
    double mean[3] = {0}, largest = 0;
    for (int i = 0; i < N; i++) {
        const float *f = a.features + i * a.channels;
        double radius = 0;
        for (int k = 0; k < 3; k++) {
            mean[k] += (double)f[k] / N;
            radius += (double)f[k] * (double)f[k];
        }
        largest = fmax(largest, sqrt(radius));
    }
    for (int k = 0; k < 3; k++)
        assert_float_equal(mean[k], 0, 1e-6);
    assert_float_equal(largest, 1, 1e-6);
    item_clear(&x);
    sampler_free(&s);
    sampler_free(&t);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static struct points p;
    make_points(&p, 0);
    struct sampler s = open_sampler("");
    struct sampler_cloud c = cloud_of(&p, 0);
    c.n = N + 1;
    sampler_begin(&s);
    assert_int_equal(sampler_add(&s, &c), GLT_ELIMIT);
    c.n = N;
    float *const places[] = {&p.xyz[3 * 17 + 1], &p.features[EXTRA * 17]};
    for (int k = 0; k < 2; k++) {
        float kept = *places[k];
        *places[k] = k ? NAN : INFINITY;
        assert_int_equal(sampler_add(&s, &c), GLT_EARGUMENT);
        assert_int_equal(glt_error_topic(), GLT_TOPIC_COORDINATES);
        assert_int_equal(glt_error_place(GLT_PLACE_POINT), 17);
        *places[k] = kept;
    }
    for (int b = 0; b < CLOUDS; b++)
        assert_int_equal(sampler_add(&s, &c), 0);
    assert_int_equal(sampler_add(&s, &c), GLT_ELIMIT);
    sampler_free(&s);
}

/* Points so close that every ball is full, and others so far apart that none is. */
static void memory_is_what_was_reserved(void **state)
{
    (void)state;
    static const char *const settings[] = {"radius=9", "radius=1e-4", "radius=9 underfull=pad",
                                           "task=classify radius=9"};
    static struct points p;
    make_points(&p, 0);
    for (int k = 0; k < 4; k++) {
        struct sampler s = open_sampler(settings[k]);
        struct arena slot;
        struct batch b;
        size_t bytes;
        assert_int_equal(sampler_batch_bytes(&bytes, &s.pyramid, s.channels, CLOUDS, N), 0);
        assert_int_equal(arena_init(&slot, bytes), 0);
        int64_t requests = memory_stats().requests;
        for (int turn = 0; turn < 3; turn++) {
            sampler_begin(&s);
            for (uint32_t i = 0; i < CLOUDS; i++) {
                struct sampler_cloud c = cloud_of(&p, i);
                c.sphere = turn == 1;
                assert_int_equal(sampler_add(&s, &c), 0);
            }
            assert_int_equal(sampler_join(&b, &s, &slot), 0);
        }
        assert_int_equal(memory_stats().requests, requests);
        arena_free(&slot);
        sampler_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffled_points_give_the_same_batch),
        cmocka_unit_test(a_joined_batch_is_its_clouds),
        cmocka_unit_test(rows_lead_back_to_the_item),
        cmocka_unit_test(the_unit_sphere_is_that_of_an_item),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(memory_is_what_was_reserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
