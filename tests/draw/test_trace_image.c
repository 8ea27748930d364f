/* Pictures and films of traces: made for every task that has one, the same bytes again, refused for
 * what is no trace, and nothing lost under failures. labels: quick full nightly slow */
#include "core/file.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "core/random.h"
#include "draw/components.h"
#include "draw/trace_cells.h"
#include "draw/trace_colours.h"
#include "draw/trace_image.h"
#include "draw/trace_scores.h"
#include "faults.h"
#include "io_cloud.h"
#include "settings.h"
#include "tier.h"

#include <math.h>
#include <unistd.h>
#include <zlib.h>

enum { POINTS = 300 };

/* Colours are rgb, three channels each of `inputs`; the first ones are out of range. */
static void make_trace_of(const char *path, const char *task, const char *inputs, int channels)
{
    static const char *const pairs[][2] = {{"levels", "128,64,16,8"},
                                           {"width", "8"},
                                           {"stem", "8"},
                                           {"k", "8"},
                                           {"radius", "0.2"},
                                           {"points", "300"},
                                           {"decoder", "16,16,12,12,8,8,8,8"},
                                           {"head_hidden", "8"},
                                           {"cls_hidden", "16"}};
    float xyz[POINTS * 3], rgb[POINTS * 6];
    int32_t labels[POINTS];
    struct random r = random_start(random_stream(5, 0, 0, RANDOM_TEST), 0);
    struct glt_config *config = NULL;
    struct glt_model *m = NULL;
    for (int i = 0; i < POINTS * 3; i++) {
        xyz[i] = (float)random_uniform(&r);
        rgb[i] = rgb[i + POINTS * 3] = (float)random_uniform(&r);
        labels[i / 3] = i % 5 - 1;
    }
    assert_int_equal(glt_config_create(&config), 0);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(glt_config_set(config, pairs[i][0], pairs[i][1]), 0);
    assert_int_equal(glt_config_set(config, "task", task), 0);
    assert_int_equal(glt_config_set(config, "inputs", inputs), 0);
    for (int k = 0; k < 6; k++)
        rgb[k] = k % 3 ? 1.05f : -0.5f;
    assert_int_equal(glt_model_create(&m, config, 4), 0);
    assert_int_equal(glt_model_set_class(m, 2, "pink", (const uint8_t[]){250, 170, 190}), 0);
    struct glt_points p = {.size = sizeof p,
                           .n = POINTS,
                           .xyz = xyz,
                           .type = GLT_F32,
                           .channels = channels,
                           .features = rgb,
                           .labels = labels,
                           .placed = 1};
    assert_int_equal(glt_model_explain(m, &p, path), 0);
    glt_model_free(m);
    glt_config_free(config);
}

static void make_trace(const char *path, const char *task)
{
    make_trace_of(path, task, "xyz,rgb", 3);
}

/* a.safetensors of a network that segments, c.safetensors of one that classifies */
static int make_traces(void **state)
{
    (void)state;
    make_trace(scratch("a.safetensors"), "segment");
    make_trace(scratch("c.safetensors"), "classify");
    return 0;
}

static void weights_of_a_trace_sum_to_one(void **state)
{
    (void)state;
    static const char *const heads[] = {"geometric", "latent"};
    struct trace_file t;
    assert_int_equal(trace_file_open(&t, scratch("a.safetensors")), 0);
    assert_int_equal(t.n[0], POINTS);
    assert_int_equal(t.n[4], 8);
    for (int level = 1; level <= 4; level++)
        for (int block = 1; block <= 2; block++) {
            struct trace_block b;
            assert_int_equal(trace_block_read(&b, &t, level, block), 0);
            assert_int_equal(b.centres, t.n[level]);
            int32_t edges = b.start[b.centres];
            float *w = memory_alloc((size_t)edges, sizeof *w);
            for (int h = 0; h < 2; h++) {
                bool found;
                int channel = h ? -1 : 0;
                assert_int_equal(
                    trace_weights(w, &found, &t, level, block, heads[h], 0, edges, channel), 0);
                assert_true(found);
                for (int32_t i = 0; i < b.centres; i++) {
                    double sum = 0;
                    for (int32_t e = b.start[i]; e < b.start[i + 1]; e++)
                        sum += (double)w[e];
                    assert_true(fabs(sum - 1) < 1e-5);
                }
            }
            memory_free(w);
            trace_block_free(&b);
        }
    trace_file_close(&t);
}

