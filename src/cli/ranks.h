/* Ranks: a program that mpirun has started shares its work with the others, through a plug-in. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <stdbool.h>

/* Before a call that ranks share. Does nothing unless a launcher of MPI has started several of us.
 * 0, or the exit code after a message. */
int ranks_join(void);
/* At the end of the program. stopped: by a signal, which mpirun has sent to all. */
void ranks_leave(bool stopped);

#endif
