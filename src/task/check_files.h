/* Files of a data set that are listed and absent, or there and used by nothing. */
#ifndef TASK_CHECK_FILES_H
#define TASK_CHECK_FILES_H

#include "task/check.h"

int check_files(struct check *c);

#endif
