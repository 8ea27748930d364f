/* Digests of files and of pieces of memory (XXH3-128, in hex). */
#ifndef DATASETS_DIGEST_H
#define DATASETS_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_SIZE = 33 }; /* 32 digits and a NUL */

/* Of a file's bytes, or of the names and bytes of all files under a folder. */
int digest_path(char hex[DIGEST_SIZE], int64_t *bytes, const char *path);

/* Combines pieces into one digest, each with its length. */
struct digest;
int digest_begin(struct digest **out);
void digest_add(struct digest *x, const void *bytes, size_t len);
void digest_text(struct digest *x, const char *text);
void digest_end(char hex[DIGEST_SIZE], struct digest *x); /* releases it */

#endif
