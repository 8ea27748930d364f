/* Synthetic aerial scenes: from (seed, area, index) to a labelled cloud, and folders of them. */
#include "synth/synth_aerial.h"

#include "cloud/cloud.h"
#include "cloud/column.h"
#include "core/angle.h"
#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"
#include "core/vec3.h"
#include "formats/format.h"
#include "synth/airborne.h"
#include "synth/layout.h"
#include "synth/maker.h"
#include "synth/site.h"
#include "synth/synth_folder.h"

#include <stdio.h>
#include <string.h>

enum { EPOCH = 100 }; /* of random streams: rooms and shapes have those below */

const char *const synth_aerial_class_names[SYNTH_AERIAL_CLASSES] = {"ground", "vegetation",
                                                                    "building", "other"};

const struct synth_aerial_number synth_aerial_numbers[SYNTH_AERIAL_NUMBERS] = {
    {SITE_GROUND, 0, "ground"}, {SITE_VEGETATION, 1, "vegetation"}, {SITE_BUILDING, 2, "building"},
    {SITE_OTHER, 3, "other"},   {SITE_WATER, 3, "water"},           {SITE_BRIDGE, 3, "bridge"},
    {3, 1, "low vegetation"},   {4, 1, "medium vegetation"}};

static const char *const kind_names[SITE_KINDS] = {"suburb",   "town",   "towers", "industry",
                                                   "farmland", "forest", "coast",  "river"};

struct synth_aerial synth_aerial_default(void)
{
    return (struct synth_aerial){.seed = 1, .scenes = SITE_KINDS, .size = 200};
}

int synth_aerial_check(const struct synth_aerial *o)
{
    if (o->scenes < 1 || o->scenes > 10000)
        return error_topic(
            error_set(GLT_EARGUMENT, "scenes = %d per area: give 1 to 10000", o->scenes),
            GLT_TOPIC_OPTION, "scenes");
    if (!(o->size >= 20 && o->size <= 500))
        return error_topic(error_set(GLT_EARGUMENT, "size = %g metres: give 20 to 500", o->size),
                           GLT_TOPIC_OPTION, "size");
    if (!(o->density == 0 || (o->density >= 0.2 && o->density <= 100)))
        return error_topic(
            error_set(GLT_EARGUMENT,
                      "density = %g points per square metre: give 0.2 to 100, or 0 for a "
                      "density of its own in every scene",
                      o->density),
            GLT_TOPIC_OPTION, "density");
    return 0;
}

void synth_aerial_name(char *dst, size_t size, int index)
{
    snprintf(dst, size, "%s_%d", kind_names[index % SITE_KINDS], index / SITE_KINDS + 1);
}

static struct site_style draw_style(struct random *r)
{
    double u[8];
    for (int i = 0; i < 8; i++)
        u[i] = random_uniform(r);
    return (struct site_style){.pitch_low = 0.2 + 0.5 * u[0],
                               .pitch_high = 0.5 + 0.8 * u[0],
                               .flat = 0.05 + 0.5 * u[1] * u[1],
                               .relief = 0.3 + 14 * u[2] * u[2] * u[2],
                               .conifers = 0.05 + 0.6 * u[3] * u[3],
                               .leaves = u[4] < 0.3 ? 0.15 + u[4] : 0.5 + 1.2 * u[4],
                               .green = 0.6 + 1.8 * u[5],
                               .yaw = ANGLE_PI * u[6]};
}

/* Some scenes leave their area's style. */
static void vary_style(struct site_style *style, struct random *r)
{
    struct site_style other = draw_style(r);
    double u[4];
    for (int i = 0; i < 4; i++)
        u[i] = random_uniform(r);
    style->yaw = other.yaw;
    style->green = other.green;
    if (u[0] < 0.4)
        style->relief = other.relief;
    if (u[1] < 0.3)
        style->flat = other.flat;
    if (u[2] < 0.3) {
        style->pitch_low = other.pitch_low;
        style->pitch_high = other.pitch_high;
    }
    if (u[3] < 0.3)
        style->conifers = other.conifers;
}

/* Every doubling from 1 to 60 points per square metre has about the same chance. */
static double draw_density(struct random *r)
{
    static const double grid[] = {1, 2, 4, 8, 15, 30, 60};
    double at = 6 * random_uniform(r);
    int i = (int)at;
    return grid[i] + (grid[i + 1] - grid[i]) * (at - i);
}

/* --- echoes into a cloud --- */

enum { ROUND = 65536 }; /* pulses whose echoes are held apart before they are put in a row */

struct work {
    const struct airborne *scan;
    uint32_t first; /* pulse of this round */
    struct airborne_echo (*echoes)[ECHOES_MAX];
    uint8_t *counts;
    struct airborne_echo *all;
    int64_t n;
};

static void scan_chunk(void *user, int64_t begin, int64_t end)
{
    struct work *w = user;
    for (int64_t i = begin; i < end; i++)
        w->counts[i] = (uint8_t)airborne_pulse(w->echoes[i], w->scan, w->first + (uint32_t)i);
}

