/* Padded neighbour lists: every list has k entries, its first repeated in front, so it stays
 * ascending; the transposes hold the repeats too. */
#include "geometry/pad.h"

#include "core/error.h"

#include <string.h>

int pad_limit(int32_t centres, int32_t k)
{
    if ((int64_t)centres * k > INT32_MAX)
        return error_topic(
            error_set(GLT_ELIMIT,
                      "%d centres with k = %d: more than 2^31 - 1 edges; give a smaller k", centres,
                      k),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    return 0;
}

static void transpose(struct neighbours *out)
{
    int32_t edges = out->start[out->centres];
    memset(out->tstart, 0, ((size_t)out->candidates + 1) * sizeof *out->tstart);
    for (int32_t e = 0; e < edges; e++)
        out->tstart[out->index[e] + 1]++;
    for (int32_t j = 0; j < out->candidates; j++)
        out->tstart[j + 1] += out->tstart[j];
    for (int32_t i = 0; i < out->centres; i++)
        for (int32_t e = out->start[i]; e < out->start[i + 1]; e++) {
            int32_t at = out->tstart[out->index[e]]++;
            out->tindex[at] = i;
            out->tedge[at] = e;
        }
    for (int32_t j = out->candidates; j > 0; j--)
        out->tstart[j] = out->tstart[j - 1];
    out->tstart[0] = 0;
}

void pad_fill(struct neighbours *out, const struct neighbours *from, int32_t k)
{
    out->start[0] = 0;
    for (int32_t i = 0; i < from->centres; i++) {
        const int32_t *list = from->index + from->start[i];
        int32_t len = from->start[i + 1] - from->start[i], wanted = len > 0 ? k : 0;
        int32_t *to = out->index + out->start[i];
        for (int32_t e = 0; e < wanted; e++)
            to[e] = e < k - len ? list[0] : list[e - (k - len)];
        out->start[i + 1] = out->start[i] + wanted;
    }
    transpose(out);
}