static void assert_same_file(const char *a, const char *b)
{
    char first[256], *x = NULL, *y = NULL;
    size_t n, m;
    snprintf(first, sizeof first, "%s", scratch(a));
    assert_int_equal(file_read_all(&x, &n, first, 1 << 24), 0);
    assert_int_equal(file_read_all(&y, &m, scratch(b), 1 << 24), 0);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    memory_free(x);
    memory_free(y);
}

static int draw(const char *trace, const char *image, const char *words)
{
    char path[256];
    snprintf(path, sizeof path, "%s", scratch(trace));
    return glt_trace_image(path, scratch(image), words);
}

static void the_same_trace_gives_the_same_bytes(void **state)
{
    (void)state;
    static const char *const words[] = {"kind=attention point=7",
                                        "kind=grouping point=7",
                                        "kind=outputs",
                                        "channel=0 width=64 height=80",
                                        "kind=panels",
                                        "kind=levels width=64",
                                        "kind=scores point=7 up=y",
                                        "kind=graph point=7 other=9 level=1 block=2 width=64",
                                        "channel=random seed=5 width=64",
                                        "kind=outputs cut=0.5 up=x width=64"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_int_equal(draw("a.safetensors", "a.png", words[i]), 0);
        assert_int_equal(draw("a.safetensors", "b.png", words[i]), 0);
        assert_same_file("a.png", "b.png");
    }
    assert_int_equal(draw("c.safetensors", "c.png", "point=3"), 0);
    assert_int_equal(draw("c.safetensors", "c.png", "kind=scores"), 0);
    assert_int_equal(draw("c.safetensors", "c.png", "kind=graph"), 0);
    assert_int_equal(draw("c.safetensors", "d.png", "kind=levels"), 0);
    assert_int_equal(draw("c.safetensors", "e.png", "kind=outputs"), GLT_EDATA);
    assert_int_equal(draw("c.safetensors", "e.png", "kind=panels"), GLT_EDATA);
}

static bool same_file(const char *a, const char *b)
{
    char first[256], *x = NULL, *y = NULL;
    size_t n, m;
    snprintf(first, sizeof first, "%s", scratch(a));
    assert_int_equal(file_read_all(&x, &n, first, 1 << 24), 0);
    assert_int_equal(file_read_all(&y, &m, scratch(b), 1 << 24), 0);
    bool same = n == m && !memcmp(x, y, n);
    memory_free(x);
    memory_free(y);
    return same;
}

/* What an option says changes the image. */
static void options_of_an_image_have_an_effect(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"channel=mean width=64", "channel=0 width=64"},
        {"channel=0 width=64", "channel=0,0,0,3 width=64"}, /* of the deepest level alone */
        {"channel=random width=64", "channel=random seed=1 width=64"},
        {"kind=scores width=64", "kind=scores width=64 channel=1"},
        {"kind=scores width=64", "kind=scores width=64 up=x"},
        {"kind=outputs width=64", "kind=outputs width=64 cut=0.3"},
        {"kind=graph width=64", "kind=graph width=64 level=1"},
        {"kind=graph width=64", "kind=graph width=64 block=2"},
        {"kind=graph width=64 other=1", "kind=graph width=64 other=2"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(draw("a.safetensors", "a.png", pairs[i][0]), 0);
        assert_int_equal(draw("a.safetensors", "b.png", pairs[i][1]), 0);
        assert_false(same_file("a.png", "b.png"));
    }
}

