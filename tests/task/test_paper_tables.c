/* The paper's tables beside ours: only on its datasets, and copied without slips.
 * labels: quick */
#include "core/memory.h"
#include "datasets/rooms.h"
#include "task/paper_tables.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CLASSES_MAX = 50 };
static double numbers[CLASSES_MAX];

/* A dataset of this many test clouds, with the classes of S3DIS. */
static char *table_of(const char *type, int32_t classes, int32_t count, int32_t area)
{
    struct dataset_type kind = {.name = type};
    struct dataset d = {.type = &kind};
    struct scores s = {.classes = classes, .iou = numbers, .miou = 0.5, .macc = 0.25, .oa = 0.75};
    struct part_scores parts;
    struct string t = {0};
    char *text;
    assert_int_equal(part_scores_create(&parts, 1), 0);
    d.classes.n = classes;
    d.classes.names = (char **)(uintptr_t)rooms_classes;
    d.split[SPLIT_TEST].n = count;
    paper_tables_add(&t, &d, area, &s, classes == 50 ? &parts : NULL);
    assert_int_equal(string_take(&text, &t), 0);
    part_scores_free(&parts);
    return text;
}

static void expect(const char *type, int32_t classes, int32_t count, int32_t area,
                   const char *title, const char *line)
{
    char *text = table_of(type, classes, count, area);
    if (!title)
        assert_string_equal(text, "");
    else if (!strstr(text, title) || !strstr(text, line))
        fail_msg("no '%s' and '%s' in:\n%s", title, line, text);
    memory_free(text);
}

static void tables_appear_only_on_the_papers_datasets(void **state)
{
    (void)state;
    expect("rooms", 13, 68, 5, "Table 1", "this model           75.0     50.0     25.0");
    expect("rooms", 13, 68, 4, NULL, NULL);
    expect("rooms", 13, 6, 5, NULL, NULL);
    expect("rooms", 12, 68, 5, NULL, NULL);
    expect("synth", 13, 68, 5, NULL, NULL);
    expect("modelnet", 40, 2468, 5, "Table 3", "this model           75.0\n");
    expect("modelnet-npz", 40, 1234, 5, "Table 3",
           "the paper's test split has 2468 shapes, this one 1234");
    expect("modelnet", 10, 908, 5, NULL, NULL);
    expect("shapenetpart-npz", 50, 426, 5, "Table 3", "Ge-Latto             84.2     84.5");
    expect("folder", 50, 426, 5, NULL, NULL);
}

/* mIoU is the mean of the classes, in every row that was copied: columns 3 (OA, mIoU, mAcc) and
 * 13. The paper's own rows are off by up to 0.15. */
static void check_means(char *text, int wanted)
{
    int rows = 0;
    char *rest, *line = strtok_r(text, "\n", &rest);
    for (; line; line = strtok_r(NULL, "\n", &rest)) {
        double sum = 0, miou = 0, value;
        int column = 0;
        char *cells, *cell = strtok_r(line, " ", &cells);
        if (!cell || strstr("Table method this", cell))
            continue;
        for (cell = strtok_r(NULL, " ", &cells); cell; cell = strtok_r(NULL, " ", &cells)) {
            value = strcmp(cell, "-") ? strtod(cell, NULL) : 0;
            miou = column == 1 ? value : miou;
            sum += column >= 3 ? value : 0;
            column++;
        }
        assert_int_equal(column, 3 + ROOMS_CLASSES);
        if (fabs(sum / ROOMS_CLASSES - miou) > 0.15)
            fail_msg("%s: the mean is %.2f, not %.1f", line, sum / ROOMS_CLASSES, miou);
        rows++;
    }
    assert_int_equal(rows, wanted);
}

static void rows_are_copied_without_slips(void **state)
{
    (void)state;
    struct scores s = {.classes = ROOMS_CLASSES, .iou = numbers};
    struct string t = {0};
    char *text = table_of("rooms", 13, 68, 5);
    check_means(text, 8);
    memory_free(text);
    paper_tables_add_folds(&t, 5, 272, &s);
    paper_tables_add_folds(&t, 6, 12, &s);
    paper_tables_add_folds(&t, 6, 270, &s); /* as many synthetic rooms are made */
    assert_int_equal(t.len, 0);
    paper_tables_add_folds(&t, 6, 272, &s);
    assert_int_equal(string_take(&text, &t), 0);
    assert_non_null(strstr(text, "Ge-Latto             89.7     71.4     81.3     95.3"));
    check_means(text, 7);
    memory_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_appear_only_on_the_papers_datasets),
        cmocka_unit_test(rows_are_copied_without_slips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
