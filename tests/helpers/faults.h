/* Makes every allocation or every file call of a piece of work fail in turn, once and for ever, and
 * checks what must hold each time: a fitting error code with a message, or success if the failure
 * is harmless, and no byte left allocated. The work starts from scratch, releases everything, and
 * returns its code. */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include "core/file_syscall.h"
#include "core/memory.h"
#include "gelatto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef int faults_fn(void *user);

/* If the work makes thousands of calls, lower tiers take a sample: the first and the last ones, and
 * every faults_step-th of the others. */
static int64_t faults_step = 1;

static inline int64_t faults_next(int64_t nth, int64_t all)
{
    enum { ENDS = 20 };
    return nth < ENDS || nth >= all - ENDS ? nth + 1 : nth + faults_step;
}

static inline void faults_check(int code, int expected, int64_t alive, const char *what,
                                int64_t nth)
{
    if (code < 0 && code != expected)
        fail_msg("%s %lld failed: code %d (%s), expected %d", what, (long long)nth, code,
                 glt_error_message(), expected);
    if (code < 0)
        assert_true(strlen(glt_error_message()) > 0);
    if (memory_stats().bytes != alive)
        fail_msg("%s %lld failed: %lld bytes leaked", what, (long long)nth,
                 (long long)(memory_stats().bytes - alive));
}

/* Returns how many allocations the work makes. */
static inline int64_t faults_memory(faults_fn *fn, void *user)
{
    int64_t before_all = memory_stats().requests;
    assert_int_equal(fn(user), 0);
    int64_t all = memory_stats().requests - before_all, made = 0;
    for (int forever = 0; forever < 2; forever++) {
        bool met = true;
        for (int64_t nth = 1; met; nth = faults_next(nth, all)) {
            struct memory_stats before = memory_stats();
            memory_fail(nth, forever);
            int code = fn(user);
            memory_fail(0, false);
            made = memory_stats().requests - before.requests;
            met = made >= nth;
            faults_check(code, met ? GLT_ENOMEM : 1, before.bytes, "allocation", nth);
        }
    }
    return made;
}

/* Short transfers must have no effect; errors give GLT_EIO. Returns how many calls are made. */
static inline int64_t faults_file(faults_fn *fn, void *user)
{
    int64_t before_all = file_calls();
    assert_int_equal(fn(user), 0);
    int64_t all = file_calls() - before_all, made = 0;
    static const enum file_fault faults[] = {FILE_FAULT_ERROR, FILE_FAULT_SHORT};
    for (int kind = 0; kind < 4; kind++) {
        enum file_fault fault = faults[kind / 2];
        bool met = true;
        for (int64_t nth = 1; met; nth = faults_next(nth, all)) {
            int64_t calls = file_calls(), alive = memory_stats().bytes;
            file_fault(FILE_CALLS, nth, kind % 2, fault, 0);
            int code = fn(user);
            file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
            made = file_calls() - calls;
            met = made >= nth;
            faults_check(code, met && fault == FILE_FAULT_ERROR ? GLT_EIO : 1, alive, "file call",
                         nth);
        }
    }
    return made;
}

#endif
