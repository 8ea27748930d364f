/* The scalar of the numerics: float in the product, double in gelatto_f64 (tests). */
#ifndef KERNELS_REAL_H
#define KERNELS_REAL_H

#ifdef GELATTO_F64
typedef double real;
#define REAL_EPSILON 0x1p-52
#else
typedef float real;
#define REAL_EPSILON 0x1p-23f
#endif

#endif
