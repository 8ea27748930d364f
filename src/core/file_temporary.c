/* Temporary files: see file_temporary.h.
 *
 * Those of this process are in one list, for the signal handler. The list has a spin lock instead
 * of a mutex, because the handler takes it too. Signals are blocked while it is held, so the
 * handler never runs in a thread that holds it. The handler itself never releases it. Nothing is
 * allocated or freed meanwhile: the thread that the handler interrupted may hold the lock of
 * malloc. A forked child has neither the list nor the lock of its parent. */
#include "core/file_temporary.h"

#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_internal.h"
#include "core/file_syscall.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WRITERS_MAX = 1000, SUFFIX = 32 }; /* writers of one target; bytes added to its name */

static atomic_flag held = ATOMIC_FLAG_INIT;
static struct file *list;

static void take_list(void)
{
    while (atomic_flag_test_and_set_explicit(&held, memory_order_acquire))
        sched_yield();
}

/* In a forked child: the temporaries are its parent's, and the holder of the lock, if there was
 * one, does not exist. */
static void start_child(void)
{
    list = NULL;
    atomic_flag_clear_explicit(&held, memory_order_release);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, start_child);
}

static void enter(sigset_t *before)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigset_t all;
    pthread_once(&once, watch_forks);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    take_list();
}

static void leave(const sigset_t *before)
{
    atomic_flag_clear_explicit(&held, memory_order_release);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void glt_outputs_discard(void)
{
    take_list();
    for (const struct file *f = list; f; f = f->next)
        unlink(f->temporary);
}

/* --- the list; the lock is held --- */

static void add(struct file *f)
{
    f->next = list;
    list = f;
}

/* Forgets the temporary, whatever became of it; its name is to be freed after leaving. */
static char *drop(struct file *f)
{
    char *name = f->temporary;
    struct file **at = &list;
    while (*at && *at != f)
        at = &(*at)->next;
    if (*at)
        *at = f->next;
    f->temporary = NULL;
    return name;
}

static void remove_own(struct file *f)
{
    sigset_t before;
    enter(&before);
    file_syscall_discard(f->temporary);
    char *name = drop(f);
    leave(&before);
    memory_free(name);
}

/* --- opening --- */

static int open_retry(const char *path, int flags, mode_t mode)
{
    int fd;
    do
        fd = file_syscall_open(path, flags | O_NOFOLLOW, (int)mode); /* less the umask */
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Between opening and locking the file, another process may have removed it as stale. */
static int is_still_there(const char *path, int fd)
{
    struct stat a, b;
    if (file_syscall_stat_open(&a, fd))
        return -1;
    if (file_syscall_stat(&b, path, false))
        return errno == ENOENT ? 0 : -1;
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Removes a file with the name of a temporary if this user owns it and no process writes it any
 * more. */
static bool remove_stale(const char *path)
{
    struct stat info;
    int fd = open_retry(path, O_RDWR | O_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool stale = file_syscall_stat_open(&info, fd) == 0 && S_ISREG(info.st_mode) &&
                 info.st_uid == geteuid() && file_try_lock(fd) == FILE_LOCKED &&
                 is_still_there(path, fd) == 1 && file_syscall_remove(path) == 0;
    file_syscall_close(fd);
    return stale;
}

/* 1: it is ours; 0: it is somebody else's; -1: error. Signals are blocked. */
static int create(struct file *f, mode_t mode)
{
    f->fd = open_retry(f->temporary, O_RDWR | O_CREAT | O_EXCL, mode);
    if (f->fd < 0)
        return errno == EEXIST ? 0 : -1;
    enum file_lock_state lock = file_try_lock(f->fd);
    int ours = lock == FILE_LOCK_FAILED ? -1 : lock != FILE_LOCKED_BY_OTHERS;
    if (ours > 0)
        ours = is_still_there(f->temporary, f->fd);
    if (ours > 0) {
        add(f);
        return 1;
    }
    int reason = errno;
    if (ours < 0)
        file_syscall_discard(f->temporary);
    file_syscall_close(f->fd);
    f->fd = -1;
    errno = reason;
    return ours;
}

/* "folder/name.tmp-N", the name cut so that the whole stays a legal one */
static void name_temporary(char *dst, const char *target, int number)
{
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    snprintf(dst, strlen(target) + SUFFIX, "%.*s%.200s.tmp-%d", (int)(name - target), target, name,
             number);
}

/* Removes what several killed writers of one target left. No test makes this fail: leftovers are
 * harmless. */
static void remove_rest(struct file *f, int number)
{
    char path[PATH_MAX + SUFFIX];
    struct stat info;
    do
        name_temporary(path, f->target, ++number);
    while (lstat(path, &info) == 0 && remove_stale(path));
}

int file_temporary_open(struct file *f, mode_t mode)
{
    int number = 0, ours = 0;
    f->discard = remove_own;
    f->temporary = memory_alloc(strlen(f->target) + SUFFIX, 1);
    if (!f->temporary)
        return GLT_ENOMEM;
    while (ours == 0 && number < WRITERS_MAX) {
        sigset_t before;
        name_temporary(f->temporary, f->target, number);
        enter(&before);
        ours = create(f, mode);
        leave(&before);
        if (ours == 0 && !remove_stale(f->temporary))
            number++;
    }
    if (ours > 0) {
        remove_rest(f, number);
        return 0;
    }
    int code =
        ours < 0
            ? file_fail(f->name, "create")
            : error_topic(
                  error_file(error_set(GLT_EIO, "%s: cannot create: remove its temporary files, %s",
                                       f->name, f->temporary),
                             f->name),
                  GLT_TOPIC_EXISTS, NULL);
    memory_free(f->temporary);
    f->temporary = NULL;
    return code;
}

/* --- its end --- */

int file_temporary_move(struct file *f, const char *suffix)
{
    size_t size = strlen(f->target) + strlen(suffix) + 1;
    char *name = memory_alloc(size, 1), *old = f->temporary;
    sigset_t before;
    if (!name)
        return GLT_ENOMEM;
    snprintf(name, size, "%s%s", f->target, suffix);
    enter(&before);
    int failed = file_syscall_rename(old, name);
    if (!failed)
        f->temporary = name;
    leave(&before);
    int code = failed ? file_fail(f->name, "put the new file in place") : 0;
    memory_free(failed ? name : old);
    return code;
}

int file_temporary_commit(struct file *f, struct file *beside)
{
    struct file *files[] = {f, beside};
    char *names[2] = {NULL, NULL};
    int code = 0;
    sigset_t before;
    enter(&before);
    for (int i = 0; i < 2 && files[i] && code == 0; i++) {
        if (file_syscall_rename(files[i]->temporary, files[i]->target))
            code = file_fail(files[i]->name, "put the new file in place");
        else
            names[i] = drop(files[i]);
        /* a power cut must not leave the second rename without the first */
        if (code == 0 && i == 0 && beside && file_sync_name(f->target))
            code = file_fail(f->name, "sync its folder");
    }
    leave(&before);
    memory_free(names[0]);
    memory_free(names[1]);
    return code;
}

void file_temporary_keep(struct file *f)
{
    sigset_t before;
    enter(&before);
    char *name = drop(f);
    leave(&before);
    memory_free(name);
}

/* --- what others left --- */

/* Whether it is the name of a temporary; if so, it is cut to the name of its target. */
static bool cut_temporary(char *name)
{
    char *mark = NULL;
    for (char *p = name; (p = strstr(p, ".tmp-")); p++)
        mark = p;
    if (!mark || !mark[5] || mark[5 + strspn(mark + 5, "0123456789")])
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
            remove_stale(path);
    }
    file_free_names(names, n);
    return code;
}
