/* The folder that a synthetic set is written to.
 *
 * Of an earlier set nothing may stay among the new one: a shape in another split would be learned
 * from and scored. Files of other names are somebody else's. */
#ifndef SYNTH_SYNTH_FOLDER_H
#define SYNTH_SYNTH_FOLDER_H

#include <stdbool.h>

/* GLT_EEXISTS if it holds `first` already, unless that may be replaced. */
int synth_folder_check(const char *folder, const char *first, bool replace);
/* Removes the clouds <stem>_<number>.ply and .las of a folder, if it is there. */
int synth_folder_clear(const char *folder, const char *stem);

#endif
