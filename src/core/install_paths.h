/* Where files that come with gelatto lie (models, grids): in the source tree, for what runs from
 * its build tree; behind cmake --install as seen from the program or the shared library, wherever a
 * --prefix has put them; and as configured. */
#ifndef CORE_INSTALL_PATHS_H
#define CORE_INSTALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>

enum { SHARE_FOLDERS = 4 };

/* Folder number i for files of a kind ("models"); it need not be there. "" if there is none of this
 * number, false behind the last. */
bool share_folder(char *dst, size_t size, int i, const char *kind);

#endif
