/* gelatto help [COMMAND] */
#include "commands.h"

void help_list(FILE *out)
{
    fputs("gelatto labels 3D point clouds with the Ge-Latto network.\n\n"
          "usage: gelatto COMMAND [options] ...\n\ncommands:\n",
          out);
    for (int i = 0; command_at(i); i++)
        fprintf(out, "  %-12s  %s\n", command_at(i)->name, command_at(i)->summary);
    fputs("\n'gelatto COMMAND --help' tells the options of a command, with examples.\n"
          "Results go to stdout, talk to stderr; exit 0 done, 1 failed, 2 wrong use.\n",
          out);
}

static int run(const struct args *args)
{
    if (args->n == 1) {
        const struct command *c = command_find(args->operands[0]);
        if (c)
            args_help(stdout, c);
        return c ? 0 : 2;
    }
    help_list(stdout);
    return 0;
}

const struct command command_help = {
    .name = "help",
    .summary = "list the commands, or explain one",
    .operands = "[COMMAND]",
    .operands_max = 1,
    .examples = "gelatto help\ngelatto help version\n",
    .run = run,
};
