/* Neighbours over a view of a trace: by rising weight, whatever the order of the list; and traces
 * made by hand at the limits of what is drawn. labels: quick */
#include "core/json.h"
#include "core/memory.h"
#include "draw/components.h"
#include "draw/trace_image.h"
#include "errors.h"
#include "io_cloud.h"

#include <math.h>

/* --- neighbours --- */

enum { POINTS = 6, SIDE = 128 };

/* The centre, two neighbours at one place, and three that stand alone. */
static float xyz[POINTS * 3] = {0, 0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0};

struct listed {
    int32_t row;
    float weight;
};

static struct image view_of(const struct listed *list, int32_t n, int32_t shown)
{
    struct trace_view view = {.width = SIDE, .height = SIDE};
    struct colour colours[POINTS] = {{0}};
    int32_t index[POINTS];
    float weight[POINTS];
    struct image im = {0};
    view.trace.xyz = xyz;
    view.trace.n[0] = POINTS;
    for (int32_t i = 0; i < n; i++) {
        index[i] = list[i].row;
        weight[i] = list[i].weight;
    }
    struct trace_group g = {.style = TRACE_WEIGHTS,
                            .index = index,
                            .weight = weight,
                            .n = n,
                            .shown = shown,
                            .full = colour(200, 0, 0)};
    assert_int_equal(trace_view_whole(&im, &view, colours, POINTS, &g, 1), 0);
    call_free(&view.call);
    return im;
}

static bool same_image(struct image *a, struct image *b)
{
    size_t size = (size_t)a->width * (size_t)a->height * 3;
    bool same = a->width == b->width && a->height == b->height && !memcmp(a->rgb, b->rgb, size);
    image_free(a);
    image_free(b);
    return same;
}

static int64_t pixels_of(const struct image *im, struct colour c)
{
    int64_t n = 0;
    for (int y = 0; y < im->height; y++)
        for (int x = 0; x < im->width; x++) {
            struct colour at = image_at(im, x, y);
            n += at.r == c.r && at.g == c.g && at.b == c.b;
        }
    return n;
}

static void the_order_of_a_list_does_not_change_its_image(void **state)
{
    (void)state;
    struct listed list[] = {{1, 0.9f}, {2, 0.1f}, {3, 0.5f}, {4, 0.5f}, {5, 0.3f}};
    enum { N = sizeof list / sizeof *list };
    for (int turn = 1; turn < N; turn++)
        for (int mirror = 0; mirror < 2; mirror++) {
            struct listed other[N];
            for (int i = 0; i < N; i++)
                other[i] = list[(mirror ? N - 1 - i + turn : i + turn) % N];
            struct image a = view_of(list, N, N), b = view_of(other, N, N);
            assert_true(same_image(&a, &b));
        }
}

/* Two neighbours at one place: the disc of the heavier one covers the other. */
static void the_heaviest_neighbour_is_on_top(void **state)
{
    (void)state;
    static const struct listed lists[][3] = {{{1, 1}, {2, 0}, {3, 0}}, {{2, 0}, {3, 0}, {1, 1}}};
    for (int i = 0; i < 2; i++) {
        struct image im = view_of(lists[i], 3, 3);
        assert_true(pixels_of(&im, colour(200, 0, 0)) > 10);
        image_free(&im);
    }
}

/* A weight that is no number hides its neighbour, not the others: first, last or between. */
static void weights_that_are_not_finite_are_left_out(void **state)
{
    (void)state;
    static const struct listed rest[] = {{1, 0.9f}, {3, 0.5f}, {4, 0.1f}};
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int b = 0; b < 3; b++)
        for (int at = 0; at <= 3; at++) {
            struct listed list[4];
            for (int i = 0; i < 4; i++)
                list[i] = i == at ? (struct listed){5, bad[b]} : rest[i - (i > at)];
            struct image with = view_of(list, 4, 4), without = view_of(rest, 3, 3);
            assert_true(pixels_of(&without, colour(200, 0, 0)) > 10);
            assert_true(same_image(&with, &without));
        }
}

/* The view around a centre is as wide as its neighbours are far; alone it has the ball that was
 * empty, not the whole cloud. */
static void a_view_around_a_lonely_centre_is_that_of_its_ball(void **state)
{
    (void)state;
    struct trace_view view = {.trace = {.xyz = xyz, .n = {POINTS}}};
    const int32_t index[] = {0, 3};
    view.trace.radius[1][0] = 0.2;
    view.trace.radius[1][1] = 0.4;
    struct trace_group g = {.index = index, .n = 1};
    assert_true(trace_view_reach(&view, &g, 2, 1) == 0.2);
    assert_true(trace_view_reach(&view, &g, 2, 2) == 0.4);
    g.n = 2;
    assert_true(trace_view_reach(&view, &g, 2, 1) == 1);
}

