/* Which table of kernels runs: the last row whose instruction set both this CPU and its operating
 * system support, GELATTO_CPU's choice if it can run, or what a test forced. The pointer is
 * published once with release order; kernels() costs one load. */
#include "kernels/tables.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int always(void)
{
    return 1;
}

/* From the slowest to the fastest. */
static const struct {
    const struct kernels *table;
    int (*can_run)(void);
} rows[] = {
    {&kernels_ref, always},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct kernels *_Atomic chosen;

static const struct kernels *find(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].table->name, name) == 0 && rows[i].can_run())
            return rows[i].table;
    return NULL;
}

const struct kernels *kernels(void)
{
    const struct kernels *table = atomic_load_explicit(&chosen, memory_order_acquire);
    if (table)
        return table;
    const char *wanted = getenv("GELATTO_CPU");
    table = wanted ? find(wanted) : NULL;
    for (int i = ROWS - 1; !table; i--)
        if (rows[i].can_run())
            table = rows[i].table;
    atomic_store_explicit(&chosen, table, memory_order_release);
    return table;
}

const struct kernels *kernels_at(int i, int *can_run)
{
    if (i < 0 || i >= ROWS)
        return NULL;
    if (can_run)
        *can_run = rows[i].can_run();
    return rows[i].table;
}

int kernels_force(const char *name)
{
    const struct kernels *table = find(name);
    if (!table)
        return -1;
    atomic_store_explicit(&chosen, table, memory_order_release);
    return 0;
}
