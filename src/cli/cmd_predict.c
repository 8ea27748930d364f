/* gelatto predict MODEL FILE|FOLDER|GLOB... -o OUT: labels for any cloud. Summaries go to stdout as
 * a table, CSV or JSON: points per class, or the class of every file. */
#include "args.h"
#include "commands.h"
#include "json.h"
#include "outputs.h"
#include "report.h"
#include "terminal_text.h"

#include "gelatto.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct work {
    const struct args *args;
    struct glt_model *model;
    bool classify, scene;
    int classes; /* those that points are counted by: */
    int own;     /* of the model, then vegetation by height */
    char options[ARGS_OPTIONS_MAX], reading[ARGS_OPTIONS_MAX]; /* of predicting, of reading */
    int64_t memory; /* the most that may be taken, 0: no limit */
    int reported;
    float *probabilities; /* (classes) */
    int64_t *counts;      /* (classes + 1) points per class; the last: without */
};

/* "2G", "500M", "1048576": bytes; -1 if it is none. */
static int64_t parse_bytes(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    if (end == text || !(value >= 1) || (*end && (!unit || end[1])))
        return -1;
    for (long i = unit ? unit - units + 1 : 0; i > 0; i--)
        value *= 1024;
    return value < 1e15 ? (int64_t)value : -1;
}

static int collect(struct work *w)
{
    const char *memory = args_text(w->args, "max-memory", NULL);
    w->memory = memory ? parse_bytes(memory) : 0;
    if (w->memory < 0)
        return args_usage(w->args->command, "--max-memory %s: give bytes, as 500M or 2G", memory);
    snprintf(w->options, sizeof w->options, "max_memory=%lld", (long long)w->memory);
    int code = args_options(w->options, w->args,
                            "probabilities second margin votes overlap protocol spacing category "
                            "vegetation-heights min-confidence map keep-classification");
    return code ? code : args_options(w->reading, w->args, "columns box salvage");
}

/* What a model of this task cannot give. */
static int check_task(const struct args *args, const char *task)
{
    if (!strcmp(task, "classify") &&
        args_refuse(
            args,
            "overwrite probabilities second margin votes overlap protocol spacing "
            "vegetation-heights min-confidence map keep-classification",
            "applies only to models that label points: this one predicts the class of a cloud"))
        return 2;
    if (strcmp(task, "segment") &&
        args_refuse(args, "overlap protocol spacing vegetation-heights",
                    "applies only to scenes: this model labels whole shapes"))
        return 2;
    if (strcmp(task, "parts") &&
        args_refuse(args, "category", "applies only to part-segmentation models"))
        return 2;
    return 0;
}

/* Whether the model knows the category that was said. */
static int check_category(const struct work *w)
{
    const char *wanted = args_text(w->args, "category", NULL), *name;
    for (int i = 0; wanted && glt_model_category(w->model, i, &name, NULL, NULL) == 0; i++)
        if (!strcasecmp(name, wanted))
            return 0;
    return wanted ? args_usage(w->args->command,
                               "--category %s: none of this model's; 'gelatto info %s' lists them",
                               wanted, w->args->operands[0])
                  : 0;
}

static const char *class_name(const struct work *w, int i)
{
    /* as glt_cloud_predict has them */
    static const char *const lower[] = {"low vegetation", "medium vegetation"};
    const char *name = "";
    if (i >= w->own)
        return lower[i - w->own];
    glt_model_class(w->model, i, &name, NULL);
    return w->classes > w->own && !strcasecmp(name, "vegetation") ? "high vegetation" : name;
}

/* 1: it failed and said so. */
static int count_labels(struct work *w, const struct glt_cloud *c)
{
    int64_t n = glt_cloud_count(c);
    int32_t *labels = malloc((size_t)(n ? n : 1) * sizeof *labels);
    int code = labels ? glt_cloud_get(c, "label", GLT_I32, labels, 0) : report_no_memory();
    memset(w->counts, 0, (size_t)(w->classes + 1) * sizeof *w->counts);
    for (int64_t i = 0; code == 0 && i < n; i++)
        w->counts[labels[i] >= 0 && labels[i] < w->classes ? labels[i] : w->classes]++;
    free(labels);
    return code;
}

/* --- output --- */

static const char *category_of(const struct work *w, const struct glt_prediction *p)
{
    const char *name = NULL;
    int first, count;
    if (w->classify || p->label < 0 ||
        glt_model_category(w->model, p->label, &name, &first, &count) < 0)
        return NULL;
    return name;
}

