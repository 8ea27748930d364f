/* Viewer pages: clouds side by side in one HTML file (docs/how-to/look-at-and-correct-a-result.md).
 */
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/progress.h"
#include "draw/page.h"
#include "task/report_run.h"
#include "task/run.h"
#include "task/run_cloud.h"
#include "task/run_curves.h"
#include "task/shown.h"
#include "task/view_cloud.h"
#include "task/view_trace.h"

#include <math.h>
#include <stdio.h>

enum { POINTS = 3000000, CLOUDS_MAX = 8, PASSES_MAX = 8, MIDDLE_POINTS = 100000 };

static int write_clouds(struct file *f, struct json *list, const struct glt_cloud *const *clouds,
                        int n, const struct glt_view_options *o)
{
    for (int i = 0; i < n; i++) {
        struct view_cloud v = {.cloud = clouds[i],
                               .number = i,
                               .points = o->points ? o->points : POINTS,
                               .attributes = o->attributes,
                               .classes = o->classes};
        struct json *one;
        TRY(progress_report("view", i, n));
        TRY(view_cloud_write(&one, f, &v));
        TRY(json_append(list, one));
    }
    return progress_report("view", n, n);
}

/* The row nearest to the middle of the finite points. */
static int find_middle(int64_t *row, const struct glt_cloud *c)
{
    struct call call = {0};
    struct shown s;
    struct bounds b;
    double nearest = INFINITY;
    *row = 0;
    int code = cloud_bounds(&b, c);
    if (code == 0)
        code = shown_find(&s, &call, c, MIDDLE_POINTS);
    for (int64_t i = 0; code == 0 && i < s.m; i++) {
        double d2 = 0;
        for (int k = 0; k < 3; k++) {
            double d = (double)s.xyz[3 * (int64_t)s.rows[i] + k] + s.origin[k] -
                       (b.min[k] / 2 + b.max[k] / 2);
            d2 += d * d;
        }
        *row = d2 < nearest ? s.rows[i] : *row;
        nearest = d2 < nearest ? d2 : nearest;
    }
    call_free(&call);
    return code;
}

/* Writes the forward passes after the clouds, as clouds of their own. */
static int write_passes(struct file *f, struct json *list, const struct glt_cloud *c, int first,
                        const struct glt_view_options *o)
{
    int64_t middle = 0;
    int n = o->n_rows ? o->n_rows : 1;
    if (!o->model)
        return 0;
    if (!o->n_rows)
        TRY(find_middle(&middle, c));
    for (int i = 0; i < n; i++) {
        struct json *one;
        TRY(progress_report("explain", i, n));
        TRY(view_trace_write(&one, f, c, o->model, o->n_rows ? o->rows[i] : middle, first + i));
        TRY(json_append(list, one));
    }
    return progress_report("explain", n, n);
}

/* Lists the tiles to look at, in their order. */
static int list_tiles(struct json *page, const struct glt_view_options *o)
{
    if (!o->n_tiles)
        return 0;
    struct json *list = json_array();
    for (int i = 0; i < o->n_tiles; i++) {
        const struct glt_tile *t =
            (const void *)((const char *)o->tiles + (size_t)i * o->tiles->size);
        json_append(list,
                    json_pack("{s:i,s:[f,f,f],s:[f,f,f],s:I,s:f,s:f,s:f,s:f}", "cloud", t->cloud,
                              "low", t->low[0], t->low[1], t->low[2], "high", t->high[0],
                              t->high[1], t->high[2], "points", t->points, "score", t->score,
                              "doubt", t->doubt, "votes", t->votes, "auxiliary", t->auxiliary));
    }
    return json_set(page, "next", list);
}

static int check_tiles(const struct glt_view_options *o, int clouds)
{
    if (o->n_tiles < 0 || (o->n_tiles && !o->tiles))
        return error_topic(error_set(GLT_EARGUMENT, "%d tiles: give 0, or their list", o->n_tiles),
                           GLT_TOPIC_ARGUMENT, "n_tiles");
    if (o->n_tiles)
        TRY(error_size("glt_tile", o->tiles->size, sizeof *o->tiles));
    for (int i = 0; i < o->n_tiles; i++) {
        const struct glt_tile *t =
            (const void *)((const char *)o->tiles + (size_t)i * o->tiles->size);
        bool fine = t->cloud >= 0 && t->cloud < clouds && isfinite(t->score) &&
                    isfinite(t->doubt) && isfinite(t->votes) && isfinite(t->auxiliary);
        for (int k = 0; k < 3; k++)
            fine = fine && isfinite(t->low[k]) && isfinite(t->high[k]);
        if (!fine)
            return error_topic(error_set(GLT_EARGUMENT,
                                         "tile %d: its cloud is none of the %d of the page, or one "
                                         "of its numbers is not finite",
                                         i, clouds),
                               GLT_TOPIC_ARGUMENT, "tiles");
    }
    return 0;
}

/* --- training runs --- */

