/* Labels of a cloud: which attribute holds them, whether they are ground truth, and what their
 * numbers mean. Only this module decides that, for every format.
 *
 * - The labels are the attribute chosen with labels_choose; else `label` or a synonym; in LAS
 *   files, classification.
 * - Every LAS point has a classification. If it is the same for all and has no name, it is not a
 *   label.
 * - The attribute `truth` holds the labels that a prediction has saved, and replaces them. Its
 *   numbers are those of the classes that the file names; 255 is none, with up to 255 classes.
 * - Labels with a `confidence` beside them and no `truth` were predicted: they are not ground
 * truth.
 * - For a dataset a number means what its labels say of the number or of its name in the file,
 *   whichever comes first; else the class of that name, else the class of that index.
 * - For a model a number means the class of its name in the file, else the class that had the
 *   number when the model was trained, else the class of that index. Low, medium and high
 *   vegetation are vegetation to a model with that class, and vegetation is high vegetation to a
 *   prediction that divides it.
 * - Numbers in LAS files are mostly those of the ASPRS, and never by chance those of a model: for
 *   them there is no "else the class of that index". */
#ifndef CLOUD_LABELS_H
#define CLOUD_LABELS_H

#include "cloud/cloud.h"

struct labels {
    const struct column *column;   /* NULL: there are none */
    const struct classes *named;   /* the names of the numbers in the file */
    const struct classes *classes; /* the classes of a dataset or a model; may be NULL */
    bool kept;                     /* the column is `truth` */
    bool predicted;                /* no ground truth: they were predicted */
    bool las;                      /* the column is the classification of a LAS file */
    bool unnamed;                  /* no ground truth: LABELS_UNNAMED */
};
#define LABELS_UNNAMED                                                                             \
    "the file does not name its classes, and numbers of LAS are not a model's: renumber its "      \
    "labels, or describe it as a dataset with a map (docs/reference/datasets.md)"

/* claimed: the caller says that the cloud is labelled, so a classification counts unless it is 0
 * everywhere and `classes` has no label 0. */
struct labels labels_find(const struct glt_cloud *c, const struct classes *classes, bool claimed);
/* The class of a number, -1 if it is ignored; false if it is not a label. */
bool labels_class(int32_t *class, const struct labels *x, int32_t number);
/* The same for a dataset when only a name is known, such as that of a folder. */
bool labels_class_named(int32_t *class, const struct classes *c, const char *name);

/* Makes the attribute of this name, as the cloud or its file spells it, the labels. GLT_EDATA lists
 * the attributes if there is none. */
int labels_choose(struct glt_cloud *c, const char *name);
/* Before the attribute `from` is renamed: it stays the labels if it was chosen. */
int labels_rename(struct glt_cloud *c, const char *from, const char *to);
const struct column *labels_column(const struct glt_cloud *c); /* NULL if there is none */
/* The same, but NULL also for a classification that is not a label. */
const struct column *labels_given(const struct glt_cloud *c);
bool labels_are_las(const struct column *x); /* a classification; x may be NULL */
/* The name of a number of the column x: that in the file, else that of the ASPRS if x is the
 * classification of LAS; else NULL. */
const char *labels_name(const struct glt_cloud *c, const struct column *x, int32_t number);
/* The usual colour of a class: that of the ASPRS for its name, which may be NULL, else that of its
 * number. */
void labels_colour(uint8_t rgb[3], int32_t number, const char *name);
/* The number for "no class" in a column of labels that people correct: -1 if the type has it, else
 * its largest value. For a classification of LAS it is 0 (ASPRS: never classified), unless the file
 * gives 0 a name. */
int32_t labels_none(const struct glt_cloud *c, const struct column *x);
/* Whether a number of the column x is a class: neither negative nor the number for "no class",
 * unless the file names that. */
bool labels_is_class(const struct glt_cloud *c, const struct column *x, int32_t number);
/* Converts a label from a file: NaN is -1, an error names a point whose label is not whole. */
int labels_number(int32_t *out, double value, int64_t point, const char *file);
int labels_numbers(int32_t *dst, const struct column *x, int64_t n, const char *file); /* (n) */

/* The classes of a cloud for tables and images: those that it names and those of its points in two
 * columns, which may be NULL. Ascending numbers, each with a name ("class 70" if it has none) and
 * its usual colour. GLT_ELIMIT if there are more than `max`, GLT_EDATA if a number is above
 * CLASS_NUMBER_MAX. */
int labels_classes(struct classes *out, const struct glt_cloud *c, const struct column *label,
                   const struct column *truth, int32_t max);
/* Its steps: the numbers of a column are added to a copy of the names, and these become the list.
 */
int labels_collect(struct classes *found, const struct glt_cloud *c, const struct column *x,
                   int32_t max);
int labels_list(struct classes *out, const struct classes *found, bool las);

/* Sets label (u8, or i32 above 255 classes) and, if not NULL, confidence, replacing old ones; class
 * names become comments "class 0 ceiling". names may be NULL. */
int labels_set(struct glt_cloud *c, const int32_t *labels, const float *confidence,
               const char *const *names, int32_t n_classes);
/* Renumbers the names of classes: map (n) of old, new. If one number gets different names, all of
 * them are dropped. */
int labels_map(struct glt_cloud *c, const int32_t (*map)[2], int32_t n);

#endif
