/* Help on the terminal, printed from the tables of commands and options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "args.h"

void help_command(FILE *out, const struct command *command);
void help_list(FILE *out); /* of the commands */

/* The heading before option i of a command, as args_option_at counts them; NULL: none. */
const char *help_title(const struct command *command, int i);

#endif
