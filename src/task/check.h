/* What the parts of `check` share: see check.c. */
#ifndef TASK_CHECK_H
#define TASK_CHECK_H

#include "datasets/dataset.h"
#include "datasets/digest.h"

/* One cloud as the looks at a whole set need it. */
struct check_cloud {
    enum split split;
    int32_t item;
    bool loaded;
    bool told;                /* its columns are wrong: no comparison means anything */
    char digest[DIGEST_SIZE]; /* of its points in canonical order: copies are found though shuffled
                               */
    double extent[3];
    double spacing; /* median distance to the nearest other point; 0: unknown */
};

struct check {
    struct dataset *data;
    glt_finding_fn *fn;
    void *user;
    int faults;
    struct check_cloud *clouds; /* (n) split after split */
    int32_t n, unreadable;
};

enum { CHECK_NOTE, CHECK_FAULT };
void check_say(struct check *c, const char *topic, int fault, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
double check_median(double *values, int64_t n); /* sorts them; 0 if there are none */
const char *check_path(const struct check *c, const struct check_cloud *x);

int check_files(struct check *c);  /* missing and odd ones */
int check_clouds(struct check *c); /* loads each: fills clouds, tells what is wrong with one */
void check_set(struct check *c); /* what shows in comparison: duplicates, columns, units, density */
int check_blocks(struct check *c); /* what columns and levels hold, and a better edge */
int check_balls(struct check *c);  /* what the network's balls hold, and better radii */

#endif