static int scan_round(struct work *w, uint32_t pulses)
{
    int64_t found = 0;
    parallel_for(pulses, 1024, scan_chunk, w);
    for (uint32_t i = 0; i < pulses; i++)
        found += w->counts[i];
    TRY(array_reserve(&w->all, w->n, found, sizeof *w->all));
    for (uint32_t i = 0; i < pulses; i++)
        for (int k = 0; k < w->counts[i]; k++)
            w->all[w->n++] = w->echoes[i][k];
    return 0;
}

static int scan_all(struct work *w)
{
    struct call call = {0};
    w->echoes = call_alloc(&call, ROUND, sizeof *w->echoes);
    w->counts = call_alloc(&call, ROUND, 1);
    int code = w->echoes && w->counts ? 0 : GLT_ENOMEM;
    for (uint32_t first = 0; code == 0 && first < w->scan->pulses; first += ROUND) {
        uint32_t left = w->scan->pulses - first;
        w->first = first;
        code = scan_round(w, left < ROUND ? left : ROUND);
    }
    call_free(&call);
    if (code == 0 && w->n == 0)
        code = error_set(GLT_EDATA, "a synthetic aerial scene returned no points");
    return code;
}

static int add_column(void *data_out, struct glt_cloud *c, const char *name, enum glt_type type)
{
    struct column *column;
    TRY(cloud_add_attribute(&column, c, name, type));
    memcpy(data_out, &column->data, sizeof column->data);
    return 0;
}

struct columns {
    float *x, *y, *z;
    uint16_t *intensity;
    uint8_t *number, *of, *label;
    int8_t *angle;
};

static int add_columns(struct columns *to, struct glt_cloud *c)
{
    TRY(add_column(&to->x, c, "x", GLT_F32));
    TRY(add_column(&to->y, c, "y", GLT_F32));
    TRY(add_column(&to->z, c, "z", GLT_F32));
    TRY(add_column(&to->intensity, c, "intensity", GLT_U16));
    TRY(add_column(&to->number, c, "return_number", GLT_U8));
    TRY(add_column(&to->of, c, "number_of_returns", GLT_U8));
    TRY(add_column(&to->angle, c, "scan_angle", GLT_I8));
    TRY(add_column(&to->label, c, "label", GLT_U8));
    for (int i = 0; i < SYNTH_AERIAL_NUMBERS; i++) {
        char text[64];
        snprintf(text, sizeof text, "class %d %s", synth_aerial_numbers[i].number,
                 synth_aerial_numbers[i].name);
        TRY(cloud_add_comment(c, text));
    }
    return 0;
}

/* Surveys give coordinates in whole centimetres. */
static float centimetres(double x)
{
    return (float)(__builtin_floor(x * 100 + 0.5) / 100);
}

static int make_cloud(struct glt_cloud **out, const struct work *w, double half)
{
    struct columns to;
    TRY(cloud_new(out, w->n));
    TRY(add_columns(&to, *out));
    for (int64_t i = 0; i < w->n; i++) {
        const struct airborne_echo *e = &w->all[i];
        double strength = e->intensity < 0 ? 0 : e->intensity > 65535 ? 65535 : e->intensity;
        to.x[i] = centimetres(e->at.x + half);
        to.y[i] = centimetres(e->at.y + half);
        to.z[i] = centimetres(e->at.z + 50);
        to.intensity[i] = (uint16_t)strength;
        to.number[i] = e->number;
        to.of[i] = e->of;
        to.angle[i] = e->angle;
        to.label[i] = e->label;
    }
    return 0;
}

static int scan_site(struct glt_cloud **out, const struct airborne *scan)
{
    struct work w = {.scan = scan};
    struct glt_cloud *cloud = NULL;
    int code = scan_all(&w);
    if (code == 0)
        code = make_cloud(&cloud, &w, scan->site->half);
    if (code == 0) {
        *out = cloud;
        cloud = NULL;
    }
    cloud_free(cloud);
    memory_free(w.all);
    return code;
}

int synth_aerial_cloud(struct glt_cloud **out, const struct synth_aerial *o, int area, int index)
{
    TRY(synth_aerial_check(o));
    if (area < 1 || area > SYNTH_AERIAL_AREAS || index < 0 || index >= o->scenes)
        return error_set(GLT_EARGUMENT, "scene %d of area %d: areas are 1 to 6, scenes 0 to %d",
                         index, area, o->scenes - 1);
    uint32_t epoch = EPOCH + (uint32_t)area;
    struct random_stream stream = random_stream(o->seed, epoch, (uint32_t)index, RANDOM_SYNTH);
    struct random common = random_start(random_stream(o->seed, epoch, UINT32_MAX, RANDOM_SYNTH), 0);
    struct random random = random_start(stream, 0), flight = random_start(stream, 1);
    struct airborne_sensor sensor = airborne_draw(&common);
    struct site site = {0};
    struct airborne scan;
    int code = site_create(&site, o->size / 2, &random);
    if (code == 0) {
        site.style = draw_style(&common);
        vary_style(&site.style, &random);
        site.kind = (enum site_kind)(index % SITE_KINDS);
        site.salt = random_u32(&random);
        code = layout_build(&site);
    }
    double density = draw_density(&flight);
    if (code == 0)
        code = airborne_plan(&scan, &site, &sensor, o->density > 0 ? o->density : density, &flight);
    if (code == 0) {
        scan.stream = stream;
        code = scan_site(out, &scan);
    }
    site_free(&site);
    return code;
}