static void report_json(struct work *w, const char *path, const char *out,
                        const struct glt_prediction *p)
{
    printf(w->reported ? ",\n {\"file\": " : "[{\"file\": ");
    json_text(path);
    if (w->classify) {
        printf(", \"class\": ");
        json_text(class_name(w, p->label));
    } else {
        printf(", \"output\": ");
        json_text(out);
    }
    if (category_of(w, p)) {
        printf(", \"category\": ");
        json_text(category_of(w, p));
    }
    if (w->scene)
        printf(", \"protocol\": \"%s\"", args_text(w->args, "protocol", "product"));
    printf(", \"points\": %lld, \"samples\": %lld, \"seconds\": %.3f, \"%s\": {",
           (long long)p->points, (long long)p->samples, p->seconds,
           w->classify ? "probabilities" : "labels");
    for (int i = 0; i < w->classes; i++) {
        printf(i ? ", " : "");
        json_text(class_name(w, i));
        if (w->classify)
            printf(": %.6f", (double)w->probabilities[i]);
        else
            printf(": %lld", (long long)w->counts[i]);
    }
    printf("}}");
}

/* Whether a spreadsheet would compute the text instead of showing it. A number is harmless. */
static bool is_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@\t", *text))
        return false;
    strtod(text, &end);
    return *end || text[strspn(text, "+-.0123456789eE")];
}

/* RFC 4180: in quotes where it has to be. A formula gets the mark that makes it text. */
static void report_cell(const char *text)
{
    bool quoted = strpbrk(text, ",\"\n\r");
    if (quoted)
        putchar('"');
    if (is_formula(text))
        putchar('\'');
    for (const char *rest; *text; text = rest + (*rest == '"')) { /* a quote stands twice */
        rest = text + strcspn(text, "\"");
        terminal_text_printf(stdout, "%.*s%s", (int)(rest - text), text, *rest ? "\"\"" : "");
    }
    if (quoted)
        putchar('"');
}

static void report_csv(struct work *w, const char *path, const struct glt_prediction *p)
{
    if (!w->reported) {
        printf(w->classify ? "file,class" : "file");
        for (int i = 0; i < w->classes; i++) {
            putchar(',');
            report_cell(class_name(w, i));
        }
        putchar('\n');
    }
    report_cell(path);
    if (w->classify) {
        putchar(',');
        report_cell(class_name(w, p->label));
    }
    for (int i = 0; i < w->classes; i++) {
        if (w->classify)
            printf(",%.6f", (double)w->probabilities[i]);
        else
            printf(",%lld", (long long)w->counts[i]);
    }
    printf("\n");
}

/* The most likely class that is none of the n given ones, -1 after the last; ties go to the lower.
 */
static int next_class(const struct work *w, const int *given, int n)
{
    int best = -1;
    for (int i = 0; i < w->classes; i++) {
        bool new = best < 0 || w->probabilities[i] > w->probabilities[best];
        for (int k = 0; k < n && new; k++)
            new = given[k] != i;
        best = new ? i : best;
    }
    return best;
}

/* Classes with points, or the five most likely ones. */
static void report_table(struct work *w, const char *path, const struct glt_prediction *p)
{
    if (w->classify) {
        int reported[5] = {p->label};
        terminal_text_printf(stdout, "%s: %s (%.1f%%)", path, class_name(w, p->label),
                             100 * (double)p->confidence);
        for (int n = 1; n < 5 && (reported[n] = next_class(w, reported, n)) >= 0; n++)
            terminal_text_printf(stdout, ", %s %.1f%%", class_name(w, reported[n]),
                                 100 * (double)w->probabilities[reported[n]]);
        printf("\n");
        return;
    }
    terminal_text_printf(stdout, "%s%s%s\n", path, category_of(w, p) ? ": " : "",
                         category_of(w, p) ? category_of(w, p) : "");
    for (int i = 0; i <= w->classes; i++)
        if (w->counts[i])
            terminal_text_printf(
                stdout, "  %-24s %12lld  %5.1f%%\n",
                i < w->classes ? class_name(w, i) : "(no label)", (long long)w->counts[i],
                100.0 * (double)w->counts[i] / (double)(p->points ? p->points : 1));
}

static void report(struct work *w, const char *path, const char *out,
                   const struct glt_prediction *p)
{
    report_pause();
    if (args_flag(w->args, "json"))
        report_json(w, path, out, p);
    else if (args_flag(w->args, "csv"))
        report_csv(w, path, p);
    else
        report_table(w, path, p);
    w->reported++;
    if (w->classify)
        return;
    report_note("%s: %lld points in %lld samples, %.1f s, %.0f points/s", out, (long long)p->points,
                (long long)p->samples, p->seconds,
                (double)p->points / (p->seconds > 0 ? p->seconds : 1));
}

