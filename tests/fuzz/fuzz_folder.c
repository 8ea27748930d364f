/* The YAML of a folder of clouds: what it says of classes is refused, or leaves a dataset whose
 * classes, colours, categories and label map fit together.
 * covers: datasets/folder_yaml.c */
#include "core/memory.h"
#include "datasets/dataset_open.h"
#include "datasets/folder_yaml.h"
#include "fuzz.h"

#include <string.h>

static void check(const struct dataset *d)
{
    int32_t parts = 0;
    PROPERTY(d->classes.n >= 1 && d->classes.n <= DATASET_CLASSES_MAX);
    for (int32_t i = 0; i < d->classes.n; i++)
        PROPERTY(d->classes.names[i] && classes_find(&d->classes, d->classes.names[i]) >= 0);
    PROPERTY((d->task == TASK_PARTS) == (d->classes.n_categories > 0));
    for (int32_t i = 0; i < d->classes.n_categories; i++) {
        PROPERTY(d->classes.categories[i].first == parts && d->classes.categories[i].count >= 1);
        parts += d->classes.categories[i].count;
    }
    PROPERTY(d->classes.n_categories == 0 || parts == d->classes.n);
    for (int32_t i = 0; i < d->classes.n_labels; i++)
        PROPERTY(d->classes.labels[i].class >= -1 && d->classes.labels[i].class < d->classes.n);
}

int fuzz_one(const uint8_t *data, size_t size)
{
    struct yaml *root = NULL;
    struct dataset *d = memory_alloc(1, sizeof *d);
    PROPERTY(d != NULL);
    d->path = memory_string("input");
    if (yaml_parse(&root, "input", (const char *)data, size) == 0) {
        if (folder_yaml_check_keys(root) == 0 && folder_yaml_classes(d, root) == 0) {
            check(d);
            folder_yaml_files(d, root);
        }
        yaml_release(root);
    }
    dataset_close(d);
    return 0;
}
