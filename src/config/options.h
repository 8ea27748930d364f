/* The whole configuration, and the one option table: every key has a type, a default, a range, its
 * help and its place in the configuration. */
#ifndef CONFIG_OPTIONS_H
#define CONFIG_OPTIONS_H

#include "config/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONFIG_KEYS = 96 };

/* The whole configuration of a command, a model or a run. */
struct config {
    char preset[32];
    int32_t task; /* enum config_task */
    struct network_settings network;
    struct data_settings data;
    struct sampling_settings sampling;
    struct training_settings training;
    struct augment_settings augment;
    int64_t seed;
    int32_t threads;

    /* Which rows of the table were set one by one, not by a default or a preset: these override
     * what a dataset or a checkpoint proposes. */
    uint8_t given[CONFIG_KEYS];
};

enum option_type {
    OPTION_INT, /* int32_t, or a list of `count` of them */
    OPTION_INT64,
    OPTION_REAL,   /* double, or a list */
    OPTION_CHOICE, /* int32_t: index in `choices` */
    OPTION_TEXT
};

enum option_group { GROUP_NETWORK, GROUP_DATA, GROUP_TRAINING, GROUP_AUGMENT, GROUP_RUN };

/* How one value becomes a list for all levels. */
enum option_expand {
    EXPAND_SAME,
    EXPAND_DOUBLE, /* doubles per level */
    EXPAND_CAP16,  /* min(value, 16) at level 4 */
    EXPAND_LADDER  /* n, n/2, n/8, n/32: the paper's ladder */
};

struct option {
    const char *key;
    enum option_type type;
    enum option_group group;
    size_t offset;
    int count;         /* values of a list; 1: a scalar */
    const char *value; /* default */
    double min, max;
    const char *choices; /* "a|b|c"; for numbers: a word that stands for 0 */
    enum option_expand expand;
    const char *help;
};

extern const struct option options[];
extern const int options_count;

const struct option *options_find(const char *key); /* NULL if unknown */
/* Whether results depend on a key. They do not depend on threads and cache, which no model stores.
 */
bool options_decide(const struct option *o);

#endif
