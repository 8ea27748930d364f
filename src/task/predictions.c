/* Predictions of points: see predictions.h. */
#include "task/predictions.h"

#include "cloud/classes.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int64_t predictions_bytes(int32_t classes, const struct predictions_wanted *wanted)
{
    return 8 + 4 * (wanted->second + wanted->margin + wanted->votes) +
           (wanted->probabilities ? 4 * classes : 0);
}

static void *array(bool wanted, int64_t n, size_t size, bool *failed)
{
    void *p = wanted ? memory_alloc((size_t)n, size) : NULL;
    *failed |= wanted && !p;
    return p;
}

int predictions_create(struct predictions *p, int64_t rows, int32_t classes,
                       const struct predictions_wanted *wanted)
{
    bool failed = false;
    struct predictions x = {.rows = rows, .classes = classes};
    x.label = array(true, rows, sizeof *x.label, &failed);
    x.confidence = array(true, rows, sizeof *x.confidence, &failed);
    x.second = array(wanted->second, rows, sizeof *x.second, &failed);
    x.margin = array(wanted->margin, rows, sizeof *x.margin, &failed);
    x.votes = array(wanted->votes, rows, sizeof *x.votes, &failed);
    x.probability =
        array(wanted->probabilities, rows, (size_t)classes * sizeof *x.probability, &failed);
    if (failed) {
        predictions_free(&x);
        return GLT_ENOMEM;
    }
    for (int64_t i = 0; i < rows; i++) {
        x.label[i] = -1;
        if (x.second)
            x.second[i] = -1;
    }
    *p = x;
    return 0;
}

void predictions_free(struct predictions *p)
{
    memory_free(p->label);
    memory_free(p->confidence);
    memory_free(p->second);
    memory_free(p->margin);
    memory_free(p->votes);
    memory_free(p->probability);
    *p = (struct predictions){0};
}

