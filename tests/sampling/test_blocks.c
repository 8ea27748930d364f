/* Blocks: training columns, and test coverage that labels every point exactly once after voting.
 * labels: quick */
#include "data_folder.h"
#include "data_loader.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "sampling/loader.h"
#include "sampling/votes.h"

#include <math.h>

static void make_item(struct item *x, int32_t n, double w, double d, uint32_t seed)
{
    struct glt_cloud *c;
    struct inputs inputs;
    data_room(&c, n, w, d, seed);
    data_check(inputs_parse(&inputs, "xyz,rgb"));
    data_check(item_from_cloud(x, c, &inputs, "room"));
    data_check(item_finish(x, false));
    cloud_free(c);
}

static void training_columns_are_two_metres_wide(void **state)
{
    (void)state;
    enum { N = 4000 };
    struct item x;
    int32_t rows[N];
    float centre[3], other[3];
    struct block_options o = {.edge = 2, .least = 0, .points = 100, .seed = 3};
    make_item(&x, N, 7, 5, 1);
    int differ = 0;
    for (uint32_t sample = 0; sample < 20; sample++) {
        int32_t n = block_draw(rows, centre, &x, &o, 1, sample), inside = 0;
        for (int32_t i = 0; i < N; i++)
            inside +=
                fabsf(x.xyz[3 * i] - centre[0]) <= 1 && fabsf(x.xyz[3 * i + 1] - centre[1]) <= 1;
        assert_int_equal(n, inside);
        assert_true(centre[2] == x.low[2]);
        for (int32_t i = 0; i < n; i++) {
            assert_true(i == 0 || rows[i - 1] < rows[i]);
            assert_true(fabsf(x.xyz[3 * rows[i]] - centre[0]) <= 1);
        }
        block_draw(rows, other, &x, &o, 2, sample);
        differ += memcmp(centre, other, sizeof centre) != 0;
    }
    assert_in_range(differ, 18, 20);
    item_clear(&x);
}

/* Ten points far away among thousands: a column that small is drawn again, ten times at the most.*/
static void thin_columns_are_drawn_again(void **state)
{
    (void)state;
    enum { N = 400 };
    struct item x;
    int32_t rows[N], thin = 0, thick = 0;
    float centre[3];
    struct block_options o = {.edge = 2, .points = 100, .seed = 3};
    make_item(&x, N, 1, 1, 1);
    for (int32_t i = 0; i < 150; i++)
        x.xyz[3 * i] += 50;
    for (uint32_t sample = 0; sample < 100; sample++) {
        o.least = 0;
        thin += block_draw(rows, centre, &x, &o, 1, sample) == 150;
        o.least = 200;
        thick += block_draw(rows, centre, &x, &o, 1, sample) == 250;
    }
    assert_in_range(thin, 20, 60);
    assert_in_range(thick, 99, 100); /* 0.375^10 is 5e-5 */
    o.least = 10000;                 /* never reached: the last try is taken */
    assert_true(block_draw(rows, centre, &x, &o, 1, 0) >= 150);
    item_clear(&x);
}

static void every_point_is_drawn(void **state)
{
    (void)state;
    static const struct {
        int32_t n, points;
        double w, d;
    } cases[] = {{1, 10, 1, 1},
                 {999, 64, 5, 3},
                 {500, 500, 1.9, 1.9},
                 {501, 250, 1.9, 1.9},
                 {3000, 7, 9, 4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct item x;
        struct coverage c;
        struct block_options o = {.edge = 2, .points = cases[k].points, .seed = 5};
        make_item(&x, cases[k].n, cases[k].w, cases[k].d, (uint32_t)k);
        int32_t samples, *rows = memory_alloc((size_t)cases[k].points, sizeof *rows);
        int32_t *seen = memory_alloc((size_t)x.n, sizeof *seen), fresh = 0;
        data_check(coverage_count(&samples, &x, &o));
        data_check(coverage_make(&c, &x, &o));
        assert_int_equal(samples, c.samples);
        for (int32_t i = 0; i < samples; i++) {
            float centre[3];
            int32_t size = coverage_size(&c, i), new = 0;
            assert_in_range(size, 1, o.points);
            coverage_rows(rows, centre, &c, i);
            for (int32_t j = 0; j < size; j++) {
                for (int32_t m = 0; m < j; m++)
                    assert_int_not_equal(rows[m], rows[j]); /* each once in a sample */
                for (int d = 0; d < 2; d++)
                    assert_true(fabsf(x.xyz[3 * rows[j] + d] - centre[d]) <= 1.0001f);
                new += seen[rows[j]]++ == 0;
            }
            assert_true(new > 0); /* no sample for nothing */
            fresh += new;
        }
        assert_int_equal(fresh, x.n);
        coverage_free(&c);
        item_clear(&x);
        memory_free(rows);
        memory_free(seen);
    }
}

/* A network that knows the truth: after voting every point of every test room has its label. */
static void coverage_labels_every_point_once(void **state)
{
    (void)state;
    data_write_room("Area_5/office_1.ply", 3000, 6, 3, 1);
    data_write_room("Area_5/office_2.ply", 700, 2, 2, 2);
    struct config config;
    struct dataset *d;
    struct loader *l;
    const struct batch *b;
    data_config(&config, "");
    data_check(dataset_open(&d, data_folder(), &config));
    struct loader_options o = data_loader_options(&config, d, false);
    o.batch = 4;
    o.threads = 2;
    struct votes votes[2] = {0};
    const struct item *items[2];
    for (int i = 0; i < 2; i++) {
        data_check(dataset_take(&items[i], d, SPLIT_TEST, i));
        data_check(votes_begin(&votes[i], items[i]->n, 13));
    }
    data_check(data_loader_open(&l, d, SPLIT_TEST, &o));
    data_check(loader_start(l, 0, 0));
    for (;;) {
        data_check(loader_next(l, &b));
        if (!b)
            break;
        for (int32_t c = 0; c < b->clouds; c++) {
            int32_t first = b->pyramid.first[0][c], n = b->pyramid.first[0][c + 1] - first;
            float *p = memory_alloc((size_t)n * 13, sizeof *p);
            for (int32_t i = 0; i < n; i++)
                p[13 * i + b->labels[0][first + i]] = 1;
            votes_add(&votes[b->item[c]], b->row + first, p, n);
            memory_free(p);
        }
    }
    loader_close(l);
    for (int i = 0; i < 2; i++) {
        int32_t *labels = memory_alloc((size_t)items[i]->n, sizeof *labels);
        for (int64_t k = 0; k < items[i]->n; k++)
            labels[k] = votes_best(votes[i].sum + k * 13, 13);
        assert_memory_equal(labels, items[i]->labels, (size_t)items[i]->n * sizeof *labels);
        memory_free(labels);
        votes_free(&votes[i]);
        dataset_give(d, SPLIT_TEST, i);
    }
    dataset_close(d);
}

static void a_scene_too_wide_is_refused(void **state)
{
    (void)state;
    struct item x;
    int32_t samples;
    make_item(&x, 100, 1, 1, 1);
    struct block_options o = {.edge = 1e-6, .points = 100};
    assert_int_equal(coverage_count(&samples, &x, &o), GLT_ELIMIT);
    assert_non_null(strstr(glt_error_message(), "block"));
    item_clear(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_columns_are_two_metres_wide),
        cmocka_unit_test(thin_columns_are_drawn_again),
        cmocka_unit_test(every_point_is_drawn),
        cmocka_unit_test(coverage_labels_every_point_once),
        cmocka_unit_test(a_scene_too_wide_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
