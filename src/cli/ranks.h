/* Ranks: processes started by mpirun share their work, through a plug-in. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <stdbool.h>

/* Call this before a call that ranks share. Does nothing unless an MPI launcher has started several
 * processes. 0, or the exit code after a message. */
int ranks_join(void);
/* Call this at the end of the program. stopped: by a signal, which mpirun has sent to all. */
void ranks_leave(bool stopped);

#endif
