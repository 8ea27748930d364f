/* What the oracle's own tests share: a run that must not fail, and comparisons by name. */
#ifndef ORACLE_CHECK_H
#define ORACLE_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle_parts.h"
#include "oracle_toy.h"

static const enum oracle_maps all_maps[5] = {ORACLE_LINEAR, ORACLE_BN, ORACLE_VALUE_RELU,
                                             ORACLE_BN_RELU, ORACLE_SCORE_MLP};

static inline struct oracle_result run(const struct oracle_config *c, struct toy_params *p,
                                       const struct oracle_cloud *clouds, int32_t count,
                                       int training)
{
    struct oracle_result r;
    int code = oracle_run(&r, c, toy_param, p, clouds, count, training);
    if (code)
        fail_msg("%s", r.error);
    return r;
}

static inline double difference(const double *a, const double *b, int64_t count)
{
    double max = 0;
    for (int64_t i = 0; i < count; i++)
        max = fmax(max, fabs(a[i] - b[i]));
    return max;
}

static inline void assert_close(const struct oracle_result *a, const struct oracle_result *b,
                                const char *name, double limit)
{
    const struct oracle_tensor *x = oracle_tensor(a, name), *y = oracle_tensor(b, name);
    assert_non_null(x);
    assert_non_null(y);
    assert_int_equal(x->rows, y->rows);
    assert_int_equal(x->cols, y->cols);
    double d = difference(x->at, y->at, x->rows * x->cols);
    if (!(d <= limit))
        fail_msg("%s differs by %g", name, d);
}

static inline double spread(const struct oracle_result *a, const struct oracle_result *b,
                            const char *name)
{
    const struct oracle_tensor *x = oracle_tensor(a, name), *y = oracle_tensor(b, name);
    return difference(x->at, y->at, x->rows * x->cols);
}

static inline double *values(struct toy_params *p, const char *module, const char *leaf)
{
    struct toy_entry *e = toy_find(p, oracle_format("%s.%s", module, leaf).text);
    return e ? e->at : NULL;
}

#endif
