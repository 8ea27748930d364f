/* gelatto predict MODEL FILE|FOLDER|GLOB... -o OUT: labels for any cloud. Summaries go to stdout as
 * a table, CSV or JSON: points per class, or the class of every file. */
#include "args.h"
#include "commands.h"
#include "json.h"
#include "outputs.h"
#include "report.h"
#include "terminal_text.h"

#include "gelatto_tool.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct work {
    const struct args *args;
    struct glt_model *model;
    bool classify, scene;
    int classes; /* for counting points: */
    int own;     /* those of the model; the others are vegetation by height */
    char options[ARGS_OPTIONS_MAX], reading[ARGS_OPTIONS_MAX]; /* of prediction, of reading */
    int64_t memory;                                            /* maximum bytes; 0: no limit */
    int reported;
    const float *probabilities; /* (classes) of a file */
    const int64_t *counts;      /* (classes + 1) points per class; last: without a class */
    const char *provenance;     /* of a file, lines */
    int done, total, finished;  /* files; finished: by earlier runs */
    const char **failed;        /* (n_failed) inputs */
    int n_failed, code;         /* the exit code */
};

/* Parses "2G", "500M", "1048576" as bytes; -1 if invalid. */
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
    int code = args_options(
        w->options, w->args,
        "probabilities second margin votes overlap protocol spacing halo category up headings "
        "vegetation-heights min-confidence map keep-classification");
    return code ? code : args_options(w->reading, w->args, "columns box salvage label-attribute");
}

/* Refuses options that do not apply to models of this task. */
static int check_task(const struct args *args, const char *task)
{
    if (!strcmp(task, "classify") &&
        args_refuse(
            args,
            "overwrite probabilities second margin votes overlap protocol spacing halo shard "
            "skip-finished vegetation-heights min-confidence map keep-classification",
            "applies only to models that label points: this one predicts the class of a cloud"))
        return 2;
    if (strcmp(task, "segment") &&
        args_refuse(args, "overlap protocol spacing halo vegetation-heights",
                    "applies only to scenes: this model labels whole shapes"))
        return 2;
    if (!strcmp(task, "segment") &&
        args_refuse(args, "headings", "applies only to shapes: this model labels scenes"))
        return 2;
    if (strcmp(task, "parts") &&
        args_refuse(args, "category", "applies only to part-segmentation models"))
        return 2;
    return 0;
}

/* Whether the model has the given category. */
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
    /* the names that glt_cloud_predict gives */
    static const char *const lower[] = {"low vegetation", "medium vegetation"};
    const char *name = "";
    if (i >= w->own)
        return lower[i - w->own];
    glt_model_class(w->model, i, &name, NULL);
    return w->classes > w->own && !strcasecmp(name, "vegetation") ? "high vegetation" : name;
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

/* Lines "key text" as an object; those that begin with "warning" as a list. */
static void report_provenance(const char *lines)
{
    const char *const kinds[] = {"{", "\"warnings\": ["};
    printf(", \"provenance\": ");
    for (int warnings = 0; warnings < 2; warnings++) {
        int n = 0;
        printf("%s", kinds[warnings]);
        for (const char *line = lines, *end; *line; line = end + (*end != 0)) {
            char key[64], text[1024];
            int len = (int)strcspn(line, " \n");
            end = line + strcspn(line, "\n");
            if (!strncmp(line, "warning ", 8) != (warnings == 1) || *(line + len) != ' ')
                continue;
            snprintf(key, sizeof key, "%.*s", len, line);
            snprintf(text, sizeof text, "%.*s", (int)(end - line) - len - 1, line + len + 1);
            printf(n++ && warnings ? ", " : "");
            if (!warnings) {
                json_text(key);
                printf(": ");
            }
            json_text(text);
            printf(warnings ? "" : ", ");
        }
    }
    printf("]}");
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
    printf("}");
    report_provenance(w->provenance);
    printf("}");
}

