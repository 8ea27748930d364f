/* Provenance: which model labelled a cloud, and how.
 *
 * It is kept in comments "gelatto KEY TEXT", one line each, so that PLY, PCD and text files carry
 * it; LAS, LAZ and NPZ have a record of its lines. Only keys of the list in provenance.c count:
 * other comments that begin with the same word are left alone. A classification labels no points:
 * its lines are a note of the cloud, which no format writes. */
#ifndef CLOUD_PROVENANCE_H
#define CLOUD_PROVENANCE_H

#include "cloud/cloud.h"
#include "core/string.h"

enum { PROVENANCE_MAX = 64, PROVENANCE_LINE = 1024 }; /* lines, and bytes of one */

/* The line of a comment, "KEY TEXT"; NULL if it is another comment. */
const char *provenance_comment(const char *comment);
/* Replaces the provenance of the cloud by these lines, each of which ends with a line feed. */
int provenance_set(struct glt_cloud *c, const char *lines, bool comments);
/* Reads lines from a file; those that are not provenance are skipped. */
int provenance_read(struct glt_cloud *c, const char *bytes, size_t len);
/* Appends all lines in comments, as provenance_set takes them. */
void provenance_print(struct string *out, const struct glt_cloud *c);

#endif
