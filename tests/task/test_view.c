/* Viewer pages: what is in them against the cloud, the same bytes again, the budget of bytes a
 * point, and text of strangers that stays text. tests/viewer drives them in a browser.
 * labels: quick threads */
#include "io_cloud.h"

#include "core/file.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "errors.h"
#include "faults.h"
#include "geometry/subset.h"
#include "task/shown.h"

#include <math.h>
#include <zlib.h>

enum { N = 3000 };
static const char evil[] = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";

static struct glt_cloud *make_cloud(void)
{
    struct glt_cloud *c = NULL;
    double x[N], y[N], z[N];
    uint8_t label[N];
    float confidence[N];
    uint16_t intensity[N];
    assert_int_equal(glt_cloud_create(&c, N), 0);
    for (int i = 0; i < N; i++) {
        x[i] = 500000 + i % 60 * 0.1;
        y[i] = 4000000 + (double)(i / 60) * 0.1;
        z[i] = sin(i * 0.01);
        label[i] = (uint8_t)(i % 11 == 0 ? 255 : i % 4);
        confidence[i] = (float)(i % 256) / 255;
        intensity[i] = (uint16_t)(1000 + i);
    }
    assert_int_equal(glt_cloud_set(c, "x", GLT_F64, x, 0), 0);
    assert_int_equal(glt_cloud_set(c, "y", GLT_F64, y, 0), 0);
    assert_int_equal(glt_cloud_set(c, "z", GLT_F64, z, 0), 0);
    assert_int_equal(glt_cloud_set(c, "red", GLT_U8, label, 0), 0);
    assert_int_equal(glt_cloud_set(c, "green", GLT_U8, label, 0), 0);
    assert_int_equal(glt_cloud_set(c, "blue", GLT_U8, label, 0), 0);
    assert_int_equal(glt_cloud_set(c, "label", GLT_U8, label, 0), 0);
    assert_int_equal(glt_cloud_set(c, "confidence", GLT_F32, confidence, 0), 0);
    assert_int_equal(glt_cloud_set(c, "intensity", GLT_U16, intensity, 0), 0);
    assert_int_equal(cloud_add_comment(c, "class 2 wall"), 0);
    return c;
}

static char *write_page(const struct glt_cloud *c, const struct glt_view_options *o, size_t *len)
{
    char *text;
    assert_int_equal(glt_view(&c, 1, scratch("page.html"), o), 0);
    assert_int_equal(file_read_all(&text, len, scratch("page.html"), 1 << 26), 0);
    return text;
}

/* The text of an element, which is ended. */
static const char *element(const char *page, const char *id, size_t *len)
{
    char head[64];
    snprintf(head, sizeof head, " id=\"%s\">", id);
    const char *at = strstr(page, head);
    if (!at)
        return NULL;
    at += strlen(head);
    *len = (size_t)(strstr(at, "</script>") - at);
    return at;
}

/* Base64 and inflate by hand. */
static unsigned char *section(const char *page, const char *id, uLongf *size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = 0, n = 0;
    const char *text = element(page, id, &len);
    assert_non_null(text);
    unsigned char *packed = memory_alloc(len, 1), *out = memory_alloc(1 << 22, 1);
    uint32_t bits = 0;
    for (size_t i = 0; i < len && text[i] != '='; i++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, text[i]) - digits);
        if (i % 4)
            packed[n++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    *size = 1 << 22;
    assert_int_equal(uncompress(out, size, packed, n), Z_OK);
    memory_free(packed);
    return out;
}

static struct json *page_json(const char *page)
{
    size_t len = 0;
    struct json *root;
    const char *text = element(page, "page", &len);
    assert_int_equal(json_parse(&root, "page", text, len), 0);
    return root;
}

