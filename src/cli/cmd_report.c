/* gelatto report RUN|PREDICTED -o out.html: one HTML report of a training run or a
 * labelled cloud. */
#include "args.h"
#include "commands.h"
#include "outputs.h"
#include "report.h"

#include "gelatto.h"

#include <sys/stat.h>

/* A folder is a run. */
static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static int run(const struct args *args)
{
    struct glt_cloud *cloud = NULL;
    const char *out = args_text(args, "output", NULL), *path = args->operands[0];
    const char *title = args_text(args, "title", path);
    if (!out)
        return args_usage(args->command, "say where the report goes: -o out.html");
    int code = outputs_html(args, out);
    if (code)
        return code;
    if (is_folder(path)) {
        code = glt_run_report(path, out, title);
    } else {
        code = glt_cloud_read(&cloud, path, NULL);
        if (code == 0)
            code = glt_cloud_report(cloud, out, title);
        glt_cloud_free(cloud);
    }
    if (code == 0)
        report_note("%s", out);
    if (code == GLT_EARGUMENT)
        return args_usage(args->command, "%s", glt_error_message());
    return code < 0 ? report_failure_of(path, code) : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "FILE", "the HTML file to write", 0, 0},
    {ARGS_TEXT, "title", 0, "TEXT", "title of the report (default: the name of the file)", 0, 0},
    {0},
};

const struct command command_report = {
    .name = "report",
    .summary = "write an HTML report of a training run or a labelled cloud",
    .operands = "RUN|CLOUD",
    .operands_min = 1,
    .operands_max = 1,
    .about =
        "Writes one self-contained HTML file. For a run (the folder of gelatto train): learning "
        "curves, scores per class and confusion matrix of the last validation and of every "
        "evaluation in the folder (gelatto eval -o RUN/NAME) with its protocol card, images "
        "(PNG) in it, configuration, environment, log. For a cloud: images, points and "
        "confidence per class, and if it has ground truth (predict keeps the labels of the "
        "file) IoU, accuracy and the confusion matrix.",
    .examples = "gelatto report runs/train1 -o train.html\n"
                "gelatto report labelled.ply -o report.html\n",
    .pages = "docs/how-to/write-reports.md",
    .options = options,
    .run = run,
};
