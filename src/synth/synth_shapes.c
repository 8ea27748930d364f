/* Points on parametric objects.
 *
 * Uniform random lines meet a surface in points uniform by area (Cauchy and Crofton): every solid's
 * entry point counts unless it lies inside another solid, so the union is sampled without ever
 * computing an area. */
#include "synth/synth_shapes.h"
#include "formats/format.h"

#include "cloud/cloud.h"
#include "cloud/column.h"
#include "core/angle.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/frame3.h"
#include "core/option_string.h"
#include "core/progress.h"
#include "core/random.h"
#include "core/vec3.h"
#include "synth/maker.h"
#include "synth/parts.h"
#include "synth/scene.h"
#include "synth/solid.h"
#include "synth/synth_folder.h"

#include <stdio.h>
#include <string.h>

enum { LINES_MAX = 100000000, PATH_SIZE = 4096 };

int synth_shapes_parts(int category, int *first)
{
    int before = 0, n = 0;
    for (int i = 0; i <= category; i++) {
        before += n;
        n = 1;
        for (const char *c = parts_categories[i].parts; *c; c++)
            n += *c == ' ';
    }
    *first = before;
    return n;
}

void synth_shapes_part_name(char *dst, size_t size, int part)
{
    for (int i = 0; i < parts_categories_n; i++) {
        int first, n = synth_shapes_parts(i, &first);
        if (part < first || part >= first + n)
            continue;
        const char *name = parts_categories[i].parts;
        for (int k = first; k < part; k++)
            name += strcspn(name, " ") + 1;
        snprintf(dst, size, "%s.%.*s", parts_categories[i].name, (int)strcspn(name, " "), name);
        return;
    }
    snprintf(dst, size, "part %d", part);
}

struct synth_shapes synth_shapes_default(void)
{
    return (struct synth_shapes){.seed = 1, .shapes = 40, .points = 2048};
}

static int check(const struct synth_shapes *o)
{
    if (o->shapes < 1 || o->shapes > 100000)
        return error_topic(
            error_set(GLT_EARGUMENT, "shapes = %d per category: give 1 to 100000", o->shapes),
            GLT_TOPIC_OPTION, "shapes");
    if (o->points < 1 || o->points > 10000000)
        return error_topic(error_set(GLT_EARGUMENT, "points = %lld per shape: give 1 to 10000000",
                                     (long long)o->points),
                           GLT_TOPIC_OPTION, "points");
    return 0;
}

/* Middle and radius of a ball around everything. */
static struct vec3 enclose(const struct scene *s, double *radius)
{
    struct vec3 low, high;
    solid_bounds(&s->solids[0], &low, &high);
    for (int32_t i = 1; i < s->solids_n; i++) {
        struct vec3 a, b;
        solid_bounds(&s->solids[i], &a, &b);
        low = vec3(a.x < low.x ? a.x : low.x, a.y < low.y ? a.y : low.y, a.z < low.z ? a.z : low.z);
        high = vec3(b.x > high.x ? b.x : high.x, b.y > high.y ? b.y : high.y,
                    b.z > high.z ? b.z : high.z);
    }
    *radius = vec3_length(vec3_sub(high, low)) / 2;
    return vec3_scale(vec3_add(low, high), 0.5);
}

/* A line drawn uniformly from those through the ball: a direction, then a point of its disc. */
static struct ray draw_line(struct random *r, struct vec3 middle, double radius)
{
    double z = 2 * random_uniform(r) - 1, turn = 2 * ANGLE_PI * random_uniform(r);
    double far = radius * __builtin_sqrt(random_uniform(r));
    double around = 2 * ANGLE_PI * random_uniform(r);
    double s, c, flat = __builtin_sqrt(1 - z * z);
    angle_sincos(turn, &s, &c);
    struct vec3 along = vec3(flat * c, flat * s, z);
    struct vec3 side = vec3(-s, c, 0), up = vec3_cross(along, side);
    angle_sincos(around, &s, &c);
    struct vec3 from = vec3_along(vec3_along(middle, side, far * c), up, far * s);
    return (struct ray){vec3_along(from, along, -2 * radius), along};
}

