/* Statistics of attention: entropy and saturation per level, block and head
 * (kernels/attention_statistics.h), summed over the passes of an engine; their form in a model
 * file; and the text of a warning. */
#ifndef MODEL_ATTENTION_H
#define MODEL_ATTENTION_H

#include "core/json.h"
#include "core/string.h"
#include "gelatto.h"
#include "model/engine.h"

/* Sets level, block and head of 16 empty rows, in the order of the network. */
void attention_start(struct glt_attention rows[GLT_ATTENTION_ROWS]);
/* Adds a centre. */
void attention_add(struct glt_attention *row, double entropy, double saturation);
/* Adds a pass of an engine made with ENGINE_ATTENTION. */
void attention_add_pass(struct glt_attention rows[GLT_ATTENTION_ROWS], const struct engine *e);

/* The rows that have centres, as an array of objects; NULL when out of memory. */
struct json *attention_to_json(const struct glt_attention rows[GLT_ATTENTION_ROWS]);
/* Reports how many heads are saturated (more than 20 %) and, on request, uniform (entropy above
 * 0.98), and at which levels; the text stays empty if there are none. Every network is uniform
 * before training. */
void attention_describe(struct string *text, const struct glt_attention rows[GLT_ATTENTION_ROWS],
                        bool uniform);

#endif
