/* The category of an unnamed shape, from the predictions of a part network for its points. */
#ifndef MODEL_GUESS_H
#define MODEL_GUESS_H

#include "cloud/classes.h"

/* The category whose parts have the largest sum of probabilities over all points, logits (n, c->n).
 * *rival: another with more than half of that sum, which makes the guess unreliable, as usual for
 * networks that learned parts only within given categories; -1: none. GLT_ENUMERIC if a logit is
 * not finite. */
int guess_category(int32_t *out, int32_t *rival, const struct classes *c, const float *logits,
                   int64_t n);

#endif
