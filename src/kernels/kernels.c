/* Which table of kernels runs: the last row whose instruction set both this CPU and its operating
 * system support, GELATTO_CPU's choice if it can run, or what a test forced. The pointer is
 * published once with release order; kernels() costs one load. */
#include "kernels/kernels.h"

#include "core/log.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef KERNELS_HAVE_X86
#include <cpuid.h>
#endif

static int always(void)
{
    return 1;
}

#ifdef KERNELS_HAVE_X86
/* clang 14 does not know "f16c" as a feature name. */
static int has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

/* __builtin_cpu_supports also asks the operating system (xgetbv) whether it saves the registers. */
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
}

static int has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#endif

/* From the slowest to the fastest. */
static const struct {
    const struct kernels *table;
    int (*can_run)(void);
} rows[] = {
    {&kernels_ref, always},
#ifdef KERNELS_HAVE_X86
    {&kernels_avx2, has_avx2},
    {&kernels_avx512, has_avx512},
#endif
#ifdef KERNELS_HAVE_NEON
    {&kernels_neon, always},
#endif
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

void kernels_list(char *dst, size_t size)
{
    size_t len = 0;
    dst[0] = 0;
    for (int i = 0; i < ROWS && len < size; i++)
        if (rows[i].can_run())
            len += (size_t)snprintf(dst + len, size - len, "%s%s", len ? ", " : "",
                                    rows[i].table->name);
}

/* Said once, although several threads may come here together. */
static void warn_unknown(const char *wanted, const char *taken)
{
    static _Atomic bool warned;
    char names[64];
    if (atomic_exchange(&warned, true))
        return;
    kernels_list(names, sizeof names);
    log_warning(GLT_TOPIC_OPTION, "GELATTO_CPU",
                "GELATTO_CPU=%.40s cannot run here: %s is taken; there are %s", wanted, taken,
                names);
}

const struct kernels *kernels(void)
{
    const struct kernels *table = atomic_load_explicit(&chosen, memory_order_acquire);
    if (table)
        return table;
    const char *wanted = getenv("GELATTO_CPU");
    const struct kernels *forced = table = wanted ? find(wanted) : NULL;
    for (int i = ROWS - 1; !table; i--)
        if (rows[i].can_run())
            table = rows[i].table;
    if (wanted && *wanted && !forced)
        warn_unknown(wanted, table->name);
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
