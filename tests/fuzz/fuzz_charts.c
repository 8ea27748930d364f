/* Charts and confusion matrices: whatever the numbers and names are, SVG whose coordinates are
 * numbers, of a length in proportion to the input.
 * covers: draw/svg.c draw/html.c draw/html_scores.c
 * but: svg_matrix_file html_begin html_end html_image
 * but: html_element html_base64 */
#include "core/error.h"
#include "core/memory.h"
#include "draw/html_scores.h"
#include "draw/svg.h"
#include "fuzz_bytes.h"

enum { POINTS = 16, CLASSES = 6 };

static void draw_charts(struct file *f, struct fuzz_bytes *b)
{
    static double x[2][SVG_CURVES][POINTS], y[2][SVG_CURVES][POINTS];
    char names[2][SVG_CURVES][64], titles[2][64];
    struct svg_chart charts[2] = {0};
    for (int i = 0; i < 2; i++) {
        fuzz_text(b, titles[i], sizeof titles[i]);
        charts[i] = (struct svg_chart){.title = titles[i], .over = "step"};
        charts[i].count = (int)fuzz_byte(b) % (SVG_CURVES + 1);
        charts[i].top = fuzz_byte(b) % 2;
        for (int k = 0; k < charts[i].count; k++) {
            int n = (int)fuzz_byte(b) % (POINTS + 1);
            fuzz_text(b, names[i][k], sizeof names[i][k]);
            for (int j = 0; j < n; j++) {
                x[i][k][j] = fuzz_double(b);
                y[i][k][j] = fuzz_double(b);
            }
            charts[i].curves[k] = (struct svg_curve){names[i][k], x[i][k], y[i][k], n};
        }
    }
    int64_t before = file_offset(f);
    PROPERTY(svg_charts(f, charts, 2) == 0);
    PROPERTY(file_offset(f) - before < 1 << 17);
}

/* Counts that confusion_check lets pass, as a file of them is read. */
static void draw_matrix(struct file *f, struct fuzz_bytes *b)
{
    struct classes classes = {0};
    struct confusion c = {0};
    int64_t predicted[CLASSES];
    double confidence[CLASSES];
    unsigned flags = fuzz_byte(b);
    int32_t n = 1 + (int32_t)(fuzz_byte(b) % CLASSES);
    PROPERTY(confusion_create(&c, n) == 0);
    for (int32_t i = 0; i < n; i++) {
        char name[64];
        fuzz_text(b, name, sizeof name);
        PROPERTY(classes_add(&classes, name) == 0);
        fuzz_take(b, &predicted[i], sizeof predicted[i]);
        predicted[i] &= INT64_MAX >> 10;
        confidence[i] = fuzz_double(b);
        fuzz_take(b, c.count + (int64_t)i * n, (size_t)n * sizeof *c.count);
    }
    struct html_classes x = {.classes = &classes,
                             .shapes = flags & 1,
                             .predicted = flags & 2 ? predicted : NULL,
                             .confidence = flags & 4 ? confidence : NULL,
                             .confusion = (flags & 10) == 10 ? NULL : &c};
    if (confusion_check(&c) == 0)
        PROPERTY(html_scores(f, &x) == 0);
    classes_free(&classes);
    confusion_free(&c);
}

int fuzz_one(const uint8_t *data, size_t size)
{
    struct fuzz_bytes b = {data, size};
    struct file *f = fuzz_output();
    unsigned what = fuzz_byte(&b);
    if (what % 2)
        draw_charts(f, &b);
    else
        draw_matrix(f, &b);
    file_close(f);
    return 0;
}
