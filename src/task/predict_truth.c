/* Ground truth of clouds as classes of a model: see predict_truth.h. */
#include "task/predict_truth.h"

#include "cloud/classes.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "core/error.h"
#include "core/log.h"
#include "core/print.h"

#include <math.h>

enum { KNOWN = 256 };

/* The mapping from the labels of a file to classes of the model. */
struct relabel {
    struct labels labels;
    bool *taken;          /* (classes) by number */
    double *from;         /* (classes) the label of each; NaN: none */
    bool lossy;           /* some label cannot be recovered from its class */
    int32_t known[KNOWN]; /* 2 + the class of a small label seen before; 0: not seen yet */
    bool large;           /* a label beyond these was seen */
};

static int32_t class_of(struct relabel *r, double label)
{
    bool whole = label >= INT32_MIN && label <= INT32_MAX && label == floor(label);
    int32_t number = whole ? (int32_t)label : -1, class;
    if (!labels_class(&class, &r->labels, number) || class < 0) {
        r->lossy = r->lossy || !(isnan(label) || label == -1); /* which mean no class, too */
        return -1;
    }
    r->taken[class] |= !classes_name(r->labels.named, number);
    r->lossy = r->lossy || !(isnan(r->from[class]) || r->from[class] == label) ||
               (r->taken[class] && label != class);
    r->from[class] = label;
    return class;
}

/* Names are compared once per label instead of once per point. */
static int32_t class_of_point(struct relabel *r, double label)
{
    int32_t small = label >= 0 && label < KNOWN ? (int32_t)label : -1;
    if (small < 0 || (double)small != label) {
        r->large = r->large || label >= KNOWN;
        return class_of(r, label);
    }
    if (!r->known[small])
        r->known[small] = 2 + class_of(r, label);
    return r->known[small] - 2;
}

/* Logged because only the user knows whether that was intended. */
static void report_taken(const struct relabel *r)
{
    enum { LIST_MAX = 120 };
    char list[LIST_MAX + 80] = "";
    size_t len = 0;
    for (int32_t k = 0; k < r->labels.classes->n && len < LIST_MAX; k++)
        if (r->taken[k])
            len += (size_t)print_to(list + len, sizeof list - len, "%s%g = %.60s", len ? ", " : "",
                                    r->from[k], r->labels.classes->names[k]);
    if (len)
        log_message(GLT_LOG_INFO, "labels taken by number: %s%s", list,
                    len < LIST_MAX ? "" : ", ..");
}

/* Whether most of the numbers are classes of the model. Numbers of other datasets (10, 40, 50) may
 * match some classes by accident. Names, and numbers of the model's training data, need no such
 * check. */
static bool are_plausible(const struct relabel *r)
{
    const struct labels *x = &r->labels;
    int32_t foreign = r->large, own = 0;
    if (x->kept || x->classes->n_labels)
        return true;
    for (int32_t i = 0; i < KNOWN - 1; i++) { /* 255 is none */
        if (classes_name(x->named, i))
            return true;
        own += r->known[i] >= 2;
        foreign += r->known[i] == 1;
    }
    return own == 0 ? foreign == 0 : own > foreign;
}

int predict_truth(int32_t *dst, bool *exact, struct call *call, const struct glt_cloud *c,
                  const struct classes *classes)
{
    struct relabel r = {.labels = labels_find(c, classes, false)};
    const struct column *truth = r.labels.column;
    *exact = false;
    if (!truth || r.labels.predicted)
        return 0;
    if (r.labels.unnamed) {
        log_message(GLT_LOG_INFO,
                    "the classification of the file is not used as ground truth: " LABELS_UNNAMED);
        return 0;
    }
    r.taken = call_alloc(call, (size_t)classes->n, sizeof *r.taken);
    r.from = call_alloc(call, (size_t)classes->n, sizeof *r.from);
    if (!r.taken || !r.from)
        return GLT_ENOMEM;
    for (int32_t k = 0; k < classes->n; k++)
        r.from[k] = NAN;
    for (int64_t i = 0; i < c->n; i++)
        dst[i] = class_of_point(&r, column_value(truth, i));
    if (!are_plausible(&r)) {
        log_warning(GLT_TOPIC_LABELS, "numbers",
                    "the labels of the file are not used as ground truth: most of their numbers "
                    "are not classes of the model; name the classes in the file, or renumber its "
                    "labels to those of the model");
        return 0;
    }
    report_taken(&r);
    *exact = !r.lossy && truth == labels_column(c);
    return 1;
}
