/* Helpers of the format tests: synthetic clouds, comparison byte for byte, a folder for files. */
#ifndef TESTS_IO_CLOUD_H
#define TESTS_IO_CLOUD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cloud/labels.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/random.h"
#include "formats/format.h"
#include "own_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A path in the folder of the test, valid until the next call. */
static inline const char *scratch(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", own_folder(), name);
    return path;
}

/* Random bits, but finite: the bytes of a NaN need not survive text. */
static inline void fill_column(struct column *x, int64_t n, struct random *r)
{
    unsigned char *bytes = x->data;
    for (size_t i = 0; i < (size_t)(n * x->width) * type_size(x->type); i++)
        bytes[i] = (unsigned char)random_u32(r);
    for (int64_t i = 0; i < n * x->width; i++) {
        if (x->type == GLT_F32)
            ((float *)x->data)[i] = (float)(random_normal(r) * 100);
        if (x->type == GLT_F64)
            ((double *)x->data)[i] = random_normal(r) * 1e6;
    }
}

/* x y z of `type`, then one attribute of every type whose bit is set in `types`. */
static inline struct glt_cloud *made_cloud(int64_t n, enum glt_type type, unsigned types,
                                           uint32_t seed)
{
    struct glt_cloud *c;
    struct column *x;
    struct random r = random_start(random_stream(seed, 0, 0, RANDOM_TEST), 0);
    assert_int_equal(cloud_new(&c, n), 0);
    const char *xyz[] = {"x", "y", "z"};
    for (int d = 0; d < 3; d++) {
        assert_int_equal(cloud_add_attribute(&x, c, xyz[d], type), 0);
        fill_column(x, n, &r);
    }
    for (int t = 0; t < 10; t++)
        if (types >> t & 1) {
            char name[16];
            snprintf(name, sizeof name, "attr_%s", type_name((enum glt_type)t));
            assert_int_equal(cloud_add_attribute(&x, c, name, (enum glt_type)t), 0);
            fill_column(x, n, &r);
        }
    return c;
}

static inline void assert_same_column(const struct column *a, const struct column *b, int64_t n)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->width, b->width);
    assert_true(a->scale == b->scale && a->offset == b->offset);
    assert_int_equal(a->start != NULL, b->start != NULL);
    size_t items = (size_t)(n * a->width);
    if (a->start) {
        assert_memory_equal(a->start, b->start, ((size_t)n + 1) * sizeof *a->start);
        items = (size_t)a->start[n];
    }
    assert_memory_equal(a->data, b->data, items * type_size(a->type));
}

static inline void assert_same_cloud(const struct glt_cloud *a, const struct glt_cloud *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->n_columns, b->n_columns);
    for (int32_t i = 0; i < a->n_columns; i++)
        assert_same_column(&a->columns[i], &b->columns[i], a->n);
    assert_int_equal(a->n_elements, b->n_elements);
    assert_int_equal(a->n_before, b->n_before);
    for (int32_t i = 0; i < a->n_elements; i++) {
        const struct element *e = &a->elements[i], *g = &b->elements[i];
        assert_string_equal(e->name, g->name);
        assert_int_equal(e->n, g->n);
        assert_int_equal(e->n_columns, g->n_columns);
        for (int32_t k = 0; k < e->n_columns; k++)
            assert_same_column(&e->columns[k], &g->columns[k], e->n);
    }
    assert_int_equal(a->n_comments, b->n_comments);
    for (int32_t i = 0; i < a->n_comments; i++)
        assert_string_equal(a->comments[i], b->comments[i]);
}

/* Counts lines of a level and topic, with a name unless it is NULL:
 * glt_log_set(count_messages, &logged). */
struct log_count {
    enum glt_log_level level;
    enum glt_topic topic;
    const char *name;
    int times;
};

static inline void count_messages(void *user, enum glt_log_level level, const char *message)
{
    struct log_count *t = user;
    (void)message;
    t->times += level == t->level && glt_log_topic() == t->topic &&
                (!t->name || !strcmp(glt_log_name(), t->name));
}

static inline struct glt_cloud *read_text(const char *name, const char *text, size_t len,
                                          const struct format_options *o, int want)
{
    struct file *f;
    struct glt_cloud *c = NULL;
    assert_int_equal(file_open_memory(&f, name, text, len), 0);
    int code = format_read_file(&c, f, o);
    if (code != want)
        print_error("%s: %d instead of %d: %s\n", name, code, want, glt_error_message());
    assert_int_equal(code, want);
    file_close(f);
    return c;
}

static inline struct glt_cloud *read_back(const struct glt_cloud *c, const char *name,
                                          const struct format_options *o)
{
    struct glt_cloud *back = NULL;
    if (format_write(c, scratch(name), o) < 0 || format_read(&back, scratch(name), o) < 0) {
        print_error("%s: %s\n", name, glt_error_message());
        fail();
    }
    return back;
}

#endif
