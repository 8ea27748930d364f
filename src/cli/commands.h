/* The one table of commands, and the files that fill it (cmd_*.c). */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "args.h"

/* i-th command, NULL after the last. */
const struct command *commands_at(int i);
/* NULL, after a message with the nearest name, if there is none. */
const struct command *commands_find(const char *name);

extern const struct command command_ablate;
extern const struct command command_check;
extern const struct command command_bench;
extern const struct command command_completion;
extern const struct command command_convert;
extern const struct command command_doctor;
extern const struct command command_eval;
extern const struct command command_explain;
extern const struct command command_help;
extern const struct command command_info;
extern const struct command command_man;
extern const struct command command_models;
extern const struct command command_next;
extern const struct command command_options;
extern const struct command command_patch;
extern const struct command command_predict;
extern const struct command command_render;
extern const struct command command_gather;
extern const struct command command_report;
extern const struct command command_synth;
extern const struct command command_train;
extern const struct command command_version;
extern const struct command command_view;

#endif
