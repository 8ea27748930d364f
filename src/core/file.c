/* Reading files: a window of the file's bytes, filled with pread.
 *
 * Invariant: `window` holds the bytes [start, start + have); for a memory buffer that is the whole
 * file, so every function below works on both. A mapping would be simpler, but a file that another
 * program truncates would then kill the process. Long reads go past the window straight to their
 * destination. */
#include "core/file.h"

#include "core/array.h"
#include "core/error.h"
#include "core/file_internal.h"
#include "core/file_syscall.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART = 1 << 20, PARTS_LEAST = 4 }; /* of a read by several threads */

int file_fail(const char *name, const char *verb)
{
    int reason = errno;
    const char *advice = "";
    enum glt_topic topic = GLT_TOPIC_NONE;
    switch (reason) {
    case ENOMEM:
        return error_topic(error_in(GLT_ENOMEM, name, "cannot %s: out of memory", verb),
                           GLT_TOPIC_MEMORY, NULL);
    case ENOENT:
        advice = "; check the path";
        topic = GLT_TOPIC_NOT_FOUND;
        break;
    case EACCES:
    case EPERM:
        advice = "; check the permissions of the file and its folders";
        topic = GLT_TOPIC_PERMISSION;
        break;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        advice = "; free some space or write to another disk";
        topic = GLT_TOPIC_SPACE;
        break;
    case EROFS:
        advice = "; write to another place";
        topic = GLT_TOPIC_PERMISSION;
        break;
    case EMFILE:
    case ENFILE:
        advice = "; close some files or raise `ulimit -n`";
        break;
    case EIO:
        advice = "; try again, and check the disk if it happens again";
        break;
    }
    char text[128];
    return error_topic(error_in(GLT_EIO, name, "cannot %s: %s%s", verb,
                                strerror_r(reason, text, sizeof text), advice),
                       topic, NULL);
}

enum file_lock_state file_try_lock(int fd)
{
    if (file_syscall_lock(fd) == 0)
        return FILE_LOCKED;
    if (errno == EWOULDBLOCK)
        return FILE_LOCKED_BY_OTHERS;
    bool none = errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS;
    return none ? FILE_NO_LOCKS : FILE_LOCK_FAILED;
}

struct file *file_new(const char *name)
{
    struct file *f = memory_alloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->fd = -1;
    f->name = memory_string(name);
    if (!f->name) {
        memory_free(f);
        return NULL;
    }
    return f;
}

void file_close(struct file *f)
{
    if (!f)
        return;
    if (f->temporary)
        f->discard(f); /* before its lock goes */
    if (f->fd >= 0)
        file_syscall_close(f->fd);
    file_close(f->beside);
    memory_free(f->target);
    memory_free(f->text);
    memory_free(f->buffer);
    memory_free(f->name);
    memory_free(f);
}

static int check_regular(struct file *f)
{
    struct stat info;
    if (file_syscall_stat_open(&info, f->fd))
        return file_fail(f->name, "ask its size");
    if (S_ISDIR(info.st_mode))
        return error_topic(
            error_file(error_set(GLT_EIO, "%s is a folder, but a file is needed", f->name),
                       f->name),
            GLT_TOPIC_KIND, NULL);
    if (!S_ISREG(info.st_mode))
        return error_topic(
            error_file(error_set(GLT_EIO,
                                 "%s is a pipe or a device, but a regular file is needed: "
                                 "store the data in a file, or give it on stdin",
                                 f->name),
                       f->name),
            GLT_TOPIC_KIND, NULL);
    f->size = info.st_size;
    return 0;
}

int file_open(struct file **out, const char *path)
{
    struct file *f = file_new(path);
    if (!f)
        return GLT_ENOMEM;
    int code = 0;
    do /* NONBLOCK: opening a pipe without a writer must not hang */
        f->fd = file_syscall_open(path, O_RDONLY | O_NONBLOCK, 0);
    while (f->fd < 0 && errno == EINTR);
    if (f->fd < 0)
        code = file_fail(path, "open");
    else
        code = check_regular(f);
    if (code < 0)
        file_close(f);
    else
        *out = f;
    return code;
}

