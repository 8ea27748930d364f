/* Findings of `gelatto check`: see check.h. */
#include "task/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void check_say(struct check *c, const char *topic, int fault, const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    c->faults += fault;
    c->fn(c->user, topic, text, fault);
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
