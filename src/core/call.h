/* The call arena: temporary memory of one call. It need not be measured beforehand (struct arena is
 * for that), and everything it handed out is freed at once:
 *
 *     int glt_thing(...)
 *     {
 *         struct call call = {0};
 *         int code = do_thing(&call, ...);   // returns wherever it fails, frees nothing
 *         call_free(&call);
 *         return code;
 *     }
 *
 * Only one thread at a time may use a call. */
#ifndef CORE_CALL_H
#define CORE_CALL_H

#include <stddef.h>
#include <stdint.h>

struct call {
    void **blocks; /* (n), all from memory_alloc */
    int64_t n;
};

/* A zeroed block that lives as long as the call; NULL with GLT_ENOMEM's message stored. */
void *call_alloc(struct call *c, size_t count, size_t size);
char *call_string(struct call *c, const char *text); /* a copy */
/* A text made by a format, of any length. */
char *call_print(struct call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Hands a block of memory_alloc, as other modules return it, to the call, which frees it with the
 * others. Without memory the block is freed at once and NULL returned. NULL stays NULL. */
void *call_keep(struct call *c, void *block);
/* Frees everything handed out since the mark: for the memory of one iteration of a loop. */
int64_t call_mark(const struct call *c);
void call_reset(struct call *c, int64_t mark);
void call_free(struct call *c);

#endif