/* The descriptor that a path names; -1 if it is the path of a file. */
static int given_descriptor(const char *path)
{
    static const char folder[] = "/dev/fd/";
    if (!strcmp(path, "-") || !strcmp(path, "/dev/stdin"))
        return STDIN_FILENO;
    if (strncmp(path, folder, sizeof folder - 1))
        return -1;
    const char *digits = path + sizeof folder - 1;
    size_t len = strspn(digits, "0123456789");
    return len > 0 && len < 6 && !digits[len] ? atoi(digits) : -1;
}

/* Reads a stream to its end; it becomes a file in memory. */
static int read_stream(struct file *f)
{
    int64_t got = 1;
    while (got != 0) {
        TRY(array_reserve(&f->buffer, f->size, FILE_BUFFER, 1));
        got = file_syscall_read(f->fd, f->buffer + f->size, FILE_BUFFER, -1);
        if (got < 0 && errno != EINTR)
            return file_fail(f->name, "read");
        f->size += got > 0 ? got : 0;
    }
    file_syscall_close(f->fd);
    f->fd = -1;
    f->window = f->buffer;
    f->have = (size_t)f->size;
    return 0;
}

static int open_descriptor(struct file *f, int given)
{
    struct stat info;
    f->fd = file_syscall_duplicate(given);
    if (f->fd < 0)
        return file_fail(f->name, "open");
    if (file_syscall_stat_open(&info, f->fd))
        return file_fail(f->name, "ask its size");
    return S_ISREG(info.st_mode) || S_ISDIR(info.st_mode) ? check_regular(f) : read_stream(f);
}

int file_open_input(struct file **out, const char *path)
{
    int given = given_descriptor(path);
    if (given < 0)
        return file_open(out, path);
    struct file *f = file_new(given == STDIN_FILENO ? "stdin" : path);
    if (!f)
        return GLT_ENOMEM;
    int code = open_descriptor(f, given);
    if (code < 0)
        file_close(f);
    else
        *out = f;
    return code;
}

int file_open_memory(struct file **out, const char *name, const void *bytes, size_t len)
{
    struct file *f = file_new(name);
    if (!f)
        return GLT_ENOMEM;
    f->window = bytes;
    f->have = len;
    f->size = (int64_t)len;
    *out = f;
    return 0;
}

const char *file_name(const struct file *f)
{
    return f->name;
}

bool file_is_memory(const struct file *f)
{
    return f->fd < 0;
}

bool file_is_private(const struct file *f)
{
    struct stat info;
    return f->fd >= 0 && file_syscall_stat_open(&info, f->fd) == 0 && info.st_uid == geteuid() &&
           !(info.st_mode & 022);
}

int64_t file_size(const struct file *f)
{
    return f->size;
}

int64_t file_offset(const struct file *f)
{
    return f->offset;
}

int64_t file_line_number(const struct file *f)
{
    return f->line;
}

int file_seek(struct file *f, int64_t offset)
{
    if (offset < 0 || offset > f->size)
        return error_topic(
            error_place(error_in(GLT_EFORMAT, f->name,
                                 "byte %lld is out of range: the file has %lld bytes",
                                 (long long)offset, (long long)f->size),
                        GLT_PLACE_BYTE, offset),
            GLT_TOPIC_TRUNCATED, NULL);
    f->offset = offset;
    return 0;
}

static int too_short(const struct file *f, uint64_t wanted)
{
    return error_topic(
        error_place(error_in(GLT_EFORMAT, f->name,
                             "at byte %lld %llu more bytes are needed, but only %lld are left: "
                             "the file is cut short or damaged",
                             (long long)f->offset, (unsigned long long)wanted,
                             (long long)file_left(f)),
                    GLT_PLACE_BYTE, f->offset),
        GLT_TOPIC_TRUNCATED, NULL);
}

int file_skip(struct file *f, int64_t len)
{
    if (len < 0 || len > file_left(f))
        return too_short(f, (uint64_t)len);
    f->offset += len;
    return 0;
}

/* Exactly len bytes from the disk; *offset advances to the point of failure. Returns 0, an errno,
 * or -1 when the file ended. */
