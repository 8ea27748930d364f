/* Help: see help.h. */
#include "help.h"

#include "commands.h"

#include <string.h>

/* Text of one option in the left column: "-o, --output FILE". */
static void option_label(char *dst, size_t size, const struct args_option *o)
{
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(dst, size, "%s--%s%s%s", letter, o->name, o->value ? " " : "",
             o->value ? o->value : "");
}

/* Words of `text` from column `left` to column 96; the cursor is at `column`. */
static void print_wrapped(FILE *out, const char *text, int left, int column)
{
    const int right = 96;
    for (const char *w = text; *w;) {
        int len = (int)strcspn(w, " ");
        if (column > left && column + 1 + len > right) {
            fprintf(out, "\n%*s", left, "");
            column = left;
        } else if (column > left) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", len, w);
        column += len;
        w += len;
        w += strspn(w, " ");
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const struct args_option *o)
{
    enum { LEFT = 30 };
    char label[96];
    option_label(label, sizeof label, o);
    int width = fprintf(out, "  %s", label);
    if (width > LEFT - 2)
        fprintf(out, "\n%*s", LEFT, "");
    else
        fprintf(out, "%*s", LEFT - width, "");
    print_wrapped(out, o->help, LEFT, LEFT);
}

static void print_indented(FILE *out, const char *text)
{
    for (const char *line = text; *line;) {
        int len = (int)strcspn(line, "\n");
        fprintf(out, "  %.*s\n", len, line);
        line += len + (line[len] == '\n');
    }
}

const char *help_title(const struct command *command, int i)
{
    const struct args_option *o = args_option_at(command, i);
    int own = 0;
    while (command->options && command->options[own].name)
        own++;
    if (i == own)
        return own ? "common options" : "options";
    for (const struct args_group *g = command->groups; g && g->first && i < own; g++)
        if (!strcmp(g->first, o->name))
            return g->title;
    return i == 0 ? "options" : NULL;
}

static void print_options(FILE *out, const struct command *command)
{
    for (int i = 0; args_option_at(command, i); i++) {
        const char *title = help_title(command, i);
        if (title)
            fprintf(out, "\n%s:\n", title);
        print_option(out, args_option_at(command, i));
    }
}

void help_command(FILE *out, const struct command *command)
{
    fprintf(out, "gelatto %s: %s\n\nusage: gelatto %s [options]%s%s\n", command->name,
            command->summary, command->name, command->operands ? " " : "",
            command->operands ? command->operands : "");
    if (command->about) {
        fputc('\n', out);
        print_wrapped(out, command->about, 0, 0);
    }
    print_options(out, command);
    if (command->examples) {
        fprintf(out, "\nexamples:\n");
        print_indented(out, command->examples);
    }
}

void help_list(FILE *out)
{
    fputs("gelatto labels 3D point clouds with the Ge-Latto network.\n\n"
          "usage: gelatto COMMAND [options] ...\n\ncommands:\n",
          out);
    for (int i = 0; commands_at(i); i++)
        fprintf(out, "  %-12s  %s\n", commands_at(i)->name, commands_at(i)->summary);
    fputs("\n'gelatto COMMAND --help' prints the options of a command, with examples.\n"
          "Results go to stdout, diagnostics to stderr. Exit status: 0 success, 1 failure, 2 usage "
          "error.\n",
          out);
}
