/* Text of anybody's inside Markdown (CommonMark): shown as it is, never markup. */
#ifndef CORE_MARKDOWN_H
#define CORE_MARKDOWN_H

#include "core/string.h"

/* In a sentence or a cell of a table. */
void markdown_text(struct string *s, const char *text);
/* As code in a sentence. */
void markdown_code(struct string *s, const char *text);
/* As a block of code, lines and all; the text ends with the end of a line. */
void markdown_block(struct string *s, const char *text);

#endif
