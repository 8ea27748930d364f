/* gelatto version */
#include "commands.h"

#include "gelatto.h"

static int run(const struct args *args)
{
    (void)args;
    printf("gelatto %s\n", glt_version());
    return 0;
}

const struct command command_version = {
    .name = "version",
    .summary = "print the version",
    .examples = "gelatto version\n",
    .run = run,
};
