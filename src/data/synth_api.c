/* Synthetic data into a folder: the public face of synth.h. */
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/words.h"
#include "data/synth.h"
#include "io/cloud.h"

#include <stdbool.h>
#include <stdio.h>

enum { PATH_SIZE = 4096 };

int synth_start_folder(const char *folder, const char *first, bool replace)
{
    char path[PATH_SIZE];
    TRY(file_join(path, sizeof path, folder, first));
    if (file_exists(path) && !replace)
        return error_set(GLT_EEXISTS, "%s is already there: choose another folder, or replace it",
                         path);
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
    int code = cloud_write(c, path, NULL);
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
    struct synth_rooms o = synth_rooms_default();
    bool replace = false;
    const struct word table[] = {{"rooms", WORD_INT, &o.rooms, 1, 10000},
                                 {"points", WORD_INT64, &o.points, 1, 10000000},
                                 {"seed", WORD_SEED, &o.seed, 0, 0},
                                 {"replace", WORD_FLAG, &replace, 0, 0}};
    char *copy = NULL;
    int code = words_read(&copy, options, table, sizeof table / sizeof *table);
    if (code == 0)
        code = synth_rooms_write(folder, &o, replace);
    memory_free(copy);
    return code;
}
