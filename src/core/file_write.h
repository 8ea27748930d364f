/* Writing files. Output goes to a temporary name beside the target; only file_commit makes it
 * visible (flush, fsync, rename, fsync of the folder), and file_close removes what was not
 * committed. */
#ifndef CORE_FILE_WRITE_H
#define CORE_FILE_WRITE_H

#include "core/file.h"

/* Opens a temporary beside path. An existing file must not be read-only, nor a model: an output
 * meant for another name would destroy hours of work. */
int file_create(struct file **out, const char *path);
enum {
    FILE_PRIVATE = 1, /* only its owner may read and write it */
    FILE_MODEL = 2    /* it is a model itself, and may replace one */
};
int file_create_as(struct file **out, const char *path, unsigned kind);
/* 0 if file_create can be expected to succeed; nothing is created, not even for a moment. */
int file_check_output(const char *path);
/* An output in memory: file_commit gives its bytes to the caller, who releases them with
 * memory_free. `name` is for messages. */
int file_create_memory(struct file **out, const char *name, void **bytes, size_t *len);
int file_write(struct file *f, const void *src, size_t len);
int file_print(struct file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Overwrites bytes already written, e.g. a digest known only at the end. */
int file_patch(struct file *f, int64_t offset, const void *src, size_t len);
int file_commit(struct file *f); /* on success the file is closed too */
/* The end of writing: commits if `code` is 0, and closes the file in any case. Returns what failed.
 */
int file_finish(struct file *f, int code);
/* Another output that belongs to f: committed when all bytes of both are on the disk, closed with
 * it. A kill or a power cut between the two renames may leave the new f with the old `beside`;
 * file_check_pair finds that. */
void file_join_output(struct file *f, struct file *beside);
/* GLT_EFORMAT if only one half of a pair was replaced, until it is written again. */
int file_check_pair(const char *path, const char *beside);
/* A whole file: created, written, committed. */
int file_put(const char *path, const void *src, size_t len);
int file_put_text(const char *folder, const char *name, const char *text);
/* Appends one piece to a log and flushes it; creates the file. A power cut may lose it, or leave
 * zeros in its place, until file_sync. */
int file_append(const char *path, const void *src, size_t len);
int file_sync(const char *path); /* nothing to do if there is no file */

#endif
