/* The configuration a command line asks for. */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include "args.h"

struct glt_config;

/* Defaults and environment, then --config, then --preset if the command has it, then --set from
 * left to right; a preset is below every key given one by one. 0 with a configuration to free, or
 * the exit code after saying what is wrong. */
int config_from(struct glt_config **out, const struct args *args);

#endif
