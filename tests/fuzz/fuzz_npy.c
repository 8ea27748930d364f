/* The reader of npy files: see fuzz_cloud.h.
 * covers: io/npy.c io/npy_cloud.c io/npy_header.c */
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "npy");
}
