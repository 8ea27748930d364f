/* The real datasets: counts and scores as their own notes give them; skipped without them.
 * labels: full */
#include "data_folder.h"
#include "real_data.h"

#include "core/memory.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "sampling/part_scores.h"

#include <math.h>

static void modelnet_counts_are_the_readmes(void **state)
{
    (void)state;
    char path[REAL_DATA_PATH];
    real_data(path, "modelnet40");
    struct dataset *d = data_open(path, "preset=tiny-cls");
    assert_string_equal(d->type->name, "modelnet-npz");
    assert_int_equal(d->task, TASK_CLASSIFY);
    assert_int_equal(d->classes.n, 40);
    assert_int_equal(dataset_count(d, SPLIT_TRAIN) + dataset_count(d, SPLIT_VAL), 9843);
    assert_int_equal(dataset_count(d, SPLIT_TEST), 1234);
    int32_t seen[40] = {0};
    for (int32_t i = 0; i < dataset_count(d, SPLIT_VAL); i++)
        seen[d->split[SPLIT_VAL].list[i].category]++;
    assert_int_equal(seen[0], 63); /* of 626 airplanes */
    assert_string_equal(d->split[SPLIT_VAL].list[0].name, "airplane_0001");
    data_count(d, SPLIT_TEST, "airplane", 50);
    data_count(d, SPLIT_TEST, "bench", 10);
    assert_int_equal(d->up, 1);
    int32_t train = dataset_count(d, SPLIT_TRAIN);
    dataset_close(d);
    d = data_open(path, "preset=tiny-cls subset=4");
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), (train + 3) / 4);
    const struct item *x;
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 7));
    double mean[3] = {0}, max = 0;
    for (int64_t i = 0; i < x->n; i++) {
        const float *p = x->xyz + 3 * i;
        for (int k = 0; k < 3; k++)
            mean[k] += (double)p[k] / x->n;
        max = fmax(max, sqrt((double)(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])));
        assert_true(i == 0 || p[-3] <= p[0]); /* canonical order begins with x */
    }
    assert_int_equal(x->n, 1024);
    assert_true(fabs(max - 1) < 1e-6 && fabs(mean[0]) + fabs(mean[1]) + fabs(mean[2]) < 1e-6);
    dataset_give(d, SPLIT_TRAIN, 7);
    dataset_close(d);
}

static void modelnet_text_is_read(void **state)
{
    (void)state;
    char path[REAL_DATA_PATH];
    real_data(path, "modelnet40/raw");
    struct dataset *d = data_open(path, "inputs=xyz,normals");
    assert_string_equal(d->type->name, "modelnet");
    assert_int_equal(d->classes.n, 40);
    assert_int_equal(d->missing.n, 12311 - 6);
    assert_int_equal(dataset_count(d, SPLIT_VAL), 6); /* the first of each class */
    const struct item *x;
    data_check(dataset_take(&x, d, SPLIT_VAL, 0));
    assert_int_equal(x->n, 10000);
    assert_int_equal(x->extra, 3);
    for (int64_t i = 0; i < x->n; i++) {
        const float *f = x->features + 3 * i;
        assert_true(fabsf(f[0] * f[0] + f[1] * f[1] + f[2] * f[2] - 1) < 1e-2f);
    }
    dataset_give(d, SPLIT_VAL, 0);
    dataset_close(d);
    real_data(path, "modelnet40/raw/modelnet10_shape_names.txt");
    d = data_open(path, "inputs=xyz");
    assert_int_equal(d->classes.n, 10);
    dataset_close(d);
}

static void office_counts_are_the_readmes(void **state)
{
    (void)state;
    char path[REAL_DATA_PATH];
    real_data(path, "s3dis_office_partial/office.npz");
    struct dataset *d = data_open(path, "inputs=xyz");
    assert_int_equal(dataset_count(d, SPLIT_TEST), 1);
    data_count(d, SPLIT_TEST, "table", 63388);
    data_count(d, SPLIT_TEST, "bookcase", 81901);
    data_count(d, SPLIT_TEST, "clutter", 0);
    dataset_close(d);
}

