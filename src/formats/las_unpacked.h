/* What a cloud keeps of a LAZ file: the header and records that the same points as LAS have. */
#ifndef FORMATS_LAS_UNPACKED_H
#define FORMATS_LAS_UNPACKED_H

#include <stdbool.h>
#include <stdint.h>

struct call;
struct file;
struct glt_cloud;

/* Changes the notes las.header and las.vlrs of a cloud, whose points are read, and sets las.behind.
 * end: of the compressed points. GLT_EFORMAT if a record after them is cut short; salvaging, all
 * of them are left out then. */
int las_unpacked_notes(struct call *call, struct glt_cloud *c, struct file *f, int64_t end,
                       bool salvage);

#endif
