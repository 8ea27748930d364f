/* Labels of points: see point_labels.h. */
#include "task/point_labels.h"

#include "cloud/classes.h"
#include "cloud/column.h"
#include "cloud/edit.h"
#include "cloud/labels.h"
#include "core/error.h"
#include "core/log.h"
#include "core/string.h"
#include "task/class_numbers.h"
#include "task/predict_truth.h"

#include <stdio.h>
#include <string.h>

int64_t point_labels_bytes(int32_t classes, const struct point_labels_wanted *w)
{
    return 8 + 4 * (w->second + w->margin + w->votes) + (w->probabilities ? 4 * classes : 0);
}

static void *take(struct call *call, bool wanted, int64_t n, size_t size, bool *failed)
{
    void *p = wanted ? call_alloc(call, (size_t)n, size) : NULL;
    *failed |= wanted && !p;
    return p;
}

int point_labels_take(struct point_labels *x, struct call *call, int64_t rows, int32_t classes,
                      const struct point_labels_wanted *w)
{
    bool failed = false;
    x->classes = classes;
    x->label = take(call, true, rows, sizeof *x->label, &failed);
    x->confidence = take(call, true, rows, sizeof *x->confidence, &failed);
    x->second = take(call, w->second, rows, sizeof *x->second, &failed);
    x->margin = take(call, w->margin, rows, sizeof *x->margin, &failed);
    x->votes = take(call, w->votes, rows, sizeof *x->votes, &failed);
    x->probability =
        take(call, w->probabilities, rows, (size_t)classes * sizeof *x->probability, &failed);
    for (int64_t i = 0; i < rows && !failed; i++) {
        x->label[i] = -1;
        if (x->second)
            x->second[i] = -1;
    }
    return failed ? GLT_ENOMEM : 0;
}

void point_labels_put(struct point_labels *p, int64_t row, const float *sum, int32_t votes)
{
    int32_t best = 0, second = -1;
    for (int32_t k = 1; k < p->classes; k++) { /* the lowest of equal ones */
        if (sum[k] > sum[best]) {
            second = best;
            best = k;
        } else if (second < 0 || sum[k] > sum[second]) {
            second = k;
        }
    }
    float n = (float)votes;
    p->label[row] = best;
    p->confidence[row] = sum[best] / n;
    if (p->second)
        p->second[row] = second;
    if (p->margin)
        p->margin[row] = (sum[best] - sum[second]) / n;
    if (p->votes)
        p->votes[row] = votes;
    for (int32_t k = 0; p->probability && k < p->classes; k++)
        p->probability[row * p->classes + k] = sum[k] / n;
}

void point_labels_copy(struct point_labels *p, int64_t to, int64_t from)
{
    p->label[to] = p->label[from];
    p->confidence[to] = p->confidence[from];
    if (p->second)
        p->second[to] = p->second[from];
    if (p->margin)
        p->margin[to] = p->margin[from];
    if (p->votes)
        p->votes[to] = p->votes[from];
    if (p->probability)
        memcpy(p->probability + to * p->classes, p->probability + from * p->classes,
               (size_t)p->classes * sizeof *p->probability);
}

void point_labels_drop(struct point_labels *p, double min_confidence, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        if ((double)p->confidence[i] < min_confidence)
            p->label[i] = -1;
}

/* --- labels that people have reviewed --- */

enum { NOT_REVIEWED = -2 };

int point_labels_reviewed(int32_t **out, struct call *call, const struct glt_cloud *c,
                          const struct classes *classes)
{
    const struct column *seen = cloud_attribute(c, "reviewed"), *label = labels_column(c);
    struct labels l = {.column = label, .named = &c->classes, .classes = classes};
    *out = NULL;
    if (!column_is_single(seen) || !label)
        return 0;
    int32_t *found = call_alloc(call, (size_t)c->n, sizeof *found), none = labels_none(c, label);
    if (!found)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < c->n; i++) {
        int32_t number;
        found[i] = NOT_REVIEWED;
        if (!(column_value(seen, i) > 0))
            continue;
        TRY(labels_number(&number, column_value(label, i), i, cloud_name(c)));
        if (number == none || number < 0)
            found[i] = -1;
        else if (!labels_class(&found[i], &l, number) || found[i] < 0)
            return error_topic(
                error_set(GLT_EMODEL,
                          "reviewed points have label %d (%.60s), which is none of the model's "
                          "classes and would be lost: teach the model this class, or remove the "
                          "attribute reviewed",
                          number,
                          classes_name(&c->classes, number) ? classes_name(&c->classes, number)
                                                            : "no name"),
                GLT_TOPIC_CLASSES, "reviewed");
    }
    *out = found;
    return 0;
}

void point_labels_keep(struct point_labels *p, const int32_t *reviewed, int64_t rows)
{
    for (int64_t i = 0; reviewed && i < rows; i++)
        if (reviewed[i] != NOT_REVIEWED) {
            p->label[i] = reviewed[i];
            p->confidence[i] = 1;
        }
}

/* --- attributes --- */

static int add_floats(struct glt_cloud *c, const char *name, const float *values, int32_t stride)
{
    struct column *x;
    cloud_remove_attribute(c, name);
    TRY(cloud_add_attribute(&x, c, name, GLT_F32));
    for (int64_t i = 0; i < c->n; i++)
        ((float *)x->data)[i] = values[i * stride];
    return 0;
}

static int add_classes(struct glt_cloud *c, const char *name, const int32_t *values, bool wide)
{
    struct column *x;
    cloud_remove_attribute(c, name);
    TRY(cloud_add_attribute(&x, c, name, wide ? GLT_I32 : GLT_U8));
    for (int64_t i = 0; i < c->n; i++) {
        if (wide)
            ((int32_t *)x->data)[i] = values[i];
        else
            ((uint8_t *)x->data)[i] = (uint8_t)values[i];
    }
    return 0;
}

