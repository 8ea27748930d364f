/* gelatto check: a good set raises no complaint; each defect planted in it raises exactly its own.
 * labels: quick */
#include "data_folder.h"
#include "errors.h"

#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/parallel.h"

#include <math.h>

enum { ROOMS = 8, POINTS = 2000, COMPLAINTS = 64 };

static struct {
    char topic[32], text[1024], file[DATA_PATH];
    int error;
} complaints[COMPLAINTS];
static int n_complaints, n_balls;
static char balls[8][1024];

/* Everything but the plain account of what is there. */
static void listen(void *user, const struct glt_finding *f)
{
    (void)user;
    static const char *const accounts[] = {"set",   "train",  "val",  "test",
                                           "balls", "radius", "tiles"};
    if (!strcmp(f->topic, "balls"))
        snprintf(balls[n_balls++ % 8], sizeof balls[0], "%s", f->text);
    for (size_t i = 0; i < sizeof accounts / sizeof *accounts; i++)
        if (!strcmp(f->topic, accounts[i]) && !f->error)
            return;
    if (!strcmp(f->topic, "density") && !*f->file)
        return;
    assert_in_range(n_complaints, 0, COMPLAINTS - 1);
    snprintf(complaints[n_complaints].topic, sizeof complaints[0].topic, "%s", f->topic);
    snprintf(complaints[n_complaints].text, sizeof complaints[0].text, "%s", f->text);
    snprintf(complaints[n_complaints].file, sizeof complaints[0].file, "%s", f->file);
    complaints[n_complaints++].error = f->error;
}

static int check_by(const char *yaml, const char *pairs)
{
    char path[DATA_PATH];
    struct config c;
    data_config(&c, pairs);
    n_complaints = n_balls = 0;
    return glt_check(data_file(path, yaml), (const struct glt_config *)&c, listen, NULL);
}

static int check(const char *yaml)
{
    return check_by(yaml, "validation=off");
}

/* Exactly one complaint: its topic, whether it is an error, the end of its file's path. */
static void expect(const char *topic, int error, const char *file)
{
    int code = check("set/set.yaml");
    for (int i = 0; i < n_complaints && n_complaints != 1; i++)
        print_message("%s: %s\n", complaints[i].topic, complaints[i].text);
    assert_int_equal(n_complaints, 1);
    const char *path = complaints[0].file;
    size_t n = strlen(path), end = strlen(file);
    if (strcmp(complaints[0].topic, topic) || complaints[0].error != error || n < end ||
        strcmp(path + n - end, file))
        fail_msg("%s: %s (%s)", complaints[0].topic, complaints[0].text, path);
    assert_int_equal(code, error ? GLT_EDATA : 0);
}

#define CLASSES "names: [ceiling, floor, wall, box]\nmap: {7: box}\n"
static const char yaml[] = "path: scans\ntrain: train\ntest: test\n" CLASSES;

static void write_cloud(struct glt_cloud *c, const char *name)
{
    char path[DATA_PATH];
    data_check(format_write(c, data_file(path, name), NULL));
    cloud_free(c);
}

static int make_good_set(void **state)
{
    (void)state;
    char name[64];
    own_folder_remove(data_folder());
    for (uint32_t i = 0; i < ROOMS; i++) {
        snprintf(name, sizeof name, "set/scans/%s/room_%u.ply", i < 6 ? "train" : "test", i);
        data_write_room(name, POINTS, 4 + 0.3 * i, 3 + 0.2 * i, i + 1);
    }
    data_text("set/set.yaml", yaml);
    data_text("set/scans/README.md", "rooms");
    return 0;
}

static float *axis(struct glt_cloud *c, const char *name)
{
    return cloud_attribute(c, name)->data;
}

static void a_good_set_raises_no_complaint(void **state)
{
    (void)state;
    data_check(check("set/set.yaml"));
    for (int i = 0; i < n_complaints; i++)
        print_message("%s: %s\n", complaints[i].topic, complaints[i].text);
    assert_int_equal(n_complaints, 0);
    assert_int_equal(n_balls, 8);
}

/* The points of a ball are counted, not those that are repeated to fill it; as they are, not as
 * training moves them; and for a network without balls there is nothing to say. */
