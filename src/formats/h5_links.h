/* The links of a group: names of objects. */
#ifndef FORMATS_H5_LINKS_H
#define FORMATS_H5_LINKS_H

#include "formats/h5_file.h"

#include <stddef.h>
#include <stdint.h>

enum { H5_OBJECTS_MAX = 4096 };

struct h5_link {
    char *name;
    uint64_t address; /* of the object's header */
};
struct h5_links {
    struct h5_link *list;
    int64_t n;
};

int h5_links_add(struct h5_links *to, struct h5 *f, const unsigned char *name, size_t len,
                 uint64_t address);
/* Parses a link message of an object header or of a heap of dense links. */
int h5_link_parse(struct h5_links *to, struct h5_cursor *c, struct h5 *f);

#endif
