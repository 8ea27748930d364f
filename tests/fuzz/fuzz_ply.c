/* The reader of ply files: see fuzz_cloud.h.
 * covers: formats/ply.c formats/scan.c
 * but: scan_count scan_numbers */
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "ply");
}
