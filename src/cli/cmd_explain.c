/* gelatto explain MODEL CLOUD -o trace.safetensors: everything a forward pass computed, images
 * of it, the correlation of attention with distance, and how attention spreads. */
#include "args.h"
#include "commands.h"
#include "outputs.h"
#include "report.h"
#include "signals.h"

#include "gelatto.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct places {
    char trace[PATH_MAX];
    char film[PATH_MAX]; /* its folder or file; "": no film */
};

static int draw(const struct args *args, const char *trace)
{
    char words[ARGS_OPTIONS_MAX] = "";
    if (args_options(words, args, "kind point other level block channel seed up cut"))
        return GLT_EARGUMENT;
    return glt_trace_image(trace, args_text(args, "image", ""), words);
}

/* The line that joins the frames is a result: it goes to stdout. */
static void report_ffmpeg(const char *folder, int fps)
{
    char name[PATH_MAX + 32], line[8 * PATH_MAX];
    snprintf(line, sizeof line, "ffmpeg -framerate %d -i ", fps);
    snprintf(name, sizeof name, "%s/frame_%%04d.png", folder);
    args_quote(line, sizeof line, name);
    printf("%s -pix_fmt yuv420p ", line);
    snprintf(name, sizeof name, "%s.mp4", folder);
    line[0] = 0;
    args_quote(line, sizeof line, name);
    puts(line);
}

static int shoot(const struct args *args, const struct places *p)
{
    char words[ARGS_OPTIONS_MAX] = "";
    int frames = 0;
    if (args_options(words, args, "point channel seed up cut frames fps"))
        return GLT_EARGUMENT;
    int code = glt_trace_film(p->trace, p->film, words, &frames);
    if (code == 0 && outputs_is_png(p->film)) {
        report_note("%d frames", frames);
    } else if (code == 0) {
        report_note("%d frames; this joins them:", frames);
        report_pause(); /* the note may be quiet */
        report_ffmpeg(p->film, (int)args_int(args, "fps", 10));
    }
    return code;
}

static int write_graph(const struct args *args, const char *trace)
{
    char words[ARGS_OPTIONS_MAX] = "";
    if (args_options(words, args, "level block channel seed"))
        return GLT_EARGUMENT;
    return glt_trace_graph(trace, args_text(args, "graph", ""), words);
}

/* --- attention against distance --- */

static void report_table(const struct glt_correlation *rows)
{
    printf("%-5s %-5s %-9s %8s %8s %9s %10s\n", "level", "block", "head", "centres", "mean",
           "deviation", "by channel");
    for (const struct glt_correlation *r = rows; r < rows + GLT_CORRELATIONS; r++)
        if (r->centres > 0)
            printf("%-5d %-5d %-9s %8" PRId64 " %8.4f %9.4f %10.4f\n", r->level, r->block, r->head,
                   r->centres, r->mean, r->deviation, r->by_channel);
}

static void report_json(const struct glt_correlation *rows)
{
    const char *before = "[";
    for (const struct glt_correlation *r = rows; r < rows + GLT_CORRELATIONS; r++)
        if (r->centres > 0) {
            printf("%s{\"level\": %d, \"block\": %d, \"head\": \"%s\", \"centres\": %" PRId64
                   ", \"mean\": %.9g, \"deviation\": %.9g, \"by_channel\": %.9g}",
                   before, r->level, r->block, r->head, r->centres, r->mean, r->deviation,
                   r->by_channel);
            before = ",\n ";
        }
    printf("%s]\n", *before == '[' ? before : "");
}

/* --- how attention spreads --- */

static void report_statistics(const struct glt_attention *rows)
{
    printf("%-5s %-5s %-9s %8s %8s %10s\n", "level", "block", "head", "centres", "entropy",
           "saturation");
    for (const struct glt_attention *r = rows; r < rows + GLT_ATTENTION_ROWS; r++)
        if (r->centres > 0)
            printf("%-5d %-5d %-9s %8" PRId64 " %8.4f %10.4f\n", r->level, r->block, r->head,
                   r->centres, r->entropy, r->saturation);
}

