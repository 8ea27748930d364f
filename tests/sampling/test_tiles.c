/* Tiles: those of training, and tilings that label every point exactly once after voting.
 * labels: quick */
#include "data_folder.h"
#include "errors.h"

#include "core/memory.h"
#include "sampling/floor.h"
#include "sampling/sample.h"
#include "sampling/tiling.h"
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

static void training_tiles_are_two_metres_wide(void **state)
{
    (void)state;
    enum { N = 4000 };
    struct item x;
    int32_t rows[N];
    float centre[3], other[3];
    struct sampling_settings o = {.block = 2, .points = 100};
    make_item(&x, N, 7, 5, 1);
    int differ = 0;
    for (uint32_t sample = 0; sample < 20; sample++) {
        struct random_key key = {3, 1, sample}, next = {3, 2, sample};
        int32_t n = sample_tile(rows, centre, &x, &o, key), inside = 0;
        for (int32_t i = 0; i < N; i++)
            inside +=
                fabsf(x.xyz[3 * i] - centre[0]) <= 1 && fabsf(x.xyz[3 * i + 1] - centre[1]) <= 1;
        assert_int_equal(n, inside);
        assert_true(centre[2] == x.low[2]);
        for (int32_t i = 0; i < n; i++) {
            assert_true(i == 0 || rows[i - 1] < rows[i]);
            assert_true(fabsf(x.xyz[3 * rows[i]] - centre[0]) <= 1);
        }
        sample_tile(rows, other, &x, &o, next);
        differ += memcmp(centre, other, sizeof centre) != 0;
    }
    assert_in_range(differ, 18, 20);
    item_clear(&x);
}

/* Ten points far away among thousands: a tile that thin is drawn again, at most ten times. */
static void thin_tiles_are_drawn_again(void **state)
{
    (void)state;
    enum { N = 400 };
    struct item x;
    int32_t rows[N], thin = 0, thick = 0;
    float centre[3];
    struct sampling_settings o = {.block = 2, .points = 100};
    make_item(&x, N, 1, 1, 1);
    for (int32_t i = 0; i < 150; i++)
        x.xyz[3 * i] += 50;
    for (uint32_t sample = 0; sample < 100; sample++) {
        struct random_key key = {3, 1, sample};
        o.block_min = 0;
        thin += sample_tile(rows, centre, &x, &o, key) == 150;
        o.block_min = 200;
        thick += sample_tile(rows, centre, &x, &o, key) == 250;
    }
    assert_in_range(thin, 20, 60);
    assert_in_range(thick, 99, 100); /* 0.375^10 is 5e-5 */
    o.block_min = 10000;             /* never reached: the last try is taken */
    assert_true(sample_tile(rows, centre, &x, &o, (struct random_key){3, 1, 0}) >= 150);
    item_clear(&x);
}

/* --- floors --- */

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void a_floor_lies_above_one_point_in_a_hundred(void **state)
{
    (void)state;
    enum { N = 1234 };
    float z[N], sorted[N];
    struct random r = random_start(random_stream(1, 0, 0, RANDOM_TEST), 0);
    for (int32_t n = 1; n < N; n += 1 + n / 7) {
        for (int distinct = 1; distinct <= 1000; distinct *= 10) {
            for (int32_t i = 0; i < n; i++)
                z[i] = sorted[i] = (float)random_below(&r, (uint32_t)distinct);
            qsort(sorted, (size_t)n, sizeof *sorted, by_value);
            assert_true(floor_height(z, n) == sorted[n / 100]);
        }
    }
}

/* The expected floor of a square around a centre. */
static float expected_floor(const struct item *x, const float *centre, double edge)
{
    float *z = memory_alloc((size_t)x->n, sizeof *z);
    int32_t n = 0;
    for (int64_t i = 0; i < x->n; i++)
        if (fabs((double)x->xyz[3 * i] - (double)centre[0]) <= edge / 2 &&
            fabs((double)x->xyz[3 * i + 1] - (double)centre[1]) <= edge / 2)
            z[n++] = x->xyz[3 * i + 2];
    qsort(z, (size_t)n, sizeof *z, by_value);
    float floor = z[n / 100];
    memory_free(z);
    return floor;
}

