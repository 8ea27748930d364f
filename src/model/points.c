/* The points of a caller: see points.h, and section 6 of docs/network.md. */
#include "model/points.h"

#include "config/inputs.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"

#include <math.h>

/* Colours in 0..255 are the most common mistake, and nothing else reveals it: the network labels
 * any numbers. Values a little above 1 come from the noise of an augmentation. */
static int check_colours(const struct model *m, const struct glt_points *p)
{
    struct inputs inputs;
    TRY(inputs_parse(&inputs, m->config.data.inputs));
    for (int64_t i = 0; inputs.rgb >= 0 && i < p->n; i++)
        for (int k = 0; k < 3; k++) {
            double v = (double)p->features[i * p->channels + inputs.rgb + k];
            if (v > 1.1 && isfinite(v))
                return error_topic(
                    error_place(
                        error_set(
                            GLT_EARGUMENT,
                            "row %lld: a colour is %g, but colours range from 0 to 1: divide by %s",
                            (long long)i, v, v > 255 ? "65535" : "255"),
                        GLT_PLACE_POINT, i),
                    GLT_TOPIC_VALUE, "features");
        }
    return 0;
}

int points_check(const struct model *m, const struct glt_points *p, bool labels)
{
    TRY(error_size("glt_points", p->size, sizeof *p));
    if (p->n < 1 || p->n > INT32_MAX / 8)
        return error_topic(
            error_set(GLT_EARGUMENT, "%lld points: give 1 to %d", (long long)p->n, INT32_MAX / 8),
            GLT_TOPIC_ARGUMENT, "n");
    if (!p->xyz || (p->type != GLT_F32 && p->type != GLT_F64))
        return error_topic(error_set(GLT_EARGUMENT, "give xyz, and its type: GLT_F32 or GLT_F64"),
                           GLT_TOPIC_ARGUMENT, "xyz");
    int more = m->channels - 3;
    if (p->channels != more || (more && !p->features))
        return error_topic(
            error_set(GLT_EMODEL,
                      "%d channels besides xyz%s do not fit the model, which has inputs = %s: "
                      "give %d",
                      p->channels, p->features ? "" : " (and no features)", m->config.data.inputs,
                      more),
            GLT_TOPIC_INPUTS, "inputs");
    TRY(check_colours(m, p));
    int32_t first, count;
    TRY(points_classes(&first, &count, m, p));
    if (!labels)
        return 0;
    int64_t n = m->config.task == TASK_CLASSIFY ? 1 : p->n;
    if (!p->labels)
        return error_topic(error_set(GLT_EARGUMENT, "there is nothing to learn from: give labels"),
                           GLT_TOPIC_LABELS, NULL);
    for (int64_t i = 0; i < n; i++)
        if (p->labels[i] != -1 && (p->labels[i] < first || p->labels[i] >= first + count))
            return error_topic(
                error_place(error_set(GLT_EARGUMENT,
                                      "label %d of row %lld: give %d to %d%s%s, or -1 for none",
                                      p->labels[i], (long long)i, first, first + count - 1,
                                      p->category ? ", the parts of " : "",
                                      p->category ? p->category : ""),
                            GLT_PLACE_POINT, i),
                GLT_TOPIC_LABELS, NULL);
    return 0;
}

static double value(const struct glt_points *p, int64_t i)
{
    return p->type == GLT_F64 ? ((const double *)p->xyz)[i] : (double)((const float *)p->xyz)[i];
}

static int bounds(double low[3], double high[3], const struct glt_points *p)
{
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (int64_t i = 0; i < 3 * p->n; i++) {
        double v = value(p, i);
        if (!isfinite(v))
            return error_topic(
                error_place(error_set(GLT_EARGUMENT, "row %lld: a coordinate is not finite",
                                      (long long)(i / 3)),
                            GLT_PLACE_POINT, (i / 3)),
                GLT_TOPIC_COORDINATES, NULL);
        low[i % 3] = fmin(low[i % 3], v);
        high[i % 3] = fmax(high[i % 3], v);
    }
    return 0;
}

int points_local(float *xyz, const struct model *m, const struct glt_points *p)
{
    double low[3], high[3], origin[3];
    bool scene = m->config.task == TASK_SEGMENT;
    TRY(bounds(low, high, p));
    for (int k = 0; k < 3; k++) {
        double middle = low[k] + (high[k] - low[k]) / 2;
        origin[k] = p->placed ? 0 : !scene ? round(middle) : k == 2 ? low[2] : middle;
    }
    for (int64_t i = 0; i < 3 * p->n; i++) {
        xyz[i] = (float)(value(p, i) - origin[i % 3]);
        if (!isfinite(xyz[i]))
            return error_topic(
                error_place(error_set(GLT_EARGUMENT,
                                      "row %lld: a coordinate is too large for float",
                                      (long long)(i / 3)),
                            GLT_PLACE_POINT, (i / 3)),
                GLT_TOPIC_COORDINATES, NULL);
    }
    return 0;
}

bool points_sphere(const struct model *m, const struct glt_points *p)
{
    return !p->placed && m->config.task != TASK_SEGMENT &&
           m->config.data.normalise == NORMALISE_SPHERE;
}

int points_classes(int32_t *first, int32_t *count, const struct model *m,
                   const struct glt_points *p)
{
    int32_t k = -1;
    if (p->category)
        TRY(model_category(&k, m, p->category));
    classes_range(first, count, &m->classes, k);
    return 0;
}
