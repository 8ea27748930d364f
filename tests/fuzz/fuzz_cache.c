/* Cached items: what is taken is whole; the digest at their end guards the rest.
 * covers: datasets/cache.c
 * but: cache_key cache_read cache_path is_item_of
 * but: is_trusted */
#include "core/file.h"
#include "datasets/cache.h"
#include "fuzz.h"
#include "sampling/item.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct item x = {.category = -1};
    struct file *f = NULL;
    bool found = false;
    PROPERTY(file_open_memory(&f, "input", data, size) == 0);
    int code = cache_read_file(&x, &found, f);
    PROPERTY(code == 0 || !found);
    if (found) {
        float sum = x.xyz[0] + x.xyz[3 * x.n - 1] + (float)x.row[x.n - 1];
        if (x.labels)
            sum += (float)x.labels[x.n - 1];
        if (x.extra > 0)
            sum += x.features[x.n * x.extra - 1];
        PROPERTY(x.n > 0 && (sum == sum || 1));
    }
    item_clear(&x);
    file_close(f);
    return 0;
}
