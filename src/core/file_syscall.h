/* The gate of the file module: every system call on a file passes here, is counted, and meets the
 * fault that a test has ordered (file_fault). Each function behaves like the call it is named
 * after: -1 or NULL with errno on failure. Close and discard do their deed even when a fault makes
 * them report failure, as Linux does for close. */
#ifndef CORE_FILE_SYSCALL_H
#define CORE_FILE_SYSCALL_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

int gate_open(const char *path, int flags, int mode);
int64_t gate_read(int fd, void *dst, size_t len, int64_t offset);
int64_t gate_write(int fd, const void *src, size_t len, int64_t offset); /* offset < 0: append */
int gate_sync(int fd);
int gate_rename(const char *from, const char *to);
int gate_remove(const char *path);  /* a file or an empty folder */
int gate_discard(const char *path); /* our own temporary */
int gate_close(int fd);
int gate_stat(struct stat *out, const char *path, bool follow);
int gate_stat_open(struct stat *out, int fd);
int gate_resolve(char *out, const char *path); /* realpath; out holds PATH_MAX */
int gate_make_folder(const char *path);
DIR *gate_open_folder(const char *path);
struct dirent *gate_read_folder(DIR *folder); /* NULL with errno = 0 at the end */
void gate_close_folder(DIR *folder);
int gate_lock(int fd);

#endif
