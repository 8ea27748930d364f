/* System calls on files: all calls of the file modules go through here, so that tests can count
 * them and make them fail (file_fault). Each function behaves like the call it is named after: -1
 * or NULL with errno on failure. Close and discard take effect even when an injected fault makes
 * them report failure, as close does on Linux. */
#ifndef CORE_FILE_SYSCALL_H
#define CORE_FILE_SYSCALL_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

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
enum file_fault {
    FILE_FAULT_NONE,
    FILE_FAULT_ERROR,
    FILE_FAULT_UNSUPPORTED,
    FILE_FAULT_SHORT,
    FILE_FAULT_PAUSE
};
/* The nth call from now (1 = the next), counted over all kinds when call = FILE_CALLS, gets the
 * injected fault; with `forever` all later calls too. PAUSE sleeps for `milliseconds` (kill tests);
 * UNSUPPORTED fails as on a file system without such a call. */
void file_fault(enum file_call call, int64_t nth, bool forever, enum file_fault fault,
                int milliseconds);
int64_t file_calls(void);      /* so far */
int64_t file_bytes_read(void); /* by those calls */

/* --- the calls --- */
int file_syscall_open(const char *path, int flags, int mode);
int64_t file_syscall_read(int fd, void *dst, size_t len,
                          int64_t offset); /* offset < 0: from the current position */
int file_syscall_duplicate(int fd);
int64_t file_syscall_write(int fd, const void *src, size_t len,
                           int64_t offset); /* offset < 0: append */
int file_syscall_sync(int fd);              /* again after a signal */
int file_syscall_rename(const char *from, const char *to);
int file_syscall_remove(const char *path);  /* a file or an empty folder */
int file_syscall_discard(const char *path); /* our own temporary */
int file_syscall_close(int fd);
int file_syscall_stat(struct stat *out, const char *path, bool follow);
int file_syscall_stat_open(struct stat *out, int fd);
int file_syscall_writable(const char *path);           /* by this process, according to its mode */
int file_syscall_resolve(char *out, const char *path); /* realpath; out holds PATH_MAX */
int file_syscall_make_folder(const char *path, int mode);
DIR *file_syscall_open_folder(const char *path);
struct dirent *file_syscall_read_folder(DIR *folder); /* NULL with errno = 0 at the end */
void file_syscall_close_folder(DIR *folder);
int file_syscall_lock(int fd); /* alone, without waiting */
int file_syscall_unlock(int fd);

#endif
