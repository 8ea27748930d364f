/* The outputs for inputs: see outputs.h. All are named before the first is read, so that no output
 * destroys an input. */
#include "outputs.h"

#include "report.h"

#include "gelatto_tool.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* An operand and the files it stands for. */
struct operand {
    const char *word;
    const char *to; /* the real path of the folder of outputs; "" if there is none yet */
    struct outputs *outputs;
    int own; /* files that are left out */
};

static bool is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    len -= len > 0 && folder[len - 1] == '/';
    return !strncmp(path, folder, len) && path[len] == '/' && path[len + 1];
}

/* Whether the file is the output of an earlier run, found because the folder of outputs lies below
 * that of the inputs. */
static bool is_own(const struct operand *x, const char *path, const char *under)
{
    char folder[PATH_MAX], above[PATH_MAX], real[PATH_MAX];
    int len = (int)(strlen(path) - strlen(under));
    return *x->to && strcmp(path, x->word) &&
           snprintf(folder, sizeof folder, "%.*s", len ? len : 1, len ? path : ".") < PATH_MAX &&
           realpath(folder, above) && realpath(path, real) && is_below(x->to, above) &&
           is_below(real, x->to);
}

/* For now `out` is the part of the path to repeat in a folder of outputs. */
static int add_file(void *user, const char *path, const char *under)
{
    struct operand *x = user;
    struct outputs *o = x->outputs;
    if (is_own(x, path, under)) {
        x->own++;
        return 0;
    }
    if (o->n == o->room) {
        int room = o->room ? 2 * o->room : 64;
        struct output *list = realloc(o->list, (size_t)room * sizeof *list);
        if (!list)
            return GLT_ENOMEM;
        o->list = list;
        o->room = room;
    }
    o->list[o->n++] = (struct output){strdup(path), strdup(under)};
    return o->list[o->n - 1].in && o->list[o->n - 1].out ? 0 : GLT_ENOMEM;
}

/* The name of the output: `to`, or in it the path below the folder, as PLY if the input's format
 * cannot be written or hold labels. */
static int name_output(struct output *x, const char *to, bool folder)
{
    char path[PATH_MAX];
    bool written = glt_cloud_write(NULL, x->out, "labels") != GLT_EUNSUPPORTED;
    int used = folder ? snprintf(path, sizeof path, "%s/%s%s", to, x->out, written ? "" : ".ply")
                      : snprintf(path, sizeof path, "%s", to);
    if ((size_t)used >= sizeof path) {
        report_warning("%s: the output's path is too long", x->in);
        return 1;
    }
    free(x->out);
    x->out = strdup(path);
    return x->out ? 0 : report_no_memory();
}

static bool is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISDIR(s.st_mode);
}

