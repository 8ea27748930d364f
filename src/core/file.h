/* Reading files. The file modules (file, file_write, file_folder over file_syscall) are the only
 * ones that open, read, write, sync and rename.
 *
 * A reader is bounded: every read names how many bytes it wants and fails with the byte offset when
 * they are not there; file_size returns how many there are, to be compared with a header's claims
 * before anything is multiplied or allocated. A memory buffer opens as a file, so every parser can
 * be fuzzed from memory. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;

int file_open(struct file **out, const char *path);
/* The same, but "-", "/dev/stdin" and "/dev/fd/N" name open descriptors of this process. A pipe
 * among these is read to its end, into memory. Any other pipe is refused as by file_open: it might
 * never end. */
int file_open_input(struct file **out, const char *path);
/* The bytes must outlive the file; `name` is for messages. */
int file_open_memory(struct file **out, const char *name, const void *bytes, size_t len);
const char *file_name(const struct file *f);
/* In memory, so there are no files beside it. */
bool file_is_memory(const struct file *f);
bool file_is_private(const struct file *f); /* this user owns it, and nobody else may write to it */
int64_t file_size(const struct file *f);
int64_t file_offset(const struct file *f); /* of the next byte */
static inline int64_t file_left(const struct file *f)
{
    return file_size(f) - file_offset(f);
}
int file_seek(struct file *f, int64_t offset); /* within [0, size] */
int file_read(struct file *f, void *dst,
              size_t len); /* all of it, or GLT_EFORMAT with the offset */
int file_skip(struct file *f, int64_t len);
/* Bytes offset .. offset + len - 1, which the caller knows to be in the file: copied to `space`, or
 * in place for a file in memory. Threads may call it at the same time; the file's own offset stays.
 */
int file_read_at(const unsigned char **bytes, void *space, const struct file *f, int64_t offset,
                 size_t len);
/* The next line without its end ('\n', '\r\n' or a lone '\r'), NUL-terminated, valid until the next
 * call; *line = NULL at the end of the file. A line over `max` bytes is GLT_EFORMAT. */
int file_line(struct file *f, char **line, size_t *len, size_t max);
int64_t file_line_number(const struct file *f); /* of the line last read, from 1 */
/* A window on the next bytes without copying: at least `want` of them unless the file ends first,
 * valid until the next call; *len = how many there are (0 at the end). Use file_skip to consume. */
int file_peek(struct file *f, const unsigned char **bytes, size_t *len, size_t want);
/* All of a file that is at most `max` bytes long, NUL-terminated; release with memory_free. */
int file_read_all(char **out, size_t *len, const char *path, size_t max);

int file_read_u8(struct file *f, uint8_t *out);
int file_read_u32le(struct file *f, uint32_t *out);
int file_read_u64le(struct file *f, uint64_t *out);
/* Reverses the bytes of n items of `width` (1, 2, 4, 8) bytes in place, for files of the other byte
 * order. */
void file_swap(void *items, size_t n, size_t width);
bool file_host_is_big_endian(void);

/* Closes; an uncommitted output is removed. Accepts NULL. */
void file_close(struct file *f);

#endif
