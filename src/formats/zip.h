/* Zip archives, as numpy.savez makes them: members stored or deflated, also zip64.
 *
 * Reference: PKWARE APPNOTE 6.3.9; RFC 1951 through zlib. */
#ifndef FORMATS_ZIP_H
#define FORMATS_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ZIP_MEMBERS = 8192 }; /* maximum read and written: attributes, and as many other arrays */

struct call;
struct file;
struct source;
struct zip;

/* --- reading --- */
struct zip_member {
    char name[256];
    bool deflated;
    uint32_t crc;
    uint64_t packed, size, header; /* bytes in the file, unpacked, offset of the local header */
};
/* All members. Each size and their sum are compared with the file, and a member that claims more
 * than deflate can produce (1032 to 1) is refused unread. */
int zip_list(struct call *call, struct zip_member **out, size_t *n, struct file *f);
/* The unpacked bytes of a member, whose name must outlive them; the source ends with zip_close. The
 * checksum is verified when the last byte is read. */
int zip_open(struct source **out, const struct zip_member *m, struct file *f);
void zip_close(struct source *s);
/* Whether a member unpacks to the size it claims: a large deflated one is inflated once to count
 * its bytes, before memory is allocated for them. */
int zip_check(const struct zip_member *m, struct file *f);

/* --- writing, member by member; always with space for zip64, so that a member may grow beyond 4
 * GiB while it is written --- */
int zip_create(struct zip **out, struct file *f, bool deflate);
size_t zip_count(const struct zip *z);               /* members so far */
bool zip_has(const struct zip *z, const char *name); /* a member */
int zip_begin(struct zip *z, const char *name);
int zip_put(struct zip *z, const void *bytes, size_t len);
int zip_end(struct zip *z);    /* of a member */
int zip_finish(struct zip *z); /* the directory */
void zip_free(struct zip *z);  /* accepts NULL */

#endif
