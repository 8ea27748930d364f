/* The category of a shape that nobody has named, by what a part network says of its points. */
#ifndef MODEL_GUESS_H
#define MODEL_GUESS_H

#include "cloud/classes.h"

/* Of all categories the one whose parts have the largest sum of probabilities over all points,
 * logits (n, c->n). *rival: another that has more than half of that sum, so that the guess is a
 * poor one, as it usually is for networks that learned parts within given categories only; -1 if
 * there is none. GLT_ENUMERIC where a logit is not finite. */
int guess_category(int32_t *out, int32_t *rival, const struct classes *c, const float *logits,
                   int64_t n);

#endif
