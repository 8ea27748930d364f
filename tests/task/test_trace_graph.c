/* Neighbourhood graphs of a pass: the arrays of PyTorch Geometric and GraphML say what the trace
 * says, parts can be chosen, and bad names, traces and memory are refused. labels: quick full */
#include "core/file.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "core/random.h"
#include "errors.h"
#include "faults.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"
#include "io_cloud.h"
#include "model/trace_file.h"
#include "settings.h"
#include "tier.h"

#include <math.h>
#include <string.h>

enum { POINTS = 200 };

static void make_trace(const char *path, const char *heads)
{
    static float xyz[POINTS * 3];
    int32_t labels[POINTS];
    char words[96];
    struct random r = random_start(random_stream(8, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < POINTS * 3; i++)
        xyz[i] = (float)random_uniform(&r);
    for (int i = 0; i < POINTS; i++)
        labels[i] = i % 4 - 1;
    snprintf(words, sizeof words, "inputs=xyz decoder=8 head_hidden=8 heads=%s", heads);
    struct glt_model *m = settings_glt_model(
        "points=200 levels=100,50,20,8 width=8,8,16,16 stem=8 k=8 radius=0.2", words, 3);
    struct glt_points p = {
        .size = sizeof p, .n = POINTS, .xyz = xyz, .type = GLT_F32, .labels = labels, .placed = 1};
    assert_int_equal(glt_model_explain(m, &p, path), 0);
    glt_model_free(m);
}

static int make_traces(void **state)
{
    (void)state;
    make_trace(scratch("both"), "both");
    make_trace(scratch("latent"), "latent");
    make_trace(scratch("pool"), "pool");
    return 0;
}

static int write_graph(const char *trace, const char *graph, const char *words)
{
    char path[256];
    snprintf(path, sizeof path, "%s", scratch(trace));
    return glt_trace_graph(path, scratch(graph), words);
}

static struct arrays arrays_of(const char *trace, const char *words)
{
    struct arrays a = {0};
    assert_int_equal(write_graph(trace, "a.npz", words), 0);
    assert_int_equal(arrays_read(&a, scratch("a.npz")), 0);
    return a;
}

static const struct array *want(const struct arrays *a, const char *name, int64_t rows,
                                int64_t cols)
{
    const struct array *x = arrays_find(a, name);
    assert_non_null(x);
    assert_int_equal(x->n_dims, cols ? 2 : 1);
    assert_int_equal(x->shape[0], rows);
    if (cols)
        assert_int_equal(x->shape[1], cols);
    return x;
}

/* All edges of a block, one by one, as the trace has them. */
static int64_t compare_block(const struct arrays *a, const struct trace_file *t, int type,
                             int64_t at)
{
    int level = type / 2 + 1, block = type % 2 + 1;
    const struct array *index = arrays_find(a, "edge_index"), *attr = arrays_find(a, "edge_attr");
    const struct array *kind = arrays_find(a, "edge_type");
    const int64_t *ends = (const int64_t *)(const void *)index->data;
    const float *weight = (const float *)(const void *)attr->data;
    struct trace_block b;
    bool found;
    assert_int_equal(trace_block_read(&b, t, level, block), 0);
    float *w = memory_alloc((size_t)b.start[b.centres] + 1, sizeof *w);
    for (int h = 0; h < 2; h++) {
        int64_t e = at;
        assert_int_equal(trace_weights(w, &found, t, level, block, h ? "latent" : "geometric", 0,
                                       b.start[b.centres], -1),
                         0);
        for (int32_t i = 0; i < b.centres; i++)
            for (int32_t k = b.start[i]; k < b.start[i + 1]; k++, e++) {
                assert_int_equal(ends[e], b.index[k]);
                assert_int_equal(ends[index->shape[1] + e], i);
                assert_int_equal(((const int64_t *)(const void *)kind->data)[e], type);
                assert_true(weight[2 * e + h] == w[k]);
            }
    }
    at += b.start[b.centres];
    memory_free(w);
    trace_block_free(&b);
    return at;
}

static void arrays_have_the_names_of_pytorch_geometric(void **state)
{
    (void)state;
    struct arrays a = arrays_of("both", NULL);
    struct trace_file t;
    int64_t at = 0, edges = arrays_find(&a, "edge_index")->shape[1];
    assert_int_equal(trace_file_open(&t, scratch("both")), 0);
    want(&a, "edge_index", 2, edges);
    want(&a, "edge_attr", edges, 2);
    want(&a, "edge_type", edges, 0);
    want(&a, "x", POINTS, 3);
    want(&a, "pred", POINTS, 0);
    const float *pos = (const float *)(const void *)want(&a, "pos", POINTS, 3)->data;
    const int64_t *y = (const int64_t *)(const void *)want(&a, "y", POINTS, 0)->data;
    const int64_t *row = (const int64_t *)(const void *)want(&a, "row", POINTS, 0)->data;
    const int64_t *level = (const int64_t *)(const void *)want(&a, "level", POINTS, 0)->data;
    const int64_t *batch = (const int64_t *)(const void *)want(&a, "batch", POINTS, 0)->data;
    const int64_t *ptr = (const int64_t *)(const void *)want(&a, "ptr", 2, 0)->data;
    assert_memory_equal(pos, t.xyz, POINTS * 3 * sizeof *pos);
    assert_true(ptr[0] == 0 && ptr[1] == POINTS);
    for (int i = 0; i < POINTS; i++) {
        assert_int_equal(y[i], row[i] % 4 - 1);
        assert_int_equal(batch[i], 0);
        assert_int_equal(level[i], i < 8 ? 4 : i < 20 ? 3 : i < 50 ? 2 : i < 100 ? 1 : 0);
    }
    for (int type = 0; type < 8; type++)
        at = compare_block(&a, &t, type, at);
    assert_int_equal(at, edges);
    trace_file_close(&t);
    arrays_free(&a);
}

static void levels_blocks_and_heads_can_be_chosen(void **state)
{
    (void)state;
    struct arrays a = arrays_of("both", "level=3 block=2");
    want(&a, "pos", 20, 3); /* block 2 looks among the sampled points */
    arrays_free(&a);
    a = arrays_of("both", "level=3");
    want(&a, "pos", 50, 3);
    arrays_free(&a);
    a = arrays_of("latent", NULL);
    want(&a, "edge_attr", arrays_find(&a, "edge_index")->shape[1], 1);
    arrays_free(&a);
    a = arrays_of("pool", NULL);
    assert_null(arrays_find(&a, "edge_attr"));
    arrays_free(&a);
    struct arrays mean = arrays_of("both", "level=4"), one = arrays_of("both", "level=4 channel=1");
    const struct array *x = arrays_find(&mean, "edge_attr"), *y = arrays_find(&one, "edge_attr");
    assert_int_equal(x->count, y->count);
    assert_true(memcmp(x->data, y->data, (size_t)x->count * sizeof(float)) != 0);
    arrays_free(&mean);
    arrays_free(&one);
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *s = text; (s = strstr(s, word)); s++)
        n++;
    return n;
}

