/* A model: one flat block of named parameters plus the configuration that explains them.
 *
 * Names and shapes come from running the network's builder once (network.c); the block holds the
 * trainable numbers and the running statistics of the norms. Gradients and Adam's moments are
 * parallel blocks of the same length; a statistic's gradient is 0, so Adam leaves it alone. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "cloud/classes.h"
#include "config/config.h"
#include "kernels/real.h"

#include <stdbool.h>
#include <stdint.h>

enum parameter_init { INIT_KAIMING, INIT_UNIFORM, INIT_ZERO, INIT_ONE };

struct parameter {
    char name[64];
    int64_t rows, cols; /* (1, c) for a vector */
    bool vector;
    bool statistic; /* not trained */
    enum parameter_init init;
    int64_t offset; /* in the block */
};

struct model {
    struct config config;
    int32_t channels;
    struct classes classes; /* its labels: numbers in its training data */
    struct parameter *parameters;
    int32_t count;
    int64_t size; /* reals of the block */
    real *block;
    char *card;      /* JSON about its training, or NULL */
    char digest[33]; /* of its file; empty: none */
    char name[96];   /* of that file, without folder and extension; empty: none */
};

void model_free(struct model *m); /* accepts NULL */
/* The category of this name, ignoring case; GLT_EARGUMENT if the model labels no parts or has none
 * of that name. */
int model_category(int32_t *out, const struct model *m, const char *name);

/* The parameter of this name, for the network's builder; added while `m` has no block. NULL when
 * out of memory. */
struct parameter *model_parameter(struct model *m, const char *name, int64_t rows, int64_t cols,
                                  bool vector, enum parameter_init init);
struct parameter *model_find(const struct model *m, const char *name); /* NULL: none */
int64_t model_trainable(const struct model *m);                        /* numbers */

#endif
