/* gelatto version */
#include "args.h"
#include "commands.h"

#include "gelatto.h"

static int run(const struct args *args)
{
    (void)args;
    printf("gelatto %s, commit %s\n", glt_version(), glt_commit());
    return 0;
}

const struct command command_version = {
    .name = "version",
    .summary = "print the version and the commit it was built from",
    .examples = "gelatto version\n",
    .run = run,
};
