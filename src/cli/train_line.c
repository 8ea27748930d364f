/* The status line of a training run: see train_line.h. */
#include "train_line.h"

#include "report.h"

#include <math.h>
#include <stdio.h>

static void format_left(char *dst, size_t size, double seconds)
{
    long s = isfinite(seconds) && seconds < 1e8 ? (long)seconds : 0;
    if (s >= 3600)
        snprintf(dst, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(dst, size, "%ld:%02ld", s / 60, s % 60);
}

int train_line(void *user, const struct glt_train_status *s)
{
    char line[512], left[32];
    int len;
    (void)user;
    format_left(left, sizeof left, s->seconds_left);
    len = snprintf(line, sizeof line, "epoch %lld/%lld step %lld/%lld  loss %.3f",
                   (long long)s->epoch, (long long)s->epochs, (long long)s->step,
                   (long long)s->steps, s->loss);
    for (int i = 0; i < s->outputs && s->outputs > 1; i++)
        len += snprintf(line + len, sizeof line - (size_t)len, "%s%.3f", i ? " " : " = ",
                        s->losses[i]);
    len += snprintf(line + len, sizeof line - (size_t)len, "  lr %.3g", s->rate);
    if (!isnan(s->metric))
        len += snprintf(line + len, sizeof line - (size_t)len, "  %s %.2f %% (best %.2f)",
                        s->metric_name, 100 * s->metric, 100 * s->best);
    snprintf(line + len, sizeof line - (size_t)len, "  %.3g samples/s  left %s",
             s->samples_per_second, left);
    return report_status(line);
}
