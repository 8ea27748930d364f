/* Reading and writing safetensors: see safetensors.h. */
#include "model/safetensors.h"

#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "kernels/kernels.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const struct {
    const char *name;
    size_t size;
} types[6] =
    /* by enum st_type */ {{"F16", 2}, {"F32", 4}, {"F64", 8}, {"I32", 4}, {"I64", 8}, {"U8", 1}};

static int bad(const struct safetensors *st, const char *tensor, const char *what)
{
    return error_topic(
        error_in(GLT_EFORMAT, file_name(st->file), "tensor '%.80s': %s", tensor, what),
        GLT_TOPIC_VALUE, tensor);
}

static int parse_shape(struct safetensors *st, struct st_tensor *t, const struct json *shape)
{
    size_t i;
    struct json *item;
    t->items = 1;
    if (json_size(shape) > ST_DIMS)
        return bad(st, t->name, "has more than four dimensions");
    for (i = 0; (item = json_at(shape, i)); i++) {
        if (!json_is(item, JSON_INTEGER) || json_integer_value(item) < 0)
            return bad(st, t->name, "its shape is not made of whole numbers");
        t->shape[i] = json_integer_value(item);
        if (__builtin_mul_overflow(t->items, t->shape[i], &t->items))
            return bad(st, t->name, "its shape is too large");
    }
    t->dims = (int)json_size(shape);
    return 0;
}

