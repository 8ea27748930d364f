/* Text clouds, shared by reader and writer. */
#ifndef IO_TEXT_H
#define IO_TEXT_H

#include "io/format.h"

/* How a text file looked, kept in the note "text.style" and written again. */
struct text_style {
    char delimiter; /* ' ', ',' or ';' ('\t' reads as ' ') */
    char header;    /* '0' none, 'h' a first line of names, 'c' a comment of names, 'n' a count */
};

int text_write(const struct glt_cloud *c, struct file *f, const struct cloud_options *o);

#endif
