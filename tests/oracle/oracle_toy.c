/* The miniature network and its clouds: see oracle_toy.h. */
#include "oracle_toy.h"

#include "oracle_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double toy_random(uint64_t *state)
{
    /* splitmix64: nothing of the engine's random streams is used here */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

struct oracle_config toy_config(void)
{
    return (struct oracle_config){
        .inputs = 6,
        .classes = 5,
        .stem = 4,
        .width = {8, 16, 32, 64},
        .inner = {4, 8, 16, 32},
        .k = {8, 8, 8, 8},
        .decoder = {{8, 8}, {16, 8}, {32, 16}, {64, 32}},
        .head_hidden = 8,
        .cls_hidden = 32,
        .cross = 1,
        .features_per_head = 1,
        .bn_eps = 1e-5,
        .label_smoothing = 0.1,
        .aux = {0.4, 0.4, 0.4, 0.4},
        .ignore = -1,
    };
}

static void make_points(struct toy_cloud *out, const struct oracle_config *c, uint64_t *state)
{
    int32_t n = out->cloud.n[0], *order = oracle_memory(n, sizeof *order);
    float *drawn = oracle_memory(3 * n, sizeof *drawn);
    for (int32_t i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++)
            drawn[3 * i + a] = (float)toy_random(state) * 0.5f;
        drawn[3 * i + i % 3] = i % 2 ? 0.5f : -0.5f;
    }
    oracle_sample(order, drawn, n, out->cloud.n[1], 0);
    out->xyz = oracle_memory(3 * n, sizeof *out->xyz);
    out->xyz_double = oracle_memory(3 * n, sizeof *out->xyz_double);
    out->features = oracle_memory(n * c->inputs, sizeof *out->features);
    out->label = oracle_memory(n, sizeof *out->label);
    for (int32_t i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++)
            out->xyz_double[3 * i + a] = out->xyz[3 * i + a] = drawn[3 * order[i] + a];
        for (int32_t a = 0; a < c->inputs; a++)
            out->features[i * c->inputs + a] =
                a < 3 ? out->xyz[3 * i + a] : (float)toy_random(state);
        out->label[i] = (int32_t)floor((toy_random(state) + 1) * 0.5 * c->classes);
    }
    free(order);
    free(drawn);
}

void toy_cloud_make(struct toy_cloud *out, const struct oracle_config *config, int32_t n,
                    uint64_t seed)
{
    static const int32_t wanted[ORACLE_LEVELS] = {64, 32, 16, 8};
    uint64_t state = seed;
    memset(out, 0, sizeof *out);
    struct oracle_cloud *c = &out->cloud;
    c->n[0] = n;
    for (int l = 0; l < ORACLE_LEVELS; l++)
        c->n[l + 1] = c->n[l] < wanted[l] ? c->n[l] : wanted[l];
    make_points(out, config, &state);
    float radius = 0.3f;
    for (int l = 0; l < ORACLE_LEVELS; l++, radius *= 2) {
        for (int b = 0; b < 2; b++) {
            out->start[l][b] = oracle_memory(c->n[l + 1] + 1, sizeof(int32_t));
            out->index[l][b] = oracle_memory(c->n[l + 1] * config->k[l], sizeof(int32_t));
            oracle_neighbours(out->start[l][b], out->index[l][b], out->xyz, c->n[l + 1],
                              c->n[l + b], b ? 2 * radius : radius, config->k[l], ORACLE_FIRST);
            c->start[l][b] = out->start[l][b];
            c->index[l][b] = out->index[l][b];
        }
        out->up[l] = oracle_memory(3 * c->n[l], sizeof(int32_t));
        out->weight[l] = oracle_memory(3 * c->n[l], sizeof(double));
        oracle_upsample(out->up[l], out->weight[l], out->xyz, c->n[l], c->n[l + 1]);
        c->up_index[l] = out->up[l];
        c->up_weight[l] = out->weight[l];
    }
    c->xyz = out->xyz_double;
    c->features = out->features;
    c->label = out->label;
}

void toy_cloud_free(struct toy_cloud *c)
{
    for (int l = 0; l < ORACLE_LEVELS; l++) {
        for (int b = 0; b < 2; b++) {
            free(c->start[l][b]);
            free(c->index[l][b]);
        }
        free(c->up[l]);
        free(c->weight[l]);
    }
    free(c->xyz);
    free(c->xyz_double);
    free(c->features);
    free(c->label);
}

struct toy_entry *toy_find(struct toy_params *p, const char *name)
{
    for (int32_t i = 0; i < p->count; i++)
        if (!strcmp(p->entry[i].name, name))
            return &p->entry[i];
    return NULL;
}

static int ends(const char *name, const char *tail)
{
    size_t n = strlen(name), m = strlen(tail);
    return n >= m && !strcmp(name + n - m, tail);
}

static void draw(struct toy_entry *e, uint64_t seed)
{
    uint64_t state = seed;
    for (const char *s = e->name; *s; s++)
        state = (state ^ (unsigned char)*s) * 0x100000001b3u;
    int norm = ends(e->name, ".bn.weight") || ends(e->name, ".running_var");
    int shift = ends(e->name, ".bias") || ends(e->name, ".running_mean");
    for (int64_t i = 0; i < e->count; i++) {
        double u = toy_random(&state);
        e->at[i] = norm ? 1 + 0.5 * u : shift ? 0.3 * u : 2 * u / sqrt(sqrt((double)e->count));
    }
}

const double *toy_param(void *params, const char *name, int64_t *count)
{
    struct toy_params *p = params;
    struct toy_entry *e = toy_find(p, name);
    if (!e) {
        if (p->count == p->capacity) {
            p->capacity = p->capacity ? 2 * p->capacity : 256;
            p->entry = realloc(p->entry, (size_t)p->capacity * sizeof *p->entry);
            if (!p->entry)
                abort();
        }
        e = &p->entry[p->count++];
        strncpy(e->name, name, sizeof e->name - 1);
        e->name[sizeof e->name - 1] = 0;
        e->count = *count;
        e->at = oracle_memory(*count, sizeof(double));
        draw(e, p->seed);
    }
    *count = e->count;
    return e->at;
}

void toy_params_free(struct toy_params *p)
{
    for (int32_t i = 0; i < p->count; i++)
        free(p->entry[i].at);
    free(p->entry);
    p->entry = NULL;
    p->count = p->capacity = 0;
}
