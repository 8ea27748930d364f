/* The bridge from engine structs to oracle arrays: batch rows become rows of their cloud. */
#include "oracle_bridge.h"

#include "oracle_parts.h"

#include <math.h>
#include <stdlib.h>

struct oracle_config oracle_config_of(const struct config *c, int32_t inputs, int32_t classes)
{
    struct oracle_config o = {
        .inputs = inputs,
        .classes = classes,
        .stem = c->network.stem,
        .head_hidden = c->network.head_hidden,
        .cls_hidden = c->network.cls_hidden,
        .maps = (enum oracle_maps)c->network.maps,
        .heads = (enum oracle_heads)c->network.heads,
        .cross = c->network.cross,
        .features_per_head = c->network.features_per_head,
        .pad = c->network.underfull == UNDERFULL_PAD,
        .identity =
            c->network.shortcut2 == SHORTCUT_IDENTITY ||
            (c->network.shortcut2 == SHORTCUT_AUTO &&
             (c->network.map_kind[MAP_SCORE] == MAP_MLP ||
              (c->network.map_kind[MAP_SCORE] == MAP_AUTO && c->network.maps == MAPS_SCORE_MLP))),
        .classification = c->task == TASK_CLASSIFY,
        .cls_bias = c->network.cls_norm == CLS_NORM_BIAS,
        .bn_eps = c->network.bn_eps,
        .label_smoothing = c->training.label_smoothing,
        .ignore = -1,
    };
    for (int group = 0; group < 3; group++)
        o.kind[group] = (enum oracle_kind)c->network.map_kind[group];
    for (int l = 0; l < ORACLE_LEVELS; l++) {
        o.width[l] = c->network.width[l];
        o.inner[l] = (int32_t)lround(c->network.inner * c->network.width[l]);
        o.k[l] = c->network.k[l];
        o.k2[l] = c->network.k2[l];
        o.aux[l] = c->training.aux[l];
        for (int i = 0; i < 2; i++) /* the key lists dec4 first */
            o.decoder[l][i] = c->network.decoder[2 * (ORACLE_LEVELS - 1 - l) + i];
    }
    return o;
}

static void *own(struct oracle_batch *b, int64_t count, int64_t size)
{
    return b->block[b->blocks++] = oracle_memory(count, size);
}

static void take_block(struct oracle_batch *out, const struct pyramid *p, int32_t b, int l,
                       int second)
{
    struct oracle_cloud *c = &out->clouds[b];
    const struct neighbours *from = &p->block[l][second];
    int32_t row = p->first[l + 1][b], base = p->first[l + second][b], edge = from->start[row];
    int32_t edges = from->start[row + c->n[l + 1]] - edge;
    int32_t *start = own(out, c->n[l + 1] + 1, sizeof *start);
    int32_t *index = own(out, edges, sizeof *index);
    for (int32_t i = 0; i <= c->n[l + 1]; i++)
        start[i] = from->start[row + i] - edge;
    for (int32_t e = 0; e < edges; e++)
        index[e] = from->index[edge + e] - base;
    c->start[l][second] = start;
    c->index[l][second] = index;
}

static void take_up(struct oracle_batch *out, const struct pyramid *p, int32_t b, int l)
{
    struct oracle_cloud *c = &out->clouds[b];
    int64_t row = 3 * (int64_t)p->first[l][b], taps = 3 * (int64_t)c->n[l];
    int32_t *index = own(out, taps, sizeof *index);
    double *weight = own(out, taps, sizeof *weight);
    for (int64_t t = 0; t < taps; t++) {
        index[t] = p->up[l].index[row + t] - p->first[l + 1][b];
        weight[t] = p->up[l].weight[row + t];
    }
    c->up_index[l] = index;
    c->up_weight[l] = weight;
}

void oracle_batch_make(struct oracle_batch *out, const struct pyramid *p, const double *features,
                       int32_t inputs, const int32_t *label, int classification)
{
    *out = (struct oracle_batch){.count = p->clouds};
    out->clouds = oracle_memory(p->clouds, sizeof *out->clouds);
    out->block = oracle_memory(32 * (int64_t)p->clouds, sizeof *out->block);
    for (int32_t b = 0; b < p->clouds; b++) {
        struct oracle_cloud *c = &out->clouds[b];
        int64_t row = p->first[0][b];
        for (int l = 0; l <= ORACLE_LEVELS; l++)
            c->n[l] = p->first[l][b + 1] - p->first[l][b];
        double *xyz = own(out, 3 * (int64_t)c->n[0], sizeof *xyz);
        for (int64_t i = 0; i < 3 * (int64_t)c->n[0]; i++)
            xyz[i] = p->xyz[3 * row + i];
        c->xyz = xyz;
        c->features = features + row * inputs;
        c->label = !label ? NULL : classification ? label + b : label + row;
        for (int l = 0; l < ORACLE_LEVELS; l++) {
            take_block(out, p, b, l, 0);
            take_block(out, p, b, l, 1);
            if (!classification)
                take_up(out, p, b, l);
        }
    }
}

void oracle_batch_free(struct oracle_batch *b)
{
    for (int32_t i = 0; i < b->blocks; i++)
        free(b->block[i]);
    free(b->block);
    free(b->clouds);
}
