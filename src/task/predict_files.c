/* Labelling many files, alone or as one of several processes: see glt_predict_files. Files are
 * independent: each is read, labelled and written on its own, with the edges of its neighbours if
 * there is a halo, and then recorded in the ledger. */
#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/call.h"
#include "core/context.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/json_parse.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/number_print.h"
#include "core/parallel.h"
#include "model/model.h"
#include "task/halo.h"
#include "task/ledger.h"
#include "task/predict.h"
#include "task/shard.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct job {
    struct call call;
    struct model *model;
    const char *const *inputs, *const *outputs; /* (n) */
    int32_t n;
    const struct glt_files_options *options;
    const char *words; /* options of the prediction */
    struct inputs channels;
    bool classify;

    struct ledger ledger;        /* its folder is NULL without a ledger */
    struct ledger_file *files;   /* (n) with a ledger */
    struct ledger_print *prints; /* (n) of inputs; bytes < 0: not computed yet */
    int32_t *owner;              /* (n) the shard of each; NULL: a single shard */
    int32_t mine, done;          /* files of this shard, and finished ones */
    struct halo_reach reach;
    struct halo_files around; /* with a halo */
    struct context reading;   /* files that do not fit into memory are refused by their headers */

    glt_labelled_fn *fn;
    void *user;
    int32_t classes;
    int64_t *counts;      /* (classes + 1) */
    float *probabilities; /* (classes) */
    int failed;           /* code of the first file that failed, */
    struct error error;   /* and its error */
};

/* The file in work. */
struct task {
    struct call call;
    int32_t i;
    int32_t *near, n_near; /* numbers of its neighbours */
    struct json *sources;  /* with a ledger */
    struct glt_labelled result;
};

/* --- boxes that had to be measured --- */

static bool box_path(char path[PATH_MAX], const struct job *j, int32_t i)
{
    char name[PATH_MAX];
    return snprintf(name, sizeof name, "%s.json", j->files[i].output) < PATH_MAX &&
           ledger_path(path, &j->ledger, "/boxes/", name) == 0;
}

/* Anything but a box of exactly this file counts as missing. */
static int find_box(double box[4], void *user, int32_t i)
{
    const struct job *j = user;
    char path[PATH_MAX];
    struct json *x = NULL;
    int64_t bytes, modified;
    if (!j->ledger.folder || !box_path(path, j, i) || !file_exists(path) ||
        file_stamp(&bytes, &modified, j->inputs[i]) < 0 ||
        json_parse_file(&x, path, JSON_OBJECT) < 0)
        return 0;
    const struct json *list = json_get(x, "box");
    bool found = json_integer_value(json_get(x, "bytes")) == bytes &&
                 json_integer_value(json_get(x, "modified")) == modified && json_size(list) == 4;
    for (size_t k = 0; k < 4 && found; k++)
        box[k] = json_number_value(json_at(list, k));
    json_free(x);
    return found && box[0] <= box[2] && box[1] <= box[3];
}

/* A failure only means that the next run must read the file again. */
static void keep_box(void *user, int32_t i, const double *box)
{
    const struct job *j = user;
    char path[PATH_MAX], text[256], corner[4][NUMBER_PRINT_MAX];
    int64_t bytes, modified;
    if (!j->ledger.folder || !box_path(path, j, i) ||
        file_stamp(&bytes, &modified, j->inputs[i]) < 0)
        return;
    for (int k = 0; k < 4; k++)
        number_print_double(corner[k], box[k]);
    int len = snprintf(text, sizeof text,
                       "{\"bytes\":%" PRId64 ",\"modified\":%" PRId64 ",\"box\":[%s,%s,%s,%s]}\n",
                       bytes, modified, corner[0], corner[1], corner[2], corner[3]);
    ledger_put(path, text, (size_t)len);
}

/* --- before the first file --- */

static int check_options(const struct glt_files_options *o, int32_t n)
{
    TRY(error_size("glt_files_options", o->size, sizeof *o));
    if (o->shards < 0 || o->shards > SHARD_MAX || o->shard < (o->shards > 0) ||
        o->shard > o->shards)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "shard %d of %d: give 1 to the number of shards, which is at "
                                     "most %d",
                                     o->shard, o->shards, SHARD_MAX),
                           GLT_TOPIC_ARGUMENT, "shard");
    if (o->skip_finished && !o->folder)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "finished files are known by the records in a folder: name "
                                     "that of the outputs"),
                           GLT_TOPIC_ARGUMENT, "folder");
    if (n < 0)
        return error_topic(error_set(GLT_EARGUMENT, "%d files", n), GLT_TOPIC_ARGUMENT, "n");
    return 0;
}

