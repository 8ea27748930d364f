/* New models. */
#ifndef MODEL_MODEL_CREATE_H
#define MODEL_MODEL_CREATE_H

#include "model/model.h"

/* All parameters 0. Class names are class_0.. until set. GLT_EMODEL, before they take memory, if
 * there are more than `max` of them, statistics included. */
int model_allocate(struct model **out, const struct config *c, int32_t classes, int64_t max);
/* Parameters drawn from the config's seed. */
int model_create(struct model **out, const struct config *c, int32_t classes);

#endif
