/* Where to look for files that come with gelatto (models, grids): in the build tree of the program;
 * where cmake --install puts them relative to the program or the shared library, whatever the
 * --prefix; and as configured. */
#ifndef CORE_INSTALL_PATHS_H
#define CORE_INSTALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>

enum { INSTALL_PATHS = 5 };

/* Folder number i for files of a kind ("models"); it need not exist. "" if there is none of this
 * number, false after the last. */
bool install_paths_folder(char *dst, size_t size, int i, const char *kind);

#endif