/* Weights from -3e38 to 3e38: their range is more than a float holds. */
static void weights_of_any_size_are_drawn(void **state)
{
    (void)state;
    static const struct listed list[] = {{1, 3e38f}, {3, -3e38f}, {4, 0}};
    struct image im = view_of(list, 3, 3);
    assert_true(pixels_of(&im, colour(200, 0, 0)) > 10);
    image_free(&im);
}

/* The circle of a ball has its radius, whatever else is in sight; halves of discs show two heads.
 */
static void a_view_shows_the_ball_and_both_heads(void **state)
{
    (void)state;
    static const int32_t index[] = {1, 3};
    static const float first[] = {1, 0}, second[] = {0, 1};
    struct trace_view view = {.width = SIDE, .height = SIDE};
    struct colour colours[POINTS] = {{0}}, orange = colour(230, 120, 0);
    struct trace_group g = {.style = TRACE_WEIGHTS,
                            .index = index,
                            .weight = first,
                            .other = second,
                            .n = 2,
                            .shown = 2,
                            .full = colour(200, 0, 0),
                            .other_full = colour(0, 200, 0),
                            .radius = 5};
    struct trace_scene scene = {.colours = colours,
                                .n = POINTS,
                                .fit = POINTS,
                                .groups = &g,
                                .n_groups = 1,
                                .reach = 1,
                                .span = 5};
    struct image im = {0};
    view.trace.xyz = xyz;
    view.trace.n[0] = POINTS;
    assert_int_equal(trace_view_near(&im, &view, &scene), 0);
    assert_true(pixels_of(&im, orange) > 200); /* all of it is in sight */
    for (int i = 0; i < SIDE; i++) {
        assert_false(image_at(&im, i, 0).b == 0 && image_at(&im, i, 0).r == 230);
        assert_false(image_at(&im, 0, i).b == 0 && image_at(&im, 0, i).r == 230);
    }
    assert_true(pixels_of(&im, g.full) > 3);
    assert_true(pixels_of(&im, g.other_full) > 3);
    image_free(&im);
    call_free(&view.call);
}

/* --- channels --- */

static void channels_are_one_for_all_levels_or_one_for_each(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int first, last; /* -9: refused */
    } rows[] = {{"mean", TRACE_MEAN, TRACE_MEAN},
                {"-1", TRACE_MEAN, TRACE_MEAN},
                {"random", TRACE_RANDOM, TRACE_RANDOM},
                {"7", 7, 7},
                {"1,2,3,400", 1, 400},
                {"random,0,mean,5", TRACE_RANDOM, 5},
                {"1,2", -9, 0},
                {"1,2,3,4,5", -9, 0},
                {"", -9, 0},
                {"1,,3,4", -9, 0},
                {"2.5", -9, 0},
                {"-2", -9, 0},
                {"65536", -9, 0},
                {"many", -9, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace_view p = {0};
        int code = trace_view_channels(&p, rows[i].text);
        assert_int_equal(code, rows[i].first == -9 ? GLT_EARGUMENT : 0);
        if (code < 0) {
            assert_error("OPTION channel");
            continue;
        }
        assert_int_equal(p.channel[0], rows[i].first);
        assert_int_equal(p.channel[TRACE_LEVELS - 1], rows[i].last);
    }
}

/* --- limits --- */

enum { TENSORS_MAX = 32, NEIGHBOURS_MAX = 4096 };

struct made {
    struct st_source list[TENSORS_MAX];
    int n;
};

static void put(struct made *m, const char *name, enum st_type type, int64_t rows, int64_t cols,
                const void *items)
{
    assert_true(m->n < TENSORS_MAX);
    struct st_source *s = &m->list[m->n++];
    *s = (struct st_source){
        .type = type, .dims = cols ? 2 : 1, .shape = {rows, cols}, .items = items};
    snprintf(s->name, sizeof s->name, "%s", name);
}

/* A trace of POINTS points, of which one reaches the upper levels with a list of `edges`
 * neighbours; two rows of `columns` features. */
