/* printf in the C locale: see print.h. */
#include "core/print.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>

static locale_t plain; /* never freed; 0: it could not be made */

static void make_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int print_list(char *dst, size_t size, const char *format, va_list list)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_plain);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    int len = vsnprintf(dst, size, format, list);
    if (before)
        uselocale(before);
    return len;
}

int print_to(char *dst, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int len = print_list(dst, size, format, list);
    va_end(list);
    return len;
}
