/* Safetensors with a digest: the digest of the input is made right first, so that the parser behind
 * it is met. */
#ifndef TESTS_FUZZ_SIGN_H
#define TESTS_FUZZ_SIGN_H

#include "core/file.h"
#include "fuzz.h"
#include "model/safetensors.h"

#include <string.h>

/* Blanks between key and digits are the reader's business too: only the written form is signed. */
static inline void sign(unsigned char *bytes, size_t len)
{
    static const char key[] = "\"gelatto.digest\":\"";
    char digest[ST_DIGEST + 1];
    unsigned char *at = memmem(bytes, len, key, sizeof key - 1);
    if (!at || (size_t)(bytes + len - at) < sizeof key - 1 + ST_DIGEST)
        return;
    at += sizeof key - 1;
    memset(at, '0', ST_DIGEST);
    safetensors_print_digest(digest, XXH3_128bits(bytes, len));
    memcpy(at, digest, ST_DIGEST);
}

/* A copy of the input with its digest made right, opened as a file; free(*bytes) behind it. */
static inline struct file *fuzz_signed(uint8_t **bytes, const uint8_t *data, size_t size)
{
    struct file *f = NULL;
    *bytes = malloc(size + 1);
    PROPERTY(*bytes != NULL);
    if (size)
        memcpy(*bytes, data, size);
    sign(*bytes, size);
    PROPERTY(file_open_memory(&f, "input", *bytes, size) == 0);
    return f;
}

#endif
