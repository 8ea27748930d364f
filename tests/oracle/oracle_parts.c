/* The oracle's small parts: matrices, parameters by name, linear maps, batch normalisation. */
#include "oracle_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct oracle_name oracle_format(const char *format, ...)
{
    struct oracle_name name;
    va_list list;
    va_start(list, format);
    vsnprintf(name.text, sizeof name.text, format, list);
    va_end(list);
    return name;
}

void *oracle_memory(int64_t count, int64_t size)
{
    void *block = calloc(count > 0 ? (size_t)count : 1, (size_t)size);
    if (!block) {
        fprintf(stderr, "oracle: no memory for %lld x %lld bytes\n", (long long)count,
                (long long)size);
        abort();
    }
    return block;
}

struct matrix matrix_new(int64_t rows, int64_t cols)
{
    return (struct matrix){rows, cols, oracle_memory(rows * cols, sizeof(double))};
}

void matrix_free(struct matrix *m)
{
    free(m->at);
    m->at = NULL;
}

void run_keep(struct run *r, const char *name, struct matrix m)
{
    struct oracle_result *out = r->out;
    if (out->count == out->capacity) {
        out->capacity = out->capacity ? 2 * out->capacity : 64;
        out->tensor = realloc(out->tensor, (size_t)out->capacity * sizeof *out->tensor);
        if (!out->tensor)
            abort();
    }
    struct oracle_tensor *t = &out->tensor[out->count++];
    snprintf(t->name, sizeof t->name, "%s", name);
    t->rows = m.rows;
    t->cols = m.cols;
    t->at = oracle_memory(m.rows * m.cols, sizeof(double));
    memcpy(t->at, m.at, (size_t)(m.rows * m.cols) * sizeof(double));
}

const struct oracle_tensor *oracle_tensor(const struct oracle_result *r, const char *name)
{
    for (int32_t i = 0; i < r->count; i++)
        if (!strcmp(r->tensor[i].name, name))
            return &r->tensor[i];
    return NULL;
}

void oracle_result_free(struct oracle_result *r)
{
    for (int32_t i = 0; i < r->count; i++)
        free(r->tensor[i].at);
    free(r->tensor);
    *r = (struct oracle_result){0};
}

const double *run_param(struct run *r, const char *module, const char *leaf, int64_t count)
{
    struct oracle_name name = oracle_format("%s.%s", module, leaf);
    int64_t found = count;
    const double *at = r->param(r->user, name.text, &found);
    if (at && found == count)
        return at;
    if (!r->out->error[0]) {
        if (at)
            snprintf(r->out->error, sizeof r->out->error, "%s: %lld numbers, expected %lld",
                     name.text, (long long)found, (long long)count);
        else
            snprintf(r->out->error, sizeof r->out->error, "%s: missing", name.text);
    }
    return NULL;
}

struct matrix layer_linear(struct run *r, const char *module, struct matrix x, int64_t out,
                           int bias)
{
    const double *w = run_param(r, module, "weight", out * x.cols);
    const double *b = bias ? run_param(r, module, "bias", out) : NULL;
    struct matrix y = matrix_new(x.rows, out);
    if (!w)
        return y;
    /* a transposed copy, so that the inner loop is over outputs: every sum still runs over the
     * inputs in order, and `paper` ends within a minute */
    double *t = oracle_memory(out * x.cols, sizeof *t);
    for (int64_t o = 0; o < out; o++)
        for (int64_t i = 0; i < x.cols; i++)
            t[i * out + o] = w[o * x.cols + i];
    for (int64_t n = 0; n < x.rows; n++) {
        double *to = y.at + n * out;
        for (int64_t i = 0; i < x.cols; i++) {
            double from = x.at[n * x.cols + i];
            for (int64_t o = 0; o < out; o++)
                to[o] += t[i * out + o] * from;
        }
        for (int64_t o = 0; b && o < out; o++)
            to[o] += b[o];
    }
    free(t);
    return y;
}

/* Mean and biased variance over the rows; one row has variance 0. */
static void statistics(double *mean, double *var, struct matrix y)
{
    for (int64_t c = 0; c < y.cols; c++) {
        double sum = 0, square = 0;
        for (int64_t n = 0; n < y.rows; n++)
            sum += y.at[n * y.cols + c];
        mean[c] = sum / (double)y.rows;
        for (int64_t n = 0; n < y.rows; n++) {
            double d = y.at[n * y.cols + c] - mean[c];
            square += d * d;
        }
        var[c] = square / (double)y.rows;
    }
}

void layer_norm(struct run *r, const char *module, struct matrix y, int shift)
{
    const double *gamma = run_param(r, module, "bn.weight", y.cols);
    const double *beta = shift ? run_param(r, module, "bn.bias", y.cols) : NULL;
    const double *old_mean = run_param(r, module, "bn.running_mean", y.cols);
    const double *old_var = run_param(r, module, "bn.running_var", y.cols);
    if (!gamma || !old_mean || !old_var || y.rows == 0)
        return;
    struct matrix mean = matrix_new(1, y.cols), var = matrix_new(1, y.cols);
    if (r->training) {
        statistics(mean.at, var.at, y);
        struct matrix rows = {1, 1, &(double){(double)y.rows}};
        run_keep(r, oracle_format("%s.bn.mean", module).text, mean);
        run_keep(r, oracle_format("%s.bn.var", module).text, var);
        run_keep(r, oracle_format("%s.bn.rows", module).text, rows);
    } else {
        memcpy(mean.at, old_mean, (size_t)y.cols * sizeof(double));
        memcpy(var.at, old_var, (size_t)y.cols * sizeof(double));
    }
    for (int64_t n = 0; n < y.rows; n++)
        for (int64_t c = 0; c < y.cols; c++) {
            double *at = y.at + n * y.cols + c;
            *at = (*at - mean.at[c]) / sqrt(var.at[c] + r->config->bn_eps) * gamma[c];
            *at += beta ? beta[c] : 0;
        }
    matrix_free(&mean);
    matrix_free(&var);
}

void layer_relu(struct matrix y)
{
    for (int64_t i = 0; i < y.rows * y.cols; i++)
        if (y.at[i] < 0)
            y.at[i] = 0;
}

struct matrix layer_unit(struct run *r, const char *module, struct matrix x, int64_t out, int relu)
{
    struct matrix y = layer_linear(r, module, x, out, 0);
    layer_norm(r, module, y, 1);
    if (relu)
        layer_relu(y);
    return y;
}
