/* A report on a predicted cloud as one HTML file that needs no other: the picture as a data URL,
 * tables, and with a truth the scores of metrics.h and the confusion matrix. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "data/metrics.h"
#include "io/cloud.h"
#include "task/render.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 64, CLASSES_MOST = 1024, PNG_MOST = 64 << 20 };

struct report {
    const struct glt_cloud *cloud;
    struct file *file;
    int32_t classes;
    int32_t *label, *truth; /* (n); truth NULL without */
    float *confidence;      /* (n); NULL without */
    int64_t *count;         /* (classes) */
    double *sum;            /* (classes) of confidence */
    struct confusion confusion;
    struct scores scores;
};

static int print_text(struct file *f, const char *text)
{
    for (; *text; text++) {
        const char *mark = *text == '<'   ? "&lt;"
                           : *text == '>' ? "&gt;"
                           : *text == '&' ? "&amp;"
                                          : 0;
        if (mark)
            TRY(file_print(f, "%s", mark));
        else
            TRY(file_write(f, text, 1));
    }
    return 0;
}

static int print_class(struct report *r, int32_t i)
{
    char name[NAME];
    if (!cloud_class_name(name, sizeof name, r->cloud, i))
        snprintf(name, sizeof name, "class %d", i);
    return print_text(r->file, name);
}

/* RFC 4648 */
static int print_base64(struct file *f, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)bytes[i] << 16;
        v |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
        v |= i + 2 < n ? bytes[i + 2] : 0;
        char four[4] = {digits[v >> 18], digits[v >> 12 & 63],
                        i + 1 < n ? digits[v >> 6 & 63] : '=', i + 2 < n ? digits[v & 63] : '='};
        TRY(file_write(f, four, sizeof four));
    }
    return 0;
}

/* The panels that the attributes allow, through a file beside the report. */
static int print_picture(struct report *r, const char *path)
{
    char beside[PATH_MAX], *bytes = NULL, panels[64] = "";
    struct image im = {0};
    size_t n = 0;
    struct render_options o = render_options_default();
    if (cloud_attribute(r->cloud, "red"))
        strcat(panels, "rgb,");
    if (r->truth)
        strcat(panels, "truth,");
    strcat(panels, r->truth ? "label,error" : r->confidence ? "label,confidence" : "label");
    o.colours = panels;
    o.width = 640;
    o.height = 520;
    if ((size_t)snprintf(beside, sizeof beside, "%s.png", path) >= sizeof beside)
        return error_set(GLT_EARGUMENT, "%.40s...: the path is too long", path);
    if (file_exists(beside))
        return error_set(GLT_EEXISTS, "%s is in the way of a passing file", beside);
    TRY(render_cloud(&im, r->cloud, NULL, &o));
    int code = image_write(&im, beside);
    image_free(&im);
    TRY(code);
    code = file_read_all(&bytes, &n, beside, PNG_MOST);
    int removed = file_remove(beside);
    if (code == 0)
        code = removed;
    if (code == 0)
        code = file_print(r->file, "<img alt=\"%s\" src=\"data:image/png;base64,", panels);
    if (code == 0)
        code = print_base64(r->file, (const unsigned char *)bytes, n);
    memory_free(bytes);
    return code < 0 ? code : file_print(r->file, "\">\n");
}

static int print_share(struct file *f, double value)
{
    return isnan(value) ? file_print(f, "<td>-</td>") : file_print(f, "<td>%.1f</td>", 100 * value);
}

static int print_table(struct report *r)
{
    TRY(file_print(r->file,
                   "<h2>Classes</h2>\n<table><tr><th>class</th><th>points</th><th>%%</th>"
                   "<th>mean confidence</th>%s</tr>\n",
                   r->truth ? "<th>IoU %</th><th>accuracy %</th>" : ""));
    for (int32_t k = 0; k < r->classes; k++) {
        double n = (double)r->count[k], all = (double)r->cloud->n;
        TRY(file_print(r->file, "<tr><td>"));
        TRY(print_class(r, k));
        TRY(file_print(r->file, "</td><td>%lld</td><td>%.1f</td>", (long long)r->count[k],
                       all > 0 ? 100 * n / all : 0));
        TRY(n > 0 && r->confidence ? file_print(r->file, "<td>%.3f</td>", r->sum[k] / n)
                                   : file_print(r->file, "<td>-</td>"));
        if (r->truth) {
            TRY(print_share(r->file, r->scores.iou[k]));
            TRY(print_share(r->file, r->scores.accuracy[k]));
        }
        TRY(file_print(r->file, "</tr>\n"));
    }
    return file_print(r->file, "</table>\n");
}

