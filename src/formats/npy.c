/* Numpy arrays: reading one array from a byte source, and what is asked of arrays.
 *
 * Reference: numpy/lib/format.py. The product of shape and item size is compared with the bytes the
 * source has before anything is allocated. */
#include "formats/npy.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "formats/h5.h"
#include "formats/npy_header.h"

#include <inttypes.h>
#include <string.h>

void array_clear(struct array *a)
{
    for (int32_t i = 0; i < a->n_fields; i++)
        memory_free(a->fields[i].name);
    memory_free(a->fields);
    memory_free(a->name);
    memory_free(a->data);
    memset(a, 0, sizeof *a);
}

void arrays_free(struct arrays *a)
{
    for (int32_t i = 0; i < a->n; i++)
        array_clear(&a->items[i]);
    memory_free(a->items);
    *a = (struct arrays){0};
}

const struct array *arrays_find(const struct arrays *a, const char *name)
{
    for (int32_t i = 0; i < a->n; i++)
        if (strcmp(a->items[i].name, name) == 0)
            return &a->items[i];
    return NULL;
}

static int take(struct npy_source *s, void *dst, size_t len)
{
    if (len > s->left)
        return error_set(GLT_EFORMAT,
                         "%s: %zu bytes are needed, but only %" PRIu64
                         " are left: the array is cut short or damaged",
                         s->name, len, s->left);
    TRY(s->read(s, dst, len));
    s->left -= len;
    return 0;
}

/* Appends one code point as UTF-8 if it fits. */
static size_t put_utf8(char *dst, size_t at, size_t size, uint32_t c)
{
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char mark[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (c > 0x10ffff || at + len >= size)
        return at;
    for (size_t i = len; i-- > 1; c >>= 6)
        dst[at + i] = (char)(0x80 | (c & 0x3f));
    dst[at] = (char)(mark[len] | c);
    return at + len;
}

/* Latin-1, of which every letter is a code point of two bytes at most, as UTF-8. */
static int from_latin1(char **text, size_t *len)
{
    size_t high = 0, at = 0;
    for (size_t i = 0; i < *len; i++)
        high += (unsigned char)(*text)[i] >= 0x80;
    if (high == 0)
        return 0;
    char *wide = memory_alloc(*len + high + 1, 1);
    if (!wide)
        return GLT_ENOMEM;
    for (size_t i = 0; i < *len; i++)
        at = put_utf8(wide, at, *len + high + 1, (unsigned char)(*text)[i]);
    memory_free(*text);
    *text = wide;
    *len = at;
    return 0;
}

/* Magic, version and the literal in UTF-8, which the caller frees. */
static int read_literal(char **out, size_t *out_len, struct npy_source *s)
{
    unsigned char head[12];
    TRY(take(s, head, 10));
    if (memcmp(head, "\x93NUMPY", 6) != 0)
        return error_set(GLT_EFORMAT, "%s does not begin with \\x93NUMPY", s->name);
    if (head[6] < 1 || head[6] > 3)
        return error_set(GLT_EUNSUPPORTED, "%s: npy version %d is not known", s->name, head[6]);
    size_t len = head[8] | (size_t)head[9] << 8;
    if (head[6] > 1) {
        TRY(take(s, head + 10, 2));
        len |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
    }
    if (len > NPY_HEADER_MOST || len > s->left)
        return error_set(GLT_EFORMAT, "%s: an npy header of %zu bytes cannot be", s->name, len);
    char *text = memory_alloc(len + 1, 1);
    if (!text)
        return GLT_ENOMEM;
    int code = take(s, text, len);
    if (code == 0 && head[6] < 3)
        code = from_latin1(&text, &len);
    if (code < 0) {
        memory_free(text);
        return code;
    }
    *out = text;
    *out_len = len;
    return 0;
}

/* The fields of big-endian arrays, turned round in place. */
static void swap_fields(struct array *a, const struct npy_header *h)
{
    for (int32_t k = 0; k < a->n_fields; k++) {
        const struct array_field *x = &a->fields[k];
        size_t width = x->kind == 'U' ? 4 : x->size / (size_t)(x->width ? x->width : 1);
        if (h->fields[k].swap == file_host_is_big_endian() || x->kind == 'S' || x->kind == 'V' ||
            width < 2)
            continue;
        if (x->size == a->item_size) {
            file_swap(a->data, (size_t)a->count * (x->size / width), width);
            continue;
        }
        for (int64_t i = 0; i < a->count; i++)
            file_swap(a->data + (size_t)i * a->item_size + x->offset, x->size / width, width);
    }
}

/* From first-index-fastest to row-major. */
static int transpose(struct array *a)
{
    unsigned char *turned = memory_alloc((size_t)a->count, a->item_size);
    if (!turned)
        return GLT_ENOMEM;
    int64_t index[ARRAY_DIMS] = {0};
    for (int64_t i = 0; i < a->count; i++) { /* i walks the file; index is its place */
        int64_t to = 0;
        for (int32_t d = 0; d < a->n_dims; d++)
            to = to * a->shape[d] + index[d];
        memcpy(turned + (size_t)to * a->item_size, a->data + (size_t)i * a->item_size,
               a->item_size);
        for (int32_t d = 0; d < a->n_dims && ++index[d] == a->shape[d]; d++)
            index[d] = 0;
    }
    memory_free(a->data);
    a->data = turned;
    return 0;
}

static int copy_header(struct array *a, const struct npy_header *h)
{
    a->n_dims = h->n_dims;
    memcpy(a->shape, h->shape, sizeof a->shape);
    a->count = h->count;
    a->item_size = h->item_size;
    a->structured = h->structured;
    a->fields = memory_alloc((size_t)h->n_fields, sizeof *a->fields);
    if (!a->fields)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < h->n_fields; i++) {
        a->fields[i] = h->fields[i].field;
        a->fields[i].name = memory_string(h->fields[i].name);
        if (!a->fields[i].name)
            return GLT_ENOMEM;
        a->n_fields = i + 1;
    }
    return 0;
}