static bool covered(const struct scene *s, struct vec3 p, int32_t except)
{
    for (int32_t i = 0; i < s->solids_n; i++)
        if (i != except && solid_inside(&s->solids[i], p, 1e-4))
            return true;
    return false;
}

struct surface {
    float *column[6]; /* x y z nx ny nz */
    uint8_t *label;
    int64_t n;
};

static int sample(struct surface *out, const struct scene *s, struct random *random)
{
    double radius;
    struct vec3 middle = enclose(s, &radius);
    int64_t k = 0;
    for (int64_t line = 0; k < out->n; line++) {
        if (line == LINES_MAX)
            return error_set(GLT_EDATA, "a synthetic shape has almost no surface");
        struct ray ray = draw_line(random, middle, radius);
        for (int32_t i = 0; i < s->solids_n && k < out->n; i++) {
            struct ray_hit hit;
            if (!solid_cast(&s->solids[i], &hit, &ray, 0, 4 * radius))
                continue;
            struct vec3 p = vec3_along(ray.from, ray.along, hit.t);
            if (covered(s, p, i))
                continue;
            struct vec3 q = vec3_scale(vec3_sub(p, middle), 1 / radius);
            const double values[6] = {q.x, q.y, q.z, hit.normal.x, hit.normal.y, hit.normal.z};
            for (int j = 0; j < 6; j++)
                out->column[j][k] = (float)values[j];
            out->label[k++] = s->solids[i].label;
        }
    }
    return 0;
}

static int make_columns(struct surface *surface, struct glt_cloud *c, int category)
{
    static const char *const names[6] = {"x", "y", "z", "nx", "ny", "nz"};
    struct column *column;
    for (int j = 0; j < 6; j++) {
        TRY(cloud_add_attribute(&column, c, names[j], GLT_F32));
        surface->column[j] = column->data;
    }
    TRY(cloud_add_attribute(&column, c, "label", GLT_U8));
    surface->label = column->data;
    int first, n = synth_shapes_parts(category, &first);
    for (int i = first; i < first + n; i++) {
        char name[64], text[96];
        synth_shapes_part_name(name, sizeof name, i);
        snprintf(text, sizeof text, "class %d %s", i, name);
        TRY(cloud_add_comment(c, text));
    }
    return 0;
}

int synth_shapes_cloud(struct glt_cloud **out, const struct synth_shapes *o, int category,
                       int index)
{
    TRY(check(o));
    if (category < 0 || category >= parts_categories_n || index < 0)
        return error_set(GLT_EARGUMENT, "category %d: there are %d", category, parts_categories_n);
    struct random random = random_start(
        random_stream(o->seed, 1000 + (uint32_t)category, (uint32_t)index, RANDOM_SYNTH), 0);
    struct scene scene = {0};
    struct maker m = {.scene = &scene, .random = &random, .frame = frame3_identity()};
    int first;
    synth_shapes_parts(category, &first);
    parts_categories[category].make(&m, first);
    struct glt_cloud *c = NULL;
    struct surface surface = {.n = o->points};
    int code = scene.error;
    if (code == 0)
        code = cloud_new(&c, o->points);
    if (code == 0)
        code = make_columns(&surface, c, category);
    if (code == 0)
        code = sample(&surface, &scene, &random);
    scene_free(&scene);
    if (code < 0)
        cloud_free(c);
    else
        *out = c;
    return code;
}

/* 7 : 1 : 2; every split has something once there are three shapes. */
static const char *split_of(int index, int n)
{
    int test = n / 5 > 0 ? n / 5 : n > 2, val = n / 10 > 0 ? n / 10 : n > 2;
    return index < n - test - val ? "train" : index < n - test ? "val" : "test";
}

