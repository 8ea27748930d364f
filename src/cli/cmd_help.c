/* gelatto help [COMMAND] */
#include "args.h"
#include "commands.h"
#include "help.h"

static int run(const struct args *args)
{
    if (args->n == 1) {
        const struct command *c = commands_find(args->operands[0]);
        if (c)
            help_command(stdout, c);
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