void predictions_put(struct predictions *p, int64_t row, const float *sum, int32_t votes)
{
    int32_t best = 0, second = -1;
    for (int32_t k = 1; k < p->classes; k++) { /* the lower one of equals */
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

/* probability_<class>, with what a header could not hold replaced. */
static void probability_name(char name[PROBABILITY_NAME], const struct model *m, int32_t k)
{
    snprintf(name, PROBABILITY_NAME, "probability_%.70s", m->classes.names[k]);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
            *p = '_';
}

/* Classes that come to the same name have their number behind it. */
static int add_probabilities(struct glt_cloud *c, const struct predictions *p,
                             const struct model *m)
{
    char name[PROBABILITY_NAME];
    for (int32_t k = 0; k < p->classes; k++) { /* of an earlier prediction */
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

/* The way from the labels of a file to classes of the model. */
struct relabel {
    struct labels labels;
    bool *taken;  /* (classes) by number */
    double *from; /* (classes) the label of each, NaN without */
    bool lossy;   /* some label cannot be told from its class */
};

static int32_t class_of(struct relabel *r, double label)
{
    bool whole = label >= INT32_MIN && label <= INT32_MAX && label == floor(label);
    int32_t number = whole ? (int32_t)label : -1, class;
    if (!labels_class(&class, &r->labels, number) || class < 0) {
        r->lossy = r->lossy || !(isnan(label) || label == -1); /* which are none too */
        return -1;
    }
    r->taken[class] |= !classes_name(r->labels.named, number);
    r->lossy = r->lossy || !(isnan(r->from[class]) || r->from[class] == label) ||
               (r->taken[class] && label != class);
    r->from[class] = label;
    return class;
}

/* Whether that was meant, nobody but the user knows. */
static void report_taken(const struct relabel *r)
{
    enum { MOST = 120 };
    char list[MOST + 80] = "";
    size_t len = 0;
    for (int32_t k = 0; k < r->labels.classes->n && len < MOST; k++)
        if (r->taken[k])
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%g = %.60s", len ? ", " : "",
                                    r->from[k], r->labels.classes->names[k]);
    if (len)
        log_message(GLT_LOG_INFO, "labels taken by number: %s%s", list, len < MOST ? "" : ", ..");
}

int predictions_truth(int32_t *dst, bool *exact, const struct glt_cloud *c, const struct model *m)
{
    struct relabel r = {.labels = labels_find(c, &m->classes, false)};
    const struct column *truth = r.labels.column;
    *exact = false;
    if (!truth || r.labels.predicted)
        return 0;
    if (r.labels.unnamed) {
        log_message(GLT_LOG_INFO, "its classification is no truth: " LABELS_UNNAMED);
        return 0;
    }
    r.taken = memory_alloc((size_t)m->classes.n, sizeof *r.taken);
    r.from = memory_alloc((size_t)m->classes.n, sizeof *r.from);
    int code = r.taken && r.from ? 1 : GLT_ENOMEM;
    for (int32_t k = 0; k < m->classes.n && r.from; k++)
        r.from[k] = NAN;
    double from = NAN;
    for (int64_t i = 0, to = -1; i < c->n && code > 0; i++) {
        double label = column_value(truth, i);
        if (label != from) /* neighbours are mostly alike */
            to = class_of(&r, label);
        from = label;
        dst[i] = (int32_t)to;
    }
    if (code > 0)
        report_taken(&r);
    memory_free(r.taken);
    memory_free(r.from);
    *exact = !r.lossy && truth == labels_column(c);
    return code;
}

static bool has_values(const struct column *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (column_value(x, i) != 0)
            return true;
    return false;
}

/* The labels that are about to go, or in LAS the classification beside them, to the letter; exact:
 * they are in the truth. What was predicted goes, and so does a classification nobody gave. */
static int keep_original(struct glt_cloud *c, bool exact)
{
    static const char name[] = "original_classification";
    const struct column *x = labels_column(c);
    if (x && (exact || cloud_attribute(c, "confidence")))
        x = strcmp(x->name, "classification") ? cloud_attribute(c, "classification") : NULL;
    if (!x || x->start || x->width != 1 || cloud_attribute(c, name) || !has_values(x, c->n))
        return 0;
    struct column from = *x, *to; /* x moves when another one is added */
    TRY(cloud_add_attribute(&to, c, name, from.type));
    to->scale = from.scale;
    to->offset = from.offset;
    memcpy(to->data, from.data, (size_t)c->n * type_size(from.type));
    return 0;
}

/* A label the file came with stays, as truth, by the numbers of the model whose names the file is
 * about to get. */
static int keep_truth(struct glt_cloud *c, const struct model *m, bool wide)
{
    if (!labels_column(c) && !cloud_attribute(c, "truth"))
        return 0;
    int32_t *values = memory_alloc((size_t)c->n, sizeof *values);
    if (!values)
        return GLT_ENOMEM;
    bool exact;
    int found = predictions_truth(values, &exact, c, m);
    int code = found < 0 ? found : keep_original(c, exact);
    if (code == 0 && found > 0)
        code = add_classes(c, "truth", values, wide);
    else if (code == 0 && cloud_attribute(c, "confidence"))
        log_message(GLT_LOG_INFO, "its label has a confidence beside it: taken for an earlier "
                                  "prediction, and replaced");
    memory_free(values);
    return code;
}

/* Whether a prediction adds attributes of this name besides label and confidence; CloudCompare puts
 * a prefix before it. */
static bool is_of_prediction(const char *name)
{
    name += strncasecmp(name, "scalar_", 7) ? 0 : 7;
    return !strcmp(name, "second") || !strcmp(name, "margin") || !strcmp(name, "votes") ||
           !strncmp(name, "probability_", 12);
}

/* What an earlier prediction said of the labels that are about to go. */
static int forget_prediction(struct glt_cloud *c)
{
    if (!cloud_attribute(c, "confidence") || !labels_column(c))
        return 0;
    for (int32_t i = c->n_columns; i-- > 0;) {
        /* repeats of a name go with it */
        if (i >= c->n_columns || !is_of_prediction(c->columns[i].name))
            continue;
        char *name = memory_string(c->columns[i].name);
        if (!name)
            return GLT_ENOMEM;
        cloud_remove_attribute(c, name);
        memory_free(name);
    }
    return 0;
}

/* For formats whose readers know classes by number. 255 is none. */
static int note_numbers(struct glt_cloud *c, const struct model *m)
{
    enum { MOST = 255 };
    uint8_t numbers[MOST] = {0};
    int32_t classes = m->classes.n <= MOST ? m->classes.n : 0, number, k = 0;
    for (; k < classes && classes_first_number(&number, &m->classes, k); k++) {
        if (number < 0 || number >= MOST)
            break;
        numbers[k] = (uint8_t)number;
    }
    return cloud_set_note(c, "labels.numbers", numbers, k == classes ? (size_t)classes : 0);
}

int predictions_store(struct glt_cloud *c, const struct predictions *p, const struct model *m)
{
    bool wide = m->classes.n > 255;
    TRY(keep_truth(c, m, wide));
    TRY(forget_prediction(c));
    int code =
        labels_set(c, p->label, p->confidence, (const char *const *)m->classes.names, m->classes.n);
    if (code == 0)
        code = note_numbers(c, m);
    if (code == 0 && p->second)
        code = add_classes(c, "second", p->second, wide);
    if (code == 0 && p->margin)
        code = add_floats(c, "margin", p->margin, 1);
    if (code == 0 && p->votes)
        code = add_classes(c, "votes", p->votes, true);
    if (code == 0 && p->probability)
        code = add_probabilities(c, p, m);
    return code;
}
