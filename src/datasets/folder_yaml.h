/* The classes in a folder's YAML: see folder.c. */
#ifndef DATASETS_FOLDER_YAML_H
#define DATASETS_FOLDER_YAML_H

#include "core/yaml.h"
#include "datasets/dataset.h"

/* An unknown key is an error that names the nearest known one, or all. */
int folder_yaml_check_keys(const struct yaml *root);
/* task, names, colors, parts, map, ignore. */
int folder_yaml_classes(struct dataset *d, const struct yaml *root);
/* files: rules of some files. The texts of root are not copied. */
int folder_yaml_files(struct dataset *d, const struct yaml *root);
/* truth, replay: whether only reviewed points count, and what data to mix in. Call it after the
 * classes. */
int folder_yaml_truth(struct dataset *d, const struct yaml *root);

#endif
