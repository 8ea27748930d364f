/* Traces: what opens has rows, levels and lists that lie inside each other.
 * covers: model/trace_file.c
 * but: trace_file_open */
#include "core/memory.h"
#include "fuzz_sign.h"
#include "model/trace_file.h"

static void look_at_block(const struct trace_file *t, int level, int block)
{
    struct trace_block b = {0};
    bool found;
    float weight[4];
    if (trace_block_read(&b, t, level, block) < 0)
        return;
    for (int32_t i = 0; i < b.centres; i++)
        for (int32_t k = b.start[i]; k < b.start[i + 1]; k++)
            PROPERTY(b.index[k] >= 0 && b.index[k] < t->n[0]);
    int64_t edges = b.centres > 0 ? b.start[b.centres] : 0;
    int64_t end = edges < 4 ? edges : 4;
    (void)trace_weights(weight, &found, t, level, block, "geometric", 0, end, -1);
    (void)trace_weights(weight, &found, t, level, block, "latent", 0, end, 0);
    trace_block_free(&b);
}

int fuzz_one(const uint8_t *data, size_t size)
{
    static const char *const outputs[] = {"main", "aux1"};
    struct trace_file t = {0};
    uint8_t *bytes;
    if (trace_file_take(&t, fuzz_signed(&bytes, data, size)) == 0) {
        float sum = 0;
        for (int32_t i = 0; i < t.n[0]; i++)
            sum += t.xyz[3 * i] + t.xyz[3 * i + 2] + (float)t.row[i];
        PROPERTY(sum == sum || 1); /* every point was there to be read */
        for (int l = 1; l <= TRACE_LEVELS; l++) {
            PROPERTY(t.n[l] >= 1 && t.n[l] <= t.n[l - 1]);
            look_at_block(&t, l, 1);
            look_at_block(&t, l, 2);
        }
        for (int i = 0; i < 2; i++) {
            int32_t *labels = NULL;
            int64_t n = 0;
            if (trace_labels(&labels, &n, &t, outputs[i]) == 0)
                PROPERTY(!labels || n <= t.n[0]);
            memory_free(labels);
        }
        float *features = NULL;
        int64_t rows, cols;
        if (trace_features(&features, &rows, &cols, &t, "out/main") == 0 && features)
            PROPERTY(rows <= t.n[0] && (features[rows * cols - 1] == 0 || 1));
        memory_free(features);
        trace_file_close(&t);
    }
    free(bytes);
    return 0;
}
