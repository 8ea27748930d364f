/* Shared by the parts of `gelatto check`: the dataset, facts about its clouds, and functions to
 * report findings. check_dataset.c runs the parts. */
#ifndef TASK_CHECK_H
#define TASK_CHECK_H

#include "config/config.h"
#include "core/call.h"
#include "datasets/dataset.h"
#include "datasets/digest.h"

/* Facts about one cloud, for comparisons over the dataset. */
struct check_cloud {
    enum split split;
    int32_t item;
    bool loaded;
    bool wrong;               /* wrong columns: comparisons are meaningless */
    char digest[DIGEST_SIZE]; /* of its points in canonical order: finds shuffled copies too */
    double extent[3];
    double spacing; /* median distance to the nearest other point; 0: unknown */
};

struct check {
    struct call call;
    struct config config; /* without the augmentation that moves points */
    struct dataset *data;
    glt_finding_fn *fn;
    void *user;
    int errors;
    struct check_cloud *clouds; /* (n) of one split after the other */
    int32_t n, unreadable;
};

enum { CHECK_NOTE, CHECK_ERROR };
/* Reports a finding. file is put in front of the text; "": the finding is about the dataset. */
void check_say(struct check *c, const char *topic, int error, const char *file, const char *format,
               ...) __attribute__((format(printf, 5, 6)));
/* Reports a finding about the dataset, with advice: options "key=value" that would suit it
 * better. */
void check_propose(struct check *c, const char *topic, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports the error from reading a cloud. */
void check_failure(struct check *c, const char *topic, const char *file);
double check_median(double *values, int64_t n); /* sorts them; 0 if there are none */
const char *check_path(const struct check *c, const struct check_cloud *x);

#endif
