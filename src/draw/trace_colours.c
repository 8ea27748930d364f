/* Colours of a trace's points: see trace_colours.h. */
#include "draw/trace_colours.h"

#include "cloud/classes.h"
#include "core/error.h"
#include "core/memory.h"
#include "draw/components.h"
#include "draw/palette.h"

enum { CLASSES_MAX = 256 }; /* of a legend */

void trace_colours_sampled(struct colour *dst, const struct trace_file *t, int level,
                           int64_t sampled)
{
    for (int64_t i = 0; i < t->n[level - 1]; i++)
        dst[i] = i < sampled ? colour(40, 40, 40) : colour(205, 205, 210);
}

/* NaN is 0. */
static int byte(double x)
{
    return x > 0 ? x < 255 ? (int)x : 255 : 0;
}

void trace_colours_input(struct colour *dst, const struct trace_file *t)
{
    for (int64_t i = 0; i < t->n[0]; i++) {
        const float *c = t->colours ? t->colours + 3 * i : NULL;
        dst[i] = c ? colour(byte(255.0 * c[0]), byte(255.0 * c[1]), byte(255.0 * c[2]))
                   : colour(120, 130, 150);
    }
}

void trace_colours_position(struct colour *dst, const struct trace_file *t, int64_t n)
{
    float low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = t->xyz[k];
        for (int64_t i = 1; i < t->n[0]; i++) {
            float x = t->xyz[3 * i + k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        int rgb[3];
        for (int k = 0; k < 3; k++)
            rgb[k] = high[k] > low[k]
                         ? byte(235.0 * (t->xyz[3 * i + k] - low[k]) / (high[k] - low[k]) + 10)
                         : 128;
        dst[i] = colour(rgb[0], rgb[1], rgb[2]);
    }
}

void trace_colours_labels(struct colour *dst, const struct trace_file *t, const int32_t *labels,
                          int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dst[i] = palette_class(&t->classes, labels[i]);
}

int trace_colours_features(struct colour *dst, int64_t *rows, const struct trace_file *t,
                           const char *tensor)
{
    float *x = NULL;
    int64_t cols;
    TRY(trace_features(&x, rows, &cols, t, tensor));
    int code = *rows > 0 ? components_colours(dst, x, *rows, cols) : 0;
    memory_free(x);
    return code;
}

int trace_colours_legend(struct image *im, const struct trace_file *t, int x, int y, int width)
{
    struct colour colours[CLASSES_MAX];
    int end = t->first + t->count < t->classes.n ? t->first + t->count : t->classes.n;
    int n = end - t->first < CLASSES_MAX ? end - t->first : CLASSES_MAX;
    if (n < 1) /* a trace without classes */
        return 0;
    for (int i = 0; i < n; i++)
        colours[i] = palette_class(&t->classes, t->first + i);
    struct legend legend = {(const char *const *)t->classes.names + t->first, colours, n, 2};
    return image_legend(im, x, y, width, &legend, colour(30, 30, 30));
}
