/* Cached items: what is taken is whole; the digest at their end guards the rest. It is made right
 * first, unless its last byte, a NUL, is another one, so that the reader before it is met.
 * covers: datasets/cache.c
 * but: cache_key cache_read cache_path is_item_of
 * but: is_trusted */
#include "core/file.h"
#include "datasets/cache.h"
#include "datasets/digest.h"
#include "fuzz.h"
#include "sampling/item.h"

#include <string.h>

static void sign(uint8_t *bytes, size_t size)
{
    struct digest *d = NULL;
    if (size < DIGEST_SIZE || bytes[size - 1])
        return;
    PROPERTY(digest_begin(&d) == 0);
    digest_add(d, bytes, size - DIGEST_SIZE);
    digest_end((char *)bytes + size - DIGEST_SIZE, d);
}

int fuzz_one(const uint8_t *data, size_t size)
{
    struct item x = {.category = -1};
    struct file *f = NULL;
    bool found = false;
    uint8_t *bytes = malloc(size + 1);
    PROPERTY(bytes != NULL);
    memcpy(bytes, data, size);
    sign(bytes, size);
    PROPERTY(file_open_memory(&f, "input", bytes, size) == 0);
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
    free(bytes);
    return 0;
}