static int parse_tensor(struct safetensors *st, struct st_tensor *t, const char *name,
                        const struct json *value)
{
    t->name = name;
    const struct json *shape = json_get(value, "shape");
    const struct json *place = json_get(value, "data_offsets");
    const char *type = json_string_value(json_get(value, "dtype"));
    if (!json_is(shape, JSON_ARRAY) || !json_is(place, JSON_ARRAY) || json_size(place) != 2 ||
        !type || json_size(value) != 3)
        return bad(st, name, "give dtype, shape and data_offsets, and nothing else");
    int known = -1;
    for (int i = 0; i < 6; i++)
        if (!strcmp(type, types[i].name))
            known = i;
    if (known < 0)
        return error_topic(error_in(GLT_EUNSUPPORTED, file_name(st->file),
                                    "tensor '%.80s': type '%.20s' is not one of F16 F32 "
                                    "F64 I32 I64 U8",
                                    name, type),
                           GLT_TOPIC_FORMAT, name);
    t->type = (enum st_type)known;
    TRY(parse_shape(st, t, shape));
    struct json *begin = json_at(place, 0), *end = json_at(place, 1);
    int64_t bytes;
    if (!json_is(begin, JSON_INTEGER) || !json_is(end, JSON_INTEGER) ||
        json_integer_value(begin) < 0 || json_integer_value(end) < json_integer_value(begin))
        return bad(st, name, "its data_offsets are not two ascending whole numbers");
    t->begin = (uint64_t)json_integer_value(begin);
    t->end = (uint64_t)json_integer_value(end);
    if (__builtin_mul_overflow(t->items, (int64_t)types[t->type].size, &bytes) ||
        t->end - t->begin != (uint64_t)bytes)
        return bad(st, name, "shape x type is not the number of bytes its data_offsets give");
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct st_tensor *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* The tensors must tile the data. */
static int check_places(struct safetensors *st)
{
    uint64_t at = 0, all = (uint64_t)(file_size(st->file) - st->data);
    qsort(st->tensors, (size_t)st->count, sizeof *st->tensors, by_place);
    for (int i = 0; i < st->count; i++) {
        const struct st_tensor *t = &st->tensors[i];
        if (t->begin < at)
            return bad(st, t->name, "its data overlaps another tensor's");
        if (t->begin > at)
            return bad(st, t->name, "there is a gap in the data before it");
        if (t->end > all)
            return bad(st, t->name,
                       "its data ends past the end of the file: the file was cut short");
        at = t->end;
    }
    if (at != all)
        return error_topic(error_in(GLT_EFORMAT, file_name(st->file),
                                    "%llu bytes follow the last tensor",
                                    (unsigned long long)(all - at)),
                           GLT_TOPIC_SYNTAX, NULL);
    return 0;
}

static int parse_header(struct safetensors *st, const char *text, size_t len)
{
    TRY(json_parse(&st->header, file_name(st->file), text, len));
    if (!json_is(st->header, JSON_OBJECT))
        return error_topic(
            error_in(GLT_EFORMAT, file_name(st->file), "the header is not a JSON object"),
            GLT_TOPIC_SYNTAX, NULL);
    st->tensors = memory_alloc(json_size(st->header), sizeof *st->tensors);
    if (!st->tensors)
        return GLT_ENOMEM;
    const char *name;
    struct json *value;
    for (size_t at_name = 0;
         (name = json_key(st->header, at_name)) && (value = json_at(st->header, at_name));
         at_name++) {
        if (!strcmp(name, "__metadata__")) {
            const char *key;
            struct json *item;
            for (size_t at_key = 0;
                 (key = json_key(value, at_key)) && (item = json_at(value, at_key)); at_key++) {
                if (!json_is(item, JSON_STRING))
                    return error_topic(error_in(GLT_EFORMAT, file_name(st->file),
                                                "metadata '%.80s' is not a string", key),
                                       GLT_TOPIC_SYNTAX, NULL);
            }
            continue;
        }
        TRY(parse_tensor(st, &st->tensors[st->count], name, value));
        st->count++;
    }
    return check_places(st);
}

/* Finds the 32 digits in the header's text; the raw key cannot occur inside a string, where quotes
 * are escaped. */
static int find_digest(const struct safetensors *st, char *text, size_t len, char **digits)
{
    static const char key[] = "\"gelatto.digest\"";
    char *at = memmem(text, len, key, sizeof key - 1), *end = text + len;
    if (at) {
        for (at += sizeof key - 1; at < end && strchr(" \t\r\n:", *at); at++) {
        }
        if (at < end && *at == '"' && end - at > ST_DIGEST + 1 && at[ST_DIGEST + 1] == '"') {
            *digits = at + 1;
            return 0;
        }
    }
    return error_topic(
        error_in(GLT_EFORMAT, file_name(st->file),
                 "no gelatto.digest in its metadata: not a gelatto model, or not whole"),
        GLT_TOPIC_MISSING, "gelatto.digest");
}

void safetensors_print_digest(char out[ST_DIGEST + 1], XXH128_hash_t hash)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    for (int i = 0; i < ST_DIGEST / 2; i++) {
        out[2 * i] = "0123456789abcdef"[canonical.digest[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[canonical.digest[i] & 15];
    }
    out[ST_DIGEST] = 0;
}

static int hash_data(struct safetensors *st, XXH3_state_t *state)
{
    int64_t left = file_size(st->file) - st->data;
    TRY(file_seek(st->file, st->data));
    while (left > 0) {
        const unsigned char *bytes;
        size_t len;
        TRY(file_peek(st->file, &bytes, &len, 1));
        if (len == 0)
            return error_topic(
                error_in(GLT_EIO, file_name(st->file), "became shorter while it was read"),
                GLT_TOPIC_TRUNCATED, NULL);
        if ((int64_t)len > left)
            len = (size_t)left;
        XXH3_128bits_update(state, bytes, len);
        TRY(file_skip(st->file, (int64_t)len));
        left -= (int64_t)len;
    }
    return 0;
}

/* x with its bytes in memory in little-endian order. */
static uint64_t little_endian(uint64_t x)
{
    unsigned char bytes[sizeof x];
    for (size_t i = 0; i < sizeof x; i++)
        bytes[i] = (unsigned char)(x >> 8 * i);
    memcpy(&x, bytes, sizeof x);
    return x;
}

static int check_digest(struct safetensors *st, char *text, size_t len)
{
    char *digits = NULL, found[ST_DIGEST + 1];
    uint64_t le = little_endian((uint64_t)len);
    TRY(find_digest(st, text, len, &digits));
    memcpy(st->digest, digits, ST_DIGEST);
    memset(digits, '0', ST_DIGEST);
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, &le, sizeof le);
    XXH3_128bits_update(state, text, len);
    int code = hash_data(st, state);
    safetensors_print_digest(found, XXH3_128bits_digest(state));
    XXH3_freeState(state);
    TRY(code);
    if (memcmp(found, st->digest, ST_DIGEST))
        return error_topic(
            error_in(GLT_EFORMAT, file_name(st->file),
                     "digest %s does not match its content (%s): the file is damaged; "
                     "copy it again",
                     st->digest, found),
            GLT_TOPIC_DIGEST, NULL);
    return 0;
}

int safetensors_open(struct safetensors *out, struct file *f)
{
    struct safetensors st = {.file = f};
    uint64_t len;
    TRY(file_seek(f, 0));
    TRY(file_read_u64le(f, &len));
    if (len > ST_HEADER_MAX)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "not a model: it does not begin like a safetensors file"),
                           GLT_TOPIC_FORMAT, NULL);
    if ((int64_t)len > file_left(f))
        return error_topic(
            error_in(GLT_EFORMAT, file_name(f),
                     "a header of %llu bytes, but only %lld follow: the file is cut, or "
                     "not a model",
                     (unsigned long long)len, (long long)file_left(f)),
            GLT_TOPIC_TRUNCATED, NULL);
    char *text = memory_alloc(len + 1, 1);
    if (!text)
        return GLT_ENOMEM;
    st.data = 8 + (int64_t)len;
    int code = file_read(f, text, len);
    if (code == 0 && text[0] != '{')
        code = error_topic(
            error_in(GLT_EFORMAT, file_name(f), "its header does not begin with {: not a model"),
            GLT_TOPIC_FORMAT, NULL);
    if (code == 0)
        code = parse_header(&st, text, len);
    if (code == 0)
        code = check_digest(&st, text, len);
    memory_free(text);
    if (code < 0)
        safetensors_close(&st);
    else
        *out = st;
    return code;
}