/* --- one file --- */

/* The folders above the output; what cannot be made shows when it is written. */
static void make_folders(const char *path)
{
    char part[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0777);
    }
}

static int predict_file(struct work *w, const struct output *x, bool folder)
{
    struct glt_cloud *cloud = NULL;
    struct glt_prediction p = {.size = sizeof p};
    glt_memory_limit(w->memory); /* a cloud that does not fit is refused by its header */
    int code = glt_cloud_read(&cloud, x->in, w->reading);
    glt_memory_limit(0);
    if (code == 0)
        code = glt_cloud_predict(cloud, w->model, w->options, &p, w->probabilities);
    if (code == 0 && !w->classify)
        code = count_labels(w, cloud);
    if (code == 0 && folder)
        make_folders(x->out);
    if (code == 0 && !w->classify)
        code = glt_cloud_write(cloud, x->out, NULL);
    if (code == 0)
        report(w, x->in, x->out, &p);
    glt_cloud_free(cloud);
    return code;
}

/* Of several files: how many were labelled, and which were not. */
static void report_files(const struct outputs *o, const bool *labelled, int done)
{
    int n = 0;
    for (int i = 0; i < o->n; i++)
        n += labelled[i];
    report_note("%d of %d files labelled", n, o->n);
    for (int i = 0; i < done; i++)
        if (!labelled[i])
            report_note("not labelled: %s", o->list[i].in);
    if (done < o->n)
        report_note("not tried: %s and %d more", o->list[done].in, o->n - done - 1);
}

/* A file that fails does not keep the others from being labelled. */
static int run_files(struct work *w, const char *to)
{
    struct outputs o;
    int failed = outputs_plan(&o, w->args, 1, to, args_flag(w->args, "overwrite")), done = 0;
    bool planned = !failed, *labelled = planned ? calloc((size_t)o.n + 1, sizeof *labelled) : NULL;
    if (planned && !labelled)
        failed = report_no_memory();
    for (int code = 0; labelled && done < o.n && code != GLT_EINTERRUPTED; done++) {
        code = predict_file(w, &o.list[done], o.folder);
        labelled[done] = code == 0;
        if (code)
            failed = code < 0 ? report_failure_of(o.list[done].in, code) : code;
    }
    if (labelled && o.n > 1)
        report_files(&o, labelled, done);
    free(labelled);
    if (planned && args_flag(w->args, "json"))
        printf(w->reported ? "]\n" : "[]\n");
    outputs_free(&o);
    return failed;
}

/* A file without a model: which one would fit. */
static int propose(const struct args *args)
{
    struct glt_cloud *cloud = NULL;
    char name[256] = "";
    const char *file = args->operands[0];
    int code = glt_cloud_read(&cloud, file, NULL);
    if (code == 0)
        code = glt_model_propose(name, sizeof name, cloud);
    glt_cloud_free(cloud);
    if (code < 0)
        return args_usage(args->command, "say which model labels which files: MODEL FILE");
    if (!*name)
        return args_usage(args->command,
                          "say which model: %s is unlike what the installed models for scenes know "
                          "(gelatto models lists all)",
                          file);
    return args_usage(args->command,
                      "say which model; for this cloud: gelatto predict %s %s -o OUT", name, file);
}

