/* Shapes: all points at once, a class for the whole or a part for each. See predict.h. */
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "model/engine.h"
#include "model/guess.h"
#include "model/softmax.h"
#include "task/predict.h"

#include <string.h>

static int settle_category(int32_t *out, const struct model *m, const float *logits, int64_t n,
                           const char *name)
{
    int32_t rival;
    TRY(guess_category(out, &rival, &m->classes, logits, n));
    if (rival >= 0)
        log_message(GLT_LOG_WARNING,
                    "%s: taken for a shape of category %s, but %s is not much less likely: better "
                    "say which it is (--category NAME)",
                    name, m->classes.categories[*out].name, m->classes.categories[rival].name);
    return 0;
}

/* category: -1 if there are none. */
static int label_parts(struct answers *a, struct glt_prediction *out, struct model *m,
                       const struct item *x, int32_t category, float *logits)
{
    int32_t first, count;
    classes_range(&first, &count, &m->classes, category);
    TRY(softmax(logits, logits, x->n, m->classes.n, first, count));
    for (int64_t i = 0; i < x->n; i++)
        answers_put(a, x->row[i], logits + i * m->classes.n, 1);
    out->answer = category;
    return 0;
}

static int classify(struct glt_prediction *out, float *probabilities, const struct model *m,
                    float *logits)
{
    TRY(softmax(logits, logits, 1, m->classes.n, 0, m->classes.n));
    int32_t best = 0;
    for (int32_t k = 1; k < m->classes.n; k++)
        best = logits[k] > logits[best] ? k : best;
    out->answer = best;
    out->confidence = logits[best];
    if (probabilities)
        memcpy(probabilities, logits, (size_t)m->classes.n * sizeof *logits);
    return 0;
}

int predict_shape(struct answers *a, struct glt_prediction *out, float *probabilities,
                  struct model *m, const struct item *x, const struct predict_options *o)
{
    bool whole = m->config.task == TASK_CLASSIFY;
    int64_t rows = whole ? 1 : x->n, bytes;
    int32_t category = -1;
    struct engine *e = NULL;
    if (o->category)
        TRY(model_category(&category, m, o->category));
    TRY(predict_engine_bytes(&bytes, m, x->n));
    TRY(predict_afford(o, bytes + rows * m->classes.n * 4, 0));
    float *logits = memory_alloc((size_t)rows, (size_t)m->classes.n * sizeof *logits);
    int code = logits ? engine_create(&e, m, x->n, false) : GLT_ENOMEM;
    if (code == 0)
        code = engine_run(e, logits, x->xyz, x->features, x->n, 0, 0);
    if (code == 0 && category < 0 && !whole && m->classes.n_categories)
        code = settle_category(&category, m, logits, x->n, o->name);
    if (code == 0)
        code = whole ? classify(out, probabilities, m, logits)
                     : label_parts(a, out, m, x, category, logits);
    engine_free(e);
    memory_free(logits);
    if (code == 0)
        out->samples = 1;
    return code;
}
