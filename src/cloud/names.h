/* Names of columns: from the file's spelling of a field to the name the rest of the program uses.
 */
#ifndef CLOUD_NAMES_H
#define CLOUD_NAMES_H

#include "cloud/column.h"

extern const char *const names_xyz[3], *const names_rgb[3], *const names_normal[3];

/* Canonical name of a field; the field itself if it has none. */
const char *names_canonical(const char *source);
/* Gives n columns their canonical names, and numbers to repeated names; the spelling is kept. */
int names_canonicalise(struct column *columns, int32_t n);

#endif
