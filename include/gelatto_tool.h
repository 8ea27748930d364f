/* The part of the library that only the program gelatto needs. It is installed beside gelatto.h for
 * tools that come with it. Unlike gelatto.h it is not stable: it may change in any version. */
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
/** Whether both paths lead to the same existing file; 0 if one is NULL. */
GLT_API int glt_same_file(const char *a, const char *b);
/** The text as a cell of a CSV file that no spreadsheet evaluates; release it with glt_free. */
GLT_API int glt_csv_cell(char **cell, const char *text);
/** Copies the names of the shipped grids, with commas between them, truncated to the size. */
GLT_API void glt_grids(char *names, size_t size);

/** One message of an exchange between ranks. */
struct glt_message {
    int peer;     /**< the other rank */
    int send;     /**< 1: to it, 0: from it */
    void *data;   /**< not changed by sending */
    size_t bytes; /**< the same on both sides */
};

/** Ranks: processes that make the same calls and share their work, on one machine or on many. The
 * library does not know how messages travel; the plug-in of src/mpi/ is one way. */
struct glt_ranks {
    size_t size; /**< sizeof(struct glt_ranks) */
    int rank;    /**< of this process, from 0; rank 0 writes files */
    int count;   /**< of all */
    void *user;
    /** Starts all messages of a list and returns when all are complete. Between two ranks, messages
     * of one direction meet in the order of their lists. Returns 0; or -1 if a rank is lost, with a
     * sentence in `error`: no later exchange works. */
    int (*exchange)(void *user, const struct glt_message *list, int n, char *error,
                    size_t size_of_error);
};

/** What a plug-in for ranks exports under the name glt_ranks_plugin. */
struct glt_ranks_plugin {
    size_t size;       /**< sizeof(struct glt_ranks_plugin) */
    const char *build; /**< GLT_RANKS_BUILD of its header: the program loads no other */
    /** Joins the other ranks. Returns 0; or -1 with a sentence in `error`. */
    int (*open)(struct glt_ranks *out, char *error, size_t size_of_error);
    /** Leaves them; all ranks do, unless one is lost. at_once: the launcher is terminating this
     * process. */
    void (*close)(int at_once);
};
/** Changes with the structs above. */
#define GLT_RANKS_BUILD "1"

/** Makes calls of the default context share their work with other ranks: glt_train, glt_evaluate,
 * glt_kfold and glt_ablate, which all ranks must call alike, one thread at a time. The struct is
 * copied. NULL: alone again. GLT_EARGUMENT if the struct is not complete. */
GLT_API int glt_ranks_set(const struct glt_ranks *ranks);

/** @} */

#ifdef __cplusplus
}
#endif
#endif
