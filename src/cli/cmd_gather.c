/* gelatto gather FOLDER: the joint results of many predict runs, and missing ones. */
#include "args.h"
#include "commands.h"
#include "outputs.h"
#include "report.h"

#include "gelatto.h"

static int run(const struct args *args)
{
    char options[ARGS_OPTIONS_MAX] = "", *text = NULL;
    const char *page = args_text(args, "output", NULL), *folder = args->operands[0];
    int unfinished = 0;
    if (args_options(options, args, "json inputs") || outputs_html(args, page))
        return 2;
    int code = glt_gather(&text, &unfinished, folder, page, options);
    if (code < 0)
        return report_refusal(args, code);
    report_result(text, args_flag(args, "json"));
    if (page)
        report_note("%s", page);
    if (unfinished)
        report_warning("%d file%s not finished: run predict again with --skip-finished", unfinished,
                       unfinished == 1 ? " is" : "s are");
    return unfinished > 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "FILE", "also write an HTML report", 0, 0},
    {ARGS_FLAG, "inputs", 0, NULL, "also check that the inputs are those that were labelled", 0, 0},
    {ARGS_FLAG, "json", 'j', NULL, "print the report as JSON", 0, 0},
    {0},
};

const struct command command_gather = {
    .name = "gather",
    .summary = "check the outputs of many predict runs and merge their summaries",
    .operands = "FOLDER",
    .operands_min = 1,
    .operands_max = 1,
    .about = "FOLDER is the output of gelatto predict with --shard or --skip-finished. Every file "
             "of the job is checked against its record: missing (not labelled yet), outdated "
             "(another model, other options), broken (its bytes have changed) or, with --inputs, "
             "changed (the input has changed). The summaries of finished files are added "
             "up. Temporary files of killed processes are removed. Exit status: 0 if all files "
             "are finished, else 1.",
    .examples = "gelatto gather labelled/\n"
                "gelatto gather labelled/ --json\n"
                "gelatto gather labelled/ -o report.html\n",
    .pages = "docs/cluster.md docs/reference/prediction.md",
    .options = options,
    .run = run,
};
