/* What the parts of `gelatto check` share: the dataset, what is known of its clouds, and the way
 * findings are reported. check_dataset.c runs the parts. */
#ifndef TASK_CHECK_H
#define TASK_CHECK_H

#include "config/config.h"
#include "core/call.h"
#include "datasets/dataset.h"
#include "datasets/digest.h"

/* One cloud as the looks at a whole set need it. */
struct check_cloud {
    enum split split;
    int32_t item;
    bool loaded;
    bool wrong;               /* its columns: no comparison means anything */
    char digest[DIGEST_SIZE]; /* of its points in canonical order: copies are found though shuffled
                               */
    double extent[3];
    double spacing; /* median distance to the nearest other point; 0: unknown */
};

struct check {
    struct call call;
    struct config config; /* without the augmentation that moves points: clouds as they are */
    struct dataset *data;
    glt_finding_fn *fn;
    void *user;
    int errors;
    struct check_cloud *clouds; /* (n) split after split */
    int32_t n, unreadable;
};

enum { CHECK_NOTE, CHECK_ERROR };
/* Reports a finding. file is put in front of the text; "": the finding is about the dataset. */
void check_say(struct check *c, const char *topic, int error, const char *file, const char *format,
               ...) __attribute__((format(printf, 5, 6)));
/* Reports a finding about the dataset and its advice: options, "key=value", that would suit it
 * better. */
void check_propose(struct check *c, const char *topic, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports the error that reading a cloud has just met. */
void check_failure(struct check *c, const char *topic, const char *file);
double check_median(double *values, int64_t n); /* sorts them; 0 if there are none */
const char *check_path(const struct check *c, const struct check_cloud *x);

#endif