/* The path of an output under the folder. */
static int under_folder(const char **under, const char *output, const char *folder)
{
    size_t len = strlen(folder);
    while (len > 1 && folder[len - 1] == '/')
        len--;
    if (strncmp(output, folder, len) || output[len] != '/' || !output[len + 1])
        return error_topic(
            error_in(GLT_EARGUMENT, output, "the output is not in the folder %s", folder),
            GLT_TOPIC_ARGUMENT, "outputs");
    *under = output + len + 1 + strspn(output + len + 1, "/");
    return 0;
}

static int model_digest(const char **out, struct job *j)
{
    char hex[DIGEST_SIZE];
    void *bytes = NULL;
    size_t len = 0;
    struct digest *x;
    *out = j->model->digest;
    if (**out)
        return 0;
    TRY(glt_model_save_buffer(&bytes, &len, (const struct glt_model *)j->model, NULL));
    int code = digest_begin(&x);
    if (code == 0) {
        digest_add(x, bytes, len);
        digest_end(hex, x);
        *out = call_string(&j->call, hex);
        code = *out ? 0 : GLT_ENOMEM;
    }
    memory_free(bytes);
    return code;
}

static int list_files(struct job *j)
{
    j->files = call_alloc(&j->call, (size_t)j->n, sizeof *j->files);
    j->prints = call_alloc(&j->call, (size_t)j->n, sizeof *j->prints);
    if (!j->files || !j->prints)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < j->n; i++) {
        int64_t modified;
        struct ledger_file *f = &j->files[i];
        *f = (struct ledger_file){.input = j->inputs[i], .output = j->outputs[i]};
        j->prints[i].bytes = -1;
        if (file_stamp(&f->bytes, &modified, f->input) < 0)
            f->bytes = 0; /* missing: reading it will fail */
        if (j->options->folder)
            TRY(under_folder(&f->output, f->output, j->options->folder));
    }
    return 0;
}

static int open_ledger(struct job *j)
{
    const struct glt_files_options *o = j->options;
    const char *read = o->read ? o->read : "";
    if (!o->folder)
        return 0;
    j->ledger = (struct ledger){.folder = o->folder, .version = glt_version()};
    j->ledger.options = call_print(&j->call, "%s%s%s", read, *read ? " " : "", j->words);
    if (!j->ledger.options)
        return GLT_ENOMEM;
    TRY(model_digest(&j->ledger.model, j));
    TRY(ledger_write_plan(&j->ledger, j->files, j->n));
    return ledger_sweep(&j->ledger, j->files, j->n);
}

/* Chooses the files of this shard. */
static int deal_files(struct job *j)
{
    j->mine = j->n;
    if (j->options->shards == 0)
        return 0;
    struct shard_file *list = call_alloc(&j->call, (size_t)j->n, sizeof *list);
    j->owner = call_alloc(&j->call, (size_t)j->n, sizeof *j->owner);
    if (!list || !j->owner)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < j->n; i++)
        list[i] = (struct shard_file){j->files[i].output, j->files[i].bytes};
    TRY(shard_files(j->owner, list, j->n, j->options->shards));
    j->mine = 0;
    for (int32_t i = 0; i < j->n; i++)
        j->mine += j->owner[i] == j->options->shard - 1;
    return 0;
}

static int find_around(struct job *j)
{
    struct context *context;
    if (j->reach.halo == 0)
        return 0;
    j->around = (struct halo_files){.paths = j->inputs,
                                    .n = j->n,
                                    .reading = j->options->read,
                                    .find_box = find_box,
                                    .keep_box = keep_box,
                                    .user = j};
    context = context_enter(&j->reading);
    int code = halo_find_boxes(&j->around, &j->call);
    context_enter(context);
    return code;
}

/* With digests or halos, files are read twice, so they must not be pipes. */
static int check_inputs(const struct job *j)
{
    for (int32_t i = 0; i < j->n && (j->options->folder || j->reach.halo > 0); i++)
        if (!strcmp(j->inputs[i], "-") ||
            (file_exists(j->inputs[i]) && !file_is_regular(j->inputs[i])))
            return error_topic(error_in(GLT_EARGUMENT, j->inputs[i],
                                        "records and halos need files that can be read twice"),
                               GLT_TOPIC_ARGUMENT, "inputs");
    return 0;
}

static int open_job(struct job *j)
{
    const struct glt_files_options *o = j->options;
    const char *given = o->predict ? o->predict : "";
    j->classify = j->model->config.task == TASK_CLASSIFY;
    j->classes = j->model->classes.n + 2; /* and vegetation by height */
    j->words = o->max_memory > 0 ? call_print(&j->call, "%s%smax_memory=%" PRId64, given,
                                              *given ? " " : "", o->max_memory)
                                 : given;
    j->counts = call_alloc(&j->call, (size_t)j->classes + 1, sizeof *j->counts);
    j->probabilities = call_alloc(&j->call, (size_t)j->classes, sizeof *j->probabilities);
    if (!j->words || !j->counts || !j->probabilities)
        return GLT_ENOMEM;
    TRY(inputs_parse(&j->channels, j->model->config.data.inputs));
    TRY(predict_reach(&j->reach, j->model, j->words));
    TRY(check_inputs(j));
    TRY(list_files(j));
    TRY(open_ledger(j));
    TRY(deal_files(j));
    return find_around(j);
}

