/* The YAML of a folder of clouds: what it says of classes is refused, or leaves a data set whose
 * classes, colours, categories and label map fit together.
 * covers: datasets/folder_yaml.c */
#include "core/memory.h"
#include "datasets/folder_yaml.h"
#include "fuzz.h"

#include <string.h>

static void check(const struct dataset *d)
{
    int32_t parts = 0;
    PROPERTY(d->n_classes >= 1 && d->n_classes <= DATASET_CLASSES_MOST);
    for (int32_t i = 0; i < d->n_classes; i++)
        PROPERTY(d->class_names[i] && dataset_class(d, d->class_names[i]) >= 0);
    PROPERTY((d->task == TASK_PARTS) == (d->n_categories > 0));
    for (int32_t i = 0; i < d->n_categories; i++) {
        PROPERTY(d->part_first[i] == parts && d->part_count[i] >= 1);
        parts += d->part_count[i];
    }
    PROPERTY(d->n_categories == 0 || parts == d->n_classes);
    for (int32_t i = 0; i < d->n_map; i++)
        PROPERTY(d->map[i].from && d->map[i].to >= -1 && d->map[i].to < d->n_classes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yaml *root = NULL;
    struct dataset *d = memory_alloc(1, sizeof *d);
    PROPERTY(d != NULL);
    d->path = memory_string("input");
    if (yaml_parse(&root, "input", (const char *)data, size) == 0) {
        if (folder_check_keys(root) == 0 && folder_classes(d, root) == 0)
            check(d);
        yaml_release(root);
    }
    dataset_close(d);
    return 0;
}
