/* Log and progress on stderr, a result on stdout. On a terminal progress is one line rewritten in
 * place; elsewhere a plain line every few seconds. A signal during progress asks the library to
 * stop at the next good moment (signals.h). Callbacks come one at a time. */
#include "report.h"

#include "hint.h"
#include "signals.h"
#include "terminal_text.h"

#include "gelatto.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static bool quiet, terminal;
static int rank; /* of this process, under mpirun */

/* The activity on screen. */
static struct {
    char name[64];
    double began, shown; /* seconds */
    int64_t first, last; /* units already done when it began, and now */
    bool open;           /* an unfinished line is on the terminal */
} bar;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool no_colour(void)
{
    const char *value = getenv("NO_COLOR");
    return value && *value;
}

void report_pause(void)
{
    if (bar.open)
        fputs("\r\033[K", stderr);
    bar.open = false;
}

/* Draws a line that is rewritten in place: truncated, because a wrapped line could not be
 * overwritten. */
static void draw_line(const char *text)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    fputs("\r\033[K", stderr);
    terminal_text_printf(stderr, "%.*s", (known ? size.ws_col : 80) - 1, text);
    fflush(stderr);
    bar.open = true;
}

static void say(const char *mark, const char *colour, const char *format, va_list list)
{
    report_pause();
    bool coloured = terminal && !no_colour() && *mark;
    fprintf(stderr, "%s%s%s", coloured ? colour : "", mark, coloured ? "\033[0m" : "");
    terminal_text_vprintf(stderr, format, list);
    fputc('\n', stderr);
}

void report_note(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!quiet)
        say("", "", format, list);
    va_end(list);
}

void report_warning(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say("warning: ", "\033[33m", format, list);
    va_end(list);
}

void report_rank(int number)
{
    rank = number;
    quiet = quiet || rank > 0;
}

/* Whether this rank is silent: rank 0 reports every error, except its own loss. */
static bool is_mute(void)
{
    bool lost = glt_error_topic() == GLT_TOPIC_RANKS && !strcmp(glt_error_name(), "lost");
    return rank > 0 && !lost;
}

void report_failure_text(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say("gelatto: ", "\033[31m", format, list);
    va_end(list);
}

/* Prints the flag or command that helps, which the library does not know. */
static void report_hint(void)
{
    char text[1024];
    if (hint_find(text, sizeof text))
        terminal_text_printf(stderr, "hint: %s\n", text);
}

int report_failure(void)
{
    if (is_mute())
        return 1;
    if (rank > 0)
        report_failure_text("rank %d: %s", rank, glt_error_message());
    else
        report_failure_text("%s", glt_error_message());
    report_hint();
    return 1;
}

int report_no_memory(void)
{
    report_failure_text("out of memory");
    return 1;
}

/* The exit code of a failure. */
static int exit_code(int code)
{
    return code == GLT_EINTERRUPTED && signals_stop() ? 128 + signals_stop() : 1;
}

int report_refusal(const struct args *args, int code)
{
    if (code == GLT_EARGUMENT && is_mute())
        return 2;
    if (code == GLT_EARGUMENT) {
        args_usage(args->command, "%s", glt_error_message());
        report_hint();
        return 2;
    }
    report_failure();
    return exit_code(code);
}

int report_failure_of(const char *path, int code)
{
    if (*glt_error_file()) { /* named by the message */
        report_failure();
    } else {
        report_failure_text("%s: %s", path, glt_error_message());
        report_hint();
    }
    return exit_code(code);
}

int report_failure_of_model(const struct args *args, int code)
{
    struct glt_cloud *cloud = NULL;
    const char *path = args->operands[0];
    char message[1024];
    if (code != GLT_EFORMAT || strcmp(glt_error_file(), path) || is_mute())
        return report_refusal(args, code);
    snprintf(message, sizeof message, "%s", glt_error_message());
    bool swapped = glt_cloud_read(&cloud, path, NULL) == 0;
    glt_cloud_free(cloud);
    if (swapped)
        return args_usage(args->command, "%s is a cloud, not a model: expected %s", path,
                          args->command->operands);
    report_failure_text("%s", message);
    return 1;
}

