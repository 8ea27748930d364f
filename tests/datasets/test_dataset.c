/* Data sets: layouts, splits, classes by name, YAML, in folders made here.
 * labels: quick */
#include "data_folder.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "errors.h"

#include <math.h>

static void rooms_are_split_by_area(void **state)
{
    (void)state;
    data_write_room("rooms/Area_1/office_1.ply", 500, 4, 3, 1);
    data_write_room("rooms/Area_1/office_2.npy", 300, 4, 3, 2);
    data_write_room("rooms/Area_6/lobby_1.ply", 400, 4, 3, 3);
    char path[DATA_PATH];
    struct dataset *d = data_open(data_file(path, "rooms"), "area=6 validation=off");
    assert_int_equal(d->classes.n, 13);
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

static void areas_have_whole_numbers(void **state)
{
    (void)state;
    data_write_room("ten/Area_0/a.ply", 50, 4, 3, 1);
    data_write_room("ten/Area_1/a.ply", 50, 4, 3, 1);
    data_write_room("ten/Area_10/a.ply", 50, 4, 3, 1);
    char path[DATA_PATH];
    struct dataset *d = data_open(data_file(path, "ten"), "area=1 validation=off");
    assert_int_equal(dataset_count(d, SPLIT_TEST), 1);
    assert_string_equal(d->split[SPLIT_TEST].list[0].name, "Area_1/a");
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 2);
    dataset_close(d);
    d = data_open(path, "area=0 validation=off");
    assert_string_equal(d->split[SPLIT_TEST].list[0].name, "Area_0/a");
    dataset_close(d);
    d = data_open(path, "area=10 validation=off");
    assert_string_equal(d->split[SPLIT_TEST].list[0].name, "Area_10/a");
    dataset_close(d);
}

/* Somebody's rooms: classes by the first file that can be read, in any case of letters. */
static void rooms_name_their_classes(void **state)
{
    (void)state;
    char path[DATA_PATH];
    data_text("named/Area_1/a.ply", "no cloud at all");
    data_text("named/Area_1/b.ply",
              "ply\nformat ascii 1.0\ncomment class 0 Shelf\ncomment class 1 lamp\n"
              "comment class 2 shelf\nelement vertex 3\nproperty float x\nproperty float y\n"
              "property float z\nproperty uchar label\nend_header\n0 0 0 0\n1 0 0 1\n2 0 0 2\n");
    struct dataset *d = data_open(data_file(path, "named"), "inputs=xyz validation=off");
    assert_int_equal(d->classes.n, 2);
    const struct item *x;
    assert_true(dataset_take(&x, d, SPLIT_TRAIN, 0) < 0);
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 1));
    assert_int_equal(x->labels[0], classes_find(&d->classes, "shelf"));
    assert_int_equal(x->labels[2], x->labels[0]);
    dataset_give(d, SPLIT_TRAIN, 1);
    dataset_close(d);
}

/* The published tree: one text file per object, with the stray bytes it is known for. */
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
    data_text("tree/Area_5/Area_5_alignmentAngle.txt", "## office_1 90\n"); /* no room */
    struct dataset *d = data_open(data_file(path, "tree"), "validation=off");
    assert_int_equal(d->classes.n, 13);
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 1);
    assert_int_equal(dataset_count(d, SPLIT_TEST), 1);
    const struct item *x;
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 0));
    assert_int_equal(x->n, 4);
    /* canonical order: the stairs at x = 0 come first, and count as clutter */
    assert_int_equal(x->labels[0], 12);
    assert_int_equal(x->labels[1], classes_find(&d->classes, "chair"));
    assert_int_equal(x->row[0], 3);
    assert_true(fabsf(x->features[3 * 2] - 185.0f / 255) < 1e-6f);
    assert_true(fabsf(x->features[3 * 2 + 1] - 187.0f / 255) < 1e-6f);
    assert_true(fabsf(x->features[3 * 3] - 25.0f / 255) < 1e-6f);
    dataset_give(d, SPLIT_TRAIN, 0);
    dataset_close(d);
    data_text("tree/Area_1/office_1/Annotations/chair_2.txt", "1.0 2.0 0.5 10 20 30\n1 2 3\n");
    d = data_open(path, "validation=off");
    assert_int_equal(dataset_take(&x, d, SPLIT_TRAIN, 0), GLT_EFORMAT);
    assert_error("SYNTAX line 2");
    dataset_close(d);
}

