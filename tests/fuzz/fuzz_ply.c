/* The reader of ply files: see fuzz_cloud.h.
 * covers: io/ply.c io/ply_ascii.c io/ply_header.c io/scan.c io/ply_mesh.c */
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "ply");
}
