/* Learning rate: constant, half a cosine down to 0, or one cycle (up from lr / 25 over the first
 * three tenths, a cosine down to lr / 10,000; Smith and Topin 2019). Warm-up rises linearly to the
 * schedule; its last step is the first with the full rate. */
#include "task/schedule.h"
#include "config/options.h"
#include "config/settings.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static double between(double from, double to, double share)
{
    return to + (from - to) * 0.5 * (1 + cos(PI * share));
}

static double course(const struct config *c, double share)
{
    const double rise = 0.3;
    switch (c->training.schedule) {
    case SCHEDULE_COSINE:
        return between(c->training.lr, 0, share);
    case SCHEDULE_ONECYCLE:
        if (share < rise)
            return c->training.lr / 25 + (c->training.lr - c->training.lr / 25) * share / rise;
        return between(c->training.lr, c->training.lr / 10000, (share - rise) / (1 - rise));
    default:
        return c->training.lr;
    }
}

double schedule_rate(const struct config *c, int64_t epoch, int64_t batch, int64_t batches)
{
    double place = (double)epoch + (double)batch / (double)batches;
    double length = (double)c->training.epochs - c->training.warmup;
    double share = length > 0 ? (place - c->training.warmup) / length : 0;
    double rate = course(c, fmin(1, fmax(0, share)));
    double warm = c->training.warmup > 0 ? (place + 1.0 / (double)batches) / c->training.warmup : 1;
    return warm < 1 ? rate * warm : rate;
}
