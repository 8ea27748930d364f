/* Safetensors files: 8 bytes of length, a JSON header, raw little-endian tensors.
 *
 * Reading checks every rule first: the header's size against the file, duplicate keys, unknown
 * types, shape x type = bytes, and tensors that cover the data from its first byte to its last
 * without overlap or gap. The metadata must carry `gelatto.digest`, XXH3-128 over the whole file
 * with its own 32 digits read as '0'. */
#ifndef MODEL_SAFETENSORS_H
#define MODEL_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

enum st_type { ST_F16, ST_F32, ST_F64, ST_I32, ST_I64, ST_U8 };
enum { ST_DIMS = 4, ST_HEADER_MAX = 8 << 20, ST_DIGEST = 32 };

struct st_tensor {
    const char *name; /* owned by the header */
    enum st_type type;
    int dims;
    int64_t shape[ST_DIMS];
    int64_t items;
    uint64_t begin, end; /* in the data */
};

struct file;
struct safetensors {
    struct file *file; /* borrowed */
    struct json *header;
    struct st_tensor *tensors; /* in the order of their data */
    int count;
    int64_t data; /* offset of the data in the file */
    char digest[ST_DIGEST + 1];
};

/* Reads and checks the header and the digest of an open file, which must outlive the result. */
int safetensors_open(struct safetensors *out, struct file *f);
void safetensors_close(struct safetensors *st);
const struct st_tensor *safetensors_find(const struct safetensors *st, const char *name);
const char *safetensors_meta(const struct safetensors *st, const char *key); /* NULL: none */
/* The items as float (F16 and F32 only), or unconverted. */
int safetensors_read_floats(const struct safetensors *st, const struct st_tensor *t, float *out);
int safetensors_read(const struct safetensors *st, const struct st_tensor *t, void *out);

/* One tensor to write, with its items in memory; F16 is made from float. */
struct st_source {
    char name[96];
    enum st_type type;
    int dims;
    int64_t shape[ST_DIMS];
    const void *items; /* float for F16 and F32 */
};
/* metadata: an object of strings; the digest is added. Written to a temporary, synced, renamed. */
/* The same, into a file that the caller commits. */
int safetensors_put(struct file *f, const struct st_source *tensors, int count,
                    const struct json *metadata);
int safetensors_write(const char *path, const struct st_source *tensors, int count,
                      const struct json *metadata);

void safetensors_print_digest(char out[ST_DIGEST + 1], XXH128_hash_t hash);

#endif
