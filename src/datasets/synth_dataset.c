/* Synthetic rooms as a dataset, made in memory when they are wanted: "synth:rooms", or with its
 * options "synth:rooms rooms=4 points=50000 seed=1". The same rooms that `gelatto synth rooms`
 * writes. */
#include "cloud/cloud.h"
#include "config/settings.h"
#include "core/call.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "datasets/dataset.h"
#include "datasets/dataset_labels.h"
#include "sampling/item.h"
#include "synth/synth_rooms.h"

#include <stdio.h>
#include <string.h>

static const char prefix[] = "synth:rooms";

static int probe(const char *path)
{
    size_t len = sizeof prefix - 1;
    return !strncmp(path, prefix, len) && (path[len] == 0 || path[len] == ' ');
}

static int read_options(struct synth_rooms *o, const char *path)
{
    const struct option_field table[] = {{"rooms", FIELD_INT, &o->rooms, 1, 10000},
                                         {"points", FIELD_INT64, &o->points, 1, 10000000},
                                         {"seed", FIELD_SEED, &o->seed, 0, 0}};
    struct call call = {0};
    int code =
        option_string_read(&call, path + sizeof prefix - 1, table, sizeof table / sizeof *table);
    call_free(&call);
    return code < 0 ? code : synth_rooms_check(o);
}

static int open_set(struct dataset *d)
{
    struct synth_rooms *o = memory_alloc(1, sizeof *o);
    if (!o)
        return GLT_ENOMEM;
    d->state = o;
    d->task = TASK_SEGMENT;
    *o = synth_rooms_default();
    TRY(read_options(o, d->path));
    TRY(dataset_set_classes(d, synth_rooms_class_names, SYNTH_CLASSES));
    for (int area = 1; area <= SYNTH_AREAS; area++) {
        for (int i = 0; i < o->rooms; i++) {
            char room[64], name[96];
            synth_rooms_name(room, sizeof room, i);
            snprintf(name, sizeof name, "Area_%d/%s", area, room);
            struct entry e = {.name = name, .path = name, .category = -1, .pack = area, .first = i};
            e.n = o->points;
            TRY(dataset_add(d, area == d->settings.area ? SPLIT_TEST : SPLIT_TRAIN, &e));
        }
    }
    return 0;
}

static int load(struct item *x, const struct dataset *d, const struct entry *e)
{
    struct glt_cloud *c = NULL;
    TRY(synth_rooms_cloud(&c, d->state, e->pack, (int)e->first));
    int code = item_from_cloud(x, c, &d->inputs, e->name);
    if (code == 0)
        code = dataset_label(x, d, c, e->name);
    cloud_free(c);
    return code;
}

static void close_set(struct dataset *d)
{
    memory_free(d->state);
}

const struct dataset_type dataset_synth = {
    .name = "synth",
    .about = "synthetic rooms made in memory",
    .probe = probe,
    .open = open_set,
    .load = load,
    .close = close_set,
    .made = true,
    .areas = true,
};