/* --- records --- */

static int find_print(const struct ledger_print **out, struct job *j, int32_t i)
{
    if (j->prints[i].bytes < 0) {
        struct ledger_print x;
        TRY(ledger_print(&x, j->inputs[i]));
        j->prints[i] = x;
    }
    *out = &j->prints[i];
    return 0;
}

/* Digests are taken before the files are read: a file that changes meanwhile is labelled again. */
static int find_sources(struct task *t, struct job *j)
{
    const struct ledger_print *own, *other;
    struct ledger_print *list = call_alloc(&t->call, (size_t)t->n_near, sizeof *list);
    if (!list)
        return GLT_ENOMEM;
    TRY(find_print(&own, j, t->i));
    for (int32_t k = 0; k < t->n_near; k++) {
        TRY(find_print(&other, j, t->near[k]));
        list[k] = *other;
    }
    t->sources = ledger_sources(&j->ledger, own, list, t->n_near);
    return t->sources ? json_check(t->sources) : GLT_ENOMEM;
}

static struct json *make_summary(const struct job *j, const struct task *t,
                                 const struct glt_cloud *c)
{
    const struct glt_prediction *p = &t->result.prediction;
    struct json *labels = json_object();
    for (int32_t i = 0; i < t->result.classes; i++)
        json_set(labels, classes_name(&c->classes, i), json_integer(j->counts[i]));
    return json_pack("{s:I, s:I, s:f, s:i, s:i, s:o, s:I}", "points", p->points, "samples",
                     p->samples, "seconds", p->seconds, "threads", parallel_threads(), "label",
                     p->label, "labels", labels, "unlabelled", j->counts[t->result.classes]);
}

/* Reports the summary of a record like that of a file labelled now. */
static void take_summary(struct job *j, struct task *t, const struct json *record)
{
    const struct json *s = json_get(record, "summary"), *labels = json_get(s, "labels");
    struct glt_prediction *p = &t->result.prediction;
    p->points = json_integer_value(json_get(s, "points"));
    p->samples = json_integer_value(json_get(s, "samples"));
    p->seconds = json_number_value(json_get(s, "seconds"));
    p->label = (int)json_integer_value(json_get(s, "label"));
    t->result.classes = (int)json_size(labels);
    for (int32_t i = 0; i < t->result.classes; i++)
        j->counts[i] = json_integer_value(json_at(labels, (size_t)i));
    j->counts[t->result.classes] = json_integer_value(json_get(s, "unlabelled"));
    t->result.finished = 1;
}

static int find_finished(struct job *j, struct task *t)
{
    struct json *record = NULL;
    bool whole = false;
    const char *output = j->files[t->i].output;
    TRY(ledger_read(&record, &j->ledger, output));
    int code = 0;
    if (record && json_equal(json_get(record, "sources"), t->sources) &&
        json_size(json_get(json_get(record, "summary"), "labels")) <= (size_t)j->classes)
        code = ledger_check_output(&whole, &j->ledger, output, record);
    if (code == 0 && whole)
        take_summary(j, t, record);
    json_free(record);
    return code;
}

/* --- one file --- */

static int read_cloud(struct glt_cloud **out, struct job *j, int32_t i)
{
    struct context *context = context_enter(&j->reading);
    int code = glt_cloud_read(out, j->inputs[i], j->options->read);
    context_enter(context);
    return code;
}

static int read_halo(struct halo *out, const struct glt_cloud *c, struct job *j,
                     const struct task *t)
{
    struct context *context = context_enter(&j->reading);
    int code = halo_read(out, c, &j->around, t->i, t->near, t->n_near, &j->reach, &j->channels);
    context_enter(context);
    return code;
}

/* Counts the points of each class; the cloud has the names. */
static int count_labels(struct job *j, struct task *t, const struct glt_cloud *c)
{
    enum { BLOCK = 1024 };
    int32_t labels[BLOCK], n = 0;
    const struct column *x;
    TRY(cloud_single(&x, c, "label"));
    while (n < j->classes && classes_name(&c->classes, n))
        n++;
    memset(j->counts, 0, (size_t)(n + 1) * sizeof *j->counts);
    for (int64_t begin = 0; begin < c->n; begin += BLOCK) {
        int64_t count = c->n - begin < BLOCK ? c->n - begin : BLOCK;
        column_convert(labels, GLT_I32, 0, x, begin, count);
        for (int64_t i = 0; i < count; i++)
            j->counts[labels[i] >= 0 && labels[i] < n ? labels[i] : n]++;
    }
    t->result.classes = n;
    return 0;
}

