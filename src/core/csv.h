/* Cells of CSV files (RFC 4180) that spreadsheets show and never evaluate. */
#ifndef CORE_CSV_H
#define CORE_CSV_H

#include "core/string.h"

#include <stdbool.h>

/* Whether a spreadsheet would evaluate the text, or it looks like an escaped formula. A number is
 * harmless. */
bool csv_is_formula(const char *text);
/* Adds a cell: in quotes if necessary, and a formula with the mark that makes it text. */
void csv_add(struct string *s, const char *text);

#endif