static void positions_are_within_half_a_step(const char *page, const struct json *cloud,
                                             const struct glt_cloud *c, const int32_t *rows,
                                             int64_t m)
{
    static const char *const names[] = {"x", "y", "z"};
    uLongf size;
    unsigned char *xyz = section(page, "c0xyz", &size);
    assert_int_equal(size, 6 * m);
    for (size_t axis = 0; axis < 3; axis++) {
        double low = json_number_value(json_at(json_get(cloud, "low"), axis));
        double step = json_number_value(json_at(json_get(cloud, "step"), axis));
        unsigned value = 0;
        for (int64_t i = 0; i < m; i++) {
            value += xyz[2 * (int64_t)axis * m + i];
            value += (unsigned)xyz[(2 * (int64_t)axis + 1) * m + i] << 8;
            value &= 65535;
            double was = column_value(cloud_attribute(c, names[axis]), rows[i]);
            assert_true(fabs(low + value * step - was) <= step * 0.51 + 1e-6);
        }
    }
    memory_free(xyz);
}

static void a_page_holds_the_points_of_the_cloud(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    struct call call = {0};
    for (int64_t points = 500; points <= 2 * N; points *= 12) {
        struct glt_view_options o = {.size = sizeof o, .points = points};
        struct shown s;
        size_t len = 0;
        uLongf size, total = 0;
        char *page = write_page(c, &o, &len);
        struct json *root = page_json(page);
        const struct json *cloud = json_at(json_get(root, "clouds"), 0);
        assert_int_equal(shown_find(&s, &call, c, points), 0);
        assert_int_equal(json_integer_value(json_get(cloud, "shown")), s.m);
        positions_are_within_half_a_step(page, cloud, c, s.rows, s.m);
        unsigned char *label = section(page, "c0label", &size);
        const struct json *classes = json_get(cloud, "classes");
        for (int64_t i = 0; i < s.m; i++) {
            double wanted = column_value(cloud_attribute(c, "label"), s.rows[i]);
            if (wanted == 255)
                assert_int_equal(label[i], 255);
            else
                assert_true(json_number_value(json_get(json_at(classes, label[i]), "number")) ==
                            wanted);
        }
        memory_free(label);
        unsigned char *value = section(page, "c0a0", &size);
        assert_int_equal(size, 2 * s.m);
        for (int64_t i = 0; i < s.m; i++)
            assert_int_equal(value[i] | value[s.m + i] << 8, s.rows[i] - s.rows[0]);
        memory_free(value);
        static const char *const counted[] = {"c0xyz", "c0rgb", "c0label", "c0confidence", "c0row"};
        for (int k = 0; k < 5; k++)
            if (element(page, counted[k], &len)) {
                memory_free(section(page, counted[k], &size));
                total += size;
            }
        assert_true(total <= 13 * (uLongf)s.m);
        assert_string_equal(json_string_value(json_get(json_at(classes, 2), "name")), "wall");
        assert_true(json_is(json_get(json_at(classes, 1), "name"), JSON_NULL));
        json_free(root);
        memory_free(page);
    }
    call_free(&call);
    glt_cloud_free(c);
}

/* What the page proposes to write can be written with labels. */
static void corrected_clouds_have_a_format_for_labels(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"a/room.las", "corrected-room.las"}, {"room.e57", "corrected-room.ply"},
        {"room.PTX", "corrected-room.ply"},   {"room.pts", "corrected-room.ply"},
        {"no.name", "corrected-no.ply"},      {"room", "corrected-room.ply"}};
    struct glt_cloud *c = make_cloud();
    struct glt_view_options o = {.size = sizeof o, .points = 100};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len;
        memory_free(c->path);
        c->path = memory_string(names[i][0]);
        char *page = write_page(c, &o, &len);
        struct json *root = page_json(page);
        const struct json *cloud = json_at(json_get(root, "clouds"), 0);
        assert_string_equal(json_string_value(json_get(cloud, "corrected")), names[i][1]);
        json_free(root);
        memory_free(page);
    }
    glt_cloud_free(c);
}

static void the_same_cloud_gives_the_same_bytes(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    struct glt_view_options o = {.size = sizeof o, .points = 700, .attributes = "label"};
    size_t n, m;
    assert_int_equal(glt_threads_set(1), 0);
    char *a = write_page(c, &o, &n);
    assert_int_equal(glt_threads_set(3), 0);
    char *b = write_page(c, &o, &m);
    assert_int_equal(glt_threads_set(0), 0);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    memory_free(a);
    memory_free(b);
    glt_cloud_free(c);
}

static int times(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)); text++)
        n++;
    return n;
}

