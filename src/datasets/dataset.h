/* Data sets: named classes and splits over clouds. A data set knows its benchmark's layout, not the
 * network.
 *
 * One file per benchmark exports one struct dataset_type; dataset.c has the table. Which type a
 * path is, its content tells. Classes are mapped by name, never by number. Items are loaded on
 * demand, shared by all threads and kept while they fit the budget. */
#ifndef DATASETS_DATASET_H
#define DATASETS_DATASET_H

#include "cloud/classes.h"
#include "config/inputs.h"
#include "config/settings.h"
#include "datasets/thin.h"
#include "sampling/item.h"

enum split { SPLIT_TRAIN, SPLIT_VAL, SPLIT_TEST, SPLITS };
enum { DATASET_CLASSES_MAX = 1024 };

/* One cloud of a split. */
struct entry {
    char *name;       /* "Area_5/office_1", "chair_0007" */
    char *path;       /* the file or folder it comes from */
    char *labels;     /* a file of labels beside it; NULL: in the cloud */
    int32_t category; /* class of the shape, category of its parts; -1: none or not known yet */
    int32_t pack;     /* packings: which file, */
    int64_t first;    /* and the first row or the number of the shape in it */
    int64_t n;        /* points; 0: not known before it is loaded */
    int64_t kept;     /* of them in the item; fewer if the data set is thinned */
};

struct entries {
    struct entry *list;
    int32_t n;
};

/* What the items of a split are taken by. */
struct split_items {
    struct dataset *data;
    enum split split;
};

struct dataset {
    const struct dataset_type *type;
    char *path;
    char *folder;                  /* under which its files are; NULL: none, or a single file */
    struct data_settings settings; /* as given at the opening */
    int64_t seed;                  /* of the items that are held out for validation */
    struct inputs inputs;
    int32_t task;  /* enum config_task */
    char *columns; /* names of columns of files that have none; NULL: guessed */
    int32_t up;    /* axis: 0 x, 1 y, 2 z */
    struct classes classes;
    struct entries split[SPLITS];
    struct entries missing; /* listed, but not there */
    struct thinning thin;   /* of every item; keep = 0: none */
    bool scored;            /* labels that a network has predicted are no truth: refused */
    void *inside;           /* of the type */
    struct pool *pool;      /* items in memory */
    struct split_items items[SPLITS];
};

struct dataset_type {
    const char *name, *about;
    /* Whether the path is one, by what is there: 1, 0, or an error. */
    int (*probe)(const char *path);
    int (*open)(struct dataset *d); /* d->path, config, inputs are set: fills all the rest */
    /* Raw coordinates, channels, labels, category: pool.c brings them into canonical form, and
     * releases what a failure leaves. */
    int (*load)(struct item *x, const struct dataset *d, const struct entry *e);
    void (*close)(struct dataset *d); /* releases `inside`; may be NULL */
    bool cached; /* clouds are files of their own that take long to read: the cache is for them */
};

int dataset_open(struct dataset **out, const char *path, const struct data_settings *settings,
                 int64_t seed);
/* Whether a path is one cloud, and no folder, list or packed set of them. */
int dataset_is_cloud(bool *out, const char *path);
/* One cloud as a data set of one test item. The cloud outlives it. `classes`: those of a model. The
 * caller may set the category of parts in its entry, and the up axis. `name` stands in messages. */
int dataset_of_cloud(struct dataset **out, const struct glt_cloud *c, const char *name,
                     const struct data_settings *settings, int32_t task,
                     const struct classes *classes);
void dataset_close(struct dataset *d);               /* accepts NULL */
const char *split_name(enum split s);                /* "train", "val", "test" */
const char *task_name(int32_t task);                 /* "segment", "parts", "classify" */
const char *dataset_advice(const struct dataset *d); /* when a split has no clouds */
bool dataset_has_areas(const struct dataset *d);     /* the option `area` chooses the test set */

static inline int32_t dataset_count(const struct dataset *d, enum split s)
{
    return d->split[s].n;
}
/* Item i in canonical form; shared, so give it back. Any thread. */
int dataset_take(const struct item **out, struct dataset *d, enum split s, int32_t i);
void dataset_give(struct dataset *d, enum split s, int32_t i);
/* The items of a split, measured, for a loader; GLT_EDATA if there are none. */
int dataset_items(struct item_source *out, struct dataset *d, enum split s);
/* Items taken from now on are thinned; nobody holds one. */
void dataset_thin(struct dataset *d, const struct thinning *t);
/* Fills entry.n of all entries of a split, loading those it must. */
int dataset_measure(struct dataset *d, enum split s);
/* Points (for classification: shapes) of each class in a split; ignored ones last. */
int dataset_histogram(int64_t *counts, struct dataset *d, enum split s);

/* --- for the types --- */
int dataset_add(struct dataset *d, enum split s, const struct entry *e); /* copies the texts */
int dataset_add_missing(struct dataset *d, const char *path, const char *name);
int dataset_set_classes(struct dataset *d, const char *const *names, int32_t n);
/* A category of parts and its classes, behind those there are. */
int dataset_add_parts(struct dataset *d, const char *category, int32_t count);

#endif
