/* Findings of `gelatto check`: see check.h. */
#include "task/check.h"

#include "core/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Reports a finding whose text is its file and the formatted message. */
static void report(struct check *c, struct glt_finding finding, const char *format, va_list list)
{
    char text[4096];
    int at = *finding.file ? snprintf(text, sizeof text, "%.2000s: ", finding.file) : 0;
    print_list(text + at, sizeof text - (size_t)at, format, list);
    finding.text = text;
    c->errors += finding.error;
    c->fn(c->user, &finding);
}

void check_say(struct check *c, const char *topic, int error, const char *file, const char *format,
               ...)
{
    va_list list;
    va_start(list, format);
    report(c, (struct glt_finding){.topic = topic, .file = file, .options = "", .error = error},
           format, list);
    va_end(list);
}

void check_propose(struct check *c, const char *topic, const char *advice, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(c, (struct glt_finding){.topic = topic, .file = "", .options = advice}, format, list);
    va_end(list);
}

void check_failure(struct check *c, const char *topic, const char *file)
{
    const struct glt_finding finding = {
        .topic = topic, .text = glt_error_message(), .file = file, .options = "", .error = 1};
    c->errors++;
    c->fn(c->user, &finding);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double check_median(double *values, int64_t n)
{
    if (n == 0)
        return 0;
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}

const char *check_path(const struct check *c, const struct check_cloud *x)
{
    return c->data->split[x->split].list[x->item].path;
}
