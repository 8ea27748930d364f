/* What all datasets share: see dataset.h. */
#include "datasets/dataset.h"

#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"
#include "formats/kitti.h"

#include <limits.h>

const char *dataset_advice(const struct dataset *d)
{
    return d->type->areas ? "the option area says which area is held out as test set (5)"
                          : "give it clouds of its own";
}

const char *dataset_split_name(enum split s)
{
    static const char *const names[] = {"train", "val", "test"};
    return names[s];
}

const char *dataset_task_name(int32_t task)
{
    static const char *const names[] = {"segment", "parts", "classify"};
    return names[task];
}

void dataset_clear_entry(struct entry *e)
{
    memory_free(e->name);
    memory_free(e->path);
    memory_free(e->labels);
    *e = (struct entry){0};
}

static int entries_add(struct entries *to, const struct entry *e)
{
    TRY(array_reserve(&to->list, to->n, 1, sizeof *to->list));
    struct entry copy = *e;
    copy.name = memory_string(e->name);
    copy.path = memory_string(e->path);
    copy.labels = e->labels ? memory_string(e->labels) : NULL;
    if (!copy.name || !copy.path || (e->labels && !copy.labels)) {
        dataset_clear_entry(&copy);
        return GLT_ENOMEM;
    }
    to->list[to->n++] = copy;
    return 0;
}

/* A label file that the cloud's reader finds by itself is recorded in the entry like one that the
 * dataset names. */
int dataset_add(struct dataset *d, enum split s, const struct entry *e)
{
    char labels[PATH_MAX];
    struct entry whole = *e;
    if (!e->labels && kitti_label_file(labels, e->path))
        whole.labels = labels;
    return entries_add(&d->split[s], &whole);
}

int dataset_add_missing(struct dataset *d, const char *path, const char *name)
{
    struct entry e = {.path = (char *)path, .name = (char *)name, .category = -1};
    return entries_add(&d->missing, &e);
}

static void entries_free(struct entries *e)
{
    for (int32_t i = 0; i < e->n; i++)
        dataset_clear_entry(&e->list[i]);
    memory_free(e->list);
}

int dataset_set_classes(struct dataset *d, const char *const *names, int32_t n)
{
    if (n < 1 || n > DATASET_CLASSES_MAX)
        return error_topic(
            error_in(GLT_EDATA, d->path, "%d classes: give 1 to %d", n, DATASET_CLASSES_MAX),
            GLT_TOPIC_CLASSES, NULL);
    return classes_set(&d->classes, names, n);
}

int dataset_add_parts(struct dataset *d, const char *category, int32_t count)
{
    if (count < 1)
        return error_topic(error_in(GLT_EDATA, d->path,
                                    "category '%s' has %d parts: give 1 or more", category, count),
                           GLT_TOPIC_CATEGORY, category);
    if (count > DATASET_CLASSES_MAX - d->classes.n)
        return error_topic(error_in(GLT_EDATA, d->path, "more than %d parts of all categories",
                                    DATASET_CLASSES_MAX),
                           GLT_TOPIC_CLASSES, NULL);
    return classes_add_parts(&d->classes, category, count);
}

int dataset_create(struct dataset **out, const char *path, const struct data_settings *settings)
{
    struct dataset *d = memory_alloc(1, sizeof *d);
    if (!d)
        return GLT_ENOMEM;
    d->settings = *settings;
    d->up = 2;
    int code = inputs_read(&d->inputs, settings);
    if (code == 0 && !(d->path = memory_string(path)))
        code = GLT_ENOMEM;
    if (code < 0)
        dataset_destroy(d);
    else
        *out = d;
    return code;
}

void dataset_destroy(struct dataset *d)
{
    if (d->type && d->type->close)
        d->type->close(d);
    for (int s = 0; s < SPLITS; s++)
        entries_free(&d->split[s]);
    entries_free(&d->missing);
    classes_free(&d->classes);
    for (int32_t i = 0; i < d->n_rules; i++)
        classes_free(&d->rules[i].classes);
    memory_free(d->rules);
    memory_free(d->path);
    memory_free(d->folder);
    memory_free(d->columns);
    memory_free(d->replay);
    memory_free(d->relabel);
    memory_free(d->label_attribute);
    memory_free(d);
}
