/* Naming columns that came without names. */
#ifndef IO_GUESS_H
#define IO_GUESS_H

#include "io/cloud.h"

/* Names columns first .. by what they hold; those before are x, y, z and whatever is known. */
int guess_columns(struct glt_cloud *c, int32_t first);
/* The same for the lines of a text file; counted = behind a line that tells how many there are. */
int guess_text(struct glt_cloud *c, bool counted);
/* Names all columns by a comma separated list; "-" removes one. */
int name_columns(struct glt_cloud *c, const char *names);

#endif