/* On a hillside each tile has a floor of its own, in training and in a tiling. */
static void heights_begin_at_the_floor_of_a_tile(void **state)
{
    (void)state;
    struct item x;
    make_item(&x, 6000, 9, 7, 3);
    for (int64_t i = 0; i < x.n; i++)
        x.xyz[3 * i + 2] += 3 * x.xyz[3 * i];
    item_find_low(&x);
    for (int kind = FLOOR_TILE; kind <= FLOOR_AROUND; kind++) {
        double edge = kind == FLOOR_AROUND ? 6 : 2;
        struct sample_options o = {.task = TASK_SEGMENT,
                                   .sampling = {.block = 2, .points = 50, .floor = kind}};
        struct sample_scratch scratch = {0};
        data_check(inputs_parse(&o.inputs, "xyz,rgb"));
        for (uint32_t k = 0; k < 10; k++) {
            struct sample s;
            int32_t rows[6000];
            float centre[3];
            sample_tile(rows, centre, &x, &o.sampling, (struct random_key){0, 1, k});
            data_check(sample_train(&s, &scratch, &o, &x, 1, k));
            float floor = expected_floor(&x, centre, edge);
            for (int32_t i = 0; i < s.n; i++)
                assert_true(s.xyz[3 * i + 2] == x.xyz[3 * (int64_t)s.row[i] + 2] - floor);
        }
        sample_scratch_free(&scratch);
        struct tiling t;
        struct tiling_options how = {.sampling = o.sampling, .seed = 5, .tilings = 1};
        data_check(tiling_make(&t, &x, &how));
        assert_true(t.tiles > 10);
        for (int32_t i = 0; i < t.tiles; i++) {
            float *centre = t.centre + 3 * i;
            assert_true(centre[2] == expected_floor(&x, centre, edge));
        }
        tiling_free(&t);
    }
    item_clear(&x);
}

/* --- tilings --- */

static struct tiling_options options_of(int32_t points, enum tile_grid grid)
{
    return (struct tiling_options){
        .sampling = {.block = 2, .points = points}, .seed = 5, .tilings = 1, .grid = grid};
}

/* Draws all samples of a tile; returns how many points came for the first time. */
static int32_t draw_tile(const struct tiling *t, const struct tile *tile, const struct item *x,
                         int32_t *seen, int32_t *places)
{
    int32_t fresh = 0;
    for (int32_t i = 0; i < tile->samples; i++) {
        int32_t n = tiling_draw(places, t, tile, i), new = 0;
        assert_in_range(n, 1, t->options.sampling.points);
        for (int32_t k = 0; k < n; k++) {
            int64_t row = tile->rows[places[k]];
            for (int32_t m = 0; m < k; m++)
                assert_int_not_equal(places[m], places[k]); /* each once in a sample */
            for (int d = 0; d < 2; d++)
                assert_true(fabsf(x->xyz[3 * row + d] - tile->centre[d]) <= 1.0001f);
            assert_true(x->xyz[3 * row + 2] >= tile->centre[2]);
            new += seen[row]++ == 0;
        }
        assert_true(new > 0); /* no sample for nothing */
        fresh += new;
    }
    return fresh;
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
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        struct item x;
        struct tiling t;
        struct tiling_options o =
            options_of(cases[k / 2].points, k % 2 ? TILE_GRID_WORLD : TILE_GRID_CLOUD);
        make_item(&x, cases[k / 2].n, cases[k / 2].w, cases[k / 2].d, (uint32_t)k);
        int32_t tiles, largest, fresh = 0, samples = 0;
        int32_t *places = memory_alloc((size_t)cases[k / 2].points, sizeof *places);
        int32_t *seen = memory_alloc((size_t)x.n, sizeof *seen);
        data_check(tiling_measure(&tiles, &largest, &x, &o));
        data_check(tiling_make(&t, &x, &o));
        assert_int_equal(tiles, t.tiles);
        assert_int_equal(largest, t.largest);
        for (int32_t i = 0; i < t.tiles; i++) {
            struct tile tile = tiling_tile(&t, i);
            assert_in_range(tile.n, 1, largest);
            fresh += draw_tile(&t, &tile, &x, seen, places);
            samples += tile.samples;
        }
        assert_int_equal(fresh, x.n);
        assert_int_equal(samples, t.first[t.tiles]);
        tiling_free(&t);
        item_clear(&x);
        memory_free(places);
        memory_free(seen);
    }
}

/* Points within a view's square, and its coordinates where the network expects them. */
static void check_view(const struct tile *tile, const struct item *x)
{
    float *xyz = memory_alloc((size_t)tile->n, 3 * sizeof *xyz);
    if (tiling_view(xyz, &tile->view, x, tile->rows, tile->n))
        for (int64_t i = 0; i < tile->n; i++) {
            const float *p = x->xyz + 3 * (int64_t)tile->rows[i];
            for (int k = 0; k < 2; k++) {
                double edges =
                    ((double)p[k] - (double)xyz[3 * i + k] - tile->view.low[k]) / tile->view.edge;
                assert_true(fabsf(xyz[3 * i + k]) <= TILING_VIEW * 1.0001f);
                assert_true(fabs(edges - floor(edges) - 0.5) < 1e-4);
            }
            assert_true(xyz[3 * i + 2] == p[2] - tile->centre[2]);
        }
    memory_free(xyz);
}

