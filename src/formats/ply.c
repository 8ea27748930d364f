/* PLY: reading of the body, and the format's row in the table.
 *
 * Every element is read the same way, into columns; the points are the element "vertex", the others
 * travel along. Binary lists take two walks: the first counts the items, so that memory is asked
 * for once and only for items that are there. */
#include "formats/ply.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "formats/rows.h"

#include <inttypes.h>
#include <string.h>

size_t ply_row_size(const struct element *e, bool *has_list)
{
    size_t size = 0;
    *has_list = false;
    for (int32_t i = 0; i < e->n_columns; i++) {
        bool list = e->columns[i].width == 0;
        size += type_size(list ? e->columns[i].counter : e->columns[i].type);
        *has_list = *has_list || list;
    }
    return size;
}

static int too_few(const struct element *e, const struct file *f)
{
    return error_set(GLT_EFORMAT,
                     "%s: the header declares %" PRId64 " of element %s, but only %" PRId64
                     " bytes follow at byte %" PRId64 ": the file is cut short or damaged",
                     file_name(f), e->n, e->name, file_left(f), file_offset(f));
}

static int allocate(struct element *e)
{
    for (int32_t i = 0; i < e->n_columns; i++) {
        struct column *x = &e->columns[i];
        if (x->width == 0)
            x->start = memory_alloc((size_t)e->n + 1, sizeof *x->start);
        else
            x->data = memory_alloc((size_t)e->n, type_size(x->type));
        if (!x->start && !x->data)
            return GLT_ENOMEM;
    }
    return 0;
}

static int read_fixed(struct element *e, struct file *f, size_t row_size)
{
    struct field *fields = memory_alloc((size_t)e->n_columns, sizeof *fields);
    if (!fields)
        return GLT_ENOMEM;
    size_t offset = 0;
    for (int32_t i = 0; i < e->n_columns; i++) {
        size_t size = type_size(e->columns[i].type);
        fields[i] = (struct field){e->columns[i].data, offset, size, 0, 0};
        offset += size;
    }
    int code = rows_read(f, fields, e->n_columns, row_size, e->n);
    memory_free(fields);
    return code;
}

/* A list's length in the file's byte order; negative lengths are refused as huge ones. */
static int read_length(uint64_t *out, struct file *f, enum glt_type type, bool swap)
{
    unsigned char bytes[8];
    struct column x = {.type = type, .width = 1, .scale = 1, .data = bytes};
    size_t size = type_size(type);
    TRY(file_read(f, bytes, size));
    if (swap)
        file_swap(bytes, 1, size);
    if (type == GLT_I64 || type == GLT_U64) {
        memcpy(out, bytes, 8);
        return 0;
    }
    double v = column_value(&x, 0);
    *out = v < 0 ? UINT64_MAX : (uint64_t)v;
    return 0;
}

/* Walks all records: the first time (data of the lists still NULL) lengths only. */
static int walk_lists(struct element *e, struct file *f, bool swap)
{
    for (int64_t i = 0; i < e->n; i++)
        for (int32_t k = 0; k < e->n_columns; k++) {
            struct column *x = &e->columns[k];
            size_t size = type_size(x->type);
            if (x->width != 0) {
                TRY(file_read(f, (unsigned char *)x->data + (size_t)i * size, size));
                continue;
            }
            uint64_t len;
            TRY(read_length(&len, f, x->counter, swap));
            if (len > (uint64_t)file_left(f) / size)
                return error_set(GLT_EFORMAT,
                                 "%s: byte %" PRId64 ": %s %" PRId64 ": a list %s of %" PRIu64
                                 " items, but %" PRId64 " bytes are left",
                                 file_name(f), file_offset(f), e->name, i, x->name, len,
                                 file_left(f));
            if (x->data)
                TRY(file_read(f, (unsigned char *)x->data + (size_t)x->start[i] * size,
                              (size_t)len * size));
            else
                TRY(file_skip(f, (int64_t)(len * size)));
            x->start[i + 1] = x->start[i] + (int64_t)len;
        }
    return 0;
}

