/* Pages: see html.h. */
#include "draw/html.h"

#include "core/error.h"
#include "core/file_write.h"
#include "draw/image.h"
#include "draw/svg.h"

#include <math.h>
#include <string.h>

enum { PALETTE = 4096 };

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1200px;padding:0 1.2em;"
    "color:#20242c;background:#fff}"
    "h1{font-size:1.7em;margin:0 0 .2em;overflow-wrap:anywhere}"
    "h2{font-size:1.2em;margin:2em 0 .6em;padding-bottom:.2em;border-bottom:1px solid #d8dbe2}"
    "h3{font-size:1em;margin:1.4em 0 .4em}p{margin:.4em 0}"
    ".lead{color:#5a6270}svg,img{max-width:100%;height:auto}figure{margin:1em 0}"
    "figcaption{color:#5a6270;font-size:.9em}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4em 0}"
    "td,th{padding:.16em .7em;border-bottom:1px solid #e4e6eb;text-align:right}"
    "th{font-weight:600;background:#f5f6f8}td:first-child,th:first-child{text-align:left}"
    ".keys td{text-align:left;overflow-wrap:anywhere}"
    ".keys td:first-child{white-space:nowrap;color:#5a6270}.own td{font-weight:600}"
    ".chip{display:inline-block;width:.8em;height:.8em;margin-right:.5em;border:1px solid #0003}"
    ".bar{min-width:7em;background:linear-gradient(#cfe0f7,#cfe0f7) no-repeat 0/var(--w) 100%}"
    ".pair{display:flex;flex-wrap:wrap;gap:0 3em;align-items:flex-start}.pair>div{flex:1 1 "
    "24em}"
    ".big{font-size:1.15em}.big b{margin:0 1.2em 0 .3em}"
    "pre{background:#f5f6f8;padding:.8em;overflow:auto;font-size:.85em;line-height:1.4}"
    "summary{cursor:pointer;font-weight:600;margin:.6em 0}";

int html_text(struct file *f, const char *text)
{
    for (;;) {
        size_t plain = strcspn(text, "<>&\"");
        if (plain)
            TRY(file_write(f, text, plain));
        text += plain;
        if (!*text)
            return 0;
        TRY(file_print(f, "%s",
                       *text == '<'   ? "&lt;"
                       : *text == '>' ? "&gt;"
                       : *text == '&' ? "&amp;"
                                      : "&quot;"));
        text++;
    }
}

int html_element(struct file *f, const char *tag, const char *text)
{
    TRY(file_print(f, "<%s>", tag));
    TRY(html_text(f, text));
    return file_print(f, "</%s>\n", tag);
}

int html_begin(struct file *f, const char *title)
{
    TRY(file_print(f, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width\">\n"));
    TRY(html_element(f, "title", title));
    TRY(file_print(f, "<style>%s</style>\n", style));
    return html_element(f, "h1", title);
}

int html_end(struct file *f)
{
    return file_print(f, "</html>\n");
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

int html_picture(struct file *f, const char *png, size_t n, const char *caption)
{
    TRY(file_print(f, "<figure><img alt=\"\" src=\"data:image/png;base64,"));
    TRY(print_base64(f, (const unsigned char *)png, n));
    TRY(file_print(f, "\">"));
    TRY(html_element(f, "figcaption", caption));
    return file_print(f, "</figure>\n");
}

/* --- scores --- */

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
    struct colour palette[PALETTE] = {{0}};
    palette_classes(palette, x->classes->n < PALETTE ? x->classes->n : PALETTE);
    struct colour c = palette[k % PALETTE];
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
        TRY(file_print(f, "<p class=\"lead\">no point has a truth to compare with</p>\n"));
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
