/* gelatto man [COMMAND]: manual pages in roff, made from the same tables as the help. */
#include "args.h"
#include "commands.h"
#include "help.h"

#include "gelatto.h"

#include <string.h>

/* Text with the special characters of roff escaped: dashes, backslashes, a leading dot. */
static void print_roff(const char *text)
{
    for (const char *c = text; *c; c++) {
        if ((c == text || c[-1] == '\n') && (*c == '.' || *c == '\''))
            fputs("\\&", stdout);
        if (*c == '-')
            fputs("\\-", stdout);
        else if (*c == '\\')
            fputs("\\e", stdout);
        else
            putchar(*c);
    }
}

static void print_title(const char *page, const char *summary)
{
    printf(".TH ");
    for (const char *c = page; *c; c++)
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    printf(" 1 \"\" \"gelatto %s\" \"gelatto manual\"\n.SH NAME\n", glt_version());
    print_roff(page);
    fputs(" \\- ", stdout);
    print_roff(summary);
    putchar('\n');
}

static void print_options(const struct command *c)
{
    puts(".SH OPTIONS");
    const struct args_option *o;
    for (int i = 0; (o = args_option_at(c, i)); i++) {
        const char *title = help_title(c, i);
        if (title && i > 0) {
            fputs(".SS ", stdout);
            print_roff(title);
            putchar('\n');
        }
        puts(".TP");
        if (o->letter)
            printf("\\fB\\-%c\\fR, ", o->letter);
        fputs("\\fB\\-\\-", stdout);
        print_roff(o->name);
        fputs("\\fR", stdout);
        if (o->value) {
            fputs(" \\fI", stdout);
            print_roff(o->value);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        print_roff(o->help);
        putchar('\n');
    }
}

/* The pages of the documentation, by their installed paths. */
static void print_pages(const char *pages)
{
    while (*pages) {
        int len = (int)strcspn(pages, " ");
        char path[512];
        snprintf(path, sizeof path, "%s/%.*s", GELATTO_DOCUMENTATION, len, pages);
        puts(".br");
        print_roff(path);
        putchar('\n');
        pages += len + (pages[len] == ' ');
    }
}

static void print_command(const struct command *c)
{
    char page[64];
    snprintf(page, sizeof page, "gelatto-%s", c->name);
    print_title(page, c->summary);
    printf(".SH SYNOPSIS\n\\fBgelatto %s\\fR [options]", c->name);
    if (c->operands) {
        putchar(' ');
        print_roff(c->operands);
    }
    puts("\n.SH DESCRIPTION");
    print_roff(c->about ? c->about : c->summary);
    putchar('\n');
    print_options(c);
    if (c->examples) {
        puts(".SH EXAMPLES\n.nf");
        print_roff(c->examples);
        puts(".fi");
    }
    puts(".SH EXIT STATUS\n0 success, 1 failure, 2 usage error.\n.SH SEE ALSO\n\\fBgelatto\\fR(1)");
    print_pages(c->pages ? c->pages : "");
}

static void print_program(void)
{
    print_title("gelatto", "label 3D point clouds with the Ge-Latto network");
    puts(".SH SYNOPSIS\n\\fBgelatto\\fR COMMAND [options] ...\n.SH COMMANDS");
    const struct command *c;
    for (int i = 0; (c = commands_at(i)); i++) {
        printf(".TP\n\\fBgelatto\\-%s\\fR(1)\n", c->name);
        print_roff(c->summary);
        putchar('\n');
    }
    puts(".SH ENVIRONMENT\n"
         ".TP\n\\fBGELATTO_THREADS\\fR\nthreads to use when \\-\\-threads is not given or 0\n"
         ".TP\n\\fBGELATTO_KEY\\fR\nthe option KEY, in capitals and with _ for dots: GELATTO_LR, "
         "GELATTO_AUGMENT_ROTATE; \\-\\-config and \\-\\-set override it\n"
         ".TP\n\\fBGELATTO_MODELS\\fR\nfolders with models, separated by colons\n"
         ".TP\n\\fBGELATTO_CPU\\fR\nforces an instruction set: ref, avx2, avx512 or neon\n"
         ".TP\n\\fBNO_COLOR\\fR\nno colours, whatever the terminal\n"
         ".SH EXIT STATUS\n0 success, 1 failure, 2 usage error.\n.SH SEE ALSO\nThe documentation:");
    print_pages("README.md docs examples");
}

static int run(const struct args *args)
{
    if (args_flag(args, "list")) {
        puts("gelatto");
        for (int i = 0; commands_at(i); i++)
            printf("gelatto-%s\n", commands_at(i)->name);
        return 0;
    }
    if (args->n == 0) {
        print_program();
        return 0;
    }
    const struct command *c = commands_find(args->operands[0]);
    if (!c)
        return 2;
    print_command(c);
    return 0;
}

static const struct args_option options[] = {
    {ARGS_FLAG, "list", 'l', NULL, "print the names of all pages instead", 0, 0},
    {0},
};

const struct command command_man = {
    .name = "man",
    .summary = "print a manual page",
    .operands = "[COMMAND]",
    .operands_max = 1,
    .examples = "gelatto man | man -l -\ngelatto man completion | man -l -\n",
    .options = options,
    .run = run,
};
