/* Drawing into an image: see image.h. */
#include "draw/image.h"

#include "core/error.h"
#include "core/memory.h"
#include "draw/font.h"
#include "draw/png.h"

#include <stdbool.h>
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

void image_half_disc(struct image *im, int x, int y, int r, struct colour c)
{
    for (int j = -r; j <= r; j++)
        for (int i = 0; i <= r; i++)
            if (i * i + j * j <= r * r + r)
                image_pixel(im, x + i, y + j, c);
}

/* Bresenham, 1977. */
void image_circle(struct image *im, int x, int y, int r, struct colour c)
{
    int i = r, j = 0, error = 1 - r;
    while (i >= j) {
        const int at[4][2] = {{i, j}, {j, i}, {-i, j}, {-j, i}};
        for (int k = 0; k < 4; k++) {
            image_pixel(im, x + at[k][0], y + at[k][1], c);
            image_pixel(im, x + at[k][0], y - at[k][1], c);
        }
        j++;
        i -= error >= 0;
        error += error >= 0 ? 2 * (j - i) + 1 : 2 * j + 1;
    }
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

void image_text_shorten(char *text, int width, int scale)
{
    size_t n = strlen(text);
    while (n && image_text_width(text, scale) > width) {
        while (--n && (text[n] & 0xc0) == 0x80) {
        }
        text[n] = 0;
    }
}

/* --- text ---
 *
 * The dots of a character become strokes: each is joined with its neighbours, slantwise only where
 * no straight way leads. A pixel is covered as far as 16 points of it lie within a stroke. Lengths
 * are eighths of a pixel, so that all is integer. */

struct stroke {
    int x0, y0, x1, y1;
};
enum { EIGHTHS = 8, ROWS = 8, STROKES_MAX = 5 * ROWS * 4 };

static bool has_dot(const uint8_t glyph[5], int i, int j)
{
    return i >= 0 && i < 5 && j >= 0 && j < ROWS && (glyph[i] >> j & 1);
}

static int make_strokes(struct stroke out[STROKES_MAX], const uint8_t glyph[5], int scale)
{
    static const int to[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    int n = 0, cell = EIGHTHS * scale;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < ROWS; j++) {
            if (!has_dot(glyph, i, j))
                continue;
            int x = cell * i + cell / 2, y = cell * j + cell / 2, joined = 0;
            for (int k = 0; k < 4; k++) {
                int dx = to[k][0], dy = to[k][1];
                bool around = k >= 2 && (has_dot(glyph, i + dx, j) || has_dot(glyph, i, j + dy));
                if (!has_dot(glyph, i + dx, j + dy) || around)
                    continue;
                out[n++] = (struct stroke){x, y, x + cell * dx, y + cell * dy};
                joined++;
            }
            if (!joined) /* a dot, or the end of a stroke */
                out[n++] = (struct stroke){x, y, x, y};
        }
    return n;
}

static bool is_near(const struct stroke *s, int x, int y, int radius)
{
    int64_t dx = s->x1 - s->x0, dy = s->y1 - s->y0, px = x - s->x0, py = y - s->y0;
    int64_t along = px * dx + py * dy, len = dx * dx + dy * dy, r2 = (int64_t)radius * radius;
    if (along >= len && len > 0) {
        px -= dx;
        py -= dy;
    } else if (along > 0) {
        int64_t across = px * dy - py * dx;
        return across * across <= r2 * len;
    }
    return px * px + py * py <= r2;
}

/* Whether any point of the pixel that begins at (x, y), in eighths, can be near; most cannot. */
static bool may_be_near(const struct stroke *s, int x, int y, int radius)
{
    int low = s->x0 < s->x1 ? s->x0 : s->x1, high = s->x0 + s->x1 - low; /* y0 <= y1 */
    return low - radius < x + EIGHTHS && high + radius > x && s->y0 - radius < y + EIGHTHS &&
           s->y1 + radius > y;
}

/* Sixteenths of the pixel (x, y) that the strokes cover. */
static int coverage(const struct stroke *s, int n, int x, int y, int radius)
{
    struct stroke near[STROKES_MAX];
    int covered = 0, left = EIGHTHS * x, top = EIGHTHS * y, n_near = 0;
    for (int i = 0; i < n; i++)
        if (may_be_near(&s[i], left, top, radius))
            near[n_near++] = s[i];
    for (int k = 0; k < 16 && n_near > 0; k++) {
        int px = left + 2 * (k % 4) + 1, py = top + 2 * (k / 4) + 1, i = 0;
        while (i < n_near && !is_near(&near[i], px, py, radius))
            i++;
        covered += i < n_near;
    }
    return covered;
}

static void draw_glyph(struct image *im, int x, int y, const uint8_t glyph[5], int scale,
                       struct colour c)
{
    struct stroke strokes[STROKES_MAX];
    if (x > im->width || y > im->height || x + 5 * scale < 0 || y + ROWS * scale < 0)
        return;
    int n = make_strokes(strokes, glyph, scale), radius = (EIGHTHS * scale + 1) / 2;
    for (int j = -1; j <= ROWS * scale && n > 0; j++)
        for (int i = -1; i <= 5 * scale; i++) {
            int part = coverage(strokes, n, i, j, radius);
            struct colour old = image_at(im, x + i, y + j);
            if (part)
                image_pixel(im, x + i, y + j,
                            colour(old.r + (c.r - old.r) * part / 16,
                                   old.g + (c.g - old.g) * part / 16,
                                   old.b + (c.b - old.b) * part / 16));
        }
}

int image_text(struct image *im, int x, int y, const char *text, int scale, struct colour c)
{
    int at = x;
    for (const char *s = text; *s; s++) {
        unsigned char u = (unsigned char)*s;
        if ((u & 0xc0) == 0x80)
            continue;
        draw_glyph(im, at, y, font_columns[u >= 32 && u < 127 ? u - 32 : '?' - 32], scale, c);
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

int image_scale(struct image *im, int x, int y, const struct scale *s, int scale,
                struct colour text)
{
    enum { BAR = 60 };
    int low = image_text_width(s->low, scale), bar = BAR * scale, at = x + low + 3 * scale;
    int height = 8 * scale;
    for (int i = 0, rest = bar - 1; im && i < bar; i++, rest--)
        image_rect(im, at + i, y, 1, height,
                   colour((s->from.r * rest + s->to.r * i) / (bar - 1),
                          (s->from.g * rest + s->to.g * i) / (bar - 1),
                          (s->from.b * rest + s->to.b * i) / (bar - 1)));
    if (im) {
        image_frame(im, at, y, bar, height, text);
        image_text(im, x, y, s->low, scale, text);
        image_text(im, at + bar + 3 * scale, y, s->high, scale, text);
    }
    return low + bar + 6 * scale + image_text_width(s->high, scale);
}
