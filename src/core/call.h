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
    void **blocks; /* (n), all of memory_alloc */
    int64_t n;
};

/* A zeroed block that lives as long as the call; NULL with GLT_ENOMEM's message stored. */
void *call_alloc(struct call *c, size_t count, size_t size);
char *call_string(struct call *c, const char *text); /* a copy */
/* A text made by a format, of any length. */
char *call_print(struct call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Gives a block of memory_alloc, as other modules return it, to the call: it is freed with the
 * others, or at once, and NULL returned, if there is no memory. NULL stays NULL. */
void *call_keep(struct call *c, void *block);
/* Frees what was handed out since the mark: for the memory of one round of a loop. */
int64_t call_mark(const struct call *c);
void call_reset(struct call *c, int64_t mark);
void call_free(struct call *c);

#endif
