/* Pages that need no other file: one style, text that is text, pictures as data URLs, the scores of
 * classes. What the same numbers give is the same bytes. */
#ifndef DRAW_HTML_H
#define DRAW_HTML_H

#include "cloud/classes.h"
#include "core/file.h"
#include "sampling/metrics.h"

#include <stdbool.h>

int html_begin(struct file *f, const char *title);
int html_end(struct file *f);
/* Text of anybody's: markup in it is shown, not obeyed. */
int html_text(struct file *f, const char *text);
/* An element of text: "<tag>text</tag>\n". */
int html_element(struct file *f, const char *tag, const char *text);
/* The bytes of a PNG file, drawn into the page; a page takes up to HTML_PICTURE_MOST of them. */
enum { HTML_PICTURE_MOST = 64 << 20 };
int html_picture(struct file *f, const char *png, size_t n, const char *caption);

struct html_classes {
    const struct classes *classes;
    bool shapes;                       /* what is counted: whole shapes, not points */
    const int64_t *predicted;          /* (classes) points; NULL: as the matrix has them, and a row
                                        * for classes that have none too */
    const double *confidence;          /* (classes) means, NaN for none; NULL: no column */
    const struct confusion *confusion; /* NULL: no truth, no scores */
};
/* A row per class, and with a truth the means and the matrix. */
int html_scores(struct file *f, const struct html_classes *x);

#endif
