/* One row per kernel: how it is called, how close it must come, what it costs. And the arrays. */
#include "check_kernels.h"

#include "core/random.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, OPTION_RELU = 1, OPTION_ADD = 2, OPTION_NULL = 4 };

static float *floats(struct check_work *w, int array)
{
    return w->array[array];
}

static float *maybe(struct check_work *w, int array)
{
    return w->size.option & OPTION_NULL ? NULL : w->array[array];
}

static int relu(const struct check_work *w)
{
    return (w->size.option & OPTION_RELU) != 0;
}

static int add(const struct check_work *w)
{
    return (w->size.option & OPTION_ADD) != 0;
}

#define F(array) floats(w, CHECK_##array)
#define N        w->size.n
#define C        w->size.c

static void run_affine(const struct kernels *k, struct check_work *w)
{
    k->affine(F(Y), F(X1), maybe(w, CHECK_V0), F(V1), N, C, relu(w));
}

static void run_affine2(const struct kernels *k, struct check_work *w)
{
    k->affine2(F(Y), F(X1), F(V0), F(X2), maybe(w, CHECK_V1), F(V2), N, C, relu(w));
}

static void run_column_moments(const struct kernels *k, struct check_work *w)
{
    k->column_moments(w->array[CHECK_SUM], w->array[CHECK_DOT], F(X1), F(V0), N, C);
}

static void run_norm_sums(const struct kernels *k, struct check_work *w)
{
    k->norm_sums(w->array[CHECK_SUM], w->array[CHECK_DOT], F(X1), F(X2), F(V0), F(V1), F(V2), N, C,
                 relu(w));
}

static void run_norm_back(const struct kernels *k, struct check_work *w)
{
    k->norm_back(F(Y), F(X1), F(X2), F(V0), F(V1), F(V2), F(V3), F(V4), F(V5), N, C, relu(w),
                 add(w));
}

static void run_column_sums(const struct kernels *k, struct check_work *w)
{
    k->column_sums(w->array[CHECK_SUM], F(X1), N, C);
}

static void run_add(const struct kernels *k, struct check_work *w)
{
    k->add(F(Y), F(X1), N * C);
}

static void run_axpy(const struct kernels *k, struct check_work *w)
{
    k->axpy(F(Y), 0.37f, F(X1), N * C);
}

static void run_column_max(const struct kernels *k, struct check_work *w)
{
    k->column_max(F(V0), F(X1), N, C);
}

static void run_exp_shift(const struct kernels *k, struct check_work *w)
{
    k->exp_shift(F(Y), F(Z), F(V0), N, C);
}

static void run_exponentials(const struct kernels *k, struct check_work *w)
{
    k->exponentials(F(X1), F(Z), N * C);
}

static void run_attend(const struct kernels *k, struct check_work *w)
{
    k->attend(F(Y), F(Z), F(E), F(X1), w->array[CHECK_START], w->array[CHECK_INDEX], 0, N, C,
              w->size.g);
}

static void run_attend_back(const struct kernels *k, struct check_work *w)
{
    k->attend_back(F(Y), F(Z), F(X1), F(X2), F(E), F(X1), w->array[CHECK_START],
                   w->array[CHECK_INDEX], 0, N, C, w->size.g);
}

static const int32_t *list_of(const struct check_work *w, int64_t i, int64_t *len)
{
    const int32_t *start = w->array[CHECK_START];
    *len = start[i + 1] - start[i];
    return (const int32_t *)w->array[CHECK_INDEX] + start[i];
}

/* Half of the sums are below the guard: those of E are positive, those of X2 about zero. */
static void run_attend_local(const struct kernels *k, struct check_work *w)
{
    int64_t scores = C / w->size.g, len;
    for (int64_t i = 0; i < N; i++) {
        const int32_t *list = list_of(w, i, &len);
        if (len > 0)
            k->attend_local(F(Y) + i * C, F(X2) + i * scores, F(E) + i * scores, F(X1), F(X1), list,
                            len, 0.1f, C, w->size.g);
    }
}

static void run_attend_local_back(const struct kernels *k, struct check_work *w)
{
    int64_t scores = C / w->size.g, len;
    for (int64_t j = 0; j < N; j++) {
        const int32_t *list = list_of(w, j, &len);
        k->attend_local_back(F(Y) + j * C, F(Z) + j * scores, F(X1) + j * scores, F(X1) + j * C,
                             F(X1), F(V0), F(E), F(X2), F(X1), list, len, C, w->size.g);
    }
}

