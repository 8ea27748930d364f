/* gelatto completion bash|zsh|fish: a completion script made from the tables of commands and
 * options, of presets, grids and keys of --set; installed models are listed on demand. For other
 * words the shell completes file names. */
#include "args.h"
#include "commands.h"

#include "gelatto_tool.h"

#include <string.h>

enum { WORDS = 8192 };
/* The shell command that lists installed models. */
#define MODELS "gelatto models -q 2>/dev/null | awk \"NR > 1 {print \\$1}\""

static void add_word(char words[WORDS], const char *word, const char *end)
{
    size_t len = strlen(words);
    snprintf(words + len, WORDS - len, "%s%s%s", len ? " " : "", word, end);
}

/* The words of a choice "a|b|c" (or of a list "a, b, c") with blanks between them. */
static void take_choice(char words[WORDS], const char *choice)
{
    snprintf(words, WORDS, "%s", choice);
    for (char *w = words; *w; w++)
        if (*w == '|' || *w == ',')
            *w = ' ';
}

static void list_commands(char words[WORDS])
{
    words[0] = 0;
    for (int i = 0; commands_at(i); i++)
        add_word(words, commands_at(i)->name, "");
}

/* All values an option may have, "" if they cannot be listed. */
static void list_values(char words[WORDS], const struct args_option *o)
{
    struct glt_option key = {.size = sizeof key};
    words[0] = 0;
    if (o->kind == ARGS_CHOICE)
        take_choice(words, o->value);
    for (int i = 0; !strcmp(o->name, "preset") && glt_preset_at(i, NULL); i++)
        add_word(words, glt_preset_at(i, NULL), "");
    for (int i = 0; !strcmp(o->name, "set") && glt_option_at(i, &key) == 0; i++)
        add_word(words, key.key, "=");
    if (!strcmp(o->name, "grid")) {
        char names[1024];
        glt_grids(names, sizeof names);
        take_choice(words, names);
    }
}

static bool is_model(const char *value)
{
    return value && !strncmp(value, "MODEL", 5);
}

/* The same of a command's first operand. */
static void list_operands(char words[WORDS], const struct command *c)
{
    words[0] = 0;
    if (!c->operands)
        return;
    if (!strcmp(c->operands, "[COMMAND]"))
        list_commands(words);
    else if (strchr(c->operands, '|') && c->operands[0] >= 'a')
        take_choice(words, c->operands);
}

