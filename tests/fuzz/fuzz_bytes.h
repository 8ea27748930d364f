/* Any bytes as what drawing and reports take: numbers, names, a cloud. */
#ifndef TESTS_FUZZ_BYTES_H
#define TESTS_FUZZ_BYTES_H

#include "cloud/cloud.h"
#include "core/file.h"
#include "core/file_write.h"
#include "fuzz.h"

#include <string.h>
#include <unistd.h>

struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
};

/* The next bytes; zeros once there are no more. */
static inline void fuzz_take(struct fuzz_bytes *b, void *dst, size_t len)
{
    size_t now = len < b->left ? len : b->left;
    memset(dst, 0, len);
    if (now)
        memcpy(dst, b->at, now);
    b->at += now;
    b->left -= now;
}

static inline unsigned fuzz_byte(struct fuzz_bytes *b)
{
    uint8_t x;
    fuzz_take(b, &x, 1);
    return x;
}

static inline double fuzz_double(struct fuzz_bytes *b)
{
    double x;
    fuzz_take(b, &x, sizeof x);
    return x;
}

/* A text of up to size - 1 bytes: its length, then it. */
static inline void fuzz_text(struct fuzz_bytes *b, char *dst, size_t size)
{
    size_t len = fuzz_byte(b) % size;
    fuzz_take(b, dst, len);
    dst[len] = 0;
}

/* The first byte says which attributes there are; then names of classes, then up to 64 points. */
static inline struct glt_cloud *fuzz_make_cloud(struct fuzz_bytes *b)
{
    static const struct {
        const char *name;
        enum glt_type type;
        unsigned bit; /* of the first byte; 0: always */
    } rows[] = {{"x", GLT_F64, 0},     {"y", GLT_F32, 0},
                {"z", GLT_F64, 0},     {"red", GLT_F32, 1},
                {"green", GLT_F32, 1}, {"blue", GLT_U8, 1},
                {"label", GLT_F32, 2}, {"classification", GLT_U8, 4},
                {"truth", GLT_I32, 8}, {"confidence", GLT_F32, 16}};
    struct glt_cloud *c = NULL;
    unsigned has = fuzz_byte(b), names = has & 32 ? fuzz_byte(b) % 8 : 0;
    PROPERTY(cloud_new(&c, fuzz_byte(b) % 65) == 0);
    for (unsigned i = 0; i < names; i++) {
        char name[256], comment[300];
        unsigned number = fuzz_byte(b);
        fuzz_text(b, name, sizeof name);
        snprintf(comment, sizeof comment, "class %u %s", number, name);
        PROPERTY(cloud_add_comment(c, comment) == 0);
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct column *x;
        if (rows[k].bit && !(has & rows[k].bit))
            continue;
        PROPERTY(cloud_add_attribute(&x, c, rows[k].name, rows[k].type) == 0);
        fuzz_take(b, x->data, (size_t)c->n * type_size(x->type));
    }
    return c;
}

/* A file that is written to and never put in place. */
static inline struct file *fuzz_output(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    struct file *f = NULL;
    snprintf(path, sizeof path, "%s/fuzz-%ld", folder ? folder : "/tmp", (long)getpid());
    PROPERTY(file_create(&f, path) == 0);
    return f;
}

#endif
