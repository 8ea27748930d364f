/* A fuzz target: takes any bytes, must not crash, hang, leak or break the property it checks. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int fuzz_one(const uint8_t *data, size_t size); /* of a target */
/* What the input is when it is decoded: its own size unless the target says more. See limits.c. */
extern int64_t fuzz_decoded;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); /* fuzz_one within its limits */

/* The broken property is said before the crash that libFuzzer keeps the input of. */
#define PROPERTY(condition)                                                                        \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
