/* Every kernel of every instruction set this CPU can run against the plain C reference: sizes with
 * 0, 1 and odd tails, every alignment of an element, guard zones around every array. Products of
 * the tile kernels are compared with naive sums, and with each other bit for bit.
 * `check_kernels --bench` times the same table (check_bench.c). */
#include "check_kernels.h"

#include "kernels/gemm_tiles.h"
#include "tier.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks, failures;

static int close_enough(double got, double want, double slack)
{
    if (got == want || (isnan(got) && isnan(want)))
        return 1;
    double size = slack < 0 ? fabs(want) : fmax(1, fabs(want));
    return fabs(got - want) <= fabs(slack) * FLT_EPSILON * size + (slack < 0 ? FLT_MIN : 0);
}

/* The first element of an array that is too far from the reference, or -1. */
static int64_t difference(const struct check_work *got, const struct check_work *want, int array,
                          double slack)
{
    size_t len = check_array_len(array, got->size), width = check_array_width(array);
    const unsigned char *a = got->array[array], *b = want->array[array];
    for (size_t i = 0; i < len; i++, a += width, b += width) {
        if (memcmp(a, b, width) == 0)
            continue;
        float x[2];
        double d[2];
        if (slack != 0 && array < CHECK_FLOATS) {
            memcpy(&x[0], a, sizeof x[0]);
            memcpy(&x[1], b, sizeof x[1]);
            if (close_enough(x[0], x[1], slack))
                continue;
        } else if (slack != 0 && (array == CHECK_SUM || array == CHECK_DOT)) {
            memcpy(&d[0], a, sizeof d[0]);
            memcpy(&d[1], b, sizeof d[1]);
            if (close_enough(d[0], d[1], slack))
                continue;
        }
        return (int64_t)i;
    }
    return -1;
}

static void report(const struct kernels *table, const struct check_case *row,
                   const struct check_size *s, const char *what, int array, int64_t at)
{
    if (failures++ < 20)
        printf("FAILED %s %s n %ld c %ld edges %ld g %ld option %u: %s, array %d, element %ld\n",
               table->name, row->name, (long)s->n, (long)s->c, (long)s->edges, (long)s->g,
               s->option, what, array, (long)at);
}

static void check_one(const struct kernels *table, const struct check_case *row,
                      struct check_size s, int shift)
{
    struct check_work got, want;
    uint64_t seed = (uint64_t)(s.n * 1000 + s.c) * 64 + s.option;
    if (check_work_make(&got, s, seed, shift) != 0 || check_work_make(&want, s, seed, 0) != 0)
        abort();
    row->run(kernels_at(0, NULL), &want);
    row->run(table, &got);
    checks++;
    if (got.result != want.result)
        report(table, row, &s, "another result", -1, got.result);
    int broken = check_work_broken(&got);
    if (broken >= 0)
        report(table, row, &s, "wrote outside", broken, -1);
    for (int a = 0; a < CHECK_ARRAYS; a++) {
        int64_t at = difference(&got, &want, a, row->slack);
        if (at >= 0)
            report(table, row, &s, "too far from the reference", a, at);
    }
    check_work_free(&got);
    check_work_free(&want);
}

