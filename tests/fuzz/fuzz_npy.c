/* The reader of npy files: see fuzz_cloud.h; then the same bytes as an array of numbers or text.
 * covers: formats/npy.c formats/npy_cloud.c formats/arrays.c formats/arrays_file.c formats/source.c
 * but: arrays_read stays_plain write npy_field npy_make_header frame is_ascii add_descr add_type
 * but: read_npz read_member */
#include "core/file.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"
#include "fuzz_cloud.h"

static void use_array(const struct array *a)
{
    double value;
    char text[64];
    if (a->count == 0)
        return;
    if (arrays_values(&value, GLT_F64, a, a->count - 1, 1) < 0)
        (void)arrays_text(text, sizeof text, a, a->count - 1);
    PROPERTY(arrays_values(&value, GLT_F64, a, a->count, 1) < 0);
}

int fuzz_one(const uint8_t *data, size_t size)
{
    struct arrays a = {0};
    struct file *f = NULL;
    PROPERTY(file_open_memory(&f, "input.npy", data, size) == 0);
    if (arrays_read_file(&a, f) == 0) {
        for (int32_t i = 0; i < a.n; i++)
            use_array(&a.items[i]);
        PROPERTY(arrays_find(&a, "no such") == NULL);
        arrays_free(&a);
    }
    file_close(f);
    return fuzz_cloud(data, size, "npy");
}
