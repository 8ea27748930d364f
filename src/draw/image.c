/* Drawing into an image: see image.h. */
#include "draw/image.h"

#include "core/error.h"
#include "core/memory.h"
#include "draw/font.h"
#include "draw/png.h"

#include <string.h>

int image_new(struct image *out, int width, int height, struct colour background)
{
    if (width < 1 || height < 1 || (int64_t)width * height > 400000000)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "image of %d x %d pixels; expected 1 x 1 to 400 million",
                                     width, height),
                           GLT_TOPIC_OPTION, "width");
    uint8_t *rgb = memory_alloc((size_t)width * (size_t)height, 3);
    if (!rgb)
        return GLT_ENOMEM;
    *out = (struct image){width, height, rgb};
    image_rect(out, 0, 0, width, height, background);
    return 0;
}

void image_free(struct image *im)
{
    memory_free(im->rgb);
    *im = (struct image){0};
}

int image_write(const struct image *im, const char *path)
{
    return png_write(path, im->rgb, im->width, im->height);
}

void image_pixel(struct image *im, int x, int y, struct colour c)
{
    if (x < 0 || y < 0 || x >= im->width || y >= im->height)
        return;
    uint8_t *p = im->rgb + 3 * ((size_t)y * (size_t)im->width + (size_t)x);
    p[0] = c.r;
    p[1] = c.g;
    p[2] = c.b;
}

struct colour image_at(const struct image *im, int x, int y)
{
    if (x < 0 || y < 0 || x >= im->width || y >= im->height)
        return colour(0, 0, 0);
    const uint8_t *p = im->rgb + 3 * ((size_t)y * (size_t)im->width + (size_t)x);
    return colour(p[0], p[1], p[2]);
}

void image_rect(struct image *im, int x, int y, int w, int h, struct colour c)
{
    int x1 = x + w < im->width ? x + w : im->width, y1 = y + h < im->height ? y + h : im->height;
    for (int j = y < 0 ? 0 : y; j < y1; j++)
        for (int i = x < 0 ? 0 : x; i < x1; i++)
            image_pixel(im, i, j, c);
}

void image_frame(struct image *im, int x, int y, int w, int h, struct colour c)
{
    image_rect(im, x, y, w, 1, c);
    image_rect(im, x, y + h - 1, w, 1, c);
    image_rect(im, x, y, 1, h, c);
    image_rect(im, x + w - 1, y, 1, h, c);
}

/* Bresenham, 1965. */
void image_line(struct image *im, int x0, int y0, int x1, int y1, struct colour c)
{
    int dx = x1 > x0 ? x1 - x0 : x0 - x1, dy = y1 > y0 ? y0 - y1 : y1 - y0;
    int sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1, error = dx + dy;
    for (;;) {
        image_pixel(im, x0, y0, c);
        if (x0 == x1 && y0 == y1)
            return;
        int twice = 2 * error;
        if (twice >= dy) {
            error += dy;
            x0 += sx;
        }
        if (twice <= dx) {
            error += dx;
            y0 += sy;
        }
    }
}

void image_disc(struct image *im, int x, int y, int r, struct colour c)
{
    for (int j = -r; j <= r; j++)
        for (int i = -r; i <= r; i++)
            if (i * i + j * j <= r * r + r)
                image_pixel(im, x + i, y + j, c);
}

void image_copy(struct image *dst, int x, int y, const struct image *src)
{
    for (int j = 0; j < src->height; j++)
        for (int i = 0; i < src->width; i++)
            image_pixel(dst, x + i, y + j, image_at(src, i, j));
}

int image_halve(struct image *out, const struct image *im)
{
    struct image half;
    TRY(image_new(&half, im->width / 2, im->height / 2, colour(0, 0, 0)));
    for (int y = 0; y < half.height; y++)
        for (int x = 0; x < half.width; x++)
            for (int k = 0; k < 3; k++) {
                const uint8_t *p =
                    im->rgb + 3 * ((size_t)(2 * y) * (size_t)im->width + (size_t)(2 * x)) + k;
                const uint8_t *q = p + 3 * (size_t)im->width;
                half.rgb[3 * ((size_t)y * (size_t)half.width + (size_t)x) + (size_t)k] =
                    (uint8_t)((p[0] + p[3] + q[0] + q[3] + 2) / 4);
            }
    *out = half;
    return 0;
}

int image_text_width(const char *text, int scale)
{
    int n = 0;
    for (const char *c = text; *c; c++)
        n += (*c & 0xc0) != 0x80; /* bytes that continue a UTF-8 character take no cell */
    return 6 * n * scale;
}

int image_text(struct image *im, int x, int y, const char *text, int scale, struct colour c)
{
    int at = x;
    for (const char *s = text; *s; s++) {
        unsigned char u = (unsigned char)*s;
        if ((u & 0xc0) == 0x80)
            continue;
        const uint8_t *glyph = font_columns[u >= 32 && u < 127 ? u - 32 : '?' - 32];
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 7; j++)
                if (glyph[i] >> j & 1)
                    image_rect(im, at + i * scale, y + j * scale, scale, scale, c);
        at += 6 * scale;
    }
    return at - x;
}

int image_legend(struct image *im, int x, int y, int width, const struct legend *legend,
                 struct colour text)
{
    int scale = legend->scale, line = 11 * scale, box = 8 * scale, widest = 0;
    for (int i = 0; i < legend->n; i++) {
        int w = image_text_width(legend->names[i], scale) + box + 12 * scale;
        widest = w > widest ? w : widest;
    }
    if (legend->n == 0)
        return 0;
    int columns = width / widest < 1 ? 1 : width / widest;
    int rows = (legend->n + columns - 1) / columns;
    columns = (legend->n + rows - 1) / rows;
    for (int i = 0; im && i < legend->n; i++) {
        int at_x = x + (i % columns) * (width / columns), at_y = y + i / columns * line;
        image_rect(im, at_x, at_y, box, box, legend->colours[i]);
        image_frame(im, at_x, at_y, box, box, text);
        image_text(im, at_x + box + 3 * scale, at_y, legend->names[i], scale, text);
    }
    return rows * line;
}