static void on_log(void *user, enum glt_log_level level, const char *message)
{
    (void)user;
    if (rank > 0)
        return;
    if (level == GLT_LOG_WARNING) {
        report_warning("%s", message);
        const char *hint = hint_of_warning();
        if (hint)
            terminal_text_printf(stderr, "hint: %s\n", hint);
    } else if (level == GLT_LOG_INFO || getenv("GELATTO_DEBUG"))
        report_note("%s", message);
}

/* 12.3k, 4.56M: three digits are enough here. */
static void format_count(char *dst, size_t size, double value)
{
    const char *unit[] = {"", "k", "M", "G"};
    int u = 0;
    for (; value >= 1000 && u < 3; u++)
        value /= 1000;
    snprintf(dst, size,
             value < 10 && u ? "%.2f%s"
             : value < 100   ? "%.1f%s"
                             : "%.0f%s",
             value, unit[u]);
}

static void format_time(char *dst, size_t size, double seconds)
{
    long s = (long)(seconds + 0.5);
    if (s >= 3600)
        snprintf(dst, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(dst, size, "%ld:%02ld", s / 60, s % 60);
}

static void show(const char *activity, int64_t done, int64_t total, double now)
{
    double rate = now > bar.began ? (double)(done - bar.first) / (now - bar.began) : 0;
    double share = total > 0 ? (double)done / (double)total : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    char pace[80] = ""; /* unknown at the first call */
    if (rate > 0 && total >= done) {
        char speed[32], left[32];
        format_count(speed, sizeof speed, rate);
        format_time(left, sizeof left, (double)(total - done) / rate);
        snprintf(pace, sizeof pace, "  %s/s  left %s", speed, left);
    }
    if (!terminal) {
        terminal_text_printf(stderr, "%s: %lld of %lld (%.0f%%)%s\n", activity, (long long)done,
                             (long long)total, 100 * share, pace);
        return;
    }
    char cells[25], line[256];
    int full = (int)(share * 24);
    memset(cells, '.', 24);
    memset(cells, '#', (size_t)full);
    cells[24] = 0;
    snprintf(line, sizeof line, "%s [%s] %3.0f%%%s", activity, cells, 100 * share, pace);
    draw_line(line);
}

static int on_progress(void *user, const char *activity, int64_t done, int64_t total)
{
    (void)user;
    double now = seconds_now();
    if (strncmp(activity, bar.name, sizeof bar.name - 1) != 0 || done < bar.last) {
        snprintf(bar.name, sizeof bar.name, "%s", activity);
        bar.began = now;
        bar.shown = terminal ? 0 : now; /* a bar immediately, a plain line only after a while */
        bar.first = done;
    }
    bar.last = done;
    if (!quiet && now - bar.shown >= (terminal ? 0.1 : 5.0)) {
        show(activity, done, total, now);
        bar.shown = now;
    }
    return signals_stop();
}

int report_status(const char *text)
{
    double now = seconds_now();
    if (strcmp(bar.name, "status") != 0) {
        snprintf(bar.name, sizeof bar.name, "status");
        bar.shown = 0; /* print the first line immediately */
    }
    if (!quiet && now - bar.shown >= (terminal ? 0.1 : 5.0)) {
        if (terminal)
            draw_line(text);
        else
            terminal_text_printf(stderr, "%s\n", text);
        bar.shown = now;
    }
    return signals_stop();
}

void report_start(bool be_quiet)
{
    quiet = be_quiet;
    const char *term = getenv("TERM");
    terminal = isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
    glt_log_set(on_log, NULL);
    glt_progress_set(on_progress, NULL);
}

void report_stop(void)
{
    report_pause();
    signals_stop_waiting();
    glt_log_set(NULL, NULL);
    glt_progress_set(NULL, NULL);
}

int report_result(char *text, bool json)
{
    report_stop();
    size_t len = strlen(text);
    if (rank > 0) {
        glt_free(text);
        return 0;
    }
    (json ? terminal_text_json(text) : terminal_text_print(stdout, text));
    if (len > 0 && text[len - 1] != '\n') /* JSON has none */
        putchar('\n');
    glt_free(text);
    return 0;
}
