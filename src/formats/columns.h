/* Naming columns that the file does not name. */
#ifndef FORMATS_COLUMNS_H
#define FORMATS_COLUMNS_H

#include "cloud/cloud.h"

/* Names columns first .. by their values; those before are x, y, z and others that are known.
 * Ambiguous columns are logged under the file's name; NULL: no log. */
int columns_guess(struct glt_cloud *c, int32_t first, const char *file);
/* The same for the lines of a text file; counted = after a line with their number. */
int columns_guess_text(struct glt_cloud *c, bool counted, const char *file);
/* Names all columns by a comma separated list; "-" removes one. `file` is for messages. */
int columns_name(struct glt_cloud *c, const char *names, const char *file);

#endif
