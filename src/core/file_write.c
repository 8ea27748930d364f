/* Writing files so that a crash or a full disk never harms what was there.
 *
 * Invariant: until file_commit has renamed it, everything lives in a temporary beside the target
 * (same folder, so that rename is atomic); whoever closes an uncommitted file removes it. Commit
 * syncs the bytes before the rename and the folder after it. */
#include "core/file_write.h"

#include "core/array.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_internal.h"
#include "core/file_syscall.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* The file that a link names is replaced, not the link; a device or folder is refused. *mode: who
 * may read and write it, never more than could before. */
static int find_target(char target[PATH_MAX], mode_t *mode, const char *path)
{
    struct stat info;
    *mode = 0666;
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
    if (file_syscall_resolve(target, path))
        return file_fail(path, "create");
    *mode = info.st_mode & 0777;
    return 0;
}

static size_t folder_length(const char *path) /* with its last slash */
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* out: "folder/name.tmp-process-count", the name cut so that the whole stays a legal name */
static int open_temporary(struct file *f, mode_t mode)
{
    static _Atomic unsigned count;
    size_t folder = folder_length(f->target), size = strlen(f->target) + 64;
    f->temporary = memory_alloc(size, 1);
    if (!f->temporary)
        return GLT_ENOMEM;
    do {
        snprintf(f->temporary, size, "%.*s%.200s.tmp-%ld-%u", (int)folder, f->target,
                 f->target + folder, (long)getpid(), atomic_fetch_add(&count, 1));
        f->fd = open_retry(f->temporary, O_RDWR | O_CREAT | O_EXCL, mode);
    } while (f->fd < 0 && errno == EEXIST);
    if (f->fd >= 0)
        return 0;
    int code = file_fail(f->name, "create");
    memory_free(f->temporary);
    f->temporary = NULL;
    return code;
}

/* Whether open_temporary may have made the name; it is then cut to that of its target. */
static bool cut_temporary(char *name)
{
    static const char digits[] = "0123456789";
    char *mark = NULL;
    for (char *p = name; (p = strstr(p, ".tmp-")); p++)
        mark = p;
    if (!mark)
        return false;
    const char *process = mark + 5, *dash = process + strspn(process, digits);
    if (dash == process || *dash != '-' || !dash[1] || dash[1 + strspn(dash + 1, digits)])
        return false;
    *mark = 0;
    return true;
}

int file_sweep(const char *folder, bool (*ours)(const char *target))
{
    char **names, path[PATH_MAX];
    size_t n;
    TRY(file_list(&names, &n, folder));
    int code = 0;
    for (size_t i = 0; i < n && code == 0; i++) {
        code = file_join(path, sizeof path, folder, names[i]);
        if (code == 0 && cut_temporary(names[i]) && ours(names[i]))
            code = file_remove(path);
    }
    file_free_names(names, n);
    return code;
}

int file_create(struct file **out, const char *path)
{
    char target[PATH_MAX];
    mode_t mode;
    TRY(find_target(target, &mode, path));
    struct file *f = file_new(path);
    if (!f)
        return GLT_ENOMEM;
    f->writing = true;
    f->buffer = memory_alloc(FILE_BUFFER, 1);
    f->target = memory_string(target);
    int code = f->buffer && f->target ? open_temporary(f, mode) : GLT_ENOMEM;
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
    int len = vsnprintf(text, sizeof text, format, args);
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
    vsnprintf(longer, (size_t)len + 1, format, args);
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

static int sync_retry(int fd)
{
    int code;
    do
        code = file_syscall_sync(fd);
    while (code && errno == EINTR);
    return code;
}

/* So that the new name survives a power cut. Some file systems cannot sync a folder: EINVAL. */
static int sync_folder(const struct file *f)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s.", (int)folder_length(f->target), f->target);
    int fd = open_retry(folder, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return file_fail(f->name, "sync the folder");
    int code = 0;
    if (sync_retry(fd) && errno != EINVAL)
        code = file_fail(f->name, "sync the folder");
    if (file_syscall_close(fd) && code == 0)
        code = file_fail(f->name, "sync the folder");
    return code;
}

void file_join_output(struct file *f, struct file *beside)
{
    ASSERT(f->writing && beside->writing && !f->beside);
    f->beside = beside;
}

/* All bytes onto the disk, still under the temporary name. */
static int settle(struct file *f)
{
    ASSERT(f->writing && f->temporary);
    TRY(flush(f));
    if (sync_retry(f->fd))
        return file_fail(f->name, "write");
    int fd = f->fd;
    f->fd = -1;
    if (file_syscall_close(fd) && errno != EINTR)
        return file_fail(f->name, "write");
    return 0;
}

static int put_in_place(struct file *f)
{
    if (file_syscall_rename(f->temporary, f->target))
        return file_fail(f->name, "put the new file in place");
    memory_free(f->temporary);
    f->temporary = NULL;
    return sync_folder(f);
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
    if (f->beside)
        TRY(settle(f->beside));
    TRY(put_in_place(f));
    if (f->beside)
        TRY(put_in_place(f->beside));
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