/* Whether `to` names a folder: an existing one, or a name without an extension. */
static bool names_folder(const char *to)
{
    struct stat s;
    const char *slash = strrchr(to, '/'), *name = slash ? slash + 1 : to;
    return !strchr(name, '.') || (stat(to, &s) == 0 && S_ISDIR(s.st_mode));
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* names: with capacity for all of them. */
static int check_repeats(const char **names, const struct outputs *o, const struct command *c)
{
    for (int i = 0; i < o->n; i++)
        names[i] = o->list[i].out;
    qsort(names, (size_t)o->n, sizeof *names, compare);
    for (int i = 1; i < o->n; i++)
        if (!strcmp(names[i - 1], names[i]))
            return args_usage(c,
                              "%s would be the output of several inputs: give them outputs of "
                              "their own, one by one or under one folder",
                              names[i]);
    return 0;
}

/* inputs (n): their real paths, sorted. */
static int check_output(const struct output *x, char *const *inputs, int n, const struct command *c,
                        bool overwrite)
{
    char *real = realpath(x->out, NULL); /* NULL: no such file yet */
    if (!real && errno == ENOMEM)
        return report_no_memory();
    bool input = real && bsearch(&real, inputs, (size_t)n, sizeof *inputs, compare);
    bool own = input && glt_same_file(x->in, x->out);
    free(real);
    if (!input || (own && overwrite))
        return 0;
    return args_usage(c, "%s is an input and would be overwritten: name another output%s", x->out,
                      own ? ", or say --overwrite" : "");
}

static int check(const struct outputs *o, const struct command *c, bool overwrite)
{
    const char **names = malloc((size_t)o->n * sizeof *names);
    char **inputs = malloc((size_t)o->n * sizeof *inputs);
    int code = names && inputs ? check_repeats(names, o, c) : report_no_memory(), n = 0;
    for (int i = 0; code == 0 && i < o->n; i++) {
        if ((inputs[n] = realpath(o->list[i].in, NULL)))
            n++;
        else if (errno == ENOMEM) /* else it is missing, and reading it will fail */
            code = report_no_memory();
    }
    if (code == 0)
        qsort(inputs, (size_t)n, sizeof *inputs, compare);
    for (int i = 0; code == 0 && i < o->n; i++)
        code = check_output(&o->list[i], inputs, n, c, overwrite);
    while (n > 0)
        free(inputs[--n]);
    free(inputs);
    free(names);
    return code;
}

int outputs_plan(struct outputs *o, const struct args *args, int first, const char *to,
                 bool overwrite)
{
    char real[PATH_MAX];
    bool exists = to && !is_file(to) && realpath(to, real);
    *o = (struct outputs){0};
    for (int i = first, code; i < args->n; i++) {
        struct operand x = {args->operands[i], exists ? real : "", o, 0};
        if ((code = glt_cloud_files(x.word, add_file, &x)) < 0)
            return code == GLT_ENOMEM ? report_no_memory() : report_failure();
        if (x.own)
            report_note("%d file%s in %s, the folder of outputs, left out", x.own,
                        x.own == 1 ? "" : "s", to);
    }
    if (o->n == 0 && exists) {
        report_failure_text("no clouds but those in %s, the folder of outputs", to);
        return 1;
    }
    o->folder = to && (o->n > 1 || names_folder(to));
    if (to && !strcmp(to, "-"))
        return args_usage(args->command, "-o -: clouds are not written to stdout: name a file");
    if (o->folder && is_file(to))
        return args_usage(args->command,
                          "%s is a file: name a folder, or for one cloud a file with an extension",
                          to);
    int code = to && !o->folder ? glt_cloud_write(NULL, to, "labels") : 0;
    if (code < 0)
        return code == GLT_EIO || code == GLT_ENOMEM
                   ? report_failure()
                   : args_usage(args->command, "%s", glt_error_message());
    for (int i = 0; i < o->n; i++) {
        if (!to)
            o->list[i].out[0] = 0;
        else if (name_output(&o->list[i], to, o->folder))
            return 1;
    }
    return to ? check(o, args->command, overwrite) : 0;
}

void outputs_free(struct outputs *o)
{
    for (int i = 0; i < o->n; i++) {
        free(o->list[i].in);
        free(o->list[i].out);
    }
    free(o->list);
    *o = (struct outputs){0};
}

bool outputs_is(const char *out, const char *in)
{
    char model[PATH_MAX];
    return glt_same_file(in, out) ||
           (glt_model_path(model, sizeof model, in) == 0 && glt_same_file(model, out));
}

/* The folder of a path, "" if it is too long. */
static void folder_of(char *dst, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    int len = slash ? (int)(slash - path) + 1 : 1;
    if (snprintf(dst, size, "%.*s", len, slash ? path : ".") >= (int)size)
        dst[0] = 0;
}

bool outputs_same(const char *a, const char *b)
{
    char of_a[PATH_MAX], of_b[PATH_MAX];
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    folder_of(of_a, sizeof of_a, a);
    folder_of(of_b, sizeof of_b, b);
    return !strcmp(a, b) || glt_same_file(a, b) ||
           (!strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) &&
            glt_same_file(of_a, of_b));
}

int outputs_spare(const struct args *args, const char *out)
{
    for (int i = 0; out && i < args->n; i++)
        if (outputs_is(out, args->operands[i]))
            return args_usage(args->command,
                              "%s is an input and would be overwritten: name another output", out);
    return 0;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t len = strlen(path), tail = strlen(ending);
    return len > tail && strcasecmp(path + len - tail, ending) == 0;
}

bool outputs_is_png(const char *path)
{
    return ends_in(path, ".png");
}

int outputs_png(const struct args *args, const char *path)
{
    if (outputs_is_png(path))
        return 0;
    return args_usage(args->command, "%s: images are written as PNG; give a name that ends in .png",
                      path);
}

int outputs_html(const struct args *args, const char *path)
{
    int code = outputs_spare(args, path);
    if (code || !path || ends_in(path, ".html") || ends_in(path, ".htm"))
        return code;
    return args_usage(args->command, "%s: pages are HTML; give a name that ends in .html", path);
}
