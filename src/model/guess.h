/* The category of a shape that nobody has named, by what a part network says of its points. */
#ifndef MODEL_GUESS_H
#define MODEL_GUESS_H

#include "model/model.h"

/* The one whose parts have the largest sum of probabilities over all points, logits (n, classes).
 * For models that have categories. GLT_ENUMERIC where a logit is not finite. */
int guess_category(int32_t *out, const struct model *m, const float *logits, int64_t n);

#endif
