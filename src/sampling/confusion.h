/* Confusion matrices. Points whose ground truth is -1 (ignored) are not counted. */
#ifndef SAMPLING_CONFUSION_H
#define SAMPLING_CONFUSION_H

#include <stdint.h>

struct confusion {
    int32_t classes;
    int64_t *count; /* (classes, classes): truth, prediction */
};

int confusion_create(struct confusion *c, int32_t classes);
void confusion_free(struct confusion *c);
/* GLT_EDATA names a label or prediction that is not a class. */
int confusion_add(struct confusion *c, const int32_t *truth, const int32_t *predicted, int64_t n);
int confusion_merge(struct confusion *to, const struct confusion *from); /* pools folds */
/* For counts read from a file: GLT_EDATA unless they and their sum are 0 to 2^53. */
int confusion_check(const struct confusion *c);

#endif
