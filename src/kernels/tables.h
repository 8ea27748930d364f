/* The tables cpu.c chooses from, one per instruction set this build was compiled for. */
#ifndef KERNELS_TABLES_H
#define KERNELS_TABLES_H

#include "kernels/kernels.h"

extern const struct kernels kernels_ref;

#endif