static int predict_with_halo(struct glt_cloud *c, struct job *j, const struct task *t,
                             const struct predict_call *x)
{
    struct halo halo;
    if (t->n_near == 0 || c->n == 0)
        return predict_cloud(c, NULL, x);
    TRY(predict_check_inputs(c, j->model));
    TRY(read_halo(&halo, c, j, t));
    int code = predict_cloud(c, &halo, x);
    halo_free(&halo);
    return code;
}

static int make_folder_of(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    return file_make_folder(folder);
}

static int store(struct job *j, struct task *t, const struct glt_cloud *c)
{
    const char *output = j->outputs[t->i];
    TRY(count_labels(j, t, c));
    TRY(make_folder_of(output));
    TRY(glt_cloud_write(c, output, NULL));
    if (!j->ledger.folder)
        return 0;
    struct json *sources = t->sources;
    t->sources = NULL;
    return ledger_write(&j->ledger, j->files[t->i].output, sources, make_summary(j, t, c));
}

static int take_provenance(struct task *t, const struct glt_cloud *c)
{
    char *text;
    TRY(glt_cloud_provenance(&text, c));
    t->result.provenance = call_string(&t->call, text);
    glt_free(text);
    return t->result.provenance ? 0 : GLT_ENOMEM;
}

static int label(struct job *j, struct task *t)
{
    struct glt_cloud *c = NULL;
    struct predict_call x = {.model = j->model,
                             .options = j->words,
                             .out = &t->result.prediction,
                             .probabilities = j->probabilities,
                             .one_of_many = j->n > 1};
    TRY(read_cloud(&c, j, t->i));
    int code = predict_with_halo(c, j, t, &x);
    t->result.classes = j->model->classes.n;
    if (code == 0 && !j->classify)
        code = store(j, t, c);
    if (code == 0)
        code = take_provenance(t, c);
    cloud_free(c);
    return code;
}

static int run_file(struct job *j, struct task *t)
{
    if (j->reach.halo > 0)
        TRY(halo_neighbours(&t->near, &t->n_near, &t->call, &j->around, t->i, &j->reach));
    if (j->ledger.folder)
        TRY(find_sources(t, j));
    if (j->options->skip_finished)
        TRY(find_finished(j, t));
    return t->result.finished ? 0 : label(j, t);
}

/* Ends a file, successful or not; negative: no more files. */
static int report_file(struct job *j, struct task *t, int code)
{
    struct glt_labelled *x = &t->result;
    x->code = code;
    x->number = ++j->done;
    x->total = j->mine;
    x->input = j->inputs[t->i];
    x->output = j->classify ? "" : j->outputs[t->i];
    x->provenance = x->provenance ? x->provenance : "";
    x->counts = j->classify ? NULL : j->counts;
    x->probabilities = j->classify ? j->probabilities : NULL;
    if (code < 0 && j->failed == 0) {
        j->failed = code;
        error_save(&j->error);
    }
    int stop = j->fn ? j->fn(j->user, x) : 0;
    return stop < 0 ? stop : code == GLT_EINTERRUPTED ? code : 0;
}

static int run_files(struct job *j)
{
    int code = 0;
    for (int32_t i = 0; i < j->n && code == 0; i++) {
        if (j->owner && j->owner[i] != j->options->shard - 1)
            continue;
        struct task t = {.i = i, .result.prediction = {.size = sizeof t.result.prediction}};
        code = context_cancelled() ? error_set(GLT_EINTERRUPTED, "stopped") : run_file(j, &t);
        code = report_file(j, &t, code);
        json_free(t.sources);
        call_free(&t.call);
    }
    if (j->ledger.folder && code == 0)
        code = ledger_sweep(&j->ledger, j->files, j->n);
    return code < 0 || j->failed == 0 ? code : error_restore(&j->error);
}

int glt_predict_files(const struct glt_model *m, const char *const *inputs,
                      const char *const *outputs, int n, const struct glt_files_options *o,
                      glt_labelled_fn *fn, void *user)
{
    REQUIRE(m, inputs, outputs, o);
    TRY(check_options(o, n));
    struct job j = {.model = (struct model *)m,
                    .inputs = inputs,
                    .outputs = outputs,
                    .n = n,
                    .options = o,
                    .fn = fn,
                    .user = user};
    context_copy(&j.reading, context_current());
    if (o->max_memory > 0)
        atomic_store(&j.reading.memory_limit, o->max_memory);
    int code = open_job(&j);
    if (code == 0)
        code = run_files(&j);
    call_free(&j.call);
    return code;
}
