/* From logits to probabilities. */
#ifndef MODEL_SOFTMAX_H
#define MODEL_SOFTMAX_H

#include <stdint.h>

/* GLT_ENUMERIC if a logit of the allowed classes, first .. first + count - 1, is not finite. */
int softmax_check(const float *x, int64_t n, int32_t classes, int32_t first, int32_t count);
/* Over the allowed classes, row by row; other classes get 0; y may be x. Checks first: on failure
 * nothing is written. */
int softmax(float *y, const float *x, int64_t n, int32_t classes, int32_t first, int32_t count);

#endif
