/* Labels of a cloud: which attribute they are, whether they are ground truth, and what their
 * numbers mean. This is the one place that decides it, for every format.
 *
 * - The labels are the attribute that somebody chose (labels_choose); else `label`, or one of the
 *   other names it has; LAS calls it classification.
 * - Every LAS point has a classification: where it is the same for all and has no name, nobody
 *   gave it.
 * - An attribute `truth` is what a prediction has kept of the labels: it stands for them. Its
 *   numbers are those of the classes that the file names; 255 is none, with up to 255 classes.
 * - Labels with a `confidence` beside them and no `truth` were predicted: they are not ground
 * truth.
 * - To a dataset a number is what its labels say of the number or of the name that the file gives
 *   it, whichever stands first; else the class of that name, else the class of that place.
 * - To a model a number is the class of the name that the file gives it, else the class that had
 *   the number when the model was trained, else the class of that place.
 * - Numbers of LAS are mostly those of the ASPRS, and never by chance those of a model: there is no
 *   "else the class of that place" for them. */
#ifndef CLOUD_LABELS_H
#define CLOUD_LABELS_H

#include "cloud/cloud.h"

struct labels {
    const struct column *column;   /* NULL: there are none */
    const struct classes *named;   /* what the file calls its numbers */
    const struct classes *classes; /* what they become: of a dataset or a model; may be NULL */
    bool kept;                     /* the column is `truth` */
    bool predicted;                /* no ground truth: a network's */
    bool las;                      /* the column is the classification of a LAS file */
    bool unnamed;                  /* no ground truth: LABELS_UNNAMED */
};
#define LABELS_UNNAMED                                                                             \
    "the file does not name its classes, and numbers of LAS are not a model's: renumber its "      \
    "labels, or describe it as a dataset with a map (docs/reference/datasets.md)"

/* claimed: somebody says that the cloud is labelled, so that a classification is one unless it is 0
 * everywhere and nobody says what 0 is. */
struct labels labels_find(const struct glt_cloud *c, const struct classes *classes, bool claimed);
/* The class of a number, -1 if it is ignored; false if it is none. */
bool labels_class(int32_t *class, const struct labels *x, int32_t number);
/* The same for a dataset when only a name is known, such as that of a folder. */
bool labels_class_named(int32_t *class, const struct classes *c, const char *name);

/* Says that the labels are the attribute of this name, as the cloud or its file spells it.
 * GLT_EDATA lists the attributes if there is none. */
int labels_choose(struct glt_cloud *c, const char *name);
const struct column *labels_column(const struct glt_cloud *c); /* NULL if there is none */
/* The same, NULL also for a classification that nobody gave. */
const struct column *labels_given(const struct glt_cloud *c);
/* What a number of the column x means to a reader: the name in the file, else that of the ASPRS if
 * x is the classification of LAS; NULL if nobody says. */
const char *labels_name(const struct glt_cloud *c, const struct column *x, int32_t number);
/* The number that stands for "no class" in a column of labels that people correct: -1 where the
 * type has it, else its largest value. A classification of LAS has 0 for that (ASPRS: never
 * classified), unless the file gives 0 a name. */
int32_t labels_none(const struct glt_cloud *c, const struct column *x);
/* A number as a file holds it: NaN is -1, an error names a point whose label is not whole. */
int labels_number(int32_t *out, double value, int64_t point, const char *file);
int labels_numbers(int32_t *dst, const struct column *x, int64_t n, const char *file); /* (n) */

/* Sets label (u8, or i32 above 255 classes) and, if not NULL, confidence, replacing old ones; class
 * names become comments "class 0 ceiling". names may be NULL. */
int labels_set(struct glt_cloud *c, const int32_t *labels, const float *confidence,
               const char *const *names, int32_t n_classes);
/* Names follow their classes to other numbers: map (n) of old, new. Different names that meet on
 * one number are left out. */
int labels_map(struct glt_cloud *c, const int32_t (*map)[2], int32_t n);

#endif
