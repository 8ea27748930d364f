/* The oracle's losses (network.md, section 5; paper L219): cross entropy against the smoothed
 * target (1 - s) one-hot + s / C, the mean over an output's own labelled points, and
 * total = main + sum over the auxiliary outputs of their weight times their loss. With a part range
 * the soft-max and C are those of the category's parts only. */
#include "oracle.h"

#include <math.h>
#include <string.h>

/* -sum_c target_c log softmax_c over the logits first .. first + classes */
static double cross_entropy(const double *logits, int32_t label, int32_t first, int32_t classes,
                            double smoothing)
{
    double max = -INFINITY, sum = 0, loss = 0;
    for (int32_t c = first; c < first + classes; c++)
        max = fmax(max, logits[c]);
    for (int32_t c = first; c < first + classes; c++)
        sum += exp(logits[c] - max);
    for (int32_t c = first; c < first + classes; c++) {
        double target = (c == label ? 1 - smoothing : 0) + smoothing / classes;
        loss -= target * (logits[c] - max - log(sum));
    }
    return loss;
}

/* One output at one level (-1: one row a cloud); 0 when nothing is labelled. */
static double output_loss(int64_t *labelled, const struct oracle_config *c,
                          const struct oracle_tensor *t, const struct oracle_cloud *clouds,
                          int32_t count, int level)
{
    double sum = 0;
    int64_t row = 0;
    *labelled = 0;
    for (int32_t i = 0; i < count; i++) {
        const struct oracle_cloud *cloud = &clouds[i];
        int32_t rows = level < 0 ? 1 : cloud->n[level];
        int32_t first = cloud->part_count ? cloud->part_first : 0;
        int32_t classes = cloud->part_count ? cloud->part_count : c->classes;
        for (int32_t n = 0; n < rows; n++, row++) {
            if (cloud->label[n] == c->ignore)
                continue;
            sum += cross_entropy(t->at + row * t->cols, cloud->label[n], first, classes,
                                 c->label_smoothing);
            ++*labelled;
        }
    }
    return *labelled ? sum / (double)*labelled : 0;
}

void oracle_loss(struct oracle_losses *out, const struct oracle_config *config,
                 const struct oracle_result *r, const struct oracle_cloud *clouds, int32_t count)
{
    static const char *const name[5] = {"out/main", "out/aux1", "out/aux2", "out/aux3", "out/aux4"};
    static const int level[5] = {0, 4, 3, 2, 1};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < (config->classification ? 1 : 5); i++) {
        const struct oracle_tensor *t = oracle_tensor(r, name[i]);
        out->output[i] = output_loss(&out->labelled[i], config, t, clouds, count,
                                     config->classification ? -1 : level[i]);
        out->total += (i ? config->aux[i - 1] : 1) * out->output[i];
    }
}