static void check_rows(const struct kernels *table)
{
    static const int64_t rows[] = {0, 1, 2, 9, 33, 65, 131};
    static const int64_t channels[] = {1, 3, 8, 13, 16, 31, 64, 65, 72, 200};
    static const int64_t group[] = {1, 2, 4, 8, 16, 3, 64};
    unsigned turn = 0, step = (unsigned)tier_pick(11, 1, 1); /* tier quick takes a sample */
    for (int row = 0; row < check_case_count; row++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            for (size_t j = 0; j < sizeof channels / sizeof channels[0]; j++)
                for (unsigned option = 0; option < 8; option++) {
                    struct check_size s = {.n = rows[i], .c = channels[j], .taps = 3};
                    s.edges = rows[i] * (int64_t)(turn % 40);
                    s.option = option;
                    s.g = group[turn % 7];
                    if (s.c % s.g)
                        s.g = turn % 2 ? s.c : 1;
                    if (turn % step == 0)
                        check_one(table, &check_cases[row], s, (int)(turn % 4));
                    turn++;
                }
}

/* --- products --- */
enum { LENGTH_MAX = 300 };

static double naive(const struct gemm_block *p, const float *before, int64_t i, int64_t j)
{
    double y = p->accumulate ? before[i * p->ldc + j] : 0;
    for (int64_t t = 0; t < p->k; t++)
        y += (double)p->a[p->ta ? t * p->lda + i : i * p->lda + t] *
             (double)p->b[p->tb ? j * p->ldb + t : t * p->ldb + j];
    if (!p->end)
        return y;
    y = y * p->end->scale[j] + p->end->shift[j];
    return p->end->relu && y < 0 ? 0 : y;
}

/* One product; digest gathers its bits, which must not depend on the table. */
static void check_product(const struct kernels *table, struct gemm_block p, const float *before,
                          uint64_t *digest)
{
    memcpy(p.c, before, (size_t)((p.m + 1) * p.ldc) * sizeof(float));
    gemm_tiles(&p, table);
    checks++;
    double slack = 16 + 0.25 * (double)p.k; /* terms up to 1, sums that wander */
    for (int64_t i = 0; i <= p.m; i++)
        for (int64_t j = 0; j < p.ldc; j++) {
            float got = p.c[i * p.ldc + j];
            int inside = i < p.m && j < p.n;
            double want = inside ? naive(&p, before, i, j) : before[i * p.ldc + j];
            uint32_t bits;
            memcpy(&bits, &got, sizeof bits);
            *digest = (*digest ^ bits) * 0x100000001b3;
            if (close_enough(got, want, inside ? slack : 0))
                continue;
            if (failures++ < 20)
                printf("FAILED %s product %ld x %ld x %ld ta %d tb %d: c[%ld][%ld] = %g, not %g\n",
                       table->name, (long)p.m, (long)p.n, (long)p.k, p.ta, p.tb, (long)i, (long)j,
                       (double)got, want);
            return;
        }
}

static uint64_t check_products(const struct kernels *table)
{
    static const int64_t size[][3] = {{1, 1, 1},    {12, 32, 7},   {13, 33, 5}, {24, 64, 64},
                                      {5, 13, 260}, {50, 290, 31}, {7, 8, 600}, {37, 70, 257}};
    static float a[LENGTH_MAX * 620], b[LENGTH_MAX * 620], c[60 * LENGTH_MAX],
        before[60 * LENGTH_MAX];
    uint64_t state = 1, digest = 0xcbf29ce484222325;
    float *all[] = {a, b, before};
    size_t len[] = {LENGTH_MAX * 620, LENGTH_MAX * 620, 60 * LENGTH_MAX};
    for (int i = 0; i < 3; i++)
        for (size_t j = 0; j < len[i]; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            all[i][j] = (float)(int32_t)(state >> 32) * 0x1p-31f;
        }
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        for (int way = 0; way < 16; way++) {
            struct epilogue end = {a, b, way >> 2 & 1};
            struct gemm_block p = {.c = c, .a = a, .b = b, .ldc = size[i][1] + 3};
            p.m = size[i][0];
            p.n = size[i][1];
            p.k = size[i][2];
            p.ta = way & 1;
            p.tb = way >> 1 & 1;
            p.lda = (p.ta ? p.m : p.k) + 1;
            p.ldb = (p.tb ? p.k : p.n) + 2;
            p.accumulate = way >> 2 & 1;
            p.end = way >> 3 & 1 ? &end : NULL;
            check_product(table, p, before, &digest);
        }
    return digest;
}

/* Largest error of exp over its range, in units of the last place. */
static double exp_error(const struct kernels *table)
{
    double worst = 0;
    for (double x = -87.3; x < 88.7; x += 1.0 / 4096) {
        float from = (float)x, got, zero = 0;
        table->exp_shift(&got, &from, &zero, 1, 1);
        double want = exp((double)from);
        double unit = ldexp(1, ilogb(want) - 23);
        worst = fmax(worst, fabs(got - want) / unit);
    }
    return worst;
}

/* A broken number must reach the output, where it is noticed: NaN among scores, sums and tables. */
static void check_nan(const struct kernels *k)
{
    enum { WIDE = 19, LEN = 3 };
    static const int32_t index[LEN] = {0, 1, 2}, start[2] = {0, LEN};
    float score[LEN * WIDE], value[LEN * WIDE], y[WIDE + KERNELS_SLACK], z[WIDE + KERNELS_SLACK];
    for (int i = 0; i < LEN * WIDE; i++)
        score[i] = value[i] = 1;
    score[WIDE + 4] = NAN; /* of the second neighbour, channel 4 */
    k->edge_attend(y, NULL, score, value, NULL, LEN, WIDE, 1);
    failures += !isnan(y[4]) || y[5] != 1;
    k->edge_sum(y, &(struct edge_terms){.a = score + WIDE, .relu = 1}, WIDE);
    failures += !isnan(y[4]) || y[5] != 1;
    k->attend(y, z, score, value, start, index, 0, 1, WIDE, 1);
    failures += !isnan(y[4]) || y[5] != 1;
    checks += 3;
}

int main(int argc, char **argv)
{
#ifndef CHECK_WITHOUT_BENCH
    if (argc > 1 && strcmp(argv[1], "--bench") == 0)
        return check_bench();
#endif
    if (argc > 1) {
        fprintf(stderr, "usage: %s [--bench]\n", argv[0]);
        return 2;
    }
    uint64_t first_digest = 0;
    int can_run, good = 0, bad = 0, skipped = 0;
    const struct kernels *table;
    for (int i = 0; (table = kernels_at(i, &can_run)) != NULL; i++) {
        if (!can_run) {
            printf("%-8s skipped: this CPU cannot run it\n", table->name);
            skipped++;
            continue;
        }
        int before = failures;
        check_nan(table);
        if (i > 0)
            check_rows(table);
        if (table->tile) {
            uint64_t digest = check_products(table);
            int fused = i > 0; /* the reference rounds products */
            if (fused && first_digest && digest != first_digest) {
                failures++;
                printf("FAILED %s: products differ from the other tables' bits\n", table->name);
            }
            first_digest = fused ? digest : 0;
            printf("%-8s products %016llx%s\n", table->name, (unsigned long long)digest,
                   fused ? " (the same for every instruction set)" : "");
        }
        double worst = exp_error(table);
        if (worst > 2 && failures++ < 20)
            printf("FAILED %s exp: %.2f units in the last place\n", table->name, worst);
        printf("%-8s %s, exp within %.2f units in the last place\n", table->name,
               failures == before ? "agrees" : "DIFFERS", worst);
        good += failures == before;
        bad += failures != before;
    }
    printf("%d comparisons, %d failed\n", checks, failures);
    /* as cmocka ends, so that script/test counts instruction sets */
    printf("[  PASSED  ] %d test(s).\n[  SKIPPED ] %d test(s)\n[  FAILED  ] %d test(s)\n", good,
           skipped, bad);
    return failures ? 1 : 0;
}
