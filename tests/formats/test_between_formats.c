/* From every format to every other: generated clouds are written in one, read, written in another
 * and read again; the same points in the same order, and every attribute both can hold.
 * labels: quick */
#include "io_cloud.h"

enum { POINTS = 257 };

static const struct kind {
    const char *name, *encoding;
    bool names; /* holds attributes of any name; KITTI and LAS only their own */
    bool colours, normals;
} kinds[] = {
    {"a.ply", "ascii", true, true, true},  {"b.ply", "binary", true, true, true},
    {"c.ply", "big", true, true, true},    {"a.pcd", "ascii", true, true, true},
    {"b.pcd", "binary", true, true, true}, {"c.pcd", "compressed", true, true, true},
    {"a.las", NULL, true, true, true},     {"a.npy", NULL, true, true, true},
    {"a.npz", NULL, true, true, true},     {"b.npz", "compressed", true, true, true},
    {"a.csv", NULL, true, true, true},     {"a.bin", NULL, false, false, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Eighths, exact in float, in decimals and in the steps of LAS; names every format keeps. */
static struct glt_cloud *make(uint32_t seed)
{
    static const struct {
        const char *name;
        enum glt_type type;
    } columns[] = {{"x", GLT_F32},    {"y", GLT_F32},   {"z", GLT_F32},         {"red", GLT_U8},
                   {"green", GLT_U8}, {"blue", GLT_U8}, {"intensity", GLT_U16}, {"label", GLT_U8},
                   {"nx", GLT_F32},   {"ny", GLT_F32},  {"nz", GLT_F32},        {"height", GLT_F64},
                   {"echo", GLT_I16}};
    struct random r = random_start(random_stream(seed, 0, 0, RANDOM_TEST), 0);
    struct glt_cloud *c;
    assert_int_equal(cloud_new(&c, POINTS), 0);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        struct column *x;
        assert_int_equal(cloud_add_attribute(&x, c, columns[k].name, columns[k].type), 0);
        for (int i = 0; i < POINTS; i++) {
            int32_t v = (int32_t)random_below(&r, 20000) - 10000;
            switch (columns[k].type) {
            case GLT_U8:
                ((uint8_t *)x->data)[i] = (uint8_t)(k == 7 ? (uint32_t)v % 13 : (uint32_t)v);
                break;
            case GLT_U16:
                ((uint16_t *)x->data)[i] = (uint16_t)v;
                break;
            case GLT_I16:
                ((int16_t *)x->data)[i] = (int16_t)v;
                break;
            case GLT_F64:
                ((double *)x->data)[i] = v * 1.1;
                break;
            default:
                ((float *)x->data)[i] = (float)v / 8;
            }
        }
    }
    return c;
}

static const struct column *find(const struct glt_cloud *c, const char *name)
{
    const struct column *x = cloud_attribute(c, name);
    return x || strcmp(name, "label") ? x : cloud_attribute(c, "classification");
}

static void compare(const struct glt_cloud *want, const struct glt_cloud *got, const char *name,
                    const char *way)
{
    const struct column *a = find(want, name), *b = find(got, name);
    if (!a || !b)
        fail_msg("%s: %s is lost", way, name);
    for (int64_t i = 0; i < POINTS; i++)
        /* steps of 10^-8 give doubles that are a bit off; they are the same floats */
        if (a->type == GLT_F32 ? (float)column_value(a, i) != (float)column_value(b, i)
                               : column_value(a, i) != column_value(b, i))
            fail_msg("%s: %s of point %lld: %.17g became %.17g", way, name, (long long)i,
                     column_value(a, i), column_value(b, i));
}

static void compare_all(const struct glt_cloud *want, const struct glt_cloud *got,
                        const struct kind *a, const struct kind *b)
{
    static const char *const always[] = {"x", "y", "z", "intensity", "label"};
    static const char *const more[] = {"nx", "ny", "nz", "height", "echo"};
    char way[64];
    snprintf(way, sizeof way, "%s %s to %s %s", a->name, a->encoding ? a->encoding : "", b->name,
             b->encoding ? b->encoding : "");
    assert_int_equal(got->n, POINTS);
    for (int k = 0; k < 5; k++)
        compare(want, got, always[k], way);
    for (int k = 0; k < 5 && a->names && b->names; k++)
        compare(want, got, more[k], way);
    if (!a->colours || !b->colours)
        return;
    float rgb[2][3 * POINTS]; /* LAS has 16 bits for each */
    assert_int_equal(cloud_colours(rgb[0], want), 0);
    assert_int_equal(cloud_colours(rgb[1], got), 0);
    for (int i = 0; i < 3 * POINTS; i++)
        if (rgb[0][i] - rgb[1][i] > 1e-6f || rgb[1][i] - rgb[0][i] > 1e-6f)
            fail_msg("%s: colour %d: %g became %g", way, i, (double)rgb[0][i], (double)rgb[1][i]);
}

static void a_cloud_survives_every_pair_of_formats(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        struct glt_cloud *c = make((uint32_t)i + 1);
        struct format_options o = {.encoding = kinds[i].encoding};
        struct glt_cloud *first = read_back(c, kinds[i].name, &o);
        compare_all(c, first, &kinds[i], &kinds[i]);
        for (int k = 0; k < KINDS; k++) {
            o.encoding = kinds[k].encoding;
            struct glt_cloud *second = read_back(first, kinds[k].name, &o);
            compare_all(c, second, &kinds[i], &kinds[k]);
            cloud_free(second);
        }
        cloud_free(first);
        cloud_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_cloud_survives_every_pair_of_formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
