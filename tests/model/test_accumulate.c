/* The tree of gradients: its sum is that of the definition, whoever has which leaves; a step of
 * several mini-batches is their mean, with running statistics in order.
 * labels: quick */
#include "core/arena.h"
#include "core/memory.h"
#include "core/random.h"
#include "miniature.h"
#include "model/accumulate.h"
#include "model/trainer.h"
#include "settings.h"

#include <math.h>

enum { SIZE = 40, LEAVES = 24 };

static real leaves[LEAVES][SIZE];

static void draw_leaves(void)
{
    struct random r = random_start(random_stream(7, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < LEAVES; i++)
        for (int k = 0; k < SIZE; k++) /* of many sizes, so that the order of additions shows */
            leaves[i][k] = (real)ldexp(random_uniform(&r) - 0.5, (int)random_below(&r, 20));
}

/* The definition: the sum of leaves first to first + width - 1, width a power of two. */
static real tree(int k, int first, int width, int count)
{
    if (width == 1)
        return leaves[first][k];
    int middle = first + width / 2;
    real left = tree(k, first, width / 2, count);
    return middle < count ? left + tree(k, middle, width / 2, count) : left;
}

/* Adds the leaves of one rank to the list. */
static int add_share(struct accumulate *a, struct accumulate_node *nodes, int n, int first, int end)
{
    real *leaf = memory_alloc(SIZE, sizeof *leaf);
    assert_int_equal(accumulate_create(a, leaf, SIZE, first, end), 0);
    accumulate_begin(a);
    for (int i = first; i < end; i++) {
        accumulate_keep(a);
        memcpy(leaf, leaves[i], sizeof leaves[i]);
        accumulate_add(a, i);
    }
    memcpy(nodes + n, a->nodes, (size_t)a->n * sizeof *nodes);
    return n + a->n;
}

static void check_sum(int count, int group, int ranks)
{
    struct accumulate a[LEAVES];
    struct accumulate_node nodes[LEAVES * 6];
    int n = 0, width = 1;
    real out[SIZE];
    for (int r = 0; r < ranks; r++) {
        int first = r * group / ranks, end = (r + 1) * group / ranks;
        n = add_share(&a[r], nodes, n, first < count ? first : count, end < count ? end : count);
    }
    accumulate_fold(out, nodes, n, SIZE, 1.0 / count);
    while (width < count)
        width *= 2;
    for (int k = 0; k < SIZE; k++)
        if (out[k] != tree(k, 0, width, count) * (real)(1.0 / count))
            fail_msg("%d of %d leaves on %d ranks: another sum", count, group, ranks);
    for (int r = 0; r < ranks; r++) {
        memory_free(a[r].leaf);
        accumulate_free(&a[r]);
    }
}

static void any_share_of_the_leaves_gives_the_sum_of_the_tree(void **state)
{
    (void)state;
    draw_leaves();
    for (int group = 1; group <= LEAVES; group++)
        for (int ranks = 1; ranks <= group; ranks++)
            for (int count = 1; group % ranks == 0 && count <= group; count++)
                check_sum(count, group, ranks);
}

static void the_order_of_additions_shows_in_the_bits(void **state)
{
    (void)state;
    int differ = 0;
    draw_leaves();
    for (int k = 0; k < SIZE; k++) {
        real sum = 0;
        for (int i = 0; i < 8; i++)
            sum += leaves[i][k];
        differ += sum != tree(k, 0, 8, 8);
    }
    assert_in_range(differ, 1, SIZE);
}

static void partial_sums_are_few(void **state)
{
    (void)state;
    for (int k = 0; k <= 12; k++) {
        assert_int_equal(accumulate_buffers(0, 1 << k), k);
        assert_int_equal(accumulate_buffers(1 << k, 2 << k), k);
    }
    for (int first = 0; first < 300; first++)
        for (int end = first; end < 300; end += 7)
            assert_in_range(accumulate_buffers(first, end), 0, 16);
}

/* --- steps --- */

static struct trainer *new_trainer(const struct miniature *m)
{
    struct trainer *t;
    assert_int_equal(trainer_create(&t, m->model, MINI_CLOUDS, MINI_POINTS), 0);
    return t;
}

/* Mini-batches that differ in their labels and dropout alone. */
static struct batch mini_batch(const struct miniature *m, int64_t number)
{
    struct batch b = m->batch;
    b.number = number;
    return b;
}

static void a_step_of_several_is_their_mean(void **state)
{
    (void)state;
    enum { GROUP = 4 };
    struct miniature m;
    mini_open(&m, "dropout=0.5 maps=bn eps=1e-3", 3, true);
    size_t n = (size_t)m.model->size;
    real *before = memory_alloc(n, sizeof *before);
    double *mean = memory_alloc(n, sizeof *mean), loss = 0;
    memcpy(before, m.model->block, n * sizeof *before);
    struct trainer *t = new_trainer(&m);
    for (int i = 0; i < GROUP; i++) { /* each alone, from the same weights */
        struct batch b = mini_batch(&m, i);
        assert_int_equal(trainer_step(t, &b, 0), 0);
        for (size_t k = 0; k < n; k++)
            mean[k] += t->gradient[k] / (double)GROUP;
        loss += t->loss / GROUP;
    }
    real *statistics = memory_alloc(n, sizeof *statistics); /* weights did not move: lr = 0 */
    memcpy(statistics, m.model->block, n * sizeof *statistics);
    trainer_free(t);

    memcpy(m.model->block, before, n * sizeof *before);
    t = new_trainer(&m);
    assert_int_equal(trainer_share(t, GROUP, NULL), 0);
    for (int i = 0; i < GROUP; i++) {
        struct batch b = mini_batch(&m, i);
        assert_int_equal(trainer_add(t, &b, i), 0);
        assert_memory_equal(m.model->block, before, n * sizeof *before); /* until the end */
    }
    assert_int_equal(trainer_finish(t, GROUP, 0), 0);
    assert_float_equal(t->loss, loss, 1e-9);
    assert_memory_equal(m.model->block, statistics, n * sizeof *statistics);
    for (size_t k = 0; k < n; k++)
        assert_float_equal(t->gradient[k], mean[k], 1e-6 * (fabs(mean[k]) + 1));
    trainer_free(t);
    memory_free(before);
    memory_free(mean);
    memory_free(statistics);
    mini_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_share_of_the_leaves_gives_the_sum_of_the_tree),
        cmocka_unit_test(the_order_of_additions_shows_in_the_bits),
        cmocka_unit_test(partial_sums_are_few),
        cmocka_unit_test(a_step_of_several_is_their_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
