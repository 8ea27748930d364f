/* The neighbourhoods of a pass as a graph for other programs: an edge from each neighbour to its
 * centre with the weights of the heads. GraphML (Brandes and others, 2002), or an NPZ archive with
 * the names that PyTorch Geometric gives to the members of its Data and Batch. */
#include "cloud/classes.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "core/string.h"
#include "draw/html.h"
#include "draw/trace_view.h"
#include "formats/arrays.h"
#include "formats/npy.h"
#include "formats/zip.h"
#include "gelatto.h"
#include "model/trace_file.h"

#include <stdio.h>
#include <string.h>

enum { HEADS = 2, TYPES = 2 * TRACE_LEVELS };

struct graph {
    struct trace_view view; /* the trace, the channels */
    int level, block;       /* 0: all */
    int32_t nodes;          /* the first of the points */
    int64_t edges;
    int64_t *end[2];      /* (edges) source, target */
    int64_t *type;        /* (edges) 2 (level - 1) + block - 1 */
    float *weight[HEADS]; /* (edges); NULL: no such head */
    int32_t *predicted;   /* (nodes); NULL: no output for each point */
};

static bool has_block(const struct graph *g, int type)
{
    return (g->level == 0 || g->level == type / 2 + 1) &&
           (g->block == 0 || g->block == type % 2 + 1);
}

/* --- from the trace --- */

/* The sizes: number of edges, number of points they touch, existing heads. */
static int measure(struct graph *g)
{
    bool heads[HEADS] = {false};
    for (int type = 0; type < TYPES; type++) {
        struct trace_block b = {0};
        int level = type / 2 + 1;
        int32_t among = g->view.trace.n[type % 2 ? level : level - 1];
        if (!has_block(g, type))
            continue;
        TRY(trace_block_read(&b, &g->view.trace, level, type % 2 + 1));
        g->edges += b.start[b.centres];
        g->nodes = among > g->nodes ? among : g->nodes;
        for (int32_t i = 0; i < b.start[b.centres]; i++) /* the file is not trusted */
            g->nodes = b.index[i] >= g->nodes ? b.index[i] + 1 : g->nodes;
        trace_block_free(&b);
        for (int h = 0; h < HEADS; h++)
            heads[h] = heads[h] ||
                       trace_channels(&g->view.trace, level, type % 2 + 1, trace_view_head(h)) > 0;
    }
    size_t n = (size_t)g->edges + 1;
    struct call *call = &g->view.call;
    g->end[0] = call_alloc(call, n, sizeof *g->end[0]);
    g->end[1] = call_alloc(call, n, sizeof *g->end[1]);
    g->type = call_alloc(call, n, sizeof *g->type);
    for (int h = 0; h < HEADS; h++)
        g->weight[h] = heads[h] ? call_alloc(call, n, sizeof *g->weight[h]) : NULL;
    bool lacking = (heads[0] && !g->weight[0]) || (heads[1] && !g->weight[1]);
    return g->end[0] && g->end[1] && g->type && !lacking ? 0 : GLT_ENOMEM;
}

static int add_block(struct graph *g, int type, int64_t *at)
{
    struct trace_block b = {0};
    int level = type / 2 + 1, block = type % 2 + 1, code = 0, channel;
    TRY(trace_block_read(&b, &g->view.trace, level, block));
    int32_t edges = b.start[b.centres];
    for (int h = 0; code == 0 && h < HEADS; h++) {
        bool found;
        if (g->weight[h])
            code = trace_view_weights(g->weight[h] + *at, &found, &channel, &g->view, level, block,
                                      h, 0, edges);
    }
    for (int32_t i = 0; code == 0 && i < b.centres; i++)
        for (int32_t e = b.start[i]; e < b.start[i + 1]; e++, ++*at) {
            g->end[0][*at] = b.index[e];
            g->end[1][*at] = i;
            g->type[*at] = type;
        }
    trace_block_free(&b);
    return code;
}

static int collect(struct graph *g)
{
    int64_t at = 0, n = 0;
    int32_t *labels = NULL;
    TRY(measure(g));
    for (int type = 0; type < TYPES; type++)
        if (has_block(g, type))
            TRY(add_block(g, type, &at));
    g->edges = at;
    TRY(trace_labels(&labels, &n, &g->view.trace, "main"));
    if (labels && !call_keep(&g->view.call, labels))
        return GLT_ENOMEM;
    g->predicted = n == g->view.trace.n[0] ? labels : NULL;
    return 0;
}

/* The highest level that a point reaches. */
static int level_of(const struct graph *g, int32_t row)
{
    int level = 0;
    while (level < TRACE_LEVELS && row < g->view.trace.n[level + 1])
        level++;
    return level;
}

/* --- GraphML --- */

