/* Datasets with `truth: reviewed`: labels that count, tiles that are held back, samples around
 * reviewed points. */
#include "folder_set.h"

#include "core/memory.h"
#include "datasets/dataset_fingerprint.h"
#include "datasets/reviewed.h"
#include "sampling/sample.h"

#include <math.h>

enum { N = 4000 };
static const char YAML[] =
    "train: \"*.ply\"\ntruth: reviewed\nnames: [ceiling, floor, wall, beam, column, window, door, "
    "table]\n";

/* A room of 8 x 8 m, reviewed where x < limit. Labels of other points are no classes. */
static void write_scan(const char *name, double limit, const char *columns)
{
    char path[DATA_PATH];
    struct glt_cloud *c;
    struct column *seen;
    data_room(&c, N, 8, 8, 3);
    data_check(cloud_add_attribute(&seen, c, columns, GLT_U8));
    for (int64_t i = 0; i < N; i++) {
        bool yes = (double)((float *)cloud_attribute(c, "x")->data)[i] < limit;
        ((uint8_t *)seen->data)[i] = yes;
        if (!yes)
            ((uint8_t *)cloud_attribute(c, "label")->data)[i] = 99;
    }
    data_check(format_write(c, data_file(path, name), NULL));
    cloud_free(c);
}

static struct dataset *open_reviewed(const char *folder, const char *pairs)
{
    char name[64], path[DATA_PATH];
    snprintf(name, sizeof name, "%s/set.yaml", folder);
    data_text(name, YAML);
    struct dataset *d = data_open(data_file(path, name), pairs);
    dataset_hold(d, 1);
    return d;
}

static void labels_count_where_points_are_reviewed(void **state)
{
    (void)state;
    write_scan("half/a.ply", 4, "reviewed");
    struct dataset *d = open_reviewed("half", "inputs=xyz validation=off");
    const struct item *x;
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 0));
    for (int64_t i = 0; i < x->n; i++)
        assert_int_equal(x->labels[i] >= 0, x->xyz[3 * i] + x->origin[0] < 4);
    assert_int_equal(x->labelled, reviewed_count(x));
    assert_int_equal(d->split[SPLIT_TRAIN].list[0].labelled, x->labelled);
    dataset_give(d, SPLIT_TRAIN, 0);
    dataset_close(d);
}

/* As old data of other classes: points of classes that the new data lacks are not drawn. */
static void classes_of_other_data_may_be_fewer(void **state)
{
    (void)state;
    write_scan("fewer/a.ply", 4, "reviewed");
    struct dataset *d = open_reviewed("fewer", "inputs=xyz validation=off block=1");
    struct classes few = d->classes;
    const struct item *x;
    few.n = 2;
    data_check(dataset_relabel(d, &few));
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 0));
    assert_int_equal(x->labelled, reviewed_count(x));
    for (int64_t i = 0; i < x->n; i++)
        assert_true(x->labels[i] < 2);
    assert_true(x->labelled > 0 && x->labelled < x->n / 2);
    dataset_give(d, SPLIT_TRAIN, 0);
    dataset_close(d);
}

/* Which tiles an item has labels in, as bits. */
static uint64_t tiles_of(const struct item *x)
{
    uint64_t tiles = 0;
    for (int64_t i = 0; i < x->n; i++)
        if (x->labels[i] >= 0) {
            int64_t a = (int64_t)floor((x->xyz[3 * i] + x->origin[0]));
            int64_t b = (int64_t)floor((x->xyz[3 * i + 1] + x->origin[1]));
            tiles |= (uint64_t)1 << (8 * a + b);
        }
    return tiles;
}

static void a_point_is_learned_or_held_back(void **state)
{
    (void)state;
    write_scan("held/a.ply", 9, "reviewed");
    struct dataset *d = open_reviewed("held", "inputs=xyz");
    const struct item *train, *val;
    assert_int_equal(dataset_count(d, SPLIT_VAL), 1);
    data_check(dataset_take(&train, d, SPLIT_TRAIN, 0));
    data_check(dataset_take(&val, d, SPLIT_VAL, 0));
    assert_int_equal(train->labelled + val->labelled, N);
    assert_int_equal(tiles_of(train) & tiles_of(val), 0);
    int held = __builtin_popcountll(tiles_of(val));
    assert_in_range(held, 4, 24); /* a fifth of 64 */
    assert_int_equal(train->n, N);
    assert_true(val->n < N); /* what is far from held tiles is not scored */
    assert_true(val->low[2] == train->low[2]);
    dataset_give(d, SPLIT_TRAIN, 0);
    dataset_give(d, SPLIT_VAL, 0);
    dataset_close(d);
}

