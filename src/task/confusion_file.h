/* confusion.csv: a confusion matrix with the names of its classes, a row per true class. */
#ifndef TASK_CONFUSION_FILE_H
#define TASK_CONFUSION_FILE_H

#include "cloud/classes.h"
#include "sampling/confusion.h"

int confusion_file_write(const char *path, const struct confusion *c, char *const *names);

struct confusion_file {
    struct confusion confusion;
    struct classes classes;
};
int confusion_file_read(struct confusion_file *out, const char *path);
void confusion_file_free(struct confusion_file *m); /* accepts a zeroed one */

#endif
