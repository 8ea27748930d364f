/* Synthetic rooms: from (seed, area, index) to a labelled, coloured cloud. */
#include "synth/synth_rooms.h"

#include "cloud/cloud.h"
#include "cloud/column.h"
#include "core/angle.h"
#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/frame3.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/vec3.h"
#include "formats/format.h"
#include "synth/furnish.h"
#include "synth/maker.h"
#include "synth/openings.h"
#include "synth/room.h"
#include "synth/scanner.h"
#include "synth/scene.h"
#include "synth/shell.h"
#include "synth/solid.h"
#include "synth/structure.h"
#include "synth/synth_folder.h"

#include <stdio.h>
#include <string.h>

const char *const synth_rooms_class_names[SYNTH_CLASSES] = {
    "ceiling", "floor", "wall", "beam",     "column", "window", "door",
    "table",   "chair", "sofa", "bookcase", "board",  "clutter"};

static const char *const kind_names[ROOM_KINDS] = {"office", "conferenceRoom", "hallway", "lounge",
                                                   "storage"};

/* Kinds of rooms in the order of an area's indices; room 0 shows every class. */
static const uint8_t kinds[] = {ROOM_OFFICE,  ROOM_CONFERENCE, ROOM_HALLWAY, ROOM_LOUNGE,
                                ROOM_STORAGE, ROOM_OFFICE,     ROOM_OFFICE,  ROOM_HALLWAY,
                                ROOM_LOUNGE,  ROOM_CONFERENCE};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct synth_rooms synth_rooms_default(void)
{
    return (struct synth_rooms){.seed = 1, .rooms = 10, .points = 100000};
}

int synth_rooms_check(const struct synth_rooms *o)
{
    if (o->rooms < 1 || o->rooms > 10000)
        return error_topic(
            error_set(GLT_EARGUMENT, "rooms = %d per area: give 1 to 10000", o->rooms),
            GLT_TOPIC_OPTION, "rooms");
    if (o->points < 1 || o->points > 10000000)
        return error_topic(error_set(GLT_EARGUMENT, "points = %lld per room: give 1 to 10000000",
                                     (long long)o->points),
                           GLT_TOPIC_OPTION, "points");
    return 0;
}

void synth_rooms_name(char *dst, size_t size, int index)
{
    int kind = kinds[index % KINDS], number = 1;
    for (int i = 0; i < index; i++)
        number += kinds[i % KINDS] == kind;
    snprintf(dst, size, "%s_%d", kind_names[kind], number);
}

static struct room_style draw_style(uint64_t seed, int area)
{
    static const enum look walls[6] = {LOOK_WHITE, LOOK_WHITE, LOOK_CREAM,
                                       LOOK_GREY,  LOOK_WHITE, LOOK_CONCRETE};
    static const enum look doors[5] = {LOOK_WOOD, LOOK_WOOD_DARK, LOOK_WHITE, LOOK_GREY, LOOK_WOOD};
    static const enum look frames[4] = {LOOK_WHITE, LOOK_DARK, LOOK_METAL, LOOK_WOOD};
    struct random r =
        random_start(random_stream(seed, (uint32_t)area, UINT32_MAX, RANDOM_SYNTH), 0);
    struct room_style s;
    s.wall_look = (uint8_t)walls[random_below(&r, 6)];
    s.door_look = (uint8_t)doors[random_below(&r, 5)];
    s.frame_look = (uint8_t)frames[random_below(&r, 4)];
    s.floor_kind = (uint8_t)random_below(&r, 4);
    s.ceiling_kind = (uint8_t)random_below(&r, 3);
    s.lamp_kind = (uint8_t)random_below(&r, 3);
    s.height = 2.55 + 0.75 * random_uniform(&r);
    s.beams = 0.2 + 0.5 * random_uniform(&r);
    s.columns = 0.3 + 0.5 * random_uniform(&r);
    s.yaw = ANGLE_PI / 2 * random_uniform(&r);
    return s;
}