static void synthetic_rooms_need_no_file(void **state)
{
    (void)state;
    struct dataset *d = data_open("synth:rooms rooms=1 points=3000", "validation=off");
    assert_int_equal(d->classes.n, 13);
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
    assert_int_equal(dataset_open(&d, "synth:rooms rooms=0", &c.data, c.seed), GLT_EARGUMENT);
}

static void a_yaml_makes_a_dataset_of_any_folder(void **state)
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
    struct dataset *d = data_open(data_file(path, "own/set.yaml"), "inputs=xyz");
    assert_int_equal(dataset_count(d, SPLIT_TRAIN), 9);
    assert_int_equal(dataset_count(d, SPLIT_VAL), 1); /* a seeded tenth */
    assert_int_equal(d->classes.colours[0][2], 3);
    assert_int_equal(d->classes.colours[1][0], 4);
    data_count(d, SPLIT_TRAIN, "ground", 9);
    data_count(d, SPLIT_TRAIN, "tree", 18);
    data_count(d, SPLIT_TEST, "ground", 1); /* by name: the numbers are the other way round */
    data_count(d, SPLIT_TEST, "tree", 1);
    dataset_close(d);
    data_text("own/side.yaml", "path: scans\ntest: 'c/*.xyz'\nnames: {0: ground, 1: tree}\n"
                               "labels: .labels\nignore: 255\n");
    d = data_open(data_file(path, "own/side.yaml"), "inputs=xyz");
    data_count(d, SPLIT_TEST, "ground", 1);
    data_count(d, SPLIT_TEST, "tree", 1);
    dataset_close(d);
    data_text("own/cls.yaml", "path: scans\ntask: classify\ntrain: ['**.txt', c]\n"
                              "names: [a, c]\n");
    d = data_open(data_file(path, "own/cls.yaml"), "inputs=xyz validation=off");
    data_count(d, SPLIT_TRAIN, "a", 10);
    data_count(d, SPLIT_TRAIN, "c", 1);
    dataset_close(d);
}

/* ScanNet as published: colours in one mesh, labels in another beside it. */
static void labels_of_a_mesh_are_read(void **state)
{
    (void)state;
    char path[DATA_PATH];
    data_text("scans/s0/s0_vh_clean_2.ply",
              "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
              "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
              "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
              "0 0 0 1 2 3\n1 0 0 1 2 3\n0 1 0 1 2 3\n3 0 1 2\n");
    data_text("scans/s0/s0_vh_clean_2.labels.ply",
              "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
              "property float z\nproperty ushort label\nelement face 1\n"
              "property list uchar int vertex_indices\nend_header\n"
              "0 0 0 1\n1 0 0 40\n0 1 0 2\n3 0 1 2\n");
    data_text("scans/set.yaml", "test: '*/*_vh_clean_2.ply'\nlabels: .labels.ply\n"
                                "names: [wall, floor]\nmap: {1: wall, 2: floor}\nignore: [40]\n");
    struct dataset *d = data_open(data_file(path, "scans/set.yaml"), "inputs=xyz,rgb");
    assert_int_equal(dataset_count(d, SPLIT_TEST), 1);
    data_count(d, SPLIT_TEST, "wall", 1);
    data_count(d, SPLIT_TEST, "floor", 1);
    dataset_close(d);
}

/* A file may name some of its numbers, and in any order. */
static void names_of_a_file_may_have_gaps(void **state)
{
    (void)state;
    char path[DATA_PATH];
    data_text("gap/a.ply",
              "ply\nformat ascii 1.0\ncomment class 5000 tree\ncomment class 1 ground\n"
              "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
              "property int label\nend_header\n0 0 0 1\n1 0 0 1\n2 0 0 5000\n");
    data_text("gap/set.yaml", "test: a.ply\nnames: [ground, tree]\n");
    struct dataset *d = data_open(data_file(path, "gap/set.yaml"), "inputs=xyz");
    data_count(d, SPLIT_TEST, "ground", 2);
    data_count(d, SPLIT_TEST, "tree", 1);
    dataset_close(d);
}