static void forest_counts_are_the_readmes(void **state)
{
    (void)state;
    char path[REAL_DATA_PATH];
    real_data(path, "forest_s3dis_layout");
    struct dataset *d = data_open(path, "area=2");
    assert_int_equal(d->classes.n, 3);
    data_count(d, SPLIT_TEST, "tree", 345017);
    data_count(d, SPLIT_TEST, "ground", 21919);
    dataset_close(d);
}

/* A real tree in the published layout, with classes of its own. */
static void forest_tree_counts_are_the_readmes(void **state)
{
    (void)state;
    char path[REAL_DATA_PATH], folder[DATA_PATH], command[3 * DATA_PATH];
    real_data(path, "forest_s3dis_layout/Area_1_Park_2.tar.gz");
    data_file(folder, "forest/x");
    *strrchr(folder, '/') = 0;
    snprintf(command, sizeof command, "tar -xzf '%s' -C '%s'", path, folder);
    assert_int_equal(system(command), 0);
    struct dataset *d = data_open(folder, "area=1");
    assert_int_equal(d->classes.n, 3);
    assert_string_equal(d->split[SPLIT_TEST].list[0].name, "Area_1/Park_2");
    data_count(d, SPLIT_TEST, "tree", 276818);
    data_count(d, SPLIT_TEST, "ground", 78477);
    data_count(d, SPLIT_TEST, "clutter", 31814);
    dataset_close(d);
}

static void shapenetpart_counts_are_the_readmes(void **state)
{
    (void)state;
    char path[REAL_DATA_PATH];
    real_data(path, "shapenetpart");
    struct dataset *d = data_open(path, "inputs=xyz");
    assert_string_equal(d->type->name, "shapenetpart-npz");
    assert_int_equal(d->classes.n, 50);
    assert_int_equal(d->classes.n_categories, 16);
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 1719);
    assert_int_equal(dataset_count(d, SPLIT_VAL), 258);
    assert_int_equal(dataset_count(d, SPLIT_TEST), 426);
    int32_t first, count;
    classes_range(&first, &count, &d->classes, classes_category(&d->classes, "Motorbike"));
    assert_int_equal(first, 30);
    assert_int_equal(count, 6);
    assert_string_equal(d->classes.names[47], "table top");
    int64_t counts[51], sum = 0;
    data_check(dataset_histogram(counts, d, SPLIT_TEST));
    for (int i = 0; i < 50; i++)
        sum += counts[i];
    assert_int_equal(sum, 1106476);
    dataset_close(d);
    d = data_open(path, "inputs=xyz category=bag");
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 54);
    assert_int_equal(dataset_count(d, SPLIT_TEST), 7);
    dataset_close(d);
}

/* Always answering the commonest part of the category: the set's notes give instance mIoU 0.307 and
 * category mIoU 0.325, computed by others' code. */
static void the_commonest_part_scores_as_the_readme_says(void **state)
{
    (void)state;
    enum { PARTS = 50 };
    char path[REAL_DATA_PATH];
    real_data(path, "shapenetpart");
    struct dataset *d = data_open(path, "inputs=xyz");
    int64_t counts[PARTS + 1];
    struct part_scores p;
    data_check(part_scores_create(&p, d->classes.n_categories));
    data_check(dataset_histogram(counts, d, SPLIT_TRAIN));
    int64_t right = 0, all = 0;
    for (int32_t i = 0; i < dataset_count(d, SPLIT_TEST); i++) {
        const struct item *x;
        int32_t first, count, best;
        data_check(dataset_take(&x, d, SPLIT_TEST, i));
        classes_range(&first, &count, &d->classes, x->category);
        best = first;
        for (int32_t k = first; k < first + count; k++)
            best = counts[k] > counts[best] ? k : best;
        int32_t *predicted = memory_alloc((size_t)x->n, sizeof *predicted);
        for (int32_t k = 0; k < x->n; k++) {
            predicted[k] = best;
            right += x->labels[k] == best;
        }
        all += x->n;
        data_check(
            part_scores_add(&p, NULL, x->category, x->labels, predicted, x->n, first, count));
        memory_free(predicted);
        dataset_give(d, SPLIT_TEST, i);
    }
    print_message("commonest part: points %.4f, instance %.4f, category %.4f\n",
                  (double)right / (double)all, part_scores_instance(&p), part_scores_category(&p));
    assert_true(fabs((double)right / (double)all - 0.635) < 0.0015);
    assert_true(fabs(part_scores_instance(&p) - 0.307) < 0.0015);
    assert_true(fabs(part_scores_category(&p) - 0.325) < 0.0015);
    part_scores_free(&p);
    dataset_close(d);
}

