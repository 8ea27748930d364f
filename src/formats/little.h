/* Little-endian numbers of n bytes, as in zip archives and LAS. */
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

/* The usual sizes, in a form that compilers turn into one load or store. */
static inline uint16_t little_get16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t little_get32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t little_get64(const unsigned char *p)
{
    return little_get32(p) | (uint64_t)little_get32(p + 4) << 32;
}

static inline void little_put16(unsigned char *p, uint16_t v)
{
    p[0] = (unsigned char)v;
    p[1] = (unsigned char)(v >> 8);
}

static inline void little_put32(unsigned char *p, uint32_t v)
{
    p[0] = (unsigned char)v;
    p[1] = (unsigned char)(v >> 8);
    p[2] = (unsigned char)(v >> 16);
    p[3] = (unsigned char)(v >> 24);
}

static inline void little_put64(unsigned char *p, uint64_t v)
{
    little_put32(p, (uint32_t)v);
    little_put32(p + 4, (uint32_t)(v >> 32));
}

#endif
