/* The folder that a synthetic set is written to.
 *
 * Nothing of an earlier set may remain: a shape that moved to another split would be learned and
 * scored. Files with other names belong to the user and stay. */
#ifndef SYNTH_SYNTH_FOLDER_H
#define SYNTH_SYNTH_FOLDER_H

#include <stdbool.h>

/* GLT_EEXISTS if it holds `first` already, unless that may be replaced. */
int synth_folder_check(const char *folder, const char *first, bool replace);
/* Removes the clouds <stem>_<number>.ply, .las and .laz of a folder, if it is there. */
int synth_folder_clear(const char *folder, const char *stem);

#endif
