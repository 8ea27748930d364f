/* Rooms in areas, the layout of S3DIS: Area_N/<room>/Annotations/<class>_<k>.txt as published, or
 * one file per room of any format (Area_N/<room>.ply, Area_N_<room>.npy), as written by `gelatto
 * synth rooms` and by others. The area given by the option is the test set. A single file is a test
 * set of one room.
 *
 * The classes are the 13 of S3DIS. If other names are found (other data in this layout), the
 * classes are the names found, sorted. */
#include "datasets/rooms.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "datasets/annotations.h"
#include "datasets/dataset.h"
#include "datasets/dataset_labels.h"
#include "formats/format.h"
#include "sampling/item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PATH_SIZE = 4096, NAME_SIZE = 64 };

const char *const rooms_classes[ROOMS_CLASSES] = {"ceiling",  "floor", "wall",   "beam",  "column",
                                                  "window",   "door",  "table",  "chair", "sofa",
                                                  "bookcase", "board", "clutter"};

int64_t rooms_area(const char *path)
{
    int64_t area = -1;
    for (const char *p = path; (p = strstr(p, "Area_")); p += 5)
        if (p[5] >= '0' && p[5] <= '9')
            area = strtoll(p + 5, NULL, 10);
    return area;
}

bool rooms_is_angle(const char *path)
{
    static const char ending[] = "_alignmentAngle.txt";
    size_t len = strlen(path), end = sizeof ending - 1;
    return len >= end && !strcmp(path + len - end, ending);
}

static bool is_cloud_file(const char *path)
{
    const struct format *f;
    return format_by_extension(&f, path) == 0 && !rooms_is_angle(path);
}

static bool has_annotations(const char *folder)
{
    char path[PATH_SIZE];
    return file_join(path, sizeof path, folder, "Annotations") == 0 && file_is_folder(path);
}

typedef int room_fn(void *user, const char *path);

/* Calls back for every room under a folder, sorted: folders with annotations, and cloud files
 * elsewhere. */
static int walk_rooms(const char *folder, int depth, room_fn *fn, void *user)
{
    char **names, path[PATH_SIZE];
    size_t n;
    if (has_annotations(folder))
        return fn(user, folder);
    TRY(file_list(&names, &n, folder));
    int code = 0;
    for (size_t i = 0; code == 0 && i < n; i++) {
        code = names[i][0] == '.' ? 1 : file_join(path, sizeof path, folder, names[i]);
        if (code == 0 && file_is_folder(path))
            code = depth > 0 ? walk_rooms(path, depth - 1, fn, user) : 0;
        else if (code == 0 && is_cloud_file(path) && rooms_area(path) >= 0)
            code = fn(user, path);
        code = code == 1 ? 0 : code;
    }
    file_free_names(names, n);
    return code;
}

static int found_one(void *user, const char *path)
{
    (void)path;
    *(bool *)user = true;
    return GLT_EINTERRUPTED; /* one is enough */
}

static int probe(const char *path)
{
    bool found = false;
    if (!file_is_folder(path))
        return is_cloud_file(path);
    int code = walk_rooms(path, 2, found_one, &found);
    return found ? 1 : dataset_probe_failed(code);
}

static int add_room(void *user, const char *path)
{
    struct dataset *d = user;
    size_t root = strlen(d->path);
    const char *name = !strncmp(path, d->path, root) && path[root] ? path + root : path;
    while (*name == '/')
        name++;
    char shown[PATH_SIZE];
    snprintf(shown, sizeof shown, "%s", name);
    char *dot = strrchr(shown, '.');
    if (dot && !file_is_folder(path))
        *dot = 0;
    struct entry e = {.name = shown, .path = (char *)path, .category = -1};
    bool test = rooms_area(path) == d->settings.area || path == d->path;
    return dataset_add(d, test ? SPLIT_TEST : SPLIT_TRAIN, &e);
}

/* --- classes --- */

static int note_name(void *user, const char *name)
{
    struct classes *found = user;
    if (classes_find(found, name) >= 0)
        return 0;
    if (found->n == DATASET_CLASSES_MAX)
        return error_topic(error_set(GLT_ELIMIT, "more than %d classes", DATASET_CLASSES_MAX),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    return classes_add(found, name);
}

static int read_cloud(struct glt_cloud **out, const struct dataset *d, const struct entry *e)
{
    struct format_options how = {.label_attribute = dataset_label_attribute(d)};
    return format_read(out, e->path, &how);
}

/* All names of annotated rooms, or those of the first readable file, because reading every file
 * takes long: a name that appears later is an error. */
static int names_of(struct classes *found, bool *seen, const struct dataset *d,
                    const struct entry *e)
{
    if (file_is_folder(e->path))
        return annotations_classes(e->path, note_name, found);
    struct glt_cloud *c;
    int code = read_cloud(&c, d, e);
    if (code < 0)
        return d->folder && !dataset_is_fatal(code) ? 0 : code; /* another file may be readable */
    *seen = true;
    for (int32_t i = 0; code == 0 && i < c->classes.n; i++)
        code = note_name(found, c->classes.names[i]);
    cloud_free(c);
    return code;
}

static int gather_names(struct classes *found, const struct dataset *d)
{
    bool file_seen = false;
    for (int s = 0; s < SPLITS; s++) {
        for (int32_t i = 0; i < d->split[s].n; i++) {
            const struct entry *e = &d->split[s].list[i];
            if (!file_seen || file_is_folder(e->path))
                TRY(names_of(found, &file_seen, d, e));
        }
    }
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int set_classes(struct dataset *d, struct classes *found)
{
    TRY(dataset_set_classes(d, rooms_classes, ROOMS_CLASSES));
    bool ours = true;
    for (int32_t i = 0; i < found->n; i++)
        ours &=
            classes_find(&d->classes, found->names[i]) >= 0 || !strcmp(found->names[i], "stairs");
    /* S3DIS has a few stairs, which its 13 classes count as clutter */
    if (ours)
        return classes_add_label(&d->classes, "stairs", ROOMS_CLASSES - 1);
    qsort(found->names, (size_t)found->n, sizeof *found->names, compare_names);
    return dataset_set_classes(d, (const char *const *)found->names, found->n);
}

static int open_set(struct dataset *d)
{
    d->task = TASK_SEGMENT;
    if (file_is_folder(d->path))
        TRY(walk_rooms(d->path, 2, add_room, d));
    else
        TRY(add_room(d, d->path));
    struct classes found = {0};
    int code = gather_names(&found, d);
    if (code == 0)
        code = set_classes(d, &found);
    classes_free(&found);
    return code;
}

static int load(struct item *x, const struct dataset *d, const struct entry *e)
{
    struct glt_cloud *c;
    if (file_is_folder(e->path))
        TRY(annotations_read(&c, e->path, d));
    else
        TRY(read_cloud(&c, d, e));
    int code = item_from_cloud(x, c, &d->inputs, e->path);
    if (code == 0)
        code = dataset_label(x, d, e, c, e->path);
    cloud_free(c);
    return code;
}

const struct dataset_type dataset_rooms = {
    .name = "rooms",
    .about = "rooms in areas: S3DIS as published, or one file per room",
    .probe = probe,
    .open = open_set,
    .load = load,
    .cached = true,
    .areas = true,
};
