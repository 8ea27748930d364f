/* The reader of HDF5 files: see fuzz_cloud.h. libhdf5 parses them, from an image in memory.
 * covers: io/h5.c io/h5_arrays.c */
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "h5");
}
