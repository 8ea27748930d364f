/* The reader of obj files: see fuzz_cloud.h.
 * covers: formats/obj.c formats/mesh.c */
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "obj");
}
