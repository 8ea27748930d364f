/* Writing safetensors: header padded with blanks to 8 bytes, tensors as given, the digest last. */
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/memory.h"
#include "kernels/kernels.h"
#include "model/safetensors_internal.h"

#include <string.h>

enum { BLOCK = 1 << 16 }; /* items converted at a time */

static int64_t items_of(const struct st_source *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->dims; i++)
        n *= s->shape[i];
    return n;
}

/* The header with a digest of zeros, in the order of the tensors. */
static int make_header(char **text, size_t *len, const struct st_source *tensors, int count,
                       const struct json *metadata)
{
    struct json *root = json_object(), *meta = json_copy(metadata);
    char zeros[ST_DIGEST + 1] = "00000000000000000000000000000000";
    json_set(meta, "gelatto.digest", json_string(zeros));
    json_set(root, "__metadata__", meta);
    int64_t at = 0;
    for (int i = 0; i < count; i++) {
        const struct st_source *s = &tensors[i];
        struct json *shape = json_array();
        for (int d = 0; d < s->dims; d++)
            json_append(shape, json_integer(s->shape[d]));
        int64_t end = at + items_of(s) * (int64_t)st_size(s->type);
        json_set(root, s->name,
                 json_pack("{s:s, s:o, s:[I, I]}", "dtype", st_names[s->type].name, "shape", shape,
                           "data_offsets", at, end));
        at = end;
    }
    int code = json_print(text, len, root);
    json_free(root);
    return code;
}

static int put(struct file *f, XXH3_state_t *state, const void *bytes, size_t len)
{
    XXH3_128bits_update(state, bytes, len);
    return file_write(f, bytes, len);
}

static int put_items(struct file *f, XXH3_state_t *state, const struct st_source *s, void *buffer)
{
    int64_t n = items_of(s);
    size_t size = st_size(s->type), from = s->type == ST_F16 ? sizeof(float) : size;
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t some = n - i < BLOCK ? n - i : BLOCK;
        const void *items = (const char *)s->items + (size_t)i * from;
        if (s->type == ST_F16)
            kernels()->float_to_half(buffer, items, some);
        else
            memcpy(buffer, items, (size_t)some * size);
        if (file_host_is_big_endian())
            file_swap(buffer, (size_t)some, size);
        TRY(put(f, state, buffer, (size_t)some * size));
    }
    return 0;
}

static int put_all(struct file *f, XXH3_state_t *state, const char *text, size_t len,
                   const struct st_source *tensors, int count)
{
    size_t padded = (len + 7) / 8 * 8;
    uint64_t le = htole64((uint64_t)padded);
    TRY(put(f, state, &le, sizeof le));
    TRY(put(f, state, text, len));
    TRY(put(f, state, "       ", padded - len));
    void *buffer = memory_alloc(BLOCK, 8);
    if (!buffer)
        return GLT_ENOMEM;
    int code = 0;
    for (int i = 0; i < count && code == 0; i++)
        code = put_items(f, state, &tensors[i], buffer);
    memory_free(buffer);
    TRY(code);
    static const char key[] = "\"gelatto.digest\":\"";
    const char *at = memmem(text, len, key, sizeof key - 1);
    ASSERT(at);
    char digest[ST_DIGEST + 1];
    st_digest_print(digest, XXH3_128bits_digest(state));
    return file_patch(f, 8 + (at - text) + (int64_t)sizeof key - 1, digest, ST_DIGEST);
}

int safetensors_write(const char *path, const struct st_source *tensors, int count,
                      const struct json *metadata)
{
    char *text = NULL;
    size_t len;
    struct file *f = NULL;
    XXH3_state_t *state = NULL;
    int code = make_header(&text, &len, tensors, count, metadata);
    if (code == 0 && len + 8 > ST_HEADER_MOST) /* nobody could read it again */
        code = error_set(GLT_ELIMIT,
                         "%s: not written: a header of %zu bytes, but at most %d are read; give "
                         "fewer classes or shorter names",
                         path, len, ST_HEADER_MOST);
    if (code == 0)
        code = file_create(&f, path);
    if (code == 0 && !(state = XXH3_createState()))
        code = error_set(GLT_ENOMEM, "out of memory");
    if (code == 0) {
        XXH3_128bits_reset(state);
        code = put_all(f, state, text, len, tensors, count);
    }
    if (code == 0) {
        code = file_commit(f);
        if (code == 0)
            f = NULL;
    }
    if (state)
        XXH3_freeState(state);
    file_close(f);
    memory_free(text);
    return code;
}
