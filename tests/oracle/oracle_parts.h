/* What the files of the oracle share: a matrix, one run, the layers of section 3. */
#ifndef ORACLE_PARTS_H
#define ORACLE_PARTS_H

#include "oracle.h"

struct matrix {
    int64_t rows, cols;
    double *at; /* (rows, cols) */
};

struct run {
    const struct oracle_config *config;
    oracle_param_fn *param;
    void *user;
    int training;
    struct oracle_result *out;
};

/* The edges of one block over the batch, centre after centre. */
struct edges {
    int64_t count, centres;
    int64_t *start;  /* (centres + 1) slots of each centre */
    int32_t *listed; /* (centres) slots that are in the list itself; the rest is padding */
    int32_t *self;   /* (count) row of the centre among the candidates */
    int32_t *source; /* (count) row of the neighbour among the candidates */
};

struct oracle_name {
    char text[96];
};
struct oracle_name oracle_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

void *oracle_memory(int64_t count,
                    int64_t size); /* zeroed; a test without memory cannot continue */
struct matrix matrix_new(int64_t rows, int64_t cols);
void matrix_free(struct matrix *m);
/* Copies m into the result. */
void run_keep(struct run *r, const char *name, struct matrix m);
const double *run_param(struct run *r, const char *module, const char *leaf, int64_t count);

/* y = W x (+ b), W = module.weight (out, in), b = module.bias when `bias`. */
struct matrix layer_linear(struct run *r, const char *module, struct matrix x, int64_t out,
                           int bias);
/* In place: module.bn over the rows of y; `shift` 0: there is no module.bn.bias. */
void layer_norm(struct run *r, const char *module, struct matrix y, int shift);
void layer_relu(struct matrix y);
/* linear without bias, BN and, when asked for, ReLU */
struct matrix layer_unit(struct run *r, const char *module, struct matrix x, int64_t out, int relu);

/* The two-headed layer, O (centres, d); p (candidates, 3), x (candidates, d). */
struct matrix layer_gelatto(struct run *r, const char *module, const char *trace, struct matrix x,
                            struct matrix p, const struct edges *e);
/* heads = none: max over the neighbours of ReLU(BN(f_n [x_j ; p_j - p_i])). */
struct matrix layer_maximum(struct run *r, const char *module, struct matrix x, struct matrix p,
                            const struct edges *e);

#endif