static void balls_are_those_of_the_clouds(void **state)
{
    (void)state;
    char wanted[8][1024];
    data_check(check("set/set.yaml"));
    memcpy(wanted, balls, sizeof balls);
    memset(balls, 0, sizeof balls);
    data_check(check_by("set/set.yaml", "validation=off underfull=pad augment.slope=0.9"));
    assert_int_equal(n_balls, 8);
    for (int i = 0; i < 8; i++)
        assert_string_equal(balls[i], wanted[i]);
    data_check(check_by("set/set.yaml", "validation=off neighbours=knn"));
    assert_int_equal(n_balls, 0);
}

static void a_missing_file_is_reported(void **state)
{
    (void)state;
    data_text("set/set.yaml", "path: scans\ntrain: [train, more/room_9.ply]\ntest: test\n" CLASSES);
    expect("missing", 1, "more/room_9.ply");
}

static void a_file_that_is_not_used_is_reported(void **state)
{
    (void)state;
    data_text("set/scans/train/room_1.blend", "?");
    expect("unused file", 0, "train/room_1.blend");
}

static void put_bytes(const char *name, size_t n, int value)
{
    char path[DATA_PATH], bytes[64];
    memset(bytes, value, sizeof bytes);
    data_check(file_put(data_file(path, name), bytes, n));
}

/* Label files are in use, wherever they are and whoever finds them. */
static void label_files_are_used(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "path: scans\ntrain: 'clouds/*.xyz'\nlabels: ../labels/{name}.txt\n",
        "path: scans\ntrain: '**/*.bin'\n",
    };
    own_folder_remove(data_folder());
    data_text("set/scans/clouds/a.xyz", "0 0 0\n1 0 0\n0 1 0\n");
    data_text("set/scans/labels/a.txt", "0\n1\n1\n");
    for (int i = 0; i < 2; i++) {
        char text[256];
        if (i == 1) { /* SemanticKITTI with 32 bits, and labels of 8 bits beside six floats */
            own_folder_remove(data_folder());
            put_bytes("set/scans/00/velodyne/000000.bin", 64, 1);
            put_bytes("set/scans/00/labels/000000.label", 16, 0);
            put_bytes("set/scans/town/b.bin", 48, 2);
            put_bytes("set/scans/town/b.label", 2, 1);
        }
        snprintf(text, sizeof text, "%snames: [ground, tree]\nmap: {257: tree}\n", sets[i]);
        data_text("set/set.yaml", text);
        check("set/set.yaml");
        for (int k = 0; k < n_complaints; k++)
            if (!strcmp(complaints[k].topic, "unused file") ||
                !strcmp(complaints[k].topic, "unreadable"))
                fail_msg("%s: %s", complaints[k].topic, complaints[k].text);
    }
}

static void an_unreadable_file_is_reported(void **state)
{
    (void)state;
    data_text("set/scans/train/room_2.ply", "ply\nformat ascii 1.0\nelement vertex 9\n");
    expect("unreadable", 1, "train/room_2.ply");
}

/* Also the first, which shows whether there are colours. */
static void an_unreadable_first_file_is_reported(void **state)
{
    (void)state;
    data_text("set/scans/train/room_0.ply", "ply\nformat ascii 1.0\nelement vertex 9\n");
    expect("unreadable", 1, "train/room_0.ply");
}

/* What is hidden, or of a class that is ignored, is in no split for a reason. */
static void what_is_left_out_on_purpose_is_not_reported(void **state)
{
    (void)state;
    char path[DATA_PATH];
    data_check(file_make_folder(data_file(path, "set/scans/.ipynb_checkpoints")));
    data_text("set/scans/train/.ipynb_checkpoints/room_0-checkpoint.ply", "ply");
    data_check(check("set/set.yaml"));
    data_text("set/set.yaml",
              "path: scans\ntask: classify\ntrain: .\nnames: [train]\nignore: test\n");
    check("set/set.yaml");
    for (int i = 0; i < n_complaints; i++)
        assert_string_not_equal(complaints[i].topic, "unused file");
}