static void a_class_that_is_named_twice_is_listed_once(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    struct glt_view_options o = {.size = sizeof o, .classes = "roof,wall,roof,door"};
    size_t len;
    char *page = write_page(c, &o, &len);
    struct json *root = page_json(page);
    const struct json *classes = json_get(json_at(json_get(root, "clouds"), 0), "classes");
    int32_t n = (int32_t)json_size(classes), walls = 0;
    for (int32_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_get(json_at(classes, (size_t)i), "name"));
        walls += name && strcmp(name, "wall") == 0;
    }
    assert_int_equal(walls, 1);
    const struct json *roof = json_at(classes, (size_t)n - 2);
    const struct json *door = json_at(classes, (size_t)n - 1);
    assert_string_equal(json_string_value(json_get(roof, "name")), "roof");
    assert_string_equal(json_string_value(json_get(door, "name")), "door");
    assert_int_equal(json_integer_value(json_get(door, "number")),
                     json_integer_value(json_get(roof, "number")) + 1);
    json_free(root);
    memory_free(page);
    glt_cloud_free(c);
}

/* Names, comments, attributes and titles: none of them opens or ends an element. */
static void text_of_strangers_stays_text(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    char comment[128], latin[] = "caf\xe9 </script>";
    size_t n;
    snprintf(comment, sizeof comment, "class 1 %s", evil);
    assert_int_equal(cloud_add_comment(c, comment), 0);
    snprintf(comment, sizeof comment, "class 3 %s", latin);
    assert_int_equal(cloud_add_comment(c, comment), 0);
    struct column *x;
    assert_int_equal(cloud_add_attribute(&x, c, evil, GLT_F32), 0);
    c->path = memory_string(evil);
    struct glt_view_options o = {
        .size = sizeof o, .attributes = evil, .classes = evil, .title = evil};
    char *page = write_page(c, &o, &n);
    assert_null(strstr(page, "<img"));
    assert_null(strstr(page, "<script>alert"));
    /* sections: xyz, rgb, label, confidence and two attributes; the page's value; the script */
    assert_int_equal(times(page, "<script"), 8);
    assert_int_equal(times(page, "</script"), 8);
    struct json *root = page_json(page);
    assert_string_equal(json_string_value(json_get(root, "title")), evil);
    const struct json *classes = json_get(json_at(json_get(root, "clouds"), 0), "classes");
    assert_string_equal(json_string_value(json_get(json_at(classes, 1), "name")), evil);
    /* a patch with this name could not be applied: it is not the name in the file */
    assert_true(json_is(json_get(json_at(classes, 3), "name"), JSON_NULL));
    json_free(root);
    memory_free(page);
    glt_cloud_free(c);
}

static void the_policy_allows_one_script_and_no_request(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    size_t n;
    char *page = write_page(c, NULL, &n);
    const char *policy = strstr(page, "Content-Security-Policy");
    assert_non_null(policy);
    assert_true(policy < strstr(page, "<style>"));
    assert_non_null(strstr(policy, "default-src 'none'"));
    assert_non_null(strstr(policy, "script-src 'sha256-"));
    assert_null(strstr(page, "unsafe-"));
    assert_null(strstr(page, "src=\""));
    assert_null(strstr(page, "<link"));
    assert_null(strstr(page, "import "));
    memory_free(page);
    glt_cloud_free(c);
}

static void arguments_out_of_range_are_refused(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    const struct glt_cloud *none = NULL;
    struct glt_view_options o = {.size = sizeof o, .attributes = "nothing"};
    assert_int_equal(glt_view((const struct glt_cloud *const *)&c, 0, scratch("x.html"), NULL),
                     GLT_EARGUMENT);
    assert_int_equal(glt_view(&none, 1, scratch("x.html"), NULL), GLT_EARGUMENT);
    assert_int_equal(glt_view((const struct glt_cloud *const *)&c, 1, scratch("x.html"), &o),
                     GLT_EDATA);
    assert_false(file_exists(scratch("x.html")));
    glt_cloud_free(c);
}

/* One more than the largest label would not be a number of a class. */
static void labels_without_bounds_are_refused(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    int32_t label[N] = {0};
    label[7] = INT32_MAX;
    assert_int_equal(glt_cloud_set(c, "label", GLT_I32, label, 0), 0);
    assert_int_equal(glt_view((const struct glt_cloud *const *)&c, 1, scratch("x.html"), NULL),
                     GLT_EDATA);
    assert_error("LABELS point 7");
    glt_cloud_free(c);
}

