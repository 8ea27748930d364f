/* Helpers of the data tests: a folder that is removed at the end, and small rooms and shapes
 * for it. */
#ifndef TESTS_DATA_FOLDER_H
#define TESTS_DATA_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cloud/cloud.h"
#include "config/config.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/random.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "formats/format.h"
#include "own_folder.h"
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DATA_PATH = 512 };

static inline const char *data_folder(void)
{
    return own_folder();
}

/* A path in the folder; creates its parents. */
static inline const char *data_file(char path[DATA_PATH], const char *name)
{
    char parent[DATA_PATH];
    snprintf(path, DATA_PATH, "%s/%s", data_folder(), name);
    snprintf(parent, sizeof parent, "%s", path);
    *strrchr(parent, '/') = 0;
    assert_int_equal(file_make_folder(parent), 0);
    return path;
}

static inline void data_text(const char *name, const char *text)
{
    char path[DATA_PATH];
    FILE *f = fopen(data_file(path, name), "wb");
    assert_non_null(f);
    assert_int_equal(fputs(text, f) >= 0, 1);
    assert_int_equal(fclose(f), 0);
}

static inline void data_check(int code)
{
    if (code < 0)
        fail_msg("code %d: %s", code, glt_error_message());
}

/* A room of n points, w x d x 2.5 m: floor (1), ceiling (0), two walls (2) and boxes (7), coloured
 * by class with noise. */
static inline void data_room(struct glt_cloud **out, int32_t n, double w, double d, uint32_t seed)
{
    static const char *const names[] = {"x", "y", "z", "red", "green", "blue", "label"};
    struct random r = random_start(random_stream(seed, 0, 0, RANDOM_TEST), 0);
    struct column *c;
    data_check(cloud_new(out, n));
    for (int k = 0; k < 7; k++)
        data_check(cloud_add_attribute(&c, *out, names[k], k < 3 ? GLT_F32 : GLT_U8));
    for (int32_t i = 0; i < n; i++) {
        float p[3] = {(float)(random_uniform(&r) * w), (float)(random_uniform(&r) * d),
                      (float)(random_uniform(&r) * 2.5)};
        uint8_t label = (uint8_t)random_below(&r, 4);
        if (label == 0)
            p[2] = 2.5f;
        if (label == 1)
            p[2] = 0;
        if (label == 2)
            p[random_below(&r, 2)] = 0;
        if (label == 3) {
            p[2] *= 0.3f;
            label = 7;
        }
        for (int k = 0; k < 3; k++) {
            ((float *)cloud_attribute(*out, names[k])->data)[i] = p[k];
            ((uint8_t *)cloud_attribute(*out, names[3 + k])->data)[i] =
                (uint8_t)(label * 20 + k * 5 + (int)random_below(&r, 40));
        }
        ((uint8_t *)cloud_attribute(*out, "label")->data)[i] = label;
    }
}

static inline void data_write_room(const char *name, int32_t n, double w, double d, uint32_t seed)
{
    char path[DATA_PATH];
    struct glt_cloud *c;
    data_room(&c, n, w, d, seed);
    data_check(format_write(c, data_file(path, name), NULL));
    cloud_free(c);
}

/* A small, fast configuration. */
static inline void data_config(struct config *c, const char *pairs)
{
    *c = settings_of("levels=128,64,32,8 k=8 points=256 block_min=64 radius=0.2", pairs);
}

static inline struct dataset *data_open(const char *path, const char *pairs)
{
    struct config c;
    struct dataset *d;
    data_config(&c, pairs);
    data_check(dataset_open(&d, path, &c.data, c.seed));
    return d;
}

/* Checks the number of points, or shapes, of the class in the split. */
static inline void data_count(struct dataset *d, enum split s, const char *class, int64_t want)
{
    int64_t counts[DATASET_CLASSES_MAX + 1];
    data_check(dataset_histogram(counts, d, s));
    int32_t i = classes_find(&d->classes, class);
    assert_true(i >= 0);
    if (counts[i] != want)
        fail_msg("%s: %lld of %s, expected %lld", dataset_split_name(s), (long long)counts[i],
                 class, (long long)want);
}

#endif