void safetensors_close(struct safetensors *st)
{
    json_free(st->header);
    memory_free(st->tensors);
    *st = (struct safetensors){0};
}

const struct st_tensor *safetensors_find(const struct safetensors *st, const char *name)
{
    for (int i = 0; i < st->count; i++)
        if (!strcmp(st->tensors[i].name, name))
            return &st->tensors[i];
    return NULL;
}

const char *safetensors_meta(const struct safetensors *st, const char *key)
{
    return json_string_value(json_get(json_get(st->header, "__metadata__"), key));
}

int safetensors_read(const struct safetensors *st, const struct st_tensor *t, void *out)
{
    TRY(file_seek(st->file, st->data + (int64_t)t->begin));
    TRY(file_read(st->file, out, (size_t)(t->end - t->begin)));
    if (file_host_is_big_endian())
        file_swap(out, (size_t)t->items, types[t->type].size);
    return 0;
}

int safetensors_read_floats(const struct safetensors *st, const struct st_tensor *t, float *out)
{
    if (t->type == ST_F32)
        return safetensors_read(st, t, out);
    if (t->type != ST_F16)
        return bad(st, t->name, "is neither F16 nor F32");
    uint16_t *half = memory_alloc((size_t)t->items, sizeof *half);
    if (!half)
        return GLT_ENOMEM;
    int code = safetensors_read(st, t, half);
    if (code == 0)
        kernels()->half_to_float(out, half, t->items);
    memory_free(half);
    return code;
}

/* --- writing: the header padded with blanks to 8 bytes, tensors as given, the digest last --- */

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
        int64_t end = at + items_of(s) * (int64_t)types[s->type].size;
        json_set(root, s->name,
                 json_pack("{s:s, s:o, s:[I, I]}", "dtype", types[s->type].name, "shape", shape,
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
    size_t size = types[s->type].size, from = s->type == ST_F16 ? sizeof(float) : size;
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
    uint64_t le = little_endian((uint64_t)padded);
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
    safetensors_print_digest(digest, XXH3_128bits_digest(state));
    return file_patch(f, 8 + (at - text) + (int64_t)sizeof key - 1, digest, ST_DIGEST);
}

int safetensors_put(struct file *f, const struct st_source *tensors, int count,
                    const struct json *metadata)
{
    char *text = NULL;
    size_t len;
    XXH3_state_t *state = NULL;
    int code = make_header(&text, &len, tensors, count, metadata);
    if (code == 0 && len + 8 > ST_HEADER_MAX) /* it could not be read again */
        code = error_topic(
            error_in(GLT_ELIMIT, file_name(f),
                     "not written: a header of %zu bytes, but at most %d are read; give "
                     "fewer classes or shorter names",
                     len, ST_HEADER_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    if (code == 0 && !(state = XXH3_createState()))
        code = error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    if (code == 0) {
        XXH3_128bits_reset(state);
        code = put_all(f, state, text, len, tensors, count);
    }
    if (state)
        XXH3_freeState(state);
    memory_free(text);
    return code;
}

int safetensors_write(const char *path, const struct st_source *tensors, int count,
                      const struct json *metadata)
{
    struct file *f;
    TRY(file_create(&f, path));
    return file_finish(f, safetensors_put(f, tensors, count, metadata));
}
