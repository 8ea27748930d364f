/* Synthetic data into a folder: the public face of synth.h. */
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/option_string.h"
#include "core/progress.h"
#include "formats/format.h"
#include "synth/synth.h"
#include "synth/synth_shapes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

/* <stem>_<number>.ply */
static bool is_numbered(const char *name, const char *stem)
{
    size_t len = strlen(stem);
    if (strncmp(name, stem, len) || name[len] != '_')
        return false;
    size_t digits = strspn(name + len + 1, "0123456789");
    return digits > 0 && !strcmp(name + len + 1 + digits, ".ply");
}

/* Removes the clouds of this stem in a folder, if it is there. */
static int remove_numbered(const char *folder, const char *stem)
{
    char path[PATH_SIZE], **names = NULL;
    size_t n = 0;
    if (!file_is_folder(folder))
        return 0;
    TRY(file_list(&names, &n, folder));
    int code = 0;
    for (size_t i = 0; code == 0 && i < n; i++) {
        if (!is_numbered(names[i], stem))
            continue;
        code = file_join(path, sizeof path, folder, names[i]);
        if (code == 0)
            code = file_remove(path);
    }
    file_free_names(names, n);
    return code;
}

static int remove_rooms(const char *folder)
{
    char path[PATH_SIZE], name[64];
    for (int area = 1; area <= SYNTH_AREAS; area++) {
        snprintf(name, sizeof name, "Area_%d", area);
        TRY(file_join(path, sizeof path, folder, name));
        for (int i = 0; i < synth_rooms_default().rooms; i++) { /* every kind is among them */
            synth_room_name(name, sizeof name, i);
            *strrchr(name, '_') = 0;
            TRY(remove_numbered(path, name));
        }
    }
    return 0;
}

static int remove_shapes(const char *folder)
{
    static const char *const splits[] = {"train", "val", "test"};
    char path[PATH_SIZE], name[64];
    for (int i = 0; i < 3 * shape_categories_n; i++) {
        const char *category = shape_categories[i / 3].name;
        snprintf(name, sizeof name, "%s/%s", splits[i % 3], category);
        TRY(file_join(path, sizeof path, folder, name));
        TRY(remove_numbered(path, category));
    }
    return 0;
}

/* Of an earlier set nothing may stay among the new one: a shape in another split would be learned
 * from and scored. Files of other names are somebody else's. */
int synth_start_folder(const char *folder, const char *first, bool replace)
{
    char path[PATH_SIZE];
    TRY(file_join(path, sizeof path, folder, first));
    if (file_exists(path) && !replace)
        return error_set(GLT_EEXISTS,
                         "%s is already there: choose another folder, or replace it (--replace)",
                         path);
    if (replace)
        TRY(strcmp(first, "shapes.yaml") ? remove_rooms(folder) : remove_shapes(folder));
    return file_make_folder(folder);
}

static int write_room(const char *folder, const struct synth_rooms *o, int area, int index)
{
    char name[64], path[PATH_SIZE];
    synth_room_name(name, sizeof name, index);
    int len = snprintf(path, sizeof path, "%s/Area_%d/%s.ply", folder, area, name);
    if (len < 0 || len >= (int)sizeof path)
        return error_set(GLT_EARGUMENT, "%s: the path is too long", folder);
    struct glt_cloud *c = NULL;
    TRY(synth_room(&c, o, area, index));
    int code = format_write(c, path, NULL);
    cloud_free(c);
    return code;
}

int synth_rooms_write(const char *folder, const struct synth_rooms *o, bool replace)
{
    TRY(synth_rooms_check(o));
    TRY(synth_start_folder(folder, "Area_1", replace));
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
    GIVEN(folder);
    struct synth_rooms o = synth_rooms_default();
    bool replace = false;
    const struct option_field table[] = {{"rooms", FIELD_INT, &o.rooms, 1, 10000},
                                         {"points", FIELD_INT64, &o.points, 1, 10000000},
                                         {"seed", FIELD_SEED, &o.seed, 0, 0},
                                         {"replace", FIELD_FLAG, &replace, 0, 0}};
    struct call call = {0};
    int code = option_string_read(&call, options, table, sizeof table / sizeof *table);
    if (code == 0)
        code = synth_rooms_write(folder, &o, replace);
    call_free(&call);
    return code;
}