static int read_part(int fd, unsigned char *dst, size_t len, int64_t *offset)
{
    while (len > 0) {
        int64_t got = file_syscall_read(fd, dst, len, *offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : -1;
        dst += got;
        len -= (size_t)got;
        *offset += got;
    }
    return 0;
}

static int read_here(const struct file *f, unsigned char *dst, size_t len, int64_t offset)
{
    int reason = read_part(f->fd, dst, len, &offset);
    if (reason == 0)
        return 0;
    if (reason < 0)
        return error_topic(
            error_place(
                error_file(
                    error_set(GLT_EIO,
                              "%s ended at byte %lld, but had %lld bytes when it was opened: "
                              "is another program writing it?",
                              f->name, (long long)offset, (long long)f->size),
                    f->name),
                GLT_PLACE_BYTE, offset),
            GLT_TOPIC_TRUNCATED, NULL);
    errno = reason;
    return file_fail(f->name, "read");
}

struct parts {
    int fd;
    unsigned char *dst;
    int64_t offset;
    _Atomic bool failed;
};

static void read_some(void *user, int64_t begin, int64_t end)
{
    struct parts *p = user;
    int64_t offset = p->offset + begin;
    if (read_part(p->fd, p->dst + begin, (size_t)(end - begin), &offset))
        atomic_store(&p->failed, true);
}

/* A long read into fresh memory mostly waits for the kernel to clear and copy pages, so threads
 * share it. If a part fails, all is read again in order: the message then names the first bad
 * place. */
static int read_disk(struct file *f, unsigned char *dst, size_t len, int64_t offset)
{
    if (len / PART >= PARTS_LEAST) {
        struct parts parts = {.fd = f->fd, .dst = dst, .offset = offset};
        parallel_for((int64_t)len, PART, read_some, &parts);
        if (!parts.failed)
            return 0;
    }
    return read_here(f, dst, len, offset);
}

/* The part of the window that begins at the offset. */
static size_t in_window(const struct file *f)
{
    int64_t skip = f->offset - f->start;
    return skip >= 0 && skip < (int64_t)f->have ? f->have - (size_t)skip : 0;
}

/* Makes the window hold `want` bytes from the offset, or all that are left. */
static int fill(struct file *f, size_t want)
{
    int64_t left = file_left(f);
    if ((int64_t)want < 0 || (int64_t)want > left)
        want = (size_t)left;
    size_t have = in_window(f);
    if (have >= want)
        return 0;
    TRY(array_reserve(&f->buffer, 0, (int64_t)(want < FILE_BUFFER ? FILE_BUFFER : want), 1));
    f->window = f->buffer;
    if (have)
        memmove(f->buffer, f->buffer + (f->offset - f->start), have);
    f->start = f->offset;
    f->have = have;
    size_t capacity = memory_size(f->buffer);
    size_t more = left < (int64_t)capacity ? (size_t)left - have : capacity - have;
    TRY(read_disk(f, f->buffer + have, more, f->offset + (int64_t)have));
    f->have += more;
    return 0;
}

int file_peek(struct file *f, const unsigned char **bytes, size_t *len, size_t want)
{
    TRY(fill(f, want));
    *len = in_window(f);
    *bytes = *len ? f->window + (f->offset - f->start) : NULL;
    return 0;
}

int file_read(struct file *f, void *dst, size_t len)
{
    if ((int64_t)len < 0 || (int64_t)len > file_left(f))
        return too_short(f, len);
    unsigned char *to = dst;
    size_t have = in_window(f), now = have < len ? have : len;
    int64_t before = f->offset;
    if (now) {
        memcpy(to, f->window + (f->offset - f->start), now);
        f->offset += (int64_t)now;
        to += now;
        len -= now;
    }
    int code = 0;
    if (len >= FILE_BUFFER / 2) {
        code = read_disk(f, to, len, f->offset);
    } else if (len > 0) {
        code = fill(f, len);
        if (code == 0)
            memcpy(to, f->window + (f->offset - f->start), len);
    }
    f->offset = code < 0 ? before : f->offset + (int64_t)len;
    return code;
}

int file_read_at(const unsigned char **bytes, void *space, const struct file *f, int64_t offset,
                 size_t len)
{
    if (f->fd < 0) {
        *bytes = f->window + offset;
        return 0;
    }
    *bytes = space;
    return read_here(f, space, len, offset);
}

/* The position of the first '\n' or '\r', or len. Eight bytes at a time: x - 0x01.. & ~x & 0x80..
 * is non-zero exactly when x has a zero byte. */
static size_t line_end(const unsigned char *bytes, size_t len)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        uint64_t a = word ^ (ones * '\n'), b = word ^ (ones * '\r');
        if ((((a - ones) & ~a) | ((b - ones) & ~b)) & tops)
            break;
    }
    while (i < len && bytes[i] != '\n' && bytes[i] != '\r')
        i++;
    return i;
}

