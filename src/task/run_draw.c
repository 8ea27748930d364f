/* curves.svg of a run: loss and score over the steps, as results.csv has them. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/number.h"
#include "task/run.h"
#include "task/svg.h"

#include <math.h>
#include <string.h>

enum { LINE_MOST = 2048, COLUMNS = 4, STEP = 0, LOSS = 2, METRIC = 3 };

struct table {
    double *column[COLUMNS]; /* (room) */
    int n, room;
};

static int add_row(struct table *t, const char *line)
{
    if (t->n == t->room) {
        int room = 2 * t->room + 64;
        for (int k = 0; k < COLUMNS; k++) {
            double *x = memory_resize(t->column[k], (size_t)room, sizeof *x);
            if (!x)
                return GLT_ENOMEM;
            t->column[k] = x;
        }
        t->room = room;
    }
    for (int k = 0; k < COLUMNS; k++) {
        size_t len = strcspn(line, ",");
        double value = NAN;
        number_parse_double(&value, line, line + len);
        t->column[k][t->n] = value;
        line += len + (line[len] == ',');
    }
    t->n += isfinite(t->column[STEP][t->n]) ? 1 : 0; /* not the head */
    return 0;
}

static int read_table(struct table *t, const char *path)
{
    struct file *f;
    char *line;
    size_t len;
    TRY(file_open(&f, path));
    int code;
    while ((code = file_line(f, &line, &len, LINE_MOST)) == 0 && line)
        if ((code = add_row(t, line)) < 0)
            break;
    file_close(f);
    return code;
}

int run_draw(const struct run *r, const char *metric)
{
    char path[RUN_PATH];
    struct table t = {.n = 0};
    TRY(run_path(path, r, "results.csv"));
    int code = read_table(&t, path);
    if (code == 0)
        code = run_path(path, r, "curves.svg");
    if (code == 0) {
        const struct svg_curve curves[] = {{"loss", t.column[LOSS]}, {metric, t.column[METRIC]}};
        code = svg_curves(path, t.column[STEP], t.n, curves, 2);
    }
    for (int k = 0; k < COLUMNS; k++)
        memory_free(t.column[k]);
    return code;
}
