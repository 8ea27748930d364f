/* Numbers printed as text, the same for every locale and platform. */
#ifndef CORE_NUMBER_PRINT_H
#define CORE_NUMBER_PRINT_H

#include <stddef.h>

enum { NUMBER_PRINT_MAX = 32 };

/* The shortest text that reads back as the same value, the nearest to it if there are several:
 * 0.1, 1e-7, 12345, -0, inf, nan. Writes a NUL too; dst holds NUMBER_PRINT_MAX bytes. Returns the
 * length. */
size_t number_print_double(char *dst, double value);
size_t number_print_float(char *dst, float value);

#endif
