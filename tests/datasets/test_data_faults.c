/* Data sets when things go wrong: in every layout, every allocation and every file call of opening
 * it and loading an item of each split fails in turn, once and for ever. Reading, opening and
 * listing report what failed; a file whose state cannot be asked counts as absent.
 * labels: quick */
#include "data_folder.h"
#include "errors.h"

#include "core/file_syscall.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "faults.h"
#include "formats/zip.h"

#include <math.h>

struct layout {
    const char *name, *pairs, *type;
};

static int load_all(void *user)
{
    const struct layout *l = user;
    char path[DATA_PATH];
    struct config c;
    struct dataset *d;
    data_config(&c, l->pairs);
    snprintf(path, sizeof path, "%s/%s", data_folder(), l->name);
    TRY(dataset_open(&d, path, &c.data, c.seed));
    int code = 0;
    for (int s = 0; s < SPLITS && code == 0; s++) {
        const struct item *x;
        if (dataset_count(d, (enum split)s) == 0)
            continue;
        code = dataset_take(&x, d, (enum split)s, 0);
        if (code == 0)
            dataset_give(d, (enum split)s, 0);
    }
    dataset_close(d);
    return code;
}

/* How often a kind of call failed and the work said so. */
static int break_calls(const struct layout *l, enum file_call kind)
{
    int reported = 0;
    int64_t calls = file_calls();
    data_check(load_all((void *)(uintptr_t)l));
    calls = file_calls() - calls;
    for (int forever = 0; forever < 2; forever++)
        for (int nth = 1; nth <= calls; nth++) {
            int64_t alive = memory_stats().bytes;
            file_fault(kind, nth, forever, FILE_FAULT_ERROR, 0);
            int code = load_all((void *)(uintptr_t)l);
            file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
            assert_int_equal(memory_stats().bytes, alive);
            if (code == 0) /* after the last call of this kind, or read again in time */
                continue;
            assert_true(strlen(glt_error_message()) > 10);
            if (code != GLT_EIO && kind != FILE_CALL_STAT)
                fail_msg("%s: call %d of kind %d: code %d, %s", l->name, nth, kind, code,
                         glt_error_message());
            reported++;
        }
    return reported;
}

static void try_layout(const struct layout *l)
{
    char path[DATA_PATH];
    struct config c;
    struct dataset *d;
    data_config(&c, l->pairs);
    snprintf(path, sizeof path, "%s/%s", data_folder(), l->name);
    data_check(dataset_open(&d, path, &c.data, c.seed));
    assert_string_equal(d->type->name, l->type);
    dataset_close(d);
    data_check(load_all((void *)(uintptr_t)l));
    assert_true(faults_memory(load_all, (void *)(uintptr_t)l) > 20);
    assert_true(break_calls(l, FILE_CALL_OPEN) >= 2);
    assert_true(break_calls(l, FILE_CALL_READ) >= 2);
    break_calls(l, FILE_CALL_FOLDER);
    break_calls(l, FILE_CALL_STAT);
}

