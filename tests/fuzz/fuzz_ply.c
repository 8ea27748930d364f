/* The reader of ply files: see fuzz_cloud.h.
 * covers: formats/ply.c formats/ply_ascii.c formats/ply_header.c formats/scan.c formats/ply_mesh.c
 */
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "ply");
}
