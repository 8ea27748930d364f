/* gelatto synth rooms|shapes -o DIR: labelled data made from nothing but a seed. */
#include "args.h"
#include "commands.h"
#include "report.h"

#include "gelatto.h"

#include <inttypes.h>
#include <string.h>

static int run(const struct args *args)
{
    const char *what = args->operands[0], *folder = args_text(args, "output", NULL);
    const char *seed = args_text(args, "seed", "1");
    bool rooms = strcmp(what, "rooms") == 0;
    if (!rooms && strcmp(what, "shapes") != 0)
        return args_usage(args->command, "'%s': expected rooms or shapes", what);
    if (!folder)
        return args_usage(args->command, "say where the data goes: -o DIR");
    if (strspn(seed, "0123456789") != strlen(seed) || strlen(seed) == 0 || strlen(seed) > 20)
        return args_usage(args->command, "--seed %s: give a whole number", seed);
    if (!rooms && args_text(args, "rooms", NULL))
        return args_usage(args->command, "--rooms belongs to rooms; for shapes it is --shapes");
    if (rooms && args_text(args, "shapes", NULL))
        return args_usage(args->command, "--shapes belongs to shapes; for rooms it is --rooms");
    char options[ARGS_OPTIONS_MAX] = "";
    if (args_options(options, args, "rooms shapes points seed replace"))
        return 2;
    int code = rooms ? glt_synth_rooms(folder, options) : glt_synth_shapes(folder, options);
    return code < 0 ? report_refusal(args, code) : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "DIR", "the folder to fill", 0, 0},
    {ARGS_INT, "rooms", 0, "N", "rooms: how many in each of the six areas (10)", 1, 10000},
    {ARGS_INT, "shapes", 0, "N", "shapes: how many of each category (40)", 1, 100000},
    {ARGS_INT, "points", 0, "N", "per room (100000) or shape (2048)", 1, 10000000},
    {ARGS_TEXT, "seed", 0, "N", "another seed, other data (1)", 0, 0},
    {ARGS_FLAG, "replace", 0, NULL, "remove the data that is already there first", 0, 0},
    {0},
};

const struct command command_synth = {
    .name = "synth",
    .summary = "make labelled rooms or shapes to learn from",
    .operands = "rooms|shapes",
    .operands_min = 1,
    .operands_max = 1,
    .about = "rooms: furnished offices, conference rooms, hallways, lounges and storage rooms with "
             "the 13 classes of S3DIS, seen by simulated scanners: Area_1 to Area_6, one PLY each. "
             "shapes: small objects with labelled parts in train, val and test, shapes.yaml for "
             "learning the parts and classes.yaml for classifying. The same seed gives the same "
             "bytes on every machine.",
    .examples = "gelatto synth rooms -o rooms\n"
                "gelatto synth rooms -o more --rooms 45 --seed 2\n"
                "gelatto synth shapes -o shapes --shapes 100\n",
    .pages = "docs/synthetic.md",
    .options = options,
    .run = run,
};
