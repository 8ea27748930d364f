/* COPC: a LAZ file whose chunks are the nodes of an octree, so that a part of it can be read. */
#ifndef FORMATS_COPC_H
#define FORMATS_COPC_H

#include <stdbool.h>
#include <stdint.h>

struct call;
struct file;
struct las_vlr;
struct laz;

bool copc_is_record(const struct las_vlr *v); /* describes the octree */
/* The chunks that meet the box x, y, X, Y: z->spans and z->n, of a file whose header declares z->n
 * points. *bytes += those of the hierarchy that were read, and of the chunks. */
int copc_find_chunks(struct call *call, struct laz *z, struct file *f, const struct las_vlr *v,
                     const double box[4], int64_t *bytes);

#endif
