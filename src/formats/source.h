/* A byte source of known length: a file from its offset on, or a member of an archive. */
#ifndef FORMATS_SOURCE_H
#define FORMATS_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct file;

struct source {
    int (*read)(struct source *s, void *dst, size_t len); /* len is at most left */
    uint64_t left;
    const char *name; /* for messages */
};

/* The next len bytes, or GLT_EFORMAT. */
int source_take(struct source *s, void *dst, size_t len);

struct source_file {
    struct source source;
    struct file *f;
};
struct source_file source_of_file(struct file *f);

#endif
