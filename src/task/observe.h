/* Statistics of attention (model/attention.h): of a model on a few samples of a dataset, and of
 * traces. */
#ifndef TASK_OBSERVE_H
#define TASK_OBSERVE_H

#include "config/settings.h"
#include "datasets/dataset.h"
#include "gelatto.h"
#include "model/model.h"

/* Runs the model on samples of up to four clouds of a split, spread over its list; for scenes, the
 * middle tile. They are the same in every call, so that numbers of a run can be compared. Rows
 * without centres belong to heads that the network does not have. */
int observe_attention(struct glt_attention rows[GLT_ATTENTION_ROWS], struct model *m,
                      struct dataset *d, enum split s, const struct sampling_settings *sampling);
/* The bytes this takes, besides the clouds. */
int observe_bytes(int64_t *bytes, struct model *m, struct dataset *d, enum split s,
                  const struct sampling_settings *sampling);

#endif
