/* Options from YAML; on failure nothing is changed. */
#ifndef CONFIG_CONFIG_YAML_H
#define CONFIG_CONFIG_YAML_H

#include "config/options.h"

#include <stddef.h>

struct yaml;

int config_read(struct config *c, const char *path);
/* The text of a file; `name` is for messages. */
int config_read_yaml(struct config *c, const char *name, const char *text, size_t len);
int config_set_yaml(struct config *c, const struct yaml *map);

#endif
