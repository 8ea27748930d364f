/* Naming columns that came without names. */
#ifndef FORMATS_COLUMNS_H
#define FORMATS_COLUMNS_H

#include "cloud/cloud.h"

/* Names columns first .. by what they hold; those before are x, y, z and whatever is known. What
 * could be read in two ways is logged for the file of that name, or not at all (NULL). */
int columns_guess(struct glt_cloud *c, int32_t first, const char *file);
/* The same for the lines of a text file; counted = after a line that says how many there are. */
int columns_guess_text(struct glt_cloud *c, bool counted, const char *file);
/* Names all columns by a comma separated list; "-" removes one. The file stands in messages. */
int columns_name(struct glt_cloud *c, const char *names, const char *file);

#endif
