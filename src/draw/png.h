/* Pictures out: 8-bit RGB as PNG (ISO/IEC 15948), compressed by zlib. */
#ifndef DRAW_PNG_H
#define DRAW_PNG_H

#include "core/file.h"
#include "core/string.h"

#include <stdint.h>

/* rgb (height, width, 3). The same pixels give the same bytes (of one zlib version). */
int png_encode(struct string *out, const uint8_t *rgb, int width, int height);
int png_write(const char *path, const uint8_t *rgb, int width, int height);

/* An animated PNG (the same standard, third edition): every viewer of PNG shows its first frame,
 * browsers and most others all of them. Frames are written one by one. */
struct png_film {
    struct file *file;
    int width, height, frames; /* of all frames; how many there will be */
    int fps;                   /* the last frame stays for two seconds */
    int frame;                 /* the next, from 0 */
    uint32_t sequence;         /* of frames' chunks */
};
int png_film_add(struct png_film *f, const uint8_t *rgb);

#endif
