/* gelatto completion bash|zsh|fish: a completion script made from the tables of commands and
 * options. Words that are neither are left to the shell's own file completion. */
#include "commands.h"

#include <string.h>

/* The words of a choice "a|b|c" with blanks between them. */
static void print_words(const char *choice)
{
    for (const char *w = choice; *w; w++)
        putchar(*w == '|' ? ' ' : *w);
}

/* Text inside single quotes of any of the three shells (fish and POSIX agree on closing the quote
 * around an escaped one). */
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

static void print_bash(void)
{
    puts("# bash completion for gelatto: eval \"$(gelatto completion bash)\"\n"
         "_gelatto() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=''\n"
         "    COMPREPLY=()\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("        words='", stdout);
    for (int i = 0; command_at(i); i++)
        printf("%s%s", i ? " " : "", command_at(i)->name);
    puts("'\n    else\n        case \"$command:${COMP_WORDS[COMP_CWORD-1]}\" in");
    const struct command *c;
    for (int i = 0; (c = command_at(i)); i++) {
        const struct args_option *o;
        for (int j = 0; (o = args_option_at(c, j)); j++) {
            if (o->kind != ARGS_CHOICE)
                continue;
            printf("        %s:--%s) words='", c->name, o->name);
            print_words(o->value);
            puts("' ;;");
        }
        printf("        %s:*) words='", c->name);
        for (int j = 0; (o = args_option_at(c, j)); j++)
            printf("%s--%s", j ? " " : "", o->name);
        puts("' ;;");
    }
    puts("        esac\n    fi\n"
         "    [ \"$COMP_CWORD\" -gt 1 ] && [[ $word != -* && $words == --* ]] && words=''\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _gelatto gelatto");
}

/* One option as _arguments wants it: "--name[help]", with ":what:(words)" or ":what:_files". */
static void print_zsh_option(const struct args_option *o)
{
    char text[512], help[256];
    size_t n = 0;
    for (const char *p = o->help; *p && n + 2 < sizeof help; p++) {
        if (strchr("[]:\\", *p))
            help[n++] = '\\';
        help[n++] = *p;
    }
    help[n] = 0;
    if (o->kind == ARGS_FLAG) {
        snprintf(text, sizeof text, "--%s[%s]", o->name, help);
    } else if (o->kind == ARGS_CHOICE) {
        int len =
            snprintf(text, sizeof text, "*--%s=[%s]:%s:(%s)", o->name, help, o->name, o->value);
        for (char *c = text; c < text + len; c++)
            if (*c == '|')
                *c = ' ';
    } else {
        snprintf(text, sizeof text, "*--%s=[%s]:%s:_files", o->name, help, o->value);
    }
    print_quoted(text);
}

static void print_zsh(void)
{
    puts("#compdef gelatto\n"
         "# zsh completion for gelatto: save as _gelatto in a folder of $fpath\n"
         "local -a commands\ncommands=(");
    const struct command *c;
    for (int i = 0; (c = command_at(i)); i++) {
        char text[256];
        snprintf(text, sizeof text, "%s:%s", c->name, c->summary);
        fputs("    ", stdout);
        print_quoted(text);
        putchar('\n');
    }
    puts(")\nif (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\n"
         "case ${words[2]} in");
    for (int i = 0; (c = command_at(i)); i++) {
        printf("%s)\n    _arguments", c->name);
        for (int j = 0; args_option_at(c, j); j++) {
            fputs(" \\\n        ", stdout);
            print_zsh_option(args_option_at(c, j));
        }
        puts(" \\\n        '*:file:_files'\n    ;;");
    }
    puts("esac");
}

static void print_fish(void)
{
    puts("# fish completion for gelatto: gelatto completion fish | source");
    const struct command *c;
    for (int i = 0; (c = command_at(i)); i++) {
        printf("complete -c gelatto -n __fish_use_subcommand -f -a %s -d ", c->name);
        print_quoted(c->summary);
        putchar('\n');
        const struct args_option *o;
        for (int j = 0; (o = args_option_at(c, j)); j++) {
            printf("complete -c gelatto -n '__fish_seen_subcommand_from %s' -l %s", c->name,
                   o->name);
            if (o->letter)
                printf(" -s %c", o->letter);
            if (o->kind == ARGS_CHOICE) {
                fputs(" -x -a '", stdout);
                print_words(o->value);
                putchar('\'');
            } else if (o->kind != ARGS_FLAG) {
                fputs(" -r", stdout);
            }
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
