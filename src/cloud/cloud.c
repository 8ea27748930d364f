/* Clouds: columns, comments and notes. Invariant: every column holds (n, width) items, or start[n]
 * items of a list, from the moment its reader returns; what a failed call began, cloud_free can
 * take. */
#include "cloud/cloud.h"

#include "core/array.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "formats/format.h"

#include <string.h>

enum { COMMENTS_MOST = 1 << 16 }; /* each costs far more than its letters */

size_t type_size(enum glt_type type)
{
    static const unsigned char size[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return size[type];
}

const char *type_name(enum glt_type type)
{
    static const char *const name[] = {"i8",  "u8",  "i16", "u16", "i32",
                                       "u32", "i64", "u64", "f32", "f64"};
    return name[type];
}

int cloud_new(struct glt_cloud **out, int64_t n)
{
    if (n < 0)
        return error_set(GLT_EARGUMENT, "a cloud of %lld points cannot be", (long long)n);
    struct glt_cloud *c = memory_alloc(1, sizeof *c);
    if (!c)
        return GLT_ENOMEM;
    c->n = n;
    *out = c;
    return 0;
}

void column_clear(struct column *x)
{
    memory_free(x->name);
    memory_free(x->source);
    memory_free(x->start);
    memory_free(x->data);
    memset(x, 0, sizeof *x);
}

void cloud_free(struct glt_cloud *c)
{
    if (!c)
        return;
    for (int32_t i = 0; i < c->n_columns; i++)
        column_clear(&c->columns[i]);
    for (int32_t i = 0; i < c->n_elements; i++) {
        for (int32_t j = 0; j < c->elements[i].n_columns; j++)
            column_clear(&c->elements[i].columns[j]);
        memory_free(c->elements[i].columns);
        memory_free(c->elements[i].name);
    }
    for (int32_t i = 0; i < c->n_comments; i++)
        memory_free(c->comments[i]);
    for (int32_t i = 0; i < c->n_notes; i++) {
        memory_free(c->notes[i].key);
        memory_free(c->notes[i].bytes);
    }
    memory_free(c->columns);
    memory_free(c->elements);
    memory_free(c->comments);
    memory_free(c->notes);
    memory_free(c->path);
    memory_free(c);
}

const char *cloud_name(const struct glt_cloud *c)
{
    return c->path ? c->path : "the cloud";
}

struct column *cloud_attribute(const struct glt_cloud *c, const char *name)
{
    for (int32_t i = 0; i < c->n_columns; i++)
        if (strcmp(c->columns[i].name, name) == 0)
            return &c->columns[i];
    return NULL;
}

int columns_append(struct column **out, struct column **columns, int32_t *n, const char *name,
                   enum glt_type type)
{
    TRY(array_reserve(columns, *n, 1, sizeof **columns));
    struct column *x = &(*columns)[*n];
    *x = (struct column){.type = type, .width = 1, .scale = 1, .counter = GLT_U8};
    x->name = memory_string(name);
    if (!x->name)
        return GLT_ENOMEM;
    ++*n;
    *out = x;
    return 0;
}

int cloud_add_wide(struct column **out, struct glt_cloud *c, const char *name, enum glt_type type,
                   int32_t width)
{
    size_t items;
    if (__builtin_mul_overflow((size_t)c->n, (size_t)width, &items))
        return error_set(GLT_ELIMIT, "attribute %s: %lld x %d values are too many", name,
                         (long long)c->n, width);
    void *data = memory_alloc(items, type_size(type));
    if (!data)
        return GLT_ENOMEM;
    struct column *x;
    int code = columns_append(&x, &c->columns, &c->n_columns, name, type);
    if (code < 0) {
        memory_free(data);
        return code;
    }
    x->width = width;
    x->data = data;
    *out = x;
    return 0;
}

int cloud_add_attribute(struct column **out, struct glt_cloud *c, const char *name,
                        enum glt_type type)
{
    return cloud_add_wide(out, c, name, type, 1);
}

void cloud_remove_attribute(struct glt_cloud *c, const char *name)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < c->n_columns; i++) {
        struct column x = c->columns[i];
        bool repeat = x.source && !strcmp(x.source, name) && strcmp(x.name, canonical_name(name));
        if (strcmp(x.name, name) == 0 || repeat)
            column_clear(&x);
        else
            c->columns[kept++] = x;
    }
    memset(&c->columns[kept], 0, (size_t)(c->n_columns - kept) * sizeof *c->columns);
    c->n_columns = kept;
}

int cloud_declare(struct column **out, struct glt_cloud *c, const char *source, enum glt_type type,
                  int32_t width)
{
    TRY(columns_append(out, &c->columns, &c->n_columns, source, type));
    (*out)->width = width;
    return 0;
}

int cloud_allocate(struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_columns; i++) {
        struct column *x = &c->columns[i];
        size_t items;
        if (x->data || x->start)
            continue;
        if (__builtin_mul_overflow((size_t)c->n, (size_t)x->width, &items))
            return error_set(GLT_ELIMIT, "attribute %s: %lld x %d values are too many", x->name,
                             (long long)c->n, x->width);
        x->data = memory_alloc(items, type_size(x->type));
        if (!x->data)
            return GLT_ENOMEM;
    }
    return 0;
}

int cloud_add_comment(struct glt_cloud *c, const char *text)
{
    if (c->n_comments == COMMENTS_MOST) {
        if (!c->more_comments)
            log_message(GLT_LOG_WARNING, "more than %d comments: those behind are left out",
                        COMMENTS_MOST);
        c->more_comments = true;
        return 0;
    }
    TRY(array_reserve(&c->comments, c->n_comments, 1, sizeof *c->comments));
    char *copy = memory_string(text);
    if (!copy)
        return GLT_ENOMEM;
    c->comments[c->n_comments++] = copy;
    return 0;
}

const struct note *cloud_note(const struct glt_cloud *c, const char *key)
{
    for (int32_t i = 0; i < c->n_notes; i++)
        if (strcmp(c->notes[i].key, key) == 0)
            return &c->notes[i];
    return NULL;
}

int cloud_set_note(struct glt_cloud *c, const char *key, const void *bytes, size_t len)
{
    unsigned char *copy = memory_alloc(len + 1, 1);
    if (!copy)
        return GLT_ENOMEM;
    if (len)
        memcpy(copy, bytes, len);
    for (int32_t i = 0; i < c->n_notes; i++)
        if (strcmp(c->notes[i].key, key) == 0) {
            memory_free(c->notes[i].bytes);
            c->notes[i].bytes = copy;
            c->notes[i].len = len;
            return 0;
        }
    char *name = memory_string(key);
    if (!name || array_reserve(&c->notes, c->n_notes, 1, sizeof *c->notes) < 0) {
        memory_free(name);
        memory_free(copy);
        return GLT_ENOMEM;
    }
    c->notes[c->n_notes++] = (struct note){name, copy, len};
    return 0;
}
