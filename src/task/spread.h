/* What ranks must have in common to share a call: version, instruction set, options. Each is
 * compared with rank 0's and refused by name (topic RANKS). Nothing is compared without ranks. */
#ifndef TASK_SPREAD_H
#define TASK_SPREAD_H

#include "config/config.h"
#include "core/ranks.h"
#include "core/string.h"

/* Compares the options that were given for a training run. */
int spread_compare(struct ranks *r, const struct config *c, const struct glt_train_options *o);
/* Compares lines "name\tvalue", the same number on all ranks; releases the string. Returns an error
 * code if they differ. */
int spread_same(struct ranks *r, struct string *facts);
void spread_add_build(struct string *facts);
void spread_add_options(struct string *facts, const struct config *c);
void spread_add(struct string *facts, const char *name, const char *value); /* NULL: not given */
void spread_add_number(struct string *facts, const char *name, int64_t value);

/* GLT_EARGUMENT, with valid numbers, unless the number of ranks divides accumulate. */
int spread_check(const struct ranks *r, const struct config *c);

#endif