static void a_label_out_of_range_is_reported(void **state)
{
    (void)state;
    struct glt_cloud *c;
    data_room(&c, POINTS, 4, 3, 3);
    ((uint8_t *)cloud_attribute(c, "label")->data)[5] = 9;
    ((uint8_t *)cloud_attribute(c, "label")->data)[6] = 12;
    ((uint8_t *)cloud_attribute(c, "label")->data)[8] = 12;
    write_cloud(c, "set/scans/train/room_2.ply");
    expect("labels", 1, "train/room_2.ply");
}

static void a_cloud_without_labels_is_reported(void **state)
{
    (void)state;
    struct glt_cloud *c;
    data_room(&c, POINTS, 4, 3, 3);
    cloud_remove_attribute(c, "label");
    write_cloud(c, "set/scans/train/room_2.ply");
    expect("labels", 1, "train/room_2.ply");
}

static void a_class_without_points_is_reported(void **state)
{
    (void)state;
    data_text("set/set.yaml", "path: scans\ntrain: train\ntest: test\n"
                              "names: [ceiling, floor, wall, box, ghost]\nmap: {7: box}\n");
    expect("labels", 0, "set.yaml");
}

/* A copy is found though its rows are shuffled; one in another split is worse. */
static void a_shuffled_copy_is_reported(void **state)
{
    (void)state;
    for (int leak = 0; leak < 2; leak++) {
        int64_t rows[POINTS];
        struct glt_cloud *c, *shuffled;
        make_good_set(state);
        data_room(&c, POINTS, 4 + 0.3, 3 + 0.2, 2); /* room_1 */
        for (int64_t i = 0; i < POINTS; i++)
            rows[i] = i * 1999 % POINTS;
        data_check(cloud_select(&shuffled, c, rows, POINTS));
        cloud_free(c);
        write_cloud(shuffled, leak ? "set/scans/test/copy.ply" : "set/scans/train/copy.ply");
        expect("duplicates", 1, leak ? "test/copy.ply" : "train/room_1.ply");
    }
}

static void swapped_axes_are_reported(void **state)
{
    (void)state;
    struct glt_cloud *c;
    data_room(&c, POINTS, 4, 8, 3);
    for (int64_t i = 0; i < POINTS; i++) {
        float y = axis(c, "y")[i];
        axis(c, "y")[i] = axis(c, "z")[i];
        axis(c, "z")[i] = y;
    }
    write_cloud(c, "set/scans/train/room_2.ply");
    expect("columns", 1, "train/room_2.ply");
}

static void a_set_with_nothing_to_test_on_is_reported(void **state)
{
    (void)state;
    data_text("set/set.yaml", "path: scans\ntrain: [train, test]\n" CLASSES);
    expect("test", 1, "set.yaml");
}

static void coordinates_that_are_colours_are_reported(void **state)
{
    (void)state;
    static const char *const axes[] = {"x", "y", "z"}, *const colours[] = {"red", "green", "blue"};
    struct glt_cloud *c;
    data_room(&c, POINTS, 4, 3, 3);
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < POINTS; i++)
            axis(c, axes[k])[i] = ((uint8_t *)cloud_attribute(c, colours[k])->data)[i];
    write_cloud(c, "set/scans/train/room_2.ply");
    expect("columns", 1, "train/room_2.ply");
}

static void scale_room(const char *name, uint32_t seed, float factor)
{
    static const char *const axes[] = {"x", "y", "z"};
    struct glt_cloud *c;
    data_room(&c, POINTS, 4, 3, seed);
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < POINTS; i++)
            axis(c, axes[k])[i] *= factor;
    write_cloud(c, name);
}

static void other_units_of_one_file_are_reported(void **state)
{
    (void)state;
    scale_room("set/scans/train/room_2.ply", 3, 1000);
    expect("units", 1, "train/room_2.ply");
    assert_non_null(strstr(complaints[0].text, "millimetres: scale it by 0.001"));
}

static void unusual_units_of_all_files_are_reported(void **state)
{
    (void)state;
    char name[64];
    for (uint32_t i = 0; i < ROOMS; i++) {
        snprintf(name, sizeof name, "set/scans/%s/room_%u.ply", i < 6 ? "train" : "test", i);
        scale_room(name, i + 1, 1000);
    }
    expect("units", 1, "set.yaml");
    assert_non_null(strstr(complaints[0].text, "millimetres: scale it by 0.001"));
}

