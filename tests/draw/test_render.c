/* Pictures: PNG bytes that decode to the pixels, text, palettes, panels, refused arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cloud/cloud.h"
#include "cloud/labels.h"
#include "core/file.h"
#include "core/file_syscall.h"
#include "core/memory.h"
#include "draw/palette.h"
#include "draw/png.h"
#include "draw/render.h"
#include "draw/render_cloud.h"
#include "draw/scale_bar.h"
#include "errors.h"
#include "own_file.h"
#include "synth/synth_rooms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint32_t big(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int predictor(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* An independent decoder: chunks with their CRC, inflate, all five filters undone. */
static uint8_t *decode(int *width, int *height)
{
    char *bytes;
    size_t len;
    assert_int_equal(file_read_all(&bytes, &len, path, 1 << 26), 0);
    const unsigned char *p = (unsigned char *)bytes, *data = NULL;
    assert_memory_equal(p, "\x89PNG\r\n\x1a\n", 8);
    size_t data_len = 0, at = 8;
    while (at < len) {
        size_t n = big(p + at);
        assert_true(crc32(0, p + at + 4, (uInt)n + 4) == big(p + at + 8 + n));
        if (memcmp(p + at + 4, "IHDR", 4) == 0) {
            *width = (int)big(p + at + 8);
            *height = (int)big(p + at + 12);
        } else if (memcmp(p + at + 4, "IDAT", 4) == 0) {
            data = p + at + 8;
            data_len = n;
        }
        at += n + 12;
    }
    assert_true(at == len && data);
    size_t row = (size_t)*width * 3 + 1;
    uLongf total = (uLongf)(row * (size_t)*height);
    uint8_t *raw = memory_alloc(total, 1), *rgb = memory_alloc(total, 1);
    assert_int_equal(uncompress(raw, &total, data, (uLong)data_len), Z_OK);
    assert_int_equal(total, row * (size_t)*height);
    for (int y = 0; y < *height; y++)
        for (size_t i = 0; i + 1 < row; i++) {
            uint8_t *out = rgb + (size_t)y * (row - 1) + i;
            int a = i >= 3 ? out[-3] : 0, b = y ? *(out - (row - 1)) : 0;
            int c = i >= 3 && y ? *(out - (row - 1) - 3) : 0, filter = raw[(size_t)y * row];
            int guess = filter == 1   ? a
                        : filter == 2 ? b
                        : filter == 3 ? (a + b) / 2
                        : filter == 4 ? predictor(a, b, c)
                                      : 0;
            *out = (uint8_t)(raw[(size_t)y * row + 1 + i] + guess);
        }
    memory_free(raw);
    memory_free(bytes);
    return rgb;
}

static void a_png_decodes_to_its_pixels(void **state)
{
    (void)state;
    struct image im;
    assert_int_equal(image_new(&im, 61, 37, colour(250, 240, 230)), 0);
    for (int i = 0; i < 61 * 37; i++)
        image_pixel(&im, i % 61, i / 61, colour(i * 7 & 255, (i * i) & 255, i % 61));
    image_line(&im, -5, 3, 70, 30, colour(255, 0, 0));
    image_disc(&im, 60, 36, 9, colour(0, 255, 0));
    image_text(&im, 2, 2, "gelatto \xc3\xa9", 1, colour(0, 0, 0));
    assert_int_equal(image_write(&im, path), 0);
    int w, h;
    uint8_t *rgb = decode(&w, &h);
    assert_int_equal(w, 61);
    assert_int_equal(h, 37);
    assert_memory_equal(rgb, im.rgb, 61 * 37 * 3);
    memory_free(rgb);
    image_free(&im);
    assert_int_equal(png_write(path, NULL, 0, 5), GLT_EARGUMENT);
    assert_int_equal(image_new(&im, 1 << 20, 1 << 20, colour(0, 0, 0)), GLT_EARGUMENT);
}

