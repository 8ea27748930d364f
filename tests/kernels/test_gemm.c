/* labels: quick threads
 * Products against a naive sum in double: all transposes, accumulation, epilogues, sizes with 0, 1
 * and odd tails, leading dimensions; the same bits for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "gelatto.h"
#include "kernels/gemm.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

struct shape {
    int64_t m, n, k;
    int ta, tb, accumulate, epilogue;
};

/* All operands of one product, with one guard row and gaps between rows. */
struct operands {
    struct shape s;
    int64_t lda, ldb, ldc;
    real *a, *b, *c, *start, *scale, *shift;
    struct epilogue epilogue;
};

static void fill(real *x, int64_t n, struct random *r)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (real)(2 * random_uniform(r) - 1);
}

static struct operands make(struct shape s, uint32_t lane)
{
    struct operands o = {.s = s};
    struct random r = random_start(random_stream(7, 0, 0, RANDOM_TEST), lane);
    o.lda = (s.ta ? s.m : s.k) + 3;
    o.ldb = (s.tb ? s.k : s.n) + 1;
    o.ldc = s.n + 2;
    int64_t na = o.lda * ((s.ta ? s.k : s.m) + 1), nb = o.ldb * ((s.tb ? s.n : s.k) + 1),
            nc = o.ldc * (s.m + 1);
    real **field[] = {&o.a, &o.b, &o.c, &o.start, &o.scale, &o.shift};
    int64_t len[] = {na, nb, nc, nc, s.n, s.n};
    for (int i = 0; i < 6; i++) {
        *field[i] = memory_alloc((size_t)len[i], sizeof(real));
        assert_non_null(*field[i]);
        fill(*field[i], len[i], &r);
    }
    memcpy(o.c, o.start, (size_t)nc * sizeof(real));
    o.epilogue = (struct epilogue){s.epilogue & 1 ? o.scale : NULL, s.epilogue & 2 ? o.shift : NULL,
                                   s.epilogue & 4};
    return o;
}

static void drop(struct operands *o)
{
    real *field[] = {o->a, o->b, o->c, o->start, o->scale, o->shift};
    for (int i = 0; i < 6; i++)
        memory_free(field[i]);
}

static void run(struct operands *o)
{
    gemm(o->c, o->ldc, o->a, o->lda, o->s.ta, o->b, o->ldb, o->s.tb, o->s.m, o->s.n, o->s.k,
         o->s.accumulate, o->s.epilogue ? &o->epilogue : NULL);
}

static double expected(const struct operands *o, int64_t i, int64_t j, double *size)
{
    const struct shape *s = &o->s;
    double y = s->accumulate ? o->start[i * o->ldc + j] : 0;
    *size = 1;
    for (int64_t t = 0; t < s->k; t++) {
        double term = (double)o->a[s->ta ? t * o->lda + i : i * o->lda + t] *
                      (double)o->b[s->tb ? j * o->ldb + t : t * o->ldb + j];
        y += term;
        *size += fabs(term);
    }
    if (o->epilogue.scale)
        y *= o->scale[j];
    if (o->epilogue.shift)
        y += o->shift[j];
    return o->epilogue.relu && !(y > 0) ? 0 : y;
}

static void check(const struct operands *o)
{
    for (int64_t i = 0; i < o->s.m; i++)
        for (int64_t j = 0; j < o->s.n; j++) {
            double size, want = expected(o, i, j, &size), got = o->c[i * o->ldc + j];
            /* sums of random signs: the error grows with the root of the length */
            if (fabs(got - want) > 4 * (double)REAL_EPSILON * size)
                fail_msg("(%ld, %ld, %ld) ta %d tb %d add %d epilogue %d: c[%ld][%ld] = %.9g, "
                         "expected %.9g",
                         (long)o->s.m, (long)o->s.n, (long)o->s.k, o->s.ta, o->s.tb,
                         o->s.accumulate, o->s.epilogue, (long)i, (long)j, got, want);
        }
    for (int64_t i = 0; i <= o->s.m; i++)
        for (int64_t j = i < o->s.m ? o->s.n : 0; j < o->ldc; j++)
            assert_true(o->c[i * o->ldc + j] == o->start[i * o->ldc + j]);
}

static void products_are_those_of_naive_sums(void **state)
{
    (void)state;
    static const int64_t size[][3] = {{0, 3, 2},    {3, 0, 2},     {3, 2, 0},     {1, 1, 1},
                                      {1, 37, 5},   {5, 1, 7},     {16, 16, 16},  {33, 31, 65},
                                      {257, 13, 6}, {129, 130, 3}, {300, 513, 40}};
    uint32_t lane = 0;
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        for (int way = 0; way < 8 * 8; way++) {
            struct shape s = {size[i][0],   size[i][1],   size[i][2], way & 1,
                              way >> 1 & 1, way >> 2 & 1, way >> 3};
            if (s.m * s.n > 10000 && way % 11)
                continue;
            struct operands o = make(s, lane++);
            run(&o);
            check(&o);
            drop(&o);
        }
}