static int put_keys(struct file *f, const struct graph *g)
{
    static const struct {
        const char *id, *of, *type;
    } keys[] = {
        {"x", "node", "float"},          {"y", "node", "float"},     {"z", "node", "float"},
        {"row", "node", "int"},          {"level", "node", "int"},   {"truth", "node", "string"},
        {"predicted", "node", "string"}, {"encoder", "edge", "int"}, {"block", "edge", "int"},
        {"geometric", "edge", "float"},  {"latent", "edge", "float"}};
    const bool there[] = {true,
                          true,
                          true,
                          true,
                          true,
                          g->view.trace.truth != NULL,
                          g->predicted != NULL,
                          true,
                          true,
                          g->weight[0] != NULL,
                          g->weight[1] != NULL};
    TRY(file_print(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (there[i])
            TRY(file_print(f, "<key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n",
                           keys[i].id, keys[i].of, keys[i].id, keys[i].type));
    return 0;
}

/* Writes a class by its name, without control characters, which XML cannot hold. */
static int put_class(struct file *f, const char *key, const struct classes *c, int32_t label)
{
    char name[256] = "";
    if (label >= 0 && label < c->n)
        snprintf(name, sizeof name, "%s", c->names[label]);
    else if (label >= 0)
        snprintf(name, sizeof name, "%d", label);
    for (char *s = name; *s; s++)
        *s = (unsigned char)*s < 32 ? '?' : *s;
    TRY(file_print(f, "<data key=\"%s\">", key));
    TRY(html_text(f, name));
    return file_print(f, "</data>");
}

static int put_number(struct file *f, const char *key, float x)
{
    return file_print(f, "<data key=\"%s\">%.9g</data>", key, (double)x);
}

static int put_nodes(struct file *f, const struct graph *g)
{
    const struct trace_file *t = &g->view.trace;
    for (int32_t i = 0; i < g->nodes; i++) {
        TRY(file_print(f, "<node id=\"%d\">", i));
        for (int d = 0; d < 3; d++)
            TRY(put_number(f, (const char *const[]){"x", "y", "z"}[d], t->xyz[3 * (int64_t)i + d]));
        TRY(file_print(f, "<data key=\"row\">%d</data><data key=\"level\">%d</data>", t->row[i],
                       level_of(g, i)));
        if (t->truth && t->truth[i] >= 0)
            TRY(put_class(f, "truth", &t->classes, t->truth[i]));
        if (g->predicted)
            TRY(put_class(f, "predicted", &t->classes, g->predicted[i]));
        TRY(file_print(f, "</node>\n"));
    }
    return 0;
}

static int put_edges(struct file *f, const struct graph *g)
{
    for (int64_t e = 0; e < g->edges; e++) {
        TRY(file_print(f,
                       "<edge id=\"e%lld\" source=\"%lld\" target=\"%lld\">"
                       "<data key=\"encoder\">%d</data><data key=\"block\">%d</data>",
                       (long long)e, (long long)g->end[0][e], (long long)g->end[1][e],
                       (int)g->type[e] / 2 + 1, (int)g->type[e] % 2 + 1));
        for (int h = 0; h < HEADS; h++)
            if (g->weight[h])
                TRY(put_number(f, trace_view_head(h), g->weight[h][e]));
        TRY(file_print(f, "</edge>\n"));
    }
    return 0;
}

static int put_graphml(struct file *f, struct graph *g)
{
    TRY(put_keys(f, g));
    TRY(file_print(f, "<graph id=\"pass\" edgedefault=\"directed\">\n"));
    TRY(put_nodes(f, g));
    TRY(put_edges(f, g));
    return file_print(f, "</graph>\n</graphml>\n");
}

/* --- NPZ --- */

struct archive {
    struct zip *zip;
    struct call *call;
};

/* An array of rows and columns (0: a plain list) of float or int64. */
static int put_array(struct archive *a, const char *name, bool real, int64_t rows, int64_t cols,
                     const void *items)
{
    struct array_field item = {.name = (char[]){""},
                               .kind = real ? 'f' : 'i',
                               .width = 1,
                               .type = real ? GLT_F32 : GLT_I64,
                               .size = real ? 4 : 8};
    struct array x = {
        .fields = &item, .n_fields = 1, .n_dims = cols ? 2 : 1, .shape = {rows, cols}};
    char member[64], *header = NULL;
    size_t len;
    snprintf(member, sizeof member, "%s.npy", name);
    TRY(npy_make_header(a->call, &header, &len, &x));
    TRY(zip_begin(a->zip, member));
    TRY(zip_put(a->zip, header, len));
    TRY(zip_put(a->zip, items, (size_t)(rows * (cols ? cols : 1)) * item.size));
    return zip_end(a->zip);
}

/* Indices of points in 64 bits, as PyTorch expects. */
static int put_wide(struct archive *a, const char *name, const int32_t *items, int64_t n)
{
    int64_t mark = call_mark(a->call);
    int64_t *wide = call_alloc(a->call, (size_t)n + 1, sizeof *wide);
    if (!wide)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        wide[i] = items[i];
    TRY(put_array(a, name, false, n, 0, wide));
    call_reset(a->call, mark);
    return 0;
}

static int put_features(struct archive *a, const struct graph *g)
{
    const struct trace_file *t = &g->view.trace;
    int64_t rows, cols;
    float *x = NULL;
    TRY(trace_features(&x, &rows, &cols, t, "input/features"));
    if (!x)
        return 0;
    float *sorted = call_keep(a->call, x)
                        ? call_alloc(a->call, (size_t)g->nodes, (size_t)cols * sizeof *sorted)
                        : NULL;
    if (!sorted)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < g->nodes; i++)
        if (t->order[i] < rows)
            memcpy(sorted + i * cols, x + t->order[i] * cols, (size_t)cols * sizeof *x);
    return put_array(a, "x", true, g->nodes, cols, sorted);
}

static int put_points(struct archive *a, const struct graph *g)
{
    const struct trace_file *t = &g->view.trace;
    size_t n = (size_t)g->nodes + 1;
    int64_t *batch = call_alloc(a->call, n, sizeof *batch), ptr[2] = {0, g->nodes};
    int32_t *level = call_alloc(a->call, n, sizeof *level);
    if (!batch || !level)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < g->nodes; i++)
        level[i] = level_of(g, i);
    TRY(put_features(a, g));
    TRY(put_array(a, "pos", true, g->nodes, 3, t->xyz));
    if (t->truth)
        TRY(put_wide(a, "y", t->truth, g->nodes));
    if (g->predicted)
        TRY(put_wide(a, "pred", g->predicted, g->nodes));
    TRY(put_array(a, "batch", false, g->nodes, 0, batch));
    TRY(put_array(a, "ptr", false, 2, 0, ptr));
    TRY(put_wide(a, "level", level, g->nodes));
    return put_wide(a, "row", t->row, g->nodes);
}

