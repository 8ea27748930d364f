/* Datasets: named classes and splits over clouds. A dataset knows its benchmark's layout, not the
 * network.
 *
 * This file has the struct, and the functions with which types of datasets fill it. Each benchmark
 * exports one struct dataset_type; dataset_open.c has the table and detects the type of a path from
 * its content; dataset_items.c loads clouds. Classes are mapped by name, never by number. */
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
    char *path;       /* its file or folder */
    char *labels;     /* a file of labels beside it; NULL: in the cloud */
    int32_t category; /* class of the shape, category of its parts; -1: none or not yet known */
    int32_t pack;     /* packings: number of the file, */
    int64_t first;    /* and first row or number of the shape in it */
    int64_t n;        /* points; 0: not known until it is loaded */
    int64_t kept;     /* those of them in the item; fewer if the dataset is thinned */
    int32_t rules;    /* 1 + index in the dataset's file rules; 0: none */
    int32_t part;     /* enum reviewed_part: which labels of the cloud this entry has */
    int64_t labelled; /* reviewed: points with a label; known like n */
};

/* Rules for some files of a dataset only. */
struct file_rules {
    const char *pattern;    /* of their names */
    struct classes classes; /* those of the dataset, but own labels come first */
    double weight;          /* of their samples in an epoch */
};

struct entries {
    struct entry *list;
    int32_t n;
};

/* A split as a source of items. */
struct split_items {
    struct dataset *data;
    enum split split;
    int32_t *shapes, largest; /* of each category, and of the largest; NULL: not balanced */
};

struct dataset {
    const struct dataset_type *type;
    char *path;
    char *folder;                  /* that holds its files; NULL: none, or a single file */
    struct data_settings settings; /* given to dataset_open */
    int64_t seed;                  /* that chooses the items held out for validation */
    struct inputs inputs;
    int32_t task;          /* enum config_task */
    char *columns;         /* names of columns of files that have none; NULL: guessed */
    char *label_attribute; /* of its clouds; NULL: the option, or found by its name */
    int32_t up;            /* axis: 0 x, 1 y, 2 z */
    struct classes classes;
    struct file_rules *rules; /* (n_rules) */
    int32_t n_rules;
    struct entries split[SPLITS];
    struct entries missing; /* listed, but missing */
    struct thinning thin;   /* of every item; keep = 0: none */
    double turn;            /* every item is turned by up to this angle, in degrees either way */
    uint64_t turn_seed;
    bool colourless;     /* none of its clouds has colours */
    bool scored;         /* predicted labels are refused: they are not ground truth */
    bool reviewed;       /* only labels of points with the attribute `reviewed` count: reviewed.h */
    double tile;         /* reviewed: edge of the tiles that are held out */
    char *replay;        /* reviewed: the old data to mix in; NULL: what the model names */
    double replay_share; /* of the samples */
    int32_t *relabel;    /* (classes.n) number of each class in another dataset; NULL: unchanged */
    int32_t relabelled;  /* how many classes that dataset has */
    void *state;         /* private to the type */
    struct pool *pool;   /* items in memory: dataset_items.c */
    struct split_items items[SPLITS];
};

struct dataset_type {
    const char *name, *about;
    /* Whether the path is such a dataset, by its content: 1, 0, or an error. */
    int (*probe)(const char *path);
    int (*open)(struct dataset *d); /* d->path, settings and inputs are set: fills the rest */
    /* Raw coordinates, channels, labels, category: dataset_items.c brings them into canonical form,
     * and clears the item after a failure. */
    int (*load)(struct item *x, const struct dataset *d, const struct entry *e);
    void (*close)(struct dataset *d); /* releases `state`; may be NULL */
    bool cached;    /* the cache is used: clouds are separate files that take long to read */
    bool made;      /* clouds are generated in memory: there are no files */
    bool areas;     /* the option `area` chooses the test set */
    bool described; /* a YAML file lists the classes and categories */
};

const char *dataset_split_name(enum split s);        /* "train", "val", "test" */
const char *dataset_task_name(int32_t task);         /* "segment", "parts", "classify" */
const char *dataset_advice(const struct dataset *d); /* for a split without clouds */

/* The classes, with their labels in the file of an entry. */
static inline const struct classes *dataset_classes(const struct dataset *d, const struct entry *e)
{
    return e->rules ? &d->rules[e->rules - 1].classes : &d->classes;
}

/* How many classes its items have. */
static inline int32_t dataset_class_count(const struct dataset *d)
{
    return d->relabel ? d->relabelled : d->classes.n;
}

/* The attribute that holds the labels of clouds; NULL: found by its name. */
static inline const char *dataset_label_attribute(const struct dataset *d)
{
    const char *option = d->settings.label_attribute;
    return d->label_attribute ? d->label_attribute : *option ? option : NULL;
}

static inline double dataset_weight(const struct dataset *d, const struct entry *e)
{
    return e->rules ? d->rules[e->rules - 1].weight : 1;
}

static inline int32_t dataset_count(const struct dataset *d, enum split s)
{
    return d->split[s].n;
}

/* Failures that do not depend on the file: trying the next would not help. */
static inline bool dataset_is_fatal(int code)
{
    return code == GLT_ENOMEM || code == GLT_EINTERRUPTED;
}

/* --- for the types --- */

/* The result of a probe that failed: no, or the error if the content is not to blame. */
static inline int dataset_probe_failed(int code)
{
    return code == GLT_ENOMEM || code == GLT_EIO ? code : 0;
}

int dataset_add(struct dataset *d, enum split s, const struct entry *e); /* copies the texts */
int dataset_add_missing(struct dataset *d, const char *path, const char *name);
void dataset_clear_entry(struct entry *e); /* releases its texts, and zeroes it */
int dataset_set_classes(struct dataset *d, const char *const *names, int32_t n);
/* Appends a category of parts and its classes. */
int dataset_add_parts(struct dataset *d, const char *category, int32_t count);
/* Makes a dataset of these settings, up = z, without clouds; and frees it, once its items are
 * released. */
int dataset_create(struct dataset **out, const char *path, const struct data_settings *settings);
void dataset_destroy(struct dataset *d);

#endif
