/* Curves of an ablation: see ablate_draw.h. */
#include "task/ablate_draw.h"

#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "draw/svg.h"

/* Adds b to a, epoch by epoch, as far as both go. */
static void add_table(struct run_table *a, const struct run_table *b)
{
    a->n = a->n < b->n ? a->n : b->n;
    for (int k = 0; k < RUN_COLUMNS; k++)
        for (int i = 0; i < a->n; i++)
            a->column[k][i] += b->column[k][i];
}

static int mean_of_runs(struct run_table *mean, const struct ablate_row *row)
{
    for (int s = 0; s < row->n; s++) {
        struct run_table one = {.n = 0};
        TRY(run_read_epochs(s == 0 ? mean : &one, &row->runs[s]));
        if (s > 0)
            add_table(mean, &one);
        run_table_free(&one);
    }
    for (int k = 0; k < RUN_COLUMNS; k++)
        for (int i = 0; i < mean->n; i++)
            mean->column[k][i] /= k == RUN_SECONDS ? 60.0 * row->n : row->n;
    return 0;
}

static int print_curves(struct file *f, const char *metric, const struct ablate_row *rows,
                        const struct run_table *means, int n)
{
    struct svg_chart charts[] = {{.title = metric, .over = "epoch"},
                                 {.title = metric, .over = "minutes"}};
    for (int i = 0; i < n; i++) {
        double *const *x = means[i].column;
        if (means[i].n == 0)
            continue;
        charts[0].curves[charts[0].count++] =
            (struct svg_curve){rows[i].name, x[RUN_EPOCH], x[RUN_METRIC], means[i].n};
        charts[1].curves[charts[1].count++] =
            (struct svg_curve){rows[i].name, x[RUN_SECONDS], x[RUN_METRIC], means[i].n};
    }
    return svg_charts(f, charts, 2);
}

static int draw(const char *path, const char *metric, const struct ablate_row *rows,
                struct run_table *means, int n)
{
    struct file *f;
    for (int i = 0; i < n; i++)
        TRY(mean_of_runs(&means[i], &rows[i]));
    TRY(file_create(&f, path));
    int code = print_curves(f, metric, rows, means, n);
    if (code == 0)
        code = file_commit(f);
    if (code < 0)
        file_close(f);
    return code;
}

int ablate_draw(const char *path, const char *metric, const struct ablate_row *rows, int n)
{
    struct run_table means[SVG_CURVES] = {{.n = 0}};
    n = n < SVG_CURVES ? n : SVG_CURVES; /* more could not be told apart */
    int code = draw(path, metric, rows, means, n);
    for (int i = 0; i < n; i++)
        run_table_free(&means[i]);
    return code;
}