static int write_shape(const char *folder, const struct synth_shapes *o, int category, int index)
{
    const char *name = parts_categories[category].name;
    char path[PATH_SIZE];
    int len = snprintf(path, sizeof path, "%s/%s/%s", folder, split_of(index, o->shapes), name);
    if (len < 0 || len >= (int)sizeof path - 64)
        return error_topic(error_in(GLT_EARGUMENT, folder, "the path is too long"),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    TRY(file_make_folder(path));
    snprintf(path + len, sizeof path - (size_t)len, "/%s_%04d.ply", name, index + 1);
    struct glt_cloud *c = NULL;
    TRY(synth_shapes_cloud(&c, o, category, index));
    int code = format_write(c, path, NULL);
    cloud_free(c);
    return code;
}

static int print_head(struct file *f, const struct synth_shapes *o, const char *task)
{
    return file_print(f,
                      "# Parametric objects of labelled parts: gelatto synth shapes, seed %llu.\n"
                      "path: .\ntrain: train\n%s%stask: %s\n",
                      (unsigned long long)o->seed, o->shapes > 2 ? "val: val\n" : "",
                      o->shapes > 2 ? "test: test\n" : "", task);
}

/* Folders are categories, labels are parts. */
static int print_parts(struct file *f, const struct synth_shapes *o)
{
    int first, n;
    TRY(print_head(f, o, "parts"));
    TRY(file_print(f, "parts:\n"));
    for (int i = 0; i < parts_categories_n; i++) {
        n = synth_shapes_parts(i, &first);
        TRY(file_print(f, "  %s: %d\n", parts_categories[i].name, n));
    }
    n = synth_shapes_parts(parts_categories_n - 1, &first);
    TRY(file_print(f, "names:\n"));
    for (int i = 0; i < first + n; i++) {
        char name[64];
        synth_shapes_part_name(name, sizeof name, i);
        TRY(file_print(f, "  %d: %s\n", i, name));
    }
    return file_commit(f);
}

static int print_classes(struct file *f, const struct synth_shapes *o)
{
    TRY(print_head(f, o, "classify"));
    TRY(file_print(f, "names:\n"));
    for (int i = 0; i < parts_categories_n; i++)
        TRY(file_print(f, "  - %s\n", parts_categories[i].name));
    return file_commit(f);
}

static int write_yaml(const char *folder, const char *name, const struct synth_shapes *o,
                      int (*print)(struct file *f, const struct synth_shapes *o))
{
    char path[PATH_SIZE];
    struct file *f;
    TRY(file_join(path, sizeof path, folder, name));
    TRY(file_create(&f, path));
    int code = print(f, o);
    if (code < 0)
        file_close(f);
    return code;
}

static int remove_shapes(const char *folder)
{
    static const char *const splits[] = {"train", "val", "test"};
    char path[PATH_SIZE], name[64];
    for (int i = 0; i < 3 * parts_categories_n; i++) {
        const char *category = parts_categories[i / 3].name;
        snprintf(name, sizeof name, "%s/%s", splits[i % 3], category);
        TRY(file_join(path, sizeof path, folder, name));
        TRY(synth_folder_clear(path, category));
    }
    return 0;
}

/* train, val, test (7 : 1 : 2) with a folder per category, shapes.yaml for their parts,
 * classes.yaml for whole shapes. */
static int write_shapes(const char *folder, const struct synth_shapes *o, bool replace)
{
    TRY(check(o));
    TRY(synth_folder_check(folder, "train", replace));
    if (replace)
        TRY(remove_shapes(folder));
    TRY(file_make_folder(folder));
    int64_t total = (int64_t)parts_categories_n * o->shapes, done = 0;
    for (int category = 0; category < parts_categories_n; category++)
        for (int i = 0; i < o->shapes; i++) {
            TRY(progress_report("shapes", done++, total));
            TRY(write_shape(folder, o, category, i));
        }
    TRY(write_yaml(folder, "classes.yaml", o, print_classes));
    TRY(write_yaml(folder, "shapes.yaml", o, print_parts));
    return progress_report("shapes", total, total);
}

int glt_synth_shapes(const char *folder, const char *options)
{
    REQUIRE(folder);
    struct synth_shapes o = synth_shapes_default();
    bool replace = false;
    const struct option_field table[] = {{"shapes", FIELD_INT, &o.shapes, 1, 100000},
                                         {"points", FIELD_INT64, &o.points, 1, 10000000},
                                         {"seed", FIELD_SEED, &o.seed, 0, 0},
                                         {"replace", FIELD_FLAG, &replace, 0, 0}};
    struct call call = {0};
    int code = option_string_read(&call, options, table, sizeof table / sizeof *table);
    if (code == 0)
        code = write_shapes(folder, &o, replace);
    call_free(&call);
    return code;
}