static void letters_are_drawn_from_the_font(void **state)
{
    (void)state;
    assert_int_equal(image_text_width("abc", 2), 36);
    assert_int_equal(image_text_width("\xc3\xa9", 1), 6);
    char text[] = "ab\xc3\xa9";
    image_text_shorten(text, 36, 2);
    assert_string_equal(text, "ab\xc3\xa9");
    image_text_shorten(text, 35, 2);
    assert_string_equal(text, "ab");
    image_text_shorten(text, 0, 2);
    assert_string_equal(text, "");
    struct image im;
    assert_int_equal(image_new(&im, 12, 9, colour(255, 255, 255)), 0);
    image_text(&im, 0, 0, "L", 1, colour(0, 0, 0));
    for (int y = 0; y < 7; y++)
        for (int x = 0; x < 5; x++)
            assert_true(x == 0 || y == 6 ? image_at(&im, x, y).r < 64
                                         : image_at(&im, x, y).r > 250);
    image_free(&im);
}

/* A slanting stroke has pixels between ink and paper, an upright one has sharp sides. */
static void text_has_smooth_edges(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct image im;
        int between = 0, ink = 0;
        assert_int_equal(image_new(&im, 16, 20, colour(255, 255, 255)), 0);
        image_text(&im, 2, 2, k ? "/" : "|", 2, colour(0, 0, 0));
        for (int y = 4; y < 13; y++) /* between the ends */
            for (int x = 0; x < 16; x++) {
                int v = image_at(&im, x, y).r;
                between += v > 20 && v < 235;
                ink += v < 128;
            }
        assert_true(ink > 12 && ink < 40);
        assert_true(k ? between > 8 : between == 0);
        image_free(&im);
    }
}

