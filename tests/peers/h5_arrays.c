/* Prints every array of numbers of HDF5 files, one line each: name, type, shape, CRC-32 of the
 * bytes. tests/peers/h5 compares them with h5py's. */
#include "cloud/type.h"
#include "core/file.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"

#include <stdio.h>
#include <zlib.h>

static int print_file(const char *path)
{
    struct arrays all;
    int code = arrays_read(&all, path);
    if (code < 0) {
        printf("error\t%d\t%s\n", code, glt_error_message());
        return code;
    }
    for (int32_t i = 0; i < all.n; i++) {
        const struct array *a = &all.items[i];
        printf("%s\t%s\t", a->name, type_name(a->fields[0].type));
        for (int d = 0; d < a->n_dims; d++)
            printf("%s%lld", d ? "," : "", (long long)a->shape[d]);
        printf("\t%08lx\n", crc32_z(0, a->data, (size_t)a->count * a->item_size));
    }
    arrays_free(&all);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        printf("file\t%s\n", argv[i]);
        print_file(argv[i]);
    }
    return 0;
}
