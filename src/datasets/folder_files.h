/* Which files a folder's YAML names: see folder.c. */
#ifndef DATASETS_FOLDER_FILES_H
#define DATASETS_FOLDER_FILES_H

#include "core/yaml.h"

#include <stdbool.h>

enum { FOLDER_FILES_PATH = 4096 };

/* `labels` is the value of that key, NULL without: a suffix for the extension, a pattern with
 * {name}, or a map of the ends of clouds' names to those of their label files. */
int folder_files_check_labels(const struct yaml *labels);
/* The files of one place of a split (a folder, a pattern or a file), sorted; release them with
 * file_free_names. A file that is named explicitly need not exist. */
int folder_files_find(char ***paths, size_t *n, const char *root, const struct yaml *labels,
                      const struct yaml *place);
/* Whether a name below the folder matches a pattern. */
bool folder_files_matches(const char *pattern, const char *name);
bool folder_files_ends(const char *path, const char *suffix); /* whether path ends in suffix */
/* The label file of a cloud. */
int folder_files_label_path(char dst[FOLDER_FILES_PATH], const struct yaml *labels,
                            const char *path);

#endif