/* --- into a folder --- */

enum { PATH_SIZE = 4096, TEST_AREA = 5 };

static const char *split_of(int area)
{
    return area == TEST_AREA ? "test" : "train";
}

static int area_folder(char *path, size_t size, const char *folder, int area)
{
    char name[32];
    snprintf(name, sizeof name, "%s/area_%d", split_of(area), area);
    return file_join(path, size, folder, name);
}

static int remove_scenes(const char *folder)
{
    char path[PATH_SIZE];
    for (int area = 1; area <= SYNTH_AERIAL_AREAS; area++) {
        TRY(area_folder(path, sizeof path, folder, area));
        for (int i = 0; i < SITE_KINDS; i++)
            TRY(synth_folder_clear(path, kind_names[i]));
    }
    return 0;
}

static int write_scene(const char *folder, const struct synth_aerial *o, const char *format,
                       int area, int index)
{
    char name[64], file[80], place[PATH_SIZE], path[PATH_SIZE];
    synth_aerial_name(name, sizeof name, index);
    snprintf(file, sizeof file, "%s.%s", name, format);
    TRY(area_folder(place, sizeof place, folder, area));
    TRY(file_make_folder(place));
    TRY(file_join(path, sizeof path, place, file));
    struct glt_cloud *c = NULL;
    TRY(synth_aerial_cloud(&c, o, area, index));
    int code = format_write(c, path, NULL);
    cloud_free(c);
    return code;
}

static int print_yaml(struct file *f, const struct synth_aerial *o, const char *format)
{
    TRY(file_print(f,
                   "# gelatto synth aerial, seed %llu\ntrain: \"train/*/*.%s\"\ntest: "
                   "\"test/*/*.%s\"\ntask: segment\nnames: [",
                   (unsigned long long)o->seed, format, format));
    for (int i = 0; i < SYNTH_AERIAL_CLASSES; i++)
        TRY(file_print(f, "%s%s", i ? ", " : "", synth_aerial_class_names[i]));
    TRY(file_print(f, "]\nmap:\n"));
    for (int i = 0; i < SYNTH_AERIAL_NUMBERS; i++)
        TRY(file_print(f, "  %d: %s\n", synth_aerial_numbers[i].number,
                       synth_aerial_class_names[synth_aerial_numbers[i].class]));
    return file_commit(f);
}

static int write_yaml(const char *folder, const struct synth_aerial *o, const char *format)
{
    char path[PATH_SIZE];
    struct file *f;
    TRY(file_join(path, sizeof path, folder, "aerial.yaml"));
    TRY(file_create(&f, path));
    int code = print_yaml(f, o, format);
    if (code < 0)
        file_close(f);
    return code;
}

/* train and test with a folder per area, aerial.yaml beside them. */
static int write_scenes(const char *folder, const struct synth_aerial *o, const char *format,
                        bool replace)
{
    TRY(synth_aerial_check(o));
    if (strcmp(format, "ply") != 0 && strcmp(format, "las") != 0 && strcmp(format, "laz") != 0)
        return error_topic(error_set(GLT_EARGUMENT, "format = %s: give ply, las or laz", format),
                           GLT_TOPIC_OPTION, "format");
    TRY(synth_folder_check(folder, "train", replace));
    if (replace)
        TRY(remove_scenes(folder));
    TRY(file_make_folder(folder));
    for (int i = 0; i < 2; i++) {
        char path[PATH_SIZE];
        TRY(file_join(path, sizeof path, folder, i ? "test" : "train"));
        TRY(file_make_folder(path));
    }
    int64_t total = (int64_t)SYNTH_AERIAL_AREAS * o->scenes, done = 0;
    for (int area = 1; area <= SYNTH_AERIAL_AREAS; area++)
        for (int i = 0; i < o->scenes; i++) {
            TRY(progress_report("scenes", done++, total));
            TRY(write_scene(folder, o, format, area, i));
        }
    TRY(write_yaml(folder, o, format));
    return progress_report("scenes", total, total);
}

int glt_synth_aerial(const char *folder, const char *options)
{
    REQUIRE(folder);
    struct synth_aerial o = synth_aerial_default();
    const char *format = "ply";
    bool replace = false;
    const struct option_field table[] = {
        {"scenes", FIELD_INT, &o.scenes, 1, 10000},  {"size", FIELD_REAL, &o.size, 20, 500},
        {"density", FIELD_REAL, &o.density, 0, 100}, {"seed", FIELD_SEED, &o.seed, 0, 0},
        {"format", FIELD_TEXT, &format, 0, 0},       {"replace", FIELD_FLAG, &replace, 0, 0}};
    struct call call = {0};
    int code = option_string_read(&call, options, table, sizeof table / sizeof *table);
    if (code == 0)
        code = write_scenes(folder, &o, format, replace);
    call_free(&call);
    return code;
}
