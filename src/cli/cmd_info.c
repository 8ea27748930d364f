/* gelatto info [FILE...]: describes clouds or models; without a file, the network of the
 * options. */
#include "config.h"

#include "args.h"
#include "commands.h"
#include "json.h"
#include "report.h"
#include "terminal_text.h"

#include "gelatto.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Describes a model, with the options of glt_model_info from the command line. */
static int report_model(char **text, const struct glt_model *model, const struct args *args)
{
    char words[ARGS_OPTIONS_MAX];
    snprintf(words, sizeof words, "%s", args_flag(args, "train") ? "plan" : "");
    if (args_options(words, args, "json card plan train clouds points"))
        return GLT_EARGUMENT;
    return glt_model_info(text, model, words);
}

static int report_cloud(char **text, const char *path, const struct args *args)
{
    struct glt_cloud *cloud = NULL;
    char words[ARGS_OPTIONS_MAX] = "vertices";
    if (args_options(words, args, "columns box salvage label-attribute"))
        return GLT_EARGUMENT;
    int code = glt_cloud_read(&cloud, path, words);
    if (code == 0)
        code = glt_cloud_info(text, cloud, args_flag(args, "json"));
    glt_cloud_free(cloud);
    return code;
}

/* Whether a file begins like a safetensors file: the length of a header in eight bytes, and the
 * header. The length must fit, because a scan of four floats a point may have the same first
 * bytes. */
static bool begins_as_model(const char *path, int64_t size)
{
    unsigned char bytes[9] = {0};
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f)
        fclose(f);
    uint32_t len = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return n == sizeof bytes && !memcmp(bytes + 4, "\0\0\0\0{", 5) && len >= 2 && len <= size - 8;
}

/* Whether path is a model: a model file of any name, the folder of a training run, the name of an
 * installed model, or a word that can only name a model. */
static bool is_model(const char *path)
{
    struct stat s;
    char found[PATH_MAX];
    if (ends_with(path, ".safetensors"))
        return true;
    if (!strcmp(path, "-")) /* standard input */
        return false;
    bool there = stat(path, &s) == 0;
    if (there && !S_ISDIR(s.st_mode))
        return S_ISREG(s.st_mode) && begins_as_model(path, s.st_size);
    return !strpbrk(path, "/.") ||
           ((there || !strchr(path, '/')) && glt_model_path(found, sizeof found, path) == 0);
}

/* printed: the number of files before it. */
static int print_info(const char *path, const struct args *args, int several, int printed)
{
    struct glt_model *model = NULL;
    char *text = NULL;
    int json = args_flag(args, "json"), code;
    if (is_model(path)) {
        code = glt_model_load(&model, path);
        if (code == 0)
            code = report_model(&text, model, args);
        glt_model_free(model);
    } else {
        code = report_cloud(&text, path, args);
    }
    if (code == 0 && printed)
        printf(json ? ",\n" : "\n");
    if (code == 0 && json && several) {
        printf("{\"file\": ");
        json_text(path);
        printf(", \"info\": ");
        terminal_text_json(text);
        printf("}");
    } else if (code == 0 && json) {
        terminal_text_json(text);
        printf("\n");
    } else if (code == 0) {
        terminal_text_printf(stdout, several ? "%s\n" : "%s", several ? path : "");
        terminal_text_print(stdout, text);
    }
    glt_free(text);
    return code < 0 ? report_failure() : 0;
}

/* The number of classes in the benchmark of each task: S3DIS, ShapeNetPart, ModelNet40. */
static int usual_classes(const struct glt_config *config)
{
    char task[16];
    if (glt_config_get(config, "task", task, sizeof task) < 0)
        return 13;
    return strcmp(task, "classify") == 0 ? 40 : strcmp(task, "parts") == 0 ? 50 : 13;
}

static int report_network(const struct args *args)
{
    struct glt_config *config;
    struct glt_model *model = NULL;
    char *text = NULL;
    int code = config_from(&config, args);
    if (code)
        return code;
    code = glt_model_create(&model, config, (int)args_int(args, "classes", usual_classes(config)));
    if (code == 0)
        code = report_model(&text, model, args);
    if (code == 0)
        printf(args_flag(args, "json") ? "%s\n" : "%s", text);
    glt_free(text);
    glt_model_free(model);
    glt_config_free(config);
    return code < 0 ? report_refusal(args, code) : 0;
}

