/* Writing a zip archive member by member, as numpy.savez does (always with zip64 room, so a member
 * may grow beyond 4 GiB while it is written). */
#ifndef FORMATS_ZIP_H
#define FORMATS_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ZIP_MEMBERS = 8192 }; /* that are read and written: attributes, and as much beside them */

struct file;
struct z_stream_s;
struct zip;

/* Lets zlib take its memory from ours; for packing and unpacking. */
void zip_memory(struct z_stream_s *stream);

int zip_create(struct zip **out, struct file *f, bool deflate);
size_t zip_count(const struct zip *z);               /* members so far */
bool zip_has(const struct zip *z, const char *name); /* a member */
int zip_begin(struct zip *z, const char *name);
int zip_put(struct zip *z, const void *bytes, size_t len);
int zip_end(struct zip *z);    /* of a member */
int zip_finish(struct zip *z); /* the directory */
void zip_free(struct zip *z);  /* accepts NULL */

#endif