static int32_t squares(const struct item *x)
{
    float high[2] = {x->low[0], x->low[1]};
    for (int64_t i = 0; i < x->n; i++)
        for (int k = 0; k < 2; k++)
            high[k] = fmaxf(high[k], x->xyz[3 * i + k]);
    int32_t n = 1;
    for (int k = 0; k < 2; k++) /* and one more, where the grid begins elsewhere */
        n *= (int32_t)((high[k] - x->low[k]) / (2 * TILING_SQUARE)) + 2;
    return n;
}

static void a_dense_tile_is_dealt_once_and_sparse_ones_are_joined(void **state)
{
    (void)state;
    static const struct {
        int32_t n, points, few, enough;
        double w, d;
    } cases[] = {{1, 10, 4, 16, 1, 1},         {999, 64, 0, 0, 5, 3},
                 {501, 250, 10, 80, 1.9, 1.9}, {3000, 7, 2, 4, 9, 4},
                 {500, 600, 16, 64, 90, 40},   {60, 600, 16, 400, 90, 90},
                 {2000, 600, 30, 200, 40, 9}};
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        struct item x;
        struct tiling t;
        struct tiling_options o =
            options_of(cases[k / 2].points, k % 2 ? TILE_GRID_WORLD : TILE_GRID_CLOUD);
        o.once = true;
        o.few = cases[k / 2].few;
        o.enough = cases[k / 2].enough;
        make_item(&x, cases[k / 2].n, cases[k / 2].w, cases[k / 2].d, (uint32_t)k);
        int32_t *seen = memory_alloc((size_t)x.n, sizeof *seen), tiles, largest, sparse = 0;
        data_check(tiling_measure(&tiles, &largest, &x, &o));
        data_check(tiling_make(&t, &x, &o));
        assert_int_equal(tiles, t.tiles);
        assert_int_equal(largest, t.largest);
        for (int32_t i = 0; i < t.tiles; i++) {
            struct tile tile = tiling_tile(&t, i);
            assert_int_equal(tile.samples, 1);
            assert_in_range(tile.n, 1, o.sampling.points);
            for (int32_t m = 0; m < tile.n; m++)
                seen[tile.rows[m]]++;
            check_view(&tile, &x);
            bool alone = tile.view.edge == 0;
            sparse += tile.n < (alone ? o.few : o.enough) && o.sampling.points > o.enough;
        }
        for (int32_t i = 0; i < x.n; i++)
            assert_int_equal(seen[i], 1);
        assert_in_range(sparse, 0, squares(&x)); /* one rest in each */
        tiling_free(&t);
        item_clear(&x);
        memory_free(seen);
    }
}

/* A network that knows the truth: after voting every point has its label. */
static void votes_label_every_point(void **state)
{
    (void)state;
    enum { CLASSES = 13, POINTS = 256 };
    struct item x;
    struct votes all = {0}, votes = {0};
    int32_t places[POINTS];
    static float p[POINTS * CLASSES];
    make_item(&x, 3000, 6, 3, 1);
    data_check(votes_begin(&all, x.n, CLASSES));
    for (int32_t number = 0; number < 3; number++) {
        struct tiling t;
        struct tiling_options o = options_of(POINTS, TILE_GRID_CLOUD);
        o.number = number;
        o.tilings = 3;
        data_check(tiling_make(&t, &x, &o));
        for (int32_t i = 0; i < t.tiles; i++) {
            struct tile tile = tiling_tile(&t, i);
            data_check(votes_begin(&votes, tile.n, CLASSES));
            for (int32_t sample = 0; sample < tile.samples; sample++) {
                int32_t n = tiling_draw(places, &t, &tile, sample);
                memset(p, 0, sizeof p);
                for (int32_t k = 0; k < n; k++)
                    p[k * CLASSES + tile.rows[places[k]] % CLASSES] = 1;
                votes_add(&votes, places, p, n);
            }
            votes_merge(&all, tile.rows, &votes);
        }
        tiling_free(&t);
    }
    for (int32_t i = 0; i < x.n; i++) {
        assert_true(all.count[i] >= 3);
        assert_int_equal(votes_best(all.sum + (int64_t)i * CLASSES, CLASSES), i % CLASSES);
    }
    votes_free(&all);
    votes_free(&votes);
    item_clear(&x);
}

