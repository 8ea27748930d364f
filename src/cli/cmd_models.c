/* gelatto models: lists installed models. */
#include "args.h"
#include "commands.h"
#include "json.h"
#include "report.h"
#include "terminal_text.h"

#include "gelatto.h"

struct listing {
    bool json;
    int n;
};

static void print_row(void *user, const struct glt_installed *m)
{
    struct listing *l = user;
    if (!l->json) {
        if (l->n == 0)
            printf("%-14s %-8s %7s %5s  %-18s %-38s %s\n", "name", "task", "classes", "MB",
                   "licence", "inputs", "use");
        terminal_text_printf(stdout, "%-14s %-8s %7d %5.1f  %-18s %-38s %s\n", m->name, m->task,
                             m->classes, (double)m->bytes / 1e6, *m->licence ? m->licence : "-",
                             m->inputs, *m->use ? m->use : "-");
    } else {
        const char *const texts[][2] = {{"name", m->name},       {"task", m->task},
                                        {"inputs", m->inputs},   {"preset", m->preset},
                                        {"licence", m->licence}, {"use", m->use},
                                        {"path", m->path}};
        printf(l->n ? ",\n {" : "[{");
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            printf("\"%s\": ", texts[i][0]);
            json_text(texts[i][1]);
            printf(", ");
        }
        printf("\"classes\": %d, \"bytes\": %lld}", m->classes, (long long)m->bytes);
    }
    l->n++;
}

static int run(const struct args *args)
{
    struct listing l = {.json = args_flag(args, "json")};
    if (glt_models(print_row, &l) < 0)
        return report_failure();
    if (l.json)
        printf(l.n ? "]\n" : "[]\n");
    else if (l.n == 0)
        report_note("no models are installed; GELATTO_MODELS names folders with more");
    return 0;
}

static const struct args_option options[] = {
    {ARGS_FLAG, "json", 'j', NULL, "print a JSON list", 0, 0},
    {0},
};

const struct command command_models = {
    .name = "models",
    .summary = "list the installed models",
    .about = "Models are found in the folders of the environment variable GELATTO_MODELS "
             "(separated by colons), in the share folder of the installation and, when the program "
             "runs from its build tree, in models/ of the source tree. Their names can be given "
             "wherever a MODEL is expected. --json also says where their files are.",
    .examples = "gelatto models\n"
                "GELATTO_MODELS=~/models gelatto models --json\n",
    .pages = "docs/reference/prediction.md",
    .options = options,
    .run = run,
};