static void tiles_stay_held_back_while_more_are_reviewed(void **state)
{
    (void)state;
    static const double limits[] = {3, 6, 9};
    uint64_t learned = 0, held = 0;
    for (int i = 0; i < 3; i++) {
        write_scan("more/a.ply", limits[i], "reviewed");
        struct dataset *d = open_reviewed("more", "inputs=xyz");
        const struct item *x;
        data_check(dataset_take(&x, d, SPLIT_TRAIN, 0));
        assert_int_equal(tiles_of(x) & held, 0);
        learned |= tiles_of(x);
        dataset_give(d, SPLIT_TRAIN, 0);
        data_check(dataset_take(&x, d, SPLIT_VAL, 0));
        held |= tiles_of(x);
        assert_int_equal(tiles_of(x) & learned, 0);
        dataset_give(d, SPLIT_VAL, 0);
        dataset_close(d);
    }
}

static void samples_are_drawn_around_reviewed_points(void **state)
{
    (void)state;
    write_scan("corner/a.ply", 0.5, "reviewed");
    struct dataset *d = open_reviewed("corner", "inputs=xyz validation=off");
    const struct item *x;
    struct sampling_settings s = {.points = 256, .block = 1};
    float centre[3];
    int32_t *rows = memory_alloc(N, sizeof *rows);
    data_check(dataset_take(&x, d, SPLIT_TRAIN, 0));
    for (uint32_t i = 0; i < 50; i++) {
        sample_tile(rows, centre, x, &s, (struct random_key){1, 2, i});
        assert_true(centre[0] + x->origin[0] < 0.5);
    }
    dataset_give(d, SPLIT_TRAIN, 0);
    memory_free(rows);
    dataset_close(d);
}

/* Clouds of the same samples, weighed by their reviewed points. */
static void weights_follow_the_reviewed_points(void **state)
{
    (void)state;
    write_scan("weights/a.ply", 8, "reviewed");
    write_scan("weights/b.ply", 4, "reviewed");
    write_scan("weights/c.ply", 0, "reviewed");
    struct dataset *d = open_reviewed("weights", "inputs=xyz validation=off");
    struct item_source items;
    data_check(dataset_items(&items, d, SPLIT_TRAIN));
    double a = items.weight(items.user, 0), b = items.weight(items.user, 1);
    assert_true(a > 0.99);
    assert_true(b > 0.4 && b < 0.6);
    assert_true(items.weight(items.user, 2) == 0);
    dataset_close(d);
}

static void a_cloud_without_the_attribute_is_refused(void **state)
{
    (void)state;
    write_scan("missing/a.ply", 4, "seen");
    expect_error("missing", YAML, "ATTRIBUTE reviewed");
}

static void wrong_keys_are_refused(void **state)
{
    (void)state;
    write_scan("keys/a.ply", 4, "reviewed");
    char yaml[512];
    static const char *const wrong[][2] = {
        {"truth: checked\n", "VALUE line 1"},
        {"replay: synth:rooms\n", "VALUE line 1"},
        {"replay: {data: a, part: 1}\ntruth: reviewed\n", "VALUE line 1"},
        {"replay: {data: a, share: 1}\ntruth: reviewed\n", "VALUE line 1"},
        {"labels: .labels\ntruth: reviewed\n", "VALUE line 1"},
        {"truth: reviewed\ntask: classify\n", "VALUE line 1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(yaml, sizeof yaml, "%strain: \"*.ply\"\nnames: [a, b]\n", wrong[i][0]);
        expect_error("keys", yaml, wrong[i][1]);
    }
}

static void old_data_is_named_from_the_folder_of_the_yaml(void **state)
{
    (void)state;
    write_scan("named/a.ply", 4, "reviewed");
    char yaml[512], want[DATA_PATH];
    snprintf(yaml, sizeof yaml, "%sreplay: {data: old/set.yaml, share: 0.25}\n", YAML);
    struct dataset *d = open_set("named", yaml);
    snprintf(want, sizeof want, "%s/named/old/set.yaml", data_folder());
    assert_string_equal(d->replay, want);
    assert_true(d->replay_share == 0.25);
    dataset_close(d);
}

static void reviewed_data_has_a_fingerprint_of_its_own(void **state)
{
    (void)state;
    char a[DIGEST_SIZE], b[DIGEST_SIZE];
    write_scan("print/a.ply", 9, "reviewed");
    struct dataset *d = open_reviewed("print", "inputs=xyz validation=off");
    data_check(dataset_fingerprint(a, d));
    d->reviewed = false;
    data_check(dataset_fingerprint(b, d));
    assert_string_not_equal(a, b);
    dataset_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_count_where_points_are_reviewed),
        cmocka_unit_test(classes_of_other_data_may_be_fewer),
        cmocka_unit_test(a_point_is_learned_or_held_back),
        cmocka_unit_test(tiles_stay_held_back_while_more_are_reviewed),
        cmocka_unit_test(samples_are_drawn_around_reviewed_points),
        cmocka_unit_test(weights_follow_the_reviewed_points),
        cmocka_unit_test(a_cloud_without_the_attribute_is_refused),
        cmocka_unit_test(wrong_keys_are_refused),
        cmocka_unit_test(old_data_is_named_from_the_folder_of_the_yaml),
        cmocka_unit_test(reviewed_data_has_a_fingerprint_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