static int read_data(struct array *a, const struct npy_header *h, struct npy_source *s)
{
    size_t bytes;
    if (__builtin_mul_overflow((size_t)h->count, h->item_size, &bytes) || bytes > s->left)
        return error_set(GLT_EFORMAT,
                         "%s: the npy header declares %" PRId64 " items of %zu bytes, but only "
                         "%" PRIu64 " bytes follow: the array is cut short or damaged",
                         s->name, h->count, h->item_size, s->left);
    TRY(copy_header(a, h));
    a->data = memory_alloc(bytes, 1);
    if (!a->data)
        return GLT_ENOMEM;
    TRY(take(s, a->data, bytes));
    swap_fields(a, h);
    return h->fortran && a->n_dims > 1 && a->count > 0 ? transpose(a) : 0;
}

int npy_read_header(struct npy_header *h, struct npy_source *s)
{
    char *text = NULL;
    size_t len = 0;
    TRY(read_literal(&text, &len, s));
    int code = npy_parse_header(h, text, len, s->name);
    memory_free(text);
    return code;
}

int npy_read_array(struct array *out, struct npy_source *s)
{
    struct array a = {0};
    struct npy_header h = {0};
    int code = npy_read_header(&h, s);
    if (code == 0)
        code = read_data(&a, &h, s);
    npy_clear_header(&h);
    if (code < 0)
        array_clear(&a);
    else
        *out = a;
    return code;
}

static int read_source(struct npy_source *s, void *dst, size_t len)
{
    return file_read(((struct npy_file *)s)->f, dst, len);
}

struct npy_file npy_file(struct file *f)
{
    return (struct npy_file){{read_source, (uint64_t)file_left(f), file_name(f)}, f};
}

static int read_single(struct arrays *out, struct file *f)
{
    struct npy_file s = npy_file(f);
    out->items = memory_alloc(1, sizeof *out->items);
    if (!out->items)
        return GLT_ENOMEM;
    TRY(npy_read_array(out->items, &s.source));
    out->n = 1;
    out->items->name = memory_string("");
    return out->items->name ? 0 : GLT_ENOMEM;
}

int arrays_read_file(struct arrays *out, struct file *f)
{
    struct arrays a = {0};
    const unsigned char *bytes;
    size_t len;
    TRY(file_peek(f, &bytes, &len, 4096));
    bool single = len >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
    bool hdf5 = !single && h5_probe(bytes, len < 4096 ? len : 4096);
    int code = single ? read_single(&a, f) : hdf5 ? h5_read_arrays(&a, f) : npz_read_arrays(&a, f);
    if (code < 0)
        arrays_free(&a);
    else
        *out = a;
    return code;
}

int arrays_read(struct arrays *out, const char *path)
{
    struct file *f;
    TRY(file_open(&f, path));
    int code = arrays_read_file(out, f);
    file_close(f);
    return code;
}

int array_values(void *dst, enum glt_type type, const struct array *a, int64_t begin, int64_t n)
{
    if (a->n_fields != 1 || !strchr("iufb", a->fields[0].kind))
        return error_set(GLT_EDATA, "array %s does not hold plain numbers", a->name);
    int64_t values = a->count * a->fields[0].width;
    if (begin < 0 || n < 0 || begin > values - n)
        return error_set(GLT_EDATA,
                         "array %s has %" PRId64 " values, but %" PRId64 " from %" PRId64
                         " on are needed",
                         a->name, values, n, begin);
    struct column x = {.type = a->fields[0].type, .width = 1, .scale = 1, .data = a->data};
    column_convert(dst, type, 0, &x, begin, n);
    return 0;
}

int array_text(char *dst, size_t size, const struct array *a, int64_t i)
{
    if (a->n_fields != 1 || i < 0 || i >= a->count || !strchr("SU", a->fields[0].kind))
        return error_set(GLT_EDATA, "array %s has no text number %" PRId64, a->name, i);
    const unsigned char *item = a->data + (size_t)i * a->item_size;
    size_t at = 0;
    if (a->fields[0].kind == 'S') {
        while (at < a->item_size && at + 1 < size && item[at]) {
            dst[at] = (char)item[at];
            at++;
        }
    } else {
        uint32_t c = 1;
        for (size_t k = 0; k < a->item_size && c; k += 4) {
            memcpy(&c, item + k, 4);
            at = c ? put_utf8(dst, at, size, c) : at;
        }
    }
    dst[at] = 0;
    return 0;
}
