/* The reader of las files: see fuzz_cloud.h.
 * covers: formats/las.c formats/las_layout.c
 * but: find_chunks find_record close_gaps */
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "las");
}