static void every_failure_of_text_datasets_is_reported(void **state)
{
    (void)state;
    static const struct layout layouts[] = {
        {"rooms", "area=6 validation=off", "rooms"},
        {"tree", "validation=off", "rooms"},
        {"own/set.yaml", "inputs=xyz validation=off", "folder"},
        {"own/side.yaml", "inputs=xyz", "folder"},
        {"net", "inputs=xyz,normals", "modelnet"},
        {"parts", "inputs=xyz validation=off", "shapenetpart"},
    };
    data_write_room("rooms/Area_1/a.ply", 20, 2, 2, 1);
    data_write_room("rooms/Area_6/b.npy", 20, 2, 2, 2);
    data_text("tree/Area_1/office_1/Annotations/chair_1.txt", "1 2 0.5 10 20 30\n2 2 0.5 1 2 3\n");
    data_text("tree/Area_5/hall_1/Annotations/floor_2.txt", "0 0 0 1 2 3\n");
    data_text("own/scans/a/0.txt", "x y z label\n0 0 0 0\n1 0 0 1\n2 0 0 1\n3 0 1 1\n");
    data_text("own/scans/c/two.xyz", "0 0 0\n1 1 1\n2 2 2\n");
    data_text("own/scans/c/two.labels", "1\n0\n255\n");
    data_text("own/set.yaml", "path: scans\ntrain: a\nnames: [ground, tree]\n");
    data_text("own/side.yaml", "path: scans\ntest: 'c/*.xyz'\nnames: [ground, tree]\n"
                               "labels: .labels\nignore: 255\n");
    data_text("net/modelnet40_shape_names.txt", "chair\nbed\n");
    data_text("net/modelnet40_train.txt", "chair_0001\nbed_0001\n");
    data_text("net/modelnet40_test.txt", "chair_0002\n");
    data_text("net/chair/chair_0001.txt", "0,0,0,1,0,0\n1,0,0,1,0,0\n0,1,0,0,0,1\n");
    data_text("net/chair/chair_0002.txt", "0,0,0,1,0,0\n1,0,0,1,0,0\n0,1,0,0,0,1\n");
    data_text("net/bed/bed_0001.txt", "0,0,0,1,0,0\n1,0,0,1,0,0\n0,1,0,0,0,1\n");
    data_text("parts/02773838/points/a.pts", "0 0 0\n1 0 0\n0 1 0\n");
    data_text("parts/02773838/points_label/a.seg", "1\n2\n1\n");
    data_text("parts/train_test_split/shuffled_train_file_list.json",
              "[\"shape_data/02773838/a\"]");
    data_text("parts/train_test_split/shuffled_val_file_list.json", "[]");
    data_text("parts/train_test_split/shuffled_test_file_list.json", "[]");
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        try_layout(&layouts[i]);
}

