/* Arbitrary text inside Markdown (CommonMark): shown literally, never as markup. */
#ifndef CORE_MARKDOWN_H
#define CORE_MARKDOWN_H

#include "core/string.h"

/* In a sentence or a cell of a table. */
void markdown_text(struct string *s, const char *text);
/* As code in a sentence. */
void markdown_code(struct string *s, const char *text);
/* As a block of code that keeps its lines; the text ends with a newline. */
void markdown_block(struct string *s, const char *text);

#endif