/* A matrix packed once, for products of any number of rows. */
static void packed_products_have_the_same_bits(void **state)
{
    (void)state;
    static const int64_t size[][3] = {{1, 1, 1},    {5, 37, 7},     {256, 64, 64}, {33, 31, 65},
                                      {257, 13, 6}, {300, 513, 40}, {48, 512, 600}};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        for (int way = 0; way < 4; way++) {
            struct shape s = {size[i][0], size[i][1], size[i][2], 0, way & 1, 0, way & 2 ? 7 : 0};
            struct operands o = make(s, (uint32_t)(300 + way)),
                            other = make(s, (uint32_t)(300 + way));
            real *packed = memory_alloc((size_t)gemm_pack_reals(s.n, s.k), sizeof *packed);
            assert_non_null(packed);
            run(&o);
            gemm_pack(packed, other.b, other.ldb, s.tb, s.n, s.k);
            gemm_packed(other.c, other.ldc, other.a, other.lda, packed, s.m, s.n, s.k,
                        s.epilogue ? &other.epilogue : NULL);
            assert_memory_equal(o.c, other.c, (size_t)(o.ldc * (s.m + 1)) * sizeof *o.c);
            memory_free(packed);
            drop(&o);
            drop(&other);
        }
}

static void long_sums_keep_their_precision(void **state)
{
    (void)state;
    static const int64_t size[][3] = {
        {64, 6, 6144}, {13, 128, 4097}, {1, 1, 5000}, {130, 200, 1031}};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        for (int way = 0; way < 8; way++) {
            struct shape s = {size[i][0],   size[i][1], size[i][2],   way & 1,
                              way >> 1 & 1, way >> 2,   7 * (way & 1)};
            struct operands o = make(s, (uint32_t)(100 + way));
            run(&o);
            check(&o);
            drop(&o);
        }
}

static void products_have_the_same_bits_for_any_threads(void **state)
{
    (void)state;
    static const struct shape shapes[] = {{700, 96, 64, 0, 1, 0, 7},
                                          {700, 300, 64, 0, 0, 1, 0},
                                          {64, 128, 4000, 1, 0, 1, 2},
                                          {300, 300, 2000, 1, 0, 0, 0}};
    static const int threads[] = {1, 2, 3, 8};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct operands first = make(shapes[i], 200);
        glt_threads_set(1);
        run(&first);
        for (int t = 1; t < 4; t++) {
            struct operands o = make(shapes[i], 200);
            glt_threads_set(threads[t]);
            parallel_witnesses();
            run(&o);
            assert_true(parallel_witnesses() > 0);
            assert_memory_equal(o.c, first.c, (size_t)(o.ldc * (o.s.m + 1)) * sizeof(real));
            drop(&o);
        }
        drop(&first);
    }
    glt_threads_set(0);
}

/* Holds for the tiles of the float build. */
static void a_row_is_the_same_among_few_and_among_many(void **state)
{
    (void)state;
    static const struct shape many[] = {{300, 64, 2048, 0, 0, 0, 0}, {260, 128, 1024, 0, 1, 0, 7}};
    static const int64_t few[] = {1, 7, 40, 193};
    for (size_t i = 0; i < sizeof many / sizeof many[0]; i++) {
        struct operands all = make(many[i], 500);
        run(&all);
        for (size_t f = 0; f < sizeof few / sizeof few[0]; f++) {
            struct operands o = make(many[i], 500);
            o.s.m = few[f];
            run(&o);
            for (int64_t r = 0; r < few[f]; r++)
                assert_memory_equal(o.c + r * o.ldc, all.c + r * o.ldc,
                                    (size_t)o.s.n * sizeof(real));
            drop(&o);
        }
        drop(&all);
    }
}

/* Whole products from several threads at once: workspaces and packed panels are not shared. */
static const struct shape crowd[] = {
    {64, 32, 1500, 1, 0, 0, 0}, {100, 70, 50, 0, 1, 0, 7}, {30, 20, 3000, 1, 0, 1, 2}};
enum { CROWD = sizeof crowd / sizeof crowd[0], CALLERS = 6, ROUNDS = 20 };

static void *call_products(void *user)
{
    int *wrong = user;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CROWD; i++) {
            struct operands o = make(crowd[i], 300), again = make(crowd[i], 300);
            run(&o);
            run(&again);
            for (int64_t r = 0; r < o.s.m; r++)
                for (int64_t j = 0; j < o.s.n; j += 7) {
                    double size, want = expected(&o, r, j, &size);
                    *wrong += !(fabs((double)o.c[r * o.ldc + j] - want) <=
                                4 * (double)REAL_EPSILON * size);
                }
            *wrong += memcmp(o.c, again.c, (size_t)(o.ldc * o.s.m) * sizeof(real)) != 0;
            drop(&o);
            drop(&again);
        }
    return NULL;
}

static void callers_at_once_do_not_disturb_each_other(void **state)
{
    (void)state;
    pthread_t id[CALLERS];
    int wrong[CALLERS] = {0};
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&id[i], NULL, call_products, &wrong[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(id[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
}

/* After the first call nothing is allocated. */
static void nothing_is_allocated_after_the_first_call(void **state)
{
    (void)state;
    struct operands o = make((struct shape){64, 64, 3000, 1, 0, 0, 0}, 400);
    run(&o);
    int64_t before = memory_stats().requests;
    run(&o);
    assert_int_equal(memory_stats().requests, before);
    drop(&o);
}

int main(void)
{
    if (sizeof(real) == sizeof(double))
        cmocka_set_skip_filter("a_row_is_the_same_among_few_and_among_many");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_naive_sums),
        cmocka_unit_test(packed_products_have_the_same_bits),
        cmocka_unit_test(long_sums_keep_their_precision),
        cmocka_unit_test(products_have_the_same_bits_for_any_threads),
        cmocka_unit_test(callers_at_once_do_not_disturb_each_other),
        cmocka_unit_test(nothing_is_allocated_after_the_first_call),
        cmocka_unit_test(a_row_is_the_same_among_few_and_among_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
