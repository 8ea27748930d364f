/* Parsing of a command line by its table: long and short options, "--name=value", "--", values are
 * checked against type and range before the command runs, and errors suggest the nearest name. */
#include "args.h"

#include "terminal_text.h"

#include "gelatto.h"
#include "gelatto_tool.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct args_given {
    const struct args_option *option;
    const char *value; /* NULL for flags */
};

static const struct args_option common[] = {
    {ARGS_INT, "threads", 't', "N", "threads to use (default: GELATTO_THREADS, else all cores)", 0,
     1024},
    {ARGS_FLAG, "quiet", 'q', NULL, "no progress and no notes; only warnings and errors", 0, 0},
    {ARGS_FLAG, "help", 'h', NULL, "this help", 0, 0},
    {0},
};

static const struct args_option common_config[] = {
    {ARGS_TEXT, "set", 's', "KEY=VALUE", "set an option; 'gelatto options' lists them", 0, 0},
    {ARGS_TEXT, "config", 'c', "FILE.yaml", "read options from a file; --set overrides it", 0, 0},
    {0},
};

const struct args_option *args_option_at(const struct command *command, int i)
{
    const struct args_option *tables[] = {command->options, command->config ? common_config : NULL,
                                          common};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct args_option *o = tables[t]; o && o->kind != ARGS_END; o++)
            if (i-- == 0)
                return o;
    return NULL;
}

int args_usage(const struct command *command, const char *format, ...)
{
    fprintf(stderr, "gelatto %s: ", command->name);
    va_list list;
    va_start(list, format);
    terminal_text_vprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\ntry 'gelatto %s --help'\n", command->name);
    return 2;
}

void args_suggest(struct args_suggestion *s, const char *candidate)
{
    size_t len = strlen(s->word);
    int distance = glt_word_distance(s->word, candidate);
    /* A prefix of three letters or more is near, however long the rest. */
    if (len >= 3 && strncmp(s->word, candidate, len) == 0)
        distance = 1;
    if (distance <= (len < 4 ? 1 : 2) && (!s->best || distance < s->distance)) {
        s->best = candidate;
        s->distance = distance;
    }
}

static int unknown_option(const struct command *command, const char *name, size_t len)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)len, name);
    struct args_suggestion s = {.word = word};
    for (int i = 0; args_option_at(command, i); i++)
        args_suggest(&s, args_option_at(command, i)->name);
    if (s.best)
        return args_usage(command, "there is no option --%s; did you mean --%s?", word, s.best);
    struct glt_option o = {.size = sizeof o};
    for (int i = 0; command->config && glt_option_at(i, &o) == 0; i++)
        if (strcmp(o.key, word) == 0)
            return args_usage(command, "there is no option --%s; did you mean --set %s=VALUE?",
                              word, word);
    return args_usage(command, "there is no option --%s", word);
}

static const struct args_option *find_long(const struct command *command, const char *name,
                                           size_t len)
{
    const struct args_option *o;
    for (int i = 0; (o = args_option_at(command, i)); i++)
        if (strlen(o->name) == len && memcmp(o->name, name, len) == 0)
            return o;
    return NULL;
}

static const struct args_option *find_short(const struct command *command, char letter)
{
    const struct args_option *o;
    for (int i = 0; (o = args_option_at(command, i)); i++)
        if (o->letter && o->letter == letter)
            return o;
    return NULL;
}

static bool is_choice(const char *words, const char *value)
{
    size_t len = strlen(value);
    for (const char *w = words; w; w = strchr(w, '|') ? strchr(w, '|') + 1 : NULL)
        if (len > 0 && strcspn(w, "|") == len && memcmp(w, value, len) == 0)
            return true;
    return false;
}