/* The same readings are the same input, whatever type a file gives them. */
static void intensity_goes_by_its_range(void **state)
{
    (void)state;
    static const char *const types[] = {"uchar", "ushort", "int", "float", "double"};
    static const struct {
        const char *readings[2];
        float want[2];
    } cases[] = {{{"51", "255"}, {0.2f, 1}}, {{"13107", "65535"}, {0.2f, 1}}, {{"0", "1"}, {0, 1}}};
    char path[DATA_PATH], text[512];
    data_text("light/set.yaml", "test: ['*.ply']\nnames: [ground]\n");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (size_t t = k == 1; t < sizeof types / sizeof *types; t++) {
            snprintf(text, sizeof text,
                     "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
                     "property float z\nproperty %s intensity\nproperty uchar label\nend_header\n"
                     "0 0 0 %s 0\n1 0 0 %s 0\n",
                     types[t], cases[k].readings[0], cases[k].readings[1]);
            data_text("light/a.ply", text);
            struct dataset *d =
                data_open(data_file(path, "light/set.yaml"), "inputs=xyz,intensity");
            const struct item *x;
            data_check(dataset_take(&x, d, SPLIT_TEST, 0));
            assert_memory_equal(x->features, cases[k].want, sizeof cases[k].want);
            dataset_give(d, SPLIT_TEST, 0);
            dataset_close(d);
        }
    }
}

/* A few glints beyond the range, or dark points, do not change the unit of all the others. */
static void intensity_bears_glints(void **state)
{
    (void)state;
    enum { N = 300 };
    static const struct {
        int common, dark;
        float glint, want;
    } cases[] = {{200, 0, 260, 200.0f / 255}, {200, 290, 255, 200.0f / 255}, {1, 0, 7, 1}};
    char path[DATA_PATH];
    data_text("glint/set.yaml", "test: a.ply\nnames: [ground]\n");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FILE *f = fopen(data_file(path, "glint/a.ply"), "wb");
        fprintf(f,
                "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
                "property float z\nproperty ushort intensity\nproperty uchar label\nend_header\n",
                N);
        for (int i = 0; i < N; i++)
            fprintf(f, "%d 0 0 %g 0\n", i,
                    i == 0                   ? (double)cases[k].glint
                    : i >= N - cases[k].dark ? 0
                                             : cases[k].common);
        assert_int_equal(fclose(f), 0);
        struct dataset *d = data_open(data_file(path, "glint/set.yaml"), "inputs=xyz,intensity");
        const struct item *x;
        data_check(dataset_take(&x, d, SPLIT_TEST, 0));
        assert_memory_equal(&x->features[1], &cases[k].want, sizeof(float));
        dataset_give(d, SPLIT_TEST, 0);
        dataset_close(d);
    }
}

static void a_yaml_may_name_parts(void **state)
{
    (void)state;
    char path[DATA_PATH];
    data_text("parts/train/mug/a.txt", "x y z label\n0 0 0 2\n1 0 0 3\n2 0 0 3\n3 0 1 2\n");
    data_text("parts/train/chair/b.txt", "x y z label\n0 0 0 0\n1 0 0 1\n2 0 0 1\n3 0 1 0\n");
    data_text("parts/set.yaml", "task: parts\ntrain: train\n"
                                "names: [chair.seat, chair.leg, mug.body, mug.handle]\n");
    struct dataset *d = data_open(data_file(path, "parts/set.yaml"), "inputs=xyz validation=off");
    assert_int_equal(d->classes.n_categories, 2);
    assert_int_equal(d->split[SPLIT_TRAIN].list[1].category, classes_category(&d->classes, "mug"));
    int32_t first, count;
    classes_range(&first, &count, &d->classes, classes_category(&d->classes, "mug"));
    assert_int_equal(first, 2);
    assert_int_equal(count, 2);
    data_count(d, SPLIT_TRAIN, "mug.handle", 2);
    dataset_close(d);
    data_text("parts/set.yaml", "task: parts\ntrain: train\nparts: {chair: 2, mug: 2}\n");
    d = data_open(path, "inputs=xyz validation=off");
    data_count(d, SPLIT_TRAIN, "mug 2", 2);
    dataset_close(d);
}