/* Text in single quotes for all three shells: fish and POSIX shells both accept closing the quotes
 * around an escaped quote. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*c);
    }
    putchar('\'');
}

static void print_bash_command(const struct command *c)
{
    char words[WORDS];
    const struct args_option *o;
    for (int j = 0; (o = args_option_at(c, j)); j++) {
        list_values(words, o);
        if (!words[0] && !is_model(o->value))
            continue;
        printf("        %s:--%s", c->name, o->name);
        if (o->letter)
            printf("|%s:-%c", c->name, o->letter);
        if (words[0])
            printf(") words='%s' ;;\n", words);
        else
            puts(") words=$(" MODELS ") ;;");
    }
    printf("        %s:*) options='", c->name);
    for (int j = 0; (o = args_option_at(c, j)); j++)
        printf("%s--%s", j ? " " : "", o->name);
    puts("'");
    list_operands(words, c);
    if (words[0])
        printf("            words='%s'\n", words);
    else if (is_model(c->operands))
        puts("            [ \"$COMP_CWORD\" -ne 2 ] || words=$(" MODELS ")");
    puts("            ;;");
}

/* "=" is a word of its own in COMP_WORDS: "--set task=parts" arrives as --set, task, =, parts. */
static void print_bash(void)
{
    char words[WORDS];
    struct glt_option key = {.size = sizeof key};
    list_commands(words);
    printf("# bash completion for gelatto: eval \"$(gelatto completion bash)\"\n"
           "_gelatto() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local command=${COMP_WORDS[1]} words='' options=''\n"
           "    COMPREPLY=()\n"
           "    if [ \"$word\" = = ]; then\n"
           "        word=''\n"
           "        [[ $before == -* ]] || before+==\n"
           "    elif [ \"$before\" = = ]; then\n"
           "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
           "        [[ $before == -* ]] || before+==\n"
           "    fi\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        words='%s'\n"
           "    else\n"
           "        case \"$command:$before\" in\n",
           words);
    for (int i = 0; glt_option_at(i, &key) == 0; i++) {
        if (!key.choices || strcmp(key.type, "choice"))
            continue;
        take_choice(words, key.choices);
        printf("        *:%s=) words='%s' ;;\n", key.key, words);
    }
    for (int i = 0; commands_at(i); i++)
        print_bash_command(commands_at(i));
    puts("        esac\n    fi\n"
         "    [[ $word != -* ]] || words=$options\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "    [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null || :\n"
         "}\n"
         "complete -o default -F _gelatto gelatto");
}

/* One option in the form of _arguments, by name or letter: "--name[help]", with ":what:(words)",
 * ":what:_gelatto_models" or ":what:_files" if it takes a value. */
static void print_zsh_option(const struct args_option *o, bool letter)
{
    char text[WORDS + 512], help[256], words[WORDS], name[64];
    size_t n = 0;
    bool flag = o->kind == ARGS_FLAG;
    if (letter)
        snprintf(name, sizeof name, "-%c%s", o->letter, flag ? "" : "+");
    else
        snprintf(name, sizeof name, "--%s%s", o->name, flag ? "" : "=");
    for (const char *p = o->help; *p && n + 2 < sizeof help; p++) {
        if (strchr("[]:\\", *p))
            help[n++] = '\\';
        help[n++] = *p;
    }
    help[n] = 0;
    list_values(words, o);
    if (flag)
        snprintf(text, sizeof text, "%s[%s]", name, help);
    else if (words[0])
        snprintf(text, sizeof text, "*%s[%s]:%s:(%s)", name, help, o->name, words);
    else
        snprintf(text, sizeof text, "*%s[%s]:%s:%s", name, help, o->value,
                 is_model(o->value) ? "_gelatto_models" : "_files");
    fputs(" \\\n        ", stdout);
    print_quoted(text);
}

static void print_zsh(void)
{
    puts("#compdef gelatto\n"
         "# zsh completion for gelatto: save as _gelatto in a folder of $fpath\n"
         "_gelatto_models() {\n    compadd -- $(" MODELS ")\n    _files\n}\n"
         "local -a commands\ncommands=(");
    char words[WORDS];
    const struct command *c;
    for (int i = 0; (c = commands_at(i)); i++) {
        char text[256];
        snprintf(text, sizeof text, "%s:%s", c->name, c->summary);
        fputs("    ", stdout);
        print_quoted(text);
        putchar('\n');
    }
    puts(")\nif (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\n"
         "shift words\n(( CURRENT-- ))\ncase ${words[1]} in");
    for (int i = 0; (c = commands_at(i)); i++) {
        printf("%s)\n    _arguments", c->name);
        const struct args_option *o;
        for (int j = 0; (o = args_option_at(c, j)); j++) {
            print_zsh_option(o, false);
            if (o->letter)
                print_zsh_option(o, true);
        }
        list_operands(words, c);
        if (words[0])
            printf(" \\\n        '1:word:(%s)'", words);
        else if (is_model(c->operands))
            fputs(" \\\n        '1:model:_gelatto_models'", stdout);
        puts(" \\\n        '*:file:_files'\n    ;;");
    }
    puts("esac");
}

static void print_fish(void)
{
    puts("# fish completion for gelatto: gelatto completion fish | source");
    char words[WORDS];
    const struct command *c;
    for (int i = 0; (c = commands_at(i)); i++) {
        printf("complete -c gelatto -n __fish_use_subcommand -f -a %s -d ", c->name);
        print_quoted(c->summary);
        putchar('\n');
        list_operands(words, c);
        if (words[0])
            printf("complete -c gelatto -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", c->name,
                   words);
        else if (is_model(c->operands))
            printf("complete -c gelatto -n '__fish_seen_subcommand_from %s; and test (count "
                   "(commandline -opc)) -eq 2' -a '(" MODELS ")'\n",
                   c->name);
        const struct args_option *o;
        for (int j = 0; (o = args_option_at(c, j)); j++) {
            printf("complete -c gelatto -n '__fish_seen_subcommand_from %s' -l %s", c->name,
                   o->name);
            if (o->letter)
                printf(" -s %c", o->letter);
            list_values(words, o);
            if (words[0])
                printf(" -x -a '%s'", words);
            else if (is_model(o->value))
                fputs(" -r -a '(" MODELS ")'", stdout);
            else if (o->kind != ARGS_FLAG)
                fputs(" -r", stdout);
            fputs(" -d ", stdout);
            print_quoted(o->help);
            putchar('\n');
        }
    }
}

static int run(const struct args *args)
{
    const char *shell = args->operands[0];
    if (strcmp(shell, "bash") == 0)
        print_bash();
    else if (strcmp(shell, "zsh") == 0)
        print_zsh();
    else if (strcmp(shell, "fish") == 0)
        print_fish();
    else
        return args_usage(args->command, "%s: expected bash, zsh or fish", shell);
    return 0;
}

const struct command command_completion = {
    .name = "completion",
    .summary = "print the completion script of a shell",
    .operands = "bash|zsh|fish",
    .operands_min = 1,
    .operands_max = 1,
    .examples = "eval \"$(gelatto completion bash)\"\n"
                "gelatto completion zsh > ~/.zfunc/_gelatto\n"
                "gelatto completion fish | source\n",
    .run = run,
};