static void numbers_of_scales_have_three_digits(void **state)
{
    (void)state;
    static const struct {
        double value, range;
        const char *text;
    } cases[] = {{1543.14, 35.1, "1543.1"}, {0, 1, "0.00"},        {65535, 60000, "65535"},
                 {-3.25, 4, "-3.25"},       {0.5, 0.01, "0.5000"}, {1e12, 1, "1e+12"},
                 {-0.001, 1000, "0"},       {7, 0, "7.00"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        scale_bar_number(text, cases[i].value, cases[i].range);
        assert_string_equal(text, cases[i].text);
    }
}

/* A stray value does not darken the others: the second half of the points has the brightest colour,
 * and below the panel stands a bar of the colours. */
static void attributes_are_drawn_between_percentiles(void **state)
{
    (void)state;
    enum { N = 1000, SIDE = 200 };
    struct glt_cloud *c;
    struct image im = {0};
    float *v, x[3 * N];
    assert_int_equal(glt_cloud_create(&c, N), 0);
    for (int i = 0; i < N; i++) {
        x[3 * i] = (float)(i % 40);
        x[3 * i + 1] = (float)(i / 40);
        x[3 * i + 2] = 0;
    }
    static const char *const names[] = {"x", "y", "z", "intensity"};
    for (int k = 0; k < 4; k++) {
        struct column *column;
        assert_int_equal(cloud_add_attribute(&column, c, names[k], GLT_F32), 0);
        v = column->data;
        for (int i = 0; i < N; i++)
            v[i] = k < 3 ? x[3 * i + k] : i == 0 ? 60000 : (float)(100 * (i >= N / 2));
    }
    struct render_options o = render_cloud_options();
    o.colours = "intensity";
    o.width = o.height = SIDE;
    o.shading = 0;
    o.view = (struct render_view){.azimuth = -90, .elevation = 90, .zoom = 1};
    assert_int_equal(render_cloud(&im, c, NULL, &o), 0);
    int bright = 0, dark = 0;
    for (int y = 6; y < SIDE + 6; y++)
        for (int k = 6; k < SIDE + 6; k++) {
            struct colour p = image_at(&im, k, y);
            bright += p.r == 253 && p.g == 231;
            dark += p.r == 68 && p.g == 1;
        }
    assert_true(bright > 4 * dark / 5 && dark > 1000);
    assert_true(image_at(&im, 6 + SIDE / 2, 6).r == 255); /* north, the bright half, is up: paper */
    struct colour top = image_at(&im, 6 + SIDE / 2, 6 + SIDE / 2 - 20);
    struct colour low = image_at(&im, 6 + SIDE / 2, 6 + SIDE / 2 + 20);
    assert_true(top.r == 253 && low.r == 68);
    int colours = 0; /* of the bar */
    for (int k = 6; k < SIDE + 6; k++) {
        struct colour p = image_at(&im, k, SIDE + 12 + 3);
        colours += p.g > p.r + 40 && p.g > 60;
    }
    assert_true(colours > 20);
    image_free(&im);
    cloud_free(c);
}

static void palettes_have_distinct_colours(void **state)
{
    (void)state;
    uint8_t c[100][3], usual[3];
    for (int i = 0; i < 100; i++) {
        labels_colour(c[i], i, i % 2 ? "chair" : NULL);
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(c[i], c[j], 3);
    }
    labels_colour(usual, 7, "Ground");
    assert_true(usual[0] == 0xaa && usual[1] == 0x55 && usual[2] == 0);
    labels_colour(usual, CLASS_NUMBER_MAX, NULL);
    assert_int_equal(palette_scale(-1).r, 68);
    assert_int_equal(palette_scale(2).r, 253);
}

static struct glt_cloud *room(void)
{
    struct synth_rooms o = {.seed = 1, .rooms = 1, .points = 4000};
    struct glt_cloud *c;
    assert_int_equal(synth_rooms_cloud(&c, &o, 1, 0), 0);
    return c;
}

/* Two axes of a tripod of points land where the camera says, nearer ones in front. */
static void points_land_where_the_camera_says(void **state)
{
    (void)state;
    const float xyz[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    const struct colour colours[3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}};
    struct render_points p = {xyz, colours, NULL, 3};
    for (int fov = 0; fov <= 60; fov += 30) {
        struct render_view view = {.azimuth = -90, .elevation = 0, .fov = fov, .zoom = 1};
        struct camera cam = render_fit(&p, &view, 200, 200);
        double at[3][2], depth;
        for (int i = 0; i < 3; i++)
            assert_true(render_project(&cam, xyz + 3 * i, 200, 200, at[i], &depth));
        assert_true(at[1][0] > at[0][0] + 50 && at[2][1] < at[0][1] - 50);
        for (int i = 0; i < 3; i++)
            assert_true(at[i][0] > 0 && at[i][0] < 200 && at[i][1] > 0 && at[i][1] < 200);
        struct image im;
        assert_int_equal(render_panel(&im, &p, &cam, 200, 200, 4, 1, colour(255, 255, 255)), 0);
        struct colour red = image_at(&im, (int)at[0][0], (int)at[0][1]);
        assert_true(red.r > 200 && red.g < 60);
        image_free(&im);
    }
}

/* Nothing that is nowhere is in sight. */
static void points_that_are_nowhere_are_not_drawn(void **state)
{
    (void)state;
    const float xyz[6] = {0, 0, 0, 1, 1, 1}, odd[] = {NAN, INFINITY, -INFINITY};
    struct render_points p = {xyz, NULL, NULL, 2};
    for (int fov = 0; fov <= 30; fov += 30) {
        struct render_view view = {.azimuth = -60, .elevation = 30, .fov = fov, .zoom = 1};
        struct camera cam = render_fit(&p, &view, 100, 100);
        for (int i = 0; i < 9; i++) {
            float at[3] = {0.5f, 0.5f, 0.5f};
            double pixel[2], depth;
            assert_true(render_project(&cam, at, 100, 100, pixel, &depth));
            at[i % 3] = odd[i / 3];
            assert_false(render_project(&cam, at, 100, 100, pixel, &depth));
        }
    }
}

static void panels_stand_side_by_side(void **state)
{
    (void)state;
    struct glt_cloud *c = room(), *truth = room();
    uint8_t *label = cloud_attribute(c, "label")->data;
    for (int64_t i = 0; i < c->n; i += 3)
        label[i] = (uint8_t)((label[i] + 1) % 13);
    const char *options = "colours=rgb,truth,label,error,height,instance width=120 height=90";
    assert_int_equal(glt_cloud_render(c, truth, path, options), 0);
    int w, h, red = 0;
    uint8_t *rgb = decode(&w, &h);
    assert_true(w > 6 * 120 && h > 90);
    for (int i = 0; i < w * h; i++) {
        int x = i % w, panel = (x - 6) / 126;
        red += panel == 3 && rgb[3 * i] > 150 && rgb[3 * i + 1] < 60;
    }
    assert_true(red > 100); /* the error panel shows the planted errors */
    uint64_t pixels = XXH3_64bits(rgb, (size_t)w * (size_t)h * 3), golden = 0x4affc51443b0e23f;
    if (pixels != golden) /* changes only when rooms or images change */
        print_message("pixels: 0x%016llx\n", (unsigned long long)pixels);
    assert_true(pixels == golden);
    memory_free(rgb);
    uint64_t bytes[2];
    for (int k = 0; k < 2; k++) {
        char *text;
        size_t len;
        glt_threads_set(k ? 3 : 1);
        assert_int_equal(glt_cloud_render(c, truth, path, options), 0);
        assert_int_equal(file_read_all(&text, &len, path, 1 << 26), 0);
        bytes[k] = crc32(0, (unsigned char *)text, (uInt)len) + len;
        memory_free(text);
    }
    glt_threads_set(0);
    assert_true(bytes[0] == bytes[1]);
    cloud_free(c);
    cloud_free(truth);
}

/* What is too long is cut. */
static void a_title_stays_above_its_panel(void **state)
{
    (void)state;
    static const char *const name = "an_attribute_with_a_very_long_name";
    enum { WIDTH = 64, GAP = 6 };
    struct glt_cloud *c = room();
    struct image im = {0};
    struct render_options o = render_cloud_options();
    char panels[128];
    struct column *x;
    assert_int_equal(cloud_add_attribute(&x, c, name, GLT_F32), 0);
    snprintf(panels, sizeof panels, "rgb,%s", name);
    o.colours = panels;
    o.width = o.height = WIDTH;
    o.no_legend = true;
    assert_int_equal(render_cloud(&im, c, NULL, &o), 0);
    int ink = 0, outside = 0;
    for (int y = 0; y < im.height - WIDTH - GAP; y++)
        for (int k = WIDTH / 2 + 20; k < im.width; k++) {
            bool dark = image_at(&im, k, y).r < 128;
            ink += dark;
            outside += dark && (k < WIDTH + 2 * GAP || k >= im.width - GAP);
        }
    assert_true(ink > 20);
    assert_int_equal(outside, 0);
    image_free(&im);
    cloud_free(c);
}

/* A class has one colour, whichever panel comes first and whatever classes it shows. */
static void a_class_has_one_colour_in_all_panels(void **state)
{
    (void)state;
    enum { N = 400, WIDTH = 60 };
    static const char *const orders[] = {"label", "truth", "label,truth", "truth,label"};
    float x[N], y[N], z[N] = {0};
    int32_t label[N], truth[N];
    struct glt_cloud *c = NULL;
    assert_int_equal(glt_cloud_create(&c, N), 0);
    for (int i = 0; i < N; i++) { /* class 3 everywhere but in a corner, where the truth has 12 */
        x[i] = (float)(i % 20);
        y[i] = (float)(i / 20);
        label[i] = 3;
        truth[i] = i < 25 ? 12 : 3;
    }
    assert_int_equal(glt_cloud_set(c, "x", GLT_F32, x, 0), 0);
    assert_int_equal(glt_cloud_set(c, "y", GLT_F32, y, 0), 0);
    assert_int_equal(glt_cloud_set(c, "z", GLT_F32, z, 0), 0);
    assert_int_equal(glt_cloud_set(c, "label", GLT_I32, label, 0), 0);
    assert_int_equal(glt_cloud_set(c, "truth", GLT_I32, truth, 0), 0);
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        char words[128];
        int w, h, yellow = 0, hue = 0;
        snprintf(words, sizeof words, "colours=%s width=%d height=60 shading=0 no_legend",
                 orders[k], WIDTH);
        if (glt_cloud_render(c, NULL, path, words) < 0)
            fail_msg("%s", glt_error_message());
        uint8_t *rgb = decode(&w, &h);
        for (int i = 0; i < w * h; i++) {
            yellow += rgb[3 * i] == 255 && rgb[3 * i + 1] == 255 && rgb[3 * i + 2] == 0;
            hue += rgb[3 * i] != rgb[3 * i + 1]; /* neither yellow, nor grey, nor between them */
        }
        assert_true(yellow > 200 * (k < 2 ? 1 : 2));
        assert_int_equal(hue, 0);
        memory_free(rgb);
    }
    cloud_free(c);
}

