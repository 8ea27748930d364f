/* An image in memory: pixels, lines, text, panels. Integer arithmetic only: the same bytes
 * everywhere. Everything clips at the border. */
#ifndef DRAW_IMAGE_H
#define DRAW_IMAGE_H

#include <stdint.h>

struct image {
    int width, height;
    uint8_t *rgb; /* (height, width, 3) */
};

struct colour {
    uint8_t r, g, b;
};

static inline struct colour colour(int r, int g, int b)
{
    return (struct colour){(uint8_t)r, (uint8_t)g, (uint8_t)b};
}

int image_new(struct image *out, int width, int height, struct colour background);
void image_free(struct image *im);                         /* accepts a zeroed one */
int image_write(const struct image *im, const char *path); /* PNG */

void image_pixel(struct image *im, int x, int y, struct colour c);
struct colour image_at(const struct image *im, int x, int y);                   /* black outside */
void image_rect(struct image *im, int x, int y, int w, int h, struct colour c); /* filled */
void image_frame(struct image *im, int x, int y, int w, int h, struct colour c);
void image_line(struct image *im, int x0, int y0, int x1, int y1, struct colour c);
void image_disc(struct image *im, int x, int y, int r, struct colour c);
void image_half_disc(struct image *im, int x, int y, int r, struct colour c); /* its right half */
void image_circle(struct image *im, int x, int y, int r, struct colour c);    /* its border */
void image_copy(struct image *dst, int x, int y, const struct image *src);
/* Half the size: every pixel is the mean of four. */
int image_halve(struct image *out, const struct image *im);

/* 5 x 8 pixels in a 6 x 9 cell, times scale, with smooth edges; characters beyond ASCII become '?'.
 * (x, y) is the top left; returns the width. */
int image_text(struct image *im, int x, int y, const char *text, int scale, struct colour c);
int image_text_width(const char *text, int scale);
void image_text_shorten(char *text, int width, int scale); /* from its end, until it fits */
enum { IMAGE_LINE = 9 }; /* pixels from line to line, times scale */

/* Swatches and names in rows of the given width; returns the height used. With im NULL it only
 * measures. */
struct legend {
    const char *const *names;
    const struct colour *colours;
    int n, scale;
};
int image_legend(struct image *im, int x, int y, int width, const struct legend *legend,
                 struct colour text);
/* A bar from one colour to another; names of both ends. */
struct scale {
    struct colour from, to;
    const char *low, *high;
};
/* The bar with a name at each end; returns the width used. With im NULL it only measures. */
int image_scale(struct image *im, int x, int y, const struct scale *s, int scale,
                struct colour text);

#endif
