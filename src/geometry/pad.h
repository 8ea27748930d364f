/* Lists filled up to k entries by repeating the first: `underfull` = pad. */
#ifndef GEOMETRY_PAD_H
#define GEOMETRY_PAD_H

#include "geometry/lists.h"

int pad_limit(int32_t centres, int32_t k); /* GLT_ELIMIT if there would be too many edges */
/* `from` is not changed; an empty list stays empty. */
void pad_fill(struct neighbours *out, const struct neighbours *from, int32_t k);

#endif
