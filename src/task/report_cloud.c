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

enum { CLASSES_MAX = 1024 }; /* a page has a matrix of them */

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
    int64_t unlabelled, unanswered; /* points without a class, those of them with ground truth */
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
    bool colours = cloud_colour_scale(r->cloud) > 0;
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
    if (r->unlabelled)
        TRY(file_print(r->file, "<p class=\"lead\">%lld points have no class</p>\n",
                       (long long)r->unlabelled));
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

/* The classes of the points: -1 where they have none. */
static int read_column(int32_t **out, struct report *r, const struct column *x)
{
    int64_t n = r->cloud->n;
    int32_t *to = *out = call_alloc(&r->call, (size_t)n + 1, sizeof **out);
    if (!to)
        return GLT_ENOMEM;
    TRY(labels_numbers(to, x, n, cloud_name(r->cloud)));
    for (int64_t i = 0; i < n; i++)
        to[i] = labels_is_class(r->cloud, x, to[i]) ? classes_of_number(&r->classes, to[i]) : -1;
    return 0;
}

static int count(struct report *r)
{
    r->count = call_alloc(&r->call, (size_t)r->classes.n + 1, sizeof *r->count);
    r->sum = call_alloc(&r->call, (size_t)r->classes.n + 1, sizeof *r->sum);
    if (!r->count || !r->sum)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < r->cloud->n; i++) {
        bool good = r->label[i] >= 0;
        if (good) {
            r->count[r->label[i]]++;
            r->sum[r->label[i]] += r->confidence ? (double)r->confidence[i] : 0;
        }
        r->unlabelled += !good;
        r->unanswered += r->truth && r->truth[i] >= 0 && !good;
        if (r->truth && !good)
            r->truth[i] = -1;
        r->label[i] = good ? r->label[i] : 0;
    }
    for (int32_t k = 0; k < r->classes.n; k++)
        r->sum[k] = r->count[k] ? r->sum[k] / (double)r->count[k] : NAN;
    return 0;
}

static int measure(struct report *r)
{
    int64_t n = r->cloud->n;
    const struct column *label = labels_given(r->cloud);
    const struct column *truth = cloud_attribute(r->cloud, "truth");
    truth = column_is_single(truth) ? truth : NULL;
    TRY(labels_classes(&r->classes, r->cloud, label, truth, CLASSES_MAX));
    TRY(read_column(&r->label, r, label));
    if (truth)
        TRY(read_column(&r->truth, r, truth));
    if (cloud_attribute(r->cloud, "confidence")) {
        r->confidence = call_alloc(&r->call, (size_t)n + 1, sizeof *r->confidence);
        TRY(r->confidence ? cloud_attribute_as_f32(r->confidence, r->cloud, "confidence")
                          : GLT_ENOMEM);
    }
    TRY(count(r));
    if (!truth)
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
