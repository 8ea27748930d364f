/* The one option table: every key has a type, a default, a range, its help and its place here.
 * Command line, config files, environment, API, model metadata and help all go through it. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "config/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONFIG_KEYS = 96 };

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

    /* Which rows of the table were set one by one, not by a default or a preset: what a data set or
     * a checkpoint proposes gives way to these. */
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

/* What one value means where a list per level is wanted. */
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

void config_default(struct config *c);
/* Setting `preset` sets every key the preset names that was not given. */
int config_set(struct config *c, const char *key, const char *value);
/* The same, for a value that somebody proposes: a key that was given keeps its own. */
int config_propose(struct config *c, const char *key, const char *value);
bool config_given(const struct config *c, const char *key);
/* "key=value" */
int config_set_pair(struct config *c, const char *pair);
/* The value as text that config_set takes back to the same value. */
int config_get(const struct config *c, const char *key, char *text, size_t size);
/* GELATTO_<KEY> in capitals, dots as underscores, for every key of the table. */
int config_environment(struct config *c);
/* Options from a YAML file, or from the text of one (`name` stands in messages); on failure nothing
 * is changed. */
int config_read(struct config *c, const char *path);
int config_read_yaml(struct config *c, const char *name, const char *text, size_t len);
struct yaml;
int config_set_yaml(struct config *c, const struct yaml *map); /* the same from a tree */
/* Rules between keys; called before a network is built. */
int config_check(const struct config *c);

const struct option *option_find(const char *key); /* NULL if unknown */
/* Whether results depend on a key; on threads and cache they do not, and no model carries them. */
bool option_decides(const struct option *o);
const char *preset_at(int i, const char **summary); /* NULL behind the last */

/* Derived from the keys */
int config_channels(const struct config *c, int *channels); /* width of the input features */
int32_t config_inner(const struct config *c, int level);    /* D of level 0..3 */
int config_identity2(const struct config *c);               /* shortcut2 with auto resolved */

#endif
