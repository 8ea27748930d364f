/* gelatto report PREDICTED -o out.html: one page about a labelled cloud. */
#include "commands.h"
#include "report.h"

#include "gelatto.h"

static int run(const struct args *args)
{
    struct glt_cloud *cloud = NULL;
    const char *out = args_text(args, "output", NULL), *path = args->operands[0];
    if (!out)
        return args_usage(args->command, "say where the page goes: -o out.html");
    int code = glt_cloud_read(&cloud, path, NULL);
    if (code == 0)
        code = glt_cloud_report(cloud, out, args_text(args, "title", path));
    if (code == 0)
        report_note("%s", out);
    glt_cloud_free(cloud);
    return code < 0 ? report_failure_of(path) : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "FILE", "the HTML file to write", 0, 0},
    {ARGS_TEXT, "title", 0, "TEXT", "of the page (the name of the file)", 0, 0},
    {0},
};

const struct command command_report = {
    .name = "report",
    .summary = "write a page about a labelled cloud",
    .operands = "CLOUD",
    .operands_min = 1,
    .operands_max = 1,
    .about =
        "One HTML file that needs no other: pictures, points and confidence per class, and "
        "where the cloud has a truth (predict keeps the labels a file came with) IoU, accuracy "
        "and the confusion matrix.",
    .examples = "gelatto report labelled.ply -o report.html\n",
    .options = options,
    .run = run,
};
