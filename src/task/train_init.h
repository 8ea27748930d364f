/* A training run that begins with another model (--init): its network and samples, and those of its
 * weights that fit. `name` stands in messages. */
#ifndef TASK_TRAIN_INIT_H
#define TASK_TRAIN_INIT_H

#include "config/config.h"
#include "model/model.h"
#include "task/run.h"

/* The network of a model and the samples it knows, where the user has not set them. */
int train_init_network(struct config *c, const struct config *from, const char *name);
/* Takes the tensors that fit. The encoder must: without it there is nothing to begin with. */
int train_init_weights(struct model *m, const struct model *from, const char *name,
                       const struct run *run);

#endif
