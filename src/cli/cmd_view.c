/* gelatto view CLOUD... -o page.html: shows clouds in a browser, to look at and correct them. */
#include "args.h"
#include "commands.h"
#include "outputs.h"
#include "report.h"

#include "gelatto.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CLOUDS_MAX = 8, PASSES_MAX = 8 };

/* Reads rows "12,345"; 0, or 2 after a message. */
static int read_rows(int64_t rows[PASSES_MAX], int *n, const struct args *args)
{
    const char *list = args_text(args, "rows", NULL);
    *n = 0;
    if (!list)
        return 0;
    if (!args_text(args, "explain", NULL))
        return args_usage(args->command, "--rows needs --explain MODEL");
    for (char *end; *list; list = *end == ',' ? end + 1 : end) {
        rows[*n] = strtoll(list, &end, 10);
        if (end == list || (*end && *end != ',') || rows[*n] < 0 || ++*n > PASSES_MAX - !!*end)
            return args_usage(args->command, "--rows: expected up to %d rows, as 0,1500",
                              PASSES_MAX);
    }
    return 0;
}

/* A folder is a run: its validation cloud over the epochs, or its report if it has none. */
static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static int show_run(const struct args *args, const char *out)
{
    const char *folder = args->operands[0];
    int code = args_refuse(args, "points attributes classes explain rows",
                           "applies to clouds, not to runs");
    if (code)
        return code;
    struct glt_view_options o = {
        .size = sizeof o, .run = folder, .title = args_text(args, "title", NULL)};
    code = glt_view(NULL, 0, out, &o);
    if (code == GLT_EDATA && !strcmp(glt_error_name(), "validation.ply"))
        code = glt_run_report(folder, out, args_text(args, "title", folder));
    if (code == 0)
        report_note("%s", out);
    return code < 0 ? report_refusal(args, code) : 0;
}

static int run(const struct args *args)
{
    struct glt_cloud *clouds[CLOUDS_MAX] = {0};
    struct glt_model *loaded = NULL;
    int64_t rows[PASSES_MAX];
    const char *out = args_text(args, "output", NULL), *model = args_text(args, "explain", NULL);
    if (!out)
        return args_usage(args->command, "missing option: -o page.html, the page to write");
    struct glt_view_options options = {.size = sizeof options,
                                       .points = args_int(args, "points", 0),
                                       .attributes = args_text(args, "attributes", NULL),
                                       .classes = args_text(args, "classes", NULL),
                                       .title = args_text(args, "title", NULL)};
    int code = outputs_html(args, out);
    if (code)
        return code;
    if (args->n == 1 && is_folder(args->operands[0]))
        return show_run(args, out);
    code = read_rows(rows, &options.n_rows, args);
    if (code)
        return code;
    options.rows = rows;
    if (model)
        code = glt_model_load(&loaded, model);
    options.model = loaded;
    for (int i = 0; i < args->n && code == 0; i++)
        code = glt_cloud_read(&clouds[i], args->operands[i], NULL);
    if (code == 0)
        code = glt_view((const struct glt_cloud *const *)clouds, args->n, out, &options);
    if (code == 0)
        report_note("%s", out);
    for (int i = 0; i < args->n; i++)
        glt_cloud_free(clouds[i]);
    glt_model_free(loaded);
    return code < 0 ? report_refusal(args, code) : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "FILE", "the HTML file to write", 0, 0},
    {ARGS_INT, "points", 0, "N", "show at most N points of a cloud (default 3000000)", 1,
     2147483647},
    {ARGS_TEXT, "attributes", 0, "A,B", "further attributes to colour by", 0, 0},
    {ARGS_TEXT, "classes", 0, "A,B", "further classes to choose from when correcting", 0, 0},
    {ARGS_TEXT, "explain", 0, "MODEL", "add a forward pass of this model, to be explored", 0, 0},
    {ARGS_TEXT, "rows", 0, "A,B", "passes around these rows (default: the middle of the cloud)", 0,
     0},
    {ARGS_TEXT, "title", 0, "TEXT", "title of the page (default: the path of the first cloud)", 0,
     0},
    {0},
};

const struct command command_view = {
    .name = "view",
    .summary = "write a page that shows clouds in a browser and corrects labels",
    .operands = "CLOUD...|RUN",
    .operands_min = 1,
    .operands_max = CLOUDS_MAX,
    .about =
        "Writes one HTML file that opens in any browser with WebGL 2, without a server and "
        "without a network. It shows colours, labels, ground truth, errors, confidence, "
        "height and attributes; several clouds stand side by side and turn together. Labels "
        "can be corrected there: the page exports a patch file for gelatto patch. Of larger "
        "clouds N points are shown, spread evenly; each represents the points nearest to it. With "
        "--explain the attention of a model can be explored, point by point. The folder of a "
        "training run opens with the curve of its score and its validation cloud as it was "
        "labelled after each epoch; as its report if it has none.",
    .examples = "gelatto view labelled.ply -o page.html\n"
                "gelatto view before.ply after.ply -o compare.html\n"
                "gelatto view scan.las --attributes return_number --points 1000000 -o page.html\n"
                "gelatto view scan.ply --classes ground,building,tree -o label.html\n"
                "gelatto view room.ply --explain rooms -o attention.html\n"
                "gelatto view runs/train1 -o run.html\n",
    .pages = "docs/how-to/look-at-and-correct-a-result.md",
    .options = options,
    .run = run,
};
