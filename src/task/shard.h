/* Shards: shares of a list of files, one for each of several processes.
 *
 * Every file is in one shard. Which one depends on the sizes and names of all files and on the
 * number of shards, never on the order of the list, so processes agree without communication. The
 * largest files are assigned first, each to the shard with the fewest bytes so far. */
#ifndef TASK_SHARD_H
#define TASK_SHARD_H

#include <stdint.h>

enum { SHARD_MAX = 65536 };

struct shard_file {
    const char *name; /* unique */
    int64_t bytes;
};

/* owner (n): the shard of each file, from 0. */
int shard_files(int32_t *owner, const struct shard_file *files, int32_t n, int32_t shards);

#endif
