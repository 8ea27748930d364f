/* Synthetic scenes as a dataset, generated in memory on demand: "synth:rooms" and "synth:aerial",
 * or with options "synth:rooms rooms=4 points=50000 seed=1". They are the same scenes that `gelatto
 * synth` writes. */
#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "config/settings.h"
#include "core/call.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "datasets/dataset.h"
#include "datasets/dataset_labels.h"
#include "sampling/item.h"
#include "synth/synth_aerial.h"
#include "synth/synth_rooms.h"

#include <stdio.h>
#include <string.h>

static const char rooms_prefix[] = "synth:rooms", aerial_prefix[] = "synth:aerial";

struct synth {
    bool aerial;
    struct synth_rooms rooms;
    struct synth_aerial scenes;
};

/* The options after a prefix, perhaps empty; NULL if the path has another prefix. */
static const char *options_of(const char *path, const char *prefix)
{
    size_t len = strlen(prefix);
    return !strncmp(path, prefix, len) && (path[len] == 0 || path[len] == ' ') ? path + len : NULL;
}

static int probe(const char *path)
{
    return options_of(path, rooms_prefix) || options_of(path, aerial_prefix);
}

static int read_options(struct call *call, struct synth *x, const char *path)
{
    struct synth_rooms *o = &x->rooms;
    const struct option_field table[] = {{"rooms", FIELD_INT, &o->rooms, 1, 10000},
                                         {"points", FIELD_INT64, &o->points, 1, 10000000},
                                         {"real", FIELD_FLAG, &o->real, 0, 0},
                                         {"seed", FIELD_SEED, &o->seed, 0, 0}};
    *o = synth_rooms_default();
    TRY(option_string_read(call, options_of(path, rooms_prefix), table,
                           sizeof table / sizeof *table));
    return synth_rooms_check(o);
}

static int read_aerial_options(struct call *call, struct synth *x, const char *path)
{
    struct synth_aerial *o = &x->scenes;
    const struct option_field table[] = {{"scenes", FIELD_INT, &o->scenes, 1, 10000},
                                         {"size", FIELD_REAL, &o->size, 20, 500},
                                         {"density", FIELD_REAL, &o->density, 0, 100},
                                         {"seed", FIELD_SEED, &o->seed, 0, 0}};
    *o = synth_aerial_default();
    TRY(option_string_read(call, options_of(path, aerial_prefix), table,
                           sizeof table / sizeof *table));
    return synth_aerial_check(o);
}

static int set_aerial_classes(struct dataset *d)
{
    TRY(dataset_set_classes(d, synth_aerial_class_names, SYNTH_AERIAL_CLASSES));
    for (int i = 0; i < SYNTH_AERIAL_NUMBERS; i++)
        TRY(classes_add_number(&d->classes, synth_aerial_numbers[i].number,
                               synth_aerial_numbers[i].class));
    d->classes.origin = LABELS_FROM_RULES;
    return 0;
}

static int add_scene(struct dataset *d, const struct synth *x, int area, int index)
{
    char scene[64], name[96];
    if (x->aerial)
        synth_aerial_name(scene, sizeof scene, index);
    else
        synth_rooms_name(scene, sizeof scene, index);
    snprintf(name, sizeof name, "%s_%d/%s", x->aerial ? "area" : "Area", area, scene);
    struct entry e = {.name = name, .path = name, .category = -1, .pack = area, .first = index};
    e.n = x->aerial ? 0 : x->rooms.points;
    return dataset_add(d, area == d->settings.area ? SPLIT_TEST : SPLIT_TRAIN, &e);
}

static int open_set(struct dataset *d)
{
    struct synth *x = memory_alloc(1, sizeof *x);
    if (!x)
        return GLT_ENOMEM;
    d->state = x;
    d->task = TASK_SEGMENT;
    x->aerial = options_of(d->path, aerial_prefix) != NULL;
    d->colourless = x->aerial;
    struct call call = {0};
    int code = x->aerial ? read_aerial_options(&call, x, d->path) : read_options(&call, x, d->path);
    call_free(&call);
    TRY(code);
    if (x->aerial)
        TRY(set_aerial_classes(d));
    else
        TRY(dataset_set_classes(d, synth_rooms_class_names, SYNTH_CLASSES));
    int areas = x->aerial ? SYNTH_AERIAL_AREAS : SYNTH_AREAS;
    int scenes = x->aerial ? x->scenes.scenes : x->rooms.rooms;
    for (int area = 1; area <= areas; area++)
        for (int i = 0; i < scenes; i++)
            TRY(add_scene(d, x, area, i));
    return 0;
}

static int load(struct item *item, const struct dataset *d, const struct entry *e)
{
    const struct synth *x = d->state;
    struct glt_cloud *c = NULL;
    if (x->aerial)
        TRY(synth_aerial_cloud(&c, &x->scenes, e->pack, (int)e->first));
    else
        TRY(synth_rooms_cloud(&c, &x->rooms, e->pack, (int)e->first));
    int code = item_from_cloud(item, c, &d->inputs, e->name);
    if (code == 0)
        code = dataset_label(item, d, e, c, e->name);
    cloud_free(c);
    return code;
}

static void close_set(struct dataset *d)
{
    memory_free(d->state);
}

const struct dataset_type dataset_synth = {
    .name = "synth",
    .about = "synthetic rooms or aerial scenes made in memory",
    .probe = probe,
    .open = open_set,
    .load = load,
    .close = close_set,
    .made = true,
    .areas = true,
};