static void report_statistics_json(const struct glt_attention *rows)
{
    const char *before = "[";
    for (const struct glt_attention *r = rows; r < rows + GLT_ATTENTION_ROWS; r++)
        if (r->centres > 0) {
            printf("%s{\"level\": %d, \"block\": %d, \"head\": \"%s\", \"centres\": %" PRId64
                   ", \"entropy\": %.9g, \"saturation\": %.9g}",
                   before, r->level, r->block, r->head, r->centres, r->entropy, r->saturation);
            before = ",\n ";
        }
    printf("%s]\n", *before == '[' ? before : "");
}

/* --- the pass --- */

/* Sums over the clouds. */
struct sums {
    struct glt_correlation correlation[GLT_CORRELATIONS];
    struct glt_attention attention[GLT_ATTENTION_ROWS];
};

/* Options that apply only to some results. */
static int refuse_unused(const struct args *args, const char *image, const char *film)
{
    const char *kind = image ? args_text(args, "kind", "attention") : "";
    bool graph = args_text(args, "graph", NULL) != NULL, pair = !strcmp(kind, "graph");
    bool scores = film || graph || pair || !strcmp(kind, "attention") || !strcmp(kind, "scores");
    bool table = args_flag(args, "correlation") || args_flag(args, "statistics");
    bool drawn = image || film, random = scores && strstr(args_text(args, "channel", ""), "random");
    bool whole =
        film || !strcmp(kind, "outputs") || !strcmp(kind, "panels") || !strcmp(kind, "levels");
    return (!image && args_refuse(args, "kind", "applies to an image: add --image out.png")) ||
           (!film && args_refuse(args, "frames", "applies to a film: add --film FOLDER")) ||
           (!film && args_refuse(args, "fps", "applies to a film: add --film film.png")) ||
           (!table &&
            args_refuse(args, "json", "applies to a table: add --correlation or --statistics")) ||
           (!scores && args_refuse(args, "channel",
                                   "applies only to a film, a graph or an image of attention")) ||
           (!random && args_refuse(args, "seed", "applies only where --channel random chooses")) ||
           (!drawn && args_refuse(args, "up", "applies to an image or a film")) ||
           (!whole && args_refuse(args, "cut",
                                  "applies to a film and to --kind outputs, panels and levels")) ||
           (!pair && args_refuse(args, "other", "applies to --kind graph")) ||
           (!pair && !graph && args_refuse(args, "level", "applies to --kind graph and --graph")) ||
           (!pair && !graph && args_refuse(args, "block", "applies to --kind graph and --graph"));
}

static int check_use(const struct args *args)
{
    const char *out = args_text(args, "output", NULL), *image = args_text(args, "image", NULL);
    const char *film = args_text(args, "film", NULL), *graph = args_text(args, "graph", NULL);
    bool correlation = args_flag(args, "correlation");
    bool files = out || image || film || graph;
    if (!files && !correlation && !args_flag(args, "statistics"))
        return args_usage(args->command,
                          "say where the result goes: -o trace.safetensors, --image out.png, "
                          "--film FOLDER, --graph out.graphml, --correlation or --statistics");
    if (correlation && args_flag(args, "statistics"))
        return args_usage(args->command, "--correlation and --statistics are two tables: give one");
    int code = image ? outputs_png(args, image) : 0;
    if (code)
        return code;
    const char *const paths[] = {out, image, film, graph};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            if (paths[i] && paths[k] && outputs_same(paths[i], paths[k]))
                return args_usage(args->command, "%s is given for two results: name two files",
                                  paths[i]);
    if (refuse_unused(args, image, film))
        return 2;
    if (args->n > 2 && files)
        return args_usage(args->command,
                          "several clouds are for --correlation and --statistics alone");
    return 0;
}

/* The folder without trailing slashes: names are built from it. */
static int place_film(struct places *p, const struct args *args)
{
    const char *film = args_text(args, "film", "");
    size_t len = strlen(film);
    while (len > 1 && film[len - 1] == '/')
        len--;
    if (len >= sizeof p->film)
        return args_usage(args->command, "--film: the name is too long");
    snprintf(p->film, sizeof p->film, "%.*s", (int)len, film);
    return 0;
}

/* The path of the trace, which without -o is removed again. It then has the name of a temporary
 * file, so that one left by a killed process is replaced; in a folder of all users it must not
 * exist. */
