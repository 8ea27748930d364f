/* Shared by the parts of the file module: the struct, and the only function that turns errno into a
 * message. */
#ifndef CORE_FILE_INTERNAL_H
#define CORE_FILE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file {
    char *name; /* as given, for messages */
    int fd;     /* -1: memory */
    int64_t size, offset;

    /* Reading: bytes [start, start + have) of the file lie at window; all of them for memory. */
    const unsigned char *window;
    unsigned char *buffer; /* owned; window of a disk file, or bytes not written yet */
    size_t have;
    int64_t start;
    char *text; /* the line last read */
    int64_t line;

    /* Writing: buffer holds bytes [start, start + have); temporary becomes target on commit. */
    bool writing;
    char *target, *temporary;        /* temporary = NULL once renamed or removed */
    struct file *beside;             /* committed and closed with this one */
    struct file *next;               /* in the list of file_temporary.c */
    void (*discard)(struct file *f); /* removes the temporary */
    void **bytes;                    /* memory: where commit puts the buffer and its length */
    size_t *len;
};

enum { FILE_BUFFER = 1 << 18 };

/* Stores "name: cannot verb: reason; what to try" for errno and returns GLT_EIO. */
int file_fail(const char *name, const char *verb);
enum file_lock_state { FILE_LOCKED, FILE_LOCKED_BY_OTHERS, FILE_NO_LOCKS, FILE_LOCK_FAILED };
/* Locks an open file without waiting. FILE_NO_LOCKS: its disk has none. */
enum file_lock_state file_try_lock(int fd);
/* A file with its name copied; NULL and a stored message when memory is out. */
struct file *file_new(const char *name);

#endif