static void graphml_has_every_node_and_edge(void **state)
{
    (void)state;
    struct arrays a = arrays_of("both", "level=2");
    int64_t edges = arrays_find(&a, "edge_index")->shape[1];
    char *text = NULL;
    size_t len;
    arrays_free(&a);
    assert_int_equal(write_graph("both", "a.graphml", "level=2"), 0);
    assert_int_equal(file_read_all(&text, &len, scratch("a.graphml"), 1 << 24), 0);
    assert_int_equal(count(text, "<node id="), 100);
    assert_int_equal(count(text, "</node>"), 100);
    assert_int_equal(count(text, "<edge id="), edges);
    assert_int_equal(count(text, "<data key=\"geometric\">"), edges);
    assert_int_equal(count(text, "<data key=\"predicted\">"), 100);
    assert_int_equal(count(text, "<key id="), 11);
    assert_int_equal(count(text, "</graphml>\n"), 1);
    memory_free(text);
}

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    assert_int_equal(write_graph("both", "a.dot", NULL), GLT_EARGUMENT);
    assert_error("FORMAT");
    assert_int_equal(write_graph("both", "npz", NULL), GLT_EARGUMENT);
    assert_int_equal(write_graph("both", "b.npz", "level=5"), GLT_EARGUMENT);
    assert_int_equal(write_graph("both", "b.npz", "channel=8"), GLT_EARGUMENT);
    assert_int_equal(write_graph("missing", "b.npz", NULL), GLT_EIO);
    assert_int_equal(write_graph("a.npz", "b.npz", NULL), GLT_EFORMAT);
    assert_int_equal(write_graph("both", "nowhere/b.npz", NULL), GLT_EIO);
    assert_false(file_exists(scratch("b.npz")));
}

static int again(void *user)
{
    return write_graph("both", user, "level=4");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(faults_memory(again, (char[]){"c.npz"}) > 10);
    assert_true(faults_memory(again, (char[]){"c.graphml"}) > 10);
}

int main(void)
{
    faults_step = tier_pick(11, 1, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_have_the_names_of_pytorch_geometric),
        cmocka_unit_test(levels_blocks_and_heads_can_be_chosen),
        cmocka_unit_test(graphml_has_every_node_and_edge),
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_traces, NULL);
}
