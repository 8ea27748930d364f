/* The miniature network of the gradient tests: 96 points, levels 64/32/16/8, widths 8/16/32/64,
 * K 8, on seeded random clouds. */
#ifndef TESTS_MINIATURE_H
#define TESTS_MINIATURE_H

#include "core/arena.h"
#include "model/network.h"

enum { MINI_POINTS = 96, MINI_CLASSES = 5, MINI_CLOUDS = 2 };

/* Settings of networks that together use every kind of maps, heads and paths; the last is NULL. */
extern const char *const mini_variants[];

struct miniature {
    struct config config;
    struct model *model;
    struct network network;
    real *gradient; /* (model->size) */
    double *record; /* of the statistics of a forward walk in training (nn/running.h) */
    struct arena arena;
    struct batch batch; /* only features, labels and pyramid */
};

/* settings: "key=value key=value", in addition to the miniature's own. Fails the test on any
 * error. */
void mini_open(struct miniature *m, const char *settings, uint64_t seed, bool training);
void mini_bind(struct miniature *m, bool training); /* makes the plan again, after network_free */
double mini_loss(struct miniature *m);              /* one forward walk: the total loss */
void mini_close(struct miniature *m);

#endif