/* By hand from the weights: every level and block counts, each by its own range. */
static void scores_are_those_of_all_levels(void **state)
{
    (void)state;
    struct trace_file t;
    float w[64];
    float share[POINTS];
    bool found;
    int64_t points = 0;
    struct trace_view p = {.channel = {-1, -1, -1, -1}};
    struct trace_scores s = {0};
    assert_int_equal(trace_file_open(&t, scratch("a.safetensors")), 0);
    for (int i = 0; i < POINTS; i++)
        share[i] = -1;
    for (int level = 1; level <= 4; level++)
        for (int block = 1; block <= 2; block++) {
            struct trace_block b;
            assert_int_equal(trace_block_read(&b, &t, level, block), 0);
            int32_t begin = b.start[0], end = b.start[1];
            assert_int_equal(trace_weights(w, &found, &t, level, block, "latent", begin, end, -1),
                             0);
            assert_true(found && end > begin);
            float min = INFINITY, max = -INFINITY;
            for (int32_t e = begin; e < end; e++) {
                min = fminf(min, w[e - begin]);
                max = fmaxf(max, w[e - begin]);
            }
            for (int32_t e = begin; e < end; e++) {
                float x = max > min ? (w[e - begin] - min) / (max - min) : 1;
                points += share[b.index[e]] < 0;
                share[b.index[e]] = fmaxf(share[b.index[e]], x);
            }
            trace_block_free(&b);
        }
    /* the radius doubles from level to level: each adds points that no other list has */
    assert_true(points > 8);
    assert_int_equal(trace_file_open(&p.trace, scratch("a.safetensors")), 0);
    assert_int_equal(trace_scores_gather(&s, &p), 0);
    assert_true(s.found[0] && s.found[1] && s.n >= points);
    for (int32_t i = 0; i < t.n[0]; i++)
        assert_float_equal(s.share[1][i], share[i], 1e-6);
    trace_file_close(&p.trace);
    call_free(&p.call);
    assert_true(t.radius[0][0] > 0.19 && t.radius[0][0] < 0.21);
    assert_true(t.radius[3][1] > 3.19 && t.radius[3][1] < 3.21);
    assert_int_equal(trace_channels(&t, 4, 2, "latent"), 32);
    assert_int_equal(trace_channels(&t, 4, 2, "none"), 0);
    trace_file_close(&t);
}

static void classes_have_the_colours_of_the_model(void **state)
{
    (void)state;
    const int32_t labels[] = {2, -1, 4};
    struct colour c[3];
    struct trace_file t;
    assert_int_equal(trace_file_open(&t, scratch("a.safetensors")), 0);
    trace_colours_labels(c, &t, labels, 3);
    assert_true(c[0].r == 250 && c[0].g == 170 && c[0].b == 190);
    assert_true(c[1].r == 150 && c[2].r == 150); /* no class */
    trace_file_close(&t);
}

/* The truth comes back at the points it was given with. */
static void the_truth_stays_with_its_points(void **state)
{
    (void)state;
    struct trace_file t;
    assert_int_equal(trace_file_open(&t, scratch("a.safetensors")), 0);
    assert_non_null(t.truth);
    for (int32_t i = 0; i < t.n[0]; i++) /* without input/row the rows count up */
        assert_int_equal(t.truth[i], (3 * t.row[i] + 2) % 5 - 1);
    trace_file_close(&t);
    assert_int_equal(trace_file_open(&t, scratch("c.safetensors")), 0);
    assert_null(t.truth);
    trace_file_close(&t);
}

static int draw_parts(void *user)
{
    return draw("parts", "f.png", user);
}

/* Parts are predicted within a category: that of the truth, else the most likely one. */
static void parts_are_those_of_the_true_or_likeliest_category(void **state)
{
    (void)state;
    float xyz[POINTS * 3];
    int32_t labels[POINTS], *found;
    int64_t n;
    struct random r = random_start(random_stream(6, 0, 0, RANDOM_TEST), 0);
    struct glt_model *m = settings_glt_model("points=300 levels=128,64,16,8 width=8 stem=8 k=8",
                                             "task=parts inputs=xyz decoder=8 head_hidden=8", 6);
    static const char *const names[] = {"a", "b", "c"};
    for (int k = 0; k < 3; k++)
        assert_int_equal(glt_model_add_category(m, names[k], 2 * k, 2), 0);
    for (int i = 0; i < POINTS * 3; i++)
        xyz[i] = (float)random_uniform(&r);
    for (int category = 0; category < 4; category++) { /* the last: none is given */
        for (int i = 0; i < POINTS; i++)
            labels[i] = 2 * category + i % 2;
        struct glt_points p = {.size = sizeof p,
                               .n = POINTS,
                               .xyz = xyz,
                               .type = GLT_F32,
                               .labels = category < 3 ? labels : NULL,
                               .placed = 1};
        struct trace_file t;
        assert_int_equal(glt_model_explain(m, &p, scratch("parts")), 0);
        assert_int_equal(trace_file_open(&t, scratch("parts")), 0);
        assert_int_equal(trace_labels(&found, &n, &t, "main"), 0);
        for (int64_t i = 0; i < n; i++)
            assert_int_equal(found[i] / 2, category < 3 ? category : found[0] / 2);
        assert_int_equal(t.first, 2 * (found[0] / 2)); /* the legend has its parts alone */
        assert_int_equal(t.count, 2);
        memory_free(found);
        trace_file_close(&t);
    }
    assert_true(faults_memory(draw_parts, (char[]){"kind=outputs width=64 height=64"}) > 10);
    assert_int_equal(file_remove(scratch("parts")), 0);
    glt_model_free(m);
}