static int run(const struct args *args)
{
    struct work w = {.args = args};
    const char *to = args_text(args, "output", NULL);
    char task[32] = "";
    int code = collect(&w);
    if (code)
        return code;
    if (args->n < 2)
        return propose(args);
    if (to && !*to)
        return args_usage(args->command, "--output: the name is empty");
    code = glt_model_load(&w.model, args->operands[0]);
    if (code < 0)
        return report_failure_of_model(args, code);
    glt_model_option(w.model, "task", task, sizeof task);
    w.classify = !strcmp(task, "classify");
    w.scene = !strcmp(task, "segment");
    w.own = glt_model_classes(w.model);
    w.classes = w.own + (w.scene && args_text(args, "vegetation-heights", NULL) ? 2 : 0);
    w.probabilities = calloc((size_t)w.classes, sizeof *w.probabilities);
    w.counts = calloc((size_t)w.classes + 1, sizeof *w.counts);
    if (!to && !w.classify)
        code = args_usage(args->command, "say where the labelled cloud goes: -o out.ply");
    else if (to && w.classify)
        code = args_usage(args->command, "this model names the class of a whole cloud: it is "
                                         "printed, there is no output file");
    else if (check_task(args, task) || check_category(&w))
        code = 2;
    else if (!w.probabilities || !w.counts)
        code = report_no_memory();
    else
        code = run_files(&w, to);
    free(w.probabilities);
    free(w.counts);
    glt_model_free(w.model);
    return code;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "OUT", "the labelled cloud; for several inputs a folder", 0, 0},
    {ARGS_FLAG, "overwrite", 0, NULL, "allow the output to replace the input", 0, 0},
    {ARGS_FLAG, "probabilities", 0, NULL, "add the probability of every class", 0, 0},
    {ARGS_FLAG, "second", 0, NULL, "add the second most likely class", 0, 0},
    {ARGS_FLAG, "margin", 0, NULL, "add the gap between the best and the second class", 0, 0},
    {ARGS_FLAG, "votes", 0, NULL, "add the number of samples that covered each point", 0, 0},
    {ARGS_TEXT, "category", 0, "NAME", "category of a shape with parts (default: the most likely)",
     0, 0},
    {ARGS_INT, "overlap", 0, "N", "tile a scene N more times, by shifted grids (default 0)", 0, 15},
    {ARGS_CHOICE, "protocol", 0, "paper|product",
     "samples of a scene: as large as pays (product, the default), or of the model's points", 0, 0},
    {ARGS_NUMBER, "spacing", 0, "R",
     "label a cloud thinned to this spacing, and carry its labels to all points", 0, 1e9},
    {ARGS_TEXT, "vegetation-heights", 0, "M,H",
     "divide vegetation at these heights above the predicted ground: 0.5,2", 0, 0},
    {ARGS_NUMBER, "min-confidence", 0, "X", "leave points below this confidence without a label", 0,
     1},
    {ARGS_TEXT, "map", 0, "NAME:N,..", "numbers of classes in LAS: ground:2,building:6", 0, 0},
    {ARGS_FLAG, "keep-classification", 0, NULL,
     "leave the classification of LAS alone; labels become extra bytes", 0, 0},
    {ARGS_TEXT, "max-memory", 0, "BYTES", "use at most this, or fail at once: 500M, 2G", 0, 0},
    {ARGS_TEXT, "columns", 0, "NAMES",
     "columns of a text file or plain array: x,y,z,red,green,blue", 0, 0},
    {ARGS_TEXT, "box", 0, "x,y,X,Y",
     "keep the points in this rectangle; of COPC little else is read", 0, 0},
    {ARGS_FLAG, "salvage", 0, NULL, "read the intact chunks of a damaged LAZ file", 0, 0},
    {ARGS_FLAG, "csv", 0, NULL, "print the summary as CSV", 0, 0},
    {ARGS_FLAG, "json", 'j', NULL, "print the summary as JSON", 0, 0},
    {0},
};

static const struct args_group groups[] = {
    {"output", "output"},           {"probabilities", "further attributes"},
    {"category", "how to predict"}, {"columns", "reading the input"},
    {"csv", "the summary"},         {0},
};

const struct command command_predict = {
    .name = "predict",
    .summary = "label clouds with a model",
    .operands = "MODEL FILE...",
    .operands_min = 1,
    .operands_max = -1,
    .about = "Labels every point of clouds of any size and format; labels in the file are not "
             "needed (and stay, as truth). The output has the same points in the same order with "
             "all their attributes, plus label and confidence. A FILE may be a folder or a quoted "
             "pattern. Scenes are split into tiles of the model's size until every point was "
             "seen. A model of whole shapes prints the class of each file instead. A MODEL is a "
             "file, the folder of a training run or the name of an installed model (gelatto "
             "models). Given a FILE alone, predict names a model that fits it.",
    .examples = "gelatto predict rooms scan.ply -o labelled.ply\n"
                "gelatto predict model.safetensors scans/ -o labelled/ --probabilities\n"
                "gelatto predict rooms 'scans/*.las' -o labelled/ --max-memory 2G\n"
                "gelatto predict rooms dense.ply -o labelled.ply --spacing 0.01\n"
                "gelatto predict aerial tile.laz -o classified.laz --vegetation-heights 0.5,2\n"
                "gelatto predict rooms scan.las -o out.las --map floor:2 --min-confidence 0.5\n"
                "gelatto predict parts chair.ply -o parts.ply --category chair\n"
                "gelatto predict shapes chairs/ --csv\n",
    .pages = "docs/reference/prediction.md docs/reference/formats.md",
    .options = options,
    .groups = groups,
    .run = run,
};
