/* The scores of classes: see html_scores.h. */
#include "draw/html_scores.h"

#include "core/error.h"
#include "core/file_write.h"
#include "draw/html.h"
#include "draw/image.h"
#include "draw/palette.h"
#include "draw/svg.h"
#include "sampling/scores.h"

#include <math.h>

static int print_share(struct file *f, double value, bool bar)
{
    if (isnan(value))
        return file_print(f, "<td>-</td>");
    if (bar)
        return file_print(f, "<td class=\"bar\" style=\"--w:%.1f%%\">%.1f</td>", 100 * value,
                          100 * value);
    return file_print(f, "<td>%.1f</td>", 100 * value);
}

struct row {
    int64_t truth, predicted, all;
};

static struct row count_row(const struct html_classes *x, int32_t k)
{
    struct row r = {0};
    const struct confusion *c = x->confusion;
    for (int32_t i = 0; i < x->classes->n; i++) {
        r.truth += c ? c->count[(int64_t)k * x->classes->n + i] : 0;
        r.predicted += c ? c->count[(int64_t)i * x->classes->n + k] : 0;
        r.all += x->predicted ? x->predicted[i] : 0;
    }
    if (x->predicted)
        r.predicted = x->predicted[k];
    return r;
}

static int print_row(struct file *f, const struct html_classes *x, const struct scores *s,
                     int32_t k)
{
    struct colour c = palette_class(x->classes, k);
    struct row r = count_row(x, k);
    if (x->predicted && r.predicted + r.truth == 0) /* a cloud without it */
        return 0;
    TRY(file_print(f, "<tr><td><span class=\"chip\" style=\"background:#%02x%02x%02x\"></span>",
                   c.r, c.g, c.b));
    TRY(html_text(f, x->classes->names[k]));
    TRY(file_print(f, "</td><td>%lld</td>", (long long)r.predicted));
    if (x->predicted)
        TRY(print_share(f, r.all ? (double)r.predicted / (double)r.all : 0, false));
    if (x->confidence)
        TRY(isnan(x->confidence[k]) ? file_print(f, "<td>-</td>")
                                    : file_print(f, "<td>%.3f</td>", x->confidence[k]));
    if (x->confusion) {
        TRY(file_print(f, "<td>%lld</td>", (long long)r.truth));
        TRY(print_share(f, s->accuracy[k], false));
        TRY(print_share(f, s->iou[k], true));
    }
    return file_print(f, "</tr>\n");
}

static int print_scores(struct file *f, const struct html_classes *x, const struct scores *s)
{
    if (x->confusion && s->points == 0)
        TRY(file_print(f, "<p class=\"lead\">no point has ground truth to compare with</p>\n"));
    else if (x->confusion)
        TRY(file_print(f,
                       "<p class=\"big\">mIoU <b>%.1f %%</b> mean accuracy <b>%.1f %%</b> overall "
                       "accuracy <b>%.1f %%</b></p><p class=\"lead\">over %lld labelled "
                       "%s</p>\n",
                       100 * s->miou, 100 * s->macc, 100 * s->oa, (long long)s->points,
                       x->shapes ? "shapes" : "points"));
    TRY(file_print(f, "<div class=\"pair\"><table><tr><th>class</th><th>%s</th>%s%s%s</tr>\n",
                   x->confidence || x->confusion ? "predicted" : "points",
                   x->predicted ? "<th>%</th>" : "",
                   x->confidence ? "<th>mean confidence</th>" : "",
                   x->confusion ? "<th>truth</th><th>accuracy %</th><th>IoU %</th>" : ""));
    for (int32_t k = 0; k < x->classes->n; k++)
        TRY(print_row(f, x, s, k));
    TRY(file_print(f, "</table>\n"));
    if (x->confusion) {
        TRY(file_print(f, "<div><h3>Confusion matrix</h3>\n"));
        TRY(svg_matrix(f, x->confusion, x->classes->names));
        TRY(file_print(f, "</div>"));
    }
    return file_print(f, "</div>\n");
}

int html_scores(struct file *f, const struct html_classes *x)
{
    struct scores s = {0};
    if (x->confusion) {
        TRY(scores_create(&s, x->classes->n));
        scores_of(&s, x->confusion);
    }
    int code = print_scores(f, x, &s);
    scores_free(&s);
    return code;
}