enum { PROBABILITY_NAME = 96 };

/* probability_<class>, with characters replaced that a header cannot hold. */
static void probability_name(char name[PROBABILITY_NAME], const struct model *m, int32_t k)
{
    snprintf(name, PROBABILITY_NAME, "probability_%.70s", m->classes.names[k]);
    for (char *p = name; *p; p++)
        if (!string_is_alnum(*p) && *p != '_' && *p != '-')
            *p = '_';
}

/* Classes with the same attribute name get their number appended. */
static int add_probabilities(struct glt_cloud *c, const struct point_labels *p,
                             const struct model *m)
{
    char name[PROBABILITY_NAME];
    for (int32_t k = 0; k < p->classes; k++) { /* from an earlier prediction */
        probability_name(name, m, k);
        cloud_remove_attribute(c, name);
    }
    for (int32_t k = 0; k < p->classes; k++) {
        probability_name(name, m, k);
        size_t len = strlen(name);
        if (cloud_attribute(c, name))
            snprintf(name + len, sizeof name - len, "_%d", (int)k);
        TRY(add_floats(c, name, p->probability + k, p->classes));
    }
    return 0;
}

static bool has_values(const struct column *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (column_value(x, i) != 0)
            return true;
    return false;
}

/* Whether a prediction, or LAS with its labels, replaces the column. */
static bool is_replaced(const struct column *x)
{
    return !strcmp(x->name, "label") || !strcmp(x->name, "scalar_label") ||
           !strcmp(x->name, "classification");
}

/* Keeps the labels about to be replaced, or in LAS the classification beside them, unchanged;
 * exact: the truth holds them already. Predicted labels are dropped, and so is a classification
 * that is not a label. */
static int keep_original(struct glt_cloud *c, bool exact)
{
    static const char name[] = "original_classification";
    const struct column *x = labels_column(c);
    if (x && (exact || !is_replaced(x) || cloud_attribute(c, "confidence")))
        x = strcmp(x->name, "classification") ? cloud_attribute(c, "classification") : NULL;
    if (!x || x->start || x->width != 1 || cloud_attribute(c, name) || !has_values(x, c->n))
        return 0;
    struct column from = *x, *to; /* adding a column moves x */
    TRY(cloud_add_attribute(&to, c, name, from.type));
    to->scale = from.scale;
    to->offset = from.offset;
    size_t size = type_size(from.type);
    for (int64_t i = 0; i < c->n; i++) /* borrowed data may have a stride */
        memcpy((unsigned char *)to->data + (size_t)i * size, column_item(&from, i), size);
    return 0;
}

/* Keeps a label of the file as truth, with the numbers of the classes, whose names the file will
 * get. */
static int keep_truth(struct glt_cloud *c, struct call *call, const struct classes *classes,
                      bool wide, bool classification_stays)
{
    bool exact;
    if (!labels_column(c) && !cloud_attribute(c, "truth"))
        return 0;
    int32_t *values = call_alloc(call, (size_t)c->n, sizeof *values);
    int found = values ? predict_truth(values, &exact, call, c, classes) : GLT_ENOMEM;
    TRY(found < 0 ? found : 0);
    if (!classification_stays)
        TRY(keep_original(c, exact));
    if (found)
        return add_classes(c, "truth", values, wide);
    if (cloud_attribute(c, "confidence"))
        log_message(GLT_LOG_INFO, "its label has a confidence beside it: taken for an earlier "
                                  "prediction, and replaced");
    return 0;
}

/* Whether a prediction adds attributes of this name besides label and confidence; CloudCompare adds
 * a prefix. */
static bool is_of_prediction(const char *name)
{
    name += string_begins_nocase(name, "scalar_") ? 7 : 0;
    return !strcmp(name, "second") || !strcmp(name, "margin") || !strcmp(name, "votes") ||
           !strncmp(name, "probability_", 12);
}

/* Removes the attributes of an earlier prediction. */
static int forget_prediction(struct glt_cloud *c, struct call *call)
{
    if (!cloud_attribute(c, "confidence") || !labels_column(c))
        return 0;
    for (int32_t i = c->n_columns; i-- > 0;) {
        /* repeats of a name are removed with it */
        if (i >= c->n_columns || !is_of_prediction(c->columns[i].name))
            continue;
        const char *name = call_string(call, c->columns[i].name);
        if (!name)
            return GLT_ENOMEM;
        cloud_remove_attribute(c, name);
    }
    return 0;
}

int point_labels_store(struct glt_cloud *c, struct call *call, const struct point_labels *p,
                       const struct point_labels_form *f)
{
    const struct model *m = f->model;
    const struct classes *classes = f->classes;
    bool wide = classes->n > 255;
    int64_t mark = call_mark(call);
    int code = keep_truth(c, call, classes, wide, f->keep);
    call_reset(call, mark); /* of one class number per point */
    TRY(code);
    TRY(forget_prediction(c, call));
    TRY(labels_set(c, p->label, p->confidence, (const char *const *)classes->names, classes->n));
    TRY(class_numbers_note(c, classes, f->map));
    TRY(cloud_set_note(c, "las.classification", f->keep ? "kept" : "", f->keep ? 4 : 0));
    if (p->second)
        TRY(add_classes(c, "second", p->second, wide));
    if (p->margin)
        TRY(add_floats(c, "margin", p->margin, 1));
    if (p->votes)
        TRY(add_classes(c, "votes", p->votes, true));
    return p->probability ? add_probabilities(c, p, m) : 0;
}
