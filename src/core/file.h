/* Files: the one module that opens, reads, writes, syncs and renames.
 *
 * A reader is bounded: every read names how many bytes it wants and fails with the byte offset when
 * they are not there; file_size tells how many there are, to be compared with a header's claims
 * before anything is multiplied or allocated. A memory buffer opens as a file, so every parser can
 * be fuzzed from memory. Output goes to a temporary name beside the target; only file_commit makes
 * it visible (flush, fsync, rename, fsync of the folder). Tests can make the n-th call fail. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;

/* --- reading --- */
int file_open(struct file **out, const char *path);
/* The bytes must outlive the file; `name` stands in messages. */
int file_open_memory(struct file **out, const char *name, const void *bytes, size_t len);
const char *file_name(const struct file *f);
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
/* Bytes offset .. offset + len - 1, which the caller knows to be in the file, for several threads
 * at once: in `space`, or where they stand in memory. The file's own offset stays. */
int file_read_at(const unsigned char **bytes, void *space, const struct file *f, int64_t offset,
                 size_t len);
/* The next line without its end ('\n', '\r\n' or a lone '\r'), NUL-terminated, valid until the next
 * call; *line = NULL at the end of the file. A line over `most` bytes is GLT_EFORMAT. */
int file_line(struct file *f, char **line, size_t *len, size_t most);
int64_t file_line_number(const struct file *f); /* of the line last read, from 1 */
/* A window on the next bytes without copying: at least `want` of them unless the file ends first,
 * valid until the next call; *len = how many there are (0 at the end). Use file_skip to consume. */
int file_peek(struct file *f, const unsigned char **bytes, size_t *len, size_t want);
/* All of a file that is at most `most` bytes long, NUL-terminated; release with memory_free. */
int file_read_all(char **out, size_t *len, const char *path, size_t most);

int file_read_u8(struct file *f, uint8_t *out);
int file_read_u16le(struct file *f, uint16_t *out);
int file_read_u32le(struct file *f, uint32_t *out);
int file_read_u64le(struct file *f, uint64_t *out);
int file_read_f32le(struct file *f, float *out);
int file_read_f64le(struct file *f, double *out);
/* Swaps n items of `width` (1, 2, 4, 8) bytes in place: for the byte order that is not ours. */
void file_swap(void *items, size_t n, size_t width);
bool file_host_is_big_endian(void);

/* --- writing --- */
int file_create(struct file **out, const char *path); /* a temporary beside path */
int file_write(struct file *f, const void *src, size_t len);
int file_print(struct file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Overwrites bytes already written, e.g. a digest known only at the end. */
int file_patch(struct file *f, int64_t offset, const void *src, size_t len);
int file_commit(struct file *f); /* on success the file is closed too */
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

/* Closes; an uncommitted output is removed. Accepts NULL. */
void file_close(struct file *f);

/* --- folders --- */
bool file_exists(const char *path);
bool file_is_folder(const char *path);
/* A regular file, and no link to one, or nothing yet. */
bool file_is_plain(const char *path);
int file_make_folder(const char *path); /* with its parents; existing is fine */
int file_remove(const char *path);
/* Names in a folder (no . and ..), sorted by byte; release each and the array with
 * file_free_names. */
int file_list(char ***names, size_t *n, const char *folder);
void file_free_names(char **names, size_t n);
/* Calls back with the path of every regular file under folder, sorted, depth first; stops at a
 * negative return. Links to folders are not followed. */
int file_walk(const char *folder, int (*fn)(void *user, const char *path), void *user);
int file_join(char *dst, size_t size, const char *folder, const char *name);
/* An advisory lock held until file_unlock or the end of the process; GLT_EEXISTS if another
 * process holds it. */
struct file_lock;
int file_lock(struct file_lock **out, const char *path);
void file_unlock(struct file_lock *lock);

/* --- failure injection, for tests --- */
enum file_call {
    FILE_CALL_OPEN,
    FILE_CALL_READ,
    FILE_CALL_WRITE,
    FILE_CALL_SYNC,
    FILE_CALL_RENAME,
    FILE_CALL_CLOSE,
    FILE_CALL_STAT,
    FILE_CALL_FOLDER,
    FILE_CALLS
};
enum file_fault { FILE_FAULT_NONE, FILE_FAULT_ERROR, FILE_FAULT_SHORT, FILE_FAULT_PAUSE };
/* The nth call from now (1 = the next), counted over all kinds when call = FILE_CALLS, meets the
 * fault; with forever all after it too. PAUSE sleeps there for `milliseconds` (for kill tests). */
void file_fault(enum file_call call, int64_t nth, bool forever, enum file_fault fault,
                int milliseconds);
int64_t file_calls(void);      /* so far */
int64_t file_bytes_read(void); /* by those calls */
/* A pause by the environment, for tests that kill a whole process inside a call:
 * GELATTO_FAULT_PAUSE=write:nth:milliseconds, or sync, or rename. Anything else is ignored. */
void file_fault_environment(void);

#endif
