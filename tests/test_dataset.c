/* Data sets: layouts, splits, classes by name, and the counts of the real ones.
 * labels: quick */
#include "data_folder.h"

#include "data/dataset.h"
#include "data/metrics.h"
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
    assert_int_equal(d->up, 1);
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

/* A real tree in the published layout, with classes of its own. */
static void forest_tree_counts_are_the_readmes(void **state)
{
    (void)state;
    char path[DATA_PATH], folder[DATA_PATH], command[3 * DATA_PATH];
    if (!data_real(path, "forest_s3dis_layout/Area_1_Park_2.tar.gz"))
        return;
    data_file(folder, "forest/x");
    *strrchr(folder, '/') = 0;
    snprintf(command, sizeof command, "tar -xzf '%s' -C '%s'", path, folder);
    assert_int_equal(system(command), 0);
    struct dataset *d = open_set(folder, "area=1");
    assert_int_equal(d->n_classes, 3);
    assert_string_equal(d->split[SPLIT_TEST].list[0].name, "Area_1/Park_2");
    check_histogram(d, SPLIT_TEST, "tree", 276818);
    check_histogram(d, SPLIT_TEST, "ground", 78477);
    check_histogram(d, SPLIT_TEST, "clutter", 31814);
    dataset_close(d);
}

static void shapenetpart_counts_are_the_readmes(void **state)
{
    (void)state;
    char path[DATA_PATH];
    if (!data_real(path, "shapenetpart"))
        return;
    struct dataset *d = open_set(path, "inputs=xyz");
    assert_string_equal(d->type->name, "shapenetpart-npz");
    assert_int_equal(d->n_classes, 50);
    assert_int_equal(d->n_categories, 16);
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 1719);
    assert_int_equal(dataset_count(d, SPLIT_VAL), 258);
    assert_int_equal(dataset_count(d, SPLIT_TEST), 426);
    int32_t first, count;
    dataset_range(&first, &count, d, dataset_category(d, "Motorbike"));
    assert_int_equal(first, 30);
    assert_int_equal(count, 6);
    assert_string_equal(d->class_names[47], "Table 1");
    int64_t counts[51], sum = 0;
    data_check(dataset_histogram(counts, d, SPLIT_TEST));
    for (int i = 0; i < 50; i++)
        sum += counts[i];
    assert_int_equal(sum, 1106476);
    dataset_close(d);
    d = open_set(path, "inputs=xyz category=bag");
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
    char path[DATA_PATH];
    if (!data_real(path, "shapenetpart"))
        return;
    struct dataset *d = open_set(path, "inputs=xyz");
    int64_t counts[PARTS + 1];
    struct part_scores p;
    data_check(part_scores_create(&p, d->n_categories));
    data_check(dataset_histogram(counts, d, SPLIT_TRAIN));
    int64_t right = 0, all = 0;
    for (int32_t i = 0; i < dataset_count(d, SPLIT_TEST); i++) {
        const struct item *x;
        int32_t first, count, best;
        data_check(dataset_take(&x, d, SPLIT_TEST, i));
        dataset_range(&first, &count, d, x->category);
        best = first;
        for (int32_t k = first; k < first + count; k++)
            best = counts[k] > counts[best] ? k : best;
        int32_t *answers = memory_alloc((size_t)x->n, sizeof *answers);
        for (int32_t k = 0; k < x->n; k++) {
            answers[k] = best;
            right += x->labels[k] == best;
        }
        all += x->n;
        data_check(part_scores_add(&p, NULL, x->category, x->labels, answers, x->n, first, count));
        memory_free(answers);
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
    char path[DATA_PATH];
    struct dataset *d[2];
    int64_t counts[2][51];
    if (!data_real(path, "shapenetpart/raw/v0"))
        return;
    d[0] = open_set(path, "inputs=xyz validation=off");
    data_real(path, "shapenetpart/raw/v0_normal");
    d[1] = open_set(path, "inputs=xyz,normals validation=off");
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
    char path[DATA_PATH];
    if (!data_real(path, "scannet"))
        return;
    struct dataset *d = open_set(path, "");
    assert_string_equal(d->type->name, "scannet");
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 10);
    assert_int_equal(dataset_count(d, SPLIT_VAL), 3);
    assert_int_equal(dataset_count(d, SPLIT_TEST), 3);
    check_histogram(d, SPLIT_TEST, "wall", 53100);
    check_histogram(d, SPLIT_TEST, "floor", 33640);
    check_histogram(d, SPLIT_TEST, "chair", 10946);
    check_histogram(d, SPLIT_TEST, "table", 11276);
    int64_t counts[14];
    data_check(dataset_histogram(counts, d, SPLIT_TEST));
    assert_int_equal(counts[13], 9053); /* unlabelled */
    dataset_close(d);
    data_real(path, "scannet/test/scene0008_00.npz");
    d = open_set(path, "");
    assert_int_equal(dataset_count(d, SPLIT_TEST), 1);
    dataset_close(d);
}

