/* The reader of PTX files: see fuzz_cloud.h.
 * covers: formats/ptx.c */
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "ptx");
}
