/* Scales of colours and maps: see scale_bar.h. */
#include "draw/scale_bar.h"

#include "core/print.h"
#include "draw/palette.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 32, NAME = 96 };

void scale_bar_number(char dst[TEXT], double value, double range)
{
    int decimals = 2;
    for (; range >= 10 && decimals > 0; range /= 10)
        decimals--;
    for (; range > 0 && range < 1 && decimals < 9; range *= 10)
        decimals++;
    bool plain = value > -1e9 && value < 1e9;
    print_to(dst, TEXT, plain ? "%.*f" : "%.*g", plain ? decimals : 6, value);
    if (dst[0] == '-' && dst[strspn(dst, "-0.")] == 0) /* -0.00 */
        memmove(dst, dst + 1, strlen(dst));
}

int scale_bar_colours(struct image *im, int x, int y, int width, const struct scale_bar *s,
                      int text_scale, struct colour ink)
{
    int gap = 4 * text_scale, height = 8 * text_scale, end = x + width;
    char low[TEXT], high[TEXT], name[NAME];
    scale_bar_number(low, s->low, s->high - s->low);
    scale_bar_number(high, s->high, s->high - s->low);
    snprintf(name, sizeof name, *s->unit ? "%.60s (%.20s)" : "%.60s", s->name, s->unit);
    int least = 24 * text_scale + image_text_width(low, text_scale) +
                image_text_width(high, text_scale) + 2 * gap;
    if (least > width)
        return 11 * text_scale;
    if (image_text_width(name, text_scale) + gap + least <= width)
        x += image_text(im, x, y, name, text_scale, ink) + gap;
    x += image_text(im, x, y, low, text_scale, ink) + gap;
    int bar = end - x - gap - image_text_width(high, text_scale);
    bar = bar < 120 * text_scale ? bar : 120 * text_scale;
    for (int i = 0; i < bar; i++)
        image_rect(im, x + i, y, 1, height, palette_scale(bar > 1 ? (double)i / (bar - 1) : 0));
    image_frame(im, x, y, bar, height, ink);
    image_text(im, x + bar + gap, y, high, text_scale, ink);
    return 11 * text_scale;
}

/* The largest of 1, 2, 5, 10, ... that is at most x. */
static double round_length(double x)
{
    double power = 1;
    while (power * 10 <= x && power < 1e30)
        power *= 10;
    while (power > x && power > 1e-30)
        power /= 10;
    return power * 5 <= x ? power * 5 : power * 2 <= x ? power * 2 : power;
}

void scale_bar_map(struct image *im, const int rect[4], double pixels, const char *unit,
                   int text_scale, struct colour ink)
{
    int margin = 5 * text_scale, tick = 3 * text_scale, thick = text_scale;
    if (!(pixels > 0) || rect[2] < 60 * text_scale || rect[3] < 40 * text_scale)
        return;
    double length = round_length((rect[2] / 4.0) / pixels);
    int x = rect[0] + margin, y = rect[1] + rect[3] - margin, w = (int)(length * pixels + 0.5);
    char text[NAME];
    print_to(text, sizeof text, *unit ? "%g %.20s" : "%g", length, unit);
    image_rect(im, x, y - thick, w, thick, ink);
    image_rect(im, x, y - tick, thick, tick, ink);
    image_rect(im, x + w - thick, y - tick, thick, tick, ink);
    image_text(im, x + 2 * text_scale, y - tick - IMAGE_LINE * text_scale, text, text_scale, ink);
    int top = rect[1] + margin, middle = rect[0] + rect[2] - margin - 4 * text_scale;
    for (int k = 0; k < 6 * text_scale; k++) /* the head of the arrow */
        image_rect(im, middle - k / 2, top + k, k / 2 * 2 + 1, 1, ink);
    image_text(im, middle - 3 * text_scale + 1, top + 8 * text_scale, "N", text_scale, ink);
}