/* The edges of row i are rows of X1 and X2, as many as there are behind it, eight at the most. */
static int64_t edges_behind(const struct check_work *w, int64_t i)
{
    return N - i < 8 ? N - i : 8;
}

static void run_edge_sum(const struct kernels *k, struct check_work *w)
{
    for (int64_t i = 0; i < N; i++) {
        const struct edge_terms x = {.a = F(X1) + i * C,
                                     .b = w->size.option & OPTION_NULL ? NULL : F(X2) + i * C,
                                     .p = add(w) ? F(Y) + i * C : NULL,
                                     .q = add(w) && relu(w) ? F(X2) + i * C : NULL,
                                     .relu = relu(w)};
        k->edge_sum(F(Y) + i * C, &x, C);
    }
}

/* With the option, values are any rows. */
static void run_edge_attend(const struct kernels *k, struct check_work *w)
{
    int64_t scores = C / w->size.g;
    for (int64_t i = 0; i < N; i += 8) {
        const int32_t *index = add(w) ? (const int32_t *)w->array[CHECK_ARG] + i : NULL;
        k->edge_attend(F(Y) + i * C,
                       w->size.option & OPTION_NULL ? NULL : (float *)F(E) + i * scores,
                       F(X1) + i * scores, index ? F(X2) : F(X2) + i * C, index, edges_behind(w, i),
                       C, w->size.g);
    }
}

static void run_edge_max(const struct kernels *k, struct check_work *w)
{
    for (int64_t i = 0; i < N; i++)
        k->edge_max(F(Y) + i * C, F(Z) + i * C, add(w) ? 0 : edges_behind(w, i), C);
}

static void run_edge_attend_back(const struct kernels *k, struct check_work *w)
{
    int64_t scores = C / w->size.g;
    for (int64_t i = 0; i < N; i += 8)
        k->edge_attend_back(F(Y) + i * C, F(Z) + i * scores, F(E) + i * scores, F(X1) + i * C,
                            F(V0), F(V1), edges_behind(w, i), C, w->size.g, add(w), !add(w));
}

static void run_edge_squares(const struct kernels *k, struct check_work *w)
{
    k->edge_squares(w->array[CHECK_SUM], F(X1), maybe(w, CHECK_X2), F(V0), w->array[CHECK_START],
                    w->array[CHECK_INDEX], 0, N, C);
}

static void run_edge_norm_back(const struct kernels *k, struct check_work *w)
{
    k->edge_norm_back(F(Y), maybe(w, CHECK_E), F(X1), F(X2), F(V0), F(V1), F(V2), F(V3),
                      w->array[CHECK_START], w->array[CHECK_INDEX], 0, N, C, add(w));
}

static void run_relu_back(const struct kernels *k, struct check_work *w)
{
    k->relu_back(F(Y), F(X1), F(X2), N * C, add(w));
}

/* Rows are edges here: every list starts at its own. */
static void run_list_relu_back(const struct kernels *k, struct check_work *w)
{
    const int32_t *start = w->array[CHECK_START], *index = w->array[CHECK_INDEX];
    for (int64_t i = 0; i < N; i++) {
        int64_t len = start[i + 1] - start[i];
        const int32_t *edge = w->size.option & OPTION_NULL ? NULL : index + start[i];
        k->list_relu_back(F(Y) + i * C, F(X1), F(X2) + i * C, F(X2), index + start[i], edge,
                          edge || len < N ? len : N, C);
    }
}

static void run_weighted_sums(const struct kernels *k, struct check_work *w)
{
    k->weighted_sums(w->array[CHECK_SUM], F(X1), w->array[CHECK_START], 0, N, C);
}

static void run_list_difference(const struct kernels *k, struct check_work *w)
{
    k->list_difference(F(Y), C, F(X1), F(X2), w->array[CHECK_START], w->array[CHECK_INDEX], 0, N,
                       C);
}

static void run_gather_sum(const struct kernels *k, struct check_work *w)
{
    k->gather_sum(F(Y), F(X1), w->array[CHECK_START], w->array[CHECK_INDEX], maybe(w, CHECK_WEIGHT),
                  0, N, C, add(w));
}

