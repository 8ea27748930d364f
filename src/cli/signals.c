/* Signals: see signals.h. The handlers call only what a handler may. */
#include "signals.h"

#include "gelatto.h"

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t waiting, asked, removing;
static char own[PATH_MAX]; /* file to remove */

static void discard(void)
{
    glt_outputs_discard();
    if (removing)
        unlink(own);
}

static void on_request(int number)
{
    if (waiting && !asked) {
        asked = number;
        return;
    }
    discard();
    _exit(128 + number);
}

/* Raises the signal again, with its default effect, when the handler returns. */
static void on_end(int number)
{
    discard();
    raise(number);
}

/* Signals to leave alone: they cannot be handled, stop a process, or are ignored. */
static bool is_harmless(int number)
{
    static const int numbers[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN,  SIGTTOU,
                                  SIGCHLD, SIGCONT, SIGURG,  SIGWINCH, SIGXFSZ};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

#ifdef SIGRTMAX
#define LAST_SIGNAL SIGRTMAX
#else
#define LAST_SIGNAL (NSIG - 1) /* macOS */
#endif

/* Handlers that were set before (nohup, a sanitizer) stay. An ignored SIGINT is set all the same: a
 * shell without job control starts background jobs that way, but whoever sends it means it. */
void signals_start(void)
{
    struct sigaction request = {.sa_handler = on_request, .sa_flags = SA_RESTART};
    struct sigaction end = {.sa_handler = on_end, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    signal(SIGXFSZ, SIG_IGN); /* a file size limit becomes an error of the write, with a message */
    for (int number = 1; number <= LAST_SIGNAL; number++) {
        struct sigaction before;
        bool asks = number == SIGINT || number == SIGTERM || number == SIGHUP;
        if (is_harmless(number) || sigaction(number, NULL, &before) < 0)
            continue;
        if (before.sa_handler == SIG_DFL || number == SIGINT)
            sigaction(number, asks ? &request : &end, NULL);
    }
}

int signals_stop(void)
{
    waiting = 1;
    return asked;
}

void signals_stop_waiting(void)
{
    waiting = 0;
}

void signals_remove(const char *path)
{
    removing = 0;
    if (path && (size_t)snprintf(own, sizeof own, "%s", path) < sizeof own)
        removing = 1;
}
