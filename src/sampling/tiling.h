/* Tilings: a grid of tiles over a scene, for prediction (docs/explanation/samples.md).
 *
 * The points of each tile are put in canonical order, shuffled and dealt into samples, so that
 * every point gets a label. A sample's coordinates are x and y from the centre of its tile, z from
 * a floor.
 *
 * The option `floor` chooses the floor. In the paper's protocol the grid begins at the scene's
 * lowest corner, tiles are numbered and z is measured from the scene's lowest point. On the world
 * grid everything follows from the coordinates of the file: a tile does not depend on anything
 * beyond its neighbours, so that a scene can be labelled in pieces.
 *
 * The paper's samples have one size, and a short last one is filled with points of earlier samples.
 * For speed each point is dealt once: a dense tile becomes several tiles of equal size in the same
 * place, and sparse tiles are joined with their neighbours into one. Neighbourhoods are those of
 * the joined tile, but the input coordinates of its points are relative to the middle of a square
 * of TILING_VIEW x TILING_VIEW tiles around them, because a network works only with coordinates
 * about as large as in training. */
#ifndef SAMPLING_TILING_H
#define SAMPLING_TILING_H

#include "config/settings.h"
#include "core/random.h"
#include "sampling/item.h"

#include <stdbool.h>

enum tile_grid {
    TILE_GRID_CLOUD, /* from the lowest corner; draws are keyed by the number of the tile */
    TILE_GRID_WORLD  /* from 0, 0 of the file; draws are keyed by the tile's indices, z is measured
                      * from the lowest point of the tile and those around it */
};

/* Only tiles of one aligned square of TILING_SQUARE x TILING_SQUARE may be joined. */
enum { TILING_SQUARE = 16, TILING_VIEW = 4 };

struct tiling_options {
    struct sampling_settings sampling;
    uint64_t seed;
    int32_t number, tilings; /* the grid begins number / tilings of an edge before its origin */
    enum tile_grid grid;
    bool once;           /* each point is in one sample; false: all samples are full */
    int32_t few, enough; /* once: tiles of fewer points are joined until they have `enough` */
};

/* The network's view of the points of a tile. */
struct tile_view {
    double low[2], edge; /* relative to the middle of their square; edge 0: unchanged */
    float floor;
};

/* One tile. */
struct tile {
    const int32_t *rows; /* (n) of the item, in the order of dealing */
    int32_t n, samples;  /* points, and how many samples they are dealt into */
    const float *centre; /* (3) a sample's coordinates are measured from it */
    struct tile_view view;
    uint64_t seed;   /* of its draws */
    uint32_t number; /* which keys them too */
    uint32_t first;  /* number of its first sample */
};

struct tiling {
    struct tiling_options options;
    int32_t tiles, largest; /* points of the largest tile */
    int32_t *rows;          /* (n) of the item, tile after tile */
    int32_t *start;         /* (tiles + 1) first row of each tile */
    int32_t *first;         /* (tiles + 1) first sample of each tile */
    float *centre;          /* (tiles, 3) */
    bool *joined;           /* (tiles) whether it joins several; NULL: none does */
    int32_t *part;          /* (tiles) number of earlier tiles in the same place; NULL: 0 */
    double low[2];          /* the origin of the grid */
    uint64_t *seed;         /* (tiles) of a world grid; else NULL */
};

/* GLT_ELIMIT if the scene is too wide for its tiles. */
int tiling_make(struct tiling *out, const struct item *x, const struct tiling_options *o);
void tiling_free(struct tiling *t);
/* The number of tiles it would have, and the points of the largest. */
int tiling_measure(int32_t *tiles, int32_t *largest, const struct item *x,
                   const struct tiling_options *o);
/* On the world grid: widens a rectangle x, y, X, Y to all points on which the tiles of its points
 * depend, in all tilings. tiling_lattice: the step of the lattice on which coordinates of items
 * should be. */
void tiling_reach(double box[4], const struct tiling_options *o);
double tiling_lattice(const struct sampling_settings *s);
struct tile tiling_tile(const struct tiling *t, int32_t i);
/* All tiles in the place of tile i: the first of them, how many, and the points of all. Their rows
 * are adjacent. */
struct tile_place {
    int32_t first, tiles, n;
};
struct tile_place tiling_place(const struct tiling *t, int32_t i);
/* Sample number `sample` of a tile: distinct indices (n) of its rows. A short last sample is filled
 * with points of earlier samples. Returns n, the same for all samples of a tile. */
int32_t tiling_draw(int32_t *places, const struct tiling *t, const struct tile *tile,
                    int32_t sample);
/* The network's input xyz (n, 3) for rows of the item; false, and nothing is written, if it is what
 * item_gather gives. */
bool tiling_view(float *xyz, const struct tile_view *v, const struct item *x, const int32_t *rows,
                 int32_t n);
/* The key of the random neighbours of that sample. */
struct random_key tiling_key(const struct tiling *t, const struct tile *tile, int32_t sample);

#endif