static int put_attributes(struct archive *a, const struct graph *g)
{
    int heads = (g->weight[0] != NULL) + (g->weight[1] != NULL), column = 0;
    float *attr = call_alloc(a->call, (size_t)g->edges + 1, HEADS * sizeof *attr);
    if (!attr)
        return GLT_ENOMEM;
    for (int h = 0; h < HEADS; h++) {
        for (int64_t e = 0; g->weight[h] && e < g->edges; e++)
            attr[e * heads + column] = g->weight[h][e];
        column += g->weight[h] != NULL;
    }
    return heads ? put_array(a, "edge_attr", true, g->edges, heads, attr) : 0;
}

static int put_npz(struct file *f, struct graph *g)
{
    struct archive a = {.call = &g->view.call};
    size_t n = (size_t)g->edges;
    int64_t *both = call_alloc(a.call, 2 * n + 1, sizeof *both);
    if (!both)
        return GLT_ENOMEM;
    memcpy(both, g->end[0], n * sizeof *both);
    memcpy(both + n, g->end[1], n * sizeof *both);
    TRY(zip_create(&a.zip, f, true));
    int code = put_points(&a, g);
    if (code == 0)
        code = put_array(&a, "edge_index", false, 2, g->edges, both);
    if (code == 0)
        code = put_array(&a, "edge_type", false, g->edges, 0, g->type);
    if (code == 0)
        code = put_attributes(&a, g);
    if (code == 0)
        code = zip_finish(a.zip);
    zip_free(a.zip);
    return code;
}

/* --- the file --- */

typedef int put_graph(struct file *f, struct graph *g);

static put_graph *find_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    return !dot                                      ? NULL
           : !string_compare_nocase(dot, ".graphml") ? put_graphml
           : !string_compare_nocase(dot, ".npz")     ? put_npz
                                                     : NULL;
}

static int write_graph(struct graph *g, const char *trace, const char *path, const char *channel)
{
    struct file *f;
    put_graph *put = find_format(path);
    if (!put)
        return error_topic(error_in(GLT_EARGUMENT, path,
                                    "graphs are written as .graphml or .npz; give such a name"),
                           GLT_TOPIC_FORMAT, NULL);
    TRY(trace_view_channels(&g->view, channel));
    TRY(trace_file_open(&g->view.trace, trace));
    TRY(collect(g));
    TRY(file_create(&f, path));
    return file_finish(f, put(f, g));
}

int glt_trace_graph(const char *trace, const char *path, const char *options)
{
    REQUIRE(trace, path);
    struct graph g = {0};
    const char *channel = "mean";
    const struct option_field table[] = {{"level", FIELD_INT, &g.level, 1, TRACE_LEVELS},
                                         {"block", FIELD_INT, &g.block, 1, 2},
                                         {"channel", FIELD_TEXT, &channel, 0, 0},
                                         {"seed", FIELD_SEED, &g.view.seed, 0, 0}};
    int code = option_string_read(&g.view.call, options, table, sizeof table / sizeof *table);
    if (code == 0)
        code = write_graph(&g, trace, path, channel);
    trace_file_close(&g.view.trace);
    call_free(&g.view.call);
    return code;
}
