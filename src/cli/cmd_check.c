/* gelatto check: the contents of a dataset, and its errors. */
#include "args.h"
#include "commands.h"
#include "config.h"
#include "findings.h"
#include "report.h"

#include "gelatto.h"

static int run(const struct args *args)
{
    struct findings p = {.json = args_flag(args, "json"), .width = 11};
    struct glt_config *config;
    int code = config_from(&config, args);
    if (code)
        return code;
    code = glt_check(args->operands[0], config, findings_print, &p);
    if (p.json)
        puts(p.n ? "\n]" : "[]");
    glt_config_free(config);
    return code < 0 ? report_refusal(args, code) : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "label-attribute", 0, "NAME",
     "the attribute that holds the labels (default: label)", 0, 0},
    {ARGS_FLAG, "json", 'j', NULL, "print as JSON", 0, 0},
    {0},
};

const struct command command_check = {
    .name = "check",
    .summary = "look for errors in a dataset before training on it",
    .operands = "DATA",
    .operands_min = 1,
    .operands_max = 1,
    .about = "Reads every cloud of a dataset (S3DIS, ShapeNetPart, ModelNet, ScanNet, a folder "
             "described by a YAML file, synth:rooms). Reports how many points each class has in "
             "each split; files that are missing, unused, unreadable or duplicates; labels out of "
             "range, swapped columns, wrong units and unusual densities; what the tiles, levels "
             "and balls of the network hold, and which edge and radii would suit them. Fails when "
             "it finds an error.",
    .examples = "gelatto check rooms/ --set area=1\n"
                "gelatto check set.yaml --set inputs=xyz\n"
                "gelatto check modelnet40/ --set preset=tiny-cls\n",
    .pages = "docs/reference/datasets.md docs/reference/formats.md",
    .options = options,
    .config = true,
    .run = run,
};
