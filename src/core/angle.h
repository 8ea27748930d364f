/* Sine and cosine without libm, whose last bits differ between platforms. */
#ifndef CORE_ANGLE_H
#define CORE_ANGLE_H

#define ANGLE_PI 3.14159265358979323846

/* |x| < 1e5, error below 1e-15 */
void angle_sincos(double x, double *sine, double *cosine);
double angle_sin(double x);

#endif
