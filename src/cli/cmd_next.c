/* gelatto next MODEL CLOUD...: the tiles a person should look at next, and a page to correct
 * them. */
#include "args.h"
#include "commands.h"
#include "json.h"
#include "outputs.h"
#include "report.h"
#include "terminal_text.h"

#include "gelatto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 8, TILES_MAX = 1000, CLOUDS_MAX = 1000, SHOWN_MAX = 8 };

struct work {
    const struct args *args;
    struct glt_model *model;
    struct glt_cloud *clouds[CLOUDS_MAX];
    int n_clouds;
    struct glt_tile tiles[TILES_MAX];
    int n;
};

static void print_json(const struct work *w)
{
    for (int i = 0; i < w->n; i++) {
        const struct glt_tile *t = &w->tiles[i];
        printf(i ? ",\n {\"cloud\": " : "[{\"cloud\": ");
        json_text(w->args->operands[1 + t->cloud]);
        printf(", \"low\": [%.9g, %.9g, %.9g], \"high\": [%.9g, %.9g, %.9g], \"points\": %lld, "
               "\"score\": %.6g, \"doubt\": %.6g, \"votes\": %.6g, \"auxiliary\": %.6g}",
               t->low[0], t->low[1], t->low[2], t->high[0], t->high[1], t->high[2],
               (long long)t->points, t->score, t->doubt, t->votes, t->auxiliary);
    }
    puts(w->n ? "]" : "[]");
}

static void print_table(const struct work *w)
{
    if (w->n)
        printf("%4s %12s %12s %9s %6s %6s %6s %6s  %s\n", "tile", "x", "y", "points", "score",
               "doubt", "votes", "aux", "cloud");
    for (int i = 0; i < w->n; i++) {
        const struct glt_tile *t = &w->tiles[i];
        terminal_text_printf(stdout, "%4d %12.2f %12.2f %9lld %6.2f %6.2f %6.3f %6.3f  %s\n", i + 1,
                             (t->low[0] + t->high[0]) / 2, (t->low[1] + t->high[1]) / 2,
                             (long long)t->points, t->score, t->doubt, t->votes, t->auxiliary,
                             w->args->operands[1 + t->cloud]);
    }
    if (w->n == 0)
        report_note("no tile has 16 points that are not reviewed");
}

/* Labels to correct: those of the file if they were predicted, else a prediction. */
static int label_cloud(const struct work *w, int cloud)
{
    const char *name;
    enum glt_type type;
    int width;
    for (int i = 0; glt_cloud_attribute(w->clouds[cloud], i, &name, &type, &width) == 0; i++)
        if (!strcmp(name, "confidence"))
            return 0;
    return glt_cloud_predict(w->clouds[cloud], w->model, NULL, NULL, NULL);
}

/* The clouds of the first tiles: a page has up to eight clouds; tiles of others are left out. */
static int write_page(const struct work *w, const char *path)
{
    const struct glt_cloud *shown[SHOWN_MAX];
    int place[CLOUDS_MAX], n = 0, n_tiles = 0, code = 0;
    struct glt_tile *tiles = malloc(sizeof w->tiles);
    if (!tiles)
        return GLT_ENOMEM;
    for (int i = 0; i < w->n_clouds; i++)
        place[i] = -1;
    for (int i = 0; i < w->n && code == 0; i++) {
        int cloud = w->tiles[i].cloud;
        if (place[cloud] < 0 && n < SHOWN_MAX) {
            code = label_cloud(w, cloud);
            place[cloud] = n;
            shown[n++] = w->clouds[cloud];
        }
        if (place[cloud] < 0)
            continue;
        tiles[n_tiles] = w->tiles[i];
        tiles[n_tiles++].cloud = place[cloud];
    }
    struct glt_view_options o = {.size = sizeof o,
                                 .points = args_int(w->args, "points", 0),
                                 .classes = args_text(w->args, "classes", NULL),
                                 .tiles = tiles,
                                 .n_tiles = n_tiles};
    if (code == 0)
        code = glt_view(shown, n, path, &o);
    if (code == 0)
        report_note("%s: %d tile%s", path, n_tiles, n_tiles == 1 ? "" : "s");
    free(tiles);
    return code;
}

static int rank(struct work *w, const char *out)
{
    int code = glt_model_load(&w->model, w->args->operands[0]);
    for (int i = 1; i < w->args->n && code == 0; i++) {
        code = glt_cloud_read(&w->clouds[w->n_clouds], w->args->operands[i], NULL);
        w->n_clouds += code == 0;
    }
    char seed[40] = "";
    if (args_text(w->args, "seed", NULL))
        snprintf(seed, sizeof seed, "seed=%lld", (long long)args_int(w->args, "seed", 0));
    w->tiles[0].size = sizeof w->tiles[0];
    w->n = (int)args_int(w->args, "tiles", TILES);
    if (code == 0)
        code = glt_next(w->tiles, &w->n, w->model, (const struct glt_cloud *const *)w->clouds,
                        w->n_clouds, seed);
    if (code < 0)
        return code;
    if (args_flag(w->args, "json"))
        print_json(w);
    else
        print_table(w);
    return out && w->n ? write_page(w, out) : 0;
}

static int run(const struct args *args)
{
    const char *out = args_text(args, "output", NULL);
    int code = outputs_html(args, out);
    if (code)
        return code;
    struct work *w = calloc(1, sizeof *w);
    if (!w)
        return report_failure();
    w->args = args;
    code = rank(w, out);
    for (int i = 0; i < w->n_clouds; i++)
        glt_cloud_free(w->clouds[i]);
    glt_model_free(w->model);
    free(w);
    return code < 0 ? report_refusal(args, code) : 0;
}

static const struct args_option options[] = {
    {ARGS_TEXT, "output", 'o', "FILE", "write a viewer page that opens at the first tile", 0, 0},
    {ARGS_INT, "tiles", 0, "N", "how many tiles (default 8)", 1, TILES_MAX},
    {ARGS_INT, "points", 0, "N", "show at most N points of a cloud (default 3000000)", 1,
     2147483647},
    {ARGS_TEXT, "classes", 0, "A,B", "further classes to choose from when correcting", 0, 0},
    {ARGS_INT, "seed", 0, "N", "seed of the samples (default: the model's)", 0, 4294967295},
    {ARGS_FLAG, "json", 'j', NULL, "print a JSON list", 0, 0},
    {0},
};

const struct command command_next = {
    .name = "next",
    .summary = "rank tiles by what a model would learn most from",
    .operands = "MODEL CLOUD...",
    .operands_min = 2,
    .operands_max = 1 + CLOUDS_MAX,
    .about =
        "Looks for the tiles of scenes that a person should correct next: where the model doubts, "
        "where passes over the same points disagree, where its auxiliary outputs contradict the "
        "main one, and which differ from each other and from reviewed tiles. Points "
        "whose attribute reviewed is set do not count. The page shows the tiles one after the "
        "other, with the predicted labels; correct them, select the tile, confirm the rest and "
        "export a patch. gelatto patch applies it, and a dataset with truth: reviewed learns from "
        "it.",
    .examples = "gelatto next rooms scan.ply\n"
                "gelatto next rooms scans/*.ply --tiles 20 -o next.html\n"
                "gelatto patch scan.ply scan.patch.json -o corrected.ply\n",
    .pages = "docs/tutorials/teach-a-model.md",
    .options = options,
    .run = run,
};
