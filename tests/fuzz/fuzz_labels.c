/* Label files: as many labels as there are points, or an error; never a byte beyond them. The first
 * byte says how many points there are, the second which kind of file it is.
 * covers: datasets/label_file.c
 * but: label_file_read label_file_is_cloud */
#include "core/file.h"
#include "core/memory.h"
#include "datasets/label_file.h"
#include "fuzz.h"

#include <string.h>

int fuzz_one(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"input.seg", "input.label", "input.npy"};
    struct file *f = NULL;
    if (size < 2 || file_open_memory(&f, names[data[1] % 3], data + 2, size - 2) < 0)
        return 0;
    int64_t n = data[0];
    int32_t *labels = memory_alloc((size_t)n + 1, sizeof *labels);
    PROPERTY(labels != NULL);
    labels[n] = 12345;
    label_file_parse(labels, n, f);
    PROPERTY(labels[n] == 12345);
    memory_free(labels);
    file_close(f);
    return 0;
}
