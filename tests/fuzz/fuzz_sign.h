/* Safetensors with a digest: the digest of the input is made right first, so that the parser behind
 * it is met. libFuzzer changes the header as a text of its own and then writes its new length
 * before it, or it changes the tensors, or any bytes. FUZZ_LEAD: bytes of the input before the
 * file. */
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

#ifdef GELATTO_LIBFUZZER
#ifndef FUZZ_LEAD
#define FUZZ_LEAD 0
#endif
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    uint8_t *head = data + FUZZ_LEAD + 8, *copy;
    uint64_t len = 0, whole = size > FUZZ_LEAD + 8 ? size - FUZZ_LEAD - 8 : 0;
    for (int i = 1; i <= 8 && whole; i++)
        len = len << 8 | head[-i];
    if (len > whole || len < 2 || seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, max);
    if (seed % 4 == 1) /* tensors, or what stands for them */
        return FUZZ_LEAD + 8 + len +
               LLVMFuzzerMutate(head + len, whole - len, max - FUZZ_LEAD - 8 - len);
    copy = malloc(max);
    PROPERTY(copy != NULL);
    memcpy(copy, head, len);
    size_t now = LLVMFuzzerMutate(copy, len, len + max - size);
    memmove(head + now, head + len, whole - len);
    memcpy(head, copy, now);
    free(copy);
    for (int i = 0; i < 8; i++)
        data[FUZZ_LEAD + i] = (uint8_t)((uint64_t)now >> 8 * i);
    return size - len + now;
}
#endif

#endif
