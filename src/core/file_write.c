/* Writing files so that a crash or a full disk never harms the old content.
 *
 * Invariant: until file_commit has renamed it, everything lives in a temporary beside the target
 * (same folder, so that rename is atomic); closing an uncommitted file removes it. Commit syncs the
 * bytes before the rename and the folder after it. The file is closed last, because the lock on a
 * temporary ends with it. */
#include "core/file_write.h"

#include "core/array.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_internal.h"
#include "core/file_syscall.h"
#include "core/file_temporary.h"
#include "core/memory.h"
#include "core/print.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int write_disk(const char *name, int fd, const void *src, size_t len, int64_t offset)
{
    const unsigned char *from = src;
    while (len > 0) {
        int64_t put = file_syscall_write(fd, from, len, offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            if (put == 0)
                errno = ENOSPC;
            return file_fail(name, "write");
        }
        from += put;
        len -= (size_t)put;
        if (offset >= 0)
            offset += put;
    }
    return 0;
}

static int open_retry(const char *path, int flags, mode_t mode)
{
    int fd;
    do
        fd = file_syscall_open(path, flags, (int)mode); /* less the umask */
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* A safetensors file that is not a trace (model/safetensors.c): eight bytes of length, then JSON.
 */
static bool is_model(const unsigned char *head, size_t len, int64_t size)
{
    static const char trace[] = "\"gelatto.trace\":";
    uint64_t header = 0;
    for (int i = 7; len > 8 && i >= 0; i--)
        header = header << 8 | head[i];
    return len > 8 && head[8] == '{' && header >= 2 && header <= (uint64_t)size - 8 &&
           !memmem(head, len, trace, sizeof trace - 1);
}

static int spare_model(const char *path)
{
    unsigned char head[1 << 15];
    struct stat info;
    int fd = open_retry(path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0)
        return errno == EACCES ? 0 : file_fail(path, "create");
    int64_t got = -1;
    if (file_syscall_stat_open(&info, fd) == 0)
        got = file_syscall_read(fd, head, sizeof head, 0);
    int code = got < 0 ? file_fail(path, "create") : 0;
    if (file_syscall_close(fd) && code == 0)
        code = file_fail(path, "create");
    TRY(code);
    if (!is_model(head, (size_t)got, info.st_size))
        return 0;
    return error_topic(
        error_file(
            error_set(GLT_EEXISTS,
                      "%s is a model and would be overwritten: name another output, or remove it",
                      path),
            path),
        GLT_TOPIC_EXISTS, "model");
}

/* The permissions of the folder would allow replacing it, but the file itself is read-only. */
static int check_writable(const char *path, mode_t mode)
{
    bool refused = !(mode & 0222); /* to the superuser too */
    if (!refused && file_syscall_writable(path)) {
        if (errno != EACCES)
            return file_fail(path, "create");
        refused = true;
    }
    if (!refused)
        return 0;
    return error_topic(
        error_file(
            error_set(
                GLT_EIO,
                "%s is read-only and was not changed: name another output, or make it writable",
                path),
            path),
        GLT_TOPIC_PERMISSION, NULL);
}

/* Follows a link: its target is replaced, not the link. A device or folder is refused. *mode: the
 * permissions, never more than the old file had. */
static int find_target(char target[PATH_MAX], mode_t *mode, const char *path, unsigned kind)
{
    struct stat info;
    *mode = kind & FILE_PRIVATE ? 0600 : 0666;
    if (file_syscall_stat(&info, path, true)) {
        if (errno != ENOENT)
            return file_fail(path, "create");
        if (strlen(path) >= PATH_MAX)
            return error_topic(error_in(GLT_EIO, path, "the path is too long"),
                               GLT_TOPIC_SIZE_LIMIT, NULL);
        strcpy(target, path);
        return 0;
    }
    if (S_ISDIR(info.st_mode))
        return error_topic(
            error_file(error_set(GLT_EIO, "%s is a folder: give the name of a file", path), path),
            GLT_TOPIC_KIND, NULL);
    if (!S_ISREG(info.st_mode))
        return error_topic(
            error_file(
                error_set(GLT_EIO, "%s is a pipe or a device: give the name of a file", path),
                path),
            GLT_TOPIC_KIND, NULL);
    TRY(check_writable(path, info.st_mode));
    if (!(kind & FILE_MODEL))
        TRY(spare_model(path));
    if (file_syscall_resolve(target, path))
        return file_fail(path, "create");
    *mode &= info.st_mode & 0777;
    return 0;
}

static size_t folder_length(const char *path) /* with its last slash */
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

int file_create_as(struct file **out, const char *path, unsigned kind)
{
    char target[PATH_MAX];
    mode_t mode;
    TRY(find_target(target, &mode, path, kind));
    struct file *f = file_new(path);
    if (!f)
        return GLT_ENOMEM;
    f->writing = true;
    f->buffer = memory_alloc(FILE_BUFFER, 1);
    f->target = memory_string(target);
    int code = f->buffer && f->target ? file_temporary_open(f, mode) : GLT_ENOMEM;
    if (code < 0)
        file_close(f);
    else
        *out = f;
    return code;
}

int file_create_memory(struct file **out, const char *name, void **bytes, size_t *len)
{
    struct file *f = file_new(name);
    if (!f)
        return GLT_ENOMEM;
    f->writing = true;
    f->bytes = bytes;
    f->len = len;
    *out = f;
    return 0;
}

int file_create(struct file **out, const char *path)
{
    return file_create_as(out, path, 0);
}

int file_check_output(const char *path)
{
    char target[PATH_MAX], folder[PATH_MAX];
    mode_t mode;
    TRY(find_target(target, &mode, path, 0));
    snprintf(folder, sizeof folder, "%.*s.", (int)folder_length(target), target);
    return file_syscall_writable(folder) ? file_fail(path, "create") : 0;
}

static int flush(struct file *f)
{
    if (f->bytes) /* the buffer is the file */
        return 0;
    TRY(write_disk(f->name, f->fd, f->buffer, f->have, f->start));
    f->start += (int64_t)f->have;
    f->have = 0;
    return 0;
}

int file_write(struct file *f, const void *src, size_t len)
{
    ASSERT(f->writing);
    if (f->bytes)
        TRY(array_reserve(&f->buffer, (int64_t)f->have, (int64_t)len, 1));
    else if (len > FILE_BUFFER - f->have)
        TRY(flush(f));
    if (!f->bytes && len >= FILE_BUFFER / 2) {
        TRY(flush(f));
        TRY(write_disk(f->name, f->fd, src, len, f->start));
        f->start += (int64_t)len;
    } else if (len) {
        memcpy(f->buffer + f->have, src, len);
        f->have += len;
    }
    f->offset += (int64_t)len;
    f->size = f->offset;
    return 0;
}

int file_print(struct file *f, const char *format, ...)
{
    char text[1024], *longer = NULL;
    va_list args;
    va_start(args, format);
    int len = print_list(text, sizeof text, format, args);
    va_end(args);
    if (len < 0) /* printf needs memory for a wide field */
        return error_topic(error_in(GLT_ENOMEM, f->name, "out of memory for a text"),
                           GLT_TOPIC_MEMORY, NULL);
    if ((size_t)len < sizeof text)
        return file_write(f, text, (size_t)len);
    longer = memory_alloc((size_t)len + 1, 1);
    if (!longer)
        return GLT_ENOMEM;
    va_start(args, format);
    print_list(longer, (size_t)len + 1, format, args);
    va_end(args);
    int code = file_write(f, longer, (size_t)len);
    memory_free(longer);
    return code;
}

int file_patch(struct file *f, int64_t offset, const void *src, size_t len)
{
    ASSERT(f->writing && offset >= 0 && (int64_t)len >= 0 && offset + (int64_t)len <= f->offset);
    if (f->bytes) {
        memcpy(f->buffer + offset, src, len);
        return 0;
    }
    TRY(flush(f));
    return write_disk(f->name, f->fd, src, len, offset);
}

static int sync_folder(const struct file *f)
{
    return file_sync_name(f->target) ? file_fail(f->name, "sync its folder") : 0;
}

/* Puts all bytes on the disk, still under the temporary name. */
static int settle(struct file *f)
{
    ASSERT(f->writing && f->temporary);
    TRY(flush(f));
    return file_syscall_sync(f->fd) ? file_fail(f->name, "write") : 0;
}

/* Syncs the rename. If that fails, the old file is gone all the same. */
static int make_lasting(struct file *f)
{
    int code = sync_folder(f), fd = f->fd;
    f->fd = -1;
    if (file_syscall_close(fd) && errno != EINTR && code == 0)
        code = file_fail(f->name, "close");
    if (code < 0)
        return error_topic(
            error_prefix(code, "%s was written, but may be lost in a power cut: ", f->name),
            GLT_TOPIC_UNSYNCED, NULL);
    return 0;
}

/* --- pairs --- */

/* The name under which the second file of a pair waits while the first one is put in place. */
static const char waiting[] = ".new";

void file_join_output(struct file *f, struct file *beside)
{
    ASSERT(f->writing && beside->writing && !f->beside);
    f->beside = beside;
}

int file_check_pair(const char *path, const char *beside)
{
    char name[PATH_MAX], target[PATH_MAX];
    if (!file_is_plain(beside) && file_syscall_resolve(target, beside) == 0)
        beside = target; /* of a link: the name waits there */
    int len = snprintf(name, sizeof name, "%s%s", beside, waiting);
    if (len < 0 || (size_t)len >= sizeof name || !file_exists(name))
        return 0;
    return error_topic(
        error_file(
            error_set(
                GLT_EFORMAT,
                "%s and %s may belong to different files: writing them was interrupted. Write "
                "both again, or rename %s to %s if it belongs to the former, or remove it",
                path, beside, name, beside),
            path),
        GLT_TOPIC_LABELS, NULL);
}

static int commit_pair(struct file *f, struct file *beside)
{
    TRY(settle(beside));
    TRY(file_temporary_move(beside, waiting));
    TRY(sync_folder(beside));
    int code = file_temporary_commit(f, beside);
    if (code == 0 || f->temporary)
        return code;
    file_temporary_keep(beside); /* the first is in place: file_check_pair looks for this one */
    return error_topic(error_prefix(code, "%s was written, but its second file is still in %s%s: ",
                                    f->name, beside->name, waiting),
                       GLT_TOPIC_MISSING, beside->name);
}

static void hand_over(struct file *f)
{
    *f->bytes = f->buffer;
    *f->len = f->have;
    f->buffer = NULL;
    file_close(f);
}

int file_commit(struct file *f)
{
    if (f->bytes) {
        hand_over(f);
        return 0;
    }
    TRY(settle(f));
    TRY(f->beside ? commit_pair(f, f->beside) : file_temporary_commit(f, NULL));
    TRY(make_lasting(f));
    if (f->beside)
        TRY(make_lasting(f->beside));
    file_close(f);
    return 0;
}

int file_finish(struct file *f, int code)
{
    if (code == 0)
        code = file_commit(f);
    if (code < 0)
        file_close(f);
    return code;
}

int file_put(const char *path, const void *src, size_t len)
{
    struct file *f;
    TRY(file_create(&f, path));
    return file_finish(f, file_write(f, src, len));
}

int file_put_text(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    TRY(file_join(path, sizeof path, folder, name));
    return file_put(path, text, strlen(text));
}

int file_append(const char *path, const void *src, size_t len)
{
    int fd = open_retry(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (fd < 0)
        return file_fail(path, "open for appending");
    int code = write_disk(path, fd, src, len, -1);
    if (file_syscall_close(fd) && errno != EINTR && code == 0)
        code = file_fail(path, "write");
    return code;
}

int file_sync(const char *path)
{
    int fd = open_retry(path, O_RDONLY, 0);
    if (fd < 0)
        return errno == ENOENT ? 0 : file_fail(path, "open");
    int code = file_syscall_sync(fd) || file_sync_name(path) ? file_fail(path, "sync") : 0;
    if (file_syscall_close(fd) && code == 0)
        code = file_fail(path, "sync");
    return code;
}
