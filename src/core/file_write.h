/* Writing files. Output goes to a temporary name beside the target; only file_commit makes it
 * visible (flush, fsync, rename, fsync of the folder), and file_close removes what was not
 * committed. */
#ifndef CORE_FILE_WRITE_H
#define CORE_FILE_WRITE_H

#include "core/file.h"

int file_create(struct file **out, const char *path); /* a temporary beside path */
/* An output in memory: file_commit gives its bytes to the caller, who releases them with
 * memory_free. `name` stands in messages. */
int file_create_memory(struct file **out, const char *name, void **bytes, size_t *len);
int file_write(struct file *f, const void *src, size_t len);
int file_print(struct file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Overwrites bytes already written, e.g. a digest known only at the end. */
int file_patch(struct file *f, int64_t offset, const void *src, size_t len);
int file_commit(struct file *f); /* on success the file is closed too */
/* The end of writing: commits if `code` is 0, and closes the file in any case. Returns what failed.
 */
int file_finish(struct file *f, int code);
/* Another output that belongs to f and goes its way: committed when all bytes of both are on the
 * disk, closed with it. */
void file_join_output(struct file *f, struct file *beside);
/* A whole file: created, written, committed. */
int file_put(const char *path, const void *src, size_t len);
int file_put_text(const char *folder, const char *name, const char *text);
/* Appends one piece to a log and flushes it; creates the file. */
int file_append(const char *path, const void *src, size_t len);

/* Removes what killed processes left half written in a folder: the temporaries of those targets
 * that are ours. Other files stay, whatever they are called. */
int file_sweep(const char *folder, bool (*ours)(const char *target));

#endif
