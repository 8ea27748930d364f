/* Shared by the parts of the network's builder: names, parameters, linear + norm + ReLU. */
#ifndef MODEL_BUILD_H
#define MODEL_BUILD_H

#include "model/model.h"
#include "nn/ops.h"

struct build {
    struct plan *plan;
    struct model *model;
    const struct config *config;
    real *gradient; /* NULL: inference */
    bool declaring; /* the model has no numbers yet */
    bool trace, features, observe;
    int64_t capacity[ROWS_KINDS];
    struct tensor *xyz[5];           /* coordinates of each level's points */
    struct tensor *statistics[8][2]; /* of attention, as in struct network */
};

/* X = name: the parameters X.weight, X.bias and X.bn.* of docs/network.md */
struct tensor *build_weight(struct build *b, const char *name, int64_t out, int64_t in,
                            enum parameter_init init);
struct tensor *build_bias(struct build *b, const char *name, int64_t c);
struct norm build_norm(struct build *b, const char *name, int64_t c, bool shift);

/* y = act(norm(x W^T)) */
struct tensor *build_linear_norm(struct build *b, const char *name, struct tensor *x, int64_t out,
                                 bool relu);
/* Keeps a tensor to the end of the walk, for a trace, under a name of its own. */
void build_show(struct build *b, struct tensor *t, const char *format, int level, int block);

#endif
