/* The oracle: the whole network written naively in double, straight from the equations.
 *
 * It shares no code with the engine and includes none of its headers: plain arrays in, named arrays
 * out. Every edge is computed on its own, nothing is hoisted, folded or reordered, so that a reader
 * can compare it with docs/network.md line by line. Rows are network rows (farthest-point order,
 * every level a prefix of its cloud); a batch is cloud after cloud at every level. Slow on purpose.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdint.h>

enum { ORACLE_LEVELS = 4 };

enum oracle_maps { ORACLE_LINEAR, ORACLE_BN, ORACLE_VALUE_RELU, ORACLE_BN_RELU, ORACLE_SCORE_MLP };
enum oracle_heads {
    ORACLE_BOTH,
    ORACLE_GEOMETRIC,
    ORACLE_LATENT,
    ORACLE_POOL,
    ORACLE_MEAN,
    ORACLE_NONE
};
/* Of a group of maps (inner, value, score); AUTO: what `maps` says. */
enum oracle_kind {
    ORACLE_AUTO,
    ORACLE_KIND_LINEAR,
    ORACLE_KIND_BN,
    ORACLE_KIND_RELU,
    ORACLE_KIND_MLP
};

struct oracle_config {
    int32_t inputs, classes; /* channels of the stem's input (xyz included), logits */
    int32_t stem;
    int32_t width[ORACLE_LEVELS], inner[ORACLE_LEVELS]; /* C and D of encoder 1 .. 4 */
    int32_t k[ORACLE_LEVELS], k2[ORACLE_LEVELS];        /* slots, only read with `pad` */
    int32_t decoder[ORACLE_LEVELS][2];                  /* [l]: the two layers of dec(l+1) */
    int32_t head_hidden, cls_hidden;
    enum oracle_maps maps;
    enum oracle_kind kind[3];
    enum oracle_heads heads;
    int cross;                 /* 0: no f_hg, no f_gh */
    int32_t features_per_head; /* D'; 0 = all of D */
    int pad;                   /* underfull = pad: the first hit fills the list up to k */
    int identity;              /* shortcut2 = identity */
    int classification;        /* pooling and `cls` instead of decoder, aux and main */
    int cls_bias;              /* cls_norm = bias */
    double bn_eps;
    double label_smoothing, aux[4]; /* of the losses */
    int32_t ignore;                 /* label that counts nowhere */
};

/* One cloud. Lists hold rows of the cloud (not of the batch). */
struct oracle_cloud {
    int32_t n[ORACLE_LEVELS + 1];           /* points at levels 0 (input) .. 4 */
    const double *xyz;                      /* (n[0], 3) */
    const double *features;                 /* (n[0], inputs) */
    const int32_t *start[ORACLE_LEVELS][2]; /* (n[l+1] + 1) */
    const int32_t *index[ORACLE_LEVELS][2]; /* (edges) rows of level l (block 1), l+1 (block 2) */
    const int32_t *up_index[ORACLE_LEVELS]; /* (n[l], 3) rows of level l+1; NULL: no decoder */
    const double *up_weight[ORACLE_LEVELS]; /* (n[l], 3) */
    const int32_t *label;                   /* (n[0]), or (1) for classification; losses only */
    int32_t part_first, part_count;         /* logits of the category; part_count 0: all */
};

/* The caller's parameters by their names in the model file. On entry *count is how many numbers the
 * network needs, on return how many there are; NULL when there is no such name. */
typedef const double *oracle_param_fn(void *user, const char *name, int64_t *count);

struct oracle_tensor {
    char name[64];
    int64_t rows, cols;
    double *at; /* (rows, cols) */
};

/* Everything the pass made, under the names of the trace (`stem`, `enc1/block1/out`, `out/main`,
 * ..), and more: `encL/blockB/{in,geometric,latent,layer}`, and for every normalisation of a
 * training pass its batch statistics `X.bn.mean`, `X.bn.var` (biased), `X.bn.rows` (1, 1).
 * Attention weights have a row for every edge of the lists, a padded list's copies added up. */
struct oracle_result {
    int32_t count, capacity;
    struct oracle_tensor *tensor;
    char error[160]; /* first failure, empty if none */
};

/* The forward pass of a batch; `training` normalises with batch statistics (dropout stays off).
 * 0, or -1 with out->error naming the parameter that is missing or has the wrong size. */
int oracle_run(struct oracle_result *out, const struct oracle_config *config,
               oracle_param_fn *param, void *user, const struct oracle_cloud *clouds, int32_t count,
               int training);
const struct oracle_tensor *oracle_tensor(const struct oracle_result *r, const char *name);
void oracle_result_free(struct oracle_result *r);

/* Losses of a pass: [0] main, [1..4] auxiliary; total = main + sum of aux[i] times its loss. */
struct oracle_losses {
    double total, output[5];
    int64_t labelled[5];
};
void oracle_loss(struct oracle_losses *out, const struct oracle_config *config,
                 const struct oracle_result *r, const struct oracle_cloud *clouds, int32_t count);

/* --- geometry by brute force --- */

/* Farthest point sampling of m out of n, then the others in row order: order (n). */
void oracle_sample(int32_t *order, const float *xyz, int32_t n, int32_t m, int32_t first);

enum oracle_rule { ORACLE_FIRST, ORACLE_NEAREST, ORACLE_KNN };
/* Neighbours of the first `centres` rows among the first `candidates` rows: start (centres + 1),
 * index (centres * min(k, candidates)), each list ascending. Returns the number of edges. */
int32_t oracle_neighbours(int32_t *start, int32_t *index, const float *xyz, int32_t centres,
                          int32_t candidates, float radius, int32_t k, enum oracle_rule rule);
/* Three nearest of the first `coarse` rows for the first `fine` rows: index, weight (fine, 3). */
void oracle_upsample(int32_t *index, double *weight, const float *xyz, int32_t fine,
                     int32_t coarse);

#endif
