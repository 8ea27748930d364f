/* Temporary files: where an output lives until it replaces its target.
 *
 * Its name is that of the target with ".tmp-N", N = 0, 1, ... The writer holds a lock on it, so one
 * without a lock was left by a killed process: the next write to the same target removes it. A
 * signal handler can remove those of this process (glt_outputs_discard). */
#ifndef CORE_FILE_TEMPORARY_H
#define CORE_FILE_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

struct file;

/* A new, empty and locked temporary beside f->target: sets f->temporary and f->fd. */
int file_temporary_open(struct file *f, mode_t mode);
/* Renames it, still as a temporary, to another name beside the target. */
int file_temporary_move(struct file *f, const char *suffix);
/* Renames f's temporary to its target, and that of `beside` (NULL: none); no signal whose handler
 * calls glt_outputs_discard comes between them. `temporary` is NULL in those that were renamed. */
int file_temporary_commit(struct file *f, struct file *beside);
void file_temporary_keep(struct file *f); /* it stays under its name when f is closed */

/* Removes what killed processes left in a folder: the temporaries of those targets that are ours.
 * Other files stay, whatever they are called. */
int file_sweep(const char *folder, bool (*ours)(const char *target));

#endif
