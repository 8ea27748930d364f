/* gelatto: the program. A table of commands, implemented entirely with gelatto.h. Results go to
 * stdout, diagnostics to stderr. Exit status: 0 success, 1 failure, 2 usage error, 128 + number for
 * a signal. */
#include "args.h"
#include "commands.h"
#include "help.h"
#include "ranks.h"
#include "report.h"
#include "signals.h"

#include "gelatto.h"

#include <fcntl.h>
#include <string.h>

static int run(const struct command *command, int argc, char **argv)
{
    struct args args;
    bool help;
    int code = args_parse(&args, command, argc, argv, &help);
    if (code == 0 && help)
        help_command(stdout, command);
    if (code == 0 && !help) {
        report_start(args_flag(&args, "quiet"));
        if (glt_threads_set((int)args_int(&args, "threads", 0)) < 0)
            code = report_failure();
        else
            code = command->run(&args);
        report_stop();
        ranks_leave(code > 128);
    }
    args_free(&args);
    return code;
}

/* A file that is opened while one of the three streams is closed would get its number, and messages
 * would be written into it. Results on a closed stdout must still fail, so it is not opened for
 * writing. */
static void keep_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 1 ? O_RDONLY : O_RDWR) < 0)
            return;
}

int main(int argc, char **argv)
{
    keep_streams();
    signals_start();
    if (argc < 2) {
        help_list(stderr);
        return 2;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    if (name[0] == '-') {
        fprintf(stderr, "gelatto: %s: the command comes first\ntry 'gelatto help'\n", name);
        return 2;
    }
    const struct command *command = commands_find(name);
    if (!command)
        return 2;
    int code = run(command, argc - 2, argv + 2);
    /* A full disk or a closed pipe must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("gelatto: standard output");
        return code ? code : 1;
    }
    return code;
}