enum { SIDE = 20 };

/* A square of points seen from above: float labels in four quarters, and what they are called. */
static struct glt_cloud *quarters(const float labels[4], const char *const *names)
{
    float v[4][SIDE * SIDE];
    static const char *const columns[] = {"x", "y", "z", "label"};
    struct glt_cloud *c = NULL;
    assert_int_equal(glt_cloud_create(&c, SIDE * SIDE), 0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        v[0][i] = (float)(i % SIDE);
        v[1][i] = (float)(i / SIDE);
        v[2][i] = 0;
        v[3][i] = labels[2 * (i / SIDE / (SIDE / 2)) + i % SIDE / (SIDE / 2)];
    }
    for (int k = 0; k < 4; k++)
        assert_int_equal(glt_cloud_set(c, columns[k], GLT_F32, v[k], 0), 0);
    for (int32_t k = 0; names && names[k]; k++)
        assert_int_equal(glt_cloud_set_class(c, k, names[k]), 0);
    return c;
}

/* Shares of the drawn pixels in red (errors) and in the grey of points without a class; frees both
 * clouds. */
static void measure_errors(double share[2], struct glt_cloud *c, struct glt_cloud *truth,
                           const char *attribute)
{
    struct image im = {0};
    struct render_options o = render_cloud_options();
    o.colours = "error";
    o.truth = attribute;
    o.width = o.height = 100;
    o.shading = 0;
    o.no_legend = true;
    o.view = (struct render_view){.azimuth = -90, .elevation = 90, .zoom = 1};
    if (render_cloud(&im, c, truth, &o) < 0)
        fail_msg("%s", glt_error_message());
    int red = 0, grey = 0, right = 0;
    for (int i = 0; i < im.width * im.height; i++) {
        struct colour p = image_at(&im, i % im.width, i / im.width);
        red += p.r == 214 && p.g == 39;
        grey += p.r == 150 && p.g == 150;
        right += p.r == 205 && p.g == 205;
    }
    assert_true(red + grey + right > 1000);
    share[0] = (double)red / (red + grey + right);
    share[1] = (double)grey / (red + grey + right);
    image_free(&im);
    cloud_free(c);
    cloud_free(truth);
}