/* Lists the scores of the epochs that have one. */
static int list_epochs(struct json *page, const char *folder)
{
    const char *metric;
    struct run r = {.lock = NULL};
    struct run_table t = {.n = 0};
    TRY(report_run_metric(&metric, folder));
    snprintf(r.folder, sizeof r.folder, "%s", folder);
    TRY(run_read_epochs(&t, &r));
    struct json *list = json_array();
    for (int i = 0; i < t.n; i++)
        if (isfinite(t.column[RUN_EPOCH][i]) && isfinite(t.column[RUN_LOSS][i]) &&
            isfinite(t.column[RUN_METRIC][i]))
            json_append(list, json_pack("{s:f,s:f,s:f,s:f}", "epoch", t.column[RUN_EPOCH][i],
                                        "step", t.column[RUN_STEP][i], "loss",
                                        t.column[RUN_LOSS][i], "metric", t.column[RUN_METRIC][i]));
    run_table_free(&t);
    return json_set(page, "run", json_pack("{s:s,s:o}", "metric", metric, "epochs", list));
}

/* The validation cloud of a run, with the labels of all epochs as attributes. */
static int open_run(struct glt_cloud **out, struct glt_view_options *o, struct call *call)
{
    struct run r = {.lock = NULL};
    const char *metric;
    char *names = call_string(call, "");
    TRY(report_run_metric(&metric, o->run)); /* checks that it is a run */
    snprintf(r.folder, sizeof r.folder, "%s", o->run);
    TRY(run_cloud_read(out, &r));
    for (int32_t i = 0; i < (*out)->n_columns && names; i++)
        if (run_cloud_epoch(&(*out)->columns[i]) >= 0)
            names = call_print(call, "%s%s%s", names, *names ? "," : "", (*out)->columns[i].name);
    if (names && !*names)
        return error_topic(error_in(GLT_EDATA, cloud_name(*out), "it has no labels of epochs"),
                           GLT_TOPIC_MISSING, "validation.ply");
    o->attributes = names;
    o->title = o->title ? o->title : o->run;
    return names ? 0 : GLT_ENOMEM;
}

static int write_page(struct file *f, const struct glt_cloud *const *clouds, int n,
                      const struct glt_view_options *o)
{
    const char *title = o->title ? o->title : n ? cloud_name(clouds[0]) : "gelatto";
    struct json *page =
        json_pack("{s:i,s:o,s:[]}", "version", 1, "title", view_cloud_text(title), "clouds");
    int code = json_check(page);
    if (code == 0)
        code = list_tiles(page, o);
    if (code == 0 && o->run)
        code = list_epochs(page, o->run);
    if (code == 0)
        code = page_begin(f, title);
    if (code == 0)
        code = write_clouds(f, json_get(page, "clouds"), clouds, n, o);
    if (code == 0)
        code = write_passes(f, json_get(page, "clouds"), clouds[0], n, o);
    if (code == 0)
        code = page_end(f, page);
    json_free(page);
    return code;
}

static int view(const struct glt_cloud *const *clouds, int n, const char *path,
                const struct glt_view_options *o)
{
    struct file *f;
    if (o->n_rows < 0 || o->n_rows > PASSES_MAX || (o->n_rows && !o->rows))
        return error_topic(error_set(GLT_EARGUMENT, "passes over %d samples; expected up to %d",
                                     o->n_rows, PASSES_MAX),
                           GLT_TOPIC_ARGUMENT, "n_rows");
    if (n < 1 || n > CLOUDS_MAX || o->points < 0 || o->points > INT32_MAX)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "a page of %d clouds with %lld points each; expected 1 to %d "
                                     "clouds and up to %d points",
                                     n, (long long)o->points, CLOUDS_MAX, INT32_MAX),
                           GLT_TOPIC_ARGUMENT, "n");
    for (int i = 0; i < n; i++)
        REQUIRE(clouds[i]);
    TRY(check_tiles(o, n));
    TRY(file_create(&f, path));
    return file_finish(f, write_page(f, clouds, n, o));
}

static int view_run(const char *path, struct glt_view_options *o)
{
    struct call call = {0};
    struct glt_cloud *own = NULL;
    int code = report_run_place(o->run, path);
    if (code == 0)
        code = open_run(&own, o, &call);
    if (code == 0)
        code = view(&(const struct glt_cloud *){own}, 1, path, o);
    cloud_free(own);
    call_free(&call);
    return code;
}

int glt_view(const struct glt_cloud *const *clouds, int n, const char *path,
             const struct glt_view_options *given)
{
    REQUIRE(path);
    struct glt_view_options o = {.size = sizeof o};
    if (given) {
        TRY(error_size("glt_view_options", given->size, sizeof o));
        o = *given;
    }
    if (o.run && (n || o.model || o.n_tiles || o.attributes || o.classes))
        return error_topic(error_set(GLT_EARGUMENT,
                                     "the page of a run shows the run alone: give no "
                                     "clouds, model, tiles, attributes or classes"),
                           GLT_TOPIC_ARGUMENT, "run");
    if (o.run)
        return view_run(path, &o);
    REQUIRE(clouds);
    return view(clouds, n, path, &o);
}
