/* A report on a predicted cloud: see report_cloud.h. Its image, points and confidence per class,
 * and with ground truth the scores and the confusion matrix. */
#include "task/report_cloud.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "cloud/provenance.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/string.h"
#include "draw/html.h"
#include "draw/html_scores.h"
#include "draw/image.h"
#include "draw/png.h"
#include "draw/render_cloud.h"
#include "sampling/confusion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 64, CLASSES_MAX = 1024 };

struct report {
    struct call call;
    const struct glt_cloud *cloud;
    int width, height; /* of a panel */
    struct file *file;
    struct classes classes;
    int32_t *label, *truth; /* (n); truth NULL without */
    float *confidence;      /* (n); NULL without */
    int64_t *count;         /* (classes) */
    double *sum;            /* (classes) of confidence, then its mean */
    struct confusion confusion;
    int64_t unanswered; /* points with ground truth, but no label */
};

/* Two panels beside each other. */
static int print_image(struct report *r, const char *panels, const char *caption)
{
    struct image im = {0};
    struct string png = {0};
    struct render_options o = render_cloud_options();
    o.colours = panels;
    o.width = r->width;
    o.height = r->height;
    TRY(render_cloud(&im, r->cloud, NULL, &o));
    int code = png_encode(&png, im.rgb, im.width, im.height);
    image_free(&im);
    if (code == 0)
        code = html_image(r->file, png.bytes, (size_t)png.len, caption);
    string_free(&png);
    return code;
}

/* Draws the images that the attributes allow. */
static int print_images(struct report *r)
{
    bool colours = cloud_attribute(r->cloud, "red") != NULL;
    char first[32], words[32];
    snprintf(first, sizeof first, "%s,%s", colours ? "rgb" : "height",
             r->truth ? "truth" : "label");
    snprintf(words, sizeof words, "%s and %s", colours ? "colours" : "height",
             r->truth        ? "truth"
             : r->confidence ? "prediction"
                             : "labels");
    TRY(print_image(r, first, words));
    if (r->truth)
        return print_image(r, "label,error", "prediction and errors");
    return r->confidence ? print_image(r, "confidence", "confidence") : 0;
}

/* Lists which model labelled the cloud, and how. */
static int print_provenance(struct report *r)
{
    struct string lines = {0};
    provenance_print(&lines, r->cloud);
    int code = lines.code;
    if (code == 0 && lines.len)
        code = html_element(r->file, "h2", "Provenance");
    if (code == 0 && lines.len)
        code = html_element(r->file, "pre", lines.bytes);
    string_free(&lines);
    return code;
}

static int print_all(struct report *r, const char *title)
{
    struct html_classes x = {.classes = &r->classes,
                             .predicted = r->count,
                             .confidence = r->confidence ? r->sum : NULL,
                             .confusion = r->truth ? &r->confusion : NULL};
    TRY(html_begin(r->file, title));
    TRY(file_print(r->file, "<p class=\"lead\">%lld points</p>\n", (long long)r->cloud->n));
    if (r->unanswered)
        TRY(file_print(r->file,
                       "<p class=\"lead\">%lld points have ground truth but no label: they are "
                       "not scored</p>\n",
                       (long long)r->unanswered));
    TRY(print_images(r));
    TRY(html_element(r->file, "h2", "Classes"));
    TRY(html_scores(r->file, &x));
    TRY(print_provenance(r));
    return html_end(r->file);
}

/* Labels that are not classes count as ignored. */
static int read_column(int32_t **out, struct report *r, const char *name)
{
    *out = call_alloc(&r->call, (size_t)r->cloud->n + 1, sizeof **out);
    return *out ? cloud_attribute_as_i32(*out, r->cloud, name) : GLT_ENOMEM;
}

static int name_classes(struct report *r, int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        char text[NAME];
        const char *name = labels_name(r->cloud, labels_given(r->cloud), k);
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
        r->confidence = call_alloc(&r->call, (size_t)n + 1, sizeof *r->confidence);
        TRY(r->confidence ? cloud_attribute_as_f32(r->confidence, r->cloud, "confidence")
                          : GLT_ENOMEM);
    }
    while (n_classes < CLASSES_MAX && classes_name(&r->cloud->classes, n_classes))
        n_classes++;
    for (int64_t i = 0; i < n; i++) {
        if (r->label[i] >= n_classes && r->label[i] < 255)
            n_classes = r->label[i] + 1;
        if (r->truth && r->truth[i] >= n_classes && r->truth[i] < 255)
            n_classes = r->truth[i] + 1; /* never predicted, but it counts */
    }
    TRY(name_classes(r, n_classes));
    r->count = call_alloc(&r->call, (size_t)n_classes + 1, sizeof *r->count);
    r->sum = call_alloc(&r->call, (size_t)n_classes + 1, sizeof *r->sum);
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

int report_cloud_print(struct file *f, const struct glt_cloud *c, const char *title, int width,
                       int height)
{
    struct report r = {.cloud = c, .file = f, .width = width, .height = height};
    int code = measure(&r);
    if (code == 0)
        code = print_all(&r, title);
    classes_free(&r.classes);
    confusion_free(&r.confusion);
    call_free(&r.call);
    return code;
}

int glt_cloud_report(const struct glt_cloud *c, const char *path, const char *title)
{
    REQUIRE(c, path, title);
    struct file *f;
    if (!labels_given(c))
        return error_topic(error_set(GLT_EDATA, "the cloud has no labels: predict them first"),
                           GLT_TOPIC_LABELS, "predict");
    TRY(file_create(&f, path));
    return file_finish(f, report_cloud_print(f, c, title, 600, 500));
}