/* The paper's grid begins at the lowest corner, the world's at 0, 0 of the file. */
static void grids_begin_where_they_should(void **state)
{
    (void)state;
    struct item x;
    struct tiling t;
    make_item(&x, 500, 5, 3, 1);
    x.origin[0] += 0.5;
    for (int grid = 0; grid < 2; grid++) {
        struct tiling_options o = options_of(64, grid ? TILE_GRID_WORLD : TILE_GRID_CLOUD);
        data_check(tiling_make(&t, &x, &o));
        for (int32_t i = 0; i < t.tiles; i++) {
            struct tile tile = tiling_tile(&t, i);
            for (int k = 0; k < 2; k++) {
                double from = grid ? -x.origin[k] : (double)x.low[k];
                double edges = ((double)tile.centre[k] - from) / 2 - 0.5;
                assert_true(fabs(edges - round(edges)) < 1e-5);
            }
            float low = INFINITY;
            for (int32_t k = 0; k < tile.n; k++)
                low = fminf(low, x.xyz[3 * (int64_t)tile.rows[k] + 2]);
            assert_true(tile.centre[2] == (grid ? low : x.low[2]));
        }
        tiling_free(&t);
    }
    item_clear(&x);
}

/* The lowest of the points in the tiles that touch the one around a centre. */
static float lowest_around(const struct item *x, const float *centre)
{
    float low = INFINITY;
    for (int64_t i = 0; i < x->n; i++) {
        float dx = x->xyz[3 * i] - centre[0], dy = x->xyz[3 * i + 1] - centre[1];
        if (dx >= -3 && dx < 3 && dy >= -3 && dy < 3)
            low = fminf(low, x->xyz[3 * i + 2]);
    }
    return low;
}

static void floors_of_the_world_are_those_around_a_tile(void **state)
{
    (void)state;
    struct item x;
    struct tiling t;
    make_item(&x, 3000, 19, 3, 1);
    for (int64_t i = 0; i < x.n; i++)
        x.xyz[3 * i + 2] += x.xyz[3 * i]; /* a slope */
    item_find_low(&x);
    struct tiling_options o = options_of(64, TILE_GRID_WORLD);
    data_check(tiling_make(&t, &x, &o));
    for (int32_t i = 0; i < t.tiles; i++) {
        struct tile tile = tiling_tile(&t, i);
        assert_true(tile.centre[2] == lowest_around(&x, tile.centre));
    }
    tiling_free(&t);
    item_clear(&x);
}

/* Tiles without a row that gets a label are left out, and the others are as before. */
static void only_wanted_tiles_are_made(void **state)
{
    (void)state;
    struct item x;
    struct tiling all, some;
    make_item(&x, 3000, 9, 7, 1);
    for (int once = 0; once < 2; once++) {
        struct tiling_options o = options_of(64, TILE_GRID_WORLD);
        int32_t tiles, largest, found = 0;
        o.once = once;
        o.few = 8;
        o.enough = 32;
        x.wanted = 0;
        data_check(tiling_make(&all, &x, &o));
        x.wanted = 5;
        data_check(tiling_make(&some, &x, &o));
        data_check(tiling_measure(&tiles, &largest, &x, &o));
        assert_int_equal(tiles, some.tiles);
        assert_in_range(some.tiles, 1, all.tiles - 1);
        for (int32_t i = 0; i < some.tiles; i++) {
            struct tile a = tiling_tile(&some, i), b = {0};
            for (int32_t k = 0; k < all.tiles && b.seed != a.seed; k++)
                b = tiling_tile(&all, k);
            assert_int_equal(a.n, b.n);
            assert_memory_equal(a.rows, b.rows, (size_t)a.n * sizeof *a.rows);
            assert_memory_equal(a.centre, b.centre, 3 * sizeof(float));
            for (int32_t k = 0; k < a.n; k++)
                found += x.row[a.rows[k]] < 5;
        }
        assert_int_equal(found, 5);
        tiling_free(&all);
        tiling_free(&some);
    }
    item_clear(&x);
}

static void a_scene_too_wide_is_refused(void **state)
{
    (void)state;
    struct item x;
    struct tiling t;
    make_item(&x, 100, 1, 1, 1);
    struct tiling_options o = options_of(100, TILE_GRID_CLOUD);
    o.sampling.block = 1e-6;
    assert_int_equal(tiling_make(&t, &x, &o), GLT_ELIMIT);
    assert_error("COORDINATES");
    item_clear(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_tiles_are_two_metres_wide),
        cmocka_unit_test(thin_tiles_are_drawn_again),
        cmocka_unit_test(a_floor_lies_above_one_point_in_a_hundred),
        cmocka_unit_test(heights_begin_at_the_floor_of_a_tile),
        cmocka_unit_test(every_point_is_drawn),
        cmocka_unit_test(a_dense_tile_is_dealt_once_and_sparse_ones_are_joined),
        cmocka_unit_test(votes_label_every_point),
        cmocka_unit_test(grids_begin_where_they_should),
        cmocka_unit_test(floors_of_the_world_are_those_around_a_tile),
        cmocka_unit_test(only_wanted_tiles_are_made),
        cmocka_unit_test(a_scene_too_wide_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