/* Rows are the truth; shades are shares of the row. */
static int print_confusion(struct report *r)
{
    TRY(file_print(r->file,
                   "<p>mIoU %.1f %%, mean accuracy %.1f %%, overall accuracy %.1f %% over "
                   "%lld labelled points</p>\n<h2>Confusion</h2>\n<p>rows: truth, columns: "
                   "prediction, %% of the row</p><table><tr><th></th>",
                   100 * r->scores.miou, 100 * r->scores.macc, 100 * r->scores.oa,
                   (long long)r->scores.points));
    for (int32_t k = 0; k < r->classes; k++) {
        TRY(file_print(r->file, "<th>"));
        TRY(print_class(r, k));
        TRY(file_print(r->file, "</th>"));
    }
    for (int32_t t = 0; t < r->classes; t++) {
        const int64_t *row = r->confusion.count + (int64_t)t * r->classes;
        double sum = 0;
        for (int32_t k = 0; k < r->classes; k++)
            sum += (double)row[k];
        TRY(file_print(r->file, "</tr>\n<tr><th>"));
        TRY(print_class(r, t));
        TRY(file_print(r->file, "</th>"));
        for (int32_t k = 0; k < r->classes; k++) {
            double share = sum > 0 ? (double)row[k] / sum : 0;
            TRY(file_print(r->file, "<td style=\"background:rgba(%s,%.2f)\">%.0f</td>",
                           t == k ? "40,140,60" : "200,40,40", share * 0.8, 100 * share));
        }
    }
    return file_print(r->file, "</tr></table>\n");
}

static int print_all(struct report *r, const char *path, const char *title)
{
    static const char head[] =
        "<meta charset=\"utf-8\"><style>body{font:15px/1.5 sans-serif;margin:2em auto;max-width:"
        "1400px;padding:0 1em;color:#222}img{max-width:100%}table{border-collapse:collapse}td,th{"
        "padding:.15em .6em;border:1px solid #ccc;text-align:right}th{background:#f4f4f6}"
        "td:first-child{text-align:left}</style>\n";
    TRY(file_print(r->file, "<!doctype html><html lang=\"en\"><title>"));
    TRY(print_text(r->file, title));
    TRY(file_print(r->file, "</title>%s<h1>", head));
    TRY(print_text(r->file, title));
    TRY(file_print(r->file, "</h1>\n<p>%lld points</p>\n", (long long)r->cloud->n));
    TRY(print_picture(r, path));
    TRY(print_table(r));
    if (r->truth)
        TRY(print_confusion(r));
    return file_print(r->file, "</html>\n");
}

/* Labels that are no class count as ignored. */
static int read_column(int32_t **out, const struct report *r, const char *name)
{
    *out = memory_alloc((size_t)r->cloud->n + 1, sizeof **out);
    return *out ? cloud_attribute_as_i32(*out, r->cloud, name) : GLT_ENOMEM;
}

static int measure(struct report *r)
{
    char name[NAME];
    int64_t n = r->cloud->n;
    TRY(read_column(&r->label, r, "label"));
    if (cloud_attribute(r->cloud, "truth"))
        TRY(read_column(&r->truth, r, "truth"));
    if (cloud_attribute(r->cloud, "confidence")) {
        r->confidence = memory_alloc((size_t)n + 1, sizeof *r->confidence);
        TRY(r->confidence ? cloud_attribute_as_f32(r->confidence, r->cloud, "confidence")
                          : GLT_ENOMEM);
    }
    while (r->classes < CLASSES_MOST && cloud_class_name(name, sizeof name, r->cloud, r->classes))
        r->classes++;
    for (int64_t i = 0; i < n; i++)
        if (r->label[i] >= r->classes && r->label[i] < 255)
            r->classes = r->label[i] + 1;
    r->count = memory_alloc((size_t)r->classes + 1, sizeof *r->count);
    r->sum = memory_alloc((size_t)r->classes + 1, sizeof *r->sum);
    if (!r->count || !r->sum)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        bool good = r->label[i] >= 0 && r->label[i] < r->classes;
        if (good) {
            r->count[r->label[i]]++;
            r->sum[r->label[i]] += r->confidence ? (double)r->confidence[i] : 0;
        }
        if (r->truth && (!good || r->truth[i] >= r->classes || r->truth[i] < 0))
            r->truth[i] = -1;
        r->label[i] = good ? r->label[i] : 0;
    }
    if (!r->truth)
        return 0;
    TRY(confusion_create(&r->confusion, r->classes));
    TRY(scores_create(&r->scores, r->classes));
    TRY(confusion_add(&r->confusion, r->truth, r->label, n));
    scores_of(&r->scores, &r->confusion);
    return 0;
}

int glt_cloud_report(const struct glt_cloud *c, const char *path, const char *title)
{
    struct report r = {.cloud = c};
    if (!cloud_attribute(c, "label"))
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
    file_close(r.file);
    memory_free(r.label);
    memory_free(r.truth);
    memory_free(r.confidence);
    memory_free(r.count);
    memory_free(r.sum);
    confusion_free(&r.confusion);
    scores_free(&r.scores);
    return code;
}
