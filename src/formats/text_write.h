/* Writing text clouds, and what their reader shares with it. */
#ifndef FORMATS_TEXT_WRITE_H
#define FORMATS_TEXT_WRITE_H

#include "formats/format.h"

/* The style of a text file, kept in the note "text.style" and used for writing. */
struct text_style {
    char delimiter; /* ' ', '\t' (which reads as ' '), ',' or ';' */
    char header;    /* '0' none, 'h' a first line of names, 'c' a comment of names, 'n' a count */
    unsigned char before; /* comments before that of names; names of classes come after it */
};

int text_write(struct call *call, const struct glt_cloud *c, struct file *f,
               const struct format_options *o);

#endif
