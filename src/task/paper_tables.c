/* The paper's results beside ours: see paper_tables.h. Numbers are the paper's, in per cent; NAN
 * for a dash. */
#include "task/paper_tables.h"

#include "cloud/classes.h"
#include "datasets/rooms.h"
#include "task/score.h"

#include <math.h>
#include <string.h>

enum { ROOMS_OF_AREA_5 = 68, ROOMS = 272, MODELNET_TESTS = 2468, SHAPENET_TESTS = 2874 };

struct scene_row {
    const char *method;
    double oa, miou, macc, iou[ROOMS_CLASSES];
};

/* Table 1, L237 to L245 */
static const struct scene_row area5[] = {
    {"PointNet",
     NAN,
     41.1,
     49.0,
     {88.8, 97.3, 69.8, 0.1, 3.9, 46.3, 10.8, 59.0, 52.6, 5.9, 40.3, 26.4, 33.2}},
    {"SegCloud",
     NAN,
     48.9,
     57.4,
     {90.1, 96.1, 69.9, 0.0, 18.4, 38.4, 23.1, 70.4, 75.9, 40.9, 58.4, 13.0, 41.6}},
    {"FPConv",
     NAN,
     62.7,
     68.9,
     {94.6, 98.5, 80.9, 0.0, 19.1, 60.1, 48.9, 80.6, 88.0, 53.2, 68.4, 68.2, 54.9}},
    {"MinkowskiNet",
     NAN,
     65.3,
     71.7,
     {91.8, 98.7, 86.2, 0.0, 34.1, 48.9, 62.4, 81.6, 89.8, 47.2, 74.9, 74.4, 58.6}},
    {"KPConv",
     NAN,
     67.1,
     72.8,
     {92.8, 97.3, 82.4, 0.0, 23.9, 58.0, 69.0, 81.5, 91.0, 75.4, 75.3, 66.7, 58.9}},
    {"PCT",
     NAN,
     61.3,
     67.6,
     {92.5, 98.4, 80.6, 0.0, 19.4, 61.6, 48.0, 76.6, 85.2, 46.2, 67.7, 67.9, 52.3}},
    {"Bilateral",
     NAN,
     65.4,
     73.1,
     {92.9, 97.9, 82.3, 0.0, 23.1, 65.5, 64.9, 78.5, 87.5, 61.4, 70.7, 68.7, 57.2}},
    {"Ge-Latto",
     NAN,
     69.2,
     75.9,
     {94.5, 99.2, 84.0, 0.0, 24.5, 56.3, 68.9, 84.2, 92.4, 82.8, 70.9, 76.9, 64.6}},
};

/* Table 2, L260 to L267 */
static const struct scene_row folds[] = {
    {"PointNet",
     78.5,
     47.6,
     66.2,
     {88.0, 88.7, 69.3, 42.4, 23.1, 47.5, 51.6, 54.1, 42.0, 9.6, 38.2, 29.4, 35.2}},
    {"PointCNN",
     88.1,
     65.4,
     88.1,
     {94.8, 97.3, 75.8, 63.3, 51.7, 58.4, 57.2, 71.6, 69.1, 39.1, 61.2, 52.2, 58.6}},
    {"SPGraph",
     NAN,
     62.1,
     73.0,
     {89.9, 95.1, 76.4, 62.8, 47.1, 55.3, 68.4, 73.5, 69.2, 63.2, 45.9, 8.7, 52.9}},
    {"RandLA-Net",
     88.0,
     70.0,
     82.0,
     {93.1, 96.1, 80.6, 62.4, 48.0, 64.4, 69.4, 69.4, 76.4, 60.0, 64.2, 65.9, 60.1}},
    {"KPConv",
     NAN,
     70.6,
     79.1,
     {93.6, 92.4, 83.1, 63.9, 54.3, 66.1, 76.6, 64.0, 57.8, 74.9, 69.3, 61.3, 60.3}},
    {"Bilateral",
     88.9,
     72.2,
     83.1,
     {93.3, 96.8, 81.6, 61.9, 49.5, 65.4, 73.3, 72.0, 83.7, 67.5, 64.3, 67.0, 62.4}},
    {"Ge-Latto",
     89.7,
     71.4,
     81.3,
     {95.3, 95.1, 82.3, 69.2, 51.9, 64.8, 73.3, 77.3, 59.6, 71.1, 63.0, 67.4, 57.9}},
};

