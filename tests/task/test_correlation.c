/* Attention against distance: known values from traces made by hand. labels: quick */
#include "core/json.h"
#include "errors.h"
#include "faults.h"
#include "io_cloud.h"
#include "model/safetensors.h"

#include <math.h>

/* Two centres, 0 and 1, at 0 and 10 on a line; each has itself and three points at the distances 1,
 * 2, 3 as neighbours. The file has the points in another order than the network. */
enum { POINTS = 8, EDGES = 8, CHANNELS = 2, N_MAX = 40 };

static const float along[POINTS] = {0, 10, 1, 2, 3, 11, 12, 13};
static const int32_t order[POINTS] = {3, 1, 0, 2, 7, 5, 4, 6};
static const int32_t index_of[EDGES] = {0, 2, 3, 4, 7, 6, 5, 1};
static const int32_t full[] = {0, 4, 8}, lean[] = {0, 3, 6}, half[] = {0, 4, 7};

/* What a test spoils: a coordinate of the first point, the lists of level 4 block 2. */
static struct {
    float x;
    int64_t starts;
} spoilt = {0, 3};

/* Other lists of level 1: index and start. */
static const int32_t *lists[2];

struct made {
    struct st_source list[N_MAX];
    int n;
};

static void put(struct made *m, const char *name, enum st_type type, int64_t rows, int64_t cols,
                const void *items)
{
    assert_true(m->n < N_MAX);
    struct st_source *s = &m->list[m->n++];
    *s = (struct st_source){
        .type = type, .dims = cols ? 2 : 1, .shape = {rows, cols}, .items = items};
    snprintf(s->name, sizeof s->name, "%s", name);
}

struct attention {
    int level, block;
    const char *head;
    float weight[EDGES * CHANNELS];
};

/* Level 2 has three neighbours per centre, level 3 four and three, the others four. */
static void write_trace(const char *path, const struct attention *a, int n, int64_t edges)
{
    struct made m = {0};
    float xyz[POINTS * 3] = {0};
    char name[64];
    struct json *meta = json_object();
    for (int i = 0; i < POINTS; i++)
        xyz[3 * order[i]] = along[i];
    xyz[3 * order[0]] += spoilt.x;
    put(&m, "input/xyz", ST_F32, POINTS, 3, xyz);
    put(&m, "order", ST_I32, POINTS, 0, order);
    for (int l = 1; l <= 4; l++)
        for (int b = 1; b <= 2; b++) {
            const int32_t *start = l == 2 ? lean : l == 3 ? half : full, *index = index_of;
            if (l == 1 && lists[0]) {
                index = lists[0];
                start = lists[1];
            }
            snprintf(name, sizeof name, "enc%d/block%d/start", l, b);
            put(&m, name, ST_I32, l == 4 && b == 2 ? spoilt.starts : 3, 0, start);
            snprintf(name, sizeof name, "enc%d/block%d/index", l, b);
            put(&m, name, ST_I32, start[2], 0, index);
        }
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "enc%d/block%d/attention_%s", a[i].level, a[i].block,
                 a[i].head);
        put(&m, name, ST_F32, edges, CHANNELS, a[i].weight);
    }
    remove(path); /* some of them are no traces, and models are not replaced */
    assert_int_equal(safetensors_write(path, m.list, m.n, meta), 0);
    json_free(meta);
}

static const struct glt_correlation *row(const struct glt_correlation *rows, int level, int block,
                                         const char *head)
{
    for (int i = 0; i < GLT_CORRELATIONS; i++)
        if (rows[i].level == level && rows[i].block == block && !strcmp(rows[i].head, head))
            return &rows[i];
    fail_msg("no row %d %d %s", level, block, head);
    return NULL;
}

static void expect(const struct glt_correlation *r, int64_t centres, double mean, double deviation,
                   double by_channel)
{
    assert_int_equal(r->centres, centres);
    assert_true(fabs(r->mean - mean) < 1e-15);
    assert_true(fabs(r->deviation - deviation) < 1e-15);
    assert_true(fabs(r->by_channel - by_channel) < 1e-15);
}

