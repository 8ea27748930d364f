/* The reader of pcd files: see fuzz_cloud.h.
 * covers: formats/pcd.c formats/pcd_lzf.c
 * but: pcd_lzf_pack */
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "pcd");
}