static void report_cell(const char *text)
{
    char *cell = NULL;
    terminal_text_print(stdout, glt_csv_cell(&cell, text) < 0 ? "" : cell);
    glt_free(cell);
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

/* The most likely class besides the n given ones; -1 after the last; ties go to the lower. */
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
    report_note("%s: %lld point%s in %lld sample%s, %.1f s, %.0f points/s", out,
                (long long)p->points, p->points == 1 ? "" : "s", (long long)p->samples,
                p->samples == 1 ? "" : "s", p->seconds,
                (double)p->points / (p->seconds > 0 ? p->seconds : 1));
}

/* --- files --- */

/* After a file that fails, the others are still labelled. */
static int on_file(void *user, const struct glt_labelled *x)
{
    struct work *w = user;
    w->done = x->number;
    w->total = x->total;
    w->finished += x->finished;
    if (x->code < 0) {
        w->code = report_failure_of(x->input, x->code);
        w->failed[w->n_failed++] = x->input;
    } else {
        w->counts = x->counts;
        w->probabilities = x->probabilities;
        w->provenance = x->provenance;
        report(w, x->input, x->output, &x->prediction);
    }
    return 0;
}

/* For several files: how many were labelled, and which were not. */
static void report_files(const struct work *w)
{
    report_note("%d of %d files labelled", w->done - w->n_failed, w->total);
    if (w->finished)
        report_note("%d of them by earlier runs", w->finished);
    for (int i = 0; i < w->n_failed; i++)
        report_note("not labelled: %s", w->failed[i]);
    if (w->done < w->total)
        report_note("not tried: %d file%s", w->total - w->done, w->total - w->done == 1 ? "" : "s");
}

/* "3/64" */
static int read_shard(struct glt_files_options *o, const struct args *args)
{
    const char *text = args_text(args, "shard", NULL);
    int used = 0;
    if (!text || (sscanf(text, "%9d/%9d%n", &o->shard, &o->shards, &used) == 2 && !text[used] &&
                  o->shard >= 1 && o->shard <= o->shards))
        return 0;
    return args_usage(args->command, "--shard %s: give I/N with I from 1 to N, as 3/64", text);
}

/* Options for jobs in several runs. */
static int share_options(struct glt_files_options *o, const struct args *args, const char *to,
                         bool folder)
{
    if (read_shard(o, args))
        return 2;
    o->skip_finished = args_flag(args, "skip-finished");
    if (args_flag(args, "overwrite") &&
        args_refuse(args, "shard skip-finished halo",
                    "needs unchanged inputs: leave --overwrite out"))
        return 2;
    if (args_text(args, "box", NULL) &&
        args_refuse(args, "halo", "applies to whole files: leave --box out"))
        return 2;
    if (!folder && args_refuse(args, "shard skip-finished",
                               "needs a folder of outputs, which keeps records: -o FOLDER"))
        return 2;
    o->folder = o->shards || o->skip_finished ? to : NULL;
    return 0;
}

static int label_files(struct work *w, const struct outputs *o,
                       const struct glt_files_options *options)
{
    const char **in = calloc((size_t)o->n + 1, sizeof *in);
    const char **out = calloc((size_t)o->n + 1, sizeof *out);
    w->failed = calloc((size_t)o->n + 1, sizeof *w->failed);
    for (int i = 0; in && out && i < o->n; i++) {
        in[i] = o->list[i].in;
        out[i] = o->list[i].out;
    }
    int code = in && out && w->failed
                   ? glt_predict_files(w->model, in, out, o->n, options, on_file, w)
                   : report_no_memory();
    if (code < 0 && !w->code) /* an error before the first file */
        w->code = report_refusal(w->args, code);
    else if (code > 0)
        w->code = code;
    if (o->n > 1 && w->done > 0)
        report_files(w);
    free(w->failed);
    free(out);
    free(in);
    return w->code;
}

static int run_files(struct work *w, const char *to)
{
    struct outputs o;
    struct glt_files_options options = {
        .size = sizeof options, .read = w->reading, .predict = w->options, .max_memory = w->memory};
    int code = outputs_plan(&o, w->args, 1, to, args_flag(w->args, "overwrite"));
    if (code == 0)
        code = share_options(&options, w->args, to, o.folder);
    if (code == 0) {
        code = label_files(w, &o, &options);
        if (args_flag(w->args, "json"))
            printf(w->reported ? "]\n" : "[]\n");
    }
    outputs_free(&o);
    return code;
}