static void bad_yaml_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *message;
    } cases[] = {
        {"train: a\n", "MISSING names"},
        {"train: a\nnames: [x]\nclases: 3\n", "UNKNOWN_OPTION clases line 3"},
        {"train: nothing.ply\nnames: [x]\n", "MISSING"},
        {"train: a.ply\nval: nothing\nnames: [x]\n", "NOT_FOUND nothing line 2"},
        {"path: nowhere\ntrain: a\nnames: [x]\n", "NOT_FOUND"},
        {"train: 'zz*'\nnames: [x]\n", "NOT_FOUND zz* line 1"},
        {"train: a\nnames: [x, x]\n", "VALUE line 2"},
        {"train: a\nnames: {0: x, 00: y}\n", "VALUE line 2"},
        {"train: a\nnames: [x]\nmap: {1: y}\n", "CLASSES y line 3"},
        {"train: a\nnames: [x]\ntask: guess\n", "VALUE line 3"},
        {"train: a\nnames: [x]\ncolors: [red]\n", "VALUE line 3"},
        {"train: a\ntask: parts\nnames: [x.a, y.b, x.c]\n", "VALUE line 3"},
        {"train: a\ntask: parts\nnames: [x, y]\n", "VALUE line 3"},
        {"train: {a: b}\nnames: [x]\n", "VALUE train line 1"},
    };
    char path[DATA_PATH];
    struct config c;
    struct dataset *d;
    data_config(&c, "inputs=xyz");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        data_text("bad/set.yaml", cases[i].yaml);
        assert_true(dataset_open(&d, data_file(path, "bad/set.yaml"), &c.data, c.seed) < 0);
        assert_error(cases[i].message);
    }
    char many[1025 * 8] = "train: a\nnames: [";
    size_t len = strlen(many);
    for (int i = 0; i <= DATASET_CLASSES_MAX; i++)
        len += (size_t)snprintf(many + len, sizeof many - len, "c%d%s", i,
                                i < DATASET_CLASSES_MAX ? ", " : "]\n");
    data_text("bad/set.yaml", many);
    assert_true(dataset_open(&d, data_file(path, "bad/set.yaml"), &c.data, c.seed) < 0);
    assert_error("VALUE line 2");
    data_text("bad/a.xyz", "0 0 0\n");
    data_text("bad/set.yaml", "train: a.xyz\nnames: [x]\n");
    data_check(dataset_open(&d, data_file(path, "bad/set.yaml"), &c.data, c.seed));
    const struct item *x;
    assert_int_equal(dataset_take(&x, d, SPLIT_TRAIN, 0), GLT_EDATA);
    assert_error("LABELS");
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
    data_check(format_write(c, data_file(path, "mix/Area_1/a.ply"), NULL));
    data_check(format_write(shuffled, data_file(path, "mix/Area_1/b.ply"), NULL));
    struct dataset *d = data_open(data_file(path, "mix"), "validation=off");
    const struct item *a, *b;
    data_check(dataset_take(&a, d, SPLIT_TRAIN, 0));
    data_check(dataset_take(&b, d, SPLIT_TRAIN, 1));
    assert_memory_equal(a->xyz, b->xyz, N * 12);
    assert_memory_equal(a->features, b->features, N * 12);
    assert_memory_equal(a->labels, b->labels, N * 4);
    for (int i = 0; i < N; i++)
        assert_int_equal(a->row[i], rows[b->row[i]]);
    dataset_items_set_budget(d, 0); /* held items stay */
    assert_true(dataset_items_bytes(d) > 0);
    dataset_give(d, SPLIT_TRAIN, 0);
    dataset_give(d, SPLIT_TRAIN, 1);
    assert_int_equal(dataset_items_bytes(d), 0);
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
    assert_int_equal(dataset_open(&d, "/nowhere", &c.data, c.seed), GLT_EIO);
    data_text("empty/readme.md", "nothing");
    assert_int_equal(dataset_open(&d, data_file(path, "empty"), &c.data, c.seed), GLT_EDATA);
    data_write_room("mixed/Area_1/a.ply", 10, 1, 1, 1);
    data_config(&c, "inputs=xyz,normals validation=off");
    const struct item *x;
    data_check(dataset_open(&d, data_file(path, "mixed"), &c.data, c.seed));
    assert_int_equal(dataset_take(&x, d, SPLIT_TRAIN, 0), GLT_EDATA);
    assert_error_file("a.ply");
    assert_error("INPUTS nx");
    dataset_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rooms_are_split_by_area),
        cmocka_unit_test(areas_have_whole_numbers),
        cmocka_unit_test(rooms_name_their_classes),
        cmocka_unit_test(annotations_are_read_and_repaired),
        cmocka_unit_test(synthetic_rooms_need_no_file),
        cmocka_unit_test(a_yaml_makes_a_dataset_of_any_folder),
        cmocka_unit_test(labels_of_a_mesh_are_read),
        cmocka_unit_test(names_of_a_file_may_have_gaps),
        cmocka_unit_test(intensity_goes_by_its_range),
        cmocka_unit_test(intensity_bears_glints),
        cmocka_unit_test(a_yaml_may_name_parts),
        cmocka_unit_test(bad_yaml_is_named),
        cmocka_unit_test(a_shuffled_file_is_the_same_item),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
