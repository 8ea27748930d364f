/* HTML reports that need no other file: one style, text that is text, images as data URLs. The same
 * content gives the same bytes. */
#ifndef DRAW_HTML_H
#define DRAW_HTML_H

#include "core/file.h"

#include <stddef.h>

int html_begin(struct file *f, const char *title);
int html_end(struct file *f);
/* Text of anybody's: markup in it is shown, not obeyed. */
int html_text(struct file *f, const char *text);
/* An element of text: "<tag>text</tag>\n". */
int html_element(struct file *f, const char *tag, const char *text);
/* The bytes of a PNG file, drawn into the page; a page takes up to HTML_PICTURE_MAX of them. */
enum { HTML_PICTURE_MAX = 64 << 20 };
int html_image(struct file *f, const char *png, size_t n, const char *caption);
/* Bytes as base64 (RFC 4648). */
int html_base64(struct file *f, const unsigned char *bytes, size_t n);

#endif
