/* Data sets: layouts, splits, classes by name, and the counts of the real ones.
 * labels: quick */
#include "data_folder.h"

#include "data/dataset.h"
#include "data/pool.h"

#include <math.h>

static struct dataset *open_set(const char *path, const char *pairs)
{
    struct config c;
    struct dataset *d;
    data_config(&c, pairs);
    data_check(dataset_open(&d, path, &c));
    return d;
}

static void check_histogram(struct dataset *d, enum split s, const char *class, int64_t want)
{
    int64_t counts[DATASET_CLASSES_MOST + 1];
    data_check(dataset_histogram(counts, d, s));
    int32_t i = dataset_class(d, class);
    assert_true(i >= 0);
    if (counts[i] != want)
        fail_msg("%s: %lld of %s, expected %lld", split_name(s), (long long)counts[i], class,
                 (long long)want);
}

static void modelnet_counts_are_the_readmes(void **state)
{
    (void)state;
    char path[DATA_PATH];
    if (!data_real(path, "modelnet40"))
        return;
    struct dataset *d = open_set(path, "preset=tiny-cls");
    assert_string_equal(d->type->name, "modelnet-npz");
    assert_int_equal(d->task, TASK_CLASSIFY);
    assert_int_equal(d->n_classes, 40);
    assert_int_equal(dataset_count(d, SPLIT_TRAIN) + dataset_count(d, SPLIT_VAL), 9843);
    assert_int_equal(dataset_count(d, SPLIT_TEST), 1234);
    int32_t seen[40] = {0};
    for (int32_t i = 0; i < dataset_count(d, SPLIT_VAL); i++)
        seen[d->split[SPLIT_VAL].list[i].category]++;
    assert_int_equal(seen[0], 63); /* of 626 airplanes */
    assert_string_equal(d->split[SPLIT_VAL].list[0].name, "airplane_0001");
    check_histogram(d, SPLIT_TEST, "airplane", 50);
    check_histogram(d, SPLIT_TEST, "bench", 10);
    int32_t train = dataset_count(d, SPLIT_TRAIN);
    dataset_close(d);
    d = open_set(path, "preset=tiny-cls subset=4");
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), (train + 3) / 4);
    const struct item *x;
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 7));
    double mean[3] = {0}, most = 0;
    for (int64_t i = 0; i < x->n; i++) {
        const float *p = x->xyz + 3 * i;
        for (int k = 0; k < 3; k++)
            mean[k] += (double)p[k] / x->n;
        most = fmax(most, sqrt((double)(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])));
        assert_true(i == 0 || p[-3] <= p[0]); /* canonical order begins with x */
    }
    assert_int_equal(x->n, 1024);
    assert_true(fabs(most - 1) < 1e-6 && fabs(mean[0]) + fabs(mean[1]) + fabs(mean[2]) < 1e-6);
    dataset_give(d, SPLIT_TRAIN, 7);
    dataset_close(d);
}

static void rooms_are_split_by_area(void **state)
{
    (void)state;
    data_write_room("rooms/Area_1/office_1.ply", 500, 4, 3, 1);
    data_write_room("rooms/Area_1/office_2.npy", 300, 4, 3, 2);
    data_write_room("rooms/Area_6/lobby_1.ply", 400, 4, 3, 3);
    char path[DATA_PATH];
    struct dataset *d = open_set(data_file(path, "rooms"), "area=6 validation=off");
    assert_int_equal(d->n_classes, 13);
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 2);
    assert_int_equal(dataset_count(d, SPLIT_VAL), 0);
    assert_int_equal(dataset_count(d, SPLIT_TEST), 1);
    assert_string_equal(d->split[SPLIT_TEST].list[0].name, "Area_6/lobby_1");
    assert_string_equal(d->split[SPLIT_TRAIN].list[1].name, "Area_1/office_2");
    int64_t counts[14], sum = 0;
    data_check(dataset_histogram(counts, d, SPLIT_TRAIN));
    for (int i = 0; i < 14; i++)
        sum += counts[i];
    assert_int_equal(sum, 800);
    assert_int_equal(counts[0] + counts[1] + counts[2] + counts[7], 800);
    dataset_close(d);
}