/* A file without a model: names a suitable one. */
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
                          "say which model: %s differs from the training clouds of the installed "
                          "models for scenes "
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
    if (!to && !w.classify)
        code = args_usage(args->command, "say where the labelled cloud goes: -o out.ply");
    else if (to && w.classify)
        code = args_usage(args->command, "this model names the class of a whole cloud: it is "
                                         "printed, and there is no output file");
    else if (check_task(args, task) || check_category(&w))
        code = 2;
    else
        code = run_files(&w, to);
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
    {ARGS_CHOICE, "up", 0, "x|y|z", "the axis of the cloud that points up (default: the model's)",
     0, 0},
    {ARGS_INT, "headings", 0, "N", "turn a shape to N headings, which vote (default 1)", 1, 64},
    {ARGS_INT, "overlap", 0, "N", "tile a scene N more times, by shifted grids (default 0)", 0, 15},
    {ARGS_CHOICE, "protocol", 0, "paper|product",
     "samples of a scene: as large as is efficient (product, the default), or of the model's "
     "points",
     0, 0},
    {ARGS_NUMBER, "spacing", 0, "R",
     "label a cloud thinned to this spacing, and carry its labels to all points", 0, 1e9},
    {ARGS_NUMBER, "halo", 0, "R",
     "use points of adjacent files within at least this distance: no seams between files", 0, 1e9},
    {ARGS_TEXT, "vegetation-heights", 0, "M,H",
     "divide vegetation at these heights above the predicted ground: 0.5,2", 0, 0},
    {ARGS_NUMBER, "min-confidence", 0, "X", "leave points below this confidence without a label", 0,
     1},
    {ARGS_TEXT, "map", 0, "NAME:N,..", "numbers of classes in LAS: ground:2,building:6", 0, 0},
    {ARGS_FLAG, "keep-classification", 0, NULL,
     "leave the classification of LAS alone; labels become extra bytes", 0, 0},
    {ARGS_TEXT, "max-memory", 0, "BYTES", "use at most this, or fail at once: 500M, 2G", 0, 0},
    {ARGS_TEXT, "shard", 0, "I/N", "label share I of N shares of the files, dealt by size", 0, 0},
    {ARGS_FLAG, "skip-finished", 0, NULL,
     "skip files that are finished, by digests of input, model, options and output", 0, 0},
    {ARGS_TEXT, "columns", 0, "NAMES",
     "columns of a text file or plain array: x,y,z,red,green,blue", 0, 0},
    {ARGS_TEXT, "box", 0, "x,y,X,Y",
     "keep the points in this rectangle; from COPC files little else is read", 0, 0},
    {ARGS_TEXT, "label-attribute", 0, "NAME",
     "the attribute that holds the labels (default: label)", 0, 0},
    {ARGS_FLAG, "salvage", 0, NULL, "read the intact chunks of a damaged LAZ file", 0, 0},
    {ARGS_FLAG, "csv", 0, NULL, "print the summary as CSV", 0, 0},
    {ARGS_FLAG, "json", 'j', NULL, "print the summary as JSON", 0, 0},
    {0},
};

static const struct args_group groups[] = {
    {"output", "output"},
    {"probabilities", "further attributes"},
    {"category", "how to predict"},
    {"shard", "many files"},
    {"columns", "reading the input"},
    {"csv", "the summary"},
    {0},
};

const struct command command_predict = {
    .name = "predict",
    .summary = "label clouds with a model",
    .operands = "MODEL FILE...",
    .operands_min = 1,
    .operands_max = -1,
    .about = "Labels every point of clouds of any size and format; labels in the file are not "
             "needed (and stay, as truth). The output has the same points in the same order with "
             "all their attributes, plus label and confidence. A FILE may be a folder, a "
             "quoted pattern, or - for stdin. Scenes are split into tiles of the model's size "
             "until every point was "
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
                "gelatto predict shapes chairs/ --csv\n"
                "gelatto predict shapes chair.off --up z --headings 12\n",
    .pages = "docs/reference/prediction.md docs/reference/formats.md",
    .options = options,
    .groups = groups,
    .run = run,
};