/* The neighbours of centre 0 stand in the order of their distances, those of centre 1 in the
 * opposite one. */
static const struct attention cases[] = {
    /* both centres look near, in both channels */
    {1, 1, "geometric", {.4f, .7f, .3f, .2f, .2f, .1f, .1f, 0, 0, 0, .1f, .1f, .3f, .2f, .6f, .7f}},
    /* centre 0 looks far, centre 1 near */
    {1, 1, "latent", {0, 0, .1f, .1f, .3f, .2f, .6f, .7f, 0, 0, .1f, .1f, .3f, .2f, .6f, .7f}},
    /* ranks 1 2.5 2.5 4 against 1 2 3 4: 4.5 / sqrt(4.5 * 5); centre 1 is even in both channels */
    {1,
     2,
     "geometric",
     {.1f, .1f, .2f, .2f, .2f, .2f, .5f, .5f, .25f, .25f, .25f, .25f, .25f, .25f, .25f, .25f}},
    /* the means look far, though channel 1 looks near; centre 1: channel 1 is even */
    {1,
     2,
     "latent",
     {0, .28f, 0.1f, .26f, .3f, .24f, .6f, .22f, .6f, .25f, .3f, .25f, .1f, .25f, 0, .25f}},
    {3, 1, "latent", {0, 0, .1f, .1f, .3f, .2f, .6f, .7f, 0, 0, .1f, .1f, .9f, .8f}},
};

static void known_traces_have_known_correlations(void **state)
{
    (void)state;
    struct glt_correlation rows[GLT_CORRELATIONS] = {{.size = sizeof *rows}};
    const double tied = 4.5 / sqrt(4.5 * 5);
    write_trace(scratch("known"), cases, 4, EDGES);
    assert_int_equal(glt_trace_correlation(rows, scratch("known")), 0);
    expect(row(rows, 1, 1, "geometric"), 2, -1, 0, -1);
    expect(row(rows, 1, 1, "latent"), 2, 0, sqrt(2), 0);
    expect(row(rows, 1, 2, "geometric"), 1, tied, 0, tied);
    expect(row(rows, 1, 2, "latent"), 2, 1, 0, 0.5);
    expect(row(rows, 4, 2, "latent"), 0, 0, 0, 0);
    /* a second time: twice the centres, the same means, the deviation of four values */
    assert_int_equal(glt_trace_correlation(rows, scratch("known")), 0);
    expect(row(rows, 1, 1, "geometric"), 4, -1, 0, -1);
    expect(row(rows, 1, 1, "latent"), 4, 0, sqrt(4.0 / 3), 0);
}

/* A later header may add fields: rows are as far apart as the first one says. */
static void rows_may_be_larger(void **state)
{
    (void)state;
    struct {
        struct glt_correlation row;
        int64_t later;
    } rows[GLT_CORRELATIONS] = {{.row.size = sizeof *rows}};
    struct glt_correlation packed[GLT_CORRELATIONS];
    write_trace(scratch("known"), cases, 4, EDGES);
    assert_int_equal(glt_trace_correlation((void *)rows, scratch("known")), 0);
    for (int i = 0; i < GLT_CORRELATIONS; i++) {
        packed[i] = rows[i].row;
        assert_int_equal(rows[i].row.size, sizeof *rows);
        assert_int_equal(rows[i].later, 0);
    }
    expect(row(packed, 1, 1, "geometric"), 2, -1, 0, -1);
    expect(row(packed, 1, 2, "latent"), 2, 1, 0, 0.5);
}

/* A padded list repeats its first neighbour: together they are one. */
static void a_repeated_neighbour_counts_once(void **state)
{
    (void)state;
    struct glt_correlation rows[GLT_CORRELATIONS] = {{.size = sizeof *rows}};
    /* centre 0: 0.6, 0.3, 0.1, 0 from near to far, the first in three parts; centre 1 as centre 0
     * with too few neighbours */
    static const struct attention padded = {
        1,
        1,
        "latent",
        {.2f, .2f, .2f, .2f, .2f, .2f, .3f, .3f, .1f, .1f, 0, 0, .5f, .5f, .5f, .5f}};
    static const int32_t index[EDGES] = {0, 0, 0, 2, 3, 4, 1, 1}, start[] = {0, 6, 8};
    lists[0] = index;
    lists[1] = start;
    write_trace(scratch("padded"), &padded, 1, EDGES);
    lists[0] = lists[1] = NULL;
    assert_int_equal(glt_trace_correlation(rows, scratch("padded")), 0);
    expect(row(rows, 1, 1, "latent"), 1, -1, 0, -1);
}

