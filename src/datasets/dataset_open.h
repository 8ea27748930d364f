/* Opening datasets: the type of a path is detected from its content. */
#ifndef DATASETS_DATASET_OPEN_H
#define DATASETS_DATASET_OPEN_H

#include "datasets/dataset.h"

/* `seed` chooses the clouds that are held out for validation. */
int dataset_open(struct dataset **out, const char *path, const struct data_settings *settings,
                 int64_t seed);
/* One cloud as a dataset of one test item. The cloud must outlive it. `classes`: those of a
 * model. The caller may set the category of parts in its entry, and the up axis. `name` is for
 * messages. */
int dataset_open_cloud(struct dataset **out, const struct glt_cloud *c, const char *name,
                       const struct data_settings *settings, int32_t task,
                       const struct classes *classes);
void dataset_close(struct dataset *d); /* accepts NULL */
/* Whether a path is a single cloud, not a folder, list or packing of several. */
int dataset_is_cloud(bool *out, const char *path);

#endif
