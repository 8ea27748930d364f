/* gelatto options [KEY...]: the option table, with the values of a command line. */
#include "config.h"

#include "args.h"
#include "commands.h"
#include "json.h"
#include "report.h"
#include "terminal_text.h"

#include "gelatto.h"

#include <string.h>

static bool wanted(const struct args *args, const char *key)
{
    for (int i = 0; i < args->n; i++)
        if (strcmp(args->operands[i], key) == 0)
            return true;
    return args->n == 0;
}

static int check_keys(const struct args *args)
{
    for (int i = 0; i < args->n; i++) {
        struct args_suggestion s = {.word = args->operands[i]};
        bool found = false;
        struct glt_option o = {.size = sizeof o};
        for (int j = 0; glt_option_at(j, &o) == 0; j++) {
            found |= strcmp(o.key, args->operands[i]) == 0;
            args_suggest(&s, o.key);
        }
        if (!found)
            return args_usage(args->command, "there is no option '%s'%s%s%s", args->operands[i],
                              s.best ? "; did you mean '" : "", s.best ? s.best : "",
                              s.best ? "'?" : "");
    }
    return 0;
}

/* The allowed values: the words of a choice, the range of a number. */
static void describe(char *dst, size_t size, const struct glt_option *o)
{
    if (o->choices && strcmp(o->type, "choice") == 0)
        snprintf(dst, size, "%s", o->choices);
    else if (o->min == 0 && o->max == 0)
        snprintf(dst, size, "%s", o->type);
    else
        snprintf(dst, size, "%s %.16g..%.16g%s%s", o->type, o->min, o->max,
                 o->choices ? " or " : "", o->choices ? o->choices : "");
}

static void print_json(const struct glt_option *o, const char *value, bool first)
{
    const char *const names[] = {"key", "group", "type", "default", "value", "choices", "help"};
    const char *const texts[] = {o->key, o->group, o->type, o->value, value, o->choices, o->help};
    printf("%s\n  {", first ? "[" : ",");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!texts[i])
            continue;
        printf("%s\"%s\": ", i ? ", " : "", names[i]);
        json_text(texts[i]);
    }
    printf(", \"min\": %.17g, \"max\": %.17g}", o->min, o->max);
}

static void print_row(const struct glt_option *o, const char *value)
{
    char range[160];
    describe(range, sizeof range, o);
    terminal_text_printf(stdout, "%-20s %-18s %s\n%-20s (%s)\n", o->key, *value ? value : "-",
                         o->help, "", range);
}

static int list(const struct args *args, const struct glt_config *config)
{
    struct glt_option o = {.size = sizeof o};
    const char *group = "";
    bool json = args_flag(args, "json"), yaml = args_flag(args, "yaml"), first = true;
    for (int i = 0; i < glt_option_count(); i++) {
        char value[512], line[2048];
        if (glt_option_at(i, &o) < 0 || glt_config_get(config, o.key, value, sizeof value) < 0 ||
            glt_config_line(config, o.key, line, sizeof line) < 0)
            return report_failure();
        if (!wanted(args, o.key))
            continue;
        if (strcmp(group, o.group) != 0 && !json)
            printf("%s# %s\n", first ? "" : "\n", o.group);
        group = o.group;
        if (json)
            print_json(&o, value, first);
        else if (yaml)
            puts(line);
        else
            print_row(&o, value);
        first = false;
    }
    if (json)
        puts("\n]");
    return 0;
}

static void list_presets(bool json)
{
    const char *name, *summary;
    for (int i = 0; (name = glt_preset_at(i, &summary)); i++) {
        if (!json) {
            printf("%-18s %s\n", name, summary);
            continue;
        }
        printf("%s\n  {\"name\": ", i ? "," : "[");
        json_text(name);
        printf(", \"summary\": ");
        json_text(summary);
        putchar('}');
    }
    if (json)
        puts("\n]");
}

static int run(const struct args *args)
{
    struct glt_config *config;
    int code = check_keys(args);
    if (code == 0)
        code = config_from(&config, args);
    if (code)
        return code;
    if (args_flag(args, "presets"))
        list_presets(args_flag(args, "json"));
    else
        code = list(args, config);
    glt_config_free(config);
    return code;
}

static const struct args_option options[] = {
    {ARGS_FLAG, "presets", 0, NULL, "list the presets instead", 0, 0},
    {ARGS_FLAG, "json", 'j', NULL, "print as JSON", 0, 0},
    {ARGS_FLAG, "yaml", 'y', NULL, "print as a file that --config reads", 0, 0},
    {0},
};

const struct command command_options = {
    .name = "options",
    .summary = "list the options of network, data and training, and their values",
    .operands = "[KEY...]",
    .operands_max = -1,
    .about = "Lists every option that --set, --config and GELATTO_KEY in the environment know, "
             "with its value under the given command line, its allowed values and its purpose.",
    .examples = "gelatto options\n"
                "gelatto options lr schedule\n"
                "gelatto options --set preset=small --yaml > small.yaml\n"
                "gelatto options --presets\n",
    .pages = "docs/network.md docs/reference/run-folder.md",
    .options = options,
    .config = true,
    .run = run,
};
