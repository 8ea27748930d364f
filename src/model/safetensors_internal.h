/* What reader and writer of safetensors share. */
#ifndef MODEL_SAFETENSORS_INTERNAL_H
#define MODEL_SAFETENSORS_INTERNAL_H

#include "model/safetensors.h"

#include <endian.h>
#include <xxhash.h>

struct st_name {
    const char *name;
    size_t size;
};
extern const struct st_name st_names[6]; /* by enum st_type */

void st_digest_print(char out[ST_DIGEST + 1], XXH128_hash_t hash);

#endif
