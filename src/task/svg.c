/* SVG of confusion matrices and curves: see svg.h. Plain rectangles and text, readable without a
 * style sheet and by any browser. */
#include "task/svg.h"

#include "core/error.h"
#include "core/file.h"

#include <math.h>
#include <string.h>

enum { CELL = 34, LEFT = 130, TOP = 130, EDGE = 20 };

/* Names of classes come from files: markup in them is text. */
static int put_text(struct file *f, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '&' ? "&amp;"
                                            : NULL;
        TRY(entity ? file_write(f, entity, strlen(entity)) : file_write(f, text, 1));
    }
    return 0;
}

static int put_name(struct file *f, int32_t i, const char *name, bool column)
{
    int at = i * CELL + CELL / 2;
    TRY(column ? file_print(f, "<text x=\"%d\" y=\"%d\" transform=\"rotate(-60 %d %d)\">",
                            LEFT + at, TOP - 8, LEFT + at, TOP - 8)
               : file_print(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 8,
                            TOP + at + 4));
    TRY(put_text(f, name));
    return file_print(f, "</text>\n");
}

static int put_row(struct file *f, const struct confusion *c, int32_t row)
{
    const int64_t *count = c->count + (int64_t)row * c->classes;
    int64_t all = 0;
    for (int32_t k = 0; k < c->classes; k++)
        all += count[k];
    for (int32_t k = 0; k < c->classes; k++) {
        double share = all ? (double)count[k] / (double)all : 0;
        int x = LEFT + k * CELL, y = TOP + row * CELL;
        int shade = (int)(255 - 200 * share + 0.5);
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

static int put_matrix(struct file *f, const struct confusion *c, char *const *names)
{
    int width = LEFT + c->classes * CELL + EDGE + 60, height = TOP + c->classes * CELL + EDGE;
    TRY(file_print(f,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                   "font-family=\"sans-serif\" font-size=\"12\">\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                   "<text x=\"8\" y=\"18\">truth: rows, predicted: columns, percent of the "
                   "row</text>\n",
                   width, height));
    for (int32_t i = 0; i < c->classes; i++) {
        TRY(put_name(f, i, names[i], true));
        TRY(put_name(f, i, names[i], false));
        TRY(put_row(f, c, i));
    }
    return file_print(f, "</svg>\n");
}

static int finish(struct file *f, int code)
{
    if (code == 0)
        code = file_commit(f);
    if (code < 0)
        file_close(f);
    return code;
}

int svg_matrix(const char *path, const struct confusion *c, char *const *names)
{
    struct file *f;
    TRY(file_create(&f, path));
    return finish(f, put_matrix(f, c, names));
}

enum { WIDTH = 640, HEIGHT = 320, MARGIN = 40 };

static double largest(const double *y, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = isfinite(y[i]) && y[i] > most ? y[i] : most;
    return most;
}

static int put_curve(struct file *f, const double *x, int n, const struct svg_curve *c, int which)
{
    static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd"};
    const char *colour = colours[which % 4];
    double most = largest(c->y, n), end = largest(x, n);
    TRY(file_print(f, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
                   colour));
    for (int i = 0; i < n; i++)
        if (isfinite(c->y[i]) && most > 0 && end > 0)
            TRY(file_print(f, "%.1f,%.1f ", MARGIN + (WIDTH - 2 * MARGIN) * x[i] / end,
                           HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * c->y[i] / most));
    TRY(file_print(f, "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">", MARGIN + which * 200, 20,
                   colour));
    TRY(put_text(f, c->name));
    return file_print(f, " (top: %.4g)</text>\n", most);
}

static int put_curves(struct file *f, const double *x, int n, const struct svg_curve *curves,
                      int count)
{
    TRY(file_print(f,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                   "font-family=\"sans-serif\" font-size=\"12\">\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                   "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#888\"/>\n"
                   "<text x=\"%d\" y=\"%d\">0 to %.0f steps</text>\n",
                   WIDTH, HEIGHT, MARGIN, MARGIN, HEIGHT - MARGIN, WIDTH - MARGIN, MARGIN,
                   HEIGHT - 14, largest(x, n)));
    for (int i = 0; i < count; i++)
        TRY(put_curve(f, x, n, &curves[i], i));
    return file_print(f, "</svg>\n");
}

int svg_curves(const char *path, const double *x, int n, const struct svg_curve *curves, int count)
{
    struct file *f;
    TRY(file_create(&f, path));
    return finish(f, put_curves(f, x, n, curves, count));
}