static int place_trace(struct places *p, const struct args *args)
{
    const char *out = args_text(args, "output", NULL), *folder = getenv("TMPDIR");
    const char *graph = args_text(args, "graph", NULL);
    const char *beside = args_text(args, "image", p->film[0] ? p->film : graph);
    size_t size = sizeof p->trace;
    int len = out      ? snprintf(p->trace, size, "%s", out)
              : beside ? snprintf(p->trace, size, "%s.trace.tmp-0", beside)
                       : snprintf(p->trace, size, "%s/gelatto-%ld.trace", folder ? folder : "/tmp",
                                  (long)getpid());
    if ((size_t)len >= size)
        return args_usage(args->command, "the name is too long");
    if (!out && !beside && access(p->trace, F_OK) == 0)
        return args_usage(args->command,
                          "%s: a temporary file with this name already exists; remove it, or name "
                          "the trace with -o",
                          p->trace);
    int code = outputs_spare(args, out);
    if (code == 0)
        code = outputs_spare(args, args_text(args, "image", NULL));
    if (code == 0 && outputs_is_png(p->film))
        code = outputs_spare(args, p->film);
    return code ? code : outputs_spare(args, graph);
}

static int explain(const struct args *args, const struct glt_model *model, const char *path,
                   const struct places *p, struct sums *sums)
{
    struct glt_cloud *cloud = NULL;
    char words[ARGS_OPTIONS_MAX] = "";
    if (args_options(words, args, "point"))
        return GLT_EARGUMENT;
    int code = glt_cloud_read(&cloud, path, NULL);
    bool kept = args_text(args, "output", NULL) != NULL;
    if (!kept)
        signals_remove(p->trace);
    if (code == 0)
        code = glt_cloud_explain(cloud, model, p->trace, words);
    bool made = code == 0;
    if (code == 0 && args_text(args, "image", NULL))
        code = draw(args, p->trace);
    if (code == 0 && p->film[0])
        code = shoot(args, p);
    if (code == 0 && args_text(args, "graph", NULL))
        code = write_graph(args, p->trace);
    if (code == 0 && args_flag(args, "correlation"))
        code = glt_trace_correlation(sums->correlation, p->trace);
    if (code == 0 && args_flag(args, "statistics"))
        code = glt_trace_attention(sums->attention, p->trace);
    if (made && !kept)
        remove(p->trace);
    signals_remove(NULL);
    glt_cloud_free(cloud);
    return code;
}

static int run(const struct args *args)
{
    struct glt_model *model = NULL;
    struct sums sums = {.correlation = {{.size = sizeof *sums.correlation}},
                        .attention = {{.size = sizeof *sums.attention}}};
    struct places places;
    int code = check_use(args);
    if (code == 0)
        code = place_film(&places, args);
    if (code == 0)
        code = place_trace(&places, args);
    if (code)
        return code;
    code = glt_model_load(&model, args->operands[0]);
    if (code < 0)
        return report_failure_of_model(args, code);
    int i = 1;
    while (i < args->n && (code = explain(args, model, args->operands[i], &places, &sums)) == 0)
        i++;
    glt_model_free(model);
    if (code < 0 && code != GLT_EARGUMENT && args->n > 2)
        return report_failure_of(args->operands[i], code);
    if (code < 0)
        return report_refusal(args, code);
    report_pause();
    if (args_flag(args, "correlation"))
        (args_flag(args, "json") ? report_json : report_table)(sums.correlation);
    if (args_flag(args, "statistics"))
        (args_flag(args, "json") ? report_statistics_json : report_statistics)(sums.attention);
    return 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "FILE", "write the trace to this safetensors file", 0, 0},
    {ARGS_TEXT, "image", 0, "FILE", "write an image of it (PNG)", 0, 0},
    {ARGS_CHOICE, "kind", 'k', "attention|scores|grouping|graph|outputs|panels|levels",
     "kind of image (default attention)", 0, 0},
    {ARGS_TEXT, "film", 0, "FILE|FOLDER",
     "write a film of the pass: film.png is one animated PNG, a folder gets its frames", 0, 0},
    {ARGS_INT, "frames", 0, "N", "frames per stage of the film (default 5)", 1, 200},
    {ARGS_INT, "fps", 0, "N", "frames per second of the film (default 10)", 1, 60},
    {ARGS_TEXT, "graph", 0, "FILE", "write the neighbourhood graph (.graphml or .npz)", 0, 0},
    {ARGS_FLAG, "correlation", 0, NULL, "print the correlation of attention with distance", 0, 0},
    {ARGS_FLAG, "statistics", 0, NULL, "print how attention spreads over neighbours", 0, 0},
    {ARGS_FLAG, "json", 'j', NULL, "print it as JSON instead of a table", 0, 0},
    {ARGS_INT, "point", 0, "ROW", "the point to explain; in a scene, one of the pass (default 0)",
     0, 9007199254740992.0},
    {ARGS_INT, "other", 0, "ROW",
     "second centre of --kind graph (default: one whose neighbours overlap)", 0,
     9007199254740992.0},
    {ARGS_INT, "level", 0, "N", "encoder level of a graph (default: 2 in an image, all in a file)",
     1, 4},
    {ARGS_INT, "block", 0, "N", "block of a graph (default: 1 in an image, both in a file)", 1, 2},
    {ARGS_TEXT, "channel", 0, "WHICH",
     "attention scores: mean (default), random, a number, or one for each level: 3,9,100,200", 0,
     0},
    {ARGS_INT, "seed", 0, "N", "seed of random channels (default 0)", 0, 9007199254740992.0},
    {ARGS_CHOICE, "up", 0, "x|y|z", "the axis that points up in drawings (default z)", 0, 0},
    {ARGS_NUMBER, "cut", 0, "SHARE",
     "share of the height to show, from below (default: 0.85 for rooms, else 1)", 0.01, 1},
    {0},
};