/* Table 3, L296 to L303 */
static const struct {
    const char *method;
    double oa, category, instance;
} shapes[] = {
    {"PointNet", 89.2, 80.4, 83.7},
    {"PointNet++", 91.9, 81.9, 85.1},
    {"SO-Net", 90.9, 81.0, 84.9},
    {"KPConv", 92.7, 85.1, 86.4},
    {"PCT", 93.2, NAN, 86.4},
    {"Ge-Latto", 91.1, 84.2, 84.5},
    {"Ge-Latto, tuned", 93.2, NAN, NAN},
};
enum { SHAPE_ROWS = sizeof shapes / sizeof *shapes };

static void add_cell(struct string *t, double x)
{
    if (isnan(x))
        string_add(t, " %8s", "-");
    else
        string_add(t, " %8.1f", x);
}

static void add_scenes(struct string *t, const char *title, const struct scene_row *rows, int n,
                       const struct scores *s)
{
    string_add(t, "\n%s\n%-16s %8s %8s %8s", title, "method", "OA", "mIoU", "mAcc");
    for (int i = 0; i < ROOMS_CLASSES; i++)
        string_add(t, " %8s", rooms_classes[i]);
    string_add(t, "\n");
    for (int r = 0; r < n; r++) {
        string_add(t, "%-16s", rows[r].method);
        add_cell(t, rows[r].oa);
        add_cell(t, rows[r].miou);
        add_cell(t, rows[r].macc);
        for (int i = 0; i < ROOMS_CLASSES; i++)
            add_cell(t, rows[r].iou[i]);
        string_add(t, "\n");
    }
    string_add(t, "%-16s", "this model");
    add_cell(t, 100 * s->oa);
    add_cell(t, 100 * s->miou);
    add_cell(t, 100 * s->macc);
    for (int i = 0; i < ROOMS_CLASSES; i++)
        add_cell(t, 100 * s->iou[i]);
    string_add(t, "\n");
}

static void add_count(struct string *t, int32_t count, int32_t official)
{
    if (count != official)
        string_add(t, "the paper's test split has %d shapes, this one %d\n", official, count);
}

static void add_classes(struct string *t, const struct scores *s, int32_t count)
{
    string_add(t, "\nTable 3 of the paper, ModelNet40\n%-16s %8s\n", "method", "OA");
    for (int r = 0; r < SHAPE_ROWS; r++) {
        string_add(t, "%-16s", shapes[r].method);
        add_cell(t, shapes[r].oa);
        string_add(t, "\n");
    }
    string_add(t, "%-16s", "this model");
    add_cell(t, 100 * s->oa);
    string_add(t, "\n");
    add_count(t, count, MODELNET_TESTS);
}

static void add_parts(struct string *t, const struct part_scores *p, int32_t count)
{
    string_add(t, "\nTable 3 of the paper, ShapeNetPart\n%-16s %8s %8s\n", "method", "category",
               "instance");
    for (int r = 0; r < SHAPE_ROWS; r++) {
        if (isnan(shapes[r].instance))
            continue;
        string_add(t, "%-16s", shapes[r].method);
        add_cell(t, shapes[r].category);
        add_cell(t, shapes[r].instance);
        string_add(t, "\n");
    }
    string_add(t, "%-16s", "this model");
    add_cell(t, 100 * part_scores_category(p));
    add_cell(t, 100 * part_scores_instance(p));
    string_add(t, "\n");
    add_count(t, count, SHAPENET_TESTS);
}

static bool is_type(const struct dataset *d, const char *name)
{
    return !strncmp(d->type->name, name, strlen(name));
}

static bool has_room_classes(const struct dataset *d)
{
    bool same = d->classes.n == ROOMS_CLASSES;
    for (int32_t i = 0; same && i < ROOMS_CLASSES; i++)
        same = !strcmp(d->classes.names[i], rooms_classes[i]);
    return same;
}

void paper_tables_add(struct string *t, const struct dataset *d, int32_t area,
                      const struct scores *s, const struct part_scores *parts)
{
    int32_t count = dataset_count(d, SPLIT_TEST);
    if (is_type(d, "rooms") && area == 5 && count == ROOMS_OF_AREA_5 && has_room_classes(d))
        add_scenes(t, "Table 1 of the paper, S3DIS Area 5", area5, sizeof area5 / sizeof *area5, s);
    else if (is_type(d, "modelnet") && d->classes.n == 40)
        add_classes(t, s, count);
    else if (is_type(d, "shapenetpart") && d->classes.n == 50 && parts)
        add_parts(t, parts, count);
}

void paper_tables_add_folds(struct string *t, int areas, int64_t rooms, const struct scores *s)
{
    if (areas == 6 && (rooms == ROOMS || rooms == ROOMS - 1) && s->classes == ROOMS_CLASSES)
        add_scenes(t, "Table 2 of the paper, S3DIS, 6 folds (ours pooled)", folds,
                   sizeof folds / sizeof *folds, s);
}
