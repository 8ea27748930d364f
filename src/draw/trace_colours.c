/* Colours of a trace's points: see trace_colours.h. */
#include "draw/trace_colours.h"

#include "cloud/classes.h"
#include "core/error.h"
#include "core/memory.h"
#include "draw/components.h"
#include "draw/palette.h"

enum { CLASSES_MAX = 256 };

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

static void class_colours(struct colour palette[CLASSES_MAX], const struct trace_file *t)
{
    int n = t->classes.n < CLASSES_MAX ? t->classes.n : CLASSES_MAX;
    palette_classes(palette, n);
    for (int i = 0; i < n; i++)
        palette[i] = palette_named(palette[i], t->classes.names[i]);
}

void trace_colours_labels(struct colour *dst, const struct trace_file *t, const int32_t *labels,
                          int64_t n)
{
    struct colour palette[CLASSES_MAX] = {{0}};
    class_colours(palette, t);
    for (int64_t i = 0; i < n; i++)
        dst[i] = labels[i] < 0 ? colour(150, 150, 150) : palette[labels[i] % CLASSES_MAX];
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
    struct colour palette[CLASSES_MAX] = {{0}};
    int end = t->first + t->count < CLASSES_MAX ? t->first + t->count : CLASSES_MAX;
    int first = t->first < end ? t->first : end;
    if (first == end) /* a trace without classes */
        return 0;
    class_colours(palette, t);
    struct legend legend = {(const char *const *)t->classes.names + first, palette + first,
                            end - first, 2};
    return image_legend(im, x, y, width, &legend, colour(30, 30, 30));
}