static void modelnet_text_is_read(void **state)
{
    (void)state;
    char path[DATA_PATH];
    if (!data_real(path, "modelnet40/raw"))
        return;
    struct dataset *d = open_set(path, "inputs=xyz,normals");
    assert_string_equal(d->type->name, "modelnet");
    assert_int_equal(d->n_classes, 40);
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
    data_real(path, "modelnet40/raw/modelnet10_shape_names.txt");
    d = open_set(path, "inputs=xyz");
    assert_int_equal(d->n_classes, 10);
    dataset_close(d);
}

static void synthetic_rooms_need_no_file(void **state)
{
    (void)state;
    struct dataset *d = open_set("synth:rooms rooms=1 points=3000", "validation=off");
    assert_int_equal(d->n_classes, 13);
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 5);
    assert_int_equal(dataset_count(d, SPLIT_TEST), 1);
    const struct item *x;
    data_check(dataset_take(&x, d, SPLIT_TEST, 0));
    assert_int_equal(x->n, 3000);
    assert_int_equal(x->extra, 3);
    dataset_give(d, SPLIT_TEST, 0);
    dataset_close(d);
    struct config c;
    data_config(&c, "");
    assert_int_equal(dataset_open(&d, "synth:rooms rooms=0", &c), GLT_EARGUMENT);
}

static void any_folder_by_yaml(void **state)
{
    (void)state;
    char path[DATA_PATH], text[64];
    for (int i = 0; i < 10; i++) {
        snprintf(text, sizeof text, "own/scans/a/%d.txt", i);
        data_text(text, "x y z label\n0 0 0 0\n1 0 0 5\n2 0 0 9\n3 0 1 1\n");
    }
    data_text("own/scans/b/one.ply",
              "ply\nformat ascii 1.0\ncomment class 0 Bush\ncomment class 1 ground\n"
              "element vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
              "property uchar label\nend_header\n0 0 0 0\n1 0 0 1\n");
    data_text("own/scans/c/two.xyz", "0 0 0\n1 1 1\n2 2 2\n");
    data_text("own/scans/c/two.labels", "1\n0\n255\n");
    data_text("own/set.yaml", "path: scans\ntrain: a\ntest: [b/one.ply]\nnames: [ground, tree]\n"
                              "colors: ['#010203', [4, 5, 6]]\nmap: {5: tree, bush: tree}\n"
                              "ignore: [9]\n");
    struct dataset *d = open_set(data_file(path, "own/set.yaml"), "inputs=xyz");
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 9);
    assert_int_equal(dataset_count(d, SPLIT_VAL), 1); /* a seeded tenth */
    assert_int_equal(d->class_colours[0][2], 3);
    assert_int_equal(d->class_colours[1][0], 4);
    check_histogram(d, SPLIT_TRAIN, "ground", 9);
    check_histogram(d, SPLIT_TRAIN, "tree", 18);
    check_histogram(d, SPLIT_TEST, "ground", 1); /* by name: the numbers are the other way round */
    check_histogram(d, SPLIT_TEST, "tree", 1);
    dataset_close(d);
    data_text("own/side.yaml", "path: scans\ntest: 'c/*.xyz'\nnames: {0: ground, 1: tree}\n"
                               "labels: .labels\nignore: 255\n");
    d = open_set(data_file(path, "own/side.yaml"), "inputs=xyz");
    check_histogram(d, SPLIT_TEST, "ground", 1);
    check_histogram(d, SPLIT_TEST, "tree", 1);
    dataset_close(d);
    data_text("own/cls.yaml", "path: scans\ntask: classify\ntrain: ['**.txt', c]\n"
                              "names: [a, c]\n");
    d = open_set(data_file(path, "own/cls.yaml"), "inputs=xyz validation=off");
    check_histogram(d, SPLIT_TRAIN, "a", 10);
    check_histogram(d, SPLIT_TRAIN, "c", 1);
    dataset_close(d);
}