/* Two files order the names of their classes differently. */
static void names_are_compared_where_both_clouds_have_them(void **state)
{
    (void)state;
    static const char *const abc[] = {"a", "b", "c", NULL}, *const bca[] = {"b", "C", "a", NULL};
    static const char *const bda[] = {"b", "d", "a", NULL};
    const float label[] = {0, 1, 2, 2}, same[] = {2, 0, 1, 1};
    double share[2];
    measure_errors(share, quarters(label, abc), quarters(same, bca), NULL);
    assert_true(share[0] == 0 && share[1] == 0);
    measure_errors(share, quarters(label, abc), quarters(same, bda), NULL); /* d is not c */
    assert_true(share[0] > 0.4 && share[0] < 0.6);
    measure_errors(share, quarters(label, abc), quarters(label, NULL), NULL); /* numbers */
    assert_true(share[0] == 0);
    measure_errors(share, quarters(label, abc), quarters(same, NULL), NULL);
    assert_true(share[0] > 0.9);
}

/* The truth may be any attribute of the other cloud. */
static void the_truth_may_have_another_name(void **state)
{
    (void)state;
    const float label[] = {0, 1, 2, 2};
    float zero[SIDE * SIDE] = {0};
    double share[2];
    for (int k = 0; k < 2; k++) {
        struct glt_cloud *truth = quarters(label, NULL);
        assert_int_equal(glt_cloud_set(truth, "mine", GLT_F32, zero, 0), 0);
        measure_errors(share, quarters(label, NULL), truth, k ? "mine" : NULL);
        assert_true(k ? share[0] > 0.7 && share[0] < 0.8 : share[0] == 0);
    }
}

