/* gelatto patch CLOUD PATCH -o OUT: the corrections of a viewer page, applied to the labels. */
#include "args.h"
#include "commands.h"
#include "outputs.h"
#include "report.h"

#include "gelatto.h"

static int run(const struct args *args)
{
    struct glt_cloud *cloud = NULL;
    struct glt_patched done;
    const char *out = args_text(args, "output", NULL), *in = args->operands[0];
    if (!out)
        return args_usage(args->command, "missing option: -o OUT, the cloud to write");
    if (outputs_is(out, args->operands[1]) ||
        (outputs_is(out, in) && !args_flag(args, "overwrite")))
        return args_usage(args->command,
                          "%s is an input and would be overwritten: name another output%s", out,
                          outputs_is(out, in) ? ", or say --overwrite" : "");
    int code = glt_cloud_write(NULL, out, "labels");
    if (code == 0)
        code = glt_cloud_read(&cloud, in, NULL);
    if (code == 0)
        code = glt_patch(cloud, args->operands[1],
                         args_flag(args, "no-reviewed") ? "reviewed=false" : NULL, &done);
    if (code == 0)
        code = glt_cloud_write(cloud, out, "labels");
    if (code == 0)
        report_note("%s: %lld of %lld points reviewed, %lld changed", out, (long long)done.points,
                    (long long)glt_cloud_count(cloud), (long long)done.changed);
    glt_cloud_free(cloud);
    return code < 0 ? report_refusal(args, code) : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "FILE", "the cloud to write, in any format that holds labels", 0, 0},
    {ARGS_FLAG, "no-reviewed", 0, NULL, "do not add the attribute reviewed", 0, 0},
    {ARGS_FLAG, "overwrite", 0, NULL, "the output may be the cloud itself", 0, 0},
    {0},
};

const struct command command_patch = {
    .name = "patch",
    .summary = "apply the corrections of a viewer page to a cloud",
    .operands = "CLOUD PATCH",
    .operands_min = 2,
    .operands_max = 2,
    .about = "Changes the labels that a patch file names, and those of the points that they "
             "represent, and sets the attribute reviewed to 1 there if the format can hold it. "
             "Everything else stays. A patch that was made for other points is refused.",
    .examples = "gelatto view labelled.ply -o page.html\n"
                "gelatto patch labelled.ply labelled.patch.json -o corrected.ply\n",
    .pages = "docs/how-to/look-at-and-correct-a-result.md",
    .options = options,
    .run = run,
};