static void run_gather_max(const struct kernels *k, struct check_work *w)
{
    int32_t *arg = w->size.option & OPTION_NULL ? NULL : w->array[CHECK_ARG];
    k->gather_max(F(Y), arg, F(Z), w->array[CHECK_START], w->array[CHECK_INDEX], 0, N, C);
}

static void run_gather_max_back(const struct kernels *k, struct check_work *w)
{
    k->gather_max_back(F(Y), F(X1), w->array[CHECK_ARG], w->array[CHECK_START],
                       w->array[CHECK_INDEX], 0, N, C);
}

static void run_interpolate(const struct kernels *k, struct check_work *w)
{
    k->interpolate(F(Y), F(X1), w->array[CHECK_TAPS], F(WEIGHT), w->size.taps, 0, N, C, add(w));
}

static void run_adam(const struct kernels *k, struct check_work *w)
{
    k->adam(F(Y), F(X1), F(X2), F(E), 0.9f, 0.999f, 0.01f, 1.5f, 1e-8f, N * C);
}

static void run_ball(const struct kernels *k, struct check_work *w)
{
    const float q[3] = {0.1f, -0.2f, 0.3f};
    int32_t *out = w->array[CHECK_ARG]; /* (n, c): with 16 columns the slack is there */
    if (C >= KERNELS_SLACK + 1) {
        w->result = k->ball(out, w->array[CHECK_START], F(XS), F(YS), F(ZS), q, 0.5f, N);
        memset(out + w->result, 0, (size_t)(N * C - w->result) * sizeof *out);
    }
}

static void run_keep(const struct kernels *k, struct check_work *w)
{
    uint64_t *mask = w->array[CHECK_MASK];
    int64_t kept = 0;
    for (int64_t i = 0; i < N; i++) {
        int set = F(XS)[i] > 0;
        mask[i / 64] = (i % 64 ? mask[i / 64] : 0) | (uint64_t)set << (i % 64);
        kept += set;
    }
    if (kept <= N * C)
        k->keep(w->array[CHECK_ARG], w->array[CHECK_START], mask, N);
}

/* Every third point asks, itself at a distance of 0. */
static void run_nearest3(const struct kernels *k, struct check_work *w)
{
    const float *p[3] = {F(XS), F(YS), F(ZS)};
    if (N >= 3)
        k->nearest3(w->array[CHECK_ARG], F(DIST), p, N, p, N / 3);
}

static void run_random_words(const struct kernels *k, struct check_work *w)
{
    struct random_stream s = random_stream(7, 1, 2, RANDOM_TEST);
    if (C >= 4)
        k->random_words(w->array[CHECK_ARG], &s, 5, 0xfffffffe, N);
}

static void run_boxes_near(const struct kernels *k, struct check_work *w)
{
    const float q[3] = {0.1f, -0.2f, 0.3f};
    if (C >= 7) /* (7, n) numbers are there */
        k->boxes_near(w->array[CHECK_MASK], F(X1), N, q, N);
}

static void run_largest(const struct kernels *k, struct check_work *w)
{
    w->result = N > 0 ? k->largest(F(Z), w->array[CHECK_ARG], N) : 0;
}

/* A group made of whatever numbers there are, ties included; its bits become the result. */
static void run_farthest_group(const struct kernels *k, struct check_work *w)
{
    static struct farthest_group g;
    const float q[3] = {0.1f, -0.2f, 0.3f}, *x = F(X1);
    float *member = (float *)&g;
    if (N * C == 0)
        return;
    for (size_t i = 0; i < sizeof g / sizeof *member; i++)
        member[i] = x[(int64_t)i % (N * C)];
    for (int b = 0; b < FARTHEST_LANES; b++)
        for (int i = 0; i < FARTHEST_LANES; i++) {
            g.row[b][i] = (b * 31 + i * 7) % 64;
            g.dist[b][i] = (b + i) % 5 == 0 ? -1 : i % 3 ? 0.5f : 2 + g.dist[b][i];
            g.max_row[i] = i / 2;
        }
    uint64_t bits = (uint64_t)k->farthest_group(&g, q);
    uint32_t words[sizeof g / 4];
    memcpy(words, &g, sizeof g);
    for (size_t i = 0; i < sizeof g / 4; i++)
        bits = (bits ^ words[i]) * 0x100000001b3;
    w->result = (int64_t)bits;
}

