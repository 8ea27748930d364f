/* Folders: existence, making, listing and walking in byte order, joining names, advisory locks. */
#ifndef CORE_FILE_FOLDER_H
#define CORE_FILE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool file_exists(const char *path);
bool file_exists_in(const char *folder, const char *name);
bool file_is_folder(const char *path);
bool file_is_regular(const char *path);    /* or a link to one; it can be read twice */
bool file_is_own_folder(const char *path); /* not a link to one */
/* A regular file (not a link to one), or nothing yet. */
bool file_is_plain(const char *path);
/* Size and time of the last change (nanoseconds), which show whether a file is still the same. */
int file_stamp(int64_t *bytes, int64_t *modified, const char *path);
/* Makes a folder and its parents; it may exist already. New folders survive a power cut. */
int file_make_folder(const char *path);
/* The same, but if the folder itself is new, only its owner may enter it. */
int file_make_private_folder(const char *path);
/* The folder belongs to this user, and nobody else may write to it. */
bool file_is_private_folder(const char *path);
int file_remove(const char *path);
/* Syncs the folder that holds this file or folder, so that its name survives a power cut. One that
 * may not be read cannot be synced. -1 with errno. */
int file_sync_name(const char *path);
/* Names in a folder (no . and ..), sorted by byte; release each and the array with
 * file_free_names. */
int file_list(char ***names, size_t *n, const char *folder);
void file_free_names(char **names, size_t n);
/* Calls back with the path of every regular file under folder, sorted, depth first; stops at a
 * negative return. Links to folders are not followed. */
typedef int file_visit_fn(void *user, const char *path);
int file_walk(const char *folder, file_visit_fn *fn, void *user);
/* The same without the folders below it that `enter` leaves out. */
typedef bool file_enter_fn(void *user, const char *folder);
int file_walk_some(const char *folder, file_enter_fn *enter, file_visit_fn *fn, void *user);
int file_join(char *dst, size_t size, const char *folder, const char *name);
/* An advisory lock held until file_unlock or the end of the process; GLT_EEXISTS if another
 * process holds it. A warning on a disk without locks. */
struct file_lock;
int file_lock(struct file_lock **out, const char *path);
void file_unlock(struct file_lock *lock);

#endif
