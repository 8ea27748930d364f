/* A configuration: the values of all options, set by key. Command line, config files, environment,
 * API, model metadata and help all go through the one table of options.h. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "config/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void config_default(struct config *c);
/* Setting `preset` sets every key that the preset names, except those that were given. */
int config_set(struct config *c, const char *key, const char *value);
/* The same, for a value stored in a model file or a run's configuration: retired choices of earlier
 * commits are replaced by their present names. */
int config_set_stored(struct config *c, const char *key, const char *value);
/* As config_set, for a proposed value: a key that was given keeps its own. */
int config_propose(struct config *c, const char *key, const char *value);
bool config_given(const struct config *c, const char *key);
/* Copies the values that were given in another configuration, except its preset. */
int config_copy_given(struct config *to, const struct config *from);
/* "key=value" */
int config_set_pair(struct config *c, const char *pair);
/* The value as text, from which config_set makes the same value. */
int config_get(const struct config *c, const char *key, char *text, size_t size);
/* GELATTO_<KEY> in capitals, dots as underscores, for every key of the table. */
int config_environment(struct config *c);
/* Rules between keys; called before a network is built. */
int config_check(const struct config *c);

/* Derived from the keys */
int config_channels(const struct config *c, int *channels);      /* width of the input features */
int32_t config_inner(const struct config *c, int level);         /* D of level 0..3 */
int32_t config_k(const struct config *c, int level, int second); /* neighbours of a block */
enum config_map_kind config_map_kind(const struct config *c, enum config_map_group group);
int config_identity2(const struct config *c); /* shortcut2 with auto resolved */

#endif