/* NaN and -1 are no class, numbers above 255 are, and a label that is not whole is an error. */
static void points_without_a_class_are_neither_right_nor_wrong(void **state)
{
    (void)state;
    const float label[] = {0, 1, 300, 300}, truth[] = {NAN, -1, 300, 301}, odd[] = {0, 1, 2.5f, 3};
    double share[2];
    measure_errors(share, quarters(label, NULL), quarters(truth, NULL), NULL);
    assert_true(share[0] > 0.2 && share[0] < 0.3 && share[1] > 0.4 && share[1] < 0.6);
    measure_errors(share, quarters(truth, NULL), quarters(label, NULL), NULL);
    assert_true(share[0] > 0.7 && share[0] < 0.8 && share[1] == 0);
    struct glt_cloud *c = quarters(odd, NULL);
    assert_int_equal(glt_cloud_render(c, NULL, path, "colours=label"), GLT_EDATA);
    assert_error("LABELS point 200");
    cloud_free(c);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    struct glt_cloud *c = room(), *other, *empty;
    assert_int_equal(glt_cloud_render(c, NULL, path, "colours=truth"), GLT_EDATA);
    assert_int_equal(glt_cloud_render(c, NULL, path, "colours=nothing"), GLT_EDATA);
    assert_int_equal(glt_cloud_render(c, NULL, path, "colours=rgb,,label"), GLT_EARGUMENT);
    assert_int_equal(glt_cloud_render(c, NULL, path, "width=7"), GLT_EARGUMENT);
    assert_int_equal(glt_cloud_render(c, NULL, path, "width=8193"), GLT_EARGUMENT);
    assert_int_equal(glt_cloud_render(c, NULL, path, "colours=z,z,z,z,z,z,z,z,z"), GLT_EARGUMENT);
    assert_int_equal(glt_cloud_render(c, NULL, path, "elevation=nan"), GLT_EARGUMENT);
    assert_int_equal(glt_cloud_render(c, NULL, path, "azimut=3"), GLT_EARGUMENT);
    assert_error("UNKNOWN_OPTION azimut");
    assert_int_equal(glt_cloud_render(c, NULL, path, "map_view up=x"), GLT_EARGUMENT);
    assert_error("OPTION up");
    assert_int_equal(glt_cloud_render(c, NULL, "/nonexistent/x.png", "width=32 height=32"),
                     GLT_EIO);
    const int64_t rows[2] = {1, 2};
    assert_int_equal(cloud_select(&other, c, rows, 2), 0);
    assert_int_equal(glt_cloud_render(c, other, path, "colours=error"), GLT_EDATA);
    assert_int_equal(glt_cloud_render(other, NULL, path, "width=32 height=32"), 0);
    assert_int_equal(cloud_select(&empty, c, rows, 0), 0);
    assert_int_equal(glt_cloud_render(empty, NULL, path, NULL), GLT_EDATA);
    cloud_free(empty);
    cloud_free(other);
    cloud_free(c);
}

/* One point, and points that are nowhere. */
static void one_point_or_none_can_be_drawn(void **state)
{
    (void)state;
    struct glt_cloud *c = room(), *one;
    const int64_t row = 7;
    assert_int_equal(cloud_select(&one, c, &row, 1), 0);
    assert_int_equal(glt_cloud_render(one, NULL, path, "width=64 height=48 orthographic"), 0);
    assert_int_equal(glt_cloud_render(one, NULL, path, "width=64 height=48"), 0);
    float *x = cloud_attribute(c, "x")->data, *z = cloud_attribute(c, "z")->data;
    for (int64_t i = 0; i < c->n; i++)
        x[i] = i % 2 ? NAN : INFINITY;
    assert_int_equal(glt_cloud_render(c, NULL, path, "width=64 height=48"), 0);
    for (int64_t i = 0; i < c->n; i++)
        z[i] = NAN;
    assert_int_equal(glt_cloud_render(c, NULL, path, "width=64 height=48 colours=height,z"), 0);
    cloud_free(one);
    cloud_free(c);
}

