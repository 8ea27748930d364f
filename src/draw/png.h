/* Pictures out: 8-bit RGB as PNG (ISO/IEC 15948), compressed by zlib. */
#ifndef DRAW_PNG_H
#define DRAW_PNG_H

#include "core/string.h"

#include <stdint.h>

/* rgb (height, width, 3). The same pixels give the same bytes (of one zlib version). */
int png_encode(struct string *out, const uint8_t *rgb, int width, int height);
int png_write(const char *path, const uint8_t *rgb, int width, int height);

#endif
