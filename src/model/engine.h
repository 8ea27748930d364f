/* Inference on arrays: one cloud in, logits in its own rows out.
 *
 * An engine belongs to one thread; engines may share a model, which they only read. The result
 * depends on the set of points, not on their order: the sampler puts them in canonical order. */
#ifndef MODEL_ENGINE_H
#define MODEL_ENGINE_H

#include "model/network.h"
#include "sampling/sampler.h"

struct engine;

/* Results kept after a run besides the logits. */
enum engine_keep {
    ENGINE_LOGITS,    /* nothing */
    ENGINE_TRACE,     /* everything in a trace, and all outputs */
    ENGINE_OUTPUTS,   /* auxiliary outputs and the decoder's last features */
    ENGINE_ATTENTION, /* statistics of attention, in struct network */
};

/* points: clouds up to this size run without allocation */
int engine_create(struct engine **out, struct model *m, int32_t points, enum engine_keep keep);
void engine_free(struct engine *e); /* accepts NULL */

/* Runs a cloud with the model's channels. logits: (n, classes) by its rows, or (1, classes) for a
 * classification; may be NULL. */
int engine_run(struct engine *e, float *logits, const struct sampler_cloud *c);

/* After a run: the network, and the batch with the cloud. */
const struct network *engine_network(const struct engine *e);
const struct batch *engine_batch(const struct engine *e);
/* The decoder's last features of each point, (n, engine_feature_channels), or of the whole cloud in
 * a classification, (1, ..). The engine must keep outputs or a trace. */
int32_t engine_feature_channels(const struct model *m);
void engine_features(const struct engine *e, float *features);
/* Logits (m, classes) of auxiliary output 1 .. 4 and the rows (m) of the cloud they belong to, into
 * arrays for n points; returns m. For the same engines; 0 in a classification. */
int32_t engine_auxiliary(const struct engine *e, int which, float *logits, int32_t *rows);
/* Seconds of all runs so far: for canonical order, sampling and neighbours; for the plan. */
struct engine_times {
    double geometry, network;
};
struct engine_times engine_times(const struct engine *e);
int64_t engine_macs(const struct engine *e); /* multiply-adds of that run */
/* Bytes of an engine for clouds of this size, plan and geometry, without allocating them. */
int engine_measure(size_t *bytes, struct model *m, int32_t points, enum engine_keep keep);

#endif