static int keep_line(struct file *f, const unsigned char *bytes, size_t len)
{
    TRY(array_reserve(&f->text, 0, (int64_t)len + 1, 1));
    if (len)
        memcpy(f->text, bytes, len);
    f->text[len] = 0;
    return 0;
}

int file_line(struct file *f, char **line, size_t *len, size_t max)
{
    if (file_left(f) == 0) {
        *line = NULL;
        *len = 0;
        return 0;
    }
    const unsigned char *bytes;
    size_t have, end = 0;
    for (;;) { /* two more than scanned: the byte after a '\r' must be seen as well */
        TRY(file_peek(f, &bytes, &have, end + 2));
        end += line_end(bytes + end, have - end);
        if (end > max)
            return error_topic(
                error_place(error_in(GLT_EFORMAT, f->name,
                                     "line %lld (byte %lld) is longer than %zu bytes: "
                                     "is this a text file?",
                                     (long long)f->line + 1, (long long)f->offset, max),
                            GLT_PLACE_LINE, f->line + 1),
                GLT_TOPIC_SYNTAX, NULL);
        bool whole = (int64_t)have == file_left(f);
        if (whole || (end < have && (bytes[end] == '\n' || end + 1 < have)))
            break;
    }
    TRY(keep_line(f, bytes, end));
    size_t used = end;
    if (end < have)
        used += bytes[end] == '\r' && end + 1 < have && bytes[end + 1] == '\n' ? 2 : 1;
    f->offset += (int64_t)used;
    f->line++;
    *line = f->text;
    *len = end;
    return 0;
}

int file_read_all(char **out, size_t *len, const char *path, size_t max)
{
    struct file *f;
    TRY(file_open(&f, path));
    int code = 0;
    char *text = NULL;
    if ((uint64_t)f->size > max) {
        code = error_topic(
            error_file(error_set(GLT_ELIMIT, "%s has %lld bytes, but at most %zu are read here",
                                 path, (long long)f->size, max),
                       path),
            GLT_TOPIC_SIZE_LIMIT, NULL);
        goto done;
    }
    text = memory_alloc((size_t)f->size + 1, 1);
    code = text ? file_read(f, text, (size_t)f->size) : GLT_ENOMEM;
    if (code < 0)
        goto done;
    *out = text;
    *len = (size_t)f->size;
    text = NULL;
done:
    memory_free(text);
    file_close(f);
    return code;
}

/* --- little-endian numbers, and the swap for arrays of the other byte order --- */

bool file_host_is_big_endian(void)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

int file_read_u8(struct file *f, uint8_t *out)
{
    return file_read(f, out, 1);
}

int file_read_u32le(struct file *f, uint32_t *out)
{
    uint8_t b[4];
    TRY(file_read(f, b, sizeof b));
    *out = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return 0;
}

int file_read_u64le(struct file *f, uint64_t *out)
{
    uint8_t b[8];
    TRY(file_read(f, b, sizeof b));
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | b[i];
    *out = value;
    return 0;
}

void file_swap(void *items, size_t n, size_t width)
{
    ASSERT(width == 1 || width == 2 || width == 4 || width == 8);
    unsigned char *at = items;
    for (size_t i = 0; i < n && width > 1; i++, at += width) {
        if (width == 2) {
            uint16_t v;
            memcpy(&v, at, 2);
            v = __builtin_bswap16(v);
            memcpy(at, &v, 2);
        } else if (width == 4) {
            uint32_t v;
            memcpy(&v, at, 4);
            v = __builtin_bswap32(v);
            memcpy(at, &v, 4);
        } else {
            uint64_t v;
            memcpy(&v, at, 8);
            v = __builtin_bswap64(v);
            memcpy(at, &v, 8);
        }
    }
}