/* Some rooms leave their building's style. */
static void vary_style(struct room *r)
{
    struct maker *m = &r->make;
    if (maker_chance(m, 0.45))
        r->style.floor_kind = (uint8_t)maker_count(m, 0, 3);
    if (maker_chance(m, 0.35))
        r->style.ceiling_kind = (uint8_t)maker_count(m, 0, 2);
    if (maker_chance(m, 0.35))
        r->style.lamp_kind = (uint8_t)maker_count(m, 0, 2);
    if (maker_chance(m, 0.3))
        r->style.height = maker_between(m, 2.5, 3.4);
    if (maker_chance(m, 0.4))
        r->style.yaw += maker_between(m, -0.6, 0.6);
}

static bool shows_all(const struct scene *s)
{
    uint32_t seen = 0;
    for (int32_t i = 0; i < s->solids_n; i++)
        seen |= 1u << s->solids[i].label;
    return seen == (1u << LABELS) - 1;
}

static void build(struct room *r, struct scene *scene, struct random *random,
                  const struct synth_rooms *o, int area, int index)
{
    memset(r, 0, sizeof *r);
    r->make = (struct maker){.scene = scene, .random = random, .frame = frame3_identity()};
    r->kind = (enum room_kind)kinds[index % KINDS];
    r->complete = index == 0;
    r->real = o->real;
    r->style = draw_style(o->seed, area);
    vary_style(r);
    if (r->real && !r->complete) { /* homes have few */
        r->style.beams *= 0.3;
        r->style.columns *= 0.3;
    }
    shell_outline(r);
    openings_build(r);
    shell_build(r);
    structure_build(r);
    structure_fixtures(r);
    furnish(r);
    structure_details(r);
}

struct work {
    const struct scan *scan;
    struct echo *echoes;
    uint32_t rays, round;
    const int32_t *chosen;
    struct frame3 place;
    float *x, *y, *z;
    uint8_t *red, *green, *blue, *label;
    uint16_t *instance;
};

static void cast_chunk(void *user, int64_t begin, int64_t end)
{
    struct work *w = user;
    struct echo *echoes = w->echoes + (int64_t)w->round * w->rays;
    for (int64_t i = begin; i < end; i++)
        scanner_ray(&echoes[i], w->scan, w->round, (uint32_t)i, w->rays);
}

static void fill_chunk(void *user, int64_t begin, int64_t end)
{
    struct work *w = user;
    for (int64_t i = begin; i < end; i++) {
        const struct echo *e = &w->echoes[w->chosen[i]];
        const struct solid *solid = &w->scan->scene->solids[e->hit.solid];
        struct vec3 p = frame3_apply(&w->place, e->measured);
        uint8_t rgb[3];
        scanner_colour(rgb, w->scan, e, (uint32_t)w->chosen[i]);
        w->x[i] = (float)p.x;
        w->y[i] = (float)p.y;
        w->z[i] = (float)p.z;
        w->red[i] = rgb[0];
        w->green[i] = rgb[1];
        w->blue[i] = rgb[2];
        w->label[i] = solid->label;
        w->instance[i] = solid->instance;
    }
}

struct rank {
    double key;
    int32_t index;
};

