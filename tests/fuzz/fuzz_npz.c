/* The reader of npz files: see fuzz_cloud.h.
 * covers: formats/npz.c formats/npz_cloud.c
 * but: select_note note_array select_rows npz_note_is_scale */
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "npz");
}
