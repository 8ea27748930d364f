/* The reader of HDF5 files: see fuzz_cloud.h. libhdf5 parses them, from an image in memory; what it
 * does not release itself after a damaged file is its own (tests/lsan.txt), and is thrown away now
 * and then by closing the library.
 * covers: formats/h5.c formats/h5_arrays.c */
#include "fuzz_cloud.h"

#ifdef GELATTO_HDF5
#include <hdf5.h>

static void tidy(void)
{
    static int executions;
    if (++executions % 256 == 0)
        H5close();
}
#else
static void tidy(void) {}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_cloud(data, size, "h5");
    tidy();
    return 0;
}