/* What is not finite says nothing: a centre whose mean it spoils is left out. */
static void what_is_not_finite_is_left_out(void **state)
{
    (void)state;
    struct glt_correlation rows[GLT_CORRELATIONS] = {{.size = sizeof *rows}};
    struct attention odd = cases[0];
    odd.weight[2] = NAN;
    write_trace(scratch("known"), &odd, 1, EDGES);
    assert_int_equal(glt_trace_correlation(rows, scratch("known")), 0);
    expect(row(rows, 1, 1, "geometric"), 1, -1, 0, -1);
}

/* Centres of fewer than four neighbours do not count. */
static void centres_with_few_neighbours_are_left_out(void **state)
{
    (void)state;
    struct glt_correlation rows[GLT_CORRELATIONS] = {{.size = sizeof *rows}};
    struct attention lonely = cases[0];
    lonely.level = 2;
    write_trace(scratch("half"), &cases[4], 1, 7);
    assert_int_equal(glt_trace_correlation(rows, scratch("half")), 0);
    expect(row(rows, 3, 1, "latent"), 1, 1, 0, 1);
    write_trace(scratch("lean"), &lonely, 1, 6);
    assert_int_equal(glt_trace_correlation(rows, scratch("lean")), 0);
    expect(row(rows, 2, 1, "geometric"), 0, 0, 0, 0);
    expect(row(rows, 3, 1, "latent"), 1, 1, 0, 1);
}

static void wrong_traces_are_refused(void **state)
{
    (void)state;
    struct glt_correlation rows[GLT_CORRELATIONS] = {{.size = sizeof *rows}},
                           zeros[GLT_CORRELATIONS] = {{.size = sizeof *rows}};
    write_trace(scratch("none"), NULL, 0, 0);
    assert_int_equal(glt_trace_correlation(rows, scratch("none")), GLT_EDATA);
    write_trace(scratch("short"), cases, 2, EDGES - 1);
    assert_int_equal(glt_trace_correlation(rows, scratch("short")), GLT_EFORMAT);
    assert_int_equal(glt_trace_correlation(rows, scratch("missing")), GLT_EIO);
    for (spoilt.starts = 0; spoilt.starts < 3; spoilt.starts++) {
        struct attention last = cases[0];
        last.level = 4;
        last.block = 2;
        write_trace(scratch("lists"), &last, 1, EDGES);
        assert_int_equal(glt_trace_correlation(rows, scratch("lists")), GLT_EFORMAT);
        assert_error("SHAPE");
    }
    for (int i = 0; i < 2; i++) {
        spoilt.x = i ? NAN : INFINITY;
        write_trace(scratch("nowhere"), cases, 4, EDGES);
        assert_int_equal(glt_trace_correlation(rows, scratch("nowhere")), GLT_EFORMAT);
        assert_error("COORDINATES input/xyz point 3");
    }
    spoilt.x = 0;
    assert_memory_equal(rows, zeros, sizeof rows);
}

static int correlate_again(void *user)
{
    struct glt_correlation rows[GLT_CORRELATIONS] = {{.size = sizeof *rows}};
    (void)user;
    return glt_trace_correlation(rows, scratch("known"));
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    write_trace(scratch("known"), cases, 4, EDGES);
    assert_true(faults_memory(correlate_again, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_traces_have_known_correlations),
        cmocka_unit_test(rows_may_be_larger),
        cmocka_unit_test(a_repeated_neighbour_counts_once),
        cmocka_unit_test(what_is_not_finite_is_left_out),
        cmocka_unit_test(centres_with_few_neighbours_are_left_out),
        cmocka_unit_test(wrong_traces_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
