/* The reader of pcd files: see fuzz_cloud.h.
 * covers: io/pcd.c io/pcd_colour.c io/pcd_header.c io/pcd_lzf.c */
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "pcd");
}