static void a_cloud_of_no_points_has_a_page(void **state)
{
    (void)state;
    struct glt_cloud *c = NULL;
    assert_int_equal(glt_cloud_create(&c, 0), 0);
    float nothing = 0;
    assert_int_equal(glt_cloud_set(c, "x", GLT_F32, &nothing, 0), 0);
    assert_int_equal(glt_cloud_set(c, "y", GLT_F32, &nothing, 0), 0);
    assert_int_equal(glt_cloud_set(c, "z", GLT_F32, &nothing, 0), 0);
    assert_int_equal(glt_view((const struct glt_cloud *const *)&c, 1, scratch("e.html"), NULL), 0);
    glt_cloud_free(c);
}

static struct glt_model *make_model(void)
{
    struct glt_config *config = NULL;
    struct glt_model *m = NULL;
    static const char *const set[][2] = {
        {"points", "512"}, {"levels", "128"}, {"k", "6"},           {"width", "8"},
        {"stem", "8"},     {"decoder", "8"},  {"head_hidden", "8"}, {"inputs", "xyz,rgb"}};
    assert_int_equal(glt_config_create(&config), 0);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_int_equal(glt_config_set(config, set[i][0], set[i][1]), 0);
    assert_int_equal(glt_model_create(&m, config, 4), 0);
    glt_config_free(config);
    return m;
}

static void a_pass_is_part_of_the_page(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    struct glt_model *m = make_model();
    const int64_t rows[] = {7, 2000};
    struct glt_view_options o = {.size = sizeof o, .points = 700, .model = m};
    size_t n = 0, len = 0;
    uLongf size;
    char *page = write_page(c, &o, &n);
    struct json *root = page_json(page);
    const struct json *tile = json_get(json_at(json_get(root, "clouds"), 1), "tile");
    const struct json *levels = json_get(tile, "levels");
    assert_int_equal(json_size(levels), 5);
    unsigned char *degree = section(page, "t1n11", &size);
    assert_int_equal(size, json_integer_value(json_at(levels, 1)));
    int64_t edges = 0;
    for (uLongf i = 0; i < size; i++)
        edges += degree[i];
    memory_free(degree);
    memory_free(section(page, "t1i11", &size));
    assert_int_equal(size, 4 * edges);
    memory_free(section(page, "t1w11gm", &size));
    assert_int_equal(size, 2 * edges + 10 * json_integer_value(json_at(levels, 1)));
    memory_free(section(page, "t1omain", &size));
    assert_int_equal(size, json_integer_value(json_at(levels, 0)));
    json_free(root);
    memory_free(page);
    o.rows = rows;
    o.n_rows = 2;
    page = write_page(c, &o, &n);
    assert_non_null(element(page, "t2w42ls", &len));
    memory_free(page);
    o.n_rows = 9;
    assert_int_equal(glt_view((const struct glt_cloud *const *)&c, 1, scratch("x.html"), &o),
                     GLT_EARGUMENT);
    glt_model_free(m);
    glt_cloud_free(c);
}

static int view_again(void *user)
{
    const struct glt_cloud *c = user;
    struct glt_view_options o = {.size = sizeof o, .points = 100};
    return glt_view(&c, 1, scratch("f.html"), &o);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct glt_cloud *c = make_cloud();
    faults_step = 17;
    assert_true(faults_memory(view_again, c) > 20);
    glt_cloud_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_holds_the_points_of_the_cloud),
        cmocka_unit_test(corrected_clouds_have_a_format_for_labels),
        cmocka_unit_test(the_same_cloud_gives_the_same_bytes),
        cmocka_unit_test(a_class_that_is_named_twice_is_listed_once),
        cmocka_unit_test(text_of_strangers_stays_text),
        cmocka_unit_test(the_policy_allows_one_script_and_no_request),
        cmocka_unit_test(arguments_out_of_range_are_refused),
        cmocka_unit_test(labels_without_bounds_are_refused),
        cmocka_unit_test(a_cloud_of_no_points_has_a_page),
        cmocka_unit_test(a_pass_is_part_of_the_page),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