static const char *write_trace(int32_t edges, int64_t columns)
{
    static const char *const path = "limits.safetensors";
    struct made m = {0};
    static const int32_t order[POINTS] = {0, 1, 2, 3, 4, 5};
    int32_t start[] = {0, edges}, *index = calloc((size_t)edges, sizeof *index);
    float *features = calloc((size_t)(2 * columns), sizeof *features);
    float *weights = calloc((size_t)edges, sizeof *weights);
    struct json *meta = json_object();
    char name[64];
    assert_true(index && features && weights && meta);
    for (int32_t i = 0; i < edges; i++) {
        index[i] = i % POINTS;
        weights[i] = (float)((i * 1031) % edges);
    }
    for (int64_t i = 0; i < 2 * columns; i++)
        features[i] = (float)(i % 7);
    put(&m, "input/xyz", ST_F32, POINTS, 3, xyz);
    put(&m, "order", ST_I32, POINTS, 0, order);
    put(&m, "stem", ST_F32, 2, columns, features);
    for (int l = 1; l <= 4; l++)
        for (int b = 1; b <= 2; b++) {
            snprintf(name, sizeof name, "enc%d/block%d/start", l, b);
            put(&m, name, ST_I32, 2, 0, start);
            snprintf(name, sizeof name, "enc%d/block%d/index", l, b);
            put(&m, name, ST_I32, edges, 0, index);
            snprintf(name, sizeof name, "enc%d/block%d/attention_latent", l, b);
            put(&m, name, ST_F32, edges, 1, weights);
        }
    assert_int_equal(safetensors_write(scratch(path), m.list, m.n, meta), 0);
    json_free(meta);
    free(index);
    free(features);
    free(weights);
    return path;
}

static int draw(const char *trace, const char *words)
{
    char path[256];
    snprintf(path, sizeof path, "%s", scratch(trace));
    remove(scratch("limits.png"));
    int code = glt_trace_image(path, scratch("limits.png"), words);
    assert_int_equal(file_exists(scratch("limits.png")), code == 0);
    remove(path); /* models and traces are not replaced */
    return code;
}

static void features_of_4096_columns_are_drawn_and_no_more(void **state)
{
    (void)state;
    static const char *const words = "kind=levels width=64 height=64";
    assert_int_equal(draw(write_trace(3, TRACE_COLUMNS_MAX), words), 0);
    assert_int_equal(draw(write_trace(3, TRACE_COLUMNS_MAX + 1), words), GLT_ELIMIT);
    assert_error("SHAPE stem");
    assert_error_file("limits.safetensors");
}

static void lists_of_4096_neighbours_are_drawn_and_no_more(void **state)
{
    (void)state;
    static const char *const words = "kind=attention width=64 height=64";
    assert_int_equal(draw(write_trace(NEIGHBOURS_MAX, 1), words), 0);
    assert_int_equal(draw(write_trace(NEIGHBOURS_MAX + 1, 1), words), GLT_EFORMAT);
    assert_error("SHAPE point 0");
}

/* Two rows of many columns take no square of them, and get the colours that rows of few columns
 * get: the columns are copies of each other. */
static void wide_rows_have_the_colours_of_narrow_ones(void **state)
{
    (void)state;
    enum { N = 5, C = 3, COPIES = 400 };
    static const float narrow[N * C] = {0, 1, 2, 9, 1, 2, 4, 3, 2, 6, 0, 7, 1, 1, 1};
    static float wide[N * C * COPIES];
    struct colour a[N], b[N];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < C * COPIES; k++)
            wide[i * C * COPIES + k] = narrow[i * C + k % C];
    assert_int_equal(components_colours(a, narrow, N, C), 0);
    memory_peak_reset();
    assert_int_equal(components_colours(b, wide, N, C * COPIES), 0);
    assert_true(memory_stats().peak - memory_stats().bytes <
                1 << 20); /* the covariance has 11 MB */
    for (int i = 0; i < N; i++) {
        assert_true(abs(a[i].r - b[i].r) <= 1);
        assert_true(abs(a[i].g - b[i].g) <= 1);
        assert_true(abs(a[i].b - b[i].b) <= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_a_list_does_not_change_its_image),
        cmocka_unit_test(the_heaviest_neighbour_is_on_top),
        cmocka_unit_test(weights_that_are_not_finite_are_left_out),
        cmocka_unit_test(a_view_around_a_lonely_centre_is_that_of_its_ball),
        cmocka_unit_test(weights_of_any_size_are_drawn),
        cmocka_unit_test(a_view_shows_the_ball_and_both_heads),
        cmocka_unit_test(channels_are_one_for_all_levels_or_one_for_each),
        cmocka_unit_test(features_of_4096_columns_are_drawn_and_no_more),
        cmocka_unit_test(lists_of_4096_neighbours_are_drawn_and_no_more),
        cmocka_unit_test(wide_rows_have_the_colours_of_narrow_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
