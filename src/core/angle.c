/* Angles: see angle.h. Everything is made of basic arithmetic. */
#include "core/angle.h"

/* Taylor sums on |x| <= pi/4: the first term left out is below 1e-17. */
static double sine_small(double x)
{
    double x2 = x * x, sum = 1;
    for (int k = 16; k >= 2; k -= 2)
        sum = 1 - sum * x2 / (k * (k + 1));
    return x * sum;
}

static double cosine_small(double x)
{
    double x2 = x * x, sum = 1;
    for (int k = 17; k >= 1; k -= 2)
        sum = 1 - sum * x2 / (k * (k + 1));
    return sum;
}

void angle_sincos(double x, double *sine, double *cosine)
{
    /* pi/2 in two parts, the first with 33 bits, so that quarter * high is exact. */
    const double high = 1.57079632673412561417e+00, low = 6.07710050650619224932e-11;
    double quarter = __builtin_floor(x / (ANGLE_PI / 2) + 0.5);
    double r = (x - quarter * high) - quarter * low;
    double s = sine_small(r), c = cosine_small(r);
    switch ((int)((long long)quarter & 3)) {
    case 0:
        *sine = s;
        *cosine = c;
        break;
    case 1:
        *sine = c;
        *cosine = -s;
        break;
    case 2:
        *sine = -s;
        *cosine = -c;
        break;
    default:
        *sine = -c;
        *cosine = s;
    }
}

double angle_sin(double x)
{
    double s, c;
    angle_sincos(x, &s, &c);
    return s;
}
