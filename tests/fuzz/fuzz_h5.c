/* The reader of HDF5 files: see fuzz_cloud.h. Built for libFuzzer, it takes any checksum.
 * covers: formats/h5.c formats/h5_arrays.c formats/h5_btree2.c formats/h5_chunks.c
 * covers: formats/h5_file.c formats/h5_group.c formats/h5_links.c formats/h5_object.c */
#include "core/file.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    struct arrays all;
    struct file *f;
    fuzz_cloud(data, size, "h5");
    if (file_open_memory(&f, "fuzz", data, size) < 0)
        return 0;
    if (arrays_read_file(&all, f) == 0)
        arrays_free(&all);
    file_close(f);
    return 0;
}
