/* gelatto doctor: describes this build and this machine, and checks the kernels. */
#include "args.h"
#include "commands.h"
#include "findings.h"
#include "report.h"

#include "gelatto.h"

static int run(const struct args *args)
{
    struct findings p = {.json = args_flag(args, "json"), .width = 15};
    int code = glt_doctor(findings_print, &p);
    if (p.json)
        puts("\n]");
    return code < 0 ? report_failure() : 0;
}

static const struct args_option options[] = {
    {ARGS_FLAG, "json", 'j', NULL, "print as JSON", 0, 0},
    {0},
};

const struct command command_doctor = {
    .name = "doctor",
    .summary = "report what this build and this machine can do",
    .operands_max = 0,
    .about = "Prints version, compiler, processor, the kernels that can run and the ones chosen, "
             "a product that is checked, threads, optional parts and limits. Fails if the "
             "chosen kernels compute wrong products.",
    .examples = "gelatto doctor\nGELATTO_CPU=ref gelatto doctor\ngelatto doctor --json\n",
    .pages = "docs/dependencies.md",
    .options = options,
    .run = run,
};