static void colours_come_from_the_inputs_called_rgb(void **state)
{
    (void)state;
    static const struct {
        const char *inputs;
        int channels, first; /* of rgb; -1: none */
    } rows[] = {{"xyz,rgb", 3, 0}, {"xyz,normals", 3, -1}, {"xyz,normals,rgb", 6, 3}};
    for (int i = 0; i < 3; i++) {
        struct trace_file t;
        struct colour c[POINTS];
        make_trace_of(scratch("g.safetensors"), "segment", rows[i].inputs, rows[i].channels);
        assert_int_equal(trace_file_open(&t, scratch("g.safetensors")), 0);
        trace_colours_input(c, &t);
        assert_true((t.colours != NULL) == (rows[i].first >= 0));
        for (int32_t k = 0; k < POINTS; k++) /* the first row of the file: -0.5, 1.05, 1.05 */
            if (t.row[k] == 0 && t.colours)
                assert_true(c[k].r == 0 && c[k].g == 255 && c[k].b == 255);
            else if (t.row[k] == 0)
                assert_true(c[k].r == 120 && c[k].g == 130 && c[k].b == 150);
        trace_file_close(&t);
    }
}

/* Two clouds of rows along known axes: the first component tells the clouds apart. */
static void the_first_component_separates_two_clouds(void **state)
{
    (void)state;
    enum { N = 40, C = 5 };
    float x[N * C];
    struct colour c[N], again[N];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < C; k++)
            x[i * C + k] = k == 3   ? (i % 2 ? 10.0f : -10.0f)
                           : k == 1 ? (float)(i / 20) /* the second: halves */
                                    : 0.01f * (float)(i * 7 % 5);
    assert_int_equal(components_colours(c, x, N, C), 0);
    assert_int_equal(components_colours(again, x, N, C), 0);
    assert_memory_equal(c, again, sizeof c);
    for (int i = 0; i < N; i++) {
        assert_true(i % 2 ? c[i].r > 180 : c[i].r < 75);
        assert_true(i / 20 ? c[i].g > 180 : c[i].g < 75);
    }
    for (int i = 0; i < N * C; i++)
        x[i] = 7; /* nothing differs */
    assert_int_equal(components_colours(c, x, N, C), 0);
    assert_true(c[3].r == 128 && c[3].g == 128 && c[3].b == 128);
    x[7] = NAN; /* any colour, but one */
    assert_int_equal(components_colours(c, x, N, C), 0);
    assert_true(c[0].r == 0 && c[N - 1].b == 0);
}

static int film(const char *trace, const char *folder, const char *words, int *frames)
{
    char path[256];
    snprintf(path, sizeof path, "%s", scratch(trace));
    return glt_trace_film(path, scratch(folder), words, frames);
}

