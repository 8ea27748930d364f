/* Helpers of the tests of folder datasets: a YAML file in the folder of data_folder.h is opened, or
 * refused. */
#ifndef TESTS_FOLDER_SET_H
#define TESTS_FOLDER_SET_H

#include "data_folder.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "errors.h"

static inline struct dataset *open_set(const char *folder, const char *yaml)
{
    char name[64], path[DATA_PATH];
    snprintf(name, sizeof name, "%s/set.yaml", folder);
    data_text(name, yaml);
    return data_open(data_file(path, name), "inputs=xyz validation=off");
}

/* Checks the error of opening it, or of loading its first cloud of a split. */
static inline void expect_error(const char *folder, const char *yaml, const char *message)
{
    char name[64], path[DATA_PATH];
    struct config c;
    struct dataset *d = NULL;
    snprintf(name, sizeof name, "%s/set.yaml", folder);
    data_text(name, yaml);
    data_config(&c, "inputs=xyz validation=off");
    int code = dataset_open(&d, data_file(path, name), &c.data, c.seed);
    if (code == 0) {
        const struct item *x;
        enum split s = dataset_count(d, SPLIT_TRAIN) ? SPLIT_TRAIN : SPLIT_TEST;
        code = dataset_take(&x, d, s, 0);
        if (code == 0)
            dataset_give(d, s, 0);
        dataset_close(d);
    }
    assert_true(code < 0);
    assert_error(message);
}

#endif
