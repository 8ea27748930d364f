/* gelatto synth rooms|shapes|aerial -o DIR: labelled data made from a seed. */
#include "args.h"
#include "commands.h"
#include "report.h"

#include "gelatto.h"

#include <stdio.h>
#include <string.h>

/* The kinds of data, and options that only some of them take. */
static const struct {
    const char *name, *options;
    int (*make)(const char *folder, const char *options);
} sets[] = {{"rooms", "rooms points real", glt_synth_rooms},
            {"shapes", "shapes points", glt_synth_shapes},
            {"aerial", "scenes size density format", glt_synth_aerial}};
enum { SETS = sizeof sets / sizeof *sets };

static const char *const shared = "seed replace";

static bool lists(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (; words; words = strchr(words, ' ')) {
        words += *words == ' ';
        if (!strncmp(words, word, len) && (words[len] == ' ' || words[len] == 0))
            return true;
    }
    return false;
}

/* A given option that belongs to another kind of data; NULL: none. */
static const char *foreign_option(const struct args *args, int set)
{
    for (const struct args_option *o = args->command->options; o->name; o++)
        for (int i = 0; i < SETS; i++)
            if (lists(sets[i].options, o->name) && !lists(sets[set].options, o->name) &&
                args_text(args, o->name, NULL))
                return o->name;
    return NULL;
}

static int run(const struct args *args)
{
    const char *what = args->operands[0], *folder = args_text(args, "output", NULL);
    const char *seed = args_text(args, "seed", "1"), *foreign;
    int set = 0;
    while (set < SETS && strcmp(what, sets[set].name) != 0)
        set++;
    if (set == SETS)
        return args_usage(args->command, "'%s': expected rooms, shapes or aerial", what);
    if (!folder)
        return args_usage(args->command, "say where the data goes: -o DIR");
    if (strspn(seed, "0123456789") != strlen(seed) || strlen(seed) == 0 || strlen(seed) > 20)
        return args_usage(args->command, "--seed %s: give a whole number", seed);
    if ((foreign = foreign_option(args, set)))
        return args_usage(args->command, "--%s does not apply to %s", foreign, what);
    char options[ARGS_OPTIONS_MAX] = "", names[128];
    snprintf(names, sizeof names, "%s %s", sets[set].options, shared);
    if (args_options(options, args, names))
        return 2;
    int code = sets[set].make(folder, options);
    return code < 0 ? report_refusal(args, code) : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "DIR", "the folder to fill", 0, 0},
    {ARGS_INT, "rooms", 0, "N", "rooms: how many in each of the six areas (default 10)", 1, 10000},
    {ARGS_FLAG, "real", 0, NULL, "rooms: like reconstructions of depth cameras, homes too", 0, 0},
    {ARGS_INT, "shapes", 0, "N", "shapes: how many of each category (default 40)", 1, 100000},
    {ARGS_INT, "points", 0, "N", "points per room (default 100000) or shape (default 2048)", 1,
     10000000},
    {ARGS_INT, "scenes", 0, "N", "aerial: how many in each of the six areas (default 8)", 1, 10000},
    {ARGS_NUMBER, "size", 0, "M", "aerial: metres along each side (default 200)", 20, 500},
    {ARGS_NUMBER, "density", 0, "D",
     "aerial: points per square metre (default 0: each scene its own, 1 to 60)", 0, 100},
    {ARGS_CHOICE, "format", 0, "ply|las|laz", "aerial: format of the files (default ply)", 0, 0},
    {ARGS_TEXT, "seed", 0, "N", "seed of the data (default 1)", 0, 0},
    {ARGS_FLAG, "replace", 0, NULL, "remove existing data first", 0, 0},
    {0},
};

const struct command command_synth = {
    .name = "synth",
    .summary = "make labelled rooms, shapes or aerial scenes to learn from",
    .operands = "rooms|shapes|aerial",
    .operands_min = 1,
    .operands_max = 1,
    .about =
        "rooms: furnished offices, conference rooms, hallways, lounges and storage rooms with "
        "the 13 classes of S3DIS, seen by simulated scanners: Area_1 to Area_6, one PLY each. "
        "shapes: small objects with labelled parts in train, val and test, shapes.yaml for "
        "learning the parts and classes.yaml for classifying. aerial: towns and country seen by an "
        "airborne laser scanner, labelled ground, vegetation, building and other by ASPRS "
        "numbers, in train and test, aerial.yaml for learning. The same seed gives the same "
        "bytes on every machine.",
    .examples = "gelatto synth rooms -o rooms\n"
                "gelatto synth rooms -o more --rooms 45 --seed 2\n"
                "gelatto synth rooms -o scans --rooms 20 --points 50000 --real\n"
                "gelatto synth shapes -o shapes --shapes 100\n"
                "gelatto synth aerial -o aerial --scenes 12 --format las\n",
    .pages = "docs/how-to/make-synthetic-data.md",
    .options = options,
    .run = run,
};