/* A single point has no width. */
static void the_unit_of_one_point_is_unknown(void **state)
{
    (void)state;
    data_write_room("set/scans/train/room_2.ply", 1, 5, 4, 3);
    check("set/set.yaml");
    for (int i = 0; i < n_complaints; i++)
        if (complaints[i].error || !strcmp(complaints[i].topic, "units"))
            fail_msg("%s: %s", complaints[i].topic, complaints[i].text);
}

static void a_thin_cloud_is_reported(void **state)
{
    (void)state;
    data_write_room("set/scans/train/room_2.ply", 12, 5, 4, 3);
    expect("density", 0, "train/room_2.ply");
}

/* A few points, all but one as far apart as those of the set: the first row does not speak for
 * them. */
static void few_points_are_not_called_thin(void **state)
{
    (void)state;
    enum { N = 10 };
    struct glt_cloud *c;
    data_room(&c, N, 5, 4, 3);
    for (int i = 0; i < N; i++) {
        axis(c, "x")[i] = i ? 4 : 0;
        axis(c, "y")[i] = 0.1f * (float)i;
        axis(c, "z")[i] = 0;
    }
    write_cloud(c, "set/scans/train/room_2.ply");
    data_check(check("set/set.yaml"));
    if (n_complaints)
        fail_msg("%s: %s", complaints[0].topic, complaints[0].text);
}

static void points_that_are_nowhere_are_reported(void **state)
{
    (void)state;
    struct glt_cloud *c;
    data_room(&c, POINTS, 4, 3, 3);
    axis(c, "y")[7] = NAN;
    axis(c, "x")[9] = INFINITY;
    write_cloud(c, "set/scans/train/room_2.ply");
    expect("points", 0, "train/room_2.ply");
}

static void repeated_points_are_reported(void **state)
{
    (void)state;
    static const char *const axes[] = {"x", "y", "z"};
    struct glt_cloud *c;
    data_room(&c, POINTS, 4, 3, 3);
    for (int k = 0; k < 3; k++)
        for (int64_t i = 1; i < 300; i++)
            axis(c, axes[k])[i] = axis(c, axes[k])[0];
    write_cloud(c, "set/scans/train/room_2.ply");
    expect("points", 0, "train/room_2.ply");
}

/* Where the set itself cannot be opened, the error says so. */
static void what_is_no_dataset_is_refused(void **state)
{
    (void)state;
    data_text("set/set.yaml", "path: scans\ntrain: train\n");
    assert_int_equal(check("set/set.yaml"), GLT_EFORMAT);
    assert_error("MISSING names");
    assert_int_equal(n_complaints, 0);
}

static int start(void **state)
{
    (void)state;
    parallel_serial(true);
    return 0;
}

#define PLANTED(test) cmocka_unit_test_setup(test, make_good_set)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLANTED(a_good_set_raises_no_complaint),
        PLANTED(balls_are_those_of_the_clouds),
        PLANTED(a_missing_file_is_reported),
        PLANTED(a_file_that_is_not_used_is_reported),
        PLANTED(label_files_are_used),
        PLANTED(an_unreadable_file_is_reported),
        PLANTED(an_unreadable_first_file_is_reported),
        PLANTED(what_is_left_out_on_purpose_is_not_reported),
        PLANTED(a_label_out_of_range_is_reported),
        PLANTED(a_cloud_without_labels_is_reported),
        PLANTED(a_class_without_points_is_reported),
        PLANTED(a_shuffled_copy_is_reported),
        PLANTED(a_set_with_nothing_to_test_on_is_reported),
        PLANTED(swapped_axes_are_reported),
        PLANTED(coordinates_that_are_colours_are_reported),
        PLANTED(other_units_of_one_file_are_reported),
        PLANTED(unusual_units_of_all_files_are_reported),
        PLANTED(the_unit_of_one_point_is_unknown),
        PLANTED(a_thin_cloud_is_reported),
        PLANTED(few_points_are_not_called_thin),
        PLANTED(points_that_are_nowhere_are_reported),
        PLANTED(repeated_points_are_reported),
        PLANTED(what_is_no_dataset_is_refused),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