/* Every request for memory and every file call may fail: a code, no leak, the old file intact. */
static void every_failure_leaves_the_old_file(void **state)
{
    (void)state;
    struct glt_cloud *c = room();
    const char *options = "colours=rgb,label,height,instance width=40 height=30";
    assert_int_equal(glt_cloud_render(c, NULL, path, "width=40 height=30"), 0);
    int64_t before = memory_stats().bytes;
    int failures = 0;
    for (int nth = 1;; nth++) {
        memory_fail(nth, false);
        int code = glt_cloud_render(c, NULL, path, options);
        memory_fail(0, false);
        assert_true(memory_stats().bytes == before);
        if (code == 0)
            break;
        assert_int_equal(code, GLT_ENOMEM);
        failures++;
    }
    assert_true(failures > 15);
    assert_int_equal(glt_cloud_render(c, NULL, path, "width=40 height=30"), 0);
    char *old, *now;
    size_t old_len, now_len;
    assert_int_equal(file_read_all(&old, &old_len, path, 1 << 20), 0);
    file_fault(FILE_CALL_WRITE, 1, true, FILE_FAULT_ERROR, 0);
    assert_int_equal(glt_cloud_render(c, NULL, path, options), GLT_EIO);
    file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
    assert_int_equal(file_read_all(&now, &now_len, path, 1 << 20), 0);
    assert_true(now_len == old_len && memcmp(old, now, now_len) == 0);
    memory_free(old);
    memory_free(now);
    cloud_free(c);
}

/* Pixels of such points do not fit an int, and their depths differ by infinity. */
static void points_at_the_ends_of_the_number_range_are_drawn(void **state)
{
    (void)state;
    const float xyz[] = {0, 0, 0, 3e38f, 3e38f, 3e38f, -3e38f, 1, 1e-38f, 0, 3e38f, -3e38f};
    const struct colour colours[4] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {9, 9, 9}};
    const double angles[] = {0, 1e-6, 40, 150}, zooms[] = {0.02, 1, 499};
    struct render_points p = {xyz, colours, NULL, 4};
    for (int i = 0; i < 12; i++) {
        struct render_view view = {-60, 56, angles[i / 3], zooms[i % 3]};
        struct camera cam = render_fit(&p, &view, 32, 24);
        struct image im = {0};
        assert_int_equal(render_panel(&im, &p, &cam, 32, 24, i % 2 * 200, 4, colours[3]), 0);
        assert_int_equal(im.width, 32);
        image_free(&im);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_png_decodes_to_its_pixels, path_make),
        cmocka_unit_test(letters_are_drawn_from_the_font),
        cmocka_unit_test(text_has_smooth_edges),
        cmocka_unit_test(numbers_of_scales_have_three_digits),
        cmocka_unit_test(attributes_are_drawn_between_percentiles),
        cmocka_unit_test(palettes_have_distinct_colours),
        cmocka_unit_test(points_land_where_the_camera_says),
        cmocka_unit_test(points_that_are_nowhere_are_not_drawn),
        cmocka_unit_test(points_at_the_ends_of_the_number_range_are_drawn),
        cmocka_unit_test(a_title_stays_above_its_panel),
        cmocka_unit_test_setup(panels_stand_side_by_side, path_make),
        cmocka_unit_test_setup(a_class_has_one_colour_in_all_panels, path_make),
        cmocka_unit_test(names_are_compared_where_both_clouds_have_them),
        cmocka_unit_test(the_truth_may_have_another_name),
        cmocka_unit_test_setup(points_without_a_class_are_neither_right_nor_wrong, path_make),
        cmocka_unit_test_setup(wrong_arguments_are_refused, path_make),
        cmocka_unit_test_setup(one_point_or_none_can_be_drawn, path_make),
        cmocka_unit_test_setup(every_failure_leaves_the_old_file, path_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
