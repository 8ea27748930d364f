/* Digests: see digest.h. */
#include "datasets/digest.h"

#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { CHUNK = 1 << 20 };

/* the library allocates its state with malloc, whatever we do */
struct digest {
    XXH3_state_t *state;
};

int digest_begin(struct digest **out)
{
    struct digest *x = memory_alloc(1, sizeof *x);
    if (!x)
        return GLT_ENOMEM;
    x->state = XXH3_createState();
    if (!x->state) {
        memory_free(x);
        return error_topic(error_set(GLT_ENOMEM, "out of memory for a digest"), GLT_TOPIC_MEMORY,
                           NULL);
    }
    XXH3_128bits_reset(x->state);
    *out = x;
    return 0;
}

void digest_add(struct digest *x, const void *bytes, size_t len)
{
    unsigned char count[8];
    for (int i = 0; i < 8; i++)
        count[i] = (unsigned char)((uint64_t)len >> (8 * i));
    XXH3_128bits_update(x->state, count, sizeof count);
    XXH3_128bits_update(x->state, bytes, len);
}

void digest_text(struct digest *x, const char *text)
{
    digest_add(x, text, strlen(text));
}

void digest_end(char hex[DIGEST_SIZE], struct digest *x)
{
    XXH128_hash_t h = XXH3_128bits_digest(x->state);
    snprintf(hex, DIGEST_SIZE, "%016llx%016llx", (unsigned long long)h.high64,
             (unsigned long long)h.low64);
    XXH3_freeState(x->state);
    memory_free(x);
}

static int add_file(struct digest *x, int64_t *bytes, const char *path)
{
    struct file *f;
    TRY(file_open(&f, path));
    int code = 0;
    *bytes += file_size(f);
    while (code == 0 && file_left(f) > 0) {
        const unsigned char *window;
        size_t len = 0;
        code = file_peek(f, &window, &len, CHUNK);
        if (code == 0 && len == 0)
            code = error_topic(error_in(GLT_EIO, path, "ended while it was read"),
                               GLT_TOPIC_TRUNCATED, NULL);
        if (code == 0) {
            XXH3_128bits_update(x->state, window, len);
            code = file_skip(f, (int64_t)len);
        }
    }
    file_close(f);
    return code;
}

struct walk {
    struct digest *x;
    int64_t bytes;
    size_t root;
};

static int add_walked(void *user, const char *path)
{
    struct walk *w = user;
    int64_t bytes = 0;
    char hex[DIGEST_SIZE];
    TRY(digest_path(hex, &bytes, path));
    w->bytes += bytes;
    digest_text(w->x, path + w->root);
    digest_text(w->x, hex);
    return 0;
}

int digest_path(char hex[DIGEST_SIZE], int64_t *bytes, const char *path)
{
    struct walk w = {.x = NULL, .root = strlen(path)};
    TRY(digest_begin(&w.x));
    int code =
        file_is_folder(path) ? file_walk(path, add_walked, &w) : add_file(w.x, &w.bytes, path);
    digest_end(hex, w.x);
    if (code == 0 && bytes)
        *bytes = w.bytes;
    return code;
}