static const struct args_group groups[] = {
    {"output", "output"},
    {"correlation", "statistics"},
    {"point", "what is explained"},
    {0},
};

const struct command command_explain = {
    .name = "explain",
    .summary = "record everything a forward pass computed",
    .operands = "MODEL CLOUD...",
    .operands_min = 2,
    .operands_max = -1,
    .about =
        "Runs the model once and writes sampling order, neighbour lists, attention weights, "
        "features of every stage and all outputs as named tensors. A scene of more than one "
        "tile is split as by 'gelatto predict --protocol paper': the pass is the first that draws "
        "the chosen point. "
        "Images: attention of the point (columns are encoder levels, rows the two blocks; "
        "geometric head red, latent green, centre yellow, sampled points black), all of its "
        "scores in one view, its groups with the radius of each, the graphs of two centres, "
        "main and auxiliary outputs, panels of input, truth, prediction and errors, or positions "
        "and features of every level (three principal components as red, green, blue). A "
        "film shows the same in motion: one animated PNG, or frames in a folder and the ffmpeg "
        "line that joins them. "
        "--graph writes the neighbourhoods as a graph for other programs: GraphML, or NPZ with "
        "the names of PyTorch Geometric (x, pos, edge_index, edge_attr, batch). "
        "--correlation prints for each level, block and head the mean and standard deviation "
        "over all centres with at least 4 neighbours of Spearman's rank correlation between "
        "the attention to a neighbour (the mean of its channels) and its distance, and the "
        "mean of the correlations of single channels. --statistics prints, over all centres with "
        "at least 8 neighbours, the entropy of attention as a share of that of uniform weights "
        "(1: a mean) and the share of saturated scores, which give one neighbour more than 0.99 "
        "(an arg-max). Several clouds are taken together.",
    .examples = "gelatto explain model.safetensors room.ply -o trace.safetensors\n"
                "gelatto explain rooms room.ply --point 1200 --image attention.png\n"
                "gelatto explain rooms room.ply --kind levels --image levels.png\n"
                "gelatto explain rooms room.ply --point 1200 --kind scores --image scores.png\n"
                "gelatto explain rooms room.ply --point 1200 --film film.png\n"
                "gelatto explain rooms room.ply --graph room.graphml --level 4\n"
                "gelatto explain rooms Area_5/*.ply --correlation\n"
                "gelatto explain rooms room.ply --statistics\n",
    .pages =
        "docs/how-to/see-what-the-network-did.md docs/reference/model-files.md docs/network.md",
    .options = options,
    .groups = groups,
    .run = run,
};