static int compare_rank(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The n echoes with the smallest keys, in ray order: sequential Poisson sampling (Ohlsson 1998)
 * with the weights of scanner_ray. */
static int choose(int32_t *chosen, const struct echo *echoes, int64_t total, int64_t found,
                  int64_t n)
{
    struct rank *ranks = memory_alloc((size_t)found, sizeof *ranks);
    if (!ranks)
        return GLT_ENOMEM;
    int64_t k = 0;
    for (int64_t i = 0; i < total; i++)
        if (echoes[i].key >= 0)
            ranks[k++] = (struct rank){echoes[i].key, (int32_t)i};
    qsort(ranks, (size_t)found, sizeof *ranks, compare_rank);
    struct rank last = ranks[n - 1];
    memory_free(ranks);
    k = 0;
    for (int64_t i = 0; i < total; i++) {
        struct rank here = {echoes[i].key, (int32_t)i};
        if (here.key >= 0 && compare_rank(&here, &last) <= 0)
            chosen[k++] = (int32_t)i;
    }
    ASSERT(k == n);
    return 0;
}

/* Casts rounds of rays until there are enough echoes to choose from. */
static int cast_rays(struct work *w, int64_t *found, int64_t points)
{
    /* Even density needs a choice: most echoes are near. */
    int64_t enough = w->scan->fused ? 2 * points : points + points / 4;
    *found = 0;
    w->rays = (uint32_t)(points + points / 2 + 4096);
    for (w->round = 0; *found < enough; w->round++) {
        if (w->round == 16)
            return error_set(GLT_EDATA, "a synthetic room returned %lld of %lld points",
                             (long long)*found, (long long)points);
        size_t total = (size_t)w->rays * (w->round + 1);
        TRY(array_reserve(&w->echoes, (int64_t)(total - w->rays), w->rays, sizeof *w->echoes));
        parallel_for(w->rays, 2048, cast_chunk, w);
        for (size_t i = total - w->rays; i < total; i++)
            *found += w->echoes[i].key >= 0;
    }
    return 0;
}

static int add_column(void *data_out, struct glt_cloud *c, const char *name, enum glt_type type)
{
    struct column *column;
    TRY(cloud_add_attribute(&column, c, name, type));
    memcpy(data_out, &column->data, sizeof column->data);
    return 0;
}

static int make_cloud(struct glt_cloud **out, struct work *w, int64_t points)
{
    TRY(cloud_new(out, points));
    TRY(add_column(&w->x, *out, "x", GLT_F32));
    TRY(add_column(&w->y, *out, "y", GLT_F32));
    TRY(add_column(&w->z, *out, "z", GLT_F32));
    TRY(add_column(&w->red, *out, "red", GLT_U8));
    TRY(add_column(&w->green, *out, "green", GLT_U8));
    TRY(add_column(&w->blue, *out, "blue", GLT_U8));
    TRY(add_column(&w->label, *out, "label", GLT_U8));
    TRY(add_column(&w->instance, *out, "instance", GLT_U16));
    for (int i = 0; i < SYNTH_CLASSES; i++) {
        char text[64];
        snprintf(text, sizeof text, "class %d %s", i, synth_rooms_class_names[i]);
        TRY(cloud_add_comment(*out, text));
    }
    return 0;
}

static int scan_room(struct glt_cloud **out, const struct scan *scan, const struct frame3 *place,
                     int64_t points)
{
    struct work w = {.scan = scan, .place = *place};
    int64_t found;
    int32_t *chosen = NULL;
    struct glt_cloud *cloud = NULL;
    int code = cast_rays(&w, &found, points);
    if (code == 0 && !(chosen = memory_alloc((size_t)points, sizeof *chosen)))
        code = GLT_ENOMEM;
    if (code == 0)
        code = choose(chosen, w.echoes, (int64_t)w.rays * w.round, found, points);
    if (code == 0)
        code = make_cloud(&cloud, &w, points);
    if (code == 0) {
        w.chosen = chosen;
        parallel_for(points, 2048, fill_chunk, &w);
        *out = cloud;
        cloud = NULL;
    }
    cloud_free(cloud);
    memory_free(chosen);
    memory_free(w.echoes);
    return code;
}

int synth_rooms_cloud(struct glt_cloud **out, const struct synth_rooms *o, int area, int index)
{
    TRY(synth_rooms_check(o));
    if (area < 1 || area > SYNTH_AREAS || index < 0 || index >= o->rooms)
        return error_set(GLT_EARGUMENT, "room %d of area %d: areas are 1 to 6, rooms 0 to %d",
                         index, area, o->rooms - 1);
    struct random_stream stream =
        random_stream(o->seed, (uint32_t)area, (uint32_t)index, RANDOM_SYNTH);
    struct scene scene = {0};
    struct room *room = memory_alloc(1, sizeof *room);
    if (!room)
        return GLT_ENOMEM;
    struct random random;
    for (uint32_t attempt = 0; attempt < 40; attempt++) {
        scene_free(&scene);
        random = random_start(stream, attempt);
        build(room, &scene, &random, o, area, index);
        if (scene.error || !room->complete || shows_all(&scene))
            break;
    }
    int code = scene_finish(&scene);
    if (code == 0) {
        struct scan scan;
        scanner_plan(&scan, room, stream, &random);
        struct frame3 place = frame3_at(vec3(16.0 * (index % 8), 16.0 * (index / 8), 0),
                                        room->style.yaw, scan.pitch, scan.roll);
        code = scan_room(out, &scan, &place, o->points);
    }
    scene_free(&scene);
    memory_free(room);
    return code;
}

/* --- into a folder --- */

enum { PATH_SIZE = 4096 };

static int remove_rooms(const char *folder)
{
    char path[PATH_SIZE], name[64];
    for (int area = 1; area <= SYNTH_AREAS; area++) {
        snprintf(name, sizeof name, "Area_%d", area);
        TRY(file_join(path, sizeof path, folder, name));
        for (int i = 0; i < synth_rooms_default().rooms; i++) { /* every kind is among them */
            synth_rooms_name(name, sizeof name, i);
            *strrchr(name, '_') = 0;
            TRY(synth_folder_clear(path, name));
        }
    }
    return 0;
}

static int write_room(const char *folder, const struct synth_rooms *o, int area, int index)
{
    char name[64], path[PATH_SIZE];
    synth_rooms_name(name, sizeof name, index);
    int len = snprintf(path, sizeof path, "%s/Area_%d/%s.ply", folder, area, name);
    if (len < 0 || len >= (int)sizeof path)
        return error_topic(error_in(GLT_EARGUMENT, folder, "the path is too long"),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    struct glt_cloud *c = NULL;
    TRY(synth_rooms_cloud(&c, o, area, index));
    int code = format_write(c, path, NULL);
    cloud_free(c);
    return code;
}

/* Area_N/<room>.ply for all areas. */
static int write_rooms(const char *folder, const struct synth_rooms *o, bool replace)
{
    TRY(synth_rooms_check(o));
    TRY(synth_folder_check(folder, "Area_1", replace));
    if (replace)
        TRY(remove_rooms(folder));
    TRY(file_make_folder(folder));
    for (int area = 1; area <= SYNTH_AREAS; area++) {
        char path[PATH_SIZE], name[16];
        snprintf(name, sizeof name, "Area_%d", area);
        TRY(file_join(path, sizeof path, folder, name));
        TRY(file_make_folder(path));
        for (int i = 0; i < o->rooms; i++) {
            TRY(progress_report("rooms", (int64_t)(area - 1) * o->rooms + i,
                                (int64_t)SYNTH_AREAS * o->rooms));
            TRY(write_room(folder, o, area, i));
        }
    }
    return progress_report("rooms", (int64_t)SYNTH_AREAS * o->rooms,
                           (int64_t)SYNTH_AREAS * o->rooms);
}

int glt_synth_rooms(const char *folder, const char *options)
{
    REQUIRE(folder);
    struct synth_rooms o = synth_rooms_default();
    bool replace = false;
    const struct option_field table[] = {{"rooms", FIELD_INT, &o.rooms, 1, 10000},
                                         {"points", FIELD_INT64, &o.points, 1, 10000000},
                                         {"seed", FIELD_SEED, &o.seed, 0, 0},
                                         {"real", FIELD_FLAG, &o.real, 0, 0},
                                         {"replace", FIELD_FLAG, &replace, 0, 0}};
    struct call call = {0};
    int code = option_string_read(&call, options, table, sizeof table / sizeof *table);
    if (code == 0)
        code = write_rooms(folder, &o, replace);
    call_free(&call);
    return code;
}