static void a_film_has_all_its_frames_and_the_same_bytes_again(void **state)
{
    (void)state;
    int frames = 0, again = 0;
    char a[64], b[64];
    assert_int_equal(film("a.safetensors", "film", "frames=2 width=65 height=64 point=5", &frames),
                     0);
    assert_int_equal(frames, 2 * (1 + 4 * 9 + 4 + 5));
    snprintf(a, sizeof a, "film/frame_%04d.png", frames - 1);
    assert_true(file_exists(scratch(a)));
    /* a shorter film takes the place of the longer one */
    assert_int_equal(film("a.safetensors", "film", "frames=1 width=65 height=64 point=5", &again),
                     0);
    assert_int_equal(again, frames / 2);
    assert_false(file_exists(scratch(a)));
    snprintf(a, sizeof a, "film/frame_%04d.png", again - 1);
    assert_true(file_exists(scratch(a)));
    assert_int_equal(film("a.safetensors", "more", "frames=1 width=65 height=64 point=5", NULL), 0);
    for (int i = 0; i < again; i++) {
        snprintf(a, sizeof a, "film/frame_%04d.png", i);
        snprintf(b, sizeof b, "more/frame_%04d.png", i);
        assert_same_file(a, b);
    }
    assert_int_equal(film("c.safetensors", "more", "frames=1 width=64 height=64", &again), 0);
    assert_int_equal(again, 1 + 4 * 9 + 1);
    assert_int_equal(film("a.safetensors", "more", "up=w", NULL), GLT_EARGUMENT);
    assert_int_equal(film("a.safetensors", "more", "point=300", NULL), GLT_EARGUMENT);
    assert_int_equal(film("a.safetensors", "more", "frames=0", NULL), GLT_EARGUMENT);
    assert_int_equal(draw("a.safetensors", "a.png", NULL), 0);
    assert_int_equal(film("a.png", "more", NULL, NULL), GLT_EFORMAT);
}