static void run_half_to_float(const struct kernels *k, struct check_work *w)
{
    k->half_to_float(F(Y), w->array[CHECK_HALF], N * C);
}

static void run_float_to_half(const struct kernels *k, struct check_work *w)
{
    k->float_to_half(w->array[CHECK_HALF], F(Z), N * C);
}

const struct check_case check_cases[] = {
    {"affine", run_affine, 2, {8}, {2}},
    {"affine2", run_affine2, 4, {12}, {4}},
    {"column_moments", run_column_moments, 64, {4}, {4}},
    {"norm_sums", run_norm_sums, 64, {8}, {6}},
    {"norm_back", run_norm_back, 6, {12}, {7}},
    {"column_sums", run_column_sums, 64, {4}, {1}},
    {"add", run_add, 0, {12}, {1}},
    {"axpy", run_axpy, 2, {12}, {2}},
    {"column_max", run_column_max, 0, {4}, {1}},
    {"exp_shift", run_exp_shift, -2, {8}, {17}},
    {"exponentials", run_exponentials, -2, {8}, {17}},
    {"attend", run_attend, 16, {8, 8}, {1, 3}},
    {"attend_back", run_attend_back, 64, {16, 8}, {5, 2}},
    {"attend_local", run_attend_local, 64, {12, 12}, {1, 12}},
    {"attend_local_back", run_attend_local_back, 256, {12, 12}, {1, 12}},
    {"edge_sum", run_edge_sum, 0, {12}, {2}},
    {"edge_attend", run_edge_attend, 64, {16}, {12}},
    {"edge_attend_back", run_edge_attend_back, 16, {16}, {4}},
    {"edge_max", run_edge_max, 0, {36}, {8}},
    {"edge_squares", run_edge_squares, 256, {4, 4}, {0, 4}},
    {"edge_norm_back", run_edge_norm_back, 256, {12, 4}, {4, 3}},
    {"relu_back", run_relu_back, 0, {12}, {1}},
    {"weighted_sums", run_weighted_sums, 256, {4}, {2}},
    {"list_relu_back", run_list_relu_back, 64, {0}, {0}},
    {"list_difference", run_list_difference, 64, {8, 4}, {0, 2}},
    {"gather_sum", run_gather_sum, 64, {4, 4}, {0, 2}},
    {"gather_max", run_gather_max, 0, {8, 4}, {0, 1}},
    {"gather_max_back", run_gather_max_back, 0, {8, 8}, {0, 1}},
    {"interpolate", run_interpolate, 8, {16}, {6}},
    {"adam", run_adam, 6, {28}, {12}},
    {"ball", run_ball, 0, {0, 0, 18}, {0, 0, 9}},
    {"keep", run_keep, 0, {0, 0, 18}, {0, 0, 9}},
    {"nearest3", run_nearest3, 0, {0, 0, 16}, {0, 0, 12}},
    {"random_words", run_random_words, 0, {0, 0, 16}, {0, 0, 0}},
    {"boxes_near", run_boxes_near, 0, {0, 0, 28.1}, {0, 0, 18}},
    {"largest", run_largest, 0, {0, 0, 8}, {0, 0, 1}},
    {"farthest_group", run_farthest_group, 0, {0}, {0}},
    {"half_to_float", run_half_to_float, 0, {6}, {0}},
    {"float_to_half", run_float_to_half, 0, {6}, {0}},
};
const int check_case_count = sizeof check_cases / sizeof check_cases[0];

/* Only the two functions of products are checked otherwise: tile, fma_spin. */
_Static_assert(sizeof(struct kernels) ==
                   sizeof(const char *) + 2 * sizeof(int) +
                       (sizeof check_cases / sizeof check_cases[0] + 2) * sizeof(void (*)(void)),
               "every kernel has a case");

/* --- the arrays --- */
size_t check_array_len(int array, struct check_size s)
{
    int64_t rows = s.n * s.c;
    switch (array) {
    case CHECK_WEIGHT:
        return (size_t)(s.edges + s.n * s.taps);
    case CHECK_XS:
    case CHECK_YS:
    case CHECK_ZS:
    case CHECK_DIST:
        return (size_t)s.n;
    case CHECK_START:
        return (size_t)(s.n + 1);
    case CHECK_INDEX:
        return (size_t)s.edges;
    case CHECK_TAPS:
        return (size_t)(s.n * s.taps);
    case CHECK_MASK:
        return (size_t)((s.n + 63) / 64);
    default:
        return (size_t)((array >= CHECK_V0 && array <= CHECK_V6) || array == CHECK_SUM ||
                                array == CHECK_DOT
                            ? s.c
                            : rows);
    }
}