/* The program never calls setlocale, so strtod reads the C locale's numbers. */
static int check_value(const struct command *command, const struct args_option *o,
                       const char *value)
{
    bool ranged = o->low != 0 || o->high != 0;
    char *end = NULL;
    errno = 0;
    if (o->kind == ARGS_CHOICE && !is_choice(o->value, value))
        return args_usage(command, "--%s %s: expected %s", o->name, value, o->value);
    if (o->kind == ARGS_INT) {
        long long v = strtoll(value, &end, 10);
        if (end == value || *end || errno || isspace((unsigned char)*value))
            return args_usage(command, "--%s %s: expected a whole number", o->name, value);
        if (ranged && ((double)v < o->low || (double)v > o->high))
            return args_usage(command, "--%s %s: expected %.0f to %.0f", o->name, value, o->low,
                              o->high);
    }
    if (o->kind == ARGS_NUMBER) {
        double v = strtod(value, &end);
        if (end == value || *end || !isfinite(v) || isspace((unsigned char)*value))
            return args_usage(command, "--%s %s: expected a number", o->name, value);
        if (ranged && (v < o->low || v > o->high))
            return args_usage(command, "--%s %s: expected %.15g to %.15g", o->name, value, o->low,
                              o->high);
    }
    return 0;
}

static int take_value(struct args *args, const struct args_option *o, const char *value)
{
    int code = check_value(args->command, o, value);
    if (code == 0)
        args->given[args->n_given++] = (struct args_given){o, value};
    return code;
}

/* Parses one word that begins with a dash; *used counts the words after it that belong to it. */
static int parse_option(struct args *args, char **argv, int left, int *used)
{
    const char *word = argv[0];
    const struct command *command = args->command;
    if (word[1] == '-') {
        size_t len = strcspn(word + 2, "=");
        const struct args_option *o = find_long(command, word + 2, len);
        if (!o)
            return unknown_option(command, word + 2, len);
        const char *value = word[2 + len] == '=' ? word + 3 + len : NULL;
        if (o->kind == ARGS_FLAG) {
            if (value)
                return args_usage(command, "--%s takes no value", o->name);
            args->given[args->n_given++] = (struct args_given){o, NULL};
            return 0;
        }
        if (!value && left < 2)
            return args_usage(command, "--%s needs a value: %s", o->name, o->value);
        *used = value ? 0 : 1;
        return take_value(args, o, value ? value : argv[1]);
    }
    const struct args_option *o = find_short(command, word[1]);
    if (!o)
        return args_usage(command, "there is no option -%c", word[1]);
    if (o->kind == ARGS_FLAG) {
        if (word[2])
            return args_usage(command, "%s: write short options one by one", word);
        args->given[args->n_given++] = (struct args_given){o, NULL};
        return 0;
    }
    if (!word[2] && left < 2)
        return args_usage(command, "-%c needs a value: %s", o->letter, o->value);
    *used = word[2] ? 0 : 1;
    return take_value(args, o, word[2] ? word + 2 : argv[1]);
}

static int check_operands(const struct args *args)
{
    const struct command *c = args->command;
    if (c->operands_max >= 0 && args->n > c->operands_max)
        return c->operands_max == 0 ? args_usage(c, "%s: it takes no operands", args->operands[0])
                                    : args_usage(c, "%s: one operand too many, expected %s",
                                                 args->operands[c->operands_max], c->operands);
    if (args->n < c->operands_min)
        return args_usage(c, "missing operand: expected %s", c->operands);
    return 0;
}

int args_parse(struct args *args, const struct command *command, int argc, char **argv, bool *help)
{
    *args = (struct args){.command = command};
    *help = false;
    args->operands = calloc((size_t)argc + 1, sizeof *args->operands);
    args->given = calloc((size_t)argc + 1, sizeof *args->given);
    if (!args->operands || !args->given) {
        fprintf(stderr, "gelatto: out of memory\n");
        return 1;
    }
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            *help = true;
        if (strcmp(argv[i], "--") == 0)
            break;
    }
    if (*help)
        return 0;
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        int used = 0;
        if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
            args->operands[args->n++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            only_operands = true;
        } else {
            int code = parse_option(args, argv + i, argc - i, &used);
            if (code)
                return code;
        }
        i += used;
    }
    return check_operands(args);
}

void args_free(struct args *args)
{
    free(args->operands);
    free(args->given);
    *args = (struct args){0};
}

/* The last time the option was given. */
static const struct args_given *find_given(const struct args *args, const char *name)
{
    if (!find_long(args->command, name, strlen(name)))
        abort(); /* a bug: the command's table does not have this option */
    for (int g = args->n_given - 1; g >= 0; g--)
        if (strcmp(args->given[g].option->name, name) == 0)
            return &args->given[g];
    return NULL;
}

bool args_flag(const struct args *args, const char *name)
{
    return find_given(args, name) != NULL;
}

