/* The configuration of a command line. */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include "args.h"

struct glt_config;

/* Defaults and environment, then --config, then --preset if the command has it, then --set from
 * left to right; keys given one by one override a preset. 0 with a configuration to free, or the
 * exit code after a message. */
int config_from(struct glt_config **out, const struct args *args);

#endif
