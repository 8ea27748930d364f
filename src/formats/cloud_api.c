/* The public face of clouds: argument checks, then the functions of cloud.h. */
#include "cloud/cloud.h"
#include "cloud/edit.h"
#include "cloud/info.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/number.h"

#include <string.h>

static bool is_type(enum glt_type type)
{
    return (int)type >= GLT_I8 && (int)type <= GLT_F64;
}

enum { OPTIONS_MOST = 4096 };

/* One word of an option string; value = what stands behind '=', "" without one. */
static int set_option(struct cloud_options *o, const char *key, const char *value)
{
    int64_t number = 0;
    bool is_number = number_is_int(&number, value) && number >= 0;
    if (strcmp(key, "format") == 0)
        o->format = value;
    else if (strcmp(key, "columns") == 0)
        o->columns = value;
    else if (strcmp(key, "encoding") == 0)
        o->encoding = value;
    else if (strcmp(key, "labels") == 0)
        o->labels = true;
    else if (strcmp(key, "vertices") == 0)
        o->vertices = true;
    else if (strcmp(key, "sample") == 0 && is_number)
        o->sample = number;
    else if (strcmp(key, "seed") == 0 && is_number)
        o->seed = (uint64_t)number;
    else
        return error_set(GLT_EARGUMENT,
                         "cloud option %s=%s: known are format=, columns=, vertices, sample=N, "
                         "seed=N, encoding=, labels",
                         key, value);
    return 0;
}

static int set_cloud_option(void *user, const char *key, const char *value)
{
    return set_option(user, key, value);
}

static int set_edit_option(void *user, const char *key, const char *value)
{
    return edit_option(user, key, value);
}

/* Cuts text into words in place and hands them to fn; values point into text. */
static int parse_words(char text[OPTIONS_MOST], const char *options,
                       int (*fn)(void *user, const char *key, const char *value), void *user)
{
    if (!options)
        return 0;
    if (strlen(options) >= OPTIONS_MOST)
        return error_set(GLT_EARGUMENT, "cloud options are longer than %d bytes", OPTIONS_MOST);
    strcpy(text, options);
    for (char *word = text + strspn(text, " "); *word;) {
        size_t len = strcspn(word, " ");
        char *next = word + len + strspn(word + len, " "), *value = word + len;
        *value = 0;
        char *equals = strchr(word, '=');
        if (equals) {
            *equals = 0;
            value = equals + 1;
        }
        TRY(fn(user, word, value));
        word = next;
    }
    return 0;
}

int glt_cloud_read(struct glt_cloud **out, const char *path, const char *options)
{
    GIVEN(out, path);
    char text[OPTIONS_MOST];
    struct cloud_options o = {0};
    TRY(parse_words(text, options, set_cloud_option, &o));
    return cloud_read(out, path, &o);
}

int glt_cloud_write(const struct glt_cloud *c, const char *path, const char *options)
{
    GIVEN(path);
    char text[OPTIONS_MOST];
    struct cloud_options o = {0};
    TRY(parse_words(text, options, set_cloud_option, &o));
    return cloud_write(c, path, &o);
}

int glt_cloud_create(struct glt_cloud **out, int64_t n)
{
    GIVEN(out);
    return cloud_new(out, n);
}

int64_t glt_cloud_count(const struct glt_cloud *c)
{
    GIVEN(c);
    return c->n;
}

int glt_cloud_attribute(const struct glt_cloud *c, int i, const char **name, enum glt_type *type,
                        int *width)
{
    GIVEN(c, name, type, width);
    if (i < 0 || i >= c->n_columns)
        return error_set(GLT_EARGUMENT, "attribute %d of %d was asked for", i, c->n_columns);
    const struct column *x = &c->columns[i];
    *name = x->name;
    *type = x->type;
    *width = x->start ? 0 : x->width;
    return 0;
}

int glt_cloud_get(const struct glt_cloud *c, const char *name, enum glt_type type, void *dst,
                  size_t stride)
{
    GIVEN(c, name);
    if (c->n)
        GIVEN(dst);
    const struct column *x = NULL;
    if (!is_type(type))
        return error_set(GLT_EARGUMENT, "%d is no attribute type", (int)type);
    TRY(column_plain(&x, c, name));
    column_convert(dst, type, stride, x, 0, c->n);
    return 0;
}

int glt_cloud_set(struct glt_cloud *c, const char *name, enum glt_type type, const void *src,
                  size_t stride)
{
    GIVEN(c, name);
    if (c->n)
        GIVEN(src);
    if (!is_type(type) || name[0] == 0)
        return error_set(GLT_EARGUMENT, "attribute \"%s\" of type %d cannot be", name, (int)type);
    size_t size = type_size(type);
    struct column *x = cloud_attribute(c, name);
    void *data = memory_alloc((size_t)c->n, size);
    if (!data)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < c->n; i++)
        memcpy((unsigned char *)data + (size_t)i * size,
               (const unsigned char *)src + (size_t)i * (stride ? stride : size), size);
    if (!x) {
        int code = cloud_add_attribute(&x, c, name, type);
        if (code < 0) {
            memory_free(data);
            return code;
        }
    }
    memory_free(x->data);
    memory_free(x->start);
    x->data = data;
    x->start = NULL;
    x->type = type;
    x->width = 1;
    x->scale = 1;
    x->offset = 0;
    return 0;
}

int glt_cloud_edit(struct glt_cloud **out, const struct glt_cloud *c, const char *options)
{
    if (c)
        GIVEN(out);
    char text[OPTIONS_MOST];
    struct edit e = edit_start();
    TRY(parse_words(text, options, set_edit_option, &e));
    return c ? edit_cloud(out, c, &e) : 0;
}

int glt_cloud_info(char **out, const struct glt_cloud *c, int json)
{
    GIVEN(out, c);
    return info_cloud(out, c, json != 0);
}

void glt_text_free(char *text)
{
    memory_free(text);
}

int glt_cloud_select(struct glt_cloud **out, const struct glt_cloud *c, const int64_t *rows,
                     int64_t n)
{
    GIVEN(out, c);
    if (n)
        GIVEN(rows);
    return cloud_select(out, c, rows, n);
}

void glt_cloud_free(struct glt_cloud *c)
{
    cloud_free(c);
}
