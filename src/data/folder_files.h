/* Which files a folder's YAML names: see folder.c. */
#ifndef DATA_FOLDER_FILES_H
#define DATA_FOLDER_FILES_H

#include "core/yaml.h"

struct dataset;

enum { FOLDER_PATH = 4096 };

/* The files of one place of a split (a folder, a pattern or a file), sorted; release them with
 * file_free_names. A file that is named itself need not be there. */
int folder_find(char ***paths, size_t *n, const char *root, const char *labels,
                const struct yaml *place);
/* The label file of a cloud: the pattern with {name} filled in, or its suffix for the extension. */
int folder_label_path(char dst[FOLDER_PATH], const char *labels, const char *path);
/* Clouds that a split names twice count once; those in two splits are warned of. */
int folder_drop_repeats(struct dataset *d);

#endif