static uint32_t number_at(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Walks the chunks: their check sums, one control per frame, sequence numbers that count up, and
 * frames that unpack to rows of pixels. */
static void an_animated_png_has_every_frame(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t len, at = 8;
    int frames = 0;
    uint32_t controls = 0, data = 0, sequence = 0, announced = 0, rows = 0, ends = 0;
    assert_int_equal(film("a.safetensors", "film.png", "frames=1 width=64 height=64", &frames), 0);
    assert_int_equal(file_read_all(&bytes, &len, scratch("film.png"), 1 << 26), 0);
    for (const unsigned char *p; at + 12 <= len; at += 12 + number_at(p)) {
        p = (const unsigned char *)bytes + at;
        uint32_t size = number_at(p);
        assert_true(size <= len - at - 12);
        assert_int_equal(crc32(0, p + 4, size + 4), number_at(p + 8 + size));
        bool later = !memcmp(p + 4, "fdAT", 4), control = !memcmp(p + 4, "fcTL", 4);
        if (!memcmp(p + 4, "IHDR", 4))
            rows = number_at(p + 12) * (3 * number_at(p + 8) + 1);
        if (!memcmp(p + 4, "acTL", 4))
            announced = number_at(p + 8);
        if (later || control)
            assert_int_equal(number_at(p + 8), sequence++);
        controls += control;
        if (later || !memcmp(p + 4, "IDAT", 4)) {
            unsigned char *out = memory_alloc(rows, 1);
            uLongf unpacked = rows;
            const unsigned char *from = p + 8 + (later ? 4 : 0);
            assert_int_equal(uncompress(out, &unpacked, from, size - (later ? 4 : 0)), Z_OK);
            assert_int_equal(unpacked, rows);
            memory_free(out);
            data++;
        }
        ends += !memcmp(p + 4, "IEND", 4);
    }
    assert_int_equal(at, len);
    assert_int_equal(frames, 1 + 4 * 9 + 4 + 5);
    assert_int_equal(announced, frames);
    assert_int_equal(controls, frames);
    assert_int_equal(data, frames);
    assert_int_equal(ends, 1);
    memory_free(bytes);
    assert_int_equal(film("a.safetensors", "nowhere/film.png", NULL, NULL), GLT_EIO);
}

static void what_is_no_trace_is_refused(void **state)
{
    (void)state;
    assert_int_equal(draw("a.safetensors", "a.png", NULL), 0);
    assert_int_equal(draw("a.safetensors", "e.png", "kind=cinema"), GLT_EARGUMENT);
    assert_int_equal(draw("a.safetensors", "e.png", "point=300"), GLT_EARGUMENT);
    assert_int_equal(draw("a.safetensors", "e.png", "channel=999"), GLT_EARGUMENT);
    assert_int_equal(draw("a.safetensors", "e.png", "channel=1,2"), GLT_EARGUMENT);
    assert_int_equal(draw("a.safetensors", "e.png", "kind=graph level=5"), GLT_EARGUMENT);
    assert_int_equal(draw("a.safetensors", "e.png", "kind=graph other=300"), GLT_EARGUMENT);
    assert_int_equal(draw("a.safetensors", "e.png", "up=w"), GLT_EARGUMENT);
    assert_int_equal(draw("a.safetensors", "e.png", "cut=2"), GLT_EARGUMENT);
    assert_int_equal(draw("missing", "e.png", NULL), GLT_EIO);
    assert_int_equal(draw("a.png", "e.png", NULL), GLT_EFORMAT);
    assert_false(file_exists(scratch("e.png")));
}

static int draw_again(void *user)
{
    return draw("a.safetensors", "f.png", user);
}

static void every_allocation_of_a_picture_may_fail(void **state)
{
    (void)state;
    char *words[] = {(char[]){"width=64 height=64"},
                     (char[]){"kind=outputs width=64 height=64"},
                     (char[]){"kind=panels width=64 height=64"},
                     (char[]){"kind=levels width=64 height=64"},
                     (char[]){"kind=grouping width=64 height=64"},
                     (char[]){"kind=scores width=64 height=64"},
                     (char[]){"kind=graph width=64 height=64"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_true(faults_memory(draw_again, words[i]) > 10);
}

/* A film allocates much the same for every stage: a sample is enough. */
static void a_film_without_memory_leaks_nothing(void **state)
{
    (void)state;
    int code = GLT_ENOMEM;
    for (int64_t nth = 1; code < 0; nth += tier_pick(311, 31, 31)) {
        int64_t alive = memory_stats().bytes;
        memory_fail(nth, false);
        code = film("a.safetensors", nth % 2 ? "more" : "more.png", "frames=1 width=64 height=64",
                    NULL);
        memory_fail(0, false);
        assert_true(code == 0 || code == GLT_ENOMEM);
        assert_int_equal(memory_stats().bytes, alive);
    }
}

/* Rows with ink in w pixels from x on, above the views. */
static int rows_of_ink(const struct image *im, int x, int w)
{
    int rows = 0;
    for (int y = 0; y < 40; y++) {
        bool ink = false;
        for (int k = 0; k < w; k++)
            ink |= image_at(im, x + k, y).r < 60;
        rows += ink;
    }
    return rows;
}

/* Large where there is room for it; never into the next view. */
static void titles_stay_within_their_view(void **state)
{
    (void)state;
    static const int widths[] = {320, 128, 64};
    make_trace(scratch("t.safetensors"), "segment");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct trace_view p = {.channel = {-1, -1, -1, -1}, .width = widths[i], .height = 64};
        assert_int_equal(trace_file_open(&p.trace, scratch("t.safetensors")), 0);
        assert_int_equal(trace_cells_attention(&p), 0);
        int end = TRACE_GAP + p.width;
        assert_true(rows_of_ink(&p.image, TRACE_GAP, p.width) >= (p.width >= 320 ? 28 : 14));
        assert_int_equal(rows_of_ink(&p.image, end - 4, 8), 0);
        image_free(&p.image);
        trace_file_close(&p.trace);
        call_free(&p.call);
    }
}

int main(void)
{
    faults_step = tier_pick(211, 7, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_of_a_trace_sum_to_one),
        cmocka_unit_test(the_same_trace_gives_the_same_bytes),
        cmocka_unit_test(options_of_an_image_have_an_effect),
        cmocka_unit_test(scores_are_those_of_all_levels),
        cmocka_unit_test(classes_have_the_colours_of_the_model),
        cmocka_unit_test(the_truth_stays_with_its_points),
        cmocka_unit_test(parts_are_those_of_the_true_or_likeliest_category),
        cmocka_unit_test(colours_come_from_the_inputs_called_rgb),
        cmocka_unit_test(the_first_component_separates_two_clouds),
        cmocka_unit_test(titles_stay_within_their_view),
        cmocka_unit_test(a_film_has_all_its_frames_and_the_same_bytes_again),
        cmocka_unit_test(an_animated_png_has_every_frame),
        cmocka_unit_test(a_film_without_memory_leaks_nothing),
        cmocka_unit_test(what_is_no_trace_is_refused),
        cmocka_unit_test(every_allocation_of_a_picture_may_fail),
    };
    return cmocka_run_group_tests(tests, make_traces, NULL);
}
