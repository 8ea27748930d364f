/* What only the program gelatto needs of the library. Installed beside gelatto.h for tools that
 * come with it; unlike gelatto.h it is not promised to be stable, and may change in any version. */
#ifndef GELATTO_TOOL_H
#define GELATTO_TOOL_H

#include "gelatto.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tool For the program
 * Helpers of the command line. The conventions of gelatto.h hold; nothing here is stable.
 * @{ */

/** How many edits (insert, delete, replace, swap of neighbours) lie between two words: for "did you
 * mean". */
GLT_API int glt_word_distance(const char *a, const char *b);
/** Receives one file; `under` is the part of its path after the folder. A negative return stops.
 */
typedef int glt_file_fn(void *user, const char *path, const char *under);
/** Calls back with the files that a word of a command line means, sorted: a file, the clouds under
 * a folder, or those that a pattern (* ? [..]) matches. GLT_EIO (topic NOT_FOUND) if there is none.
 */
GLT_API int glt_cloud_files(const char *word, glt_file_fn *fn, void *user);
/** Whether both paths lead to the same existing file; 0 if one is NULL. */
GLT_API int glt_same_file(const char *a, const char *b);
/** Copies the names of the shipped grids, with commas between them; cut to the size. */
GLT_API void glt_grids(char *names, size_t size);

/** @} */

#ifdef __cplusplus
}
#endif
#endif
