/* The reader of stl files: see fuzz_cloud.h. Inputs: `test_stl --corpus FOLDER`.
 * covers: formats/stl.c */
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "stl");
}
