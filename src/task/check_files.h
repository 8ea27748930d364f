/* Files of a dataset that are listed but missing, or present but unused. */
#ifndef TASK_CHECK_FILES_H
#define TASK_CHECK_FILES_H

#include "task/check.h"

int check_files(struct check *c);

#endif
