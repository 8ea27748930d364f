/* Shapes: all points at once, a class for the whole or a part for each. See predict.h. */
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "model/engine.h"
#include "model/softmax.h"
#include "task/predict.h"

#include <string.h>

int predict_category(int32_t *out, const struct model *m, const char *name)
{
    return model_category(out, m, name);
}

static double sum_of_parts(const double *sum, const struct category_info *k)
{
    double all = 0;
    for (int32_t c = k->first; c < k->first + k->count; c++)
        all += sum[c];
    return all;
}

/* The category whose parts have the largest sum of probabilities over all points; summed by class
 * first, so that the points are gone through once however many categories a file has. */
static int guess_category(int32_t *out, const struct model *m, const float *logits, int64_t n,
                          const char *name)
{
    int64_t classes = m->classes;
    float *p = memory_alloc((size_t)classes, sizeof *p);
    double *sum = memory_alloc((size_t)classes, sizeof *sum), most = -1;
    int code = p && sum ? 0 : GLT_ENOMEM;
    for (int64_t i = 0; i < n && code == 0; i++) {
        code = softmax(p, logits + i * classes, 1, m->classes, 0, m->classes);
        for (int64_t c = 0; c < classes; c++)
            sum[c] += (double)p[c];
    }
    for (int32_t k = 0; code == 0 && k < m->categories; k++) {
        double all = sum_of_parts(sum, &m->category_info[k]);
        if (all > most) {
            most = all;
            *out = k;
        }
    }
    memory_free(p);
    memory_free(sum);
    if (code == 0)
        log_message(GLT_LOG_WARNING,
                    "%s: taken for a shape of category %s, a guess: parts are learned within a "
                    "category, so better say which it is (--category NAME)",
                    name, m->category_info[*out].name);
    return code;
}

/* category: -1 if there are none. */
static int label_parts(struct answers *a, struct glt_prediction *out, struct model *m,
                       const struct item *x, int32_t category, float *logits)
{
    int32_t first = 0, count = m->classes;
    if (category >= 0) {
        first = m->category_info[category].first;
        count = m->category_info[category].count;
    }
    TRY(softmax(logits, logits, x->n, m->classes, first, count));
    for (int64_t i = 0; i < x->n; i++)
        answers_put(a, x->row[i], logits + i * m->classes, 1);
    out->answer = category;
    return 0;
}

static int classify(struct glt_prediction *out, float *probabilities, const struct model *m,
                    float *logits)
{
    TRY(softmax(logits, logits, 1, m->classes, 0, m->classes));
    int32_t best = 0;
    for (int32_t k = 1; k < m->classes; k++)
        best = logits[k] > logits[best] ? k : best;
    out->answer = best;
    out->confidence = logits[best];
    if (probabilities)
        memcpy(probabilities, logits, (size_t)m->classes * sizeof *logits);
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
        TRY(predict_category(&category, m, o->category));
    TRY(predict_engine_bytes(&bytes, m, x->n));
    TRY(predict_afford(o, bytes + rows * m->classes * 4, 0));
    float *logits = memory_alloc((size_t)rows, (size_t)m->classes * sizeof *logits);
    int code = logits ? engine_create(&e, m, x->n, false) : GLT_ENOMEM;
    if (code == 0)
        code = engine_run(e, logits, x->xyz, x->features, x->n, 0, 0);
    if (code == 0 && category < 0 && !whole && m->categories)
        code = guess_category(&category, m, logits, x->n, o->name);
    if (code == 0)
        code = whole ? classify(out, probabilities, m, logits)
                     : label_parts(a, out, m, x, category, logits);
    engine_free(e);
    memory_free(logits);
    if (code == 0)
        out->samples = 1;
    return code;
}