static void put_array(struct zip *z, const char *name, const char *descr, const char *shape,
                      const void *bytes, size_t len)
{
    char head[256] = "\x93NUMPY\1", member[64];
    int n = snprintf(head + 10, sizeof head - 10,
                     "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape);
    head[8] = (char)n;
    snprintf(member, sizeof member, "%s.npy", name);
    data_check(zip_begin(z, member));
    data_check(zip_put(z, head, (size_t)n + 10));
    data_check(zip_put(z, bytes, len));
    data_check(zip_end(z));
}

/* What a packing says that may be wrong. */
struct claims {
    float x; /* of the first point */
    int32_t parts[2];
};
static const struct claims right = {0, {2, 2}};

/* Two shapes of four points each, in the terms of all three packings. */
static void pack(const char *name, int kind, const struct claims *c)
{
    const float xyz[24] = {c->x, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0};
    static const int32_t label[2] = {0, 1}, offset[3] = {0, 4, 8};
    static const uint8_t part[8] = {0, 1, 0, 1, 2, 3, 2, 3}, nyu[8] = {1, 2, 5, 1, 1, 2, 0, 40},
                         rgb[24] = {9};
    static const double scale = 1;
    char path[DATA_PATH];
    struct file *f;
    struct zip *z;
    data_check(file_create(&f, data_file(path, name)));
    data_check(zip_create(&z, f, kind == 1));
    put_array(z, "xyz", "<f4", kind == 0 ? "(2, 4, 3)" : "(8, 3)", xyz, sizeof xyz);
    if (kind < 2)
        put_array(z, "scale", "<f8", "()", &scale, sizeof scale);
    if (kind == 0) {
        put_array(z, "label", "<i4", "(2,)", label, sizeof label);
        put_array(z, "class_name", "|S4", "(2,)", "cup\0bed", 8);
    } else if (kind == 1) {
        put_array(z, "part", "|u1", "(8,)", part, sizeof part);
        put_array(z, "offset", "<i4", "(3,)", offset, sizeof offset);
        put_array(z, "category", "<i4", "(2,)", label, sizeof label);
        put_array(z, "category_name", "|S4", "(2,)", "cup\0bed", 8);
        put_array(z, "part_count", "<i4", "(2,)", c->parts, sizeof c->parts);
    } else {
        put_array(z, "rgb", "|u1", "(8, 3)", rgb, sizeof rgb);
        put_array(z, "nyu40", "|u1", "(8,)", nyu, sizeof nyu);
    }
    data_check(zip_finish(z));
    zip_free(z);
    data_check(file_commit(f));
}

static void every_failure_of_packed_datasets_is_reported(void **state)
{
    (void)state;
    static const struct layout layouts[] = {
        {"nz", "inputs=xyz validation=off", "modelnet-npz"},
        {"pz", "inputs=xyz validation=off", "shapenetpart-npz"},
        {"sz", "", "scannet"},
    };
    pack("nz/train_0.npz", 0, &right);
    pack("nz/test.npz", 0, &right);
    pack("pz/train.npz", 1, &right);
    pack("pz/val.npz", 1, &right);
    pack("pz/test.npz", 1, &right);
    pack("sz/train/scene0001_00.npz", 2, &right);
    pack("sz/test/scene0002_00.npz", 2, &right);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        try_layout(&layouts[i]);
}

/* Points that are nowhere are left out with their labels, of packed shapes too. */
static void packed_points_are_finite(void **state)
{
    (void)state;
    static const struct claims nowhere = {NAN, {2, 2}};
    static const char *const sets[] = {"nf", "pf"};
    char path[DATA_PATH];
    pack("nf/train_0.npz", 0, &nowhere);
    pack("pf/test.npz", 1, &nowhere);
    for (int kind = 0; kind < 2; kind++) {
        struct dataset *d = data_open(data_file(path, sets[kind]), "inputs=xyz validation=off");
        enum split s = kind ? SPLIT_TEST : SPLIT_TRAIN;
        const struct item *x;
        data_check(dataset_take(&x, d, s, 0));
        assert_int_equal(x->n, 3);
        for (int i = 0; i < 9; i++)
            assert_true(isfinite(x->xyz[i]));
        for (int i = 0; i < 3; i++)
            assert_int_equal(kind ? x->labels[i] : 0, kind ? x->row[i] % 2 : 0);
        dataset_give(d, s, 0);
        dataset_close(d);
    }
}

/* Numbers of parts whose sum is right are no reason to believe each of them. */
static void lying_parts_are_refused(void **state)
{
    (void)state;
    static const struct claims lies[] = {{0, {-4000000, 4000010}}, {0, {0, 4}}};
    char path[DATA_PATH];
    struct config c;
    struct dataset *d;
    data_config(&c, "inputs=xyz validation=off");
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        pack("pl/test.npz", 1, &lies[i]);
        assert_int_equal(dataset_open(&d, data_file(path, "pl"), &c.data, c.seed), GLT_EDATA);
        assert_error("CATEGORY cup");
    }
}

/* Numbers of parts at the ends of what fits are refused before they are counted with. */
static void huge_parts_are_refused(void **state)
{
    (void)state;
    static const char *const numbers[] = {"2147483647", "-2147483648", "0", "3"};
    char path[DATA_PATH], text[64];
    data_text("huge/02773838/points/a.pts", "0 0 0\n1 0 0\n0 1 0\n");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        snprintf(text, sizeof text, "1\n2\n%s\n", numbers[i]);
        data_text("huge/02773838/points_label/a.seg", text);
        struct dataset *d = data_open(data_file(path, "huge"), "inputs=xyz validation=off");
        const struct item *x;
        assert_int_equal(dataset_take(&x, d, SPLIT_TRAIN, 0), GLT_EDATA);
        assert_error("LABELS point 2");
        dataset_close(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failure_of_text_datasets_is_reported),
        cmocka_unit_test(every_failure_of_packed_datasets_is_reported),
        cmocka_unit_test(packed_points_are_finite),
        cmocka_unit_test(lying_parts_are_refused),
        cmocka_unit_test(huge_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