static void parts_by_yaml(void **state)
{
    (void)state;
    char path[DATA_PATH];
    data_text("parts/train/mug/a.txt", "x y z label\n0 0 0 2\n1 0 0 3\n2 0 0 3\n3 0 1 2\n");
    data_text("parts/train/chair/b.txt", "x y z label\n0 0 0 0\n1 0 0 1\n2 0 0 1\n3 0 1 0\n");
    data_text("parts/set.yaml", "task: parts\ntrain: train\n"
                                "names: [chair.seat, chair.leg, mug.body, mug.handle]\n");
    struct dataset *d = open_set(data_file(path, "parts/set.yaml"), "inputs=xyz validation=off");
    assert_int_equal(d->n_categories, 2);
    assert_int_equal(d->split[SPLIT_TRAIN].list[1].category, dataset_category(d, "mug"));
    int32_t first, count;
    dataset_range(&first, &count, d, dataset_category(d, "mug"));
    assert_int_equal(first, 2);
    assert_int_equal(count, 2);
    check_histogram(d, SPLIT_TRAIN, "mug.handle", 2);
    dataset_close(d);
    data_text("parts/set.yaml", "task: parts\ntrain: train\nparts: {chair: 2, mug: 2}\n");
    d = open_set(path, "inputs=xyz validation=off");
    check_histogram(d, SPLIT_TRAIN, "mug 2", 2);
    dataset_close(d);
}

static void bad_yaml_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *message;
    } cases[] = {
        {"train: a\n", "names"},
        {"train: a\nnames: [x]\nclases: 3\n", "clases"},
        {"train: nothing\nnames: [x]\n", "without any cloud"},
        {"path: nowhere\ntrain: a\nnames: [x]\n", "nowhere"},
        {"train: 'zz*'\nnames: [x]\n", ":1: zz*"},
        {"train: a\nnames: [x, x]\n", "twice"},
        {"train: a\nnames: {0: x, 00: y}\n", "number stands twice"},
        {"train: a\nnames: [x]\nmap: {1: y}\n", ":3: map: 'y'"},
        {"train: a\nnames: [x]\ntask: guess\n", ":3: task"},
        {"train: a\nnames: [x]\ncolors: [red]\n", ":3: colors"},
        {"train: a\ntask: parts\nnames: [x.a, y.b, x.c]\n", "stand together"},
        {"train: a\ntask: parts\nnames: [x, y]\n", "chair.seat"},
        {"train: {a: b}\nnames: [x]\n", ":1: train"},
    };
    char path[DATA_PATH];
    struct config c;
    struct dataset *d;
    data_config(&c, "inputs=xyz");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        data_text("bad/set.yaml", cases[i].yaml);
        assert_true(dataset_open(&d, data_file(path, "bad/set.yaml"), &c) < 0);
        if (!strstr(glt_error_message(), cases[i].message))
            fail_msg("'%s' does not say '%s'", glt_error_message(), cases[i].message);
    }
    data_text("bad/a.xyz", "0 0 0\n");
    data_text("bad/set.yaml", "train: a.xyz\nnames: [x]\n");
    data_check(dataset_open(&d, data_file(path, "bad/set.yaml"), &c));
    const struct item *x;
    assert_int_equal(dataset_take(&x, d, SPLIT_TRAIN, 0), GLT_EDATA);
    assert_non_null(strstr(glt_error_message(), "no labels"));
    dataset_close(d);
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
    const struct item *x;
    data_check(dataset_open(&d, data_file(path, "odd"), &c));
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
        cmocka_unit_test(forest_tree_counts_are_the_readmes),
        cmocka_unit_test(shapenetpart_counts_are_the_readmes),
        cmocka_unit_test(the_commonest_part_scores_as_the_readme_says),
        cmocka_unit_test(both_editions_of_shapenetpart_agree),
        cmocka_unit_test(scannet_counts_are_the_readmes),
        cmocka_unit_test(modelnet_text_is_read),
        cmocka_unit_test(synthetic_rooms_need_no_file),
        cmocka_unit_test(any_folder_by_yaml),
        cmocka_unit_test(parts_by_yaml),
        cmocka_unit_test(bad_yaml_is_named),
        cmocka_unit_test(a_shuffled_file_is_the_same_item),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, data_teardown);
}