/* The same 16 shapes in both published editions have the same parts. */
static void both_editions_of_shapenetpart_agree(void **state)
{
    (void)state;
    char path[REAL_DATA_PATH];
    struct dataset *d[2];
    int64_t counts[2][51];
    real_data(path, "shapenetpart/raw/v0");
    d[0] = data_open(path, "inputs=xyz validation=off");
    real_data(path, "shapenetpart/raw/v0_normal");
    d[1] = data_open(path, "inputs=xyz,normals validation=off");
    for (int k = 0; k < 2; k++) {
        int32_t n = 0;
        assert_string_equal(d[k]->type->name, "shapenetpart");
        for (int s = 0; s < SPLITS; s++)
            n += dataset_count(d[k], (enum split)s);
        assert_int_equal(n, 16);
        assert_true(d[k]->missing.n > 10000);
    }
    for (int s = 0; s < SPLITS; s++) {
        assert_int_equal(dataset_count(d[0], (enum split)s), dataset_count(d[1], (enum split)s));
        for (int k = 0; k < 2; k++)
            data_check(dataset_histogram(counts[k], d[k], (enum split)s));
        for (int i = 0; i < 50; i++)
            assert_int_equal(counts[0][i] > 0, counts[1][i] > 0);
    }
    dataset_close(d[0]);
    dataset_close(d[1]);
}

static void scannet_counts_are_the_readmes(void **state)
{
    (void)state;
    char path[REAL_DATA_PATH];
    real_data(path, "scannet");
    struct dataset *d = data_open(path, "");
    assert_string_equal(d->type->name, "scannet");
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 10);
    assert_int_equal(dataset_count(d, SPLIT_VAL), 3);
    assert_int_equal(dataset_count(d, SPLIT_TEST), 3);
    data_count(d, SPLIT_TEST, "wall", 53100);
    data_count(d, SPLIT_TEST, "floor", 33640);
    data_count(d, SPLIT_TEST, "chair", 10946);
    data_count(d, SPLIT_TEST, "table", 11276);
    int64_t counts[14];
    data_check(dataset_histogram(counts, d, SPLIT_TEST));
    assert_int_equal(counts[13], 9053); /* unlabelled */
    dataset_close(d);
    real_data(path, "scannet/test/scene0008_00.npz");
    d = data_open(path, "");
    assert_int_equal(dataset_count(d, SPLIT_TEST), 1);
    dataset_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modelnet_counts_are_the_readmes),
        cmocka_unit_test(modelnet_text_is_read),
        cmocka_unit_test(office_counts_are_the_readmes),
        cmocka_unit_test(forest_counts_are_the_readmes),
        cmocka_unit_test(forest_tree_counts_are_the_readmes),
        cmocka_unit_test(shapenetpart_counts_are_the_readmes),
        cmocka_unit_test(the_commonest_part_scores_as_the_readme_says),
        cmocka_unit_test(both_editions_of_shapenetpart_agree),
        cmocka_unit_test(scannet_counts_are_the_readmes),
    };
    return real_data_code(cmocka_run_group_tests(tests, NULL, NULL));
}