size_t check_array_width(int array)
{
    if (array == CHECK_SUM || array == CHECK_DOT || array == CHECK_MASK)
        return 8;
    return array == CHECK_HALF ? 2 : 4;
}

static uint64_t next(uint64_t *state) /* splitmix64 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static float uniform(uint64_t *state)
{
    return (float)(next(state) >> 40) * 0x1p-24f;
}

static void fill_floats(float *x, size_t len, int array, uint64_t *state)
{
    int positive = array == CHECK_E || array == CHECK_DIST;
    for (size_t i = 0; i < len; i++)
        x[i] = positive ? 0.01f + uniform(state) : 2 * uniform(state) - 1;
    if (array == CHECK_Z) /* ties, extremes of exp and of half precision, now and then */
        for (size_t i = 0; i < len; i++) {
            static const float odd[] = {0,      -0.0f, 0.5f,  -30,      12,      -95,
                                        -86.5f, 1e-7f, 6e-8f, 2.98e-8f, 65519.9f};
            uint64_t pick = next(state) % 64;
            if (pick < sizeof odd / sizeof odd[0])
                x[i] = odd[pick];
        }
}

static void fill(struct check_work *w, uint64_t *state)
{
    struct check_size s = w->size;
    for (int a = 0; a < CHECK_ARRAYS; a++) {
        size_t len = check_array_len(a, s);
        if (a < CHECK_FLOATS) {
            fill_floats(w->array[a], len, a, state);
        } else if (a == CHECK_INDEX || a == CHECK_TAPS || a == CHECK_ARG) {
            int32_t *x = w->array[a];
            for (size_t i = 0; i < len; i++)
                x[i] = (int32_t)(next(state) % (uint64_t)s.n);
        } else if (a == CHECK_HALF) {
            uint16_t *x = w->array[a];
            for (size_t i = 0; i < len; i++)
                x[i] = (uint16_t)next(state);
        } else {
            memset(w->array[a], 0, len * check_array_width(a));
        }
    }
    /* lists: cut the edges at random places, so some are empty */
    int32_t *start = w->array[CHECK_START];
    start[0] = 0;
    for (int64_t i = 1; i <= s.n; i++) {
        int64_t even = s.edges * i / s.n, spread = s.edges / s.n + 1;
        int64_t at = even + (int64_t)(next(state) % (uint64_t)spread) - spread / 2;
        at = at < start[i - 1] ? start[i - 1] : at;
        start[i] = (int32_t)(i == s.n || at > s.edges ? s.edges : at);
    }
}

static unsigned char *base_of(const struct check_work *w, int array)
{
    return (unsigned char *)w->array[array] - GUARD;
}

int check_work_make(struct check_work *w, struct check_size size, uint64_t seed, int shift)
{
    *w = (struct check_work){.size = size};
    for (int a = 0; a < CHECK_ARRAYS; a++) {
        size_t width = check_array_width(a), bytes = check_array_len(a, size) * width;
        size_t total = (2 * GUARD + bytes + 4 * width + 63) / 64 * 64;
        unsigned char *block = aligned_alloc(64, total);
        if (!block)
            return -1;
        memset(block, 0xa5, total);
        w->array[a] = block + GUARD + (size_t)shift * width;
    }
    fill(w, &seed);
    return 0;
}

int check_work_broken(const struct check_work *w)
{
    for (int a = 0; a < CHECK_ARRAYS; a++) {
        const unsigned char *before = base_of(w, a), *after = w->array[a];
        after += check_array_len(a, w->size) * check_array_width(a);
        for (int i = 0; i < GUARD; i++)
            if (before[i] != 0xa5 || after[i] != 0xa5)
                return a;
    }
    return -1;
}

void check_work_free(struct check_work *w)
{
    for (int a = 0; a < CHECK_ARRAYS; a++)
        if (w->array[a]) { /* shifts are below 64 bytes: the block begins where the guard does */
            unsigned char *guard = base_of(w, a);
            free(guard - (uintptr_t)guard % 64);
        }
}