static int read_lists(struct element *e, struct file *f, bool swap)
{
    int64_t begin = file_offset(f);
    TRY(walk_lists(e, f, swap));
    for (int32_t k = 0; k < e->n_columns; k++) {
        struct column *x = &e->columns[k];
        if (x->width == 0 && !(x->data = memory_alloc((size_t)x->start[e->n], type_size(x->type))))
            return GLT_ENOMEM;
    }
    TRY(file_seek(f, begin));
    return walk_lists(e, f, swap);
}

static int read_binary(struct element *e, struct file *f, bool swap)
{
    bool has_list;
    size_t row_size = ply_row_size(e, &has_list);
    if (row_size == 0)
        return 0;
    if ((uint64_t)e->n > (uint64_t)file_left(f) / row_size)
        return too_few(e, f);
    TRY(allocate(e));
    TRY(has_list ? read_lists(e, f, swap) : read_fixed(e, f, row_size));
    for (int32_t k = 0; swap && k < e->n_columns; k++) {
        struct column *x = &e->columns[k];
        file_swap(x->data, (size_t)(x->width ? e->n : x->start[e->n]), type_size(x->type));
    }
    return 0;
}

static int read_body(struct ply *p, struct file *f)
{
    int64_t line = file_line_number(f);
    for (int32_t i = 0; i < p->n_elements; i++) {
        struct element *e = &p->elements[i];
        if (e->n_columns == 0)
            e->n = 0; /* nothing of it stands in the file */
        if (p->encoding == PLY_ASCII)
            TRY(ply_read_ascii(e, f, &line));
        else
            TRY(read_binary(e, f, (p->encoding == PLY_BIG) != file_host_is_big_endian()));
        for (int32_t k = 0; k < e->n_columns; k++)
            e->columns[k].width = 1;
    }
    return 0;
}

/* Hands the vertices to the cloud, the other elements beside them. */
static void hand_over(struct glt_cloud *c, struct ply *p)
{
    struct element *v = &p->elements[p->vertex];
    c->n = v->n;
    c->columns = v->columns;
    c->n_columns = v->n_columns;
    memory_free(v->name);
    c->n_before = p->vertex;
    c->n_elements = p->n_elements - 1;
    memmove(v, v + 1, (size_t)(p->n_elements - p->vertex - 1) * sizeof *v);
    c->elements = p->elements;
    p->elements = NULL;
    p->n_elements = 0;
}

static int read(struct glt_cloud *c, struct file *f, const struct format_options *o)
{
    struct ply p = {0};
    int code = ply_read_header(&p, c, f);
    if (code == 0 && p.vertex < 0)
        code = error_set(GLT_EFORMAT, "%s: the PLY file has no element vertex, so no points",
                         file_name(f));
    if (code == 0)
        code = read_body(&p, f);
    if (code == 0) {
        const char *name = ply_encoding_names[p.encoding];
        code = cloud_set_note(c, "ply.format", name, strlen(name));
    }
    if (code == 0 && o->sample)
        code = ply_sample(c, &p, file_name(f), o);
    else if (code == 0)
        hand_over(c, &p);
    for (int32_t i = 0; i < p.n_elements; i++)
        cloud_clear_element(&p.elements[i]);
    memory_free(p.elements);
    string_free(&p.info);
    return code;
}

static bool probe(const unsigned char *bytes, size_t len)
{
    return len >= 4 && memcmp(bytes, "ply", 3) == 0 && memchr("\r\n \t", bytes[3], 4);
}

const struct format format_ply = {.name = "ply",
                                  .extensions = "ply",
                                  .probe = probe,
                                  .read = read,
                                  .write = ply_write,
                                  .encodings = "ascii binary big",
                                  .elements = true,
                                  .mesh = true};