/* The published tree: one text file per object, with the odd bytes it is known for. */
static void annotations_are_read_and_repaired(void **state)
{
    (void)state;
    char path[DATA_PATH];
    data_text("tree/Area_1/office_1/Annotations/chair_1.txt",
              "1.0 2.0 0.5 10 20 30\n1.5 2.0 0.5 185\x10"
              "187 182\n2.0 2.0 0.5 2\x10"
              "5 20 30\n");
    data_text("tree/Area_1/office_1/Annotations/stairs_1.txt", "0 0 0 255 255 255\r\n\n");
    data_text("tree/Area_1/office_1/office_1.txt", "not read");
    data_text("tree/Area_5/hallway_1/Annotations/floor_2.txt", "0 0 0 1 2 3\n");
    struct dataset *d = open_set(data_file(path, "tree"), "validation=off");
    assert_int_equal(d->n_classes, 13);
    const struct item *x;
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 0));
    assert_int_equal(x->n, 4);
    /* canonical order: the stairs at x = 0 come first, and count as clutter */
    assert_int_equal(x->labels[0], 12);
    assert_int_equal(x->labels[1], dataset_class(d, "chair"));
    assert_int_equal(x->row[0], 3);
    assert_true(fabsf(x->features[3 * 2] - 185.0f / 255) < 1e-6f);
    assert_true(fabsf(x->features[3 * 2 + 1] - 187.0f / 255) < 1e-6f);
    assert_true(fabsf(x->features[3 * 3] - 25.0f / 255) < 1e-6f);
    dataset_give(d, SPLIT_TRAIN, 0);
    dataset_close(d);
    data_text("tree/Area_1/office_1/Annotations/chair_2.txt", "1.0 2.0 0.5 10 20 30\n1 2 3\n");
    d = open_set(path, "validation=off");
    assert_int_equal(dataset_take(&x, d, SPLIT_TRAIN, 0), GLT_EFORMAT);
    assert_non_null(strstr(glt_error_message(), "chair_2.txt:2"));
    dataset_close(d);
}

static void office_and_forest_load(void **state)
{
    (void)state;
    char path[DATA_PATH];
    if (data_real(path, "s3dis_office_partial/office.npz")) {
        struct dataset *d = open_set(path, "inputs=xyz");
        assert_int_equal(dataset_count(d, SPLIT_TEST), 1);
        check_histogram(d, SPLIT_TEST, "table", 63388);
        check_histogram(d, SPLIT_TEST, "bookcase", 81901);
        check_histogram(d, SPLIT_TEST, "clutter", 0);
        dataset_close(d);
    }
    if (data_real(path, "forest_s3dis_layout")) {
        struct dataset *d = open_set(path, "area=2");
        assert_int_equal(d->n_classes, 3);
        check_histogram(d, SPLIT_TEST, "tree", 345017);
        check_histogram(d, SPLIT_TEST, "ground", 21919);
        dataset_close(d);
    }
}

static void a_shuffled_file_is_the_same_item(void **state)
{
    (void)state;
    enum { N = 400 };
    char path[DATA_PATH];
    struct glt_cloud *c, *shuffled;
    int64_t rows[N];
    data_room(&c, N, 4, 3, 9);
    for (int64_t i = 0; i < N; i++)
        rows[i] = (i * 149) % N;
    data_check(cloud_select(&shuffled, c, rows, N));
    data_check(cloud_write(c, data_file(path, "mix/Area_1/a.ply"), NULL));
    data_check(cloud_write(shuffled, data_file(path, "mix/Area_1/b.ply"), NULL));
    struct dataset *d = open_set(data_file(path, "mix"), "validation=off");
    const struct item *a, *b;
    data_check(dataset_take(&a, d, SPLIT_TRAIN, 0));
    data_check(dataset_take(&b, d, SPLIT_TRAIN, 1));
    assert_memory_equal(a->xyz, b->xyz, N * 12);
    assert_memory_equal(a->features, b->features, N * 12);
    assert_memory_equal(a->labels, b->labels, N * 4);
    for (int i = 0; i < N; i++)
        assert_int_equal(a->row[i], rows[b->row[i]]);
    pool_set_budget(d, 0); /* held items stay */
    assert_true(pool_bytes(d) > 0);
    dataset_give(d, SPLIT_TRAIN, 0);
    dataset_give(d, SPLIT_TRAIN, 1);
    assert_int_equal(pool_bytes(d), 0);
    dataset_close(d);
    cloud_free(c);
    cloud_free(shuffled);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    char path[DATA_PATH];
    struct config c;
    struct dataset *d;
    data_config(&c, "inputs=xyz,rgb");
    assert_int_equal(dataset_open(&d, "/nowhere", &c), GLT_EIO);
    data_text("empty/readme.md", "nothing");
    assert_int_equal(dataset_open(&d, data_file(path, "empty"), &c), GLT_EDATA);
    data_write_room("odd/Area_1/a.ply", 10, 1, 1, 1);
    data_config(&c, "inputs=xyz,normals validation=off");
    data_check(dataset_open(&d, data_file(path, "odd"), &c));
    const struct item *x;
    assert_int_equal(dataset_take(&x, d, SPLIT_TRAIN, 0), GLT_EDATA);
    assert_non_null(strstr(glt_error_message(), "a.ply"));
    assert_non_null(strstr(glt_error_message(), "normals"));
    dataset_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modelnet_counts_are_the_readmes),
        cmocka_unit_test(rooms_are_split_by_area),
        cmocka_unit_test(annotations_are_read_and_repaired),
        cmocka_unit_test(office_and_forest_load),
        cmocka_unit_test(a_shuffled_file_is_the_same_item),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, data_teardown);
}