/* Refuses options without effect: those of models for clouds, and so on. */
static int check_use(const struct args *args)
{
    int models = 0, clouds = 0;
    bool plan = args_flag(args, "plan") || args_flag(args, "train");
    for (int i = 0; i < args->n; i++)
        *(is_model(args->operands[i]) ? &models : &clouds) += 1;
    if (args->n > 0 && args_refuse(args, "classes", "applies only to --preset: a FILE has its own"))
        return 2;
    if (args->n > 0 && !models &&
        args_refuse(args, "card plan train clouds points",
                    "applies only to models, and no FILE is one"))
        return 2;
    if (!clouds && args_refuse(args, "columns box salvage label-attribute",
                               "applies only to clouds, and no FILE is one"))
        return 2;
    if (!plan && args_refuse(args, "clouds points", "applies to a plan: add --plan or --train"))
        return 2;
    if ((plan || args_flag(args, "json")) &&
        args_refuse(args, "card", "cannot be combined with --plan, --train or --json"))
        return 2;
    char words[ARGS_OPTIONS_MAX] = "";
    return args_options(words, args, "columns box salvage label-attribute");
}

static int run(const struct args *args)
{
    int json = args_flag(args, "json"), several = args->n > 1, failed = 0;
    bool network = args_text(args, "preset", NULL) || args_text(args, "set", NULL) ||
                   args_text(args, "config", NULL);
    if (args->n == 0 && !network)
        return args_usage(args->command, "give a FILE, or --preset NAME");
    if (args->n > 0 && network)
        return args_usage(args->command, "%s: a FILE has its own options", args->operands[0]);
    if (check_use(args))
        return 2;
    if (network)
        return report_network(args);
    if (json && several)
        printf("[");
    for (int i = 0, printed = 0; i < args->n; i++) {
        int code = print_info(args->operands[i], args, several, printed);
        failed |= code;
        printed += code == 0;
    }
    if (json && several)
        printf("]\n");
    return failed;
}

static const struct args_option options[] = {
    {ARGS_FLAG, "json", 'j', NULL, "print one JSON value", 0, 0},
    {ARGS_TEXT, "columns", 0, "NAMES",
     "columns of a text file or plain array: x,y,z,label; - skips one", 0, 0},
    {ARGS_TEXT, "box", 0, "x,y,X,Y",
     "keep the points in this rectangle; from COPC files little else is read", 0, 0},
    {ARGS_TEXT, "label-attribute", 0, "NAME",
     "the attribute that holds the labels (default: label)", 0, 0},
    {ARGS_FLAG, "salvage", 0, NULL, "read the intact chunks of a damaged LAZ file", 0, 0},
    {ARGS_TEXT, "preset", 'p', "NAME", "instead of a file: the network of a preset", 0, 0},
    {ARGS_INT, "classes", 0, "N", "classes of that network (default 13; parts 50, shapes 40)", 2,
     65535},
    {ARGS_FLAG, "card", 0, NULL, "models: a card in Markdown instead: training, options, range", 0,
     0},
    {ARGS_FLAG, "plan", 0, NULL, "models: the ops of an inference, their shapes, bytes, FLOPs", 0,
     0},
    {ARGS_FLAG, "train", 0, NULL, "models: the ops of a training step", 0, 0},
    {ARGS_INT, "clouds", 0, "N", "clouds of the plan (default 1; training: the option batch)", 1,
     65536},
    {ARGS_INT, "points", 0, "N", "points of a cloud of the plan (default: the option points)", 1,
     16777216},
    {0},
};

static const struct args_group groups[] = {
    {"json", "output"},
    {"columns", "clouds"},
    {"preset", "models and networks"},
    {0},
};

const struct command command_info = {
    .name = "info",
    .summary = "describe a cloud or a model",
    .operands = "[FILE...]",
    .operands_max = -1,
    .about =
        "For a cloud: format, points, bounds, spacing, scale of the colours, attributes with "
        "their types and ranges, points per label. A mesh counts as the cloud of its vertices; "
        "- is a cloud from stdin. "
        "For a model (its file, or the name of an installed one) or a network: parameters "
        "per module and in total, classes, options, digest, and the plan that is run.",
    .pages = "docs/reference/formats.md docs/reference/model-files.md docs/network.md",
    .config = true,
    .examples = "gelatto info scan.las\n"
                "gelatto info --json room.ply\n"
                "gelatto info model.safetensors\n"
                "gelatto info --card rooms\n"
                "gelatto info --preset paper --set maps=bn --plan\n",
    .options = options,
    .groups = groups,
    .run = run,
};
