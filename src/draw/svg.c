/* SVG of confusion matrices and curves: see svg.h. No style sheet is needed to read them. */
#include "draw/svg.h"

#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/print.h"
#include "draw/html.h"
#include "draw/image.h"

#include <math.h>
#include <stdbool.h>

enum { CELL = 34, EDGE = 20, NAME_MIN = 130, NAME_MAX_WIDTH = 600 };

/* Left of the cells and above them, where the names of rows and columns stand. */
static int margin(const struct confusion *c, char *const *names, const int32_t *at)
{
    int widest = NAME_MIN;
    for (int32_t i = 0; i < c->classes; i++) {
        int width = at[i] < 0 ? 0 : 16 + image_text_width(names[i], 1) * 7 / 6; /* 7 a letter */
        widest = width > widest ? width : widest;
    }
    return widest < NAME_MAX_WIDTH ? widest : NAME_MAX_WIDTH;
}

static int put_name(struct file *f, int edge, int32_t i, const char *name, bool column)
{
    int at = edge + i * CELL + CELL / 2;
    TRY(column ? file_print(f, "<text x=\"%d\" y=\"%d\" transform=\"rotate(-60 %d %d)\">", at,
                            edge - 8, at, edge - 8)
               : file_print(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", edge - 8, at + 4));
    TRY(html_text(f, name));
    return file_print(f, "</text>\n");
}

/* at: the places of the classes, -1 of those left out. */
static int put_row(struct file *f, int edge, const struct confusion *c, int32_t row,
                   const int32_t *at)
{
    const int64_t *count = c->count + (int64_t)row * c->classes;
    int64_t all = 0;
    for (int32_t k = 0; k < c->classes; k++)
        all += count[k];
    for (int32_t k = 0; k < c->classes; k++) {
        double share = all ? (double)count[k] / (double)all : 0;
        int x = edge + at[k] * CELL, y = edge + at[row] * CELL;
        int shade = (int)(255 - 200 * share + 0.5);
        if (count[k] == 0) /* white, as what is behind it */
            continue;
        TRY(file_print(f,
                       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"rgb(%d,%d,255)\" "
                       "stroke=\"#ddd\"/>\n",
                       x, y, CELL, CELL, shade, shade));
        if (share >= 0.005)
            TRY(file_print(
                f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\">%.0f</text>\n",
                x + CELL / 2, y + CELL / 2 + 4, share > 0.6 ? "white" : "black", 100 * share));
    }
    return 0;
}

/* Width and height, and the same as a box, so that a page may scale it. */
static int begin(struct file *f, int width, int height)
{
    return file_print(f,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                      "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                      width, height, width, height);
}

/* The lines between all cells, as one path: of many classes most cells are empty. */
static int put_lines(struct file *f, int edge, int32_t n)
{
    TRY(file_print(f, "<path fill=\"none\" stroke=\"#ddd\" d=\""));
    for (int32_t i = 0; i <= n; i++)
        TRY(file_print(f, "M%d %dh%dM%d %dv%d", edge, edge + i * CELL, n * CELL, edge + i * CELL,
                       edge, n * CELL));
    return file_print(f, "\"/>\n");
}

/* Of the parts of all categories a single shape has a handful: classes that are neither in the
 * truth nor predicted take no place. Returns how many have one. */
static int32_t place_classes(int32_t *at, const struct confusion *c)
{
    int32_t n = 0;
    for (int32_t i = 0; i < c->classes; i++) {
        bool occurs = false;
        for (int32_t k = 0; k < c->classes && !occurs; k++)
            occurs = c->count[(int64_t)i * c->classes + k] || c->count[(int64_t)k * c->classes + i];
        at[i] = occurs ? n++ : -1;
    }
    return n;
}

static int put_matrix(struct file *f, const struct confusion *c, char *const *names,
                      const int32_t *at, int32_t n)
{
    int edge = margin(c, names, at), right = n < 5 ? 180 : 60; /* names of columns lean over it */
    right = right > edge / 2 ? right : edge / 2;
    TRY(begin(f, edge + n * CELL + EDGE + right, edge + n * CELL + EDGE));
    TRY(file_print(f, "<text x=\"8\" y=\"18\">truth: rows, predicted: columns, percent of the "
                      "row</text>\n"));
    if (n < c->classes)
        TRY(file_print(f,
                       "<text x=\"8\" y=\"34\">%d of %d classes do not occur and are left "
                       "out</text>\n",
                       c->classes - n, c->classes));
    TRY(put_lines(f, edge, n));
    for (int32_t i = 0; i < c->classes; i++) {
        if (at[i] < 0)
            continue;
        TRY(put_name(f, edge, at[i], names[i], true));
        TRY(put_name(f, edge, at[i], names[i], false));
        TRY(put_row(f, edge, c, i, at));
    }
    return file_print(f, "</svg>\n");
}

int svg_matrix(struct file *f, const struct confusion *c, char *const *names)
{
    int32_t *at = memory_alloc((size_t)c->classes, sizeof *at);
    int code = at ? put_matrix(f, c, names, at, place_classes(at, c)) : GLT_ENOMEM;
    memory_free(at);
    return code;
}

int svg_matrix_file(const char *path, const struct confusion *c, char *const *names)
{
    struct file *f;
    TRY(file_create(&f, path));
    int code = svg_matrix(f, c, names);
    return file_finish(f, code);
}

/* --- charts --- */

enum {
    WIDTH = 380,
    HEIGHT = 260,
    INNER_LEFT = 52,
    INNER_TOP = 46,
    INNER_EDGE = 14,
    BELOW = 34,
    PER_ROW = 4
};

/* The round number nearest below: 1, 2 or 5 times a power of ten, so that four to ten fit. */
static double round_step(double max)
{
    double step = 1;
    while (step * 10 <= max)
        step *= 10;
    while (step > max)
        step /= 10;
    /* max / step is now in [1, 10) */
    return max / step >= 5 ? step : max / step >= 2 ? step / 2 : step / 5;
}

static double largest(const struct svg_chart *c, bool over)
{
    double max = 0;
    for (int k = 0; k < c->count; k++)
        for (int i = 0; i < c->curves[k].n; i++) {
            double v = over ? c->curves[k].x[i] : c->curves[k].y[i];
            max = isfinite(v) && isfinite(c->curves[k].y[i]) && v > max ? v : max;
        }
    return max >= 1e-300 ? max : 1; /* below, a step of it would be 0 */
}

struct axes {
    int left; /* of the whole chart */
    double right, top;
};

static double at_x(const struct axes *a, double x)
{
    return a->left + INNER_LEFT + (WIDTH - INNER_LEFT - INNER_EDGE) * (x / a->right);
}

static double at_y(const struct axes *a, double y)
{
    return HEIGHT - BELOW - (HEIGHT - BELOW - INNER_TOP) * (y / a->top);
}

/* 40k, where %g would print 4e+04. */
static void number_text(char dst[32], double x)
{
    double unit = x >= 1e6 ? 1e6 : x >= 1e4 ? 1e3 : 1;
    print_to(dst, 32, "%.4g%s", x / unit, unit == 1e6 ? "M" : unit == 1e3 ? "k" : "");
}

static int put_axes(struct file *f, const struct axes *a, const char *over)
{
    double step = round_step(a->top);
    char text[32];
    for (int i = 0; i <= 10 && i * step <= a->top * 1.0001; i++) {
        double y = at_y(a, i * step);
        number_text(text, i * step);
        TRY(file_print(f,
                       "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#e4e6eb\"/>"
                       "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" fill=\"#5a6270\">%s"
                       "</text>\n",
                       at_x(a, 0), y, at_x(a, a->right), at_x(a, 0) - 6, y + 4, text));
    }
    step = round_step(a->right) * 2;
    for (int i = 0; i <= 10 && i * step <= a->right * 1.0001; i++) {
        number_text(text, i * step);
        TRY(file_print(f,
                       "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#5a6270\">%s"
                       "</text>\n",
                       at_x(a, i * step), HEIGHT - BELOW + 16, text));
    }
    return file_print(f,
                      "<path d=\"M%.1f %d V%d H%.1f\" fill=\"none\" stroke=\"#8a909c\"/>\n"
                      "<text x=\"%.1f\" y=\"%d\" text-anchor=\"end\" fill=\"#5a6270\">%s"
                      "</text>\n",
                      at_x(a, 0), INNER_TOP, HEIGHT - BELOW, at_x(a, a->right), at_x(a, a->right),
                      HEIGHT - 4, over);
}

static const char *const colours[SVG_CURVES] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                                "#ff7f0e", "#17becf", "#8c564b", "#e377c2",
                                                "#7f7f7f", "#bcbd22"};

/* Names of curves: above them while they fit in a line, else inside at the lower right, where
 * curves that rise leave room. */
static int put_key(struct file *f, const struct axes *a, const char *name, int which, int count)
{
    bool inside = count > 3;
    int apart = (WIDTH - INNER_LEFT - INNER_EDGE) / (count > 2 ? 3 : 2);
    int x = a->left + (inside ? WIDTH - INNER_EDGE - 140 : INNER_LEFT + which * apart);
    int y = inside ? HEIGHT - BELOW - 10 - 15 * (count - 1 - which) : 38;
    TRY(file_print(f,
                   "<path d=\"M%d %dh14\" stroke=\"%s\" stroke-width=\"3\"/><text x=\"%d\" "
                   "y=\"%d\">",
                   x, y - 4, colours[which], x + 18, y));
    TRY(html_text(f, name));
    return file_print(f, "</text>\n");
}

static int put_curve(struct file *f, const struct axes *a, const struct svg_curve *c, int which)
{
    int points = 0;
    TRY(file_print(f,
                   "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" "
                   "stroke-linejoin=\"round\" points=\"",
                   colours[which]));
    double last[2] = {0, 0};
    for (int i = 0; i < c->n; i++) {
        if (!isfinite(c->x[i]) || !isfinite(c->y[i]))
            continue;
        last[0] = at_x(a, c->x[i]);
        last[1] = at_y(a, c->y[i] < a->top ? c->y[i] : a->top);
        points++;
        TRY(file_print(f, "%.1f,%.1f ", last[0], last[1]));
    }
    TRY(file_print(f, "\"/>\n"));
    if (points == 0)
        return 0;
    return file_print(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", last[0],
                      last[1], colours[which]);
}

int svg_charts(struct file *f, const struct svg_chart *charts, int count)
{
    int rows = (count + PER_ROW - 1) / PER_ROW;
    TRY(begin(f, (count < PER_ROW ? count : PER_ROW) * WIDTH, rows * HEIGHT));
    for (int i = 0; i < count; i++) {
        const struct svg_chart *c = &charts[i];
        struct axes a = {.left = i % PER_ROW * WIDTH, .right = largest(c, true)};
        if (i > 0 && i % PER_ROW == 0)
            TRY(file_print(f, "%s<g transform=\"translate(0 %d)\">\n", i > PER_ROW ? "</g>\n" : "",
                           i / PER_ROW * HEIGHT));
        a.top = c->top > 0 ? c->top : largest(c, false);
        TRY(file_print(f, "<text x=\"%d\" y=\"18\" font-weight=\"bold\">", a.left + INNER_LEFT));
        TRY(html_text(f, c->title));
        TRY(file_print(f, "</text>\n"));
        TRY(put_axes(f, &a, c->over));
        for (int k = 0; k < c->count; k++) {
            TRY(put_curve(f, &a, &c->curves[k], k));
            TRY(put_key(f, &a, c->curves[k].name, k, c->count));
        }
    }
    return file_print(f, "%s</svg>\n", rows > 1 ? "</g>\n" : "");
}
