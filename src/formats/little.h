/* Numbers of n bytes, the least significant first, as zip archives and LAS have them. */
#ifndef FORMATS_LITTLE_H
#define FORMATS_LITTLE_H

#include <stdint.h>

static inline uint64_t little_get(const unsigned char *bytes, int n)
{
    uint64_t v = 0;
    for (int i = n; i-- > 0;)
        v = v << 8 | bytes[i];
    return v;
}

static inline void little_put(unsigned char *bytes, uint64_t v, int n)
{
    for (int i = 0; i < n; i++, v >>= 8)
        bytes[i] = (unsigned char)v;
}

#endif
