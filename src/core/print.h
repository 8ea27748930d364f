/* printf into memory, with a decimal point whatever the locale of the calling program. */
#ifndef CORE_PRINT_H
#define CORE_PRINT_H

#include <stdarg.h>
#include <stddef.h>

/* As snprintf and vsnprintf. */
__attribute__((format(printf, 3, 4))) int print_to(char *dst, size_t size, const char *format, ...);
__attribute__((format(printf, 3, 0))) int print_list(char *dst, size_t size, const char *format,
                                                     va_list list);

#endif
