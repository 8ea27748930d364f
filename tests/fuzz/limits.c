/* What every input of a fuzz target is held to: FUZZ_CPU seconds of processor time (no limit
 * without that variable: timing fails no test), and of our memory at most twice the decoded size
 * and 64 MiB. The clock of libFuzzer (-timeout) is the wall's, which says little on a busy machine.
 */
#include "core/memory.h"
#include "fuzz.h"

#include <time.h>

int64_t fuzz_decoded;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t spare = 64 << 20;
    const char *limit = getenv("FUZZ_CPU");
    double begin = processor_seconds();
    fuzz_decoded = (int64_t)size;
    memory_peak_reset();
    int code = fuzz_one(data, size);
    PROPERTY(memory_stats().peak <= 2 * fuzz_decoded + spare);
    PROPERTY(!limit || processor_seconds() - begin <= strtod(limit, NULL));
    return code;
}
