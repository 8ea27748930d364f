/* Tilings: a grid of tiles over a scene, for prediction (docs/explanation/samples.md).
 *
 * The points of each are put in canonical order, shuffled and dealt into samples until all
 * have been drawn, so that every point gets a label. A sample's coordinates are x and y from the
 * centre of its tile, z from a floor.
 *
 * The floor is what the option `floor` says. By the paper the grid begins at the scene's lowest
 * corner, tiles are numbered and z is measured from the scene's lowest point. On the world grid
 * everything follows from the coordinates of the file: a tile is drawn in the same way whatever the
 * cloud holds beyond the tiles around it, so that a scene can be labelled in pieces.
 *
 * The paper's samples have one size, and a short last one is filled with points of those before it.
 * For speed each point is dealt once: a dense tile becomes several tiles of equal size in the same
 * place, and sparse tiles are joined with their neighbours into one. Geometry is that of the joined
 * tile; as input of the network its points keep coordinates from the middle of a square of
 * TILING_VIEW x TILING_VIEW tiles around them, because a network knows only coordinates about as
 * large as it was trained with. */
#ifndef SAMPLING_TILING_H
#define SAMPLING_TILING_H

#include "config/settings.h"
#include "core/random.h"
#include "sampling/item.h"

#include <stdbool.h>

enum tile_grid {
    TILE_GRID_CLOUD, /* from the lowest corner; draws are keyed by the number of the tile */
    TILE_GRID_WORLD  /* from 0, 0 of the file; draws are keyed by the tile's coordinates, z is
                        measured from the lowest point of it and the tiles around it */
};

/* Tiles of an aligned square of TILING_SQUARE x TILING_SQUARE may be joined, no others. */
enum { TILING_SQUARE = 16, TILING_VIEW = 4 };

struct tiling_options {
    struct sampling_settings sampling;
    uint64_t seed;
    int32_t number, tilings; /* the grid begins number / tilings of an edge before its origin */
    enum tile_grid grid;
    bool once;           /* each point is in one sample; else samples are full */
    int32_t few, enough; /* once: tiles of fewer points are joined until they have `enough` */
};

/* How the network sees the points of a tile. */
struct tile_view {
    double low[2], edge; /* from the middle of the square they are in; edge 0: as they lie */
    float floor;
};

/* One tile. */
struct tile {
    const int32_t *rows; /* (n) of the item, in the order they are dealt */
    int32_t n, samples;  /* points, and how many samples they are dealt into */
    const float *centre; /* (3) a sample's coordinates are measured from it */
    struct tile_view view;
    uint64_t seed;   /* of its draws, which */
    uint32_t number; /* this number keys; */
    uint32_t first;  /* its samples are numbered from here on */
};

struct tiling {
    struct tiling_options options;
    int32_t tiles, largest; /* points of the largest tile */
    int32_t *rows;          /* (n) of the item, tile after tile */
    int32_t *start;         /* (tiles + 1) first row of each tile */
    int32_t *first;         /* (tiles + 1) first sample of each tile */
    float *centre;          /* (tiles, 3) */
    bool *joined;           /* (tiles) of several; NULL: none is */
    int32_t *part;          /* (tiles) tiles before it in the same place; NULL: 0 */
    double low[2];          /* where the grid begins */
    uint64_t *seed;         /* (tiles) of a world grid; else NULL */
};

/* GLT_ELIMIT if the scene is too wide for its tiles. */
int tiling_make(struct tiling *out, const struct item *x, const struct tiling_options *o);
void tiling_free(struct tiling *t);
/* How many tiles it would have, and the points of the largest. */
int tiling_measure(int32_t *tiles, int32_t *largest, const struct item *x,
                   const struct tiling_options *o);
/* On the world grid: widens a rectangle x, y, X, Y to everything that the tiles of its points are
 * made of, in all tilings; coordinates of items should lie on the lattice of this step. */
void tiling_reach(double box[4], const struct tiling_options *o);
double tiling_lattice(const struct sampling_settings *s);
struct tile tiling_tile(const struct tiling *t, int32_t i);
/* All tiles in the place of tile i: the first of them, how many, and the points of all. Their rows
 * follow each other. */
struct tile_place {
    int32_t first, tiles, n;
};
struct tile_place tiling_place(const struct tiling *t, int32_t i);
/* Sample number `sample` of a tile: places (n) among its rows, each once. A short last sample is
 * filled with points of those before it. Returns n, the same for all samples of a tile. */
int32_t tiling_draw(int32_t *places, const struct tiling *t, const struct tile *tile,
                    int32_t sample);
/* xyz (n, 3) of the network's input for rows of the item; false, and nothing is done, if they are
 * those that item_gather gives. */
bool tiling_view(float *xyz, const struct tile_view *v, const struct item *x, const int32_t *rows,
                 int32_t n);
/* What keys the random neighbours of that sample. */
struct random_key tiling_key(const struct tiling *t, const struct tile *tile, int32_t sample);

#endif
