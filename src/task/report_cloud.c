/* A report on a predicted cloud as one HTML file that needs no other: its picture, points and
 * confidence per class, and with a truth the scores and the confusion matrix. */
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "draw/html.h"
#include "draw/html_scores.h"
#include "draw/render.h"
#include "draw/render_cloud.h"
#include "sampling/confusion.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 64, CLASSES_MOST = 1024 };

struct report {
    const struct glt_cloud *cloud;
    struct file *file;
    struct classes classes;
    int32_t *label, *truth; /* (n); truth NULL without */
    float *confidence;      /* (n); NULL without */
    int64_t *count;         /* (classes) */
    double *sum;            /* (classes) of confidence, then its mean */
    struct confusion confusion;
    int64_t unanswered; /* points with a truth, but no label */
};

/* Two panels beside each other, through a file beside the report. */
static int print_picture(struct report *r, const char *path, const char *panels,
                         const char *caption)
{
    char beside[PATH_MAX], *bytes = NULL;
    size_t n;
    struct image im = {0};
    struct render_options o = render_cloud_default();
    o.colours = panels;
    o.width = 600;
    o.height = 500;
    if ((size_t)snprintf(beside, sizeof beside, "%s.png", path) >= sizeof beside)
        return error_set(GLT_EARGUMENT, "%.40s...: the path is too long", path);
    if (file_exists(beside))
        return error_set(GLT_EEXISTS, "%s is in the way of a passing file", beside);
    TRY(render_cloud(&im, r->cloud, NULL, &o));
    int code = image_write(&im, beside);
    image_free(&im);
    TRY(code);
    code = file_read_all(&bytes, &n, beside, HTML_PICTURE_MOST);
    if (code == 0)
        code = html_picture(r->file, bytes, n, caption);
    memory_free(bytes);
    int removed = file_remove(beside);
    return code < 0 ? code : removed;
}

/* What the attributes allow. */
static int print_pictures(struct report *r, const char *path)
{
    bool colours = cloud_attribute(r->cloud, "red") != NULL;
    char first[32], words[32];
    snprintf(first, sizeof first, "%s,%s", colours ? "rgb" : "height",
             r->truth ? "truth" : "label");
    snprintf(words, sizeof words, "%s and %s", colours ? "colours" : "height",
             r->truth        ? "truth"
             : r->confidence ? "prediction"
                             : "labels");
    TRY(print_picture(r, path, first, words));
    if (r->truth)
        return print_picture(r, path, "label,error", "prediction and errors");
    return r->confidence ? print_picture(r, path, "confidence", "confidence") : 0;
}

static int print_all(struct report *r, const char *path, const char *title)
{
    struct html_classes x = {.classes = &r->classes,
                             .predicted = r->count,
                             .confidence = r->confidence ? r->sum : NULL,
                             .confusion = r->truth ? &r->confusion : NULL};
    TRY(html_begin(r->file, title));
    TRY(file_print(r->file, "<p class=\"lead\">%lld points</p>\n", (long long)r->cloud->n));
    if (r->unanswered)
        TRY(file_print(r->file,
                       "<p class=\"lead\">%lld points have a truth but no label: they are in no "
                       "score</p>\n",
                       (long long)r->unanswered));
    TRY(print_pictures(r, path));
    TRY(html_element(r->file, "h2", "Classes"));
    TRY(html_scores(r->file, &x));
    return html_end(r->file);
}

/* Labels that are no class count as ignored. */
static int read_column(int32_t **out, const struct report *r, const char *name)
{
    *out = memory_alloc((size_t)r->cloud->n + 1, sizeof **out);
    return *out ? cloud_attribute_as_i32(*out, r->cloud, name) : GLT_ENOMEM;
}

static int name_classes(struct report *r, int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        char text[NAME];
        const char *name = classes_name(&r->cloud->classes, k);
        if (name)
            snprintf(text, sizeof text, "%s", name);
        else
            snprintf(text, sizeof text, "class %d", k);
        TRY(classes_add(&r->classes, text));
    }
    return 0;
}

static int measure(struct report *r)
{
    int64_t n = r->cloud->n;
    int32_t n_classes = 0;
    TRY(read_column(&r->label, r, labels_given(r->cloud)->name));
    if (cloud_attribute(r->cloud, "truth"))
        TRY(read_column(&r->truth, r, "truth"));
    if (cloud_attribute(r->cloud, "confidence")) {
        r->confidence = memory_alloc((size_t)n + 1, sizeof *r->confidence);
        TRY(r->confidence ? cloud_attribute_as_f32(r->confidence, r->cloud, "confidence")
                          : GLT_ENOMEM);
    }
    while (n_classes < CLASSES_MOST && classes_name(&r->cloud->classes, n_classes))
        n_classes++;
    for (int64_t i = 0; i < n; i++) {
        if (r->label[i] >= n_classes && r->label[i] < 255)
            n_classes = r->label[i] + 1;
        if (r->truth && r->truth[i] >= n_classes && r->truth[i] < 255)
            n_classes = r->truth[i] + 1; /* never predicted: it counts all the same */
    }
    TRY(name_classes(r, n_classes));
    r->count = memory_alloc((size_t)n_classes + 1, sizeof *r->count);
    r->sum = memory_alloc((size_t)n_classes + 1, sizeof *r->sum);
    if (!r->count || !r->sum)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        bool good = r->label[i] >= 0 && r->label[i] < r->classes.n;
        if (good) {
            r->count[r->label[i]]++;
            r->sum[r->label[i]] += r->confidence ? (double)r->confidence[i] : 0;
        }
        bool known = r->truth && r->truth[i] >= 0 && r->truth[i] < r->classes.n;
        r->unanswered += known && !good;
        if (r->truth && !(known && good))
            r->truth[i] = -1;
        r->label[i] = good ? r->label[i] : 0;
    }
    for (int32_t k = 0; k < r->classes.n; k++)
        r->sum[k] = r->count[k] ? r->sum[k] / (double)r->count[k] : NAN;
    if (!r->truth)
        return 0;
    TRY(confusion_create(&r->confusion, r->classes.n));
    return confusion_add(&r->confusion, r->truth, r->label, n);
}

static void report_free(struct report *r)
{
    file_close(r->file);
    memory_free(r->label);
    memory_free(r->truth);
    memory_free(r->confidence);
    memory_free(r->count);
    memory_free(r->sum);
    classes_free(&r->classes);
    confusion_free(&r->confusion);
}

int glt_cloud_report(const struct glt_cloud *c, const char *path, const char *title)
{
    GIVEN(c, path, title);
    struct report r = {.cloud = c};
    if (!labels_given(c))
        return error_set(GLT_EDATA, "the cloud has no label: run gelatto predict on it first");
    int code = measure(&r);
    if (code == 0)
        code = file_create(&r.file, path);
    if (code == 0)
        code = print_all(&r, path, title);
    if (code == 0) {
        code = file_commit(r.file);
        r.file = code == 0 ? NULL : r.file;
    }
    report_free(&r);
    return code;
}