const char *args_text(const struct args *args, const char *name, const char *otherwise)
{
    const struct args_given *g = find_given(args, name);
    return g ? g->value : otherwise;
}

const char *args_text_known(const struct args *args, const char *name)
{
    return find_long(args->command, name, strlen(name)) ? args_text(args, name, NULL) : NULL;
}

/* Appends a text; a backslash comes before each of `escaped`. False if there is no space left. */
static bool append_escaped(char options[ARGS_OPTIONS_MAX], const char *text, const char *escaped)
{
    size_t used = strlen(options);
    for (; *text && used + 3 <= ARGS_OPTIONS_MAX; text++) {
        if (strchr(escaped, *text))
            options[used++] = '\\';
        options[used++] = *text;
    }
    options[used] = 0;
    return !*text;
}

int args_options(char options[ARGS_OPTIONS_MAX], const struct args *args, const char *names)
{
    char name[32], start[sizeof name + 2];
    size_t len;
    for (; *names; names += len + strspn(names + len, " ")) {
        len = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)len, names);
        const struct args_given *g = find_given(args, name);
        if (!g)
            continue;
        for (char *dash = name; (dash = strchr(dash, '-'));)
            *dash = '_';
        snprintf(start, sizeof start, " %s%s", name, g->value ? "=" : "");
        if (!append_escaped(options, start, "") ||
            !append_escaped(options, g->value ? g->value : "", " \t\n\\"))
            return args_usage(args->command, "the options are too long");
    }
    return 0;
}

int args_refuse(const struct args *args, const char *names, const char *why)
{
    char name[64];
    for (size_t len; *names; names += len + (names[len] == ' ')) {
        len = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)len, names);
        if (find_given(args, name))
            return args_usage(args->command, "--%s %s", name, why);
    }
    return 0;
}

int64_t args_int(const struct args *args, const char *name, int64_t otherwise)
{
    const struct args_given *g = find_given(args, name);
    return g ? strtoll(g->value, NULL, 10) : otherwise;
}

double args_number(const struct args *args, const char *name, double otherwise)
{
    const struct args_given *g = find_given(args, name);
    return g ? strtod(g->value, NULL) : otherwise;
}

const char *args_text_at(const struct args *args, const char *name, int i)
{
    for (int g = 0; g < args->n_given; g++)
        if (strcmp(args->given[g].option->name, name) == 0 && i-- == 0)
            return args->given[g].value;
    return NULL;
}

static void append(char *dst, size_t size, const char *text)
{
    size_t used = strlen(dst);
    snprintf(dst + used, size - used, "%s", text);
}

void args_quote(char *dst, size_t size, const char *word)
{
    append(dst, size, "'");
    for (; *word; word++) /* at a quote: close, an escaped quote, reopen */
        append(dst, size, *word == '\'' ? "'\\''" : (char[]){*word, 0});
    append(dst, size, "'");
}

/* Appends a word after a blank, in quotes if the shell needs them. */
static void describe_word(char *dst, size_t size, const char *word)
{
    append(dst, size, " ");
    if (*word && strcspn(word, " \t\n\"'$&|;<>()*?[]#~`\\") == strlen(word))
        append(dst, size, word);
    else
        args_quote(dst, size, word);
}

/* Truncated text may end within a UTF-8 character, which is removed. */
static void drop_torn_character(char *text)
{
    size_t end = strlen(text), lead = end;
    while (lead > 0 && end - lead < 3 && ((unsigned char)text[lead - 1] & 0xc0) == 0x80)
        lead--;
    if (lead == 0 || (unsigned char)text[lead - 1] < 0xc0)
        return;
    unsigned char first = (unsigned char)text[lead - 1];
    size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (end - (lead - 1) < wanted)
        text[lead - 1] = 0;
}

void args_describe(char *dst, size_t size, const struct args *args)
{
    snprintf(dst, size, "gelatto %s", args->command->name);
    for (int i = 0; i < args->n; i++)
        describe_word(dst, size, args->operands[i]);
    for (int g = 0; g < args->n_given; g++) {
        char name[64];
        snprintf(name, sizeof name, "--%s", args->given[g].option->name);
        describe_word(dst, size, name);
        if (args->given[g].value)
            describe_word(dst, size, args->given[g].value);
    }
    drop_torn_character(dst);
}
